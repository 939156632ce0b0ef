"""The queue over HTTP: the document's bodies, codes and shapes."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from reverie.errors import DiskFull, ReadOnly, TaskStopped
from reverie.memory import Memory

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
FACT = "The user prefers dark mode in all editors"


def test_a_remember_task_is_accepted_run_and_polled_in_the_documents_shapes(daemon, tmp_path):
    accepted = daemon.post(
        "/workspace/memory/remember", {"content": FACT, "contextMode": "workspace"}
    )
    assert accepted.status_code == 202
    record = accepted.json()
    assert list(record) == ["taskId", "status", "contextMode", "createdAt", "updatedAt"]
    assert re.fullmatch(r"remember-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", record["taskId"])
    assert (record["status"], record["contextMode"]) == ("queued", "workspace")
    assert STAMP.match(record["createdAt"])
    assert STAMP.match(record["updatedAt"])
    assert accepted.headers["location"] == f"/workspace/memory/remember/{record['taskId']}"
    done = daemon.over(accepted)
    assert list(done) == [
        "taskId", "status", "contextMode", "createdAt", "updatedAt", "result",
    ]  # fmt: skip
    assert done["status"] == "completed"
    assert sorted(done["result"]) == ["filesTouched", "summary", "touchedScopes"]
    assert done["result"]["touchedScopes"] == ["user"]
    (path,) = done["result"]["filesTouched"]
    assert FACT in Path(path).read_text(encoding="utf-8")


def test_result_and_error_are_null_while_a_task_waits_or_runs(start):
    gate, begun = threading.Event(), threading.Event()
    daemon = start(opener=slow_memory(gate, begun))
    first = daemon.post("/workspace/memory/remember", {"content": "one"})
    assert begun.wait(30)  # what comes earlier may be taken together with the first
    second = daemon.post("/workspace/memory/remember", {"content": "two"})
    running = daemon.get(f"/workspace/memory/remember/{first.json()['taskId']}").json()
    waiting = daemon.get(f"/workspace/memory/remember/{second.json()['taskId']}").json()
    assert (running["status"], running["result"], running["error"]) == ("running", None, None)
    assert (waiting["status"], waiting["result"], waiting["error"]) == ("queued", None, None)
    gate.set()
    assert daemon.over(first)["status"] == "completed"
    assert daemon.over(second)["status"] == "completed"


def slow_memory(gate, begun, fail=(), stopped=None):
    """Open memories that wait at a gate before they remember: the lane can be watched at work."""

    class SlowMemory(Memory):
        def remember(self, text, **more):
            begun.set()
            assert gate.wait(30)
            if text in fail:
                raise KeyError(text)
            try:
                return super().remember(text, **more)
            except TaskStopped:
                if stopped is not None:
                    stopped.set()
                raise

    return SlowMemory.open


def test_forgetting_removes_the_entry_and_says_which(daemon):
    daemon.remember("The staging server is called heron")
    done = daemon.over(daemon.post("/workspace/memory/forget", {"query": "staging server heron"}))
    assert list(done) == ["taskId", "status", "createdAt", "updatedAt", "result"]
    assert done["taskId"].startswith("forget-")
    result = done["result"]
    assert sorted(result) == ["removedEntries", "summary", "touchedScopes", "touchedTopics"]
    (entry,) = result["removedEntries"]
    assert sorted(entry) == ["filePath", "summary", "topic"]
    assert "heron" in entry["summary"]
    assert result["touchedTopics"] == [entry["topic"]]
    assert daemon.post("/workspace/recall", {"query": "staging server"}).json()["topics"] == []


def test_a_dream_takes_an_empty_object_or_no_body(daemon):
    for body in (b"", b"{}"):
        done = daemon.over(daemon.ask("POST", "/workspace/memory/dream", body))
        assert done["taskId"].startswith("dream-")
        assert sorted(done["result"]) == ["dedupedEntries", "summary", "touchedTopics"]


BAD_REMEMBER = [
    ({}, "invalid_content"),
    ({"content": ""}, "invalid_content"),
    ({"content": "  \n\t "}, "invalid_content"),
    ({"content": 7}, "invalid_content"),
    ({"content": None}, "invalid_content"),
    ({"content": ["a"]}, "invalid_content"),
    ([], "invalid_content"),
    ("text", "invalid_content"),
    (b"null", "invalid_content"),
    ({"content": "half \ud800 pair"}, "invalid_content"),
    ({"content": "x", "contextMode": ""}, "invalid_context_mode"),
    ({"content": "x", "contextMode": "other"}, "invalid_context_mode"),
    ({"content": "x", "contextMode": 1}, "invalid_context_mode"),
    ({"content": "x", "contextMode": ["clean"]}, "invalid_context_mode"),
    ({"content": "x", "scope": "team"}, "invalid_scope"),
]
BAD_FORGET = [{}, {"query": ""}, {"query": "   "}, {"query": 5}, [], "x"]


def test_a_bad_request_gets_400_and_its_code_and_queues_nothing(daemon):
    for body, code in BAD_REMEMBER:
        answer = daemon.post("/workspace/memory/remember", body)
        assert daemon.code(answer) == (400, code), body
    for body in BAD_FORGET:
        answer = daemon.post("/workspace/memory/forget", body)
        assert daemon.code(answer) == (400, "invalid_query"), body
    scoped = daemon.post("/workspace/memory/forget", {"query": "x", "scope": "team"})
    assert daemon.code(scoped) == (400, "invalid_scope")
    assert daemon.get("/workspace/memory/tasks").json()["total"] == 0


def test_a_null_context_mode_means_workspace(daemon):
    accepted = daemon.post("/workspace/memory/remember", {"content": "x y z", "contextMode": None})
    assert accepted.json()["contextMode"] == "workspace"
    daemon.over(accepted)


def test_clean_mode_adds_without_looking_at_what_is_known(daemon):
    first = daemon.remember("Deploys happen on Fridays")
    again = daemon.remember("Deploys happen on Fridays")
    assert again["result"]["filesTouched"] == []
    clean = daemon.over(
        daemon.post(
            "/workspace/memory/remember",
            {"content": "Deploys happen on Fridays", "contextMode": "clean"},
        )
    )
    assert clean["contextMode"] == "clean"
    assert clean["result"]["filesTouched"]
    assert clean["result"]["filesTouched"] != first["result"]["filesTouched"]


def test_forgetting_within_a_scope_leaves_the_other_alone(daemon):
    fact = "The heron nests in spring"
    for scope in ("user", "project"):
        body = {"content": fact, "scope": scope, "contextMode": "clean"}
        assert daemon.over(daemon.post("/workspace/memory/remember", body))["status"] == "completed"
    asked = {"query": "the heron nests in spring", "scope": "user"}
    done = daemon.over(daemon.post("/workspace/memory/forget", asked))
    assert (done["status"], done["scope"]) == ("completed", "user")
    assert done["result"]["touchedScopes"] == ["user"]
    assert len(done["result"]["removedEntries"]) == 1
    left = daemon.post("/workspace/recall", {"query": "heron"}).json()["topics"]
    assert [topic["scope"] for topic in left] == ["project"]
    at_once = {"query": "the heron nests in spring", "scope": "user", "dryRun": True}
    assert daemon.post("/workspace/forget", at_once).json()["removedEntries"] == []
    both = {"query": "heron", "scope": "user", "erase": True, "everywhere": True}
    assert daemon.code(daemon.post("/workspace/forget", both)) == (400, "invalid_input")
    with daemon.client() as sdk:
        over = sdk.wait(sdk.forget("the heron nests in spring", scope="project"), timeout=30)
    assert over.result["touchedScopes"] == ["project"]


def test_the_scope_can_be_named(daemon, tmp_path):
    for scope in ("user", "project"):
        done = daemon.over(
            daemon.post(
                "/workspace/memory/remember", {"content": f"A fact for the {scope}", "scope": scope}
            )
        )
        assert done["scope"] == scope
        assert done["result"]["touchedScopes"] == [scope]


def test_the_limit_is_64_kib_of_utf8_after_trimming_and_the_limit_itself_is_allowed(daemon):
    exact = "日" * 21845 + "a"
    assert len(exact.encode()) == 65_536
    kept = daemon.post("/workspace/memory/remember", {"content": f"\n {exact} \n"})
    assert kept.status_code == 202
    over = daemon.post("/workspace/memory/remember", {"content": exact + "a"})
    assert daemon.code(over) == (400, "invalid_content")
    assert "65,537" in over.json()["error"]
    over = daemon.post("/workspace/memory/forget", {"query": exact + "a"})
    assert daemon.code(over) == (400, "invalid_query")
    daemon.over(kept)


def test_sixteen_tasks_wait_eight_of_them_forget_or_dream_and_the_next_gets_429(start):
    gate, begun = threading.Event(), threading.Event()
    daemon = start(opener=slow_memory(gate, begun))
    accepted = [daemon.post("/workspace/memory/remember", {"content": "runs"})]
    assert begun.wait(30)
    accepted += [daemon.post("/workspace/memory/dream") for _ in range(4)]
    accepted += [daemon.post("/workspace/memory/forget", {"query": "q"}) for _ in range(4)]
    for path, body in (("dream", {}), ("forget", {"query": "q"})):
        full = daemon.post(f"/workspace/memory/{path}", body)
        assert daemon.code(full) == (429, "remember_queue_full")
        assert full.headers["retry-after"] == "5"
    accepted += [
        daemon.post("/workspace/memory/remember", {"content": f"fact {n}"}) for n in range(7)
    ]
    full = daemon.post("/workspace/memory/remember", {"content": "one too many"})
    assert daemon.code(full) == (429, "remember_queue_full")
    gate.set()
    assert {daemon.over(item)["status"] for item in accepted} == {"completed"}


@pytest.mark.parametrize("kind", ["remember", "forget", "dream"])
@pytest.mark.parametrize("asked", ["trusted", "enabled"])
def test_a_memory_that_cannot_be_opened_fails_the_task_with_the_documents_code(
    daemon, monkeypatch, kind, asked
):
    def closed(*_: object) -> bool:
        raise ReadOnly("the folder may not be opened")

    monkeypatch.setattr(daemon.host.primary, asked, closed)
    answer = daemon.post(f"/workspace/memory/{kind}", {"content": "x", "query": "x"})
    assert daemon.code(answer) == (500, f"{kind}_failed")


@pytest.mark.parametrize("kind", ["remember", "forget", "dream"])
@pytest.mark.parametrize("asked", ["trusted", "enabled"])
def test_a_full_disk_is_told_as_such_wherever_it_is_met(daemon, monkeypatch, kind, asked):
    def full(*_: object) -> bool:
        raise DiskFull("the disk is full")

    monkeypatch.setattr(daemon.host.primary, asked, full)
    answer = daemon.post(f"/workspace/memory/{kind}", {"content": "x", "query": "x"})
    assert daemon.code(answer) == (507, "disk_full")


def test_who_waits_for_a_queue_that_cannot_be_written_hears_why(daemon, monkeypatch):
    def full(_most: int) -> None:
        raise DiskFull("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(daemon.host, "patience_seconds", 0.1)
        patch.setattr(daemon.host.primary.tasks, "start_together", full)
        answer = daemon.post("/workspace/remember", {"content": "Lunch is at noon."})
        assert daemon.code(answer) == (507, "disk_full")


def test_a_failing_task_says_why_and_does_not_stop_the_next(start):
    gate, begun = threading.Event(), threading.Event()
    gate.set()
    daemon = start(opener=slow_memory(gate, begun, fail=("breaks",)))
    failed = daemon.remember("breaks")
    assert list(failed) == ["taskId", "status", "contextMode", "createdAt", "updatedAt", "error"]
    assert failed["error"] == {
        "code": "remember_failed",
        "message": "the remember task failed unexpectedly",
        "details": "KeyError",
    }
    assert daemon.remember("works fine")["status"] == "completed"


def test_a_secret_is_refused_with_its_own_code_and_never_shown(daemon):
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    for path, body in (("remember", "content"), ("forget", "query")):
        refused = daemon.post(f"/workspace/memory/{path}", {body: f"the token is {secret}"})
        assert daemon.code(refused) == (403, "secret_refused")
        assert secret not in refused.text
    assert daemon.get("/workspace/memory/tasks").json()["total"] == 0


def test_neither_a_client_nor_a_key_is_named_by_a_secret(daemon):
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    assert daemon.code(daemon.post("/session", client=secret)) == (403, "secret_refused")
    keyed = {"Idempotency-Key": secret}
    refused = daemon.post("/workspace/memory/dream", headers=keyed)
    assert daemon.code(refused) == (403, "secret_refused")


def test_an_unknown_task_is_not_found_under_the_kinds_own_code(daemon):
    for kind in ("remember", "forget", "dream"):
        gone = daemon.get(f"/workspace/memory/{kind}/{kind}-00000000-0000-4000-8000-000000000000")
        assert daemon.code(gone) == (404, f"{kind}_task_not_found")


def test_a_task_asked_for_at_another_kinds_address_is_not_found(daemon):
    task = daemon.remember("a fact of some length")["taskId"]
    assert daemon.code(daemon.get(f"/workspace/memory/dream/{task}")) == (
        404, "dream_task_not_found",
    )  # fmt: skip


def test_switched_off_memory_gets_409_and_switching_it_on_is_noticed(daemon, tmp_path):
    config = tmp_path / "base" / "config.toml"
    config.write_text("[memory]\nenabled = false\n")
    for path, body in (("remember", {"content": "x"}), ("forget", {"query": "x"}), ("dream", {})):
        refused = daemon.post(f"/workspace/memory/{path}", body)
        assert daemon.code(refused) == (409, "managed_memory_unavailable")
    config.unlink()
    assert daemon.remember("now it works again")["status"] == "completed"


def test_a_slip_in_the_settings_does_not_stop_the_daemon(daemon, tmp_path):
    config = tmp_path / "base" / "config.toml"
    config.write_text("[memory\nenabled = ")
    assert daemon.remember("kept with the old settings")["status"] == "completed"
    config.write_text("[memory]\nenabled = false\n")
    refused = daemon.post("/workspace/memory/remember", {"content": "x"})
    assert daemon.code(refused) == (409, "managed_memory_unavailable")


def test_a_broken_list_of_trusted_folders_trusts_nothing(daemon, tmp_path):
    (tmp_path / "base" / "state" / "trust.json").write_text("{broken")
    refused = daemon.post("/workspace/memory/remember", {"content": "x"})
    assert daemon.code(refused) == (403, "untrusted_workspace")
    assert daemon.get("/capabilities").json()["workspaces"][0]["trusted"] is False


def test_an_untrusted_folder_gets_403_before_its_words_are_looked_at(daemon, project, tmp_path):
    with Memory.open(project, home=tmp_path / "base") as memory:
        memory.trust(trusted=False)
    refused = daemon.post("/workspace/memory/remember", {"content": 7})
    assert daemon.code(refused) == (403, "untrusted_workspace")


# --- client ids -----------------------------------------------------------------------------------


def test_a_task_with_a_client_id_is_seen_by_that_client_alone(daemon):
    mine, other = (daemon.post("/session").json()["clientId"] for _ in range(2))
    task = daemon.remember("only mine to see", client=mine)["taskId"]
    path = f"/workspace/memory/remember/{task}"
    assert daemon.get(path, client=mine).status_code == 200
    for caller in ("", other):
        assert daemon.code(daemon.get(path, client=caller)) == (404, "remember_task_not_found")
        assert daemon.get("/workspace/memory/tasks", client=caller).json()["tasks"] == []
    assert daemon.get("/workspace/memory/tasks", client=mine).json()["total"] == 1


def test_a_task_without_a_client_id_is_seen_by_everyone_with_the_token(daemon):
    client = daemon.post("/session").json()["clientId"]
    task = daemon.remember("everyone may see this")["taskId"]
    assert daemon.get(f"/workspace/memory/remember/{task}", client=client).status_code == 200


def test_a_client_id_that_is_not_registered_gets_400(daemon):
    for client in ("nobody", "with space", "a/b", "x" * 129):
        for answer in (
            daemon.post("/workspace/memory/remember", {"content": "x"}, client=client),
            daemon.get("/workspace/memory/remember/remember-1", client=client),
            daemon.get("/workspace/memory/tasks", client=client),
        ):
            assert daemon.code(answer) == (400, "invalid_client_id")


# --- idempotency, cancel, list --------------------------------------------------------------------


def test_the_same_key_gives_the_same_task_and_another_request_under_it_409(daemon):
    body, key = {"content": "say it once"}, {"Idempotency-Key": "k-1"}
    first = daemon.post("/workspace/memory/remember", body, headers=key).json()["taskId"]
    again = daemon.post("/workspace/memory/remember", body, headers=key)
    assert (again.status_code, again.json()["taskId"]) == (202, first)
    other = daemon.post("/workspace/memory/remember", {"content": "else"}, headers=key)
    assert daemon.code(other) == (409, "idempotency_key_reused")
    bad = daemon.post("/workspace/memory/remember", body, headers={"Idempotency-Key": "a b"})
    assert daemon.code(bad) == (400, "invalid_input")


def test_a_waiting_task_can_be_cancelled_and_never_runs(start):
    gate, begun = threading.Event(), threading.Event()
    daemon = start(opener=slow_memory(gate, begun))
    first = daemon.post("/workspace/memory/remember", {"content": "the first one"})
    assert begun.wait(30)
    second = daemon.post("/workspace/memory/remember", {"content": "the second one"})
    path = f"/workspace/memory/remember/{second.json()['taskId']}"
    cancelled = daemon.ask("DELETE", path)
    assert cancelled.json()["status"] == "failed"
    assert cancelled.json()["error"]["code"] == "remember_cancelled"
    assert daemon.code(daemon.ask("DELETE", path)) == (409, "task_over")
    gate.set()
    assert daemon.over(first)["status"] == "completed"
    third = daemon.remember("the third one, after both")
    assert third["status"] == "completed"
    assert daemon.get(path).json() == cancelled.json()
    assert daemon.post("/workspace/recall", {"query": "second one"}).json()["topics"] == [] or all(
        "second" not in topic["text"]
        for topic in daemon.post("/workspace/recall", {"query": "second one"}).json()["topics"]
    )


def test_a_running_task_that_is_cancelled_writes_nothing(start, tmp_path):
    gate, begun, stopped = threading.Event(), threading.Event(), threading.Event()
    daemon = start(opener=slow_memory(gate, begun, stopped=stopped))
    task = daemon.post("/workspace/memory/remember", {"content": "take this back"}).json()["taskId"]
    assert begun.wait(30)
    path = f"/workspace/memory/remember/{task}"
    assert daemon.ask("DELETE", path).json()["error"]["code"] == "remember_cancelled"
    gate.set()
    assert stopped.wait(30)
    assert daemon.remember("something that stays")["status"] == "completed"
    assert daemon.get(path).json()["error"]["code"] == "remember_cancelled"
    texts = [file.read_text() for file in (tmp_path / "base").rglob("*.md")]
    assert not any("take this back" in text for text in texts)
    assert daemon.get("/workspace/log").json()["runs"][0]["verb"] == "remember"
    assert len(daemon.get("/workspace/log").json()["runs"]) == 1


def test_a_finished_task_cannot_be_cancelled_and_an_unseen_one_is_not_found(daemon):
    owner = daemon.post("/session").json()["clientId"]
    task = daemon.remember("done before you cancel", client=owner)["taskId"]
    path = f"/workspace/memory/remember/{task}"
    assert daemon.code(daemon.ask("DELETE", path)) == (404, "remember_task_not_found")
    assert daemon.code(daemon.ask("DELETE", path, client=owner)) == (409, "task_over")


def test_tasks_are_listed_newest_first_and_filtered(daemon):
    first = daemon.remember("the first fact to list")["taskId"]
    second = daemon.over(daemon.post("/workspace/memory/dream"))["taskId"]
    listed = daemon.get("/workspace/memory/tasks").json()
    assert [(item["taskId"], item["kind"]) for item in listed["tasks"]] == [
        (second, "dream"), (first, "remember"),
    ]  # fmt: skip
    only = daemon.get("/workspace/memory/tasks?kind=remember&status=completed").json()
    assert [item["taskId"] for item in only["tasks"]] == [first]
    assert daemon.get("/workspace/memory/tasks?limit=1").json()["total"] == 2
    assert len(daemon.get("/workspace/memory/tasks?limit=1").json()["tasks"]) == 1
    for query in ("kind=other", "status=done", "limit=0", "limit=x", "limit=99999"):
        assert daemon.code(daemon.get(f"/workspace/memory/tasks?{query}")) == (400, "invalid_input")
