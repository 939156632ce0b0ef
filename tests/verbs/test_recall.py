"""Recall, over the real store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from reverie.core.topics.recall import TRUNCATED
from reverie.memory import Memory
from reverie.types import Kind
from reverie.verbs.recall import recall
from tests.verb_contexts import context_of


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.remember("We deploy only on Tuesdays. Why: the on-call rota changes on Wednesday")
    memory.remember("I prefer tabs over spaces")
    memory.remember("Latency dashboard: https://grafana.example.org/d/api")
    return memory


def run(memory: Memory, query: str, **options: object):
    return recall(context_of(memory), query, **options)  # type: ignore[arg-type]


def test_what_matters_is_brought_back_with_its_date(filled: Memory) -> None:
    found = filled.recall("when may I deploy this?")
    assert [item.rel for item in found.topics] == ["project/we-deploy-only-on-tuesdays.md"]
    assert (found.strategy, found.scanned) == ("heuristic", 3)
    assert "Saved today (2026-05-01)." in found.block
    assert "rota changes on Wednesday" in found.block


def test_nothing_relevant_gives_nothing(filled: Memory) -> None:
    found = filled.recall("how tall is the Eiffel tower?")
    assert (found.strategy, found.topics, found.block) == ("none", (), "")


@pytest.mark.parametrize("options", [{"limit": 0}, {"strategy": "none"}])
def test_recall_can_be_told_to_stay_silent(filled: Memory, options: dict[str, object]) -> None:
    assert filled.recall("when may I deploy", **options).strategy == "none"  # type: ignore[arg-type]


def test_a_blank_query_and_a_switched_off_recall_give_nothing(filled: Memory, open_memory) -> None:
    assert filled.recall("  ").block == ""
    assert open_memory(settings={"recall.enabled": False}).recall("deploy").block == ""
    assert open_memory(settings={"memory.enabled": False}).recall("deploy").block == ""


def test_topics_that_the_turn_has_already_are_left_out(filled: Memory) -> None:
    assert filled.recall("deploy", exclude=["project/we-deploy-only-on-tuesdays.md"]).topics == ()


def test_limits_say_what_they_left_out(memory: Memory) -> None:
    for number in range(7):
        memory.remember(
            f"The tea cupboard {number}x{number} is on floor {number}", kind=Kind.PROJECT
        )
    found = memory.recall("where is the tea cupboard")
    assert len(found.topics) == 5
    assert len(found.dropped) == 2
    assert len(memory.recall("where is the tea cupboard", limit=2).topics) == 2


def test_a_long_topic_shows_the_passage_and_says_that_it_is_cut(memory: Memory) -> None:
    body = "\n\n".join(["Nothing of note in this paragraph of the handbook."] * 50)
    memory.remember(
        f"{body}\n\nThe spare key is with Priyanka.", kind=Kind.PROJECT, name="Handbook"
    )
    found = memory.recall("who has the spare key")
    assert "Priyanka" in found.block
    assert TRUNCATED in found.block
    assert found.dropped[0].reason.startswith("only lines ")
    assert len(found.topics[0].text) <= 1200


def test_old_memories_warn(filled: Memory, clock) -> None:
    clock.now += timedelta(days=40)
    assert (
        "Saved 40 days ago (2026-05-01). It may be out of date" in filled.recall("deploy day").block
    )


def test_the_same_question_gives_the_same_bytes(filled: Memory) -> None:
    assert filled.recall("deploy").block == filled.recall("deploy").block


def test_the_documents_rule_can_be_chosen(filled: Memory, open_memory) -> None:
    memory = open_memory(settings={"recall.scoring": "document"})
    [found] = memory.recall("tabs").topics
    assert found.score == 3.0


def test_recall_does_not_depend_on_the_catalog(filled: Memory) -> None:
    Path(filled.workspace.project_memory, "MEMORY.md").unlink()
    assert filled.recall("deploy").topics


def test_a_secret_written_by_hand_does_not_reach_the_prompt(filled: Memory) -> None:
    value = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    path = Path(filled.workspace.user_memory, "user", "hand.md")
    path.write_text(f"---\nname: Robot token\ntype: user\n---\n\nThe robot token is {value}\n")
    found = filled.recall("robot token")
    assert "The robot token is [redacted" in found.block
    assert value not in found.block


def test_meaning_adds_what_words_miss(filled: Memory) -> None:
    def similar(query, topics):
        return [0.9 if "tabs" in topic.rel else 0.1 for topic in topics]

    found = run(filled, "whitespace habits", similar=similar)
    assert [item.rel for item in found.topics] == ["user/i-prefer-tabs-over-spaces.md"]
    assert found.strategy == "hybrid"
    both = run(filled, "when do we deploy", similar=similar)
    assert len(both.topics) == 2
    assert (
        run(filled, "whitespace habits", similar=similar, strategy="heuristic").strategy == "none"
    )


def test_hybrid_recall_finds_a_memory_by_its_meaning(open_memory):
    class Meanings:
        identity = "meanings/1"
        dimension = 2

        def embed(self, texts):
            return [
                (1.0, 0.0) if "feline" in text or "cat" in text else (0.0, 1.0) for text in texts
            ]

    memory = open_memory(embedder=Meanings())
    memory.remember("The feline sleeps on the router", kind="project")
    memory.remember("The invoice is due in March", kind="project")
    assert memory.recall("where is my cat").topics == ()
    found = memory.recall("where is my cat", strategy="hybrid")
    assert found.strategy == "hybrid"
    assert [item.name for item in found.topics] == ["The feline sleeps on the router"]


def test_the_doctor_names_memories_nobody_ever_asked_for(memory, clock):
    memory.remember("The staging port is 5433", kind="project")
    memory.remember("The invoice template lives in the shared drive", kind="project")
    assert "never_recalled" not in {item.code for item in memory.doctor()}
    memory.recall("which port does staging use")
    clock.advance(days=400)
    unused = [item.path for item in memory.doctor() if item.code == "never_recalled"]
    assert len(unused) == 1
    assert "invoice" in unused[0]
