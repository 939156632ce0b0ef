"""Commands that move memory: import, export."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from reverie.cli import Session, counted, json_option, pass_session
from reverie.core.moving.formats import FORMATS
from reverie.core.moving.record_kinds import ABOUT, HIDDEN_REASON
from reverie.types import Brought, Decided, Dropped, Exported, Pending, Scope

_SHOWN = 20


@click.command("import")
@click.argument("source", type=click.Path())
@click.option(
    "--from",
    "format",
    type=click.Choice(FORMATS),
    help="The format of SOURCE; detected by default.",
)
@click.option("--scope", type=click.Choice([item.value for item in Scope]), help="Whose memory.")
@click.option(
    "--as",
    "shape",
    type=click.Choice(["notes", "topics"]),
    help="Add Markdown notes to the notebook, or make memories of them.",
)
@click.option(
    "--allow",
    multiple=True,
    type=click.Choice(list(ABOUT)),
    help="Also write this kind of file, which is not plain memory; may be repeated.",
)
@click.option("--replace", is_flag=True, help="Overwrite context and agent files.")
@click.option(
    "--again",
    is_flag=True,
    help="Bring back also what was imported before and removed, or what was forgotten.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
@json_option
@pass_session
def import_(
    session: Session,
    source: str,
    format: str | None,
    scope: str | None,
    shape: str | None,
    allow: tuple[str, ...],
    replace: bool,
    again: bool,
    dry_run: bool,
) -> None:
    """Import SOURCE (a file, a folder or a zip) into memory; everything is imported once."""
    outcome = session.memory.import_(
        source,
        format=format,
        scope=scope,
        shape=shape,  # type: ignore[arg-type]  # click checked it
        allow=allow,
        replace=replace,
        again=again,
        dry_run=dry_run,
    )
    session.emit(outcome, lambda: _brought(outcome, allow))


@click.command()
@click.argument("names", nargs=-1)
@click.option("--approve", "choice", flag_value="approve", help="Make NAMES part of the agent.")
@click.option("--discard", "choice", flag_value="discard", help="Remove NAMES.")
@click.option("--all", "everything", is_flag=True, help="Instead of NAMES: all that are waiting.")
@click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
@json_option
@pass_session
def pending(
    session: Session,
    names: tuple[str, ...],
    choice: str | None,
    everything: bool,
    dry_run: bool,
) -> None:
    """List imported core files that wait for your approval; approve or discard them.

    They say who the agent is, so no prompt reads them until you approve them.
    """
    if choice is None:
        if names or everything:
            raise click.UsageError("say --approve or --discard")
        found = session.memory.pending()
        session.emit(found, lambda: _waiting(found))
        return
    if bool(names) == everything:
        raise click.UsageError("name the files, or use --all")
    decide = session.memory.approve if choice == "approve" else session.memory.discard
    outcome = decide(*names, dry_run=dry_run)
    session.emit(outcome, lambda: _decided(outcome))


@click.command()
@click.argument("target", type=click.Path())
@click.option(
    "--to",
    type=click.Choice(["folder", "jsonl", "git"]),
    default="folder",
    show_default=True,
    help="A folder of the same files, one JSONL file, or a git repository.",
)
@click.option("--with-journal", is_flag=True, help="Include the journal: log, blame, undo.")
@click.option("--force", is_flag=True, help="Replace an earlier export.")
@json_option
@pass_session
def export(session: Session, target: str, to: str, with_journal: bool, force: bool) -> None:
    """Write the memory of this workspace to TARGET."""
    outcome = session.memory.export(
        target,
        to=to,  # type: ignore[arg-type]  # click checked it
        with_journal=with_journal,
        force=force,
    )
    session.emit(outcome, lambda: _exported(outcome))


def _waiting(found: Sequence[Pending]) -> str:
    if not found:
        return "nothing waits for approval"
    lines = [
        f"{item.name}: {item.path} ({'replaces another text' if item.replaces else 'new'})"
        for item in found
    ]
    return "\n".join([*lines, "read them, then: reverie pending --approve NAME, or --discard NAME"])


def _decided(outcome: Decided) -> str:
    would = "would be " if outcome.dry_run else ""
    done = "approved" if outcome.verb == "approve" else "discarded"
    lines = [f"{would}{done}: {name}" for name in outcome.names] or ["nothing waits for approval"]
    return "\n".join([*lines, *([f"undo with: reverie undo {outcome.run}"] if outcome.run else [])])


def _exported(outcome: Exported) -> str:
    counts = outcome.counts
    lines = [
        f"{outcome.target}: {counted(counts.files, 'file')}, {counted(counts.turns, 'turn')},"
        f" {counted(counts.runs, 'run')}, {counted(counts.states, 'state file')}"
    ]
    return "\n".join([*lines, *_listed("left out", outcome.dropped)])


def _brought(outcome: Brought, allow: Sequence[str]) -> str:
    new, old = outcome.counts, outcome.known
    would = "would be " if outcome.dry_run else ""
    lines = [
        f"{outcome.format}: {counted(new.files, 'file')}, {counted(new.turns, 'turn')},"
        f" {counted(new.runs, 'run')} and {counted(new.states, 'state file')} {would}new;"
        f" {counted(old.files, 'file')} and {counted(old.turns, 'turn')} were here already"
    ]
    lines += [f"  renamed: {wanted} -> {given}" for wanted, given in outcome.renamed.items()]
    lines += _listed("refused", outcome.refused)
    lines += _held(outcome, allow)
    lines += _left_out(outcome.dropped)
    lines += [f"  {item.message}" for item in outcome.problems]
    if outcome.redactions:
        lines.append(f"  replaced by a placeholder: {counted(len(outcome.redactions), 'secret')}")
    if outcome.runs:
        if outcome.waiting:
            waits = counted(len(outcome.waiting), "core file")
            lines.append(f"{waits} now waiting for your approval: `reverie pending` lists them")
        lines.append(f"undo with: reverie undo {outcome.runs[0]}")
    return "\n".join(lines)


def _held(outcome: Brought, allow: Sequence[str]) -> list[str]:
    """Show what was held back, and the command that brings it."""
    if not outcome.held:
        return []
    kinds = [kind for kind in ABOUT if kind in {item.kind for item in outcome.held}]
    command = _said_again(allow=tuple(dict.fromkeys((*allow, *kinds))), dry_run=None)
    lines: list[str] = []
    for kind in kinds:  # each by itself: a crowd of one must not push another out of sight
        held = [item for item in outcome.held if item.kind == kind]
        shown = [Dropped(f"{item.at} [{kind}]", item.why) for item in held]
        lines += _listed("held back", shown, f" [{kind}]")
    return [
        *lines,
        "  What was held back is not plain memory. If you know who wrote it, import it with:",
        f"    {command}",
    ]


def _said_again(**instead: object) -> str:
    """Return the command that is running, ready to be run again, with some of its options changed."""
    words: list[str] = []
    context: click.Context | None = click.get_current_context()
    while context is not None:
        values = {**context.params, **{k: v for k, v in instead.items() if k in context.params}}
        named = [item for item in context.command.params if isinstance(item, click.Option)]
        given = [word for item in named for word in _as_given(item, values.get(item.name or ""))]
        places = [values[item.name or ""] for item in context.command.params if item not in named]
        places = ["--", *places] if any(item.startswith("-") for item in places) else places
        words = [context.info_name or "", *given, *places, *words]
        context = context.parent
    return shlex.join(words)


def _as_given(option: click.Option, value: object) -> list[str]:
    """Return the words that give an option its value; none for the one it has anyway."""
    name = max(option.opts, key=len)
    if isinstance(value, tuple):
        return [word for item in value for word in (name, str(item))]
    if option.is_flag:
        return [name] if value else []
    return [] if value is None else [name, str(value)]


def _listed(word: str, items: Sequence[Dropped], kind: str = "") -> list[str]:
    lines = [f"  {word}: {item.what} ({item.reason})" for item in items[:_SHOWN]]
    more = len(items) - _SHOWN
    return [*lines, f"  and {more} more{kind} (--json lists them)"] if more > 0 else lines


def _left_out(items: Sequence[Dropped]) -> list[str]:
    """Show what is hidden first: agents, git and shells keep there what they run."""
    hidden = [item for item in items if item.reason == HIDDEN_REASON]
    others = [item for item in items if item.reason != HIDDEN_REASON]
    return [*_listed("left out", hidden, " hidden"), *_listed("left out", others)]
