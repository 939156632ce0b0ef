"""The verbs over HTTP: each gives what `Memory` gives, and bad input its code."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from reverie import progress
from reverie.local.search import indexer
from reverie.memory import Memory


def test_recall_gives_the_block_for_a_turn(daemon):
    daemon.remember("The release train leaves on Tuesdays")
    found = daemon.post("/workspace/recall", {"query": "when does the release train leave?"}).json()
    assert [topic["name"] for topic in found["topics"]] == ["The release train leaves on Tuesdays"]
    assert "Tuesdays" in found["block"]
    assert daemon.post("/workspace/recall", {"query": "zebra"}).json()["block"] == ""


def test_search_get_and_stats_agree_with_each_other(daemon, project):
    (project / "memory").mkdir()
    (project / "memory" / "notes.md").write_text("# Notes\n\nThe heron nests by the old mill.\n")
    found = daemon.post("/workspace/search", {"query": "where does the heron nest"}).json()
    assert found["totalFound"] >= 1
    hit = found["results"][0]
    assert (hit["path"], hit["source"]) == ("memory/notes.md", "memory")
    read = daemon.post("/workspace/get", {"path": hit["path"], "lines": hit["lines"]}).json()
    assert read["found"]
    assert "heron" in read["text"]
    numbers = daemon.post("/workspace/get", {"path": hit["path"], "from": 3, "lines": 1}).json()
    assert numbers["text"].strip() == "The heron nests by the old mill."
    assert daemon.get("/workspace/stats").json()["totalFiles"] == 1
    none = daemon.post("/workspace/search", {"query": "heron", "source": "chat", "maxResults": 1})
    assert none.json()["results"] == []


def test_a_conversation_is_extracted_once(daemon):
    body = {
        "session": "s1",
        "messages": [
            {"role": "user", "content": "Please remember: I always want answers in German."},
            {"role": "assistant", "content": "Gut."},
        ],
    }
    first = daemon.post("/workspace/extract", body).json()
    assert first["patches"]
    assert first["processedOffset"] == 2
    again = daemon.post("/workspace/extract", body).json()
    assert (again["status"], again["reason"]) == ("skipped", "no_new_messages")


def test_context_and_prompt_hold_the_projects_rules(daemon, project):
    (project / "AGENTS.md").write_text("Always use tabs.\n@more.md\n")
    (project / "more.md").write_text("And never trailing blanks.\n")
    context = daemon.get("/workspace/context").json()
    assert "never trailing blanks" in context["text"]
    flat = daemon.get("/workspace/context?format=flat").json()
    assert flat["format"] == "flat"
    made = daemon.post("/workspace/prompt", {"query": "tabs", "replay": 0}).json()
    assert "Always use tabs." in made["text"]
    assert made["tokens"] == sum(part["tokens"] for part in made["parts"]) or made["tokens"] > 0


def test_an_exchange_is_appended_to_the_history(daemon, project, tmp_path):
    body = {
        "session": "s",
        "messages": [
            {"role": "user", "content": "What is the colour of the sky?"},
            {"role": "assistant", "content": "Blue."},
        ],
    }
    done = daemon.post("/workspace/history", body).json()
    assert [turn["seq"] for turn in done["turns"]] == [1]
    with Memory.open(project, home=tmp_path / "base") as memory:
        (turn,) = memory.layers.replay().turns
    assert turn.session == "s"
    assert turn.id == done["turns"][0]["id"]


def test_what_was_written_is_logged_and_can_be_taken_back(daemon):
    task = daemon.remember("Written once, taken back once")
    (run,) = daemon.get("/workspace/log").json()["runs"]
    assert (run["verb"], run["status"]) == ("remember", "done")
    assert run["detail"]["task"] == task["taskId"]
    assert run["paths"] == task["result"]["filesTouched"]
    undone = daemon.post("/workspace/undo", {"run": run["id"]}).json()
    assert undone["paths"] == run["paths"]
    assert daemon.post("/workspace/recall", {"query": "taken back once"}).json()["topics"] == []
    touched = daemon.get("/workspace/log", headers={}).json()["runs"]
    assert [item["verb"] for item in touched] == ["undo", "remember"]
    only = daemon.get(f"/workspace/log?limit=1&path={run['paths'][0]}").json()["runs"]
    assert [item["verb"] for item in only] == ["undo"]


BAD = [
    ("recall", {}, "invalid_query"),
    ("recall", {"query": " "}, "invalid_query"),
    ("recall", {"query": "x", "limit": 0}, "invalid_input"),
    ("recall", {"query": "x", "limit": 1.5}, "invalid_input"),
    ("recall", {"query": "x", "limit": True}, "invalid_input"),
    ("search", {"query": 1}, "invalid_query"),
    ("search", {"query": "x", "maxResults": 1000}, "invalid_input"),
    ("search", {"query": "x", "maxResults": 21}, "invalid_input"),
    ("search", {"query": "x", "minScore": 2}, "invalid_input"),
    ("search", {"query": "x", "source": "web"}, "invalid_input"),
    ("get", {}, "invalid_path"),
    ("get", {"path": "a\x00b"}, "invalid_path"),
    ("get", {"path": "MEMORY.md", "lines": "x-y"}, "invalid_lines"),
    ("get", {"path": "MEMORY.md", "from": 0}, "invalid_input"),
    ("extract", {"messages": []}, "invalid_input"),
    ("extract", {"session": "s"}, "invalid_content"),
    ("extract", {"session": "s", "messages": "hello"}, "invalid_content"),
    ("extract", {"session": "s", "messages": ["\ud800"]}, "invalid_content"),
    ("history", {}, "invalid_content"),
    ("history", {"messages": [{"no": "role"}]}, "invalid_content"),
    ("undo", {}, "invalid_input"),
    ("prompt", {"replay": -1}, "invalid_input"),
    ("prompt", {"query": 7}, "invalid_query"),
]


def test_bad_input_gets_400_and_its_code(daemon):
    for verb, body, code in BAD:
        got = daemon.code(daemon.post(f"/workspace/{verb}", body))
        assert got == (400, code), (verb, body)
    assert daemon.code(daemon.get("/workspace/context?format=wide")) == (400, "invalid_input")
    assert daemon.code(daemon.get("/workspace/log?limit=0")) == (400, "invalid_input")
    far = daemon.get(f"/workspace/log?path={'x' * 5000}")
    assert daemon.code(far) == (400, "invalid_path")
    assert daemon.code(daemon.post("/workspace/undo", {"run": "no-such-run"})) == (
        404, "run_not_found",
    )  # fmt: skip


def test_a_mistake_of_ours_is_a_500_that_tells_nothing_and_hurts_nobody_else(start):
    class Broken(Memory):
        def recall(self, query, *, limit):
            raise KeyError(query, limit)

    daemon = start(opener=Broken.open)
    answer = daemon.post("/workspace/recall", {"query": "my private words"})
    assert daemon.code(answer) == (500, "internal_error")
    assert "private" not in answer.text
    assert answer.json()["requestId"] == answer.headers["x-request-id"]
    with daemon.client() as other:  # the server ends the connection on which it failed
        assert other.context().text == ""


def test_reading_outside_the_memory_is_refused(daemon):
    for path in ("/etc/passwd", "../../../../etc/passwd", "memory/../../secret.md"):
        answer = daemon.post("/workspace/get", {"path": path})
        assert answer.status_code in (200, 403, 404)
        assert answer.status_code != 200 or not answer.json()["found"]


def test_a_search_takes_as_many_results_as_the_document_says_and_the_error_says_how_many(daemon):
    assert daemon.post("/workspace/search", {"query": "x", "maxResults": 20}).status_code == 200
    refused = daemon.post("/workspace/search", {"query": "x", "maxResults": 21})
    assert "from 1 to 20" in refused.json()["error"]


def test_how_far_a_long_search_is_can_be_asked_beside_it(daemon, project, monkeypatch):
    (project / "memory").mkdir()
    (project / "memory" / "notes.md").write_text("# Notes\n\nThe heron nests by the old mill.\n")
    told, go_on = threading.Event(), threading.Event()

    def tell(*step):
        progress.tell(*step)
        told.set()
        assert go_on.wait(60)

    assert daemon.get("/workspace/progress").json() == {"working": []}
    monkeypatch.setattr(indexer, "tell", tell)
    with ThreadPoolExecutor(1) as other:
        found = other.submit(daemon.post, "/workspace/search", {"query": "heron"})
        try:
            assert told.wait(60)
            working = daemon.get("/workspace/progress").json()["working"]
        finally:
            go_on.set()
        assert working == [{"what": "indexing files", "done": 1, "total": 1}]
        assert found.result().json()["results"]
    assert daemon.get("/workspace/progress").json() == {"working": []}
