"""What was heard, over HTTP and through the client."""

from __future__ import annotations

SAID = "Our parser lives in src/parse.rs"


def talk(daemon, session="s1"):
    body = {"session": session, "messages": [{"role": "user", "content": f"{SAID}."}]}
    return daemon.post("/workspace/extract", body).json()


def test_what_was_heard_is_listed_kept_and_dropped(daemon):
    assert talk(daemon)["heard"][0]["summary"] == SAID
    (item,) = daemon.get("/workspace/heard").json()["heard"]
    assert (item["summary"], item["scope"], item["session"]) == (SAID, "project", "s1")
    kept = daemon.post("/workspace/heard/keep", {"ids": [item["id"]]}).json()
    assert kept["patches"][0]["action"] == "added"
    assert daemon.get("/workspace/heard").json()["heard"] == []
    daemon.post("/workspace/undo", {"run": kept["run"]})
    dropped = daemon.post("/workspace/heard/drop", {"ids": [item["id"]]}).json()
    assert (dropped["action"], dropped["items"][0]["summary"]) == ("drop", SAID)
    assert talk(daemon, "s2")["heard"] == []


def test_bad_ids_are_refused_by_name(daemon):
    for body in ({}, {"ids": []}, {"ids": "h1"}, {"ids": [1]}, {"ids": [""]}):
        answer = daemon.post("/workspace/heard/keep", body)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_input")
    answer = daemon.post("/workspace/heard/drop", {"ids": ["h00000000"]})
    assert (answer.status_code, answer.json()["code"]) == (404, "heard_not_found")


def test_the_client_lists_keeps_and_drops(daemon):
    talk(daemon)
    with daemon.client() as client:
        (item,) = client.heard()
        assert client.keep_heard(item.id).patches[0].action == "added"
        assert client.heard() == ()
