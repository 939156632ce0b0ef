"""Commands through a daemon: when it is asked, when it is not, and what is never done twice."""

from __future__ import annotations

import json

import pytest

from reverie.cli.viadaemon import Missing, from_daemon
from reverie.errors import DaemonUnreachable, SecretRefused, TaskStopped
from reverie.types import Remembered
from tests.client.test_quick import listening

DONE = {
    "summary": "Remembered.", "action": "added", "path": "/m/a.md", "entry": "a", "scope": "user",
    "kind": "project", "name": "A", "run": "r1",
}  # fmt: skip


def answer(status, body):
    return f"HTTP/1.1 {status} X\r\n\r\n{json.dumps(body)}".encode()


def refusal(status, code):
    return answer(status, {"code": code, "error": "because"})


@pytest.fixture
def place(tmp_path):
    return tmp_path / "h" / "state" / "daemon.sock"


def ask(place, project, *, writes=True):
    options = {"home": str(place.parents[1]), "workspace": str(project)}
    return from_daemon(options, "/workspace/remember", {"content": "x"}, Remembered, writes=writes)


def test_an_outcome_comes_back_as_its_class(place, project):
    with listening(place, answer(200, DONE)):
        done = ask(place, project)
    assert isinstance(done, Remembered)
    assert (done.run, done.scope.value) == ("r1", "user")


def test_without_a_daemon_the_command_does_it_itself(place, project):
    with pytest.raises(Missing) as missing:
        ask(place, project)
    assert not missing.value.gone


def test_a_command_that_would_ask_a_model_of_its_environment_does_so(place, project, monkeypatch):
    monkeypatch.setenv("OPENAI_MODEL", "some-model")
    place.parent.mkdir(parents=True)
    place.touch()
    assert ask(place, project) is None


def test_one_of_another_version_is_as_good_as_none(place, project):
    with listening(place, refusal(421, "other_process")), pytest.raises(Missing) as missing:
        ask(place, project)
    assert missing.value.gone


@pytest.mark.parametrize(
    "refused",
    [
        refusal(503, "lane_busy"),
        refusal(503, "workspace_draining"),
        refusal(429, "remember_queue_full"),
        refusal(404, "workspace_not_found"),
        refusal(404, "not_found"),
        refusal(403, "untrusted_workspace"),
        refusal(400, "invalid_content"),
    ],
)
def test_what_the_daemon_did_not_take_the_command_does_itself(place, project, refused):
    with listening(place, refused):
        assert ask(place, project) is None


@pytest.mark.parametrize(
    ("refused", "error"),
    [
        (refusal(403, "secret_refused"), SecretRefused),
        (refusal(409, "task_stopped"), TaskStopped),
    ],
)
def test_what_would_fail_without_it_too_fails(place, project, refused, error):
    with listening(place, refused), pytest.raises(error):
        ask(place, project)


def test_a_write_whose_answer_never_came_is_not_done_again(place, project):
    with listening(place, b""), pytest.raises(DaemonUnreachable, match="reverie log"):
        ask(place, project)
    place.unlink()
    with listening(place, b""), pytest.raises(Missing) as missing:
        ask(place, project, writes=False)
    assert missing.value.gone
