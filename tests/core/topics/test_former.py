"""Former values: a prompt gets what holds now, and the past when it asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.topics.former import what_holds
from reverie.memory import Memory

KEPT = "I moved to Lyon\n\nWhy: Until 2026-05-01: I live in Paris (near work)\n"


@pytest.mark.parametrize("query", ["where do I live?", "what is my home town?", "我住在哪里？"])
def test_the_past_is_not_shown_unasked(query: str) -> None:
    assert what_holds(KEPT, query) == "I moved to Lyon"


@pytest.mark.parametrize(
    "query",
    [
        "where did I live before?",
        "wo habe ich früher gewohnt?",
        "我以前住在哪里？",
        "how is Paris?",
    ],
)
def test_who_asks_for_the_past_gets_it(query: str) -> None:
    assert what_holds(KEPT, query) == KEPT


def test_a_reason_beside_a_former_value_stays() -> None:
    text = "We use Ruff\n\nWhy: it is fast; Until 2026-05-01: We use Flake8"
    assert what_holds(text, "which linter?") == "We use Ruff\n\nWhy: it is fast"


@given(st.text(max_size=80), st.text(max_size=40))
def test_a_text_without_a_past_stays_as_it_is(text: str, query: str) -> None:
    if "Until " not in text and "Before: " not in text:
        assert what_holds(text, query) == text


def test_recall_says_what_holds_now(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    with Memory.open(project, home=tmp_path / "home") as memory:
        memory.remember("Our error tracker is Sentry.", why="it came with the plan")
        done = memory.remember("Our error tracker is GlitchTip now.")
        assert done.action == "superseded"
        block = memory.recall("which error tracker do we have?").block
        assert "GlitchTip" in block
        assert "Sentry" not in block
        assert "Sentry" in memory.recall("which error tracker did we have before?").block
