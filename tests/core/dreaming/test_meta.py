"""meta.json: the document's keys, and nothing of others lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from reverie.core.dreaming.meta import after_dream, after_extract, after_scan, recent_sessions
from reverie.types import Kind

NOW = datetime(2026, 5, 1, 10, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def test_an_extraction_is_noted_as_the_document_shows_it():
    assert after_extract({}, now=NOW, session="s1", kinds=[Kind.USER], status="updated") == {
        "version": 1,
        "createdAt": "2026-05-01T10:00:00.000Z",
        "updatedAt": "2026-05-01T10:00:00.000Z",
        "lastExtractionAt": "2026-05-01T10:00:00.000Z",
        "lastExtractionSessionId": "s1",
        "lastExtractionTouchedTopics": ["user"],
        "lastExtractionStatus": "updated",
        "recentSessionIdsSinceDream": ["s1"],
    }


def test_a_dream_forgets_the_sessions_and_keeps_what_it_does_not_know():
    before = after_extract({"theirs": 1}, now=NOW, session="s1", kinds=[], status="noop")
    after = after_dream(before, now=LATER, session="s2", kinds=[Kind.PROJECT], status="updated")
    assert after["theirs"] == 1
    assert after["createdAt"] == "2026-05-01T10:00:00.000Z"
    assert after["lastDreamAt"] == after["updatedAt"] == "2026-05-01T11:00:00.000Z"
    assert after["lastDreamSessionId"] == "s2"
    assert after["lastDreamTouchedTopics"] == ["project"]
    assert recent_sessions(after) == []


def test_sessions_are_listed_once_in_order_of_their_last_word():
    meta = {}
    for session in ("a", "b", "a", "", "c"):
        meta = after_extract(meta, now=NOW, session=session, kinds=[], status="noop")
    assert recent_sessions(meta) == ["b", "a", "c"]


def test_lists_that_are_none_are_read_as_empty():
    assert recent_sessions({"recentSessionIdsSinceDream": "abc"}) == []
    assert recent_sessions({"recentSessionIdsSinceDream": [1, "a", None]}) == ["a"]


def test_a_scan_is_noted():
    assert after_scan({}, now=NOW)["lastSessionScanAt"] == "2026-05-01T10:00:00.000Z"
