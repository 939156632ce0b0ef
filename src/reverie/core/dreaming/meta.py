"""`meta.json`: when extract and dream last ran, for whom and with what result.

The keys and the shape are those of the managed-memory document; keys we do not know stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.history.turns import read_time

if TYPE_CHECKING:
    from reverie.types import Kind

META_FILE: Final = "meta.json"
MAX_RECENT_SESSIONS: Final = 500  # a dream needs five; more only tell that it never ran


def stamp(moment: datetime) -> str:
    """Write a moment as other programs write it here."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment_of(meta: Mapping[str, Any], key: str, *, now: datetime) -> datetime | None:
    """Read a moment; one that lies ahead (a clock was wrong) counts as unknown."""
    found = read_time(meta.get(key))
    return None if found is None or found > now else found


def text_of(meta: Mapping[str, Any], key: str) -> str:
    """Read a text; anything else counts as empty."""
    value = meta.get(key)
    return value if isinstance(value, str) else ""


def recent_sessions(meta: Mapping[str, Any]) -> list[str]:
    """Return the sessions that were learnt from since the last dream."""
    found = meta.get("recentSessionIdsSinceDream")
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def after_extract(
    meta: Mapping[str, Any],
    *,
    now: datetime,
    session: str,
    kinds: Iterable[Kind],
    status: str,
) -> dict[str, Any]:
    """Return the meta data after an extraction."""
    recent = [name for name in recent_sessions(meta) if name != session]
    if session:
        recent.append(session)
    return {
        **_begun(meta, now),
        "updatedAt": stamp(now),
        "lastExtractionAt": stamp(now),
        "lastExtractionSessionId": session,
        "lastExtractionTouchedTopics": [kind.value for kind in kinds],
        "lastExtractionStatus": status,
        "recentSessionIdsSinceDream": recent[-MAX_RECENT_SESSIONS:],
    }


def after_dream(
    meta: Mapping[str, Any],
    *,
    now: datetime,
    session: str,
    kinds: Iterable[Kind],
    status: str,
) -> dict[str, Any]:
    """Return the meta data after a dream; the count of sessions begins anew."""
    return {
        **_begun(meta, now),
        "updatedAt": stamp(now),
        "lastDreamAt": stamp(now),
        "lastDreamSessionId": session or text_of(meta, "lastDreamSessionId"),
        "lastDreamTouchedTopics": [kind.value for kind in kinds],
        "lastDreamStatus": status,
        "recentSessionIdsSinceDream": [],
    }


def after_scan(meta: Mapping[str, Any], *, now: datetime) -> dict[str, Any]:
    """Return the meta data after the sessions were counted."""
    return {**_begun(meta, now), "lastSessionScanAt": stamp(now)}


def _begun(meta: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    fresh = {"version": 1, "createdAt": stamp(now), "updatedAt": stamp(now)}
    return {**fresh, **meta}
