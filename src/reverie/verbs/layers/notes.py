"""Notes: write, link, map and review the notebook of an agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.core.layers import notes as rules
from reverie.core.layers.tree import NOTES
from reverie.core.runs.planning import without_secrets
from reverie.core.text.plain import digest
from reverie.errors import NoteNotFound, StoreError, TooLarge
from reverie.types import Change, Dropped, Origin, Plan, RunInfo, Skipped
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.types import Note
    from reverie.verbs.verb_context import LayerContext


@dataclass(frozen=True, slots=True)
class Noted:
    """A note that was written or changed."""

    id: str
    title: str
    path: str
    run: str = ""
    """Empty after a dry run."""
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteShown:
    """A note with its links in both directions."""

    note: Note
    links: tuple[Note, ...]
    backlinks: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class NotesListed:
    """The notes of the notebook, newest first."""

    notes: tuple[Note, ...]
    unread: tuple[Dropped, ...] = ()
    """Files that could not be read, each with the reason."""


def listed(ctx: LayerContext, *, folder: str = "", tag: str = "") -> NotesListed:
    """Read the notes of the notebook, or of one part of it, newest first."""
    found: list[Note] = []
    unread: list[Dropped] = []
    for rel in ctx.tree.markdown(f"{NOTES}/{folder}".rstrip("/")):
        try:
            text = ctx.store.read(f"{ctx.tree.root}/{rel}")
        except (StoreError, TooLarge) as error:
            unread.append(Dropped(rel, str(error)))
            continue
        if text is not None:
            note = rules.parse_note(text, rel=rel.removeprefix(f"{NOTES}/"))
            if not tag or tag.removeprefix("#") in note.tags:
                found.append(note)
    found.sort(key=lambda note: note.rel)
    found.sort(key=lambda note: note.created.timestamp() if note.created else 0.0, reverse=True)
    return NotesListed(tuple(found), tuple(unread))


def _notebook(ctx: LayerContext) -> rules.Notebook:
    return rules.Notebook(listed(ctx).notes)


def add(
    ctx: LayerContext,
    words: str,
    *,
    title: str = "",
    tags: Sequence[str] = (),
    folder: str = rules.INBOX,
    origin: Origin = Origin.OWNER,
    dry_run: bool = False,
) -> Noted:
    """Write a new note; an existing one is never overwritten."""
    # Before its words name a file.
    words, title = (without_secrets(text, ctx.settings.secrets)[0] for text in (words, title))

    def plan() -> Noted:
        taken = {note.id for note in listed(ctx).notes}
        made = rules.new_note(
            words, now=ctx.clock(), taken=taken, title=title, tags=tags, folder=folder
        )
        path = _path(ctx, made.rel)
        return Noted(made.id, made.title, path, changes=(Change(path, made.text, None),))

    return _applied(ctx, plan, f"note {folder}", origin=origin, dry_run=dry_run)


def show(ctx: LayerContext, name: str) -> NoteShown:
    """Return a note with what it links to and what links to it."""
    book = _notebook(ctx)
    note = book.named(name)
    return NoteShown(note, tuple(book.targets(note)), tuple(book.backlinks(note)))


def link(
    ctx: LayerContext, name: str, target: str, *, why: str = "", dry_run: bool = False
) -> Noted | Skipped:
    """Link one note to another; the note itself is changed, its target only gains a backlink."""
    book = _notebook(ctx)
    source, other = book.named(name), book.named(target)
    if source.rel == other.rel:
        return Skipped("same_note", "a note need not link to itself")
    if any(item.rel == other.rel for item in book.targets(source)):
        return Skipped("already_linked", f"{source.title} links to {other.title} already")

    def plan() -> Noted:
        note = _notebook(ctx).named(name)
        return _edited(ctx, note, rules.with_link(note.text, other, why=why))

    return _applied(ctx, plan, f"link to {other.id}", dry_run=dry_run)


def map_notes(
    ctx: LayerContext, title: str, names: Sequence[str] = (), *, dry_run: bool = False
) -> Noted | Skipped:
    """Put notes on a map, which is made when there is none of that name."""
    title = without_secrets(title, ctx.settings.secrets)[0]
    book = _notebook(ctx)
    there = _map_named(book, title)
    wanted = [book.named(name) for name in names]
    fresh = [note for note in wanted if there is None or note not in book.targets(there)]
    if there is not None and not fresh:
        return Skipped("already_mapped", f"the map {there.title} has them all")

    def plan() -> Noted:
        known = _map_named(_notebook(ctx), title)
        rel, text = (
            rules.new_map(title, now=ctx.clock()) if known is None else (known.rel, known.text)
        )
        base = None if known is None else digest(known.text)
        for note in fresh:
            text = rules.with_link(text, note, heading=rules.MAPPED)
        note = rules.parse_note(text, rel=rel)
        change = Change(_path(ctx, rel), text, base)
        return Noted(note.id, note.title, change.path, changes=(change,))

    return _applied(ctx, plan, f"map {title}", dry_run=dry_run)


def show_map(ctx: LayerContext, title: str) -> NoteShown:
    """Return a map with the notes on it."""
    book = _notebook(ctx)
    found = _map_named(book, title)
    if found is None:
        raise NoteNotFound(
            f"there is no map {title!r}; `reverie notes map {title} --add NOTE` makes it"
        )
    return NoteShown(found, tuple(book.targets(found)), tuple(book.backlinks(found)))


def review(ctx: LayerContext) -> rules.Review:
    """Say what in the notebook wants a hand."""
    return rules.review(_notebook(ctx))


def accept(ctx: LayerContext, name: str, *, dry_run: bool = False) -> Noted | Skipped:
    """File a note of the inbox among the atomic notes; its name, and so every link, stays."""
    note = _notebook(ctx).named(name)
    if rules.folder_of(note) != rules.INBOX:
        return Skipped(
            "not_in_inbox", f"{note.title} is filed already, in {rules.folder_of(note)}/"
        )

    def plan() -> Noted:
        now = _notebook(ctx).named(name)
        target = _path(ctx, f"{rules.ZETTEL}/{rules.stem_of(now)}.md")
        changes = (
            Change(_path(ctx, now.rel), None, digest(now.text)),
            Change(target, now.text, None),
        )
        return Noted(now.id, now.title, target, changes=changes)

    return _applied(ctx, plan, f"file {note.id}", dry_run=dry_run)


def _map_named(book: rules.Notebook, title: str) -> Note | None:
    maps = rules.Notebook([note for note in book.notes if rules.folder_of(note) == rules.MAPS])
    return maps.find(title) or maps.find(rules.slug(title))


def _edited(ctx: LayerContext, note: Note, text: str) -> Noted:
    change = Change(_path(ctx, note.rel), text, digest(note.text))
    return Noted(note.id, note.title, change.path, changes=(change,))


def _path(ctx: LayerContext, rel: str) -> str:
    return f"{ctx.tree.root}/{NOTES}/{rel}"


def _applied(
    ctx: LayerContext,
    plan: Callable[[], Noted],
    note: str,
    *,
    origin: Origin = Origin.OWNER,
    dry_run: bool,
) -> Noted:
    info = RunInfo(verb="notes", origin=origin, note=note)

    def made() -> Plan[Noted]:
        noted = plan()
        done = replace(noted, changes=())
        return Plan(
            noted.changes,
            info,
            lambda applied: replace(done, run=applied.run) if applied.run else noted,
        )

    return run(made, store=ctx.store, dry_run=dry_run)
