"""A review of the layers finds what no longer fits, and writes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from reverie.core.layers.semantic import Learnt
from reverie.core.layers.tree import FACTS, PROJECTS, WORKING, scaffold
from reverie.core.layers.verification import verify_layers
from reverie.types import Kind, Patch, Problem, TextPart, Turn, TurnMessage

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
FILES = scaffold("x", core_limit=6000, working_limit=8000)


def review(**given: Any) -> list[Problem]:
    facts: dict[str, Any] = {
        "working_text": FILES[WORKING],
        "core": [],
        "semantics": FILES,
        "turns": [],
        "learnt": [],
        "core_limit": 6000,
        "working_limit": 8000,
    }
    return verify_layers(**{**facts, **given})


def turn(text: str) -> Turn:
    return Turn(1, NOW, (TurnMessage("user", (TextPart(text),)),))


def test_a_fresh_tree_has_nothing_to_report() -> None:
    assert (
        review(core=[(rel, text) for rel, text in FILES.items() if rel.startswith("core/")]) == []
    )


def test_what_is_over_its_limit_is_reported() -> None:
    working = FILES[WORKING].replace("limit: 8000", "limit: 50")

    found = review(
        working_text=working, core=[("core/A.md", "---\nlimit: 5\n---\nlonger than five")]
    )

    assert [problem.code for problem in found] == ["working_over_bound", "core_over_limit"]


def test_tasks_that_seem_done_or_forgotten_are_reported_with_what_to_do() -> None:
    working = FILES[WORKING].replace(
        "## Active Tasks\n\n- None",
        "## Active Tasks\n\n- fix the login page\n- 更新文档\n- water the plants",
    )
    turns = [turn("I fixed the login page."), turn("更新文档吧"), *[turn("something else")] * 6]

    found = review(working_text=working, turns=turns)

    assert [(problem.code, problem.fix) for problem in found] == [
        ("task_done", "reverie working done 1"),
        ("task_silent", "reverie working drop tasks 3"),
    ]
    assert review(working_text=working, turns=turns[3:]) == []


def test_facts_that_repeat_or_contradict_each_other_or_a_turn_are_reported() -> None:
    facts = FILES[FACTS].replace(
        "## Confirmed Facts\n\n- None",
        "## Confirmed Facts\n\n- The cat is called Tom\n- the cat is called Tom.",
    )
    projects = FILES[PROJECTS].replace(
        "Knowledge\n\n- None",
        "Knowledge\n\n- The port is 8080\n- The port is 9090\n- The quota is 5 GB",
    )
    told = Learnt(Patch(Kind.PROJECT, "The quota is 9 GB", form="decision"), "turn-7", NOW)

    found = review(semantics={**FILES, FACTS: facts, PROJECTS: projects}, learnt=[told])

    assert [problem.code for problem in found] == ["said_twice", "contradiction", "outdated"]
    assert "turn-7" in found[-1].message
