"""What a caller over HTTP, the SDK or the command line may see: the same as in Python, or it is refused."""

from __future__ import annotations

import json

import pytest

from reverie.cli import run
from reverie.client.calls import Calls
from reverie.daemon.http.app import ENDPOINTS
from reverie.types import Isolation


@pytest.fixture
def notes(daemon, project):
    (project / "memory" / "open").mkdir(parents=True)
    (project / "memory" / "shut").mkdir()
    (project / "memory" / "open" / "a.md").write_text("The heron nests by the old mill.\n")
    (project / "memory" / "shut" / "b.md").write_text("The heron eats frogs at the old mill.\n")
    return daemon


def found(daemon, **seen) -> list[str]:
    answer = daemon.post("/workspace/search", {"query": "heron at the old mill", **seen})
    assert answer.status_code == 200, answer.text
    return sorted(hit["path"] for hit in answer.json()["results"])


BOTH = ["memory/open/a.md", "memory/shut/b.md"]


def test_a_search_shows_only_what_the_caller_may_see(notes):
    assert found(notes) == BOTH
    assert found(notes, allowedPaths=["memory/open"]) == BOTH[:1]
    assert found(notes, isolation={"allowedPaths": ["memory/open"]}) == BOTH[:1]
    assert found(notes, isolation={"allowedPaths": ["memory/shut/b.md"]}) == BOTH[1:]
    assert found(notes, allowedPaths=[]) == []
    assert found(notes, projectId="another") == []
    assert found(notes, isolation={"projectId": "another", "allowedPaths": ["memory"]}) == []
    assert found(notes, userId="somebody", allowedPaths=["memory/open"]) == BOTH[:1]


def test_reading_and_counting_go_by_the_same_rule(notes):
    seen = {"allowedPaths": ["memory/open"]}
    path = "memory/shut/b.md"
    assert notes.post("/workspace/get", {"path": path}).json()["found"]
    refused = notes.post("/workspace/get", {"path": path, "isolation": seen})
    assert (refused.status_code, refused.json()["code"]) == (403, "isolation_blocked")
    assert notes.get("/workspace/stats").json()["totalFiles"] == 2
    assert notes.get("/workspace/stats?allowedPaths=memory/open").json()["totalFiles"] == 1
    assert notes.get("/workspace/stats?projectId=another").json()["totalFiles"] == 0
    assert notes.get("/workspace/stats?allowedPaths=").json()["totalFiles"] == 0


@pytest.mark.parametrize(
    ("route", "more"),
    [
        ("search", {"tenant": "a"}),
        ("search", {"isolation": {"tenant": "a"}}),
        ("search", {"isolation": ["memory"]}),
        ("search", {"allowedPaths": "memory"}),
        ("search", {"userId": 3}),
        ("search", {"userId": "a", "isolation": {"userId": "b"}}),
        ("recall", {"isolation": {"userId": "a"}}),
        ("recall", {"allowedPaths": []}),
    ],
)
def test_what_cannot_be_honoured_is_refused(notes, route, more):
    answer = notes.post(f"/workspace/{route}", {"query": "heron", **more})
    assert answer.status_code == 400, answer.text


def test_the_command_line_takes_the_same_and_does_not_need_the_daemon(
    project, tmp_path, capsys, monkeypatch
):
    (project / "memory" / "open").mkdir(parents=True)
    (project / "memory" / "shut").mkdir()
    (project / "memory" / "open" / "a.md").write_text("The heron nests by the old mill.\n")
    (project / "memory" / "shut" / "b.md").write_text("The heron eats frogs at the old mill.\n")
    monkeypatch.chdir(project)

    def paths(*options: str) -> list[str]:
        assert run(["search", "heron at the old mill", "--json", *options]) == 0
        return sorted(hit["path"] for hit in json.loads(capsys.readouterr().out)["results"])

    assert paths() == BOTH
    assert paths("--allowed-path", "memory/open") == BOTH[:1]
    assert paths("--allowed-path", "memory/open", "--allowed-path", "memory/shut") == BOTH
    assert paths("--project-id", "another") == []
    assert run(["get", "memory/shut/b.md", "--allowed-path", "memory/open"]) == 3
    capsys.readouterr()
    assert run(["stats", "--json", "--allowed-path", "memory/open"]) == 0
    assert json.loads(capsys.readouterr().out)["totalFiles"] == 1


def test_the_sdk_says_it_on_the_wire():
    seen = Isolation(allowed_paths=("memory/open",), user_id="ann")
    calls = Calls()
    sent = [calls.search("heron", isolation=seen), calls.get("memory/shut/b.md", isolation=seen)]
    assert [call.body and call.body["isolation"] for call in sent] == [
        {"allowedPaths": ["memory/open"], "userId": "ann"}
    ] * 2
    counted = calls.stats(isolation=Isolation())
    assert counted.path.endswith("/workspace/stats?allowedPaths=")


def _asked(daemon, method: str, path: str, key: str, *, body: bool):
    filled = path.replace("{task}", "none").replace("{session}", "none")
    if body:
        return daemon.ask(method, filled, {key: "somebody"})
    return daemon.ask(method, f"{filled}?{key}=somebody")


@pytest.mark.parametrize("key", ["userId", "isolation", "foo"])
def test_no_route_takes_a_key_that_it_does_nothing_with(daemon, key):
    for endpoint in ENDPOINTS:
        if endpoint.bare or (endpoint.tolerant and key == "foo"):
            continue
        params = {param.name for param in endpoint.params if param.where == "query"}
        if key not in params:
            answer = _asked(daemon, endpoint.method, endpoint.path, key, body=False)
            assert answer.status_code == 400, (endpoint.path, answer.text)
            assert key in answer.json()["error"]
        if endpoint.body is not None and key not in endpoint.body.get("properties", ()):
            answer = _asked(daemon, endpoint.method, endpoint.path, key, body=True)
            assert answer.status_code == 400, (endpoint.path, answer.text)


def test_a_client_of_somebody_elses_contract_may_send_more(daemon):
    sent = {"content": "The heron nests by the mill", "sourceApp": "x"}
    assert daemon.post("/workspace/memory/remember", sent).status_code == 202
    assert daemon.post("/workspace/memory/remember", {**sent, "userId": "x"}).status_code == 400


@pytest.mark.parametrize("paths", ["memory/open", b"memory", [1], None])
def test_a_text_is_no_list_of_paths(paths):
    with pytest.raises(TypeError, match="tuple of paths"):
        Isolation(allowed_paths=paths)
