"""Notes: write, link, map and review the notebook of an agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

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

Outcome = TypeVar("Outcome", bound="Noted | Skipped")


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
    # Before its words name a file, and before tags are cut to what a tag may hold.
    words, title, *tags = (
        without_secrets(text, ctx.settings.secrets)[0] for text in (words, title, *tags)
    )

    def plan() -> _Made[Noted]:
        taken = {note.id for note in listed(ctx).notes}
        made = rules.new_note(
            words, now=ctx.clock(), taken=taken, title=title, tags=tags, folder=folder
        )
        path = _path(ctx, made.rel)
        changes = (Change(path, made.text, None),)
        return _Made(Noted(made.id, made.title, path, changes=changes), f"note {folder}")

    return _applied(ctx, plan, origin=origin, dry_run=dry_run, alone=True)


def show(ctx: LayerContext, name: str) -> NoteShown:
    """Return a note with what it links to and what links to it."""
    book = _notebook(ctx)
    note = book.named(name)
    return NoteShown(note, tuple(book.targets(note)), tuple(book.backlinks(note)))


def link(
    ctx: LayerContext, name: str, target: str, *, why: str = "", dry_run: bool = False
) -> Noted | Skipped:
    """Link one note to another; the note itself is changed, its target only gains a backlink."""

    def plan() -> _Made[Noted | Skipped]:
        book = _notebook(ctx)
        source, other = book.named(name), book.named(target)
        if source.rel == other.rel:
            return _Made(Skipped("same_note", "a note need not link to itself"))
        if any(item.rel == other.rel for item in book.targets(source)):
            return _Made(
                Skipped("already_linked", f"{source.title} links to {other.title} already")
            )
        text = rules.with_link(source.text, other, why=why)
        return _made(ctx, source, text, digest(source.text), f"link to {other.id}")

    return _applied(ctx, plan, dry_run=dry_run)


def map_notes(
    ctx: LayerContext, title: str, names: Sequence[str] = (), *, dry_run: bool = False
) -> Noted | Skipped:
    """Put notes on a map, which is made when there is none of that name."""
    title = without_secrets(title, ctx.settings.secrets)[0]

    def plan() -> _Made[Noted | Skipped]:
        book = _notebook(ctx)
        there = _map_named(book, title)
        wanted = [book.named(name) for name in names]
        fresh = [note for note in wanted if there is None or note not in book.targets(there)]
        if there is not None and not fresh:
            return _Made(Skipped("already_mapped", f"the map {there.title} has them all"))
        rel, text = (
            rules.new_map(title, now=ctx.clock()) if there is None else (there.rel, there.text)
        )
        for note in fresh:
            text = rules.with_link(text, note, heading=rules.MAPPED)
        base = None if there is None else digest(there.text)
        return _made(ctx, rules.parse_note(text, rel=rel), text, base, f"map {title}")

    return _applied(ctx, plan, dry_run=dry_run)


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
    """File a note from the inbox among the atomic notes; its name, and so every link, stays."""

    def plan() -> _Made[Noted | Skipped]:
        note = _notebook(ctx).named(name)
        if rules.folder_of(note) != rules.INBOX:
            where = f"{note.title} is filed already, in {rules.folder_of(note)}/"
            return _Made(Skipped("not_in_inbox", where))
        target = _path(ctx, f"{rules.ZETTEL}/{rules.stem_of(note)}.md")
        changes = (
            Change(_path(ctx, note.rel), None, digest(note.text)),
            Change(target, note.text, None),
        )
        return _Made(Noted(note.id, note.title, target, changes=changes), f"file {note.id}")

    return _applied(ctx, plan, dry_run=dry_run)


def _map_named(book: rules.Notebook, title: str) -> Note | None:
    maps = rules.Notebook([note for note in book.notes if rules.folder_of(note) == rules.MAPS])
    return maps.find(title) or maps.find(rules.slug(title))


@dataclass(frozen=True, slots=True)
class _Made(Generic[Outcome]):
    """What a verb decided, and how the journal names it."""

    outcome: Outcome
    note: str = ""


def _made(
    ctx: LayerContext, note: Note, text: str, base: str | None, about: str
) -> _Made[Noted | Skipped]:
    change = Change(_path(ctx, note.rel), text, base)
    return _Made(Noted(note.id, note.title, change.path, changes=(change,)), about)


def _path(ctx: LayerContext, rel: str) -> str:
    return f"{ctx.tree.root}/{NOTES}/{rel}"


def _applied(
    ctx: LayerContext,
    plan: Callable[[], _Made[Outcome]],
    *,
    origin: Origin = Origin.OWNER,
    dry_run: bool,
    alone: bool = False,
) -> Outcome:
    def made() -> Plan[Outcome]:
        decided = plan()
        outcome = decided.outcome
        info = RunInfo(verb="notes", origin=origin, note=decided.note)
        if not isinstance(outcome, Noted):
            return Plan((), info, lambda _: outcome)
        done = replace(outcome, changes=())
        return Plan(
            outcome.changes,
            info,
            lambda applied: replace(done, run=applied.run) if applied.run else outcome,
        )

    return run(made, store=ctx.store, dry_run=dry_run, alone=alone)
