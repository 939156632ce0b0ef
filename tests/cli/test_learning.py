"""`reverie extract` and `reverie dream`, as a person or a program calls them."""

from __future__ import annotations

import io
import json
import sys

import pytest

from reverie.cli import run

SAID = "I prefer tabs over spaces in Go code."


class Done:
    """What a call printed, and its exit code."""

    def __init__(self, exit_code, stdout, stderr):
        self.exit_code, self.stdout, self.stderr = exit_code, stdout, stderr


@pytest.fixture
def reverie(project, capsys, monkeypatch):
    def call(*arguments, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        status = run(["-C", str(project), *arguments])
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return call


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": SAID, "id": "u1"}]))
    return path


def test_extract_prints_what_it_kept(reverie, chat):
    done = reverie("extract", "--session", "s1", str(chat))
    assert done.exit_code == 0
    assert done.stdout == "added: [feedback] I prefer tabs over spaces in Go code\n"
    again = reverie("extract", "--session", "s1", str(chat))
    assert again.stdout.startswith("Nothing extracted (no_new_messages)")


def test_extract_as_json_has_camel_case_keys(reverie, chat):
    told = json.loads(reverie("extract", "--session", "s1", str(chat), "--json").stdout)
    assert told["patches"][0]["turn"] == "u1"
    assert told["touchedTopics"] == ["feedback"]
    assert told["processedOffset"] == 1
    assert told["strategy"] == "heuristic"


def test_extract_dry_run_changes_nothing(reverie, chat):
    assert "would be added" in reverie("extract", "--session", "s1", str(chat), "--dry-run").stdout
    assert reverie("extract", "--session", "s1", str(chat)).stdout.startswith("added")


def test_extract_reads_standard_input_and_reports_broken_lines(reverie):
    lines = '{"role": "user", "content": "' + SAID + '"}\n{"role": \n'
    done = reverie("extract", "--session", "s1", "-", stdin=lines)
    assert "added: [feedback]" in done.stdout
    assert "line 2 was skipped" in done.stderr


def test_extract_takes_the_session_from_the_log(reverie, tmp_path):
    log = tmp_path / "log.jsonl"
    record = {
        "type": "user",
        "uuid": "1",
        "sessionId": "c7",
        "message": {"role": "user", "content": SAID},
    }
    log.write_text(json.dumps(record) + "\n")
    assert json.loads(reverie("extract", str(log), "--json").stdout)["session"] == "c7"


def test_a_file_without_messages_is_told(reverie, tmp_path):
    empty = tmp_path / "empty.json"
    empty.write_text("[]")
    assert "no_messages" in reverie("extract", "--session", "s1", str(empty)).stdout


def test_a_file_that_is_not_there_is_named(reverie):
    assert reverie("extract", "--session", "s1", "nowhere.json").exit_code == 4


def test_dream_shows_the_plan_then_does_it_and_says_how_to_take_it_back(reverie, chat):
    reverie("remember", "The API limit is 100 requests", "--kind", "project", "--clean")
    reverie("remember", "the API limit is 100 requests.", "--kind", "project", "--clean")
    plan = reverie("dream", "--dry-run").stdout
    assert plan == "merge 2 entries: The API limit is 100 requests\nNothing was written.\n"
    done = json.loads(reverie("dream", "--force", "--json").stdout)
    assert [op["op"] for op in done["ops"]] == ["merge"]
    assert done["dedupedEntries"] == 1
    assert done["strategy"] == "mechanical"
    assert reverie("dream", "--force").stdout == "Nothing to consolidate.\n"
    assert reverie("undo", done["run"]).exit_code == 0


def test_a_dream_that_is_not_due_says_why(reverie):
    told = reverie("dream").stdout
    assert told.startswith("No dream (min_sessions)")
    assert told.endswith("`reverie dream --force` dreams now.\n")
