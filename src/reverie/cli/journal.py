"""Commands about what was written: log, diff, blame, undo, verify."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from reverie.cli import Session, counted, json_option, pass_session

if TYPE_CHECKING:
    from reverie.models.budget import UsageRow


@click.command()
@click.argument("path", required=False)
@click.option("--limit", default=20, show_default=True, help="How many runs at most.")
@click.option("--events", is_flag=True, help="List events (numbers and names) instead of runs.")
@click.option("--usage", is_flag=True, help="Add up what models cost, by model and verb.")
@json_option
@pass_session
def log(session: Session, path: str | None, limit: int, events: bool, usage: bool) -> None:
    """List what was written, newest first."""
    if usage:
        rows = session.memory.usage()
        session.emit({"usage": rows}, lambda: _usage(rows))
        return
    if events:
        records = session.memory.events(limit=limit)
        session.emit(
            {"events": records},
            lambda: (
                "\n".join(
                    f"{item['at'][:19]}  {item['name']}  "
                    + " ".join(f"{key}={item[key]}" for key in item if key not in ("at", "name"))
                    for item in records
                )
                or "no events yet"
            ),
        )
        return
    runs = session.memory.log(limit=limit, path=path)

    def text() -> str:
        lines = []
        for run in runs:
            mark = f"  (undone by {run.undone_by})" if run.undone_by else ""
            mark += f"  [{run.status}]" if run.status != "done" else ""
            lines.append(f"{run.id}  {_when(run.at)}  {run.verb:<14}{mark}  {run.note}".rstrip())
            lines.extend(f"    {path}" for path in run.paths)
        nothing = f"nothing was written to {path} yet" if path else "nothing was written yet"
        return "\n".join(lines) or nothing

    session.emit({"runs": runs}, text)


@click.command()
@click.argument("run")
@json_option
@pass_session
def diff(session: Session, run: str) -> None:
    """Show what RUN changed: an id from `reverie log`, or the last part of one."""
    shown = session.memory.diff(run)
    session.emit({"run": run, "diff": shown}, shown or "that run changed nothing")


@click.command()
@click.argument("path")
@json_option
@pass_session
def blame(session: Session, path: str) -> None:
    """Show which run each line of PATH came from."""
    lines = session.memory.blame(path)
    session.emit(
        {"path": path, "lines": lines},
        lambda: (
            "\n".join(
                f"{line.run[-8:] or '-':<8}  {_when(line.at):<16}  {line.verb:<14}  "
                f"{line.line:>4}  {line.text}"
                for line in lines
            )
            or "the file is empty"
        ),
    )


@click.command()
@click.argument("run")
@click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
@json_option
@pass_session
def undo(session: Session, run: str, dry_run: bool) -> None:
    """Take RUN back: an id from `reverie log`, or the last part of one.

    The undo is a run of its own and can be undone too.
    """
    if dry_run:
        shown = session.memory.diff(run, reverse=True)
        session.emit({"run": run, "dryRun": True, "diff": shown}, shown)
        return
    applied = session.memory.undo(run)
    count = len(applied.paths)
    session.emit(
        applied,
        f"undone: {counted(count, 'file')} restored (run {applied.run})"
        if applied.run
        else "there was nothing left to undo",
    )


@click.command()
@click.option(
    "--forgotten", metavar="RECEIPT", help="Check that nothing is left of a forgotten memory."
)
@json_option
@click.pass_context
def verify(context: click.Context, forgotten: str | None) -> None:
    """Check that journal, files and catalogs are whole."""
    session = context.find_object(Session)
    assert session is not None  # noqa: S101  # the root command always makes one
    memory = session.memory
    outcome = memory.verify_forgotten(forgotten) if forgotten else memory.verify()
    found = counted(len(outcome.problems), "problem") if outcome.problems else "everything is whole"
    lines = [f"{counted(outcome.runs, 'run')}, {counted(outcome.files, 'file')}: {found}"]
    for item in outcome.problems:
        lines.append(f"  {item.code}: {item.message}")
        lines += [f"    fix: {item.fix}"] if item.fix else []
    session.emit(outcome, "\n".join(lines))
    if not outcome.ok:
        context.exit(1)


def _usage(rows: list[UsageRow]) -> str:
    if not rows:
        return "no model was asked yet"
    lines = [f"{'model':<32} {'verb':<10} {'calls':>6} {'failed':>6} {'in':>10} {'out':>10}"]
    lines += [
        f"{row.model:<32} {row.verb:<10} {row.calls:>6} {row.failed:>6}"
        f" {row.tokens_in:>10} {row.tokens_out:>10}"
        for row in rows
    ]
    total = sum(row.tokens_in + row.tokens_out for row in rows)
    return "\n".join([*lines, f"{total} tokens in all"])


def _when(at: datetime | None) -> str:
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else ""
