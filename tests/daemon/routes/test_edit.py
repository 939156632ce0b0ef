"""What the page does: edit with a conflict check, pin, forget with a preview, plan a dream, trust."""

from __future__ import annotations

from tests.daemon.routes.test_browse import rows
from tests.daemon.routes.test_events import stream


def one(daemon):
    row = rows(daemon)["memories"][0]
    return daemon.get(f"/workspace/memories/topic?scope={row['scope']}&rel={row['rel']}").json()


def named(found, **more):
    return {"scope": found["scope"], "rel": found["rel"], **more}


def test_an_edit_is_a_run_and_a_second_one_on_the_same_base_is_a_conflict(daemon):
    daemon.remember("We deploy only on Tuesdays")
    found = one(daemon)
    text = found["text"].replace("Tuesdays", "Thursdays")
    body = named(found, text=text, base=found["base"])
    done = daemon.post("/workspace/memories/edit", body).json()
    assert done["run"]
    assert one(daemon)["text"] == text
    assert one(daemon)["history"][0]["verb"] == "edit"
    assert daemon.code(daemon.post("/workspace/memories/edit", body)) == (409, "stale_base")
    assert daemon.post("/workspace/undo", {"run": done["run"]}).status_code == 200
    assert one(daemon)["text"] == found["text"]


def test_a_text_that_is_no_memory_any_more_is_refused(daemon):
    daemon.remember("We deploy only on Tuesdays")
    found = one(daemon)
    answer = daemon.post(
        "/workspace/memories/edit", named(found, text="just words", base=found["base"])
    )
    assert daemon.code(answer) == (400, "invalid_content")
    assert one(daemon)["text"] == found["text"]


def test_a_secret_does_not_come_in_by_an_edit(daemon):
    daemon.remember("We deploy only on Tuesdays")
    found = one(daemon)
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    answer = daemon.post(
        "/workspace/memories/edit",
        named(found, text=f"{found['text']}\ntoken {token}\n", base=found["base"]),
    )
    assert daemon.code(answer) == (403, "secret_refused")


def test_pinning_moves_a_memory_and_its_history_goes_with_it(daemon):
    daemon.remember("We deploy only on Tuesdays")
    found = one(daemon)
    done = daemon.post("/workspace/memories/pin", named(found, pinned=True)).json()
    assert done["pinned"] is True
    again = one(daemon)
    assert (again["rel"], again["pinned"]) == (done["rel"], True)
    assert [run["verb"] for run in again["history"]] == ["pin", "remember"]
    assert daemon.post("/workspace/memories/pin", named(again, pinned=True)).json()["run"] == ""
    daemon.post("/workspace/memories/pin", named(again, pinned=False))
    assert one(daemon)["rel"] == found["rel"]
    assert [run["verb"] for run in one(daemon)["history"]] == ["unpin", "pin", "remember"]


def test_forgetting_shows_first_then_retires_or_erases_and_gives_a_receipt(daemon):
    daemon.remember("We deploy only on Tuesdays")
    daemon.remember("The zebra project ends in May")
    path = "/workspace/memories/forget"
    shown = daemon.post(path, {"query": "deploy Tuesdays", "dryRun": True}).json()
    (entry,) = shown["removedEntries"]
    assert "Tuesdays" in entry["summary"]
    assert shown["run"] == ""
    assert "-We deploy only on Tuesdays" in shown["files"][0]["diff"]
    assert rows(daemon)["total"] == 2
    chosen = [f"{entry['scope']}:{entry['id']}"]
    done = daemon.post(path, {"ids": chosen}).json()
    assert done["run"]
    assert done["receipt"]["erased"] is False
    assert rows(daemon)["total"] == 1
    daemon.post("/workspace/undo", {"run": done["run"]})
    assert rows(daemon)["total"] == 2
    erased = daemon.post(path, {"ids": chosen, "erase": True}).json()
    assert erased["receipt"]["erased"] is True
    assert erased["files"] == []
    assert daemon.code(daemon.post(path, {"ids": chosen})) == (404, "topic_not_found")
    assert daemon.code(daemon.post(path, {})) == (400, "invalid_query")
    assert daemon.code(daemon.post(path, {"ids": [1]})) == (400, "invalid_input")


def test_a_dreams_plan_is_shown_as_a_diff_and_writes_nothing(daemon):
    daemon.remember("We deploy only on Tuesdays")
    (row,) = rows(daemon)["memories"]
    found = one(daemon)
    twin = found["text"].rstrip("\n") + "\n\nWe deploy only on Tuesdays\n"
    daemon.post("/workspace/memories/edit", named(found, text=twin, base=found["base"]))
    plan = daemon.post("/workspace/dream/plan").json()
    assert plan["dryRun"] is True
    assert [op["op"] for op in plan["ops"]] == ["merge"]
    assert "\n-We deploy only on Tuesdays" in plan["files"][0]["diff"]
    assert one(daemon)["text"] == twin
    assert rows(daemon)["memories"][0]["rel"] == row["rel"]


def test_trust_is_switched_and_taken_back(daemon):
    assert daemon.post("/workspace/trust", {"trusted": False}).json()["trusted"] is False
    assert daemon.get("/workspace/context/tree").json()["trust"]["trusted"] is False
    refused = daemon.post("/workspace/memory/remember", {"content": "x y z"})
    assert daemon.code(refused) == (403, "untrusted_workspace")
    assert daemon.post("/workspace/trust", {"trusted": None}).json()["trusted"] is True
    assert daemon.code(daemon.post("/workspace/trust", {})) == (400, "invalid_input")


def test_an_untrusted_folder_is_closed_at_once_and_its_settings_follow_trust(daemon, project):
    (project / "MEMORY.md").write_text("# Notes\n\nthe walrus protocol\n")
    (project / ".reverie").mkdir()
    (project / ".reverie" / "config.toml").write_text("[search]\nmin_score = 1.0\n")
    query = {"query": "who keeps the walrus protocol of the harbour?"}  # no certain answer
    (hit,) = daemon.post("/workspace/search", query).json()["results"]
    assert hit["provenance"] == "repository"
    assert daemon.get("/workspace/context/tree").json()["trust"]["verdict"] == "unknown"
    files = daemon.get("/workspace/stats").json()["totalFiles"]
    assert daemon.post("/workspace/trust", {"trusted": True}).json()["verdict"] == "trusted"
    assert daemon.post("/workspace/search", query).json()["results"] == []
    assert daemon.post("/workspace/trust", {"trusted": False}).json()["verdict"] == "untrusted"
    assert daemon.post("/workspace/search", {**query, "minScore": 0}).json()["results"] == []
    assert daemon.get("/workspace/stats").json()["totalFiles"] == files - 1
    refused = daemon.post("/workspace/get", {"path": "MEMORY.md"})
    assert daemon.code(refused) == (403, "untrusted_workspace")


def test_readers_of_events_hear_of_edits_layers_and_trust(daemon):
    daemon.remember("We deploy only on Tuesdays")
    found = one(daemon)
    with stream(daemon) as take:
        daemon.post("/workspace/memories/pin", named(found, pinned=True))
        daemon.post("/workspace/layers/edit", {"rel": "core/X.md", "text": "x\n"})
        daemon.post("/workspace/trust", {"trusted": True})
        seen = [take() for _ in range(3)]
    assert [(event["type"], event["data"].get("source")) for event in seen] == [
        ("memory_changed", "workspace_pin"),
        ("layer_changed", None),
        ("trust_changed", None),
    ]
