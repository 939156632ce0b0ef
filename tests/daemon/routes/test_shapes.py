"""The daemon in the shape of others: mem0's REST, Anthropic's memory tool; off unless asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reverie.daemon.routes import shapes
from reverie.errors import BadSetting
from tests.daemon.conftest import TOKEN, Running

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def shaped(start: Callable[..., Running]) -> Running:
    return start(settings={"daemon.shapes": ("mem0", "anthropic")})


def test_the_routes_are_not_there_unless_asked_for(daemon):
    for path in ("/v1/memories/?user_id=mia", "/memories?user_id=mia"):
        assert daemon.get(path).status_code == 404
    assert daemon.post("/anthropic/memory", {"command": "view"}).status_code == 404
    described = daemon.get("/openapi.json").json()["paths"]
    assert not [path for path in described if path.startswith(("/v1/", "/anthropic"))]


def test_a_shape_that_nobody_knows_is_a_bad_setting():
    with pytest.raises(BadSetting, match="mem0"):
        shapes.endpoints(["zep"])


def test_they_are_described_when_they_are_on_and_need_the_token(shaped):
    described = shaped.get("/openapi.json").json()["paths"]
    assert {"/v1/memories/", "/memories/{memory}", "/search", "/anthropic/memory"} <= set(described)
    assert shaped.get("/v1/memories/?user_id=mia", token=None).status_code == 401
    headers = {"Authorization": f"Token {TOKEN}"}
    assert shaped.get("/v1/ping/", token=None, headers=headers).json()["status"] == "ok"
    headers = {"Authorization": f"Basic {TOKEN}"}
    assert shaped.get("/v1/ping/", token=None, headers=headers).status_code == 401


# --- mem0 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "find", "end"),
    [("/v1/memories", "/v1/memories/search", "/"), ("/memories", "/search", "")],
)
def test_a_memory_lives_through_both_forms_of_mem0(shaped, base, find, end):
    def rows(response):
        assert response.status_code == 200, response.text
        body = response.json()
        return body if base.startswith("/v1") else body["results"]

    added = rows(
        shaped.post(
            f"{base}{end}",
            {"messages": "I like oat milk", "user_id": "mia", "metadata": {"a": 1}},
        )
    )
    assert [item["event"] for item in added] == ["ADD"]
    name = added[0]["id"]
    assert (
        rows(shaped.post(f"{base}{end}", {"messages": "I like oat milk", "user_id": "mia"})) == []
    )
    shaped.post(f"{base}{end}", {"messages": "I like rain", "user_id": "leo"})
    (held,) = rows(shaped.get(f"{base}{end}?user_id=mia"))
    assert (held["id"], held["memory"], held["metadata"]) == (name, "I like oat milk", {"a": 1})
    asked = {"query": "which milk?", "filters": {"user_id": "mia"}}
    assert rows(shaped.post(f"{find}{end}", asked))[0]["id"] == name
    changed = shaped.ask("PUT", f"{base}/{name}{end}", {"text": "I like soy milk"})
    assert changed.json() == {"message": "Memory updated."}
    assert shaped.get(f"{base}/{name}{end}").json()["memory"] == "I like soy milk"
    told = shaped.get(f"{base}/{name}/history{end}").json()
    assert [item["event"] for item in told] == ["ADD", "UPDATE"]
    assert shaped.ask("DELETE", f"{base}/{name}{end}").status_code == 200
    assert shaped.code(shaped.get(f"{base}/{name}{end}")) == (404, "topic_not_found")
    assert shaped.code(shaped.ask("DELETE", f"{base}/{name}{end}")) == (404, "topic_not_found")
    assert shaped.ask("DELETE", f"{base}{end}?user_id=leo").json()["message"].startswith("1 ")
    assert rows(shaped.get(f"{base}{end}?user_id=leo")) == []


def test_nobodys_memories_are_nobodys(shaped):
    assert shaped.code(shaped.get("/memories")) == (400, "invalid_argument")
    assert shaped.code(shaped.ask("DELETE", "/memories")) == (400, "invalid_argument")
    assert shaped.code(shaped.post("/memories", {"messages": "x"})) == (400, "invalid_argument")
    assert shaped.code(shaped.post("/memories", {"user_id": "m"})) == (400, "invalid_content")
    assert shaped.code(shaped.post("/search", {"user_id": "m"})) == (400, "invalid_query")


def test_a_secret_is_refused_over_every_shape(shaped):
    said = {"messages": f"my token is {SECRET}", "user_id": "mia"}
    assert shaped.code(shaped.post("/memories", said)) == (403, "secret_refused")
    made = {"command": "create", "path": "/memories/a.md", "file_text": SECRET}
    assert shaped.code(shaped.post("/anthropic/memory", made)) == (403, "secret_refused")


# --- Anthropic ------------------------------------------------------------------------------------


def tool(daemon: Running, command: str, **more: object) -> tuple[int, str]:
    response = daemon.post("/anthropic/memory", {"command": command, **more})
    body = response.json()
    return response.status_code, body.get("content", body.get("code"))


def test_the_six_commands_of_the_memory_tool_work_on_the_same_files(shaped):
    path = "/memories/team.md"
    text = "---\nname: Team\ndescription: who\ntype: project\n---\n\nMia leads.\n"
    assert tool(shaped, "create", path=path, file_text=text)[0] == 200
    assert tool(shaped, "create", path=path, file_text=text) == (409, "path_taken")
    replaced = tool(shaped, "str_replace", path=path, old_str="Mia", new_str="Leo")
    assert "Leo leads." in replaced[1]
    assert tool(shaped, "insert", path=path, insert_line=7, insert_text="Mia left.")[0] == 200
    assert "Mia left." in tool(shaped, "view", path=path, view_range=[7, -1])[1]
    assert "/memories/team.md" in tool(shaped, "view", path="/memories")[1]
    assert "Leo leads" in shaped.post("/workspace/recall", {"query": "who leads the team"}).text
    moved = tool(shaped, "rename", old_path=path, new_path="/memories/old/team.md")
    assert moved[0] == 200
    assert tool(shaped, "view", path=path) == (404, "path_not_found")
    assert tool(shaped, "delete", path="/memories/old")[0] == 200
    assert tool(shaped, "view", path="/memories/old/team.md") == (404, "path_not_found")


@pytest.mark.parametrize(
    "command",
    [
        {"command": "format"},
        {"command": "view"},
        {"command": "view", "path": "/etc/passwd"},
        {"command": "view", "path": "/memories/../../x"},
        {"command": "view", "path": "/memories", "view_range": [1, "x"]},
        {"command": "insert", "path": "/memories/a.md", "insert_line": True, "insert_text": ""},
        {"command": "create", "path": "/memories/a.md"},
        {"command": "delete", "path": "/memories"},
        {"command": "create", "path": "/memories/a.md", "file_text": "x", "scope": "team"},
        {},
    ],
)
def test_a_command_that_makes_no_sense_is_refused(shaped, command):
    response = shaped.post("/anthropic/memory", command)
    assert response.status_code == 400


def test_the_catalog_and_what_is_pinned_stay(shaped):
    assert tool(shaped, "delete", path="/memories/MEMORY.md") == (403, "pinned_file")
    assert tool(shaped, "create", path="/memories/pinned/a.md", file_text="x") == (
        403,
        "pinned_file",
    )


def test_what_a_tool_wrote_can_be_undone_and_is_told_to_readers(shaped):
    text = "---\nname: Team\ndescription: who\ntype: project\n---\n\nMia leads.\n"
    tool(shaped, "create", path="/memories/team.md", file_text=text)
    run = shaped.get("/workspace/log?limit=1").json()["runs"][0]
    assert run["verb"] == "anthropic-memory"
    events = shaped.on_loop(lambda: list(shaped.host.primary.bus._ring))
    assert "anthropic_memory" in str(events)
    assert shaped.post("/workspace/undo", {"run": run["id"]}).status_code == 200
    assert tool(shaped, "view", path="/memories/team.md") == (404, "path_not_found")
