"""Recall by meaning: a short question in other words or another language, and nothing else."""

from __future__ import annotations

import pytest

from reverie.models import multilingual


@pytest.fixture
def known(open_memory):
    memory = open_memory(settings={"embedder.provider": "multilingual"})
    for text in (
        "I broke my left wrist skiing when I was nineteen.",
        "I wear size 43 shoes.",
        "My mother had a hip operation in May and uses a cane.",
        "The firewall blocks everything except ports 443 and 8443.",
        "I keep my passport in the drawer under the printer.",
    ):
        memory.remember(text, scope="user")
    return memory


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Have I ever had a fracture?", "wrist"),
        ("Welche Schuhgröße trage ich?", "size 43"),
        ("Where did I put my travel document?", "passport"),
        ("¿Qué talla de zapatos uso?", "size 43"),
    ],
)
def test_a_short_question_is_answered_in_other_words_and_languages(known, question, answer):
    found = known.recall(question)
    assert any(answer in item.text for item in found.topics)
    assert found.strategy == "hybrid"


@pytest.mark.parametrize(
    "prompt",
    [
        "Sort this list of employees by salary in Python.",
        "What is the capital of Mongolia?",
        "Please refactor the parser.\nWhy does it read every file twice?",
    ],
)
def test_work_to_be_done_and_questions_about_something_else_bring_nothing(known, prompt):
    assert known.recall(prompt).topics == ()


def test_what_was_excluded_does_not_come_back_by_its_meaning(known):
    paths = [item.path for item in known.recall("Have I ever had a fracture?").topics]
    again = known.recall("Have I ever had a fracture?", exclude=paths)
    assert not {item.path for item in again.topics} & set(paths)


def test_without_meaning_no_model_is_loaded(known, monkeypatch):
    monkeypatch.setattr(multilingual, "_loaded", lambda _: pytest.fail("a model was loaded"))
    known.recall("Have I ever had a fracture?", meaning=False)
    known.recall("Fix the failing test in the parser module.")


@pytest.mark.parametrize("provider", ["embedded", "none"])
def test_words_alone_decide_without_a_sentence_model(open_memory, provider):
    memory = open_memory(settings={"embedder.provider": provider})
    memory.remember("I broke my left wrist skiing.", scope="user")
    assert memory.recall("Have I ever had a fracture?").topics == ()
