"""Commands about the background jobs: cognition run, cognition status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie.cli import Session, counted, json_option, pass_session, skipped_wire
from reverie.cli.layers import DRY_RUN
from reverie.types import Skipped

if TYPE_CHECKING:
    from reverie.verbs.layers.cognition import JobRun


@click.group()
def cognition() -> None:
    """The background jobs: consolidate working memory, learn, verify."""


@cognition.command()
@click.argument("job", default="")
@click.option(
    "--startup", is_flag=True, help="The agent is starting: run jobs that are meant to run then."
)
@click.option("--again", is_flag=True, help="With JOB: read the turns of its oldest undone run.")
@DRY_RUN
@json_option
@pass_session
def run(session: Session, job: str, startup: bool, again: bool, dry_run: bool) -> None:
    """Run the jobs that are due, or JOB now."""
    layers = session.memory.layers
    outcomes: list[JobRun | Skipped]
    if again and not job:
        raise click.UsageError("--again needs the name of a job")
    if job:
        outcomes = [layers.run_job(job, dry_run=dry_run, again=again)]
    elif dry_run:
        rows, _ = layers.job_status()
        outcomes = [layers.run_job(row.job, dry_run=True) for row in rows if row.due]
    else:
        outcomes = layers.think(startup=startup)
    value = [_run_value(outcome) for outcome in outcomes]
    session.emit(value, "\n".join(map(_run_text, outcomes)) or "nothing is due")


def _run_value(outcome: JobRun | Skipped) -> dict[str, Any]:
    if isinstance(outcome, Skipped):
        return dict(skipped_wire(outcome))
    return {
        "id": outcome.id,
        "job": outcome.job,
        "cause": outcome.cause,
        "status": outcome.status,
        "turns": outcome.turns,
        "firstSeq": outcome.first_seq,
        "lastSeq": outcome.last_seq,
        "summary": outcome.summary,
        "strategy": outcome.strategy,
        "run": outcome.run,
        "error": outcome.error,
        "fallback": outcome.fallback,
        "dropped": outcome.dropped,
        "report": outcome.report,
        "detail": outcome.detail,
        "changes": [change.path for change in outcome.changes],
    }


def _run_text(outcome: JobRun | Skipped) -> str:
    if isinstance(outcome, Skipped):
        return outcome.message
    lines = [
        f"{outcome.job}: {outcome.status}, {counted(outcome.turns, 'turn')}: {outcome.summary}"
    ]
    lines += [f"  {item.what}: {item.reason}" for item in outcome.dropped]
    lines += [
        f"  {item.message}" + (f"  ({item.fix})" if item.fix else "") for item in outcome.report
    ]
    lines += [f"  would write {change.path}" for change in outcome.changes]
    return "\n".join(lines)


@cognition.command()
@json_option
@pass_session
def status(session: Session) -> None:
    """Show the state of every job and when it runs next."""
    rows, problems = session.memory.layers.job_status()

    def text() -> str:
        lines = []
        for row in rows:
            when = f"next {row.next_time:%Y-%m-%d %H:%M} UTC" if row.next_time else "switched off"
            last = (
                f"last {row.last_status} {row.last_run_at:%Y-%m-%d %H:%M}"
                if row.last_run_at
                else "never ran"
            )
            due = f"due ({row.due})" if row.due else f"{row.new_turns} of {row.needed} new turns"
            lines.append(f"{row.job:<28} {due}; {when}; {last}")
            lines += [
                f"  run {item.run} was undone; turns {item.first_seq} to {item.last_seq} are not"
                f" read again unless: reverie cognition run {row.job} --again"
                for item in row.undone
            ]
        return "\n".join([*lines, *(problem.message for problem in problems)])

    session.emit({"jobs": rows, "problems": problems}, text)
