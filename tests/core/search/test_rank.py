"""Ranking: neighbours, fusion, calibrated scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.query import read_query
from reverie.core.search.question import MEASURED
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
    return [one._replace(cosine=cosine) for one, cosine in zip(found, cosines, strict=True)]


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


def test_meaning_makes_shared_words_surer_and_never_speaks_against_them() -> None:
    query = "do photos of holidays stay in backups of my phone"
    found, corpus = candidates_of(query, NOTES)
    scores = [
        rank(
            read_query(query),
            with_cosines(found, [0.1, 0.1, 0.1, best, 0.1]),
            replace(near(corpus, mean=0.1, deviation=0.1), chunks=40),
        )[0].score
        for best in (0.1, 0.15, 0.7)
    ]
    words_alone = rank(read_query(query), found, replace(corpus, chunks=40))[0].score
    assert words_alone <= scores[0] <= scores[1] < scores[2]


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
    assert ranked[0].score < MIN_SCORE
    assert [hit.candidate.key for hit in ranked[:3]] == ["4", "3", "0"]


def test_a_far_vector_beats_one_shared_word_that_explains_little() -> None:
    """A request in other words: what shares one word with it comes after what means the same."""
    query = "recommend hotels close to nightlife clubs bars music venues downtown"
    texts = ["The hotels chapter of the guide.", "I sleep badly when streets are loud.", *NOTES]
    found, corpus = candidates_of(query, texts)
    found = [
        candidate._replace(cosine=0.55 if candidate.key == "1" else 0.1) for candidate in found
    ]
    corpus = replace(corpus, chunks=1_000, cosine_mean=0.1, cosine_deviation=0.1)
    best = rank(read_query(query), found, corpus)[0]
    assert best.candidate.key == "1"
    # The same vector against words that explain the query: the words win.
    query = "chapter of the guide about hotels"
    found, _ = candidates_of(query, texts)
    found = [
        candidate._replace(cosine=0.55 if candidate.key == "1" else 0.1) for candidate in found
    ]
    asked = read_query(query)
    best = rank(asked, found, replace(corpus, frequency=dict.fromkeys(asked.terms, 1)))[0]
    assert best.candidate.key == "0"


# --- small things that decide between equals ------------------------------------------------------

TELESCOPE = read_query("telescope")
MANY = Corpus(500, 20.0, {"telescop": 2}, cosine_mean=0.1, cosine_deviation=0.1)


def first_of(query: str, *found: Candidate, corpus: Corpus = MANY) -> str:
    """Return the key of the best one, however they come in."""
    best = {
        rank(read_query(query), order, corpus)[0].candidate.key for order in (found, found[::-1])
    }
    assert len(best) == 1
    return best.pop()


def turn(
    key: str, *, length: int = 25, cosine: float | None = None, asks: bool = False
) -> Candidate:
    counts = {} if cosine else {"telescop": 1}
    return Candidate(key, key, 0, counts, length, cosine=cosine, turn=True, asks=asks)


def test_a_turn_of_a_few_words_says_less_than_a_longer_one_like_it() -> None:
    wow, told = turn("a wow", length=2, cosine=0.6), turn("told", length=25, cosine=0.6)
    assert first_of("dog", wow, told) == "told"
    # From some length on, longer is not better; and a note is as good when it is short.
    page = told._replace(key="a page", length=200)
    assert (
        rank(read_query("dog"), [page, told], MANY)[1].score
        == rank(read_query("dog"), [told], MANY)[0].score
    )
    notes = [item._replace(turn=False) for item in (wow, told)]
    assert len({hit.score for hit in rank(read_query("dog"), notes, MANY)}) == 1


def test_a_turn_that_only_asks_comes_after_one_that_tells() -> None:
    assert first_of("telescope", turn("a question", asks=True), turn("told")) == "told"


def test_the_vector_of_a_turn_counts_less_than_that_of_a_passage() -> None:
    passage = Candidate("passage", "passage", 0, {}, 25, cosine=0.58)
    assert first_of("dog", turn("a turn", cosine=0.6), passage) == "passage"


def test_two_named_speakers_tell_nothing_apart() -> None:
    said = [turn(name)._replace(turn=False, speaker=name) for name in ("ann", "bob", "carl")]
    scores = {hit.score for hit in rank(read_query("telescope of Ann and Bob"), said, MANY)}
    assert len(scores) == 1
    assert first_of("telescope of Carl", *said) == "carl"


def test_what_has_nothing_of_the_query_is_not_lifted_by_who_said_it() -> None:
    owner = Candidate("owner", "b", 0, {}, 20, owner=True)
    hits = rank(TELESCOPE, [owner, Candidate("hit", "a", 0, {"telescop": 1}, 20)], MANY)
    assert [(hit.candidate.key, hit.score > 0) for hit in hits] == [("hit", True), ("owner", False)]


def test_equals_stand_in_the_order_of_their_documents() -> None:
    same = [
        Candidate(f"{group}{order}", group, order, {"telescop": 1}, 20)
        for group, order in (("b", 40), ("a", 7), ("b", 20))
    ]
    hits = rank(TELESCOPE, same, MANY)
    assert [hit.candidate.key for hit in hits] == ["a7", "b20", "b40"]


def test_a_vector_that_is_not_trusted_does_not_beat_a_word() -> None:
    word = Candidate("word", "a", 0, {"telescop": 1}, 20, cosine=0.1)
    near_ = Candidate("near", "b", 0, {}, 20, cosine=0.7)
    query = "telescope of the lighthouse keeper"
    assert first_of(query, word, near_) == "near"
    assert first_of(query, word, near_, corpus=replace(MANY, trust=0.25)) == "word"


# --- how much is enough ---------------------------------------------------------------------------


def best_score(query: str, texts: list[str]) -> float:
    found, corpus = candidates_of(query, texts)
    return rank(read_query(query), found, corpus)[0].score


def test_one_word_of_three_is_enough_among_a_few_notes() -> None:
    """That the other two stand nowhere says little: there is not much where they could stand."""
    assert best_score("database tuning guide", NOTES) > MIN_SCORE
    filler = [f"Filler note number {number}." for number in range(200)]
    assert best_score("database tuning guide", [*NOTES, *filler]) < MIN_SCORE


def test_a_word_that_half_of_a_few_notes_have_still_answers() -> None:
    assert best_score("database of customers", NOTES) > 0.7


def test_a_longer_query_need_not_be_covered_as_well() -> None:
    short = "the staging database, my colleague, laptops, homes"
    long = f"{short}; please connect tonight, tomorrow, Sunday, anywhere, somehow, quickly, safely"
    found, corpus = candidates_of(long, NOTES)
    asked = read_query(long)
    assert len(asked.terms) > 10
    covered = rank(asked, found, corpus)[0]
    cut = replace(asked, terms=asked.terms[:10])
    assert covered.score > rank(cut, found, corpus)[0].score * covered.lexical


def test_a_pasted_page_is_answered_by_a_note_about_part_of_it() -> None:
    page = " ".join(f"word{a}{b}" for a in "abcdefgh" for b in "abcdefgh")
    assert best_score(f"{page} staging database port", NOTES) > 0.9
    assert best_score(page, NOTES) < 0.01


def test_half_of_the_pieces_of_a_chinese_question_are_enough() -> None:
    """Pieces run across the words, so many of them are nobody's."""
    assert best_score("请问明天下午的会议在哪里举行", ["会议在三楼举行。", *NOTES]) > MIN_SCORE


@pytest.mark.parametrize("chunks", [5, 19, 20, 500])
def test_a_low_cosine_speaks_against_nothing(chunks: int) -> None:
    query = "staging database port"
    found, corpus = candidates_of(query, NOTES)
    many = replace(corpus, chunks=chunks)
    words_alone = rank(read_query(query), found, many)[0].score
    low = near(many, mean=0.4, deviation=0.01)
    hits = rank(read_query(query), with_cosines(found, [0.42, 0.4, 0.4, 0.4, 0.4]), low)
    assert hits[0].score >= words_alone


def test_what_the_vectors_say_is_a_half_at_three_deviations() -> None:
    """Below that a cosine is no discovery, above it is one."""
    cosines = {"below": 0.2, "at": 0.4, "above": 0.6}
    found = [Candidate(key, key, 0, {}, 25, cosine=cosine) for key, cosine in cosines.items()]
    said = {hit.candidate.key: hit.vector for hit in rank(read_query("dog"), found, MANY)}
    assert said["at"] == 0.5
    assert said["below"] == pytest.approx(1 - said["above"])
    assert said["below"] < 0.2


def of_a_day(question: str, *, other: dict[str, int]) -> str:
    """Return what comes first: the note of the day, or another one that is much nearer by meaning."""
    query = read_query(question)
    day = Candidate("day", "day", 0, {"day:2026-10-28": 1}, 12, 0.1, date=(2026, 10, 28))
    found = [day, Candidate("other", "other", 0, other, 12, 0.6)]
    frequency = {"day:2026-10-28": 1, **dict.fromkeys(other, 1)}
    corpus = Corpus(60, 12.0, frequency, 0.08, 0.1, profile=MEASURED["use-multilingual-3"])
    return rank(query, found, corpus)[0].candidate.key


def test_a_day_comes_before_what_is_only_near_by_meaning() -> None:
    assert of_a_day("who came to the picnic on 2026-10-28?", other={}) == "day"
    assert of_a_day("what was going on at 28 October 2026?", other={}) == "day"
    assert of_a_day("what was going on at 28 October 2026?", other={"october": 1}) == "day"


def test_what_a_question_asks_beside_a_day_may_stand_elsewhere() -> None:
    assert of_a_day("who came to the picnic on 2026-10-28?", other={"picnic": 2}) == "other"


def test_what_says_less_than_the_best_and_no_nearer_is_left_out_sooner() -> None:
    query = read_query("how much salt does the cabbage need")
    best = Candidate("best", "best", 0, {"salt": 1, "cabbag": 1}, 10, 0.4)

    def share(**other: object) -> float:
        item = Candidate("other", "other", 0, {"salt": 2}, 10, 0.3)._replace(**other)  # type: ignore[arg-type]
        corpus = Corpus(60, 10.0, {"salt": 4, "cabbag": 1}, 0.1, 0.1)
        found = rank(query, [best, item], corpus)
        return next(hit.share for hit in found if hit.candidate.key == "other")

    less = share()
    assert less < share(counts={"salt": 2, "need": 1})  # it says something of its own
    assert less < share(cosine=0.41)  # it is nearer
    assert less < share(group="best", order=9)  # another place of the best
