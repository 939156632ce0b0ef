"""The gates of a dream, in the document's order, each with its own reason."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reverie.config import DreamSettings, ExtractSettings, MemorySettings, Settings
from reverie.core.dreaming.gates import dream_gate, extract_gate, session_gate
from reverie.core.dreaming.meta import stamp

NOW = datetime(2026, 3, 10, 9, 30, tzinfo=UTC)
# Everything that could stop a dream, at once.
SHUT = {
    "lastDreamSessionId": "s1",
    "lastDreamAt": stamp(NOW - timedelta(hours=23)),
    "lastSessionScanAt": stamp(NOW - timedelta(minutes=9)),
}


def reason(meta, *, settings=None, session="s1", force=False):
    found = dream_gate(meta, settings=settings or Settings(), session=session, now=NOW, force=force)
    return found.reason if found else None


def test_the_first_gate_that_is_shut_gives_the_reason():
    off = Settings(dream=DreamSettings(enabled=False))
    assert reason(SHUT, settings=off) == "disabled"
    assert reason(SHUT) == "same_session"
    assert reason(SHUT, session="s2") == "min_hours"
    rested = {**SHUT, "lastDreamAt": stamp(NOW - timedelta(hours=24))}
    assert reason(rested, session="s2") == "scan_throttled"
    counted = {**rested, "lastSessionScanAt": stamp(NOW - timedelta(minutes=10))}
    assert reason(counted, session="s2") is None


def test_memory_that_never_dreamt_waits_for_no_hours():
    assert reason({}) is None


def test_force_opens_every_gate_but_memory_that_is_off():
    assert reason(SHUT, force=True) is None
    assert reason(SHUT, settings=Settings(dream=DreamSettings(enabled=False)), force=True) is None
    off = Settings(memory=MemorySettings(enabled=False))
    assert reason(SHUT, settings=off, force=True) == "disabled"


def test_a_dream_without_a_session_is_never_the_same_session():
    meta = {"lastDreamSessionId": "", "lastDreamAt": stamp(NOW - timedelta(days=2))}
    assert reason(meta, session="") is None


@pytest.mark.parametrize("value", ["soon", 7, None, [], stamp(NOW + timedelta(days=900))])
def test_a_moment_that_cannot_be_counts_as_none(value):
    assert reason({"lastDreamAt": value, "lastSessionScanAt": value}) is None


@pytest.mark.parametrize(("count", "due"), [(0, False), (4, False), (5, True), (9, True)])
def test_five_new_sessions_are_due(count, due):
    found = session_gate(count, settings=DreamSettings())
    assert (found is None) is due
    assert found is None or found.reason == "min_sessions"


def test_extraction_can_be_switched_off_in_two_places():
    assert extract_gate(Settings()) is None
    for settings in (
        Settings(memory=MemorySettings(enabled=False)),
        Settings(extract=ExtractSettings(enabled=False)),
    ):
        assert extract_gate(settings).reason == "disabled"
