"""Whom a prompt is about: anybody could answer it, nobody but its owner's memory, or one cannot tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.questions.reach import GENERAL, OPEN, OWN, reach_of


@pytest.mark.parametrize(
    "prompt",
    [
        "How do I peel a mango?",
        "Why do leaves turn red?",
        "What is a monoid?",
        "What's the tallest building in Europe?",
        "Which instrument has a reed and a bell, in general?",
        "How many wheels does a tram have?",
        "Explain tail calls to my grandfather.",
        "Write a limerick about rust.",
        "Please give me three names for a goldfish.",
        "In Gimp, how do I cut out a circle?",
        "Who invented the zip fastener?",
        "Undo your last change.",
        "what does this do: for (i = 0; i < n; i++) { s += a[i]; }",
        "Wie koche ich Reis?",
        "Was ist ein Monoid?",
        "Schreib mir ein Gedicht über den Herbst.",
        "Comment faire une mayonnaise ?",
        "¿Cómo se dice gracias en japonés?",
        "Che cos'è una monade?",
        "Como se faz pão?",
        "Waarom is de lucht blauw?",
        "Что такое монада?",
        "Jak ugotować ryż?",
        "Pilav nasıl yapılır?",
        "为什么天是蓝色的？",
        "ご飯の炊き方を説明して",
        "밥은 어떻게 지어?",
    ],
)
def test_what_anybody_could_answer_is_general(prompt):
    assert reach_of(prompt) == GENERAL


@pytest.mark.parametrize(
    "prompt",
    [
        "Where did I put the spare key?",
        "What is our refund policy?",
        "How do we name branches?",
        "Why did we drop Redis?",
        "When does my passport expire?",
        "Wo haben wir die Zugangsdaten?",
        "Quel est mon numéro de client ?",
        "¿Dónde guardamos las copias?",
        "Dove teniamo i contratti? Non li trovo nel nostro archivio.",
        "Какой у нас порт?",
        "Gdzie trzymam moje hasła?",
        "我的车牌号是多少？",
    ],
)
def test_what_speaks_of_its_owner_is_own(prompt):
    assert reach_of(prompt) == OWN


@pytest.mark.parametrize(
    "prompt",
    [
        "Run the integration tests for the parser",
        "Who reviews billing changes?",
        "When is Jana's birthday?",
        "Why is my importer so slow?",
        "Kde sídlí firma?",
    ],
)
def test_everything_else_is_open(prompt):
    assert reach_of(prompt) == OPEN


@given(st.text(max_size=400))
def test_any_text_has_a_reach(prompt):
    assert reach_of(prompt) in (GENERAL, OPEN, OWN)
