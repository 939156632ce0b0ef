"""The score of an answer: what makes it surer, and that nothing weak counts against it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.confidence import Evidence, confidence, nearness
from reverie.core.search.question import MEASURED

MIN_SCORE = 0.35
STATIC = MEASURED["wordllama-l2-supercat-256"]
SENTENCES = MEASURED["use-multilingual-3"]
SURE = Evidence(0.8, ahead=0.5, above_tenth=0.7, matched=0.6, terms=5, chunks=240)
UNSURE = Evidence(0.2, ahead=0.12, above_tenth=0.5, matched=0.14, terms=5, chunks=240)

shares = st.floats(0, 1)
evidence = st.builds(
    Evidence,
    covered=shares,
    ahead=shares,
    above_tenth=shares,
    matched=shares,
    near=shares,
    sentences=st.booleans(),
    beside=st.floats(0, 9),
    absent=shares,
    passage=st.floats(-1, 1),
    sentence=shares,
    first_sentence=shares,
    spoken=st.booleans(),
    talk=st.booleans(),
    terms=st.integers(0, 64),
    chunks=st.integers(1, 10_000),
    writing=st.sampled_from(["english", "other", "han", "clusters", "vietnamese"]),
)


def test_what_stands_out_passes_and_what_anything_would_cover_does_not() -> None:
    assert confidence(SURE) > 0.8
    assert confidence(UNSURE) < MIN_SCORE


def test_single_syllables_and_pieces_must_cover_more() -> None:
    half = replace(UNSURE, covered=0.45, matched=0.34, terms=16)
    assert confidence(replace(half, writing="vietnamese")) < confidence(
        replace(half, writing="other")
    )
    assert confidence(replace(half, writing="clusters")) < confidence(replace(half, writing="han"))


@pytest.mark.parametrize(
    "strong", [{"covered": 1.0}, {"near": 0.9}, {"of_day": True}, {"covered": 0.4, "chunks": 5}]
)
def test_one_strong_sign_is_enough(strong: dict[str, object]) -> None:
    nothing = Evidence(0.0, terms=3, chunks=240)
    assert confidence(nothing) < 0.1
    assert confidence(replace(nothing, **strong)) > MIN_SCORE  # type: ignore[arg-type]


@given(evidence, shares)
def test_meaning_never_counts_against_an_answer(some: Evidence, near: float) -> None:
    blind = confidence(replace(some, near=0.0))
    assert confidence(replace(some, near=near)) >= blind
    assert confidence(replace(some, near=near), odds=-9.0) >= blind


@given(evidence)
def test_a_confidence_is_a_probability(some: Evidence) -> None:
    assert 0 <= confidence(some) <= 1


def test_a_measured_sentence_model_is_believed_without_a_word() -> None:
    assert confidence(Evidence(0.0, chunks=60), odds=-1.9) > MIN_SCORE
    assert confidence(Evidence(0.0, chunks=60), odds=-4.0) < MIN_SCORE


def test_nearness_is_on_one_scale() -> None:
    static = nearness(0.52, mean=0.04, chunks=240, trust=1.0, profile=STATIC)
    assert static == pytest.approx(0.5)
    few = nearness(0.52, mean=0.5, chunks=3, trust=1.0, profile=STATIC)
    assert few > 0.5, "the mean of three is no background"
    assert nearness(0.9, mean=0.89, chunks=3, trust=0.25, profile=STATIC) == 0.0
    sentences = nearness(0.52, mean=0.04, chunks=240, trust=1.0, profile=SENTENCES)
    assert sentences == pytest.approx(static, abs=0.01)


def test_a_model_that_does_not_know_a_language_says_nothing() -> None:
    """Then everything is alike: the mean of all cosines is high."""
    for chunks in (5, 240):
        assert nearness(0.9, mean=0.6, chunks=chunks, trust=1.0, profile=SENTENCES) == 0.0
        assert nearness(0.6, mean=0.2, chunks=chunks, trust=1.0, profile=SENTENCES) > 0.3


def test_the_nearest_of_a_few_is_compared_with_what_is_usual() -> None:
    """One note is its own mean; that makes a near one no less near."""
    alone = nearness(0.5, mean=0.5, chunks=1, trust=1.0, profile=SENTENCES)
    among = nearness(0.5, mean=0.09, chunks=500, trust=1.0, profile=SENTENCES)
    assert alone == pytest.approx(among, abs=0.05)


def test_what_a_sentence_says_counts_more_than_words_here_and_there() -> None:
    scattered = replace(UNSURE, covered=0.5, matched=0.3, passage=0.5, sentence=0.2)
    said = replace(scattered, sentence=0.5, first_sentence=0.5)
    assert confidence(said) > confidence(scattered)


def test_a_conversation_gets_what_may_bear_on_it() -> None:
    """It asks nothing, so little stands in what bears on it; and a sure thing is less sure than an answer."""
    pasted = replace(UNSURE, terms=15)
    assert confidence(pasted) < MIN_SCORE < confidence(replace(pasted, talk=True))
    assert confidence(Evidence(0.02, terms=40, talk=True)) < MIN_SCORE
    assert confidence(replace(SURE, talk=True)) < confidence(SURE)


@given(evidence, evidence)
def test_a_conversation_changes_no_order(one: Evidence, other: Evidence) -> None:
    plain = [confidence(replace(some, talk=False)) for some in (one, other)]
    talk = [confidence(replace(some, talk=True)) for some in (one, other)]
    assert (plain[0] < plain[1]) >= (talk[0] < talk[1])
