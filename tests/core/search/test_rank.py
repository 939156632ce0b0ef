"""Ranking: neighbours, fusion, calibrated scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.query import read_query
from reverie.core.search.rank import rank
from reverie.core.text.words import terms
from reverie.types.ranking import Candidate, Corpus

MIN_SCORE = 0.35


def candidates_of(query: str, texts: list[str], **more: object) -> tuple[list[Candidate], Corpus]:
    asked = read_query(query).terms
    split = [terms(text) for text in texts]
    found = [
        Candidate(
            key=str(order),
            group=str(more.get("group", order)),
            order=order,
            counts={term: count for term, count in Counter(words).items() if term in asked},
            length=len(words),
        )
        for order, words in enumerate(split)
    ]
    frequency = {term: sum(term in words for words in split) for term in asked}
    return found, Corpus(len(texts), sum(map(len, split)) / len(split), frequency)


def order_of(query: str, texts: list[str], **more: object) -> list[str]:
    found, corpus = candidates_of(query, texts, **more)
    return [texts[int(hit.candidate.key)] for hit in rank(read_query(query), found, corpus)]


NOTES = [
    "The staging database runs on port 5433.",
    "We deploy on Fridays after lunch.",
    "Alice prefers tabs over spaces.",
    "Backups of the database are kept for 30 days.",
    "The office plant needs water twice a week.",
]


def test_the_chunk_with_the_rare_words_comes_first() -> None:
    assert order_of("which port does the staging database use", NOTES)[0] == NOTES[0]


def test_words_alone_pass_the_default_threshold() -> None:
    found, corpus = candidates_of("staging database port", NOTES)
    best = rank(read_query("staging database port"), found, corpus)[0]
    assert best.candidate.key == "0"
    assert best.score > 0.9
    assert best.vector == 0.0


def test_one_shared_word_of_many_does_not_pass() -> None:
    query = "what is the tallest mountain climbed by Bob in Nepal during a week"
    found, corpus = candidates_of(query, NOTES)
    assert all(hit.score < MIN_SCORE for hit in rank(read_query(query), found, corpus))


def test_nothing_in_common_scores_nothing() -> None:
    found, corpus = candidates_of("quantum chromodynamics", NOTES)
    assert [hit.score for hit in rank(read_query("quantum chromodynamics"), found, corpus)] == [
        0.0
    ] * len(NOTES)


def test_no_candidates_no_hits() -> None:
    assert rank(read_query("anything"), [], Corpus(0, 0.0, {})) == []


def test_an_answer_is_found_through_the_question_before_it() -> None:
    talk = [
        "The weather was fine.", "We talked for hours.", "Nothing else.", "Good night, see you.",
        "What did you buy at the flea market?", "An old brass telescope, for almost nothing.",
    ]  # fmt: skip
    assert talk[5] in order_of("flea market purchase", talk, group="talk")[:2]


def test_vectors_alone_find_and_pass() -> None:
    query = read_query("canine")
    found = [
        Candidate("dog", "a", 0, {}, 10, cosine=0.9),
        Candidate("tax", "b", 0, {}, 10, cosine=0.1),
    ]
    hits = rank(query, found, Corpus(1000, 10.0, {}, cosine_mean=0.1, cosine_deviation=0.1))
    assert [hit.candidate.key for hit in hits] == ["dog", "tax"]
    assert hits[0].score > MIN_SCORE > hits[1].score


def test_the_named_speaker_wins_a_tie() -> None:
    query = read_query("What hobby does Ann have?")
    found = [
        Candidate("bob", "x", 0, {"hobbi": 1}, 8, speaker="bob"),
        Candidate("ann", "y", 0, {"hobbi": 1}, 8, speaker="ann"),
    ]
    assert rank(query, found, Corpus(50, 8.0, {"hobbi": 2}))[0].candidate.key == "ann"


def test_a_date_in_the_query_prefers_that_month() -> None:
    query = read_query("concert in May 2023")
    found = [
        Candidate("june", "x", 0, {"concert": 1}, 8, date=(2023, 6, 2)),
        Candidate("may", "y", 0, {"concert": 1}, 8, date=(2023, 5, 20)),
    ]
    assert rank(query, found, Corpus(50, 8.0, {"concert": 2}))[0].candidate.key == "may"


def test_recency_counts_only_when_asked_for() -> None:
    found = [
        Candidate("old", "x", 0, {"job": 2}, 8, date=(2021, 1, 1)),
        Candidate("new", "y", 0, {"job": 1}, 8, date=(2024, 1, 1)),
    ]
    corpus = Corpus(50, 8.0, {"job": 2})
    assert rank(read_query("job"), found, corpus)[0].candidate.key == "old"
    assert rank(read_query("latest job"), found, corpus)[0].candidate.key == "new"


def test_what_the_person_said_is_preferred_unless_the_assistant_is_asked_about() -> None:
    found = [
        Candidate("assistant", "x", 0, {"hotel": 2}, 30),
        Candidate("user", "y", 0, {"hotel": 1}, 30, owner=True),
    ]
    corpus = Corpus(50, 30.0, {"hotel": 2})
    assert rank(read_query("my hotel"), found, corpus)[0].candidate.key == "user"
    assert (
        rank(read_query("the hotel you recommended"), found, corpus)[0].candidate.key == "assistant"
    )


counts = st.dictionaries(st.sampled_from(["port", "databas", "plant"]), st.integers(0, 9))
drawn = st.lists(
    st.builds(
        Candidate,
        key=st.text(max_size=3),
        group=st.sampled_from("ab"),
        order=st.integers(0, 6),
        counts=counts,
        length=st.integers(0, 500),
        cosine=st.none() | st.floats(-1, 1),
        turn=st.booleans(),
        asks=st.booleans(),
        owner=st.booleans(),
    ),
    max_size=12,
)


@given(drawn, st.floats(0, 0.5), st.floats(0, 1))
def test_scores_are_sorted_and_between_0_and_1(
    found: list[Candidate], deviation: float, trust: float
) -> None:
    corpus = Corpus(20, 12.0, {"port": 3, "databas": 30}, 0.1, deviation, trust)
    hits = rank(read_query("port of the database plant"), found, corpus)
    scores = [hit.score for hit in hits]
    assert len(hits) == len(found)
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= part <= 1 for hit in hits for part in (hit.score, hit.lexical, hit.vector))


def with_cosines(found: list[Candidate], cosines: list[float]) -> list[Candidate]:
    return [replace(one, cosine=cosine) for one, cosine in zip(found, cosines, strict=True)]


def near(corpus: Corpus, *, mean: float, deviation: float) -> Corpus:
    return replace(corpus, cosine_mean=mean, cosine_deviation=deviation)


def test_a_cosine_that_stands_out_beats_one_common_word() -> None:
    texts = [*NOTES, *(f"Filler note number {number}." for number in range(12))]
    query = "who looks after the green thing in the database room"
    found, corpus = candidates_of(query, texts)
    cosines = [0.1] * len(texts)
    cosines[4] = 0.8
    ranked = rank(
        read_query(query), with_cosines(found, cosines), near(corpus, mean=0.12, deviation=0.1)
    )
    assert ranked[0].candidate.key == "4"


def test_cosines_that_are_all_alike_do_not_overturn_the_words() -> None:
    query = "which port does the staging database use"
    found, corpus = candidates_of(query, NOTES)
    cosines = [0.50, 0.52, 0.52, 0.52, 0.52]
    ranked = rank(
        read_query(query), with_cosines(found, cosines), near(corpus, mean=0.5, deviation=0.02)
    )
    assert ranked[0].candidate.key == "0"


def test_shared_words_pass_only_if_the_meaning_is_not_far_off() -> None:
    query = "how long are backups of photos kept"
    found, corpus = candidates_of(query, NOTES)
    scores = [
        rank(
            read_query(query),
            with_cosines(found, [0.1, 0.1, 0.1, best, 0.1]),
            replace(near(corpus, mean=0.1, deviation=0.1), chunks=40),
        )[0].score
        for best in (0.15, 0.7)
    ]
    assert scores[0] < MIN_SCORE < scores[1]


def test_high_cosines_of_a_narrow_embedder_are_no_confidence() -> None:
    found, corpus = candidates_of("quantum chromodynamics", NOTES)
    ranked = rank(
        read_query("quantum chromodynamics"),
        with_cosines(found, [0.81, 0.80, 0.80, 0.82, 0.80]),
        near(corpus, mean=0.8, deviation=0.005),
    )
    assert all(hit.score < MIN_SCORE for hit in ranked)


def test_a_short_chinese_note_passes_among_few() -> None:
    notes = [
        "我将要参加金融科技精英论坛。",
        "金融科技精英论坛的规模是三千人。",
        "金融科技精英论坛的地点是北京。",
    ]
    query = "金融科技精英论坛的地点是什么？"
    found, corpus = candidates_of(query, notes)
    best = rank(read_query(query), found, corpus)[0]
    assert best.candidate.key == "2"
    assert best.score >= MIN_SCORE


def test_a_long_request_is_judged_by_its_end() -> None:
    long = (
        "Yesterday the office plant got fresh soil and plenty of water from the nice gardener.\n"
        "Everybody admired its leaves, its pot and its place beside the window.\n"
        "Then the meeting started, lasted forever and ended with coffee and cake.\n"
        "By the way, what does Alice prefer: tabs, or spaces?"
    )
    assert order_of(long, NOTES)[0] == NOTES[2]


def test_unsure_hits_keep_their_order() -> None:
    query = (
        "zebra yodel xylophone walrus violin umbrella trumpet sardine quince papaya plant database"
    )
    found, corpus = candidates_of(query, NOTES)
    cosines = [0.101, 0.102, 0.103, 0.104, 0.105]
    ranked = rank(
        read_query(query),
        with_cosines(found, cosines),
        replace(near(corpus, mean=0.1, deviation=0.002), chunks=40),
    )
    assert ranked[0].score < 0.01
    assert [hit.candidate.key for hit in ranked[:3]] == ["4", "3", "0"]


def test_a_far_vector_beats_one_shared_word_that_explains_little() -> None:
    """A request in other words: what shares one word with it comes after what means the same."""
    query = "recommend hotels close to nightlife clubs bars music venues downtown"
    texts = ["The hotels chapter of the guide.", "I sleep badly when streets are loud.", *NOTES]
    found, corpus = candidates_of(query, texts)
    found = [
        replace(candidate, cosine=0.55 if candidate.key == "1" else 0.1) for candidate in found
    ]
    corpus = replace(corpus, chunks=1_000, cosine_mean=0.1, cosine_deviation=0.1)
    best = rank(read_query(query), found, corpus)[0]
    assert best.candidate.key == "1"
    # The same vector against words that explain the query: the words win.
    query = "chapter of the guide about hotels"
    found, _ = candidates_of(query, texts)
    found = [
        replace(candidate, cosine=0.55 if candidate.key == "1" else 0.1) for candidate in found
    ]
    asked = read_query(query)
    best = rank(asked, found, replace(corpus, frequency=dict.fromkeys(asked.terms, 1)))[0]
    assert best.candidate.key == "0"
