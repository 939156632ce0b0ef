"""Sessions are counted by what was said in them, not by the times of files."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta

from reverie.local.history.sessions import sessions_since

DAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


def write(folder, name, *records, at=None):
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    lines = [json.dumps({"sessionId": s, "timestamp": when.isoformat()}) for s, when in records]
    path.write_text("\n".join(lines) + "\n")
    if at is not None:
        os.utime(path, (at.timestamp(), at.timestamp()))
    return path


def test_only_sessions_with_something_said_since_count(tmp_path):
    chats = tmp_path / "chats"
    write(chats, "old", ("s1", DAY - timedelta(days=9)))
    write(chats, "went-on", ("s2", DAY - timedelta(days=9)), ("s2", DAY + timedelta(hours=1)))
    write(chats, "new", ("s3", DAY + timedelta(days=1)))
    assert sessions_since([chats], DAY) == {"s2", "s3"}
    assert sessions_since([chats], None) == {"s1", "s2", "s3"}


def test_copied_chats_are_not_new(tmp_path):
    copied = write(tmp_path / "chats", "copy", ("s1", DAY - timedelta(days=9)))
    os.utime(copied)
    assert sessions_since([copied.parent], DAY) == set()


def test_one_session_in_two_files_counts_once_and_folders_may_be_missing(tmp_path):
    write(tmp_path / "a", "x", ("s1", DAY + timedelta(days=1)))
    write(tmp_path / "b", "y", ("s1", DAY + timedelta(days=2)))
    assert sessions_since([tmp_path / "a", tmp_path / "b", tmp_path / "none"], DAY) == {"s1"}


def test_a_torn_last_line_and_a_record_longer_than_the_tail_do_not_hide_a_session(tmp_path):
    path = write(tmp_path / "chats", "torn", ("s1", DAY + timedelta(days=1)))
    with path.open("a") as file:
        file.write('{"sessionId": "s1", "time')
    long = tmp_path / "chats" / "long.jsonl"
    record = {"text": "x" * 200_000, "sessionId": "s2", "timestamp": "2026-03-12T00:00:00Z"}
    long.write_text(json.dumps(record) + "\n")
    (tmp_path / "chats" / "notes.txt").write_text('{"sessionId": "s9"}')
    assert sessions_since([tmp_path / "chats"], DAY) == {"s1", "s2"}


def test_a_file_last_written_before_is_not_read(tmp_path):
    path = write(
        tmp_path / "chats", "x", ("s1", DAY + timedelta(days=1)), at=DAY - timedelta(days=1)
    )
    assert sessions_since([path.parent], DAY) == set()
