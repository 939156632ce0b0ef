"""Anthropic's memory tool: its commands and path rules, called as the SDK's runner calls them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError

from reverie.adapters.anthropic_memory import AsyncReverieMemoryTool, ReverieMemoryTool

pytestmark = pytest.mark.slow


@pytest.fixture
def tool(memory):
    return ReverieMemoryTool(memory)


def call(tool, command, **arguments):
    return tool.call({"command": command, **arguments})


def create(tool, path, text):
    return call(tool, "create", path=path, file_text=text)


def read(memory, rel):
    return Path(memory.workspace.project_memory, rel).read_bytes().decode()


def test_it_is_the_tool_that_the_sdk_offers(tool):
    assert isinstance(tool, BetaAbstractMemoryTool)
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}


@pytest.mark.parametrize(
    "text",
    ["plain\n", "no end", "a\r\nb\r\n", "", "日本語 🗼\n", "---\nname: x\ntype: user\n---\n- y\n"],
)
def test_a_created_file_holds_exactly_the_text(tool, memory, text):
    create(tool, "/memories/notes/a.md", text)
    assert read(memory, "notes/a.md") == text


def test_creating_what_exists_is_refused(tool, memory):
    create(tool, "/memories/a.md", "one\n")
    with pytest.raises(ToolError, match="exists already"):
        create(tool, "/memories/a.md", "two\n")
    assert read(memory, "a.md") == "one\n"


def test_viewing_the_folder_lists_two_levels_with_sizes(tool):
    create(tool, "/memories/a.md", "x" * 10)
    create(tool, "/memories/one/two/three.md", "y" * 2048)
    lines = call(tool, "view", path="/memories").splitlines()
    assert "10B\t/memories/a.md" in lines
    assert "2K\t/memories/one/" in lines
    assert "2K\t/memories/one/two/" in lines
    assert not any("three.md" in line for line in lines)
    assert "2K\t/memories/one/two/three.md" in call(tool, "view", path="/memories/one/")


def test_an_empty_memory_can_be_viewed(tool):
    assert "/memories" in call(tool, "view", path="/memories")


def test_viewing_a_file_numbers_its_lines(tool):
    create(tool, "/memories/a.md", "one\ntwo\nthree\n")
    assert call(tool, "view", path="/memories/a.md").splitlines()[1:] == [
        "     1\tone",
        "     2\ttwo",
        "     3\tthree",
        "     4\t",
    ]
    shown = call(tool, "view", path="/memories/a.md", view_range=[2, 3])
    assert shown.splitlines()[1:] == ["     2\ttwo", "     3\tthree"]
    assert call(tool, "view", path="/memories/a.md", view_range=[3, -1]).endswith("     4\t")


def test_replacing_changes_one_passage_and_nothing_else(tool, memory):
    create(tool, "/memories/a.md", "red\r\ngreen\r\nblue")
    shown = call(tool, "str_replace", path="/memories/a.md", old_str="green", new_str="grün")
    assert read(memory, "a.md") == "red\r\ngrün\r\nblue"
    assert "     2\tgrün" in shown


def test_replacing_what_is_not_there_or_there_twice_is_refused(tool, memory):
    create(tool, "/memories/a.md", "aa\nb\naa\n")
    for old, reason in (("zz", "is not in"), ("aa", "lines 1, 3"), ("", "is not in")):
        with pytest.raises(ToolError, match=reason):
            call(tool, "str_replace", path="/memories/a.md", old_str=old, new_str="c")
    assert read(memory, "a.md") == "aa\nb\naa\n"


@pytest.mark.parametrize(
    ("before", "line", "added", "after"),
    [
        ("a\nb\n", 0, "x", "x\na\nb\n"),
        ("a\nb\n", 1, "x\n", "a\nx\nb\n"),
        ("a\nb\n", 2, "x", "a\nb\nx\n"),
        ("a\nb", 2, "x", "a\nb\nx\n"),
        ("", 0, "x", "x\n"),
        ("a\r\nb\r\n", 1, "x\r\n", "a\r\nx\r\nb\r\n"),
    ],
)
def test_inserting_puts_text_after_a_line(tool, memory, before, line, added, after):
    create(tool, "/memories/a.md", before)
    call(tool, "insert", path="/memories/a.md", insert_line=line, insert_text=added)
    assert read(memory, "a.md") == after


@pytest.mark.parametrize("line", [-1, 3])
def test_inserting_outside_of_the_file_is_refused(tool, line):
    create(tool, "/memories/a.md", "a\nb\n")
    with pytest.raises(ToolError, match="from 0 to 2"):
        call(tool, "insert", path="/memories/a.md", insert_line=line, insert_text="x")


def test_deleting_a_file_and_a_folder_is_one_run_each_and_can_be_undone(tool, memory):
    create(tool, "/memories/d/a.md", "a\n")
    create(tool, "/memories/d/e/b.md", "b\n")
    call(tool, "delete", path="/memories/d")
    with pytest.raises(ToolError, match="no file"):
        call(tool, "view", path="/memories/d/a.md")
    memory.undo(memory.log()[0].id)
    assert read(memory, "d/e/b.md") == "b\n"
    call(tool, "delete", path="/memories/d/a.md")
    assert not Path(memory.workspace.project_memory, "d/a.md").exists()


def test_renaming_moves_files_and_folders_but_never_over_others(tool, memory):
    create(tool, "/memories/d/a.md", "a\n")
    create(tool, "/memories/d/b.md", "b\n")
    call(tool, "rename", old_path="/memories/d/a.md", new_path="/memories/c.md")
    assert read(memory, "c.md") == "a\n"
    with pytest.raises(ToolError, match="exists already"):
        call(tool, "rename", old_path="/memories/c.md", new_path="/memories/d/b.md")
    call(tool, "rename", old_path="/memories/d", new_path="/memories/deep/er")
    assert read(memory, "deep/er/b.md") == "b\n"
    with pytest.raises(ToolError, match="no file"):
        call(tool, "rename", old_path="/memories/none.md", new_path="/memories/x.md")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "memories/a.md",
        "/memories/../a.md",
        "/memories/../../../etc/x.md",
        "/memories/a/../../b.md",
        "/memories//a.md",
        "/memories/./a.md",
        "/memories/.hidden.md",
        "/memories/.git/x.md",
        "/memories/a\\..\\b.md",
        "/memories/nul\x00.md",
        "/memories/line\nbreak.md",
        "/memories-evil/a.md",
        "/memoriesa.md",
        "/memories/" + "k" * 300 + ".md",
        "",
        "/",
    ],
)
def test_paths_that_are_no_memories_are_refused_by_every_command(tool, memory, path):
    for command, arguments in (
        ("view", {"path": path}),
        ("create", {"path": path, "file_text": "x"}),
        ("str_replace", {"path": path, "old_str": "a", "new_str": "b"}),
        ("insert", {"path": path, "insert_line": 0, "insert_text": "x"}),
        ("delete", {"path": path}),
        ("rename", {"old_path": path, "new_path": "/memories/ok.md"}),
    ):
        with pytest.raises(ToolError):
            call(tool, command, **arguments)
    create(tool, "/memories/ok.md", "x")
    with pytest.raises(ToolError):
        call(tool, "rename", old_path="/memories/ok.md", new_path=path)
    assert [run.paths for run in memory.log()] == [
        (str(Path(memory.workspace.project_memory, "ok.md").resolve()),)
    ]


def test_a_link_out_of_the_folder_is_neither_read_nor_written(tool, memory, tmp_path):
    create(tool, "/memories/a.md", "x\n")
    secret = tmp_path / "secret.md"
    secret.write_text("private\n")
    link = Path(memory.workspace.project_memory, "link.md")
    link.symlink_to(secret)
    for command, arguments in (
        ("view", {}),
        ("str_replace", {"old_str": "private", "new_str": "public"}),
        ("delete", {}),
    ):
        with pytest.raises(ToolError):
            call(tool, command, path="/memories/link.md", **arguments)
    folder = Path(memory.workspace.project_memory, "out")
    folder.symlink_to(tmp_path)
    with pytest.raises(ToolError):
        create(tool, "/memories/out/new.md", "x")
    assert secret.read_text() == "private\n"
    assert not (tmp_path / "new.md").exists()
    assert "/memories/a.md" in call(tool, "view", path="/memories")


def test_the_catalog_and_what_is_pinned_are_read_only(tool, memory):
    memory.remember("Deploys happen on Tuesday.", scope="project")
    pinned = Path(memory.workspace.project_memory, "pinned/rule.md")
    pinned.parent.mkdir()
    pinned.write_text("---\nname: rule\ntype: project\n---\n- keep\n")
    assert "Deploys" in call(tool, "view", path="/memories/MEMORY.md")
    assert "keep" in call(tool, "view", path="/memories/pinned/rule.md")
    for path in ("/memories/MEMORY.md", "/memories/pinned/rule.md", "/memories/pinned"):
        with pytest.raises(ToolError):
            call(tool, "delete", path=path)
    with pytest.raises(ToolError):
        create(tool, "/memories/pinned/more.md", "x")
    tool.clear_all_memory()
    assert pinned.read_text().endswith("- keep\n")
    assert memory.store.topics("project")[0].rel == "pinned/rule.md"


def test_it_sees_what_was_remembered_and_recall_sees_what_it_wrote(tool, memory):
    done = memory.remember("The staging database is called blue-heron.", scope="project")
    rel = done.path.removeprefix(memory.workspace.project_memory + "/")
    assert "blue-heron" in call(tool, "view", path=f"/memories/{rel}")
    create(
        tool,
        "/memories/project/cache.md",
        "---\nname: Cache\ndescription: The cache is Valkey.\ntype: project\n---\n\n- The cache is Valkey.\n",
    )
    assert "Valkey" in memory.recall("which cache do we use?").block


def test_other_files_than_markdown_are_refused_with_a_way_out(tool):
    with pytest.raises(ToolError, match=r"ends in \.md"):
        create(tool, "/memories/todo.txt", "x")


def test_a_secret_is_refused_as_a_tool_error(tool):
    with pytest.raises(ToolError, match="secret"):
        create(
            tool,
            "/memories/a.md",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz9f3Qk2Lp",
        )


@pytest.mark.parametrize("policy", ["refuse", "redact"])
def test_a_secret_names_no_file(open_memory, policy):
    memory = open_memory(settings={"secrets.policy": policy})
    tool, token = ReverieMemoryTool(memory), "ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3"
    create(tool, "/memories/a.md", "tea\n")
    for path in (f"/memories/{token}.md", f"/memories/{token}/b.md"):
        with pytest.raises(ToolError, match="secret"):
            create(tool, path, "tea\n")
        with pytest.raises(ToolError, match="secret"):
            call(tool, "rename", old_path="/memories/a.md", new_path=path)
    assert not [path for path in Path(memory.workspace.home).rglob("*") if token in str(path)]


def test_nothing_can_be_below_a_file(tool, memory):
    create(tool, "/memories/a.md", "tea\n")
    create(tool, "/memories/b.md", "tea\n")
    below = "/memories/a.md/c.md"
    with pytest.raises(ToolError, match="is a file"):
        create(tool, below, "x\n")
    with pytest.raises(ToolError, match="is a file"):
        call(tool, "rename", old_path="/memories/b.md", new_path=below)
    for command, more in (
        ("view", {}),
        ("delete", {}),
        ("insert", {"insert_line": 0, "insert_text": "x"}),
    ):
        with pytest.raises(ToolError, match="There is no file"):
            call(tool, command, path=below, **more)
    assert read(memory, "a.md") == "tea\n"


def test_scopes_are_apart(memory):
    project, user = ReverieMemoryTool(memory), ReverieMemoryTool(memory, scope="user")
    create(project, "/memories/a.md", "p\n")
    create(user, "/memories/a.md", "u\n")
    assert Path(memory.workspace.user_memory, "a.md").read_text() == "u\n"
    assert read(memory, "a.md") == "p\n"


def test_the_asynchronous_tool_does_the_same(memory):
    tool = AsyncReverieMemoryTool(memory)

    async def work():
        await tool.call({"command": "create", "path": "/memories/a.md", "file_text": "one\n"})
        with pytest.raises(ToolError):
            await tool.call({"command": "view", "path": "/etc/passwd"})
        shown = await tool.call({"command": "view", "path": "/memories/a.md"})
        await tool.clear_all_memory()
        return shown

    assert "one" in asyncio.run(work())
    assert not Path(memory.workspace.project_memory, "a.md").exists()
