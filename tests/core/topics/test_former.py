"""Former values: a prompt gets what holds now, and the past when it asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.topics.former import names_former, what_holds
from reverie.local.recall.quick import quick_recall
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


@pytest.mark.parametrize(
    ("before", "after", "query", "former"),
    [
        (
            "The API rate limit is 120.",
            "The API rate limit is 300.",
            "what is the rate limit?",
            "120",
        ),
        ("Our linter is Flake8.", "Our linter is Ruff now.", "which linter do we have?", "flake8"),
        ("Я живу в Казани.", "Теперь я живу в Самаре.", "где я живу?", "казани"),
    ],
)
def test_no_name_of_a_file_says_what_no_longer_holds(
    tmp_path: Path, before: str, after: str, query: str, former: str
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    with Memory.open(project, home=tmp_path / "home") as memory:
        assert former in memory.remember(before).path
        assert memory.remember(after).action == "superseded"
        shown = memory.recall(query)
        assert shown.topics
        assert former not in shown.block.casefold()
        assert shown.topics[0].rel.rpartition("/")[0] in shown.block
    quick = quick_recall(
        query, state=str(memory.workspace.state), project=memory.workspace.base, started=0.0
    )
    assert quick is not None
    assert quick.block
    assert former not in quick.block.casefold()


def test_a_file_that_somebody_named_keeps_its_name_in_the_block() -> None:
    text = "---\nname: Linter\n---\n\nWe use ruff\n\nWhy: Until 2026-05-01: We use flake8\n"
    assert not names_former("project/our-toolbox.md", text, "We use ruff")
    assert names_former("project/we-use-flake8.md", text, "We use ruff")
    assert not names_former("project/we-use-flake8.md", text, text)
