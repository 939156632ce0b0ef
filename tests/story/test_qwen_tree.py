"""A memory that Qwen Code wrote is read and changed in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.types import Kind, Scope

PREFERENCES = """---
name: 用户偏好
description: 用户是资深 Go 工程师，第一次接触 React
type: user
---

用户是资深 Go 工程师，第一次接触 React

Why: 需要用后端的概念来解释前端
How to apply: 解释前端问题时使用类比
"""
STYLE = """---
name: 反馈规范
description: 保持回复简洁，不要尾部总结
type: feedback
---

# 反馈

- 保持回复简洁
  - **Why:** 用户自己会看 diff
- 不要尾部总结
- 提交前先跑测试
"""


@pytest.fixture
def qwen(open_memory) -> Memory:
    memory = open_memory(dialect="qwen")
    root = Path(memory.workspace.project_memory)
    for rel, text in (("user/preferences.md", PREFERENCES), ("feedback/style.md", STYLE)):
        (root / rel).parent.mkdir(parents=True, exist_ok=True)
        (root / rel).write_text(text, encoding="utf-8")
    return memory


def test_the_tree_stands_where_the_document_says(qwen: Memory, private_home: Path) -> None:
    root = Path(qwen.workspace.project_memory)
    assert root.name == "memory"
    assert root.parent.parent == private_home / ".qwen" / "projects"
    assert Path(qwen.workspace.project_state) == root.parent


def test_existing_topics_are_recalled_with_their_reasons(qwen: Memory) -> None:
    found = qwen.recall("怎么解释 React 的前端问题")
    assert [item.rel for item in found.topics] == ["user/preferences.md"]
    assert "需要用后端的概念来解释前端" in found.block


def test_entries_have_the_ids_of_the_document(qwen: Memory) -> None:
    ids = {entry.id for topic in qwen.store.topics() for entry in topic.entries}
    assert ids == {
        "user/preferences.md",
        "feedback/style.md:1",
        "feedback/style.md:2",
        "feedback/style.md:3",
    }


def test_one_entry_is_forgotten_and_the_catalog_follows(qwen: Memory) -> None:
    qwen.forget("不要尾部总结")
    root = Path(qwen.workspace.project_memory)
    text = (root / "feedback/style.md").read_text(encoding="utf-8")
    assert "- 不要尾部总结" not in text
    assert "# 反馈\n\n- 保持回复简洁\n  - **Why:** 用户自己会看 diff\n- 提交前先跑测试\n" in text
    catalog = (root / "MEMORY.md").read_text(encoding="utf-8")
    assert "- [用户偏好](user/preferences.md) — 用户是资深 Go 工程师，第一次接触 React\n" in catalog


def test_a_new_memory_is_written_in_the_same_form(qwen: Memory) -> None:
    outcome = qwen.remember("移动端发布前冻结合并。Why: 切分支", kind=Kind.PROJECT)
    assert outcome.scope is Scope.PROJECT
    assert Path(outcome.path) == Path(
        qwen.workspace.project_memory, "project/移动端发布前冻结合并.md"
    )
    assert Path(outcome.path).read_text(encoding="utf-8") == (
        "---\nname: 移动端发布前冻结合并\ndescription: 移动端发布前冻结合并。\ntype: project\n---\n\n"
        "移动端发布前冻结合并。\n\nWhy: 切分支\n"
    )


def test_memory_can_live_inside_the_project(project: Path, open_memory) -> None:
    memory = open_memory(
        dialect="qwen", env={"HOME": str(project.parent / "home"), "QWEN_CODE_MEMORY_LOCAL": "1"}
    )
    memory.remember("The beta ships in June", kind=Kind.PROJECT)
    assert (project / ".qwen" / "memory" / "project" / "the-beta-ships-in-june.md").is_file()
