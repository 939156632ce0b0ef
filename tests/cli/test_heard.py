"""`reverie heard`: lists what was said and not kept, and keeps or drops it with one key."""

from __future__ import annotations

import json
import sys

import click
import pytest

from reverie.cli import run

SAID = [
    "My sister lives near Ghent.",
    "Our parser lives in src/parse.rs.",
    "Our mill runs on water.",
]


@pytest.fixture
def reverie(project, capsys):
    def call(*arguments, status=0):
        assert run(["-C", str(project), *arguments]) == status
        return capsys.readouterr().out

    return call


@pytest.fixture
def talked(tmp_path, reverie):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": text} for text in SAID]))
    told = reverie("extract", "--session", "s1", str(path))
    assert told.startswith(
        "Nothing new is clear enough to keep.\nheard: My sister lives near Ghent\n"
    )


def listed(reverie):
    return [item["summary"] for item in json.loads(reverie("heard", "--json"))["heard"]]


def test_nothing_heard_is_said(reverie):
    assert reverie("heard").startswith("Nothing waits")


def test_the_list_has_numbers_dates_and_what_to_do(reverie, talked):
    told = reverie("heard")
    assert "  1  h" in told
    assert "My sister lives near Ghent" in told
    assert "for user memory, goes after " in told
    assert "`reverie heard keep 1`" in told


def test_keep_and_drop_take_numbers_and_ids(reverie, talked):
    first, second, third = json.loads(reverie("heard", "--json"))["heard"]
    assert f"added: {second['summary']}" in reverie("heard", "keep", second["id"])
    assert f"dropped: {first['summary']}" in reverie("heard", "drop", "1")
    assert listed(reverie) == [third["summary"]]
    assert second["summary"] in reverie("search", second["summary"])


def test_everything_is_kept_by_one_command_and_undone_by_another(reverie, talked):
    kept = json.loads(reverie("heard", "keep-all", "--json"))
    assert len(kept["patches"]) == 3
    assert listed(reverie) == []
    reverie("undo", kept["run"])
    assert len(listed(reverie)) == 3


def test_an_unknown_number_is_told(reverie, talked):
    reverie("heard", "keep", "9", status=4)


def test_on_a_terminal_one_key_each_decides(reverie, talked, monkeypatch):
    keys = iter("xkdq")
    monkeypatch.setattr(click, "getchar", lambda: next(keys))
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    before = listed(reverie)
    told = reverie("heard")
    assert f"added: {before[0]}" in told
    assert f"dropped: {before[1]}" in told
    assert listed(reverie) == [before[2]]
