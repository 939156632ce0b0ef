"""Commands about managed memory: remember, recall, forget, doctor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.terminal import echo
from reverie.core.agents.known import AGENTS
from reverie.types import Forgotten, Kind, Problem, Recalled, Remembered, Scope, Skipped, Strategy

_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--scope",
    type=click.Choice([item.value for item in Scope]),
    help="Whose memory: yours in every project, or this project's; by default, its kind decides.",
)
@click.option(
    "--kind",
    type=click.Choice([item.value for item in Kind]),
    help="What it is about; by default, the words decide.",
)
@click.option("--name", help="Its title; by default, it is made from the text.")
@click.option("--why", help="The reason behind it.")
@click.option("--how", help="Where and how it applies.")
@click.option("--clean", is_flag=True, help="Add it without comparing it with what is known.")
@click.option(
    "--replaces", metavar="ID", help="Put it in the place of this entry, which keeps its last day."
)
@_DRY_RUN
@json_option
@pass_session
def remember(
    session: Session,
    text: tuple[str, ...],
    scope: str | None,
    kind: str | None,
    name: str | None,
    why: str | None,
    how: str | None,
    clean: bool,
    replaces: str | None,
    dry_run: bool,
) -> None:
    """Keep TEXT as a memory, recalled when it is relevant.

    `-` reads it from standard input. For what an agent should read every time, use `reverie save`.
    """
    words, facts = _read(text), {"scope": scope, "kind": kind, "name": name, "why": why, "how": how}
    body = {"content": words, **facts, "clean": clean, "replaces": replaces, "dryRun": dry_run}
    outcome = session.from_daemon("/workspace/remember", body, Remembered, writes=True)
    outcome = outcome or session.memory.remember(
        words,
        scope=scope,
        kind=Kind(kind) if kind else None,
        name=name,
        why=why,
        how=how,
        clean=clean,
        replaces=replaces,
        dry_run=dry_run,
    )
    session.emit(outcome, lambda: _remembered(outcome))


@click.command()
@click.argument("entry", metavar="ID")
@click.argument("text", nargs=-1, required=True)
@click.option("--why", help="The reason behind it.")
@click.option("--how", help="Where and how it applies.")
@_DRY_RUN
@json_option
@pass_session
def update(
    session: Session,
    entry: str,
    text: tuple[str, ...],
    why: str | None,
    how: str | None,
    dry_run: bool,
) -> None:
    """Put TEXT in the place of the entry ID, which is kept with its last day.

    `-` reads TEXT from standard input. `reverie forget --dry-run WORDS` lists ids.
    """
    words = _read(text)
    body = {"id": entry, "content": words, "why": why, "how": how, "dryRun": dry_run}
    outcome = session.from_daemon("/workspace/update", body, Remembered, writes=True)
    outcome = outcome or session.memory.update(entry, words, why=why, how=how, dry_run=dry_run)
    session.emit(outcome, lambda: _remembered(outcome))


@click.command()
@click.argument("entry", metavar="ID")
@click.option(
    "--to",
    required=True,
    type=click.Choice([item.value for item in Scope]),
    help="Whose memory it goes to: yours in every project, or this project's.",
)
@_DRY_RUN
@json_option
@pass_session
def move(session: Session, entry: str, to: str, dry_run: bool) -> None:
    """Move the memory ID to the other scope, with its reason, dates, links and history."""
    outcome = session.memory.move(entry, to=to, dry_run=dry_run)
    if isinstance(outcome, Skipped):
        session.emit(outcome, outcome.message)
        return
    lines = [outcome.summary, f"  {outcome.path}"]
    lines += [f"  undo with: reverie undo {outcome.run}"] if outcome.run else []
    session.emit(outcome, "\n".join(lines))


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(min=0), help="Maximum number of topics; 5 unless set otherwise."
)
@click.option("--exclude", multiple=True, metavar="PATH", help="Leave this topic out.")
@click.option(
    "--strategy",
    type=click.Choice(["none", "heuristic", "hybrid", "model"]),
    help="How to choose; the best available by default.",
)
@json_option
@pass_session
def recall(
    session: Session,
    query: tuple[str, ...],
    limit: int | None,
    exclude: tuple[str, ...],
    strategy: Strategy | None,
) -> None:
    """Print the memories that matter for QUERY, as a block for a prompt; nothing if none do."""
    words, outcome = _read(query), None
    if not exclude and strategy is None:
        body = {"query": words, "limit": limit}
        outcome = session.from_daemon("/workspace/recall", body, Recalled)
    if outcome is None:
        outcome = session.memory.recall(words, limit=limit, exclude=exclude, strategy=strategy)
    if outcome.block or session.json:
        session.emit(outcome, outcome.block, data=True)
    elif sys.stdout.isatty():
        # A program that asks wants no words beside the block; a person would wonder.
        echo("reverie: nothing in memory is relevant to this", err=True)


@click.command()
@click.argument("query", nargs=-1)
@click.option("--id", "ids", multiple=True, metavar="ID", help="Forget exactly this entry or file.")
@click.option(
    "--erase", is_flag=True, help="Also remove it from the journal; this cannot be undone."
)
@click.option(
    "--everywhere",
    is_flag=True,
    help="With --erase: remove the words from notes, history, stores and everything else, after asking.",
)
@click.option(
    "--limit",
    default=5,
    show_default=True,
    type=click.IntRange(min=1),
    help="Maximum number of entries.",
)
@click.option("--yes", is_flag=True, help="Do not ask first.")
@_DRY_RUN
@json_option
@pass_session
def forget(
    session: Session,
    query: tuple[str, ...],
    ids: tuple[str, ...],
    erase: bool,
    everywhere: bool,
    limit: int,
    yes: bool,
    dry_run: bool,
) -> None:
    """Forget what QUERY means; --dry-run shows it first, `undo` brings it back.

    On a terminal it shows what it would remove and asks; --yes does not, and a script is not asked.
    --erase without a QUERY finishes an erasure that was interrupted.
    """
    words = _read(query) if query else ""
    wanted: dict[str, Any] = {"erase": erase, "everywhere": everywhere, "limit": limit}

    def ask(*, dry_run: bool) -> Forgotten:
        body = {"query": words, "ids": list(ids) or None, **wanted, "dryRun": dry_run}
        found = session.from_daemon("/workspace/forget", body, Forgotten, writes=True)
        if found is None or (everywhere and not found.everywhere):  # an older one, not all the way
            found = session.memory.forget(words, ids=ids or None, **wanted, dry_run=dry_run)
        return found

    finishing = erase and not everywhere and not words and not ids
    seen = not session.json and sys.stdin.isatty() and sys.stdout.isatty()
    if not dry_run and not yes and not finishing and (everywhere or seen):
        shown = ask(dry_run=True)
        if not _confirmed(session, shown, erase=erase, everywhere=everywhere):
            session.emit(shown, f"nothing was {'erased' if erase else 'removed'}")
            return
    outcome = ask(dry_run=dry_run)
    session.emit(outcome, lambda: _forgotten(outcome))


def _confirmed(session: Session, shown: Forgotten, *, erase: bool, everywhere: bool) -> bool:
    if not session.json:
        echo(_forgotten(shown))
    if not shown.places and not shown.removed_entries:
        return False
    if session.json or not sys.stdin.isatty():
        raise click.UsageError("nothing was erased; look at --dry-run first, then add --yes")
    if everywhere:
        question = "Erase this everywhere, for good?"
    elif erase:
        question = "Erase this for good? It cannot be undone"
    else:
        question = "Forget this? `reverie undo` brings it back"
    return click.confirm(question, err=True)


@click.command()
@click.argument("area", metavar="[memory]", required=False, type=click.Choice(["memory"]))
@click.option(
    "--agent",
    type=click.Choice(list(AGENTS)),
    help="Run this agent on a stage of its own, and report what of Reverie really reaches its model.",
)
@json_option
@pass_session
def doctor(session: Session, area: str | None, agent: str | None) -> None:
    """Report what is wrong, and how to fix it; `doctor memory` looks at the memories alone."""
    if agent is not None:
        from reverie.cli.trying import show_trial

        show_trial(session, agent)
        return
    problems = session.memory.doctor()
    if area is None:
        problems = [*session.memory.verify().problems, *problems]
    about = session.memory.about_model()
    from reverie.cli.running import running_daemon, told_daemon
    from reverie.cli.trusting import told_trust, told_verdict

    trust = told_trust(session.memory)
    daemon = running_daemon(Path(session.memory.workspace.state))
    said = f"{told_verdict(trust)}\n{told_daemon(session.memory, daemon)}"
    session.emit(
        {"problems": problems, "model": about, "trust": trust, "daemon": daemon},
        lambda: f"{_problems(problems)}\n{about}\n{said}",
    )


def _read(words: tuple[str, ...]) -> str:
    if words == ("-",):
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return " ".join(words)


def _remembered(outcome: Remembered) -> str:
    lines = [outcome.summary, f"  {outcome.path}"]
    if len(outcome.similar) > 1:  # the first is in the summary
        lines.append("  sounds like, but says something else: " + ", ".join(outcome.similar))
    lines += [
        f"  a value shaped like a secret ({item.rule}) was left out" for item in outcome.redactions
    ]
    if outcome.run:
        lines.append(f"  undo with: reverie undo {outcome.run}")
    if outcome.run and outcome.action == "added":
        other = Scope.PROJECT if outcome.scope is Scope.USER else Scope.USER
        whose = "the project's" if other is Scope.PROJECT else "yours"
        lines.append(f"  make it {whose} with: reverie move {outcome.entry} --to {other.value}")
    if outcome.dry_run and outcome.delta:
        from reverie.verbs.lookback import unified_diff

        lines.append(unified_diff(outcome.delta))
    return "\n".join(lines)


def _forgotten(outcome: Forgotten) -> str:
    lines = [outcome.summary]
    lines += [f"  {item.id}: {item.summary}" for item in outcome.removed_entries]
    lines += [f"  left alone: {item.what} ({item.reason})" for item in outcome.dropped]
    if outcome.candidates:
        lines.append("came near, left alone:")
        lines += [
            f"  {item.score:.2f}  {item.id}: {item.summary}" for item in outcome.candidates[:10]
        ]
        more = len(outcome.candidates) - 10
        lines += [f"  and {more} more (--json lists them)"] if more > 0 else []
    lines += [f"  {item.holding:>6,}  {item.kind}" for item in outcome.places]
    lines += [f"remains: {item.what}: {item.reason} [{item.code}]" for item in outcome.left]
    if outcome.receipt:
        lines.append(f"receipt: {outcome.receipt.id}")
    if outcome.run and not (outcome.receipt and outcome.receipt.erased):
        lines.append(f"undo with: reverie undo {outcome.run}")
    return "\n".join(lines)


def _problems(problems: list[Problem]) -> str:
    if not problems:
        return "nothing to fix"
    lines = []
    for item in problems:
        where = f"{item.path}:{item.line}" if item.line else item.path
        lines.append(
            f"{item.code}: {where}: {item.message}" if where else f"{item.code}: {item.message}"
        )
        lines += [f"    fix: {item.fix}"] if item.fix else []
    return "\n".join(lines)
