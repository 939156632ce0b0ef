"""What speaks for a candidate: its words, its vector, and what stands around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from reverie.core.search import signals
from reverie.core.search.query import read_query
from reverie.core.search.rank import Candidate, Corpus

CORPUS = Corpus(500, 20.0, {"telescop": 2, "lighthous": 2}, cosine_mean=0.1, cosine_deviation=0.1)
WEIGHTS = signals.term_weights(read_query("telescope of the lighthouse"), CORPUS)
TELESCOPE = WEIGHTS["telescop"]


def place(candidates: Sequence[Candidate]) -> dict[tuple[str, int], int]:
    return {(item.group, item.order): at for at, item in enumerate(candidates)}


def words(*candidates: Candidate) -> list[float]:
    found = [signals.matches(item.counts, item.length, WEIGHTS, CORPUS) for item in candidates]
    return signals.by_words(candidates, found, WEIGHTS, WEIGHTS, place(candidates), forms={})[0]


def vectors(*candidates: Candidate) -> list[float]:
    return signals.by_vectors(candidates, CORPUS, place(candidates))


def says(group: str, order: int = 0, **counts: int) -> Candidate:
    return Candidate(f"{group}{order}", group, order, counts, 20)


def near(group: str, order: int, cosine: float | None, *, turn: bool = False) -> Candidate:
    return Candidate(f"{group}{order}", group, order, {}, 20, cosine=cosine, turn=turn)


# --- words ----------------------------------------------------------------------------------------


def test_a_rarer_word_weighs_more_and_one_that_stands_nowhere_weighs_most() -> None:
    query = read_query("telescope lighthouse harbour")
    weights = signals.term_weights(query, Corpus(100, 20.0, {"telescop": 50, "lighthous": 2}))
    assert weights["telescop"] < weights["lighthous"] < weights["harbour"]


def test_among_few_chunks_a_word_can_be_weighed_as_among_many() -> None:
    query, few = read_query("telescope"), Corpus(4, 20.0, {"telescop": 3})
    (plain,) = signals.term_weights(query, few, at_least=200).values()
    assert plain > 10 * next(iter(signals.term_weights(query, few).values()))


def test_what_else_the_document_says_counts_a_little_wherever_it_stands() -> None:
    """`a` has one of the words, and the other one far away in the same document."""
    far, other, alone = words(
        says("a", telescop=1), says("a", 50, lighthous=1), says("b", telescop=1)
    )
    assert far == other
    assert far - alone == pytest.approx(
        signals.GROUP
        * signals.matches({"lighthous": 1}, 20, WEIGHTS, CORPUS)["lighthous"]
        * WEIGHTS["lighthous"]
    )


def test_a_word_that_a_document_repeats_counts_once_for_it() -> None:
    often = [says("a", 10 * order, telescop=1) for order in range(6)]
    *scores, once = words(*often, says("b", telescop=1))
    assert scores == [once] * 6


def test_a_neighbour_lends_its_words_and_what_stands_before_lends_more() -> None:
    before, _, after, apart = words(
        says("a", 0), says("a", 1, telescop=1), says("a", 2), says("a", 9)
    )
    assert after > before > apart > 0


def test_a_word_counts_where_it_stands_best_and_not_twice() -> None:
    """A union, not a sum: the neighbour says nothing that the chunk does not say itself."""
    first, second, alone = words(
        says("a", 0, telescop=1), says("a", 1, telescop=1), says("b", 0, telescop=1)
    )
    assert first == second == alone


def test_a_long_chunk_needs_a_word_more_often() -> None:
    short = signals.matches({"telescop": 1}, 60, WEIGHTS, CORPUS)["telescop"]
    long = signals.matches({"telescop": 1}, 600, WEIGHTS, CORPUS)["telescop"]
    again = signals.matches({"telescop": 9}, 600, WEIGHTS, CORPUS)["telescop"]
    assert long < short < again


def test_what_was_not_asked_for_or_does_not_stand_there_is_no_match() -> None:
    assert signals.matches({"telescop": 0, "harbour": 3}, 20, WEIGHTS, CORPUS) == {}


def test_a_pasted_page_need_not_be_matched_as_a_whole() -> None:
    most = signals.IDEAL_TERMS
    assert signals.ideal_weight({f"w{n}": 1.0 for n in range(3 * most)}) == most
    heavy = {f"w{n}": float(n) for n in range(most + 1)}
    assert signals.ideal_weight(heavy) == sum(range(1, most + 1))


def test_what_is_there_at_all_counts_in_full_where_it_stands_and_less_beside_it() -> None:
    candidates = [says("a", 0, telescop=1), says("a", 1), says("a", 2, telescop=9, lighthous=1)]
    found = [signals.matches(item.counts, item.length, WEIGHTS, CORPUS) for item in candidates]
    present = signals.by_words(candidates, found, WEIGHTS, WEIGHTS, place(candidates), forms={})[1]
    both = TELESCOPE + WEIGHTS["lighthous"]
    # The second has neither word: the nearest of each side counts, however often it stands there.
    assert present[1] == pytest.approx(0.7 * TELESCOPE + 0.5 * WEIGHTS["lighthous"])
    assert present[2] == pytest.approx(both)
    assert present[0] == pytest.approx(TELESCOPE + 0.3 * WEIGHTS["lighthous"])


# --- vectors --------------------------------------------------------------------------------------


def test_a_cosine_counts_in_deviations_from_the_mean() -> None:
    assert vectors(near("a", 0, 0.3), near("b", 0, None)) == [pytest.approx(2.0), 0.0]
    flat = replace(CORPUS, cosine_deviation=0.0)
    assert signals.by_vectors([near("a", 0, 0.3)], flat, {("a", 0): 0}) == [0.0]


def test_neighbours_add_to_a_turn_and_half_as_much_to_a_passage() -> None:
    def gain(*, turn: bool) -> tuple[float, float]:
        first, second = vectors(near("a", 0, 0.3, turn=turn), near("a", 1, 0.5, turn=turn))
        return first - 2, second - 4

    assert gain(turn=True) == (pytest.approx(0.3 * 4), pytest.approx(0.5 * 2))
    assert gain(turn=False) == (pytest.approx(0.15 * 4), pytest.approx(0.25 * 2))


def test_passages_of_one_document_do_not_outvote_a_nearer_one_but_turns_do() -> None:
    def two_and_one(*, turn: bool) -> list[float]:
        return vectors(
            near("a", 0, 0.6, turn=turn),
            near("a", 1, 0.6, turn=turn),
            near("b", 0, 0.75, turn=turn),
        )

    *both, alone = two_and_one(turn=False)
    assert alone > max(both)
    *both, alone = two_and_one(turn=True)
    assert alone < max(both)


def test_the_nearest_passage_is_told_and_a_nearest_turn_is_not() -> None:
    passage, turn = near("a", 0, 0.5), near("b", 0, 0.6, turn=True)
    assert signals.nearest_passage([passage], CORPUS) == pytest.approx(4.0)
    assert signals.nearest_passage([passage, turn], CORPUS) == 0.0


# --- one against the other ------------------------------------------------------------------------


def weight(
    *,
    explained: float = 0.5,
    z: Sequence[float] = (5.0, *[0.0] * 11),
    nearest: float = 0.0,
    corpus: Corpus = CORPUS,
) -> float:
    ideal = 2 * TELESCOPE
    return signals.vector_weight(
        [explained * ideal], z, nearest=nearest, ideal=ideal, corpus=corpus
    )


def test_vectors_count_more_where_the_best_stands_out() -> None:
    assert weight(z=[5.0] + [0.0] * 11) > weight(z=[5.0] + [4.0] * 11)
    # Nine others may be as near: the best is compared with the tenth.
    assert weight(z=[5.0] * 9 + [0.0] * 3) > weight(z=[5.0] * 10 + [0.0] * 2)


def test_vectors_count_less_where_the_words_explain_the_query() -> None:
    assert (
        signals.VECTOR_HIGH > weight(explained=0.6) > weight(explained=0.75) > weight(explained=0.9)
    )


def test_vectors_count_as_far_as_the_embedder_is_trusted() -> None:
    half = weight(corpus=replace(CORPUS, trust=0.5))
    assert half == pytest.approx(0.5 * weight())
    assert weight(corpus=replace(CORPUS, trust=0.0)) == 0.0


def test_vectors_that_are_all_below_the_mean_count_nothing() -> None:
    assert weight(z=[-1.0, -2.0]) == 0.0


def test_the_weight_of_vectors_has_a_floor_and_a_ceiling() -> None:
    assert weight(explained=1.0, z=[0.1] * 12) == signals.VECTOR_LOW
    assert weight(explained=0.0, z=[9.0] + [0.0] * 11) == signals.VECTOR_HIGH


def test_a_request_in_other_words_gives_a_far_passage_up_to_twice_the_weight() -> None:
    plain = weight(explained=0.1)
    assert weight(explained=0.1, nearest=3.0) == plain
    assert weight(explained=0.1, nearest=3.5) == pytest.approx(1.5 * plain)
    assert weight(explained=0.1, nearest=9.0) == pytest.approx(2 * plain)
    assert weight(explained=0.3, nearest=9.0) == weight(explained=0.3)
