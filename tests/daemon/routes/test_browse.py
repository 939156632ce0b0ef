"""What the page reads: figures, lists, one memory with its history, context, settings."""

from __future__ import annotations

from pathlib import Path


def rows(daemon, query: str = ""):
    return daemon.get(f"/workspace/memories{query}").json()


def test_an_empty_memory_has_figures_too(daemon):
    found = daemon.get("/workspace/overview").json()
    assert found["memories"] == found["entries"] == 0
    assert {(item["scope"], item["kind"]) for item in found["counts"]} == {
        (scope, kind)
        for scope in ("user", "project")
        for kind in ("user", "feedback", "project", "reference")
    }
    assert [point["user"] + point["project"] for point in found["growth"]] == [0]
    assert daemon.get("/workspace/doctor").json() == {"findings": [], "checked": 0, "memories": 0}


def test_figures_follow_what_is_remembered(daemon):
    daemon.remember("We deploy only on Tuesdays. Why: the rota changes on Wednesday")
    daemon.remember("I prefer short answers")
    found = daemon.get("/workspace/overview").json()
    assert found["memories"] == sum(item["memories"] for item in found["counts"]) == 2
    last = found["growth"][-1]
    assert last["user"] + last["project"] == 2


def test_memories_are_filtered_by_scope_kind_and_words_and_come_in_pages(daemon):
    daemon.remember("We deploy only on Tuesdays")
    daemon.remember("The wiki is at https://wiki.example.org/start")
    daemon.remember("I prefer short answers")
    every = rows(daemon)
    assert every["total"] == 3
    assert [item["name"] for item in rows(daemon, "?order=oldest")["memories"]] == [
        item["name"] for item in reversed(every["memories"])
    ]
    assert rows(daemon, "?q=TUESDAYS+deploy")["total"] == 1
    assert rows(daemon, "?q=tuesdays+wiki")["total"] == 0
    one = every["memories"][0]
    assert all(
        item["kind"] == one["kind"] for item in rows(daemon, f"?kind={one['kind']}")["memories"]
    )
    assert all(item["scope"] == "user" for item in rows(daemon, "?scope=user")["memories"])
    page = rows(daemon, "?offset=1&limit=1")
    assert page["memories"] == every["memories"][1:2]
    assert page["total"] == 3
    assert daemon.code(daemon.get("/workspace/memories?kind=cats")) == (400, "invalid_input")


def test_one_memory_says_where_it_came_from(daemon):
    daemon.remember("We deploy only on Tuesdays. Why: the rota changes on Wednesday")
    (row,) = rows(daemon)["memories"]
    found = daemon.get(f"/workspace/memories/topic?scope={row['scope']}&rel={row['rel']}").json()
    (item,) = found["items"]
    assert "Tuesdays" in item["summary"]
    assert "rota" in item["why"]
    assert item["source"]["verb"] == "remember"
    assert item["source"]["run"] == found["history"][0]["id"]
    assert found["text"][found["bodyStart"] :].strip().startswith("We deploy")
    diff = daemon.get(f"/workspace/diff?run={item['source']['run']}").json()
    assert diff["run"]["verb"] == "remember"
    assert [file["status"] for file in diff["files"]] == ["added"]
    assert "+We deploy only on Tuesdays" in diff["files"][0]["diff"]


def test_a_memory_or_a_run_that_is_not_there_is_said_so(daemon):
    missing = daemon.get("/workspace/memories/topic?scope=user&rel=no/where.md")
    assert daemon.code(missing) == (404, "topic_not_found")
    outside = daemon.get("/workspace/memories/topic?scope=user&rel=../../secret.md")
    assert daemon.code(outside) == (404, "topic_not_found")
    assert daemon.code(daemon.get("/workspace/memories/topic?rel=a.md")) == (400, "invalid_scope")
    assert daemon.code(daemon.get("/workspace/diff?run=nosuchrun")) == (404, "run_not_found")


def test_settings_say_where_each_value_came_from(daemon):
    found = {row["key"]: row for row in daemon.get("/workspace/settings").json()["settings"]}
    assert found["recall.limit"]["origin"] == "default"
    assert found["recall.limit"]["value"] == found["recall.limit"]["usual"]
    assert found["memory.enabled"]["about"]


def test_the_context_is_a_tree_of_files_and_imports_with_their_tokens(daemon, project: Path):
    (project / "style.md").write_text("Two spaces.\n")
    (project / "REVERIE.md").write_text("# Rules\n\n@./style.md\n\n@./gone.md\n")
    found = daemon.get("/workspace/context/tree").json()
    (file,) = found["files"]
    assert file["path"].endswith("REVERIE.md")
    (imported,) = file["imports"]
    assert imported["path"].endswith("style.md")
    assert 0 < imported["own"] < file["tokens"]
    assert found["diagnostics"]
    assert found["trust"]["trusted"] is True
