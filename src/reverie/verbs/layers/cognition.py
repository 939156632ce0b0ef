"""Cognition: run the background jobs of an agent, one at a time, each over a bounded piece of history.

Rules
- What a job writes goes through `apply`; then its checkpoint advances. Killed in between, the job
  does the same turns again, which changes nothing (see `consolidate`, `semantic`).
- Somebody wiser may propose the texts. A proposal that touches other files, drops a heading or loses a
  statement is not taken; the deterministic way is, and the run says why.
- A failed run keeps its checkpoint and leaves a record.
- What an undone run had read is not read again by itself (see `undone_jobs`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from reverie.core.history import turns
from reverie.core.layers import jobs
from reverie.core.secrets import scanner
from reverie.errors import InvalidQuery, ReverieError, StaleBase
from reverie.types import Origin, Plan, RunInfo, Skipped, Usage
from reverie.verbs.layers import job_work, undone_jobs
from reverie.verbs.layers.job_agent import proposer
from reverie.verbs.layers.prompt import CHECKPOINT
from reverie.verbs.layers.undone_jobs import UndoneRun
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.types import Applied, Change, Dropped, Problem, Turn
    from reverie.verbs.verb_context import LayerContext

Strategy: TypeAlias = Literal["deterministic", "model"]

_DRAFTS: Final = 2  # how often a model is asked before a job does without it


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job, as its record keeps it."""

    id: str
    job: str
    cause: jobs.Cause
    status: Literal["done", "noop", "failed", "planned"]
    started_at: datetime
    finished_at: datetime
    first_seq: int
    last_seq: int
    turns: int
    summary: str
    strategy: Strategy = "deterministic"
    run: str = ""
    """The run in the journal, when something was written."""
    error: str = ""
    fallback: str = ""
    """Why a proposal was not taken, if there was one."""
    dropped: tuple[Dropped, ...] = ()
    """What moved to the archive or was not taken in, each with the reason."""
    report: tuple[Problem, ...] = ()
    """What a review found."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    changes: tuple[Change, ...] = field(default=(), repr=False)
    """Of a dry run only: what would be written."""


@dataclass(frozen=True, slots=True)
class JobStatus:
    """How a job stands."""

    job: str
    about: str
    enabled: bool
    head: int
    checkpoint: int
    new_turns: int
    needed: int
    due: str
    """Why it is due now, empty when it is not."""
    next_time: datetime | None
    last_run_at: datetime | None
    last_status: str
    failures: int
    undone: tuple[UndoneRun, ...] = ()
    """Runs that were taken back; their turns are not read again by themselves."""


def job_named(name: str) -> jobs.Job:
    """Return the job a person means, by its name or its beginning."""
    near = [job for job in jobs.JOBS if job.name == name] or [
        job for job in jobs.JOBS if name and name.casefold() in job.name
    ]
    if len(near) != 1:
        raise InvalidQuery(
            f"there is no job {name!r}; choose one of: {', '.join(j.name for j in jobs.JOBS)}"
        )
    return near[0]


def status(ctx: LayerContext) -> tuple[list[JobStatus], list[Problem]]:
    """Say how every job stands, and what is wrong with the owner's rules."""
    problems: list[Problem] = []
    head, now = ctx.history().head(), ctx.clock()
    found: list[JobStatus] = []
    for base in jobs.JOBS:
        job, state = _rules(ctx, base, problems), _state(ctx, base)
        found.append(
            JobStatus(
                job=job.name,
                about=job.about,
                enabled=job.enabled,
                head=head,
                checkpoint=state.checkpoint,
                new_turns=max(0, head - state.checkpoint),
                needed=job.min_dirty,
                due=jobs.due(job, state, head=head, now=now) or "",
                next_time=jobs.next_time(job, now),
                last_run_at=state.last_run_at,
                last_status=state.last_status,
                failures=state.failures,
                undone=tuple(undone_jobs.undone_runs(ctx, job.name, state)),
            )
        )
    return found, problems


def run_due(ctx: LayerContext, *, startup: bool = False) -> list[JobRun | Skipped]:
    """Run every job that is due, one after another, each once."""
    if not ctx.settings.memory.enabled:
        return [Skipped("disabled", "memory.enabled is off")]
    with ctx.tree.try_lock("cognition") as held:
        if not held:
            return [Skipped("running", "another process runs the jobs of this agent")]
        done: list[JobRun | Skipped] = []
        for base in jobs.JOBS:
            job, state, now = _rules(ctx, base, []), _state(ctx, base), ctx.clock()
            looked = jobs.first_look(state, now)
            if looked != state:
                _save(ctx, job, looked)
            cause = jobs.due(job, looked, head=ctx.history().head(), now=now, startup=startup)
            if cause:
                done.append(_run(ctx, job, cause))
        return done


def run_job(
    ctx: LayerContext, name: str, *, dry_run: bool = False, again: bool = False
) -> JobRun | Skipped:
    """Run one job now, due or not; `again` reads the turns of its oldest undone run instead of new ones."""
    job = _rules(ctx, job_named(name), [])
    if not ctx.settings.memory.enabled:
        return Skipped("disabled", "memory.enabled is off")
    undone = undone_jobs.undone_runs(ctx, job.name, _state(ctx, job))
    if again and not undone:
        return Skipped("nothing_undone", f"no run of {job.name} was undone")
    if dry_run:
        return _plan_only(ctx, job, undone[0] if again else None)
    with ctx.tree.try_lock("cognition") as held:
        if not held:
            return Skipped("running", "another process runs the jobs of this agent")
        return _run(ctx, job, "manual", undone[0] if again else None)


# --- one run --------------------------------------------------------------------------------------


def _run(
    ctx: LayerContext, job: jobs.Job, cause: jobs.Cause, again: UndoneRun | None = None
) -> JobRun:
    undone_jobs.notice(ctx)
    started, head, state = ctx.clock(), ctx.history().head(), _state(ctx, job)
    undone = undone_jobs.undone_runs(ctx, job.name, state)
    left_out = () if again else undone_jobs.told(undone, job.name, since=state.last_run_at)
    taken = _gather(ctx, job, state, again)
    if again:
        reached = state.checkpoint
    else:  # fewer turns than asked for: everything up to the head was seen, imported turns included
        reached = taken[-1].seq if len(taken) == job.max_turns else max(head, state.checkpoint)
    begun = JobRun(
        id=f"{turns.write_time(started)}/{job.name}",
        job=job.name,
        cause=cause,
        status="noop",
        started_at=started,
        finished_at=started,
        first_seq=taken[0].seq if taken else 0,
        last_seq=taken[-1].seq if taken else 0,
        turns=len(taken),
        summary="no new turns",
        dropped=left_out,
    )
    try:
        done = _applied(ctx, job, begun, taken) if taken or job.name == jobs.VERIFY else begun
        if job.name == jobs.CONSOLIDATE and taken:
            _advance_replay(ctx, taken[-1].seq if again else reached, taken)
    except ReverieError as error:
        done = replace(
            begun, status="failed", summary=jobs.short(str(error)), error=f"{error.code}: {error}"
        )
    done = replace(done, finished_at=ctx.clock())
    outcome: jobs.RunOutcome = done.status if done.status != "planned" else "noop"
    after = jobs.after_run(
        state, outcome=outcome, cause=cause, reached=reached, head=head, now=ctx.clock()
    )
    if again and outcome != "failed":
        after = replace(after, read_again=(*after.read_again, again.run))
    _save(ctx, job, after)
    if taken or done.report or done.dropped or done.status == "failed":
        _record(ctx, done)
    return done


def _plan_only(ctx: LayerContext, job: jobs.Job, again: UndoneRun | None) -> JobRun:
    started = ctx.clock()
    taken = _gather(ctx, job, _state(ctx, job), again)
    work = job_work.plan(ctx, job.name, taken, propose=proposer(ctx))
    return JobRun(
        id="",
        job=job.name,
        cause="manual",
        status="planned",
        started_at=started,
        finished_at=ctx.clock(),
        first_seq=taken[0].seq if taken else 0,
        last_seq=taken[-1].seq if taken else 0,
        turns=len(taken),
        summary=jobs.short(work.summary),
        strategy=work.strategy,
        fallback=work.fallback,
        dropped=work.dropped,
        report=work.report,
        detail=work.detail,
        usage=work.usage,
        changes=work.changes,
    )


def _applied(ctx: LayerContext, job: jobs.Job, begun: JobRun, taken: Sequence[Turn]) -> JobRun:
    def info(work: job_work.Work) -> RunInfo:
        about = undone_jobs.covers(ctx, first=begun.first_seq, last=begun.last_seq)
        detail = {"job": job.name, "strategy": work.strategy, **about, **work.detail}
        last = taken[-1].id if taken else ""
        return RunInfo("cognition", turn=last, origin=Origin.AGENT, note=job.name, detail=detail)

    def plan(propose: job_work.Propose | None) -> Plan[JobRun]:
        work = job_work.plan(ctx, job.name, taken, propose=propose)
        done = replace(
            begun,
            summary=jobs.short(work.summary),
            strategy=work.strategy,
            fallback=work.fallback,
            dropped=(*begun.dropped, *work.dropped),
            report=work.report,
            detail=work.detail,
            usage=work.usage,
        )

        def tell(applied: Applied) -> JobRun:
            did = applied.run or job.name == jobs.VERIFY
            return replace(done, status="done" if did else "noop", run=applied.run)

        return Plan(tuple(work.changes), info(work), tell, once=propose is not None)

    asking = proposer(ctx)
    for _ in range(_DRAFTS if asking else 0):
        with suppress(StaleBase):  # somebody wrote while the model was thinking
            return run(lambda: plan(asking), store=ctx.store)
    return run(lambda: plan(None), store=ctx.store)


def _gather(
    ctx: LayerContext, job: jobs.Job, state: jobs.JobState, again: UndoneRun | None
) -> list[Turn]:
    """Read the turns a run works on; secrets in turns that others wrote are redacted here too."""
    # What was imported is the past: it may teach something, but it is not what is going on.
    own = job.name == jobs.CONSOLIDATE
    above = again.first_seq - 1 if again else state.checkpoint
    found = ctx.history().take(above, limit=job.max_turns, own=own)
    if again:
        found = [turn for turn in found if turn.seq <= again.last_seq]
    if ctx.settings.secrets.policy == "off":
        return list(found)
    allow = ctx.settings.secrets.allow

    def redact(text: str) -> str:
        return scanner.redact(text, allow=allow)[0]

    return [replace(turn, messages=turns.map_texts(turn.messages, redact)) for turn in found]


def _advance_replay(ctx: LayerContext, reached: int, taken: Sequence[Turn]) -> None:
    record = ctx.tree.read_control(CHECKPOINT)
    known = record.get("last_consolidated_seq")
    if type(known) is int and known >= reached:
        return
    last = taken[-1] if taken else None
    more = {
        "last_consolidated_turn_id": turns.turn_id(reached),
        "last_consolidated_at": turns.write_time(last.created_at) if last else None,
        "updated_at": turns.write_time(ctx.clock()),
    }
    ctx.tree.write_control(CHECKPOINT, {**record, "last_consolidated_seq": reached, **more})


# --- files ----------------------------------------------------------------------------------------


def _rules(ctx: LayerContext, job: jobs.Job, problems: list[Problem]) -> jobs.Job:
    return jobs.with_triggers(job, ctx.tree.read_control(jobs.trigger_file(job.name)), problems)


def _state(ctx: LayerContext, job: jobs.Job) -> jobs.JobState:
    return jobs.read_state(ctx.tree.read_control(jobs.state_file(job.name)))


def _save(ctx: LayerContext, job: jobs.Job, state: jobs.JobState) -> None:
    name = jobs.state_file(job.name)
    before = ctx.tree.read_control(name)
    ctx.tree.write_control(name, jobs.write_state(before, state, head=ctx.history().head()))


def _record(ctx: LayerContext, run: JobRun) -> None:
    value: dict[str, Any] = {
        "id": run.id,
        "job": run.job,
        "cause": run.cause,
        "status": run.status,
        "started_at": turns.write_time(run.started_at),
        "finished_at": turns.write_time(run.finished_at),
        "input": {"first_seq": run.first_seq, "last_seq": run.last_seq, "turns": run.turns},
        "strategy": run.strategy,
        "summary": run.summary,
        "error": run.error or None,
        "fallback": run.fallback or None,
        "run": run.run or None,
        "dropped": [{"what": item.what, "reason": item.reason} for item in run.dropped],
        "report": [
            {"code": item.code, "message": item.message, "path": item.path, "fix": item.fix}
            for item in run.report
        ],
        "detail": dict(run.detail),
    }
    ctx.tree.write_control(jobs.run_file(run.job, run.started_at), value)
