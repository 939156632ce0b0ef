"""What the best hits have in common brings up others like them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.expansion import AMONG, FEW_CHUNKS, SHARE, lift_alike
from reverie.core.search.query import read_query
from reverie.core.search.rank import Ranked, scored
from reverie.core.text.words import terms
from reverie.types.ranking import Candidate, Corpus

CORPUS = Corpus(chunks=500, average_length=20.0, frequency={})
WING = "Lift of a slender wing at high incidence, with vortices shed along the leading edge."
DELTA = "Vortices above delta shapes: incidence, leading edge separation and slender bodies."
LIKE = "Leading edge vortices of slender shapes at incidence."
OTHER = "Heat transfer in a long pipe with laminar flow of water."


def hear(
    texts: Sequence[str],
    scores: Sequence[float],
    *,
    query: str = "wing",
    corpus: Corpus = CORPUS,
    speaker: str = "",
) -> list[Ranked]:
    """Order texts, which are already in the order of their scores."""
    top = max(scores, default=0.0)
    hits = [
        Ranked(
            Candidate(str(at), str(at), 0, {}, len(terms(text)), speaker=speaker),
            score=scored(top, score / top if top else 0.0),
            lexical=0.5,
            vector=0.5,
            share=score / top if top else 0.0,
            sure=top,
        )
        for at, (text, score) in enumerate(zip(texts, scores, strict=True))
    ]

    def counts(wanted: Sequence[str], keys: Sequence[str]) -> list[Mapping[str, int]]:
        split = [Counter(terms(texts[int(key)])) for key in keys]
        return [{term: own[term] for term in wanted if own[term]} for own in split]

    return lift_alike(
        read_query(query), hits, corpus, text=lambda key: texts[int(key)], counts=counts
    )


def value(hit: Ranked) -> float:
    """Return what speaks for a hit, on the scale of the scores that `hear` is given."""
    return round(hit.sure * hit.share, 4)


def keys(hits: Sequence[Ranked]) -> list[str]:
    return [hit.candidate.key for hit in hits]


MORE = [f"{OTHER} Number {number}." for number in range(10)]
TEXTS = [WING, DELTA, *MORE, OTHER, LIKE]
SCORES = [0.9, 0.8, *[0.5] * 10, 0.31, 0.3]


def test_a_passage_like_the_best_comes_before_one_that_is_not() -> None:
    found = keys(hear(TEXTS, SCORES))
    assert found[:2] == ["0", "1"]
    assert found.index("13") < found.index("12")


def test_the_best_hit_stays_the_best_though_others_are_more_alike() -> None:
    """The first one has nothing of what the next ones share, and all of them gain by that."""
    texts = ["Bread.", WING, DELTA, LIKE, *MORE]
    scores = [0.9, 0.89, 0.88, 0.87, *[0.3] * 10]
    heard = hear(texts, scores)
    assert heard[0].candidate.key == "0"
    assert value(heard[0]) == 0.9
    assert value(heard[1]) <= 0.9


def test_only_the_first_hits_can_gain() -> None:
    fillers = [f"{OTHER} Number {number}." for number in range(AMONG - 2)]
    texts = [WING, DELTA, *fillers, OTHER, LIKE]
    scores = [0.9, 0.8, *[0.5] * len(fillers), 0.31, 0.3]
    assert keys(hear(texts, scores))[-2:] == [str(AMONG), str(AMONG + 1)]


def test_a_better_hit_speaks_louder() -> None:
    """Two pairs of hits share words of their own; what is like the better pair comes first."""
    better, worse = "Vortices at the leading edge.", "Olives and fresh cheese."
    texts = [better, better, worse, worse, "Bread.", *MORE[:5], worse, better]
    scores = [0.9, 0.9, 0.5, 0.5, 0.5, *[0.4] * 5, 0.31, 0.3]
    found = keys(hear(texts, scores, query="wing"))
    assert found.index("11") < found.index("10")


def test_a_word_of_one_hit_alone_brings_nothing_up() -> None:
    texts = [WING, "Bread.", "Cheese.", "Olives.", "Wine.", OTHER, "A wing sheds vortices."]
    scores = [0.9, 0.8, 0.7, 0.6, 0.5, 0.31, 0.3]
    assert keys(hear(texts, scores)) == [str(at) for at in range(len(texts))]


def test_what_the_query_says_itself_is_not_heard_again() -> None:
    texts = ["wing"] * 5 + [OTHER, "wing"]
    scores = [0.9, 0.9, 0.9, 0.9, 0.9, 0.31, 0.3]
    assert keys(hear(texts, scores)) == [str(at) for at in range(len(texts))]


@pytest.mark.parametrize(
    ("corpus", "speaker"), [(CORPUS, "anna"), (replace(CORPUS, chunks=FEW_CHUNKS - 1), "")]
)
def test_turns_and_a_handful_of_chunks_are_left_alone(corpus: Corpus, speaker: str) -> None:
    heard = hear(TEXTS, SCORES, corpus=corpus, speaker=speaker)
    assert keys(heard) == [str(at) for at in range(len(TEXTS))]
    assert [value(hit) for hit in heard] == SCORES


def test_nothing_found_stays_nothing() -> None:
    assert hear([], []) == []
    assert [value(hit) for hit in hear(TEXTS, [0.0] * len(TEXTS))] == [0.0] * len(TEXTS)


def test_a_text_that_is_gone_says_nothing() -> None:
    assert keys(hear([WING, "", "", OTHER], [0.9, 0.8, 0.7, 0.6])) == ["0", "1", "2", "3"]


words_of = st.lists(
    st.sampled_from(["wing", "edge", "heat", "pipe", "flow", "lift", "机翼", "涡流", "рука"]),
    max_size=6,
)


@given(
    found=st.lists(st.tuples(words_of.map(" ".join), st.floats(0, 1)), max_size=2 * AMONG),
    query=words_of.map(" ".join),
)
def test_hits_are_the_same_in_a_new_order_and_scores_keep_their_meaning(
    found: list[tuple[str, float]], query: str
) -> None:
    ordered = sorted(found, key=lambda item: -item[1])
    scores = [score for _, score in ordered]
    heard = hear([text for text, _ in ordered], scores, query=query)
    assert sorted(map(int, keys(heard))) == list(range(len(found)))
    new = [value(hit) for hit in heard]
    assert new == sorted(new, reverse=True)
    if scores:
        assert (heard[0].candidate.key, new[0]) == ("0", pytest.approx(scores[0], abs=1e-4))
        for hit in heard:
            old = scores[int(hit.candidate.key)]
            assert old / (1 + SHARE) - 1e-4 <= value(hit) <= old + SHARE * scores[0] + 1e-4
