"""Routes that look back: a run as a diff, and what ran lately."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, Param, answer, query_number
from reverie.daemon.routes.verbs import READING
from reverie.errors import InvalidInput, RunNotFound
from reverie.memory import Memory

if TYPE_CHECKING:
    from reverie.types import FileDelta

MAX_PAGE = 500
_MAX_DIFF_CHARS = 2 * 1024 * 1024


async def diff(call: Call) -> Response:
    """Show what a run changed, file by file."""
    run = call.request.query_params.get("run", "")
    if not run or "\x00" in run:
        raise InvalidInput("run is missing: the id of a run")

    def work(memory: Memory) -> dict[str, Any]:
        record = memory.journal.record(memory.journal.resolve(run))
        return {"run": record, "files": shown_deltas(memory.journal.deltas(record.id))}

    return answer(await call.verb(work))


def shown_deltas(deltas: Sequence[FileDelta]) -> list[dict[str, Any]]:
    """Write files before and after as unified diffs; one that is too long says how long it is."""
    from reverie.verbs.lookback import unified_diff

    shown = []
    for item in deltas:
        status = "added" if item.before is None else "removed" if item.after is None else "changed"
        size = len(item.before or "") + len(item.after or "")
        text = unified_diff(item) if size <= _MAX_DIFF_CHARS else ""
        shown.append({"path": item.path, "status": status, "diff": text, "size": size})
    return shown


async def event_log(call: Call) -> Response:
    """List what ran lately, in numbers and names."""
    limit = query_number(call, "limit", default=50, low=1, high=MAX_PAGE)
    return answer({"events": await call.verb(lambda memory: memory.events(limit=limit))})


_DELTA = schemas.record(
    {
        "path": schemas.TEXT,
        "status": schemas.one_of(["added", "removed", "changed"]),
        "diff": schemas.TEXT,
    }
)
DELTAS = schemas.array(_DELTA)


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET",
        "/workspace/diff",
        diff,
        "Show what a run changed",
        schemas.record({"run": {"type": "object"}, "files": DELTAS}),
        params=(
            Param(
                "run",
                "The run's id, or an unambiguous beginning or end of it.",
                {"type": "string", "minLength": 1},
                required=True,
            ),
        ),
        errors=(RunNotFound, *READING),
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/event-log",
        event_log,
        "List what ran lately",
        schemas.record({"events": schemas.array({"type": "object"})}),
        params=(schemas.limit_param(50, MAX_PAGE),),
        errors=READING,
        scoped=True,
    ),
)
