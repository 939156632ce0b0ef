"""The event log."""

from __future__ import annotations

from datetime import UTC, datetime

from reverie.local import events
from reverie.local.events import EventLog

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def test_events_come_back_newest_first_and_by_name(tmp_path):
    log = EventLog(tmp_path / "state" / "events.jsonl")
    for number in range(5):
        log.add("recall" if number % 2 else "dream", {"number": number}, at=NOW)
    assert [item["number"] for item in log.read(limit=3)] == [4, 3, 2]
    assert [item["number"] for item in log.read(name="recall")] == [3, 1]


def test_a_line_cut_off_by_a_crash_is_passed_over(tmp_path):
    log = EventLog(tmp_path / "events.jsonl")
    log.add("recall", {"number": 1}, at=NOW)
    with log.path.open("a") as file:
        file.write('{"at": "2026')
    assert [item["number"] for item in log.read()] == [1]


def test_a_full_log_is_rotated_and_both_files_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "_ROTATE_BYTES", 200)
    log = EventLog(tmp_path / "events.jsonl")
    for number in range(4):
        log.add("recall", {"number": number}, at=NOW)
    assert len(list(tmp_path.glob("events*"))) == 2
    assert [item["number"] for item in log.read()][:2] == [3, 2]
