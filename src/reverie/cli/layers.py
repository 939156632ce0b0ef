"""Commands about an agent's layers: prompt, working, history."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.cli import Session, counted, json_option, pass_session
from reverie.cli.terminal import echo
from reverie.errors import InvalidContent, NotText, PathNotFound
from reverie.types import Prompt, Skipped, Turn

if TYPE_CHECKING:
    from reverie.core.layers.working import Action
    from reverie.types.turns import Reading

DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")


# --- prompt ---------------------------------------------------------------------------------------


@click.command()
@click.argument("query", default="")
@click.option("--replay", type=click.IntRange(min=0), metavar="N", help="Replay the last N turns.")
@click.option("--no-context", is_flag=True, help="Leave the context files out.")
@click.option("--tokens", is_flag=True, help="List the parts and their tokens instead of the text.")
@json_option
@pass_session
def prompt(
    session: Session, query: str, replay: int | None, no_context: bool, tokens: bool
) -> None:
    """Print the layered system prompt; QUERY adds what is recalled for it."""
    found = session.memory.prompt(query, context=not no_context, replay=replay)
    layers = dict.fromkeys(part.layer for part in found.parts)
    value = {
        "text": found.text,
        "tokens": found.tokens,
        "budget": found.budget,
        "layers": {layer: found.tokens_of(layer) for layer in layers},
        "parts": [{"layer": p.layer, "name": p.name, "tokens": p.tokens} for p in found.parts],
        "dropped": found.dropped,
    }
    session.emit(value, lambda: _token_table(found) if tokens else found.text, data=not tokens)
    if not session.json:
        for item in found.dropped:
            echo(f"reverie: {item.what}: {item.reason}", err=True)


def _token_table(found: Prompt) -> str:
    rows = [f"{part.tokens:>8,}  {part.layer:<9} {part.name}" for part in found.parts]
    return "\n".join([*rows, f"{found.tokens:>8,}  of {found.budget:,} tokens"])


# --- working memory -------------------------------------------------------------------------------


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def working(context: click.Context) -> None:
    """Show working memory, or change one thing in it."""
    if context.invoked_subcommand:
        return
    session = context.find_object(Session)
    assert session is not None  # noqa: S101  # the root command always makes one
    _show_working(session)


@working.command("show")
@json_option
@pass_session
def show_working(session: Session) -> None:
    """Show working memory."""
    _show_working(session)


def _show_working(session: Session) -> None:
    from reverie.core.layers.working import bound, open_items, size

    layers, limit = session.memory.layers, session.memory.settings.layers.working_limit
    text = layers.working()
    value = {
        "text": text,
        "items": open_items(text),
        "size": size(text),
        "limit": bound(text, limit=limit),
    }
    session.emit(value, text or "there is no working memory yet; `reverie init` creates it")


def _change(session: Session, action: Action, heading: str, text: str, dry_run: bool) -> None:
    outcome = session.memory.layers.change_working(action, heading, text, dry_run=dry_run)
    if isinstance(outcome, Skipped) and outcome.reason == "no_match":
        shown = "`reverie working` shows what there is"
        session.absent(outcome, f"{outcome.message}; {shown}", outcome.reason)
    if isinstance(outcome, Skipped):
        session.emit(outcome, outcome.message)
        return
    done = {"add": "added to", "close": "closed, from", "drop": "dropped from"}[action]
    lines = [f"{done} {outcome.heading}: {outcome.item}" + (" (dry run)" if dry_run else "")]
    lines += [f"{item.what}: {item.reason}" for item in outcome.moved]
    if outcome.over:
        lines.append(f"working memory is still {outcome.over:,} characters over its limit")
    value = {
        "item": outcome.item,
        "heading": outcome.heading,
        "run": outcome.run,
        "moved": outcome.moved,
        "over": outcome.over,
        "dryRun": dry_run,
    }
    session.emit(value, "\n".join(lines))


def _operation(name: str, action: Action, heading: str, about: str) -> click.Command:
    @working.command(name, help=about)
    @click.argument("text")
    @DRY_RUN
    @json_option
    @pass_session
    def command(session: Session, text: str, dry_run: bool) -> None:
        _change(session, action, heading, text, dry_run)

    return command


_operation("priority", "add", "priorities", "Set a priority; it comes first.")
_operation("task", "add", "tasks", "Add a task.")
_operation(
    "done", "close", "tasks", "Close a task, by its number or its words; it becomes progress."
)
_operation("progress", "add", "progress", "Note progress.")
_operation("thread", "add", "threads", "Note an open thread.")
_operation("check", "add", "checks", "Note a check that is pending.")
_operation("context", "add", "context", "Note something that matters for a while.")


@working.command()
@click.argument("section")
@click.argument("item")
@DRY_RUN
@json_option
@pass_session
def drop(session: Session, section: str, item: str, dry_run: bool) -> None:
    """Take an item out of a section, by its number or its words."""
    _change(session, "drop", section, item, dry_run)


# --- history --------------------------------------------------------------------------------------


@click.group()
def history() -> None:
    """The turns of an agent: append, replay, list, show, import."""


@history.command(short_help="Append one exchange, as JSON messages or text.")
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--user", metavar="TEXT", help="What the user said, instead of a file.")
@click.option("--assistant", metavar="TEXT", help="What the assistant said.")
@click.option("--session", "name", default="", metavar="ID", help="The session it belongs to.")
@DRY_RUN
@json_option
@pass_session
def append(
    session: Session,
    file: str | None,
    user: str | None,
    assistant: str | None,
    name: str,
    dry_run: bool,
) -> None:
    """Append one exchange: messages as JSON from FILE (- is standard input), or given as text."""
    from reverie.core.learning.chat_logs import read_exchange

    said = [("user", user), ("assistant", assistant)]
    if any(text is not None for _, text in said):
        messages = read_exchange(json.dumps([{"role": r, "content": t} for r, t in said if t]))
    elif file is not None or not sys.stdin.isatty():
        messages = read_exchange(read_input(file or "-"))
    else:
        messages = ()
    if not messages:
        raise InvalidContent(
            "there is nothing to append; name a file, or give --user and --assistant"
        )
    if dry_run:
        session.emit(
            {"messages": len(messages), "dryRun": True}, f"{len(messages)} messages (dry run)"
        )
        return
    done = session.memory.layers.append(messages, session=name)
    turn = done.turns[0]
    lines = [f"turn {turn.seq}"]
    lines += [f"a secret was replaced by a placeholder: {item.rule}" for item in done.redactions]
    session.emit({"seq": turn.seq, "id": turn.id, "redactions": done.redactions}, "\n".join(lines))


@history.command(short_help="Print the last turns that working memory does not cover.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=0), metavar="N", help="Maximum number of turns."
)
@click.option(
    "--all", "everything", is_flag=True, help="Include what working memory already covers."
)
@json_option
@pass_session
def replay(session: Session, limit: int | None, everything: bool) -> None:
    """Print the last turns that working memory does not cover yet, as they go into a prompt."""
    from reverie.core.history.turns import render

    reading = session.memory.layers.replay(limit, everything=everything)
    _emit_turns(session, reading, "\n".join(render(turn) for turn in reading.turns))


@history.command("list")
@click.option(
    "-n", "--limit", default=20, show_default=True, type=click.IntRange(min=1), metavar="N"
)
@click.option("--before", type=click.IntRange(min=1), metavar="SEQ", help="Only turns below this.")
@json_option
@pass_session
def list_turns(session: Session, limit: int, before: int | None) -> None:
    """List turns, the newest last."""
    reading = session.memory.layers.history.latest(limit, before=before)
    _emit_turns(session, reading, "\n".join(_one_line(turn) for turn in reading.turns))


@history.command()
@click.argument("seq", type=click.IntRange(min=1))
@json_option
@pass_session
def show(session: Session, seq: int) -> None:
    """Print one turn in full."""
    from reverie.core.history.turns import encode, render

    turn = session.memory.layers.history.get(seq)
    if turn is None:
        raise PathNotFound(f"there is no turn {seq}; `reverie history list` shows the last ones")
    session.emit(json.loads(encode(turn)), render(turn, payload=sys.maxsize, reasoning=True))


@history.command("import", short_help="Import chat logs of other programs.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@DRY_RUN
@json_option
@pass_session
def import_logs(session: Session, files: tuple[str, ...], dry_run: bool) -> None:
    """Import chat logs of Claude Code, Qwen Code, OpenAI, Anthropic or a ChatGPT export."""
    found = []
    for name in files:
        done = session.memory.layers.import_chat(read_input(name), dry_run=dry_run)
        found.append({"file": name, "outcome": done})
        if session.json:
            continue
        what = "would be imported" if dry_run else "imported"
        echo(f"{name}: {counted(done.appended, 'turn')} {what}, {done.known} known already")
        for count, reason in (
            (done.unfinished, "not finished yet"),
            (done.left_out, "records left out"),
        ):
            if count:
                echo(f"  {count} {reason}")
        for item in done.dropped:
            echo(f"  left out: {item.what}: {item.reason}")
        if done.redactions:
            echo(f"  {len(done.redactions)} secrets were replaced by placeholders")
        for problem in done.problems:
            echo(f"reverie: {name}: {problem.message}", err=True)
    if session.json:
        session.emit(found, "")


def _emit_turns(session: Session, reading: Reading, text: str) -> None:
    from reverie.core.history.turns import encode

    value = {
        "turns": [json.loads(encode(turn)) for turn in reading.turns],
        "problems": reading.problems,
    }
    session.emit(value, text or "no turns")
    if not session.json:
        for problem in reading.problems:
            echo(f"reverie: {problem.message}", err=True)


def _one_line(turn: Turn) -> str:
    from reverie.core.history.turns import said

    words = next((" ".join(text.split()) for _, text in said(turn)), "")
    shown = words if len(words) <= 70 else words[:69] + "…"
    mark = f"  [{turn.source.partition(':')[0]}]" if turn.source else ""
    return f"{turn.seq:>6}  {turn.created_at:%Y-%m-%d %H:%M}  {shown}{mark}"


def read_input(name: str) -> str:
    """Read a text file a person names; `-` is standard input."""
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PathNotFound(f"there is no file {name}") from None
    except UnicodeDecodeError:
        raise NotText(f"{name} is not UTF-8 text") from None
