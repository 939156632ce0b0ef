"""Appending to and replacing context files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import ContentTooLarge, InvalidContent
from reverie.verbs.rewrite import MAX_BYTES, append_lines

HEADER = "## Added Memories"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{HEADER}\nnew\n"),
        ("intro", f"intro\n\n{HEADER}\nnew\n"),
        (f"{HEADER}\n", f"{HEADER}\nnew\n"),
        (f"{HEADER}\n- a\n\n## Next\ntext\n", f"{HEADER}\n- a\nnew\n\n## Next\ntext\n"),
        (f"{HEADER}\r\n- a\r\n", f"{HEADER}\r\n- a\r\nnew\r\n"),
        (
            f"{HEADER}\n```\n## no heading\n```\n\n## Next\n",
            f"{HEADER}\n```\n## no heading\n```\nnew\n\n## Next\n",
        ),
    ],
)
def test_lines_go_where_a_saved_fact_goes(before, after):
    assert append_lines(before, "new", header=HEADER) == after


def test_lines_keep_their_form_and_take_the_files_line_end():
    text = append_lines(f"{HEADER}\r\n", "\n* star\n    indented\r\nlast\n\n", header=HEADER)
    assert text == f"{HEADER}\r\n* star\r\n    indented\r\nlast\r\n"


@given(st.text(alphabet="ab #-`\n\r\ue000", max_size=60), st.text(min_size=1, max_size=30))
def test_whatever_stands_in_the_file_stays_and_the_lines_are_there(before, lines):
    after = append_lines(before, lines, header=HEADER)
    wanted = lines.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    for line in wanted:
        assert line in after
    for line in before.split("\n"):
        assert line.strip("\r") in after


def test_writing_says_what_was_written_and_nothing_changes_twice(memory, project):
    done = memory.write_context("- tabs", scope="project")
    path = project / "AGENTS.md"
    assert (done.path, done.changed, done.bytes_written) == (str(path), True, path.stat().st_size)
    replaced = memory.write_context(path.read_text(), scope="project", mode="replace")
    assert (replaced.changed, replaced.bytes_written, replaced.run) == (False, 0, "")
    emptied = memory.write_context("", scope="project", mode="replace")
    assert emptied.changed
    assert path.read_text() == ""
    memory.undo(emptied.run)
    assert "- tabs" in path.read_text()


def test_the_global_file_is_the_owners_alone_and_the_projects_is_shared(memory):
    ours = memory.write_context("- mine", scope="global")
    theirs = memory.write_context("- everyone's", scope="project")
    assert Path(ours.path).stat().st_mode & 0o077 == 0
    assert Path(theirs.path).stat().st_mode & 0o044


def test_too_much_and_nul_are_refused(memory):
    with pytest.raises(ContentTooLarge):
        memory.write_context("x" * (MAX_BYTES + 1), scope="project")
    with pytest.raises(InvalidContent):
        memory.write_context("a\x00b", scope="project")
    assert not memory.write_context(" \n", scope="project").changed
