"""Handing what a client asks to a daemon: one that hangs is not asked again and again."""

from __future__ import annotations

import socket

import pytest

from reverie.client import handing, quick


@pytest.fixture
def hung(tmp_path, monkeypatch):
    """Return a daemon that takes connections and says nothing, and its socket."""
    monkeypatch.chdir(tmp_path)
    state = tmp_path / "home" / "state"
    state.mkdir(parents=True)
    with (
        quick.ShortPath(str(state / quick.SOCKET_FILE)) as short,
        socket.socket(socket.AF_UNIX) as made,
    ):
        made.bind(short)
        made.listen(8)
        made.setblocking(False)
        yield handing.Daemon(home=str(tmp_path / "home"), dialect=None, workspace=None), made


def callers(listening):
    """Count who came, and hang up on them."""
    count = 0
    while True:
        try:
            listening.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_a_daemon_that_hangs_is_asked_once(hung, monkeypatch):
    daemon, listening = hung
    monkeypatch.setattr(handing, "_ALIVE_SECONDS", 0.05)
    assert daemon.read("resources/list", {}) is None
    assert callers(listening) == 1
    assert daemon.read("resources/list", {}) is None
    assert daemon.call({"name": "recall"}, writes=False, cancelled=lambda: False) is None
    assert daemon.call({"name": "remember"}, writes=True, cancelled=lambda: False) is None
    assert callers(listening) == 0


def test_it_is_asked_again_after_a_while(hung, monkeypatch):
    daemon, listening = hung
    monkeypatch.setattr(handing, "_ALIVE_SECONDS", 0.05)
    monkeypatch.setattr(handing, "_HUNG_SECONDS", 0.0)
    assert daemon.read("resources/list", {}) is None
    assert daemon.read("resources/list", {}) is None
    assert callers(listening) == 2
