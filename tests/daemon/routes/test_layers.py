"""Layers over HTTP: files with their tokens, editing with a conflict check, history, notes."""

from __future__ import annotations

CORE = "core/AGENT.md"


def layer(daemon, rel):
    found = daemon.get("/workspace/layers").json()
    return next(item for item in found["files"] if item["rel"] == rel)


def test_an_agent_without_files_has_working_memory_to_begin(daemon):
    found = daemon.get("/workspace/layers").json()
    assert found["agent"] == "default"
    assert layer(daemon, "working/WORKING_MEMORY.md")["base"] is None
    assert found["prompt"]["budget"] > 0
    assert found["turns"] == 0


def test_a_core_file_is_made_then_edited_on_what_was_read(daemon):
    made = daemon.post("/workspace/layers/edit", {"rel": CORE, "text": "# Agent\n\nKind.\n"})
    assert made.status_code == 200, made.text
    first = layer(daemon, CORE)
    assert first["text"] == "# Agent\n\nKind.\n"
    assert first["tokens"] > 0
    body = {"rel": CORE, "text": "# Agent\n\nBrief.\n", "base": first["base"]}
    assert daemon.post("/workspace/layers/edit", body).status_code == 200
    assert daemon.code(daemon.post("/workspace/layers/edit", body)) == (409, "stale_base")
    parts = daemon.get("/workspace/layers").json()["prompt"]["parts"]
    assert any(part["layer"] == "core" and part["tokens"] > 0 for part in parts)


def test_only_files_of_the_layers_are_edited(daemon):
    for rel in ("../../x.md", "history/turns/1.md", "core/.hidden.md", "core/a/b.md", "state/x.md"):
        answer = daemon.post("/workspace/layers/edit", {"rel": rel, "text": "x"})
        assert daemon.code(answer) == (403, "path_escape"), rel


def test_history_comes_newest_first_and_in_pages(daemon):
    for number in range(3):
        said = [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": f"answer {number}"},
        ]
        assert daemon.post("/workspace/history", {"messages": said}).status_code == 200
    found = daemon.get("/workspace/history?limit=2").json()
    assert found["total"] == 3
    assert [turn["messages"][0]["text"] for turn in found["turns"]] == ["question 2", "question 1"]
    rest = daemon.get(f"/workspace/history?before={found['turns'][-1]['seq']}").json()
    assert [turn["messages"][1]["text"] for turn in rest["turns"]] == ["answer 0"]


def test_notes_are_listed_with_their_links_shown_and_filed(daemon):
    first = daemon.post("/workspace/notes", {"text": "Bread needs time.", "title": "Bread"}).json()
    daemon.post("/workspace/notes", {"text": "See [[Bread]].", "title": "Dough"})
    found = daemon.get("/workspace/notes").json()
    titles = {note["rel"]: note["title"] for note in found["notes"]}
    assert [(titles[item["from"]], titles[item["to"]]) for item in found["links"]] == [
        ("Dough", "Bread")
    ]
    assert len(found["review"]["inbox"]) == 2
    shown = daemon.get("/workspace/notes/note?name=Bread").json()
    assert [note["title"] for note in shown["backlinks"]] == ["Dough"]
    assert daemon.post("/workspace/notes/accept", {"name": first["id"]}).status_code == 200
    again = daemon.get("/workspace/notes/note?name=Bread").json()
    assert again["rel"].startswith("zettel/")
    assert daemon.code(daemon.get("/workspace/notes/note?name=Nope")) == (404, "note_not_found")
