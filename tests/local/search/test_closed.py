"""A project that is not trusted: nothing that came with it is found, counted, read, recalled or watched."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.errors import PathEscape, UntrustedFolder
from reverie.local.context.trust import trust_file
from reverie.local.recall.quick import quick_recall
from tests.core.context.test_git_index import index

WORDS = "the walrus protocol"


@pytest.fixture
def stranger(project):
    (project / "memory" / "deep").mkdir(parents=True)
    (project / "MEMORY.md").write_text(f"# Notes\n\n{WORDS} is announced here\n")
    (project / "memory" / "deep" / "a.md").write_text(f"# Deep\n\n{WORDS} is explained below\n")
    return project


def found(memory):
    return {item.path: item.provenance for item in memory.search(WORDS, min_score=0).results}


def test_what_came_with_the_repository_is_found_and_marked(open_memory, stranger):
    memory = open_memory()
    memory.remember(f"{WORDS} is ours alone")
    shown = found(memory)
    assert shown.pop("MEMORY.md") == "repository"
    assert shown.pop("memory/deep/a.md") == "repository"
    assert list(shown.values()) == [""]
    assert memory.get("MEMORY.md").provenance == "repository"
    assert memory.get(next(iter(shown))).provenance == ""


def test_without_trust_nothing_of_it_comes_back_not_even_from_the_index(open_memory, stranger):
    memory = open_memory()
    before = memory.stats().total_files
    assert len(found(memory)) == 2
    memory.trust(trusted=False)
    for other in (memory, open_memory()):  # one that was open all the time, and a new one
        assert found(other) == {}
        assert other.stats().total_files == before - 2
        assert other.index().problems == ()
        assert not any(str(stranger) in place for place in other.search_index.searched)
    memory.trust()
    assert len(found(memory)) == 2


@pytest.mark.parametrize(
    "path", ["MEMORY.md", "memory/deep/a.md", "{project}/MEMORY.md", "./memory/../MEMORY.md"]
)
def test_without_trust_nothing_of_it_is_read(open_memory, stranger, path):
    memory = open_memory()
    memory.trust(trusted=False)
    with pytest.raises(UntrustedFolder, match="reverie trust"):
        memory.get(path.format(project=stranger))


def test_naming_the_whole_project_as_an_extra_path_opens_no_back_door(open_memory, stranger):
    (stranger / "docs").mkdir()
    (stranger / "docs" / "b.md").write_text("a document about walruses")
    memory = open_memory(settings={"search.extra_paths": [str(stranger)]})
    memory.trust(trusted=False)
    assert found(memory).keys() <= {str(stranger / "docs" / "b.md")}
    assert memory.get(str(stranger / "docs" / "b.md")).found
    with pytest.raises(UntrustedFolder):
        memory.get(str(stranger / "memory" / "deep" / "a.md"))


def test_project_memory_kept_in_the_project_comes_with_it(open_memory, stranger, monkeypatch):
    monkeypatch.setenv("REVERIE_MEMORY_LOCAL", "1")
    memory = open_memory()
    memory.remember(f"{WORDS} lies in the project", scope="project")
    assert set(found(memory).values()) == {"repository"}
    memory.trust(trusted=False)
    assert found(memory) == {}


def test_without_trust_no_prompt_sees_project_memory_kept_in_the_project(
    open_memory, stranger, monkeypatch
):
    monkeypatch.setenv("REVERIE_MEMORY_LOCAL", "1")
    memory = open_memory()
    memory.remember("A gnu was seen at the walruses", scope="project", name="walruses seen")
    memory.remember("The walruses have many tusks", scope="user", name="walruses counted")
    assert {item.name for item in memory.recall("walruses").topics} == {
        "walruses seen",
        "walruses counted",
    }
    assert "walruses seen" in memory.prompt().text
    memory.trust(trusted=False)
    for asked in (memory, open_memory()):
        for strategy in (None, "heuristic"):
            recalled = asked.recall("walruses", strategy=strategy)
            assert [item.name for item in recalled.topics] == ["walruses counted"]
        assert "walruses seen" not in asked.prompt("walruses").text
    memory.trust(trusted=True)
    assert len(memory.recall("walruses").topics) == 2


def test_memory_that_came_with_the_folder_says_so_when_it_is_recalled(
    open_memory, stranger, monkeypatch
):
    monkeypatch.setenv("REVERIE_MEMORY_LOCAL", "1")
    memory = open_memory()
    memory.remember("The walruses have many tusks", scope="project", name="walruses counted")
    planted = Path(memory.workspace.project_memory, "planted.md")
    planted.write_text("---\nname: walruses rule\ndescription: d\ntype: project\n---\n\nwalruses\n")
    whence = {item.name: item.imported for item in memory.recall("walruses").topics}
    assert whence == {"walruses counted": "", "walruses rule": "the project's folder"}


def test_a_hook_does_not_recall_from_the_project_what_only_another_process_kept_there(
    open_memory, stranger, monkeypatch
):
    monkeypatch.setenv("REVERIE_MEMORY_LOCAL", "1")
    memory = open_memory()
    memory.remember("The walruses have many tusks", scope="project", name="walruses counted")
    assert memory.recall("walruses").topics
    state, base = memory.workspace.state, memory.workspace.base
    memory.close()
    monkeypatch.delenv("REVERIE_MEMORY_LOCAL")
    answer = quick_recall("walruses", state=state, project=base, started=0.0)
    assert answer is None or not answer.block


def test_a_folder_that_settings_name_in_every_project_comes_with_each(open_memory, stranger):
    (stranger / "docs").mkdir()
    (stranger / "docs" / "b.md").write_text("a document about walruses")
    memory = open_memory(settings={"search.extra_paths": ["docs"]})
    assert found(memory)[str(stranger / "docs" / "b.md")] == "repository"
    memory.trust(trusted=False)
    assert found(memory) == {}


def test_a_link_in_the_place_of_such_a_folder_leads_nowhere(open_memory, stranger, tmp_path):
    private = tmp_path / "private"
    private.mkdir()
    (private / "diary.md").write_text("a diary about walruses")
    (stranger / "docs").symlink_to(private)
    memory = open_memory(settings={"search.extra_paths": ["docs", "docs/diary.md"]})
    assert not any("diary" in path for path in found(memory))
    assert [item.code for item in memory.stats().problems] == ["path_escape"] * 2
    for path in ("docs/diary.md", str(private / "diary.md")):
        with pytest.raises(PathEscape):
            memory.get(path)


def test_a_broken_list_of_trusted_folders_closes_it_too(open_memory, stranger):
    memory = open_memory()
    assert found(memory)
    trust_file(memory.workspace).write_text("{")
    assert found(memory) == {}
    assert found(open_memory()) == {}


def test_without_folder_trust_a_folder_nobody_judged_is_closed(open_memory, stranger):
    assert found(open_memory(settings={"context.folder_trust": False})) == {}


def test_a_link_shows_nothing_that_the_repository_did_not_bring(open_memory, stranger):
    """A link in the place of a memory is judged as the import of what it leads to."""
    private = {
        ".env": f"{WORDS} in the environment",
        ".git/config": f"{WORDS} in git's own file",
        "docs/ignored.md": f"{WORDS} is not tracked",
        "key.pem": f"{WORDS} as a key",
    }
    for name, text in {**private, "docs/open.md": f"{WORDS} in the open", ".git/HEAD": "x"}.items():
        (stranger / name).parent.mkdir(exist_ok=True)
        (stranger / name).write_text(f"{text}\n")
    (stranger / ".git" / "index").write_bytes(index([b"docs/open.md"]))
    for number, name in enumerate(private):
        (stranger / "memory" / f"l{number}.md").symlink_to(stranger / name)
        (stranger / f"x{number}.md").symlink_to(name)
    (stranger / "memory" / "open.md").symlink_to("../docs/open.md")
    (stranger / "MEMORY.md").unlink()
    (stranger / "MEMORY.md").symlink_to(".env")
    memory = open_memory(settings={"search.extra_paths": ["."]})
    texts = {item.text for item in memory.search(WORDS, min_score=0, max_results=100).results}
    assert any("in the open" in text for text in texts)
    found_in = {name for name, text in private.items() if any(text in shown for shown in texts)}
    assert found_in == {
        "docs/ignored.md"
    }  # under its own name, because the person named the folder
    told = {item.path for item in memory.stats().problems if "link" in item.message}
    assert len(told) == 8  # of the nine links the one to docs/ignored.md needs no word
    memory = open_memory(settings={"search.extra_paths": []})
    assert set(found(memory)) == {"memory/deep/a.md", "memory/open.md"}
