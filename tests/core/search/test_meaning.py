"""What a sentence model says by itself: less of a long passage, unless words cannot help."""

from __future__ import annotations

import pytest

from reverie.core.search.meaning import MANY_THINGS, alone, same_language
from reverie.core.search.query import read_query
from reverie.core.search.question import MEASURED
from reverie.types.ranking import Candidate, Corpus

PROFILE = MEASURED["use-multilingual-3"]
STATIC = MEASURED["wordllama-l2-supercat-256"]
QUESTION = read_query("Where did the old miller of our village store all of the grain?")
REMARK = "The miller kept his corn in the barn."
PASSAGE = " ".join(
    f"In the year {1700 + n} the people of the valley sold their wool at the market."
    for n in range(12)
)
GERMAN = " ".join(
    f"Im Jahr {1700 + n} haben die Bauern aus dem Tal ihre Wolle auf dem Markt verkauft."
    for n in range(12)
)


def odds(text: str, *, profile=PROFILE, trust: float = 1.0, cosine: float | None = 0.4):
    candidates = [Candidate("a", "a", 0, {}, 10, cosine), Candidate("b", "b", 0, {}, 10, None)]
    corpus = Corpus(60, 20.0, {}, 0.08, 0.1, trust=trust, profile=profile)
    return alone(QUESTION, candidates, corpus, lambda key: {"a": text}[key])


def test_a_long_passage_in_the_language_of_the_question_is_believed_less() -> None:
    assert odds(PASSAGE) == pytest.approx(odds(REMARK) - MANY_THINGS)
    assert odds(REMARK) > odds(" ".join([REMARK, *PASSAGE.split()[:50]])) > odds(PASSAGE)


def test_in_another_language_no_word_could_say_the_rest() -> None:
    assert odds(GERMAN) == odds(REMARK)


def test_what_a_file_is_called_is_no_part_of_what_it_says() -> None:
    named = f"---\nname: {REMARK}\ndescription: {REMARK}\nmodified: 2026-01-01\n---\n\n{REMARK}\n"
    assert odds(named) == odds(REMARK)


def test_without_a_measured_sentence_model_nothing_is_told() -> None:
    assert odds(REMARK, profile=None) is None
    assert odds(REMARK, profile=STATIC) is None
    assert odds(REMARK, trust=0.5) is None
    assert odds(REMARK, cosine=None) is None


@pytest.mark.parametrize(
    ("question", "passage", "same"),
    [
        ("Where does the train stop?", PASSAGE, True),
        ("Where does the train stop?", GERMAN, False),
        ("Wo hält der Zug an und wer steigt ein?", GERMAN, True),
        ("kubernetes ingress", GERMAN, True),  # nothing tells its language
        ("火车停在哪里？", "火车停在城市的南边。", True),
        ("火车停在哪里？", PASSAGE, False),
        ("Где останавливается поезд?", PASSAGE, False),
        ("", PASSAGE, True),
    ],
)
def test_a_language_is_told_by_script_and_small_words(
    question: str, passage: str, same: bool
) -> None:
    assert same_language(read_query(question), passage) is same
