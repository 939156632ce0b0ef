"""Draft: an overlay that an agent edits, with no way out of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.asking.draft import (
    MAX_FILE_CHARS,
    MAX_FILES_CHANGED,
    TOOLS,
    Draft,
    changes_of,
    edit,
    grep,
    ls,
    read_file,
    resolve,
    use_tool,
    write_file,
)
from reverie.core.text.plain import digest
from reverie.errors import (
    InvalidArgument,
    InvalidInput,
    InvalidPath,
    PathNotFound,
    PinnedFile,
    RememberPathEscape,
)

ROOTS = {"user": "/home/me/memories", "project": "/home/me/projects/p/memory"}
TEXT = "---\nname: Tabs\ntype: user\n---\n\nTabs, not spaces.\nTabs again.\n"
FILES = {
    "user/user/tabs.md": TEXT,
    "user/pinned/law.md": "keep\n",
    "project/win.md": "one\r\ntwo\r\n",
}
DRAFT = Draft(ROOTS, FILES, FILES)


def test_what_is_written_is_the_difference_and_knows_its_base():
    draft = write_file(DRAFT, "project/new.md", "fresh\n")
    draft = edit(draft, "user/user/tabs.md", "Tabs again.", "Always.")
    assert [(c.path, c.text, c.base) for c in changes_of(draft)] == [
        ("/home/me/projects/p/memory/new.md", "fresh\n", None),
        ("/home/me/memories/user/tabs.md", TEXT.replace("Tabs again.", "Always."), digest(TEXT)),
    ]
    assert not changes_of(DRAFT)


def test_writing_back_what_was_there_is_no_change():
    draft = edit(DRAFT, "user/user/tabs.md", "Tabs again.", "x")
    assert not edit(draft, "user/user/tabs.md", "\nx\n", "\nTabs again.\n").changed


def test_empty_content_removes_a_file():
    draft = write_file(DRAFT, "user/user/tabs.md", "  \n")
    (change,) = changes_of(draft)
    assert (change.text, change.base) == (None, digest(TEXT))
    with pytest.raises(PathNotFound):
        write_file(DRAFT, "user/user/nothing.md", "")


def test_an_edit_keeps_the_line_ends_of_the_file():
    draft = edit(DRAFT, "project/win.md", "one\ntwo", "1\n2")
    assert draft.files["project/win.md"] == "1\r\n2\r\n"


def test_an_edit_must_be_clear():
    with pytest.raises(InvalidArgument, match="is not in"):
        edit(DRAFT, "user/user/tabs.md", "nowhere", "x")
    with pytest.raises(InvalidArgument, match="3 times"):
        edit(DRAFT, "user/user/tabs.md", "Tabs", "Tab")
    assert (
        "Tab, not"
        in edit(DRAFT, "user/user/tabs.md", "Tabs", "Tab", replace_all=True).files[
            "user/user/tabs.md"
        ]
    )


def test_reading_searching_and_listing():
    assert read_file(DRAFT, "user/user/tabs.md", offset=5, limit=1) == (
        "Tabs, not spaces.\n(1 more lines; read on with offset)"
    )
    assert grep(DRAFT, "TABS", path="user") == (
        "user/user/tabs.md:2: name: Tabs\n"
        "user/user/tabs.md:6: Tabs, not spaces.\nuser/user/tabs.md:7: Tabs again."
    )
    assert grep(DRAFT, "(a+)+$") == "no line holds this"
    assert ls(DRAFT, "user/user") == "user/user/tabs.md"
    assert ls(DRAFT).splitlines() == sorted(FILES)


def test_the_absolute_path_of_a_memory_file_is_understood():
    assert resolve(DRAFT, "/home/me/memories/user/tabs.md") == "user/user/tabs.md"
    assert resolve(DRAFT, "./user//user/./tabs.md") == "user/user/tabs.md"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd", "/home/me/memories-evil/x.md", "/home/me/memories/../x.md", "../x.md",
        "user/../../x.md", "user/..", "~/x.md", "~root/.ssh/id", "C:/x.md", "c:\\x.md",
        "file:///etc/passwd", "\\\\server\\share", "user\\..\\x.md", "user/．．/x.md", "／etc/passwd",
        "user/ .. /x.md", "user/.../x.md", "$HOME/x.md", "${HOME}/x.md", "%APPDATA%/x.md",
    ],
)  # fmt: skip
def test_no_path_leads_out(path):
    for attempt in (
        lambda: read_file(DRAFT, path),
        lambda: write_file(DRAFT, path, "x"),
        lambda: edit(DRAFT, path, "a", "b"),
        lambda: ls(DRAFT, path),
        lambda: grep(DRAFT, "x", path=path),
    ):
        with pytest.raises(RememberPathEscape):
            attempt()


@pytest.mark.parametrize(
    "path",
    [
        "user/MEMORY.md", "user/user/memory.md", "user/.hidden/x.md", "user/x.txt", "user/x", "user",
        "", "other/x.md", "user/x\x00.md", "user/x\u202e.md", "user/x.md.", "USER/x.md",
        "user/" + "x" * 300 + ".md",
    ],
)  # fmt: skip
def test_only_memory_files_are_written(path):
    with pytest.raises(InvalidPath):
        write_file(DRAFT, path, "x")


def test_pinned_files_are_read_and_not_written():
    assert read_file(DRAFT, "user/pinned/law.md") == "keep"
    for path in ("user/pinned/law.md", "user/Pinned/new.md"):
        with pytest.raises(PinnedFile):
            write_file(DRAFT, path, "x")


def test_a_hidden_file_can_be_neither_read_nor_overwritten():
    draft = Draft(ROOTS, {}, {}, frozenset(FILES))
    assert ls(draft) == "there are no files"
    with pytest.raises(PathNotFound):
        read_file(draft, "user/user/tabs.md")
    with pytest.raises(InvalidPath, match="taken"):
        write_file(draft, "user/user/tabs.md", "x")


def test_a_draft_has_limits():
    with pytest.raises(InvalidArgument, match="characters"):
        write_file(DRAFT, "user/big.md", "x" * (MAX_FILE_CHARS + 1))
    draft = DRAFT
    for number in range(MAX_FILES_CHANGED):
        draft = write_file(draft, f"user/n{number}.md", "x")
    with pytest.raises(InvalidArgument, match="may change"):
        write_file(draft, "user/one-more.md", "x")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("shell", "{}"), ("ls", "[1]"), ("ls", "{"), ("ls", '{"depth": 2}'), ("read_file", "{}"),
        ("read_file", '{"path": 7}'), ("read_file", '{"path": "user/x.md", "limit": true}'),
        ("edit", '{"path": "user/x.md"}'), ("ls", "[" * 100_000), ("grep", '{"pattern": " "}'),
    ],
)  # fmt: skip
def test_wrong_calls_are_told_what_is_wrong(tool, arguments):
    with pytest.raises(InvalidArgument):
        use_tool(DRAFT, tool, arguments)


def test_tools_are_used_by_name():
    draft, told = use_tool(DRAFT, "write_file", '{"path": "user/a.md", "content": "x"}')
    assert (draft.changed, told) == (["user/a.md"], "done")
    assert use_tool(draft, "ls", "")[1].startswith("project/")
    assert [tool.name for tool in TOOLS] == ["read_file", "grep", "ls", "write_file", "edit"]


@given(st.text(max_size=60), st.text(max_size=40))
def test_whatever_is_named_stays_inside(path, content):
    try:
        draft, _ = use_tool(DRAFT, "write_file", json.dumps({"path": path, "content": content}))
    except (InvalidInput, PathNotFound, PinnedFile, RememberPathEscape):
        return
    for change in changes_of(draft):
        root = next(root for root in ROOTS.values() if change.path.startswith(f"{root}/"))
        parts = change.path.removeprefix(f"{root}/").split("/")
        assert ".." not in parts
        assert change.path.endswith(".md")
