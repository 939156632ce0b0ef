"""The only place where the command line prints: no text from outside reaches a terminal as it is.

Rules
- Everything is shown with `printable`, on a terminal and in a pipe: an agent reads pipes too. So what is
  written into a pipe for a reader also passes `disarmed`, as everything that enters a prompt does.
- Data that a program asked for (`get`, `context`, `prompt`) goes into a pipe byte for byte, and is
  shown like everything else on a terminal.
- The only escape sequences are our own: `bold` and `cyan`.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import click

from reverie.core.showing.marks import disarmed
from reverie.core.showing.printable import printable, printable_json

# Stand for our own sequences until the very end; no text has a reason to hold these characters.
_MARKS: Final = {"bold": "\ufdd0", "cyan": "\ufdd1", "plain": "\ufdd2"}
_SEQUENCES: Final = {"bold": "\x1b[1m", "cyan": "\x1b[36m", "plain": "\x1b[0m"}
_UNMARKED: Final = dict.fromkeys(map(ord, _MARKS.values()))


_before: list[Callable[[], None]] = []
"""Takes away the line that is shown while a command works, where there is one."""


def overwrite(text: str, over: int) -> None:
    """Write over the last line of standard error, which has `over` characters, and stay on it."""
    shown = printable(text)
    with suppress(OSError, ValueError):  # the terminal went away
        click.echo(f"\r{' ' * over}\r{shown}", err=True, nl=False)


def before_printing(take_away: Callable[[], None] | None) -> None:
    """Have something done before anything is printed; None: not any more."""
    _before[:] = [take_away] if take_away else []


def _before_printing() -> None:
    for take_away in _before[:]:
        take_away()


def bold(text: str) -> str:
    """Have a text printed in bold, where there are colours."""
    return f"{_MARKS['bold']}{text.translate(_UNMARKED)}{_MARKS['plain']}"


def cyan(text: str) -> str:
    """Have a text printed in cyan, where there are colours."""
    return f"{_MARKS['cyan']}{text.translate(_UNMARKED)}{_MARKS['plain']}"


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print for a person, or for an agent that runs the command and reads what it says."""
    _before_printing()
    shown = printable(text)
    if not (sys.stderr if err else sys.stdout).isatty():
        shown = disarmed(shown)
    for name, mark in _MARKS.items():
        shown = shown.replace(mark, _SEQUENCES[name])
    click.echo(shown, err=err, nl=nl)  # which takes colours out where there is no terminal


def echo_data(text: str) -> None:
    """Print what a program asked for: exactly into a pipe, and as for a person on a terminal."""
    _before_printing()
    nl = not text.endswith("\n")
    if sys.stdout.isatty():
        echo(text, nl=nl)
    else:
        data = text.encode("utf-8", "surrogateescape" if _is_escaped(text) else "surrogatepass")
        click.echo(data, nl=nl)


def echo_json(value: Any, *, indent: int | None = 2) -> None:
    """Print JSON, in which nothing is left that a terminal would obey."""
    _before_printing()
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    click.echo(printable_json(text))


def log_to_stderr(level: str) -> None:
    """Send the log to standard error, shown like everything else, with placeholders for secrets.

    An error may quote what it was given; a log is kept by whoever started the server, and read by others.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ShownLog("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


class ShownLog(logging.Formatter):
    """Writes a record, and its trace, as anybody may see it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        from reverie.core.secrets.scanner import redact

        return printable(redact(super().format(record))[0])


def _is_escaped(text: str) -> bool:
    """Say whether half characters in a text stand for bytes of a file."""
    halves = {char for char in set(text) if "\ud800" <= char <= "\udfff"}
    return all("\udc80" <= char <= "\udcff" for char in halves)
