"""Asking a person, once, whether they trust a project of which something waits for that."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.cli.terminal import echo
from reverie.core.showing.printable import printable

if TYPE_CHECKING:
    from reverie.cli import Session
    from reverie.memory import Memory
    from reverie.types import Trust

_WAIT_SECONDS = 10.0
VERDICTS = {"trusted": "trusted", "unknown": "not judged yet", "untrusted": "not trusted"}
"""How people are told a verdict."""


def told_verdict(trust: Trust) -> str:
    """Say in a sentence whether the project is trusted, and what to do where nobody said."""
    waits = " Its own settings wait until you say `reverie trust`, or `reverie trust --no`."
    return (
        f"{trust.path} is {VERDICTS[trust.verdict]}.{waits if trust.verdict == 'unknown' else ''}"
    )


def told_trust(memory: Memory) -> Trust:
    """Return what is thought of the project; a list that cannot be read trusts nothing."""
    from reverie.errors import ConfigError
    from reverie.types import Trust

    try:
        return memory.trusted()
    except ConfigError as error:
        return Trust(memory.workspace.base, False, str(error.evidence.get("path", "")), "untrusted")


def ask_trust(session: Session, base: str, records: Path, why: str) -> bool:
    """Ask whether a folder is trusted; the answer is kept. Say whether it is trusted now."""
    from reverie.local.context.trust import note_asked, record_in, was_asked

    if session.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    if was_asked(records, base):
        return False
    echo(f"reverie: {why}", err=True)
    answer = click.prompt(
        f"Do you trust {printable(base)}? Then its settings and its own hidden files count. (yes, no, later)",
        type=click.Choice(["yes", "no", "later"]),
        default="later",
        show_choices=False,
        err=True,
    )
    if answer == "later":
        note_asked(records, base, wait=_WAIT_SECONDS)
        echo("reverie: you are asked only once; `reverie trust` changes it at any time", err=True)
        return False
    record_in(records, Path(base), trusted=answer == "yes", wait=_WAIT_SECONDS)
    return bool(answer == "yes")
