"""Commands about the notebook: notes add, list, show, link, map, review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.layers import DRY_RUN, read_input
from reverie.cli.terminal import echo
from reverie.types import Note, Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.verbs.layers.notes import Noted


@click.group()
def notes() -> None:
    """The notebook: small notes with ids, linked to each other."""


@notes.command()
@click.argument("text")
@click.option("--title", default="", help="Its title; the first line by default.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Tag it; may be repeated.")
@click.option("--zettel", is_flag=True, help="File it among the atomic notes, not in the inbox.")
@DRY_RUN
@json_option
@pass_session
def add(
    session: Session, text: str, title: str, tags: tuple[str, ...], zettel: bool, dry_run: bool
) -> None:
    """Write a new note; - reads it from standard input."""
    words = read_input("-") if text == "-" else text
    folder = "zettel" if zettel else "inbox"
    done = session.memory.layers.add_note(
        words, title=title, tags=tags, folder=folder, dry_run=dry_run
    )
    _emit(session, done, "noted", dry_run)


@notes.command("list")
@click.option(
    "--in", "folder", type=click.Choice(["inbox", "zettel", "maps"]), help="Only this part."
)
@click.option("--tag", default="", metavar="TAG", help="Only notes with this tag.")
@json_option
@pass_session
def list_notes(session: Session, folder: str | None, tag: str) -> None:
    """List the notes, the newest first."""
    found = session.memory.layers.notes(folder=folder or "", tag=tag)
    value = {"notes": [_summary(note) for note in found.notes], "unread": found.unread}
    session.emit(value, "\n".join(_row(note) for note in found.notes) or "no notes")
    if not session.json:
        for item in found.unread:
            echo(f"reverie: {item.what}: {item.reason}", err=True)


@notes.command()
@click.argument("name")
@json_option
@pass_session
def show(session: Session, name: str) -> None:
    """Print a note with its links and what links to it."""
    found = session.memory.layers.note(name)
    value = {
        **_summary(found.note),
        "text": found.note.text,
        "links": [_summary(note) for note in found.links],
        "backlinks": [_summary(note) for note in found.backlinks],
    }
    lines = [found.note.text.rstrip("\n"), ""]
    lines += [f"-> {note.id}  {note.title}" for note in found.links]
    lines += [f"<- {note.id}  {note.title}" for note in found.backlinks]
    session.emit(value, "\n".join(lines).rstrip("\n"))


@notes.command()
@click.argument("name")
@click.argument("target")
@click.option("--why", default="", help="Why it is linked.")
@DRY_RUN
@json_option
@pass_session
def link(session: Session, name: str, target: str, why: str, dry_run: bool) -> None:
    """Link a note to another one."""
    done = session.memory.layers.link_notes(name, target, why=why, dry_run=dry_run)
    _emit(session, done, "linked", dry_run)


@notes.command("map")
@click.argument("title", required=False)
@click.option("--add", "names", multiple=True, metavar="NOTE", help="Put this note on the map.")
@DRY_RUN
@json_option
@pass_session
def map_notes(session: Session, title: str | None, names: tuple[str, ...], dry_run: bool) -> None:
    """List the maps, show one, or put notes on one; a new map is created."""
    layers = session.memory.layers
    if title is None:
        maps = layers.notes(folder="maps").notes
        session.emit([_summary(note) for note in maps], "\n".join(map(_row, maps)) or "no maps")
    elif names:
        _emit(session, layers.map_notes(title, names, dry_run=dry_run), "mapped", dry_run)
    else:
        found = layers.note_map(title)
        value = {**_summary(found.note), "notes": [_summary(note) for note in found.links]}
        session.emit(value, "\n".join(map(_row, found.links)) or "the map is empty")


@notes.command()
@click.option("--accept", metavar="NOTE", help="File this note from the inbox.")
@DRY_RUN
@json_option
@pass_session
def review(session: Session, accept: str | None, dry_run: bool) -> None:
    """List notes that wait, have no links, or have broken links."""
    layers = session.memory.layers
    if accept:
        _emit(session, layers.accept_note(accept, dry_run=dry_run), "filed", dry_run)
        return
    found = layers.review_notes()
    value = {
        "inbox": [_summary(note) for note in found.inbox],
        "orphans": [_summary(note) for note in found.orphans],
        "broken": [{"note": note.id, "link": name} for note, name in found.broken],
        "unmapped": [_summary(note) for note in found.unmapped],
        "twins": [[one.id, two.id] for one, two in found.twins],
    }

    def text() -> str:
        parts: list[tuple[str, Sequence[str]]] = [
            (
                "waiting in the inbox (`reverie notes review --accept NOTE` files one)",
                [*map(_row, found.inbox)],
            ),
            ("linked to nothing", [*map(_row, found.orphans)]),
            ("links to nowhere", [f"{note.id}  [[{name}]]" for note, name in found.broken]),
            ("on no map", [*map(_row, found.unmapped)]),
            ("much alike", [f"{one.id}  {two.id}  {one.title}" for one, two in found.twins]),
        ]
        shown = [
            "\n".join([f"{title}:", *(f"  {row}" for row in rows)]) for title, rows in parts if rows
        ]
        return "\n\n".join(shown) or "nothing wants a hand"

    session.emit(value, text)


def _emit(session: Session, done: Noted | Skipped, verb: str, dry_run: bool) -> None:
    if isinstance(done, Skipped):
        session.emit(done, done.message)
        return
    value = {
        "id": done.id,
        "title": done.title,
        "path": done.path,
        "run": done.run,
        "dryRun": dry_run,
    }
    session.emit(value, f"{verb}: {done.title} ({done.path})" + (" (dry run)" if dry_run else ""))


def _summary(note: Note) -> dict[str, Any]:
    return {
        "id": note.id,
        "title": note.title,
        "path": note.rel,
        "created": note.created,
        "tags": note.tags,
    }


def _row(note: Note) -> str:
    tags = "".join(f" #{tag}" for tag in note.tags)
    return f"{note.id:<15} {note.title}{tags}  ({note.rel.partition('/')[0]})"
