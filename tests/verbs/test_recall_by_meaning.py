"""Recall by meaning: what is asked or wanted in other words or another language, and nothing else."""

from __future__ import annotations

from functools import lru_cache

import pytest

from reverie.core.topics.recall_block import OLDER
from reverie.memory import Memory
from reverie.models import multilingual

BY_MEANING = {"embedder.provider": "multilingual"}
TEXTS = (
    "I broke my left wrist skiing when I was nineteen.",
    "I wear size 43 shoes.",
    "My mother had a hip operation in May and uses a cane.",
    "The firewall blocks everything except ports 443 and 8443.",
    "I keep my passport in the drawer under the printer.",
)


@pytest.fixture
def known(open_memory):
    memory = open_memory(settings=BY_MEANING)
    for text in TEXTS:
        memory.remember(text, scope="user")
    return memory


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A memory that is only asked."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "project" / ".git").mkdir(parents=True)
    with Memory.open(
        folder / "project", home=folder / "home", env={}, settings=BY_MEANING
    ) as memory:
        for text in TEXTS:
            memory.remember(text, scope="user")
        yield memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Have I ever had a fracture?", "wrist"),
        ("Welche Schuhgröße trage ich?", "size 43"),
        ("Where did I put my travel document?", "passport"),
        ("¿Qué talla de zapatos uso?", "size 43"),
        ("Order hiking boots for me that fit", "size 43"),
        ("The border police want to see my papers, fetch them", "passport"),
    ],
)
def test_a_prompt_is_answered_in_other_words_and_languages(asked, question, answer):
    found = asked.recall(question)
    assert any(answer in item.text for item in found.topics)
    assert found.strategy == "hybrid"


@pytest.mark.parametrize(
    "prompt",
    [
        "Sort this list of employees by salary in Python.",
        "What is the capital of Mongolia?",
        "How do doctors treat a broken wrist?",
        "Why do people go skiing?",
        "Write a packing list for a week of skiing.",
        "Warum brauchen manche Leute einen Stock?",
        "Please refactor the parser.\nWhy does it read every file twice?",
    ],
)
def test_work_to_be_done_and_questions_about_something_else_bring_nothing(asked, prompt):
    assert asked.recall(prompt).topics == ()


def test_what_was_excluded_does_not_come_back_by_its_meaning(asked):
    paths = [item.path for item in asked.recall("Have I ever had a fracture?").topics]
    again = asked.recall("Have I ever had a fracture?", exclude=paths)
    assert not {item.path for item in again.topics} & set(paths)


def test_without_meaning_no_model_is_loaded(known, monkeypatch):
    monkeypatch.setattr(multilingual, "_loaded", lambda _: pytest.fail("a model was loaded"))
    known.recall("Have I ever had a fracture?", meaning=False)
    known.recall("Why do dogs bark?")
    known.recall("Write a haiku about autumn.")


@pytest.mark.parametrize("provider", ["embedded", "none"])
def test_words_alone_decide_without_a_sentence_model(open_memory, provider):
    memory = open_memory(settings={"embedder.provider": provider})
    memory.remember("I broke my left wrist skiing.", scope="user")
    assert memory.recall("Have I ever had a fracture?").topics == ()


@pytest.fixture
def prepared(known, monkeypatch):
    known.prepare()
    return known


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("I put my travel document into the hall cupboard", "passport"),
        ("Meine Füße sind gewachsen, ich brauche jetzt Schuhgröße 44", "size-43"),
        ("Only port 443 is let through by the network filter these days", "firewall"),
    ],
)
def test_what_is_near_in_meaning_is_named_and_its_words_stay(prepared, text, near):
    before = statements(prepared)
    done = prepared.remember(text)
    assert done.action == "added"
    assert near in done.similar[0]
    assert done.similar[0] in done.summary
    assert statements(prepared) == sorted([*before, text])


def statements(memory):
    return sorted(entry.summary for topic in memory.store.topics() for entry in topic.entries)


CUPBOARD = "I put my travel document into the hall cupboard"


def test_whoever_gets_the_old_statement_gets_the_new_one_first(prepared):
    done = prepared.remember(CUPBOARD)
    block = prepared.recall("Where do I keep my passport?").block
    assert 0 <= block.index("hall cupboard") < block.index("drawer under the printer")
    assert f"Said on {prepared.clock().date()}; what else stands here is older" in block
    assert "above “I keep my passport in the drawer under the printer”" in done.summary


def test_company_is_undone_byte_for_byte(prepared):
    before = {topic.path: topic.text for topic in prepared.store.topics()}
    prepared.undo(prepared.remember(CUPBOARD).run)
    assert {topic.path: topic.text for topic in prepared.store.topics()} == before


@pytest.mark.parametrize("erase", [False, True])
@pytest.mark.parametrize(("goes", "stays"), [("cupboard", "printer"), ("printer", "cupboard")])
def test_one_of_two_that_stand_together_can_be_forgotten(prepared, goes, stays, erase):
    prepared.remember(CUPBOARD)
    before = statements(prepared)
    [entry] = [
        entry.id
        for topic in prepared.store.topics()
        for entry in topic.entries
        if goes in entry.summary
    ]
    prepared.forget(ids=[entry], erase=erase)
    assert statements(prepared) == [text for text in before if goes not in text]
    [topic] = [topic for topic in prepared.store.topics() if stays in topic.body]
    assert goes not in topic.text


def test_what_means_something_else_names_nothing(prepared):
    assert prepared.remember("The build server is in Frankfurt").similar == ()


def test_what_comes_in_a_burst_is_looked_for_as_well(prepared):
    assert prepared.remember("Ich brauche jetzt Schuhgröße 44").similar
    assert prepared.remember("Mum walks with a cane since her hip operation").similar


def test_keeping_a_statement_loads_no_model(known, monkeypatch):
    monkeypatch.setattr(multilingual, "_loaded", lru_cache(_not_asked))  # nothing is loaded yet
    monkeypatch.setattr(multilingual.MultilingualEmbedder, "embed", _not_asked)
    assert known.remember("My travel papers lie in the hall now").action == "added"


def _not_asked(*_):
    pytest.fail("a model was asked")


def test_a_word_that_a_prompt_uses_for_something_else_brings_nothing(known):
    known.remember("TestGeofenceEdge is flaky; run it again instead of debugging it.", scope="user")
    assert known.recall("The crust came out hard, and it should be flaky").topics == ()
    assert known.recall("TestGeofenceEdge failed again, look into it").topics


def test_what_is_shown_stands_in_the_order_of_a_search(known):
    known.remember("The firewall rules are reviewed by Tom on the first Monday.", scope="user")
    asked = "Which ports does our firewall leave open, and who reviews its rules?"
    searched = [hit.path for hit in known.search(asked, min_score=0, max_results=20).results]
    recalled = [item.path for item in known.recall(asked).topics]
    assert len(recalled) == 2
    assert recalled == [path for path in searched if path in recalled]


@pytest.mark.parametrize("prompt", ["tabs or spaces?", "Should Go code use tabs or spaces?"])
def test_of_a_single_memory_meaning_takes_nothing_away_that_words_find(open_memory, prompt):
    memory = open_memory(settings={"embedder.provider": "multilingual"})
    memory.remember("The user prefers tabs over spaces in Go code.", scope="user")
    assert memory.recall(prompt).topics


OLD, NEW = (
    "My phone number is 0171 445 221.",
    "got a new number: 0160 998 734, delete the other one",
)


@pytest.fixture
def told(open_memory, clock):
    def told(first, then, question, *, exclude=()):
        memory = open_memory(settings=BY_MEANING)
        return tell(memory, clock, first, then).recall(question, exclude=exclude)

    return told


def tell(memory, clock, first, then):
    memory.prepare()
    for text in TEXTS:
        memory.remember(text)
    memory.remember(first)
    clock.advance(days=1)
    memory.remember(then)
    return memory


def test_what_was_said_later_is_shown_above_the_answer_it_may_concern(told):
    found = told(OLD, NEW, "What's my phone number?")
    assert [item.text for item in found.topics[:2]] == [NEW, OLD]
    assert [item.scope.value for item in found.topics[:2]] == ["project", "user"]
    assert found.block.count(OLDER) == 1
    assert found.block.index(NEW) < found.block.index(OLDER) < found.block.index(OLD)


def test_what_was_said_earlier_is_not_brought_by_the_answer(told):
    found = told(NEW, OLD, "What's my phone number?")
    assert found.topics[0].text == OLD
    assert OLDER not in found.block


def test_what_was_said_later_of_something_else_is_not_brought(told):
    later = "We moved the nightly backups to a bucket in Frankfurt"
    found = told(OLD, later, "What's my phone number?")
    assert [item.text for item in found.topics] == [OLD]
    assert OLDER not in found.block


def test_what_a_turn_has_already_is_not_brought_again(open_memory, clock):
    memory = tell(open_memory(settings=BY_MEANING), clock, OLD, NEW)
    path = memory.recall("What's my phone number?").topics[0].path
    found = memory.recall("What's my phone number?", exclude=[path])
    assert [item.text for item in found.topics] == [OLD]
