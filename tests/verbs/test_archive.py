"""Archiving: the old content is aside, and still loaded."""

from __future__ import annotations

import pytest

from reverie.types import Archived, Skipped


@pytest.fixture
def filled(project):
    (project / "docs").mkdir()
    (project / "docs" / "a.md").write_text("# Docs\n", encoding="utf-8")
    path = project / "AGENTS.md"
    path.write_text("# Old\r\n\r\n@./docs/a.md\r\n@types/node\r\n", encoding="utf-8", newline="")
    return path


def test_the_content_moves_aside_and_an_import_stays(project, memory, filled):
    outcome = memory.archive_context()
    assert isinstance(outcome, Archived)
    assert outcome.archive == str(project / ".reverie" / "archive" / "AGENTS-20260501.md")
    assert filled.read_bytes().decode() == (
        "# Project Context\r\n\r\n<!-- @import: .reverie/archive/AGENTS-20260501.md -->\r\n\r\n"
        "## Current Context\r\n"
    )


def test_imports_of_the_archived_text_still_lead_to_their_files(memory, filled):
    before = memory.context()
    memory.archive_context()
    after = memory.context()
    assert not after.diagnostics
    assert "# Docs" in after.text
    assert "@types/node" in after.text
    assert before.files[0].imports[0].path == after.files[0].imports[1].path


def test_a_second_archive_of_a_day_gets_its_own_name(memory, filled):
    memory.archive_context()
    assert memory.archive_context().archive.endswith("AGENTS-20260501-2.md")


def test_an_archive_is_one_run_and_can_be_undone(memory, filled):
    before = filled.read_bytes()
    outcome = memory.archive_context()
    memory.undo(outcome.run)
    assert filled.read_bytes() == before
    assert memory.store.read(outcome.archive) is None


def test_a_dry_run_writes_nothing(memory, filled):
    before = filled.read_bytes()
    assert memory.archive_context(dry_run=True).run == ""
    assert filled.read_bytes() == before


def test_the_persons_own_file_is_archived_in_the_home(private_home, memory):
    path = private_home / ".reverie" / "AGENTS.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# Mine\n", encoding="utf-8")
    outcome = memory.archive_context(scope="global")
    assert outcome.archive == str(private_home / ".reverie" / "archive" / "AGENTS-20260501.md")
    assert "# Mine" in memory.context().text


def test_nothing_to_move_is_no_error(memory, project):
    assert isinstance(memory.archive_context(), Skipped)
    (project / "AGENTS.md").write_text(" \n", encoding="utf-8")
    assert memory.archive_context().reason == "empty"
