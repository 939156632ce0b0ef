"""The tree of an agent: names, scaffold, limits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reverie.core.layers import tree
from reverie.errors import BadSetting
from reverie.types import Workspace

WORKSPACE = Workspace(
    cwd="/w", project_root=None, project_id="w", home="/h", user_memory="/h/memories",
    project_memory="/h/p", project_state="/h/p", state="/h/state",
)  # fmt: skip


@pytest.mark.parametrize("name", ["default", "Ada", "日本語", "a.b-c_d e", "x@y+z", "v2"])
def test_an_agent_lives_in_a_folder_of_its_name(name: str) -> None:
    assert tree.agent_root(replace(WORKSPACE, agent=name)) == f"/h/agents/{name}"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../x", "a\\b", "a\x00", "a\n", " a", "a.", "a ", "x" * 65, "-x"]
)
def test_an_agents_name_is_no_path(name: str) -> None:
    with pytest.raises(BadSetting):
        tree.agent_root(replace(WORKSPACE, agent=name))


def test_a_fresh_tree_has_the_documents_files_and_headings() -> None:
    files = tree.scaffold("Ada", core_limit=6000, working_limit=8000)

    assert sorted(files) == [
        "README.md",
        "core/AGENT.md",
        "core/SOUL.md",
        "core/USER.md",
        "semantic/facts.md",
        "semantic/preferences.md",
        "semantic/projects.md",
        "working/WORKING_MEMORY.md",
    ]
    assert "I am Ada" in files["core/AGENT.md"]
    headings = [line[3:] for line in files[tree.WORKING].splitlines() if line.startswith("## ")]
    assert headings == [
        "Current Priorities",
        "Active Tasks",
        "Open Threads",
        "Recent Progress",
        "Pending Checks",
        "Temporary Context",
    ]
    assert files[tree.WORKING].count("- None") == 6
    assert tree.parse_layer_file("core/AGENT.md", files["core/AGENT.md"], limit=1).limit == 6000


@pytest.mark.parametrize(
    ("head", "limit", "has_problem"),
    [
        ("limit: 100", 100, False),
        ("limit: 1_000", 1000, False),
        ('limit: "200"', 200, False),
        ("limit:", 50, False),
        ("limit: 0", 50, True),
        ("limit: -5", 50, True),
        ("limit: lots", 50, True),
        ("limit: 99999999999999", 50, True),
        ("limit: ٣٠", 50, True),
    ],
)
def test_a_limit_counts_where_it_is_a_number(head: str, limit: int, has_problem: bool) -> None:
    file = tree.parse_layer_file(
        "core/X.md", f"---\n{head}\ndescription: it\n---\nbody\n", limit=50
    )

    assert (file.limit, bool(file.problem)) == (limit, has_problem)
    assert (file.body, file.description) == ("body\n", "it")


def test_a_file_without_frontmatter_is_all_body() -> None:
    file = tree.parse_layer_file("core/X.md", "\ufeff# Title\n", limit=50)

    assert (file.body, file.description, file.limit) == ("# Title\n", "", 50)
