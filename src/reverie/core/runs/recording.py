"""How a run is named, told and found again, and how its texts are kept: the same in every journal.

Rules
- Texts are kept once each, packed, under the hash of their content: one that does not have its hash any
  more is damaged, and counts as lost.
- A run is asked for by its id, or by a beginning or end of it that no other run has.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.text.plain import digest
from reverie.errors import RunNotFound
from reverie.types import Origin, Problem, RunRecord

if TYPE_CHECKING:
    from reverie.types import RunInfo, RunStatus

TOLD: Final = ("note", "detail", "session", "turn", "client")
"""The columns in which a run says something of itself, in the order in which they are redacted."""
_SHORTEST: Final = 4
_LONGEST: Final = 100  # no id is longer, so nobody has to be shown more of what was asked for


def new_run(
    info: RunInfo, *, now: datetime, token: str, undoes: str, status: RunStatus
) -> RunRecord:
    """Return a run that begins now; `token` tells it from others of the same second."""
    return RunRecord(
        id=f"{now.strftime('%Y%m%d-%H%M%S')}-{token}",
        at=now,
        verb=info.verb,
        status=status,
        session=info.session,
        turn=info.turn,
        origin=info.origin,
        client=info.client,
        note=info.note,
        undoes=undoes,
        detail=info.detail,
        paths=(),
    )


def detail_text(run: RunRecord | RunInfo) -> str:
    """Return what is known of a run beyond its columns, as JSON."""
    return json.dumps(dict(run.detail), default=str)


def run_of(row: Sequence[Any], *, at: datetime, paths: Iterable[str]) -> RunRecord:
    """Read a row: id, time, verb, status, session, turn, origin, client, note, undoes, detail, undone by."""
    return RunRecord(
        id=row[0], at=at, verb=row[2], status=row[3], session=row[4], turn=row[5],
        origin=Origin(row[6]), client=row[7], note=row[8], undoes=row[9],
        detail=json.loads(row[10]), undone_by=row[11] or "", paths=tuple(paths),
    )  # fmt: skip


def can_be_a_run(run: str) -> bool:
    """Say whether somebody may have meant a run by this."""
    return run.isascii() and len(run) <= _LONGEST


def the_run(run: str, ids: Sequence[str]) -> str:
    """Return the id that was meant, given those that begin or end with it; raise unless it is one."""
    if run in ids:
        return run
    if len(run) < _SHORTEST or len(ids) != 1:
        raise no_run(run)
    return str(ids[0])


def no_run(run: str) -> RunNotFound:
    """Say that there is no such run."""
    shown = run[:_LONGEST]
    return RunNotFound(f"the journal has no run {shown!r}; `reverie log` lists them", run=shown)


def packed(text: str) -> bytes:
    """Return a text as it is kept."""
    return zlib.compress(text.encode("utf-8", "surrogateescape"), 6)


def unpacked(key: str, data: bytes) -> str | None:
    """Return a kept text, or None when it is not what was kept under this hash."""
    try:
        text = zlib.decompress(data).decode("utf-8", "surrogateescape")
    except (zlib.error, UnicodeDecodeError, TypeError):  # whatever damage has put there
        return None
    return text if digest(text) == key else None


def lost_text(key: str, path: str = "") -> Problem:
    """Tell of a kept text that is damaged or missing."""
    return Problem(
        "journal_text_broken",
        f"the journal's copy of a text ({key[:12]}) is damaged or missing: runs that refer to it"
        " cannot be undone",
        path,
    )


_OF_ROWS: Final = {
    "run": ("run {}", "it is not listed and cannot be undone"),
    "change": ("a file of run {}", "that run cannot be shown or undone"),
    "file_state": ("what was last known of {}", "the next write notes it anew"),
    "version": ("since when {} has a text", "its age is not known; the next write notes it anew"),
}


def damaged_row(table: str, name: str, path: str) -> Problem:
    """Tell of a record that is not as it was written, which nothing believes any more."""
    what, so = _OF_ROWS.get(table, ("{}", "it counts for nothing"))
    return Problem(
        "journal_row_damaged",
        f"the journal's record of {what.format(name[:_LONGEST])} is damaged: {so}. Your memories are"
        " untouched",
        path,
    )
