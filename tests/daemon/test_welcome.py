"""What the daemon says when it is ready: the way to the page, and no secret in a log."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from reverie.daemon.http.auth import Token
from reverie.daemon.welcome import say_ready, welcome

FACTS = {
    "url": "http://127.0.0.1:4170",
    "socket": "/home/ida/.reverie/state/daemon.sock",
    "workspaces": [{"id": "p", "cwd": "/home/ida/p"}],
}


def test_a_fresh_token_is_shown_with_a_link_that_brings_it():
    said = welcome(FACTS, Token("s3cret", "/home/ida/.reverie/state/token", fresh=True))
    assert "  http://127.0.0.1:4170/#token=s3cret\n" in said
    assert "kept in /home/ida/.reverie/state/token" in said
    assert "Ctrl-C" in said


def test_a_known_token_is_never_shown_again():
    for source, shown in (
        ("/home/ida/my state/token", "#token=$(cat '/home/ida/my state/token')"),
        ("environment REVERIE_SERVER_TOKEN", "#token=$REVERIE_SERVER_TOKEN"),
    ):
        said = welcome(FACTS, Token("s3cret", source))
        assert "s3cret" not in said
        assert shown in said
        assert "Its page: http://127.0.0.1:4170/\n" in said


def test_commands_are_named_as_they_can_be_called(monkeypatch):
    token = Token("s3cret", "/t")
    program = Path(sys.executable).with_name("reverie")
    monkeypatch.setenv("PATH", str(program.parent))
    assert '\n  reverie remember "' in welcome(FACTS, token)
    monkeypatch.setenv("PATH", "/nowhere")
    assert f'\n  {program} remember "' in welcome(FACTS, token)


def test_curl_takes_the_socket_where_there_is_one_for_arguments_can_be_seen():
    token = Token("s3cret", "environment REVERIE_SERVER_TOKEN")
    assert "curl --unix-socket '/home/ida/" in welcome(FACTS, token)
    without = welcome({**FACTS, "socket": None}, token)
    assert 'curl -H "Authorization: Bearer $REVERIE_SERVER_TOKEN"' in without


def test_standard_output_carries_one_json_line(capsys):
    say_ready(FACTS, welcome(FACTS, Token("s3cret", "/t", fresh=True)))
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert json.loads(out) == FACTS
    assert "Reverie listens on http://127.0.0.1:4170 for /home/ida/p." in err
