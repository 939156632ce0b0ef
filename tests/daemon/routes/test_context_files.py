"""Context files over HTTP: listing, appending, replacing."""

from __future__ import annotations

import pytest


def test_an_empty_workspace_has_no_files(daemon, project):
    assert daemon.get("/workspace/memory").json() == {
        "v": 1,
        "workspaceCwd": str(project),
        "initialized": True,
        "files": [],
        "totalBytes": 0,
        "fileCount": 0,
        "ruleCount": 0,
    }


def test_files_of_both_scopes_are_listed_with_their_sizes(daemon, project, tmp_path):
    (project / "AGENTS.md").write_text("# Rules\nUse tabs — always\n", encoding="utf-8")
    (tmp_path / "base" / "AGENTS.md").write_text("be brief\n")
    listed = daemon.get("/workspace/memory").json()
    found = {item["scope"]: item for item in listed["files"]}
    assert found["workspace"] == {
        "kind": "memory_file",
        "path": str(project / "AGENTS.md"),
        "scope": "workspace",
        "bytes": len("# Rules\nUse tabs — always\n".encode()),
    }
    assert found["global"]["path"] == str(tmp_path / "base" / "AGENTS.md")
    assert (listed["fileCount"], listed["totalBytes"]) == (
        2, sum(item["bytes"] for item in listed["files"]),
    )  # fmt: skip


def test_a_broken_import_is_told_beside_the_files(daemon, project):
    (project / "AGENTS.md").write_text("@missing.md\n")
    (cell,) = daemon.get("/workspace/memory").json()["errors"]
    assert (cell["kind"], cell["status"]) == ("memory_file", "warning")
    assert "missing.md" in cell["error"]


def test_appended_lines_go_into_the_section_and_change_nothing_else(daemon, project):
    path = project / "AGENTS.md"
    path.write_bytes(b"# Mine\r\n\r\n## Added Memories\r\n- old\r\n\r\n## Next\r\ntext\r\n")
    answer = daemon.post(
        "/workspace/memory", {"scope": "workspace", "mode": "append", "content": "\n- new\n"}
    )
    after = b"# Mine\r\n\r\n## Added Memories\r\n- old\r\n- new\r\n\r\n## Next\r\ntext\r\n"
    assert path.read_bytes() == after
    assert answer.json() == {
        "ok": True,
        "filePath": str(path),
        "bytesWritten": len(after),
        "mode": "append",
        "changed": True,
    }


def test_a_missing_file_is_made_with_its_section_and_append_is_the_default(daemon, tmp_path):
    answer = daemon.post(
        "/workspace/memory", {"scope": "global", "content": "Prefers metric units"}
    )
    assert answer.json()["mode"] == "append"
    text = (tmp_path / "base" / "AGENTS.md").read_text()
    assert text == "## Added Memories\nPrefers metric units\n"


def test_replacing_takes_the_text_as_it_is_and_can_be_undone(daemon, project):
    path = project / "AGENTS.md"
    path.write_text("old text\n")
    body = {"scope": "workspace", "mode": "replace", "content": "no newline at the end"}
    assert daemon.post("/workspace/memory", body).json()["bytesWritten"] == 21
    assert path.read_text() == "no newline at the end"
    run = daemon.get("/workspace/log").json()["runs"][0]["id"]
    assert daemon.post("/workspace/undo", {"run": run}).status_code == 200
    assert path.read_text() == "old text\n"


def test_appending_blanks_changes_nothing_and_makes_nothing(daemon, project):
    body = {"scope": "workspace", "mode": "append", "content": " \n\t"}
    answer = daemon.post("/workspace/memory", body).json()
    assert (answer["changed"], answer["bytesWritten"]) == (False, 0)
    assert not (project / "AGENTS.md").exists()


BAD = [
    ({"content": "x"}, 400, "invalid_scope"),
    ({"scope": "project", "content": "x"}, 400, "invalid_scope"),
    ({"scope": 1, "content": "x"}, 400, "invalid_scope"),
    ({"scope": "global", "mode": "prepend", "content": "x"}, 400, "invalid_mode"),
    ({"scope": "global", "mode": "", "content": "x"}, 400, "invalid_mode"),
    ({"scope": "global"}, 400, "invalid_content"),
    ({"scope": "global", "content": None}, 400, "invalid_content"),
    ({"scope": "global", "content": 1}, 400, "invalid_content"),
    ({"scope": "global", "content": "\udfff"}, 400, "invalid_content"),
    ({"scope": "global", "content": "a\x00b"}, 400, "invalid_content"),
    ({"scope": "global", "content": "a" * (1024 * 1024 + 1)}, 413, "content_too_large"),
    ({"scope": "global", "content": "token ghp_" + "a1B2c3D4e5F6" * 3}, 403, "secret_refused"),
]


def test_a_bad_write_gets_its_code_and_leaves_no_file(daemon, tmp_path):
    for body, status, code in BAD:
        assert daemon.code(daemon.post("/workspace/memory", body)) == (status, code), body
    assert not (tmp_path / "base" / "AGENTS.md").exists()


def test_exactly_one_mebibyte_is_allowed(daemon):
    body = {"scope": "global", "mode": "replace", "content": "a" * 1024 * 1024}
    assert daemon.post("/workspace/memory", body).status_code == 200


def test_a_file_that_has_grown_too_large_is_not_touched(daemon, project):
    path = project / "AGENTS.md"
    path.write_text("x" * (16 * 1024 * 1024 + 1))
    answer = daemon.post("/workspace/memory", {"scope": "workspace", "content": "y"})
    assert daemon.code(answer) == (413, "memory_file_too_large")
    assert path.stat().st_size == 16 * 1024 * 1024 + 1


def test_a_named_workspace_has_its_own_file_but_not_the_global_one(start, project, tmp_path):
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    daemon = start(project, other)
    identity = daemon.host.workspaces[1].id
    assert daemon.post(f"/workspaces/{identity}/memory", {"content": "here"}).status_code == 200
    assert "here" in (other / "AGENTS.md").read_text()
    assert not (project / "AGENTS.md").exists()
    refused = daemon.post(f"/workspaces/{identity}/memory", {"scope": "global", "content": "x"})
    assert daemon.code(refused) == (400, "invalid_scope")


@pytest.mark.parametrize("dialect", ["qwen"])
def test_in_another_dialect_its_own_names_are_used(start, project, dialect):
    daemon = start(dialect=dialect)
    daemon.post("/workspace/memory", {"scope": "workspace", "content": "- with pnpm"})
    assert (project / "QWEN.md").read_text() == "## Qwen Added Memories\n- with pnpm\n"


def test_a_file_that_is_no_utf8_text_is_refused_with_its_code_and_left_as_it_is(daemon, project):
    path = project / "AGENTS.md"
    path.write_bytes(b"# Caf\xe9\n")
    answer = daemon.post("/workspace/memory", {"scope": "workspace", "content": "- new"})
    assert daemon.code(answer) == (409, "not_text")
    assert path.read_bytes() == b"# Caf\xe9\n"
    assert daemon.get("/workspace/memory").status_code == 200
