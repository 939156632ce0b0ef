"""Which topics a new statement is compared with: none that matters is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.claims.judgement import replaces
from reverie.core.claims.statement import says_same
from reverie.core.topics.candidates import ENOUGH, Candidates, entry_keys, exact_keys, near_keys
from reverie.core.topics.topic import parse_topic
from reverie.types import Entry, Scope

PAIRS = [
    ("I live in Oslo", "I live in Rome"),
    ("I am 30", "I am now 31"),
    ("My name is Bob", "My name is Tom"),
    ("The staging port is 8080", "The staging port is 9090"),
    ("The office is in Oslo", "The office moved from Oslo to Rome"),
    ("We use Jenkins for billing", "We moved billing from Jenkins to Buildkite"),
    ("Ich wohne in Kiel", "Ich wohne jetzt in Bonn"),
    ("私は東京に住んでいます", "私は大阪に住んでいます"),
]


def _keys(text: str) -> set[str]:
    return entry_keys([Entry("", text)])


@given(st.text(min_size=1, max_size=200))
def test_the_same_statement_has_a_key_in_common(text: str) -> None:
    again = f" {text.upper().lower()}. "
    if says_same(text, again):
        assert set(exact_keys(again)) & _keys(text)


@given(st.lists(st.text("abc deß東", min_size=1, max_size=30), min_size=2, max_size=4))
def test_each_part_of_a_longer_text_is_found(parts: list[str]) -> None:
    text = "\n".join(f"- {part}" for part in parts)
    for key in exact_keys(text):
        assert key.startswith("\1=")


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_what_a_statement_may_replace_shares_a_key_with_it(old: str, new: str) -> None:
    from reverie.core.text.words import terms

    assert set(near_keys(new)) & (_keys(old) | set(terms(old))), replaces(new, old)


def test_keys_are_no_words() -> None:
    from reverie.core.text.words import terms

    keys = _keys("The staging port is 8080")
    assert keys
    assert not keys & set(terms("\n".join(keys)))


def _topic(number: int, text: str):
    path = f"/m/n{number}.md"
    whole = f"---\nname: n\ndescription: d\ntype: user\n---\n\n{text}\n"
    return parse_topic(whole, path=path, rel=f"n{number}.md", scope=Scope.USER)


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from([a for a, _ in PAIRS])), max_size=60))
def test_candidates_that_came_and_went_are_those_that_are_there(steps):
    kept, now = Candidates(), {}
    for number, text in steps:
        if number in now:
            kept.drop(f"/m/n{number}.md")
            del now[number]
        else:
            now[number] = _topic(number, text)
            kept.put(now[number])
    anew = Candidates(now.values())
    for one, two in PAIRS:
        found = {topic.path for topic in kept.concerned(two)}
        assert found == {topic.path for topic in anew.concerned(two)}
        same = {topic.path for topic in now.values() if one in topic.body}
        assert same <= {topic.path for topic in kept.concerned(one)}


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_what_a_statement_may_concern_is_found_among_many_others(one, two):
    others = [_topic(number, f"The lamp {number} of the hall is green") for number in range(200)]
    found = Candidates([*others, _topic(999, one)]).concerned(two)
    assert "/m/n999.md" in {topic.path for topic in found}
    assert len(found) <= ENOUGH + 1
