"""Gates: whether a dream or an extraction is due, each refusal with a reason of its own.

Rules

* The order of the document: disabled, same_session, min_hours, scan_throttled, min_sessions, and
  then, outside of here, locked and running. The first gate that is shut gives the reason.
* Counting sessions reads files, so it is a gate of its own, behind those that only read meta data.
* `force` is a person asking: it opens every gate but the one that says memory is switched off.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from reverie.core.dreaming.meta import moment_of, text_of
from reverie.types import Skipped

if TYPE_CHECKING:
    from reverie.config import DreamSettings, Settings


def dream_gate(
    meta: Mapping[str, Any], *, settings: Settings, session: str, now: datetime, force: bool = False
) -> Skipped | None:
    """Return why no dream is due, as far as meta data tell; None when it is time to count sessions."""
    if not settings.memory.enabled or not (settings.dream.enabled or force):
        switch = "memory.enabled" if not settings.memory.enabled else "dream.enabled"
        return Skipped("disabled", f"{switch} is off")
    if force:
        return None
    if session and session == text_of(meta, "lastDreamSessionId"):
        return Skipped("same_session", "this session has already dreamt")
    last = moment_of(meta, "lastDreamAt", now=now)
    wait = timedelta(hours=settings.dream.min_hours)
    if last is not None and now - last < wait:
        left = (wait - (now - last)).total_seconds() / 3600
        return Skipped(
            "min_hours", f"the last dream was too recent; the next is due in {left:.1f} h"
        )
    scanned = moment_of(meta, "lastSessionScanAt", now=now)
    pause = timedelta(minutes=settings.dream.scan_interval_minutes)
    if scanned is not None and now - scanned < pause:
        return Skipped("scan_throttled", "sessions were counted moments ago")
    return None


def session_gate(count: int, *, settings: DreamSettings) -> Skipped | None:
    """Return why too little happened for a dream, or None."""
    if count >= settings.min_sessions:
        return None
    return Skipped(
        "min_sessions",
        f"{count} new sessions since the last dream; {settings.min_sessions} are due",
    )


def extract_gate(settings: Settings) -> Skipped | None:
    """Return why nothing is extracted here, or None."""
    if settings.memory.enabled and settings.extract.enabled:
        return None
    switch = "memory.enabled" if not settings.memory.enabled else "extract.enabled"
    return Skipped("disabled", f"{switch} is off")
