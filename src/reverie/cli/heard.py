"""The command about what was heard: list it, and keep or drop it with one key."""

from __future__ import annotations

import sys
from typing import Final, Literal

import click

from reverie.cli import Session, counted, json_option, pass_session
from reverie.cli.terminal import bold, echo
from reverie.types import Heard, HeardDecided

_KEYS: Final = {"k": "keep", "d": "drop", "s": "skip", "q": "quit"}
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
_NAMES = click.argument("names", metavar="NUMBER...", nargs=-1, required=True)


@click.group(invoke_without_command=True)
@json_option
@pass_session
def heard(session: Session) -> None:
    """List what was said and not kept.

    On a terminal it asks, and one key keeps or drops each. No prompt and no search reads what is
    here. It is kept by itself when it is said again in another conversation, and goes after a while
    when nobody wants it.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    found = session.memory.heard()
    if session.json or not (found and sys.stdin.isatty() and sys.stdout.isatty()):
        session.emit({"heard": found}, lambda: _listed(found))
        return
    _ask(session, found)


@heard.command()
@_NAMES
@_DRY_RUN
@json_option
@pass_session
def keep(session: Session, names: tuple[str, ...], dry_run: bool) -> None:
    """Make memories of what was heard.

    NUMBER is the number or the id that the list shows.
    """
    _decide(session, "keep", names, dry_run=dry_run)


@heard.command()
@_NAMES
@_DRY_RUN
@json_option
@pass_session
def drop(session: Session, names: tuple[str, ...], dry_run: bool) -> None:
    """Remove what was heard; it is not heard again.

    NUMBER is the number or the id that the list shows.
    """
    _decide(session, "drop", names, dry_run=dry_run)


@heard.command("keep-all")
@_DRY_RUN
@json_option
@pass_session
def keep_all(session: Session, dry_run: bool) -> None:
    """Make memories of everything that was heard."""
    found = session.memory.heard()
    if not found:
        session.emit(HeardDecided("keep", dry_run=dry_run), _listed(found))
        return
    _decide(session, "keep", tuple(item.id for item in found), dry_run=dry_run)


def _decide(
    session: Session, action: Literal["keep", "drop"], names: tuple[str, ...], *, dry_run: bool
) -> None:
    memory = session.memory
    do = memory.keep_heard if action == "keep" else memory.drop_heard
    done = do(*names, dry_run=dry_run)
    session.emit(done, lambda: _decided(done))


def _ask(session: Session, found: list[Heard]) -> None:
    """Go through the list with one key each; nothing is done without a key."""
    for number, item in enumerate(found, start=1):
        echo(
            f"{_shown(number, item)}\n  {bold('k')}eep  {bold('d')}rop  {bold('s')}kip  {bold('q')}uit "
        )
        key = ""
        while key not in _KEYS:
            key = click.getchar().lower()
        if key == "q":
            return
        if key == "s":
            continue
        memory = session.memory
        done = memory.keep_heard(item.id) if key == "k" else memory.drop_heard(item.id)
        echo(_decided(done))


def _listed(found: list[Heard]) -> str:
    if not found:
        return "Nothing waits: whatever was said was kept, or was nothing to keep."
    lines = [_shown(number, item) for number, item in enumerate(found, start=1)]
    lines.append(
        f"{counted(len(found), 'statement')} heard, not kept. `reverie heard keep 1` makes a memory of"
        " one, `reverie heard drop 1` removes it, `reverie heard keep-all` keeps everything."
    )
    return "\n".join(lines)


def _shown(number: int, item: Heard) -> str:
    lines = [f"{number:>3}  {item.id}  [{item.kind.value}] {item.summary}"]
    lines += [f"       Why: {item.why}"] if item.why else []
    lines += [f"       How to apply: {item.how}"] if item.how else []
    until = f", goes after {item.until}" if item.until else ""
    lines.append(
        f"       said {item.said:%Y-%m-%d}, turn {item.turn}, for {item.scope.value} memory{until}"
    )
    return "\n".join(lines)


def _decided(done: HeardDecided) -> str:
    would = "would be " if done.dry_run else ""
    if done.action == "keep":
        lines = [f"{would}{item.action}: {item.summary}\n  {item.path}" for item in done.patches]
    else:
        lines = [f"{would}dropped: {item.summary}" for item in done.items]
    lines += [f"still waits: {item.what}: {item.reason}" for item in done.dropped]
    if done.run:
        lines.append(f"undo with: reverie undo {done.run}")
    return "\n".join(lines)
