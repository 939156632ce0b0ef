"""Commands that learn: extract from conversations, and dream."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.terminal import echo
from reverie.core.dreaming.operations import describe
from reverie.errors import PathNotFound
from reverie.types import Dreamed, Extracted, Skipped

_TOO_SOON = ("same_session", "min_hours", "min_sessions", "scan_throttled")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")


@click.command()
@click.argument("file")
@click.option("--session", "name", help="Id of the conversation; the file's own by default.")
@_DRY_RUN
@json_option
@pass_session
def extract(session: Session, file: str, name: str | None, dry_run: bool) -> None:
    """Learn from the new part of the conversation in FILE (`-` is standard input).

    FILE holds OpenAI or Anthropic messages as JSON, a chat log of Qwen Code or Claude Code, or turns
    of Reverie's own history.
    """
    from reverie.core.learning.transcripts import read_transcript

    transcript = read_transcript(_read(file))
    for problem in transcript.problems:
        echo(f"reverie: {problem.message}", err=True)
    if not transcript.messages:
        outcome: Extracted | Skipped = Skipped("no_messages", f"{file} holds no messages")
    else:
        chosen = name or next(iter(transcript.sessions), Path(file).stem)
        outcome = session.memory.extract(transcript.messages, session=chosen, dry_run=dry_run)
    session.emit(outcome, lambda: _extracted(outcome))


@click.command()
@click.option("--force", is_flag=True, help="Dream now, even if it is not due.")
@click.option("--session", "name", default="", help="Id of the conversation that asks.")
@_DRY_RUN
@json_option
@pass_session
def dream(session: Session, force: bool, name: str, dry_run: bool) -> None:
    """Merge duplicates, resolve relative dates, and let newer values replace older ones."""
    outcome = session.memory.dream(session=name, force=force, dry_run=dry_run)
    session.emit(outcome, lambda: _dreamed(outcome))


def _read(file: str) -> str:
    """Read a conversation; what is no UTF-8 in it is shown as such, and the rest is learned from."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except FileNotFoundError:
        raise PathNotFound(f"there is no file {file}") from None
    return data.decode("utf-8", "replace")


def _extracted(outcome: Extracted | Skipped) -> str:
    if isinstance(outcome, Skipped):
        return f"Nothing extracted ({outcome.reason}): {outcome.message}."
    lines = []
    for patch in outcome.patches:
        did = f"would be {patch.action}" if outcome.dry_run else patch.action
        lines.append(f"{did}: [{patch.kind.value}] {patch.summary}")
        lines += [
            f"  {label}: {text}" for label, text in (("Why", patch.why), ("How", patch.how)) if text
        ]
    if not outcome.patches:
        lines.append("Nothing new is clear enough to keep.")
    lines += [f"heard: {item.summary}" for item in outcome.heard]
    if outcome.heard and not outcome.dry_run:
        lines.append("`reverie heard` keeps or drops what was heard; nothing else reads it.")
    lines += [f"left out ({item.reason}): {item.what}" for item in outcome.dropped]
    if outcome.remaining:
        lines.append(f"{outcome.remaining} more messages wait for the next run.")
    return "\n".join(lines)


def _dreamed(outcome: Dreamed | Skipped) -> str:
    if isinstance(outcome, Skipped):
        hint = " `reverie dream --force` dreams now." if outcome.reason in _TOO_SOON else ""
        return f"No dream ({outcome.reason}): {outcome.message}.{hint}"
    lines = [describe(op) for op in outcome.ops] or ["Nothing to consolidate."]
    lines += [f"left alone ({item.reason}): {item.what}" for item in outcome.refused]
    if outcome.run:
        lines.append(f"Run {outcome.run}; `reverie undo {outcome.run}` takes it back.")
    elif outcome.dry_run and outcome.ops:
        lines.append("Nothing was written.")
    return "\n".join(lines)
