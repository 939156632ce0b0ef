"""What need not be looked at changes no score."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.topics import scoring

WORDS = ["deploy", "tea", "like", "best", "make", "good", "v2", "部署", "ขอ"]
counts = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)).filter(any)
documents = st.lists(
    st.dictionaries(st.sampled_from(WORDS), counts, max_size=5), min_size=1, max_size=30
)


@given(query=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), topics=documents)
def test_topics_that_share_only_negligible_terms_are_never_relevant(query, topics):
    question = scoring.read_question(" ".join(query))
    if question is None:
        return
    found = {
        number: {term: topic[term] for term in question.asked if term in topic}
        for number, topic in enumerate(topics)
    }
    found = {number: hits for number, hits in found.items() if hits}
    size, lengths = len(topics), dict.fromkeys(found, (20, 40, 300))
    totals = (20 * size, 40 * size, 300 * size)
    frequency = Counter(term for hits in found.values() for term in hits)
    weak = scoring.negligible(question, frequency, size)
    few = {number: hits for number, hits in found.items() if not hits.keys() <= weak}
    whole = scoring.judge(question, found, lengths=lengths, totals=totals, size=size)
    assert whole == scoring.judge(
        question, few, lengths=lengths, totals=totals, size=size, frequency=frequency
    )


def test_a_question_of_one_weak_word_neglects_nothing():
    question = scoring.read_question("best")
    assert question is not None
    assert scoring.negligible(question, {"best": 9}, 9) == frozenset()


def test_what_everything_holds_is_neglected_first():
    question = scoring.read_question("like best deploy")
    assert question is not None
    weak = scoring.negligible(question, {"like": 90, "best": 80, "deploy": 100}, 1_000_000)
    assert weak == {"like", "best"}
