"""Words that only ask: they count little, in every language, and never a word that says something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.questions.asking import ASKING, asking_terms, question_language
from reverie.core.search.query import read_query
from reverie.core.text.words import query_terms

QUESTIONS = {
    "tr": ("Köprünün uzunluğu kaçtır?", "kactir", "koprunun"),
    "de": ("Wie heißt der Fluss, den man dort sieht?", "heisst", "fluss"),
    "ro": ("Câți locuitori are orașul?", "cati", "locuitori"),
    "ru": ("Сколько комнат в доме?", "скольк", "комнат"),
    "el": ("Πόσα δωμάτια έχει το σπίτι;", "ποσ", "σπιτ"),
    "ar": ("لماذا سافر التاجر؟", "لماذ", "تاجر"),
    "hi": ("कितने कमरे घर में हैं", "कित", "घर"),
    "vi": ("Ai xây cây cầu này?", "ai", "cau"),
    "th": ("ใครสร้างสะพาน", "ใคร", "สะพา"),
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_word_that_asks_counts_less_than_one_that_says_something(language: str) -> None:
    text, asks, says = QUESTIONS[language]
    query = read_query(text)
    assert {asks, says} <= set(query.terms)
    assert query.emphasis.get(asks, 1.0) <= ASKING
    assert query.emphasis.get(says, 1.0) >= 0.5  # half each, where a stem stands beside it


def test_words_of_one_language_are_content_in_another() -> None:
    """`var` asks in Turkish and Swedish, and is a keyword to a programmer."""
    assert "var" not in asking_terms("how is var declared in the loop")
    assert not asking_terms("kubernetes ingress timeout")


def test_a_question_of_nothing_else_counts_as_it_is() -> None:
    for text in ("neydi?", "сколько", "ใคร"):
        assert not asking_terms(text)


def test_a_question_tells_its_language_by_how_it_asks() -> None:
    assert question_language("Yeni koloninin konumu neredeydi?") == "tr"
    assert question_language("In welchem Jahrzehnt begann der Umbau?") == "de"
    assert question_language("connection refused") == ""


@pytest.mark.parametrize(
    ("text", "joins", "says"),
    [
        ("那个活动的规模是多少", ["动的", "的规", "那个"], ["活动", "规模"]),
        ("我的吉他在哪里", ["我的", "的吉"], ["吉他"]),  # a word that has a joint within it
        ("其他目的是什么", [], ["其他", "目的"]),
    ],
)
def test_in_chinese_what_joins_two_words_says_little(
    text: str, joins: list[str], says: list[str]
) -> None:
    asks = asking_terms(text)
    assert asks.issuperset(joins)
    assert asks.isdisjoint(says)


def test_a_chinese_question_of_joints_alone_counts_as_it_is() -> None:
    assert not asking_terms("那个是我的")
    assert not asking_terms("私の家はどこ")  # Japanese joins words in its own letters


@given(st.text(max_size=200))
def test_any_text_can_be_asked(text: str) -> None:
    assert asking_terms(text) <= set(query_terms(text))
