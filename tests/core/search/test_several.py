"""Several questions at once: each sees its own words, and a candidate counts where it counts most."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.expansion import best_of
from reverie.core.search.query import queries_in, read_query
from reverie.core.search.rank import Ranked
from reverie.types.ranking import Candidate


def test_each_question_asks_for_its_own_words_alone():
    text = "Where is the blue bicycle? Which vet treats the cat?"
    whole = read_query(text)
    first, second = queries_in(text, whole)
    assert "bicycl" in first.terms
    assert "bicycl" not in second.terms
    assert {*first.terms, *second.terms} <= set(whole.terms)


def test_what_a_word_stands_for_is_kept():
    text = "Dónde están las bicicletas azules? Cuándo llegan los trenes?"
    whole = read_query(text)
    for part in queries_in(text, whole):
        assert part.forms == {form: whole.forms[form] for form in part.forms}
        assert part.forms


def test_one_question_is_no_two():
    for text in ("Where is the bicycle?", "deploys", "What is a bicycle? And when?"):
        assert queries_in(text, read_query(text)) == []


def test_a_pasted_conversation_is_asked_as_a_whole():
    text = "<Ann>: Where is the bicycle?\n<Ben>: Which vet treats the cat?"
    assert queries_in(text, read_query(text)) == []


def hit(key: str, score: float, sure: float = 1.0) -> Ranked:
    return Ranked(Candidate(key, key, 0, {}, 1), score, 0.0, 0.0, share=score, sure=sure)


scores = st.lists(st.floats(0, 1), min_size=3, max_size=3)


@given(scores, scores)
def test_a_candidate_counts_as_where_it_counts_most(one: list[float], other: list[float]):
    rankings = [[hit(str(n), score) for n, score in enumerate(some)] for some in (one, other)]
    merged = best_of(rankings)
    assert {found.candidate.key: found.score for found in merged} == {
        str(n): max(pair) for n, pair in enumerate(zip(one, other, strict=True))
    }
    assert [found.score for found in merged] == sorted(
        (found.score for found in merged), reverse=True
    )
