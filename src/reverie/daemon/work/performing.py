"""What a task does, in the worker's thread: its verb, and what it came to.

Rules
- Tasks that are performed together hold the lock of writers once, and make the catalogs once or are one
  transaction. Each is a run of its own, and none is over before all are: what a client is told is on the
  disk, and listed.
- What goes wrong in one is its own failure; the others go on. Where they are one transaction and the store
  fails, that is in the way of all, and none goes before another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from reverie.daemon.work import results
from reverie.daemon.work.permit import Permit
from reverie.daemon.work.results import TaskResult
from reverie.errors import (
    DiskFull,
    EngineUnavailable,
    LaneLost,
    Locked,
    ReadOnly,
    ReverieError,
    StoreError,
    Unavailable,
)
from reverie.memory import Memory
from reverie.types import Dreamed, Forgotten, Remembered, RunRecord, Skipped, Task, TaskKind

Given: TypeAlias = tuple[Task, Permit]
"""A task, and its permit to write."""
Outcome: TypeAlias = TaskResult | BaseException
_FIRST_LOOK: Final = 32
_IN_THE_WAY: Final = (DiskFull, LaneLost, Locked, ReadOnly, Unavailable)


def perform(
    memory: Memory, given: Sequence[Given], *, ready: Callable[[Task, Permit], None]
) -> list[Outcome]:
    """Run the verbs of tasks, and return what each came to.

    Args:
        ready: Called before each, to let it write.
    """
    outcomes: list[Outcome] = []
    whole = False

    def go_on() -> None:
        for task, permit in given[len(outcomes) :]:
            try:
                ready(task, permit)
                outcomes.append(results.of_outcome(_verb(memory, task, permit)))
            except BaseException as error:
                if whole and not _is_its_own(error):
                    raise
                outcomes.append(error)

    if len(given) > 1:
        try:
            with memory.store.together() as whole:
                go_on()
        except Exception as error:  # noqa: BLE001  # told by the task it belongs to
            if whole:  # it belongs to all of them
                return [_hindrance(error)] * len(given)
            if outcomes:  # what could not be finished was left by the last one
                outcomes[-1] = error
    go_on()  # by itself, or where the lock of writers was not to be had
    return outcomes


def _is_its_own(error: BaseException) -> bool:
    """Say whether a task failed by what it asked for, and not by the store."""
    return isinstance(error, ReverieError) and not isinstance(error, (StoreError, *_IN_THE_WAY))


def _hindrance(error: Exception) -> Exception:
    """Return why several tasks have to be begun again, whichever of them met it."""
    if isinstance(error, _IN_THE_WAY):
        return error
    hindrance = EngineUnavailable("tasks could not be written together; each is done by itself")
    hindrance.__cause__ = error
    return hindrance


def _verb(memory: Memory, task: Task, permit: Permit) -> Remembered | Forgotten | Dreamed | Skipped:
    payload = task.payload
    scope = payload.get("scope") or None
    match task.kind:
        case TaskKind.REMEMBER:
            clean = payload.get("contextMode") == "clean"
            return memory.remember(payload["content"], scope=scope, clean=clean)
        case TaskKind.FORGET:
            return memory.forget(payload["query"], scope=scope)
        case TaskKind.DREAM:
            return memory.dream(force=True, cancelled=lambda: permit.revoked is not None)


def run_of(memory: Memory, task: Task) -> RunRecord | None:
    """Find the run that a task wrote before its process died."""
    limit = _FIRST_LOOK
    while True:
        runs = memory.journal.log(limit=limit)
        for run in runs:
            if run.detail.get("task") == task.id and run.status in ("done", "erased"):
                return run
        if len(runs) < limit or runs[-1].at < task.created:
            return None
        limit *= 4
