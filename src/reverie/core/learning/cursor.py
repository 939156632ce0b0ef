"""The cursor: how far a conversation has been read, so that nothing is read twice or skipped.

Rules

* On disk it is `sessionId`, `processedOffset`, `updatedAt` as other programs know it. Beside them
  stands a fingerprint of what was read, because an offset alone cannot tell that a history was
  edited, compressed or rewound.
* While the fingerprint fits, reading goes on at the offset. When it does not, every message that
  was not read before is read, wherever it now stands.
* Other sessions keep their place too: coming back to one must not bring back what was forgotten
  since. A session never seen begins at 0.
* Slices are bounded; what does not fit waits for the next run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.history.turns import read_time
from reverie.types import CursorState

if TYPE_CHECKING:
    from reverie.types import Message

CURSOR_FILE: Final = "extract-cursor.json"
MAX_SEEN: Final = 1000  # messages of the session remembered by hash: 8 KB
MAX_SESSIONS: Final = 20  # other sessions whose place is kept, with fewer hashes: 2 KB each
MAX_SEEN_ELSEWHERE: Final = 250
_NEVER_FITS: Final = "rewritten"
_MARK_CHARS: Final = 8


@dataclass(frozen=True, slots=True)
class Slice:
    """The messages one run reads."""

    messages: tuple[Message, ...]
    end: int
    """Offset the cursor moves to when the work is done."""
    remaining: int = 0
    """New messages that wait for the next run."""
    rewritten: bool = False
    """True when the history is not the one that was read before."""


def mark_of(message: Message) -> str:
    """Return the short hash by which a message is known again."""
    content = f"{message.role}\x00{message.text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:_MARK_CHARS]


def fingerprint(messages: Iterable[Message]) -> str:
    """Hash a stretch of conversation, in order."""
    rolling = hashlib.sha256()
    for message in messages:
        rolling.update(mark_of(message).encode())
    return rolling.hexdigest()[:32]


def next_slice(messages: Sequence[Message], cursor: CursorState, *, limit: int) -> Slice:
    """Choose what to read now: the messages not read before, at most `limit` of them."""
    offset = cursor.processed_offset
    if 0 <= offset <= len(messages) and _fits(messages[:offset], cursor):
        new = list(range(offset, len(messages)))
        rewritten = False
    else:
        seen = set(cursor.seen)
        new = [i for i, message in enumerate(messages) if mark_of(message) not in seen]
        rewritten = True
    taken = new[: max(limit, 1)]
    left = len(new) - len(taken)
    end = new[len(taken)] if left else len(messages)
    return Slice(tuple(messages[i] for i in taken), end, left, rewritten)


def advanced(
    cursor: CursorState, messages: Sequence[Message], part: Slice, *, session: str, now: datetime
) -> CursorState:
    """Return the cursor after a slice was read."""
    marks = [*cursor.seen, *(mark_of(message) for message in part.messages)]
    # Half of a rewritten history read: the other half must again be told by hashes, not by offset.
    again = part.rewritten and part.remaining
    return CursorState(
        session_id=session,
        processed_offset=part.end,
        updated_at=now,
        fingerprint=_NEVER_FITS if again else fingerprint(messages[: part.end]),
        seen=tuple(dict.fromkeys(reversed(marks)))[:MAX_SEEN][::-1],
    )


def read_cursor(record: Mapping[str, Any], *, session: str) -> CursorState:
    """Find the place of a session in the stored record; one never seen begins at 0."""
    if record.get("sessionId") == session:
        return _state(record, session)
    others = record.get("sessions")
    kept = others.get(session) if isinstance(others, Mapping) else None
    return _state(kept, session) if isinstance(kept, Mapping) else CursorState(session_id=session)


def write_cursor(record: Mapping[str, Any], cursor: CursorState) -> dict[str, Any]:
    """Put a cursor into the stored record; the session that stood there keeps its place beside it."""
    others = dict(record["sessions"]) if isinstance(record.get("sessions"), Mapping) else {}
    before = record.get("sessionId")
    if isinstance(before, str) and before and before != cursor.session_id:
        place = _state(record, before)
        others[before] = _record(replace(place, seen=place.seen[-MAX_SEEN_ELSEWHERE:]))
    others.pop(cursor.session_id, None)
    newest = sorted(
        ((name, item) for name, item in others.items() if isinstance(item, Mapping)),
        key=lambda pair: str(pair[1].get("updatedAt", "")),
    )[-MAX_SESSIONS:]
    mine = {"sessionId": cursor.session_id, **_record(cursor)}
    rest = {k: v for k, v in record.items() if k not in mine and k != "sessions"}
    return {**mine, **rest, **({"sessions": dict(newest)} if newest else {})}


def _fits(read: Sequence[Message], cursor: CursorState) -> bool:
    if cursor.fingerprint:
        return fingerprint(read) == cursor.fingerprint
    # Written by another program, which knows no fingerprint: its offset is all there is.
    return True


def _state(record: Mapping[str, Any], session: str) -> CursorState:
    offset = record.get("processedOffset")
    seen = record.get("seen")
    print_ = record.get("fingerprint")
    return CursorState(
        session_id=session,
        processed_offset=offset if type(offset) is int and offset >= 0 else 0,
        updated_at=read_time(record.get("updatedAt")),
        fingerprint=print_ if isinstance(print_, str) else "",
        seen=tuple(_unpacked(seen)) if isinstance(seen, str) else (),
    )


def _record(cursor: CursorState) -> dict[str, Any]:
    moment = (cursor.updated_at or datetime.fromtimestamp(0, UTC)).astimezone(UTC)
    return {
        "processedOffset": cursor.processed_offset,
        "updatedAt": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "fingerprint": cursor.fingerprint,
        "seen": "".join(cursor.seen),
    }


def _unpacked(marks: str) -> list[str]:
    whole = len(marks) - len(marks) % _MARK_CHARS
    return [marks[at : at + _MARK_CHARS] for at in range(0, whole, _MARK_CHARS)]
