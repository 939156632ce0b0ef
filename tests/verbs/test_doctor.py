"""Doctor, over the real store."""

from __future__ import annotations

from pathlib import Path

from reverie.memory import Memory


def test_findings_come_worst_first_with_a_fix_each(memory: Memory) -> None:
    memory.remember("We deploy only on Tuesdays")
    memory.remember("We deploy only on Fridays")
    Path(memory.workspace.project_memory, "loose.md").write_text("no frontmatter\n")
    found = memory.doctor()
    assert [item.code for item in found] == ["not_a_topic", "conflict"]
    assert all(item.fix for item in found)


def test_the_fix_of_a_finding_works(memory: Memory) -> None:
    memory.remember("We deploy only on Tuesdays")
    memory.remember("We deploy only on Fridays")
    [finding] = memory.doctor()
    memory.forget(ids=[finding.fix.split()[-1]])
    assert memory.doctor() == []
    assert len(memory.store.topics()) == 1


def test_a_tidy_memory_needs_nothing(memory: Memory) -> None:
    memory.remember("I like tea")
    assert memory.doctor() == []
