"""The link to the page: from the running daemon's own notes, with the token behind the #."""

from __future__ import annotations

import json
from pathlib import Path

from reverie.cli import run
from reverie.memory import Memory


def test_the_link_carries_the_token_of_the_daemon_that_runs(project, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REVERIE_SERVER_TOKEN", "a b/c")
    base = ["--home", str(tmp_path / "base"), "-C", str(project)]
    with Memory.open(project, home=tmp_path / "base") as memory:
        state = memory.workspace.state
    facts = json.dumps({"url": "http://127.0.0.1:4170", "pid": 1})
    Path(state, "daemon.json").write_text(facts)
    assert run([*base, "page"]) == 0
    assert capsys.readouterr().out == "http://127.0.0.1:4170/#token=a%20b%2Fc\n"


def test_without_a_daemon_there_is_no_link(project, tmp_path, capsys):
    assert run(["--home", str(tmp_path / "base"), "-C", str(project), "page"]) == 10
    assert "reverie serve" in capsys.readouterr().err
