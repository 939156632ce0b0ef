"""The event log."""

from __future__ import annotations

from datetime import UTC, datetime

from reverie.local.store import events
from reverie.local.store.events import EventLog

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


def test_a_line_of_which_a_byte_changed_counts_for_nothing_and_is_counted(tmp_path):
    log = EventLog(tmp_path / "events.jsonl")
    for number in range(3):
        log.add("memory.recall", {"docs": 100 + number}, at=NOW)
    text = log.path.read_text()
    log.path.write_text(text.replace("101", "107"))
    assert [event["docs"] for event in log.read()] == [102, 100]
    assert log.damaged == 1


def test_a_record_behind_one_that_was_cut_off_is_read(tmp_path):
    log = EventLog(tmp_path / "events.jsonl")
    log.add("one", {}, at=NOW)
    log.path.write_bytes(log.path.read_bytes()[:-20])
    log.add("two", {}, at=NOW)
    assert [event["name"] for event in log.read()] == ["two"]


def test_lines_of_an_older_version_are_read(tmp_path):
    log = EventLog(tmp_path / "events.jsonl")
    log.path.write_text('{"at": "2026-05-01T12:00:00+00:00", "name": "old"}\n')
    assert [event["name"] for event in log.read()] == ["old"]
    assert log.damaged == 0
