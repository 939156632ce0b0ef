"""Remember, forget and dream at once: the whole outcome, in the lane, and never twice."""

from __future__ import annotations

import asyncio
import threading

import pytest

from reverie.memory import Memory
from reverie.types import Scope
from tests.daemon.conftest import WAIT
from tests.daemon.routes.test_tasks import slow_memory


def test_remembering_at_once_answers_with_the_whole_outcome(daemon, project, tmp_path):
    body = {"content": "The ferry sails at nine", "scope": "user", "kind": "reference",
            "name": "Ferry", "why": "the tide", "how": "when planning", "clean": True}  # fmt: skip
    done = daemon.post("/workspace/remember", body).json()
    assert (done["action"], done["scope"], done["kind"]) == ("added", "user", "reference")
    with Memory.open(project, home=tmp_path / "base") as memory:
        (topic,) = memory.store.topics()
        assert topic.path == done["path"]
        assert "the tide" in topic.text
        assert "when planning" in topic.text
        run = memory.log(limit=1)[0]
        assert run.id == done["run"]
        assert run.detail["daemon"] == daemon.host.epoch


def test_a_dry_run_changes_nothing(daemon):
    done = daemon.post("/workspace/remember", {"content": "Not yet", "dryRun": True}).json()
    assert done["dryRun"]
    assert done["run"] == ""
    assert daemon.get("/workspace/log").json()["runs"] == []


def test_forgetting_at_once_by_words_and_by_name(daemon):
    for words in ("The ferry sails at nine", "The lighthouse keeper is Ida"):
        assert daemon.post("/workspace/remember", {"content": words}).status_code == 200
    gone = daemon.post("/workspace/forget", {"query": "when the ferry sails"}).json()
    assert [item["summary"] for item in gone["removedEntries"]] == ["The ferry sails at nine"]
    kept = daemon.post("/workspace/recall", {"query": "lighthouse keeper"}).json()["topics"][0]
    named = daemon.post("/workspace/forget", {"ids": [kept["path"]], "erase": True}).json()
    assert len(named["removedEntries"]) == 1
    assert named["receipt"]["erased"]


def test_updating_and_moving_at_once(daemon):
    made = daemon.post(
        "/workspace/remember", {"content": "The keeper is Ida", "scope": "user"}
    ).json()
    body = {"id": made["entry"], "content": "Somebody else keeps the light"}
    done = daemon.post("/workspace/update", body).json()
    assert (done["action"], done["replaced"]) == ("superseded", "The keeper is Ida")
    moved = daemon.post("/workspace/move", {"id": done["entry"], "to": "project"}).json()
    assert (moved["scope"], moved["name"]) == ("project", "Somebody else keeps the light")
    again = daemon.post("/workspace/move", {"id": moved["entry"], "to": "project"}).json()
    assert again["status"] == "skipped"
    nobody = daemon.post("/workspace/update", {"id": "user/nobody.md", "content": "x"})
    assert nobody.status_code == 404


def test_erasing_everywhere_at_once(daemon, project, tmp_path):
    daemon.post("/workspace/remember", {"content": "The lighthouse keeper is Ida"})
    with Memory.open(project, home=tmp_path / "base") as memory:
        memory.layers.add_note("Ask whether the lighthouse keeper is Ida")
    wanted = {"query": "lighthouse keeper is Ida", "erase": True, "everywhere": True}
    shown = daemon.post("/workspace/forget", {**wanted, "dryRun": True}).json()
    assert {"memories", "notes"} <= {item["kind"] for item in shown["places"]}
    done = daemon.post("/workspace/forget", wanted).json()
    assert done["receipt"]["places"] == done["places"]
    assert done["receipt"]["left"] == []
    answer = daemon.post("/workspace/forget", {"query": "x", "everywhere": True})
    assert daemon.code(answer) == (400, "invalid_input")
    assert daemon.code(daemon.post("/workspace/forget", {"erase": True})) == (400, "invalid_query")


def test_dreaming_at_once_says_why_it_did_not(daemon, project, tmp_path):
    skipped = daemon.post("/workspace/dream").json()
    assert (skipped["status"], skipped["reason"]) == ("skipped", "min_sessions")
    with Memory.open(project, home=tmp_path / "base") as memory:
        for words in ("The harbour opens at nine.", "The harbour opens at nine"):
            memory.remember(words, scope=Scope.PROJECT, clean=True)
    dreamt = daemon.post("/workspace/dream", {"force": True}).json()
    assert dreamt["run"]


def test_what_was_done_at_once_is_told_once(daemon):
    daemon.post("/workspace/remember", {"content": "The ferry sails at nine", "scope": "user"})
    ring = daemon.on_loop(lambda: [event.type for event in daemon.host.primary.bus._ring])
    assert ring == ["memory_changed"]


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("remember", {}, "invalid_content"),
        ("remember", {"content": "x", "scope": "moon"}, "invalid_scope"),
        ("remember", {"content": "x", "kind": "moon"}, "invalid_input"),
        ("remember", {"content": "x", "clean": "yes"}, "invalid_input"),
        ("forget", {}, "invalid_query"),
        ("forget", {"ids": []}, "invalid_input"),
        ("forget", {"ids": [1]}, "invalid_input"),
        ("forget", {"query": "x", "limit": 0}, "invalid_input"),
        ("dream", {"force": 1}, "invalid_input"),
        ("update", {"content": "x"}, "invalid_input"),
        ("update", {"id": "user/a.md"}, "invalid_content"),
        ("move", {"id": "user/a.md"}, "invalid_scope"),
    ],
)
def test_words_that_are_off_get_400(daemon, path, body, code):
    assert daemon.code(daemon.post(f"/workspace/{path}", body)) == (400, code)


def test_while_a_task_is_at_work_it_is_refused_and_never_done(start):
    def hasty(host):
        host.patience_seconds = 0.05

    gate, begun = threading.Event(), threading.Event()
    daemon = start(opener=slow_memory(gate, begun), before=hasty)
    accepted = daemon.post("/workspace/memory/remember", {"content": "This one takes long"})
    assert begun.wait(WAIT)
    refused = daemon.post("/workspace/remember", {"content": "This one cannot wait"})
    assert daemon.code(refused) == (503, "lane_busy")
    assert refused.headers["retry-after"] == "1"
    gate.set()
    assert daemon.over(accepted)["status"] == "completed"
    lane = daemon.host.primary.lane
    empty = asyncio.run_coroutine_threadsafe(lane.between(lambda memory, _: memory.log()),
                                             daemon.loop)  # fmt: skip
    assert len(empty.result(WAIT)) == 1, "what was refused is not done later"


def test_an_untrusted_folder_and_a_stopping_daemon_refuse(daemon, project, tmp_path):
    with Memory.open(project, home=tmp_path / "base") as memory:
        memory.trust(trusted=False)
    refused = daemon.post("/workspace/remember", {"content": "x"})
    assert daemon.code(refused) == (403, "untrusted_workspace")
    daemon.host.primary.lane.draining = True
    assert daemon.code(daemon.post("/workspace/dream")) == (503, "workspace_draining")
