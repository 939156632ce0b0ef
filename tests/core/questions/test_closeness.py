"""How near is near: compared with ordinary prompts, and by whom a prompt is about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.questions.closeness import closeness, is_near, length_of, what_it_is_about
from reverie.core.questions.reach import GENERAL, OPEN, OWN
from reverie.core.text.words import query_terms

shares = st.floats(-1, 1)
spreads = st.tuples(st.floats(-0.5, 0.5), st.floats(0, 0.5))


def holding(text: str) -> frozenset[str]:
    return frozenset(query_terms(text))


@given(shares, shares, spreads, spreads, st.floats(0, 0.5))
def test_a_higher_cosine_is_nearer_and_a_likeness_to_everything_is_taken_off(
    cosine, mean, work, everyday, more
):
    value = closeness(cosine, mean=mean, work=work, everyday=everyday)
    assert closeness(cosine + more, mean=mean, work=work, everyday=everyday) >= value
    assert closeness(cosine, mean=mean + more, work=work, everyday=everyday) <= value


@given(st.floats(-20, 20), st.floats(1, 500), st.floats(0, 100))
def test_the_owner_needs_least_and_what_anybody_could_answer_gets_nothing(value, words, more):
    near = {reach: is_near(value, reach=reach, words=words) for reach in (GENERAL, OPEN, OWN)}
    assert not near[GENERAL]
    assert near[OWN] or not near[OPEN]
    assert near[OPEN] or not is_near(value, reach=OPEN, words=words + more)


def test_a_general_question_needs_most_of_its_words():
    held = [holding("cello orchestra Thursday"), holding("strings of the cello")]
    assert what_it_is_about("How many strings does a cello have?", held) == [False, True]


def test_one_word_is_enough_for_the_owner_unless_it_means_something_else():
    asked, held = "When do we rehearse with the cello?", [holding("cello orchestra Thursday")]
    assert what_it_is_about(asked, held) == [True]
    assert what_it_is_about(asked, held, [5.0]) == [True]
    assert what_it_is_about(asked, held, [0.0]) == [False]


def test_letters_stand_for_words_where_none_are_told_apart():
    assert length_of("one two three") == 3
    assert 2 < length_of("我的车牌号是多少我的车牌号是多少") < 5


def test_few_words_of_a_short_prompt_need_some_likeness_but_for_identifiers():
    asked = "What did Joanna make for one of the ladies at her writing club?"
    club, name = [frozenset({"club"})], [frozenset({"club", "room17"})]
    assert what_it_is_about(asked, club, [4.5], [0.19]) == [False]
    assert what_it_is_about(asked, club, [4.5], [0.2]) == [True]
    assert what_it_is_about(asked, club, [4.5], [None]) == [True]
    assert what_it_is_about(asked, name, [4.5], [0.19]) == [True]
    assert what_it_is_about(f"{asked} {asked} {asked}", club, [4.5], [0.19]) == [True]
