"""Statements in company: the later one first, both in the words in which they were said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.topics.beside import (
    MOST_ENTRIES,
    company,
    near_ones,
    put_above,
    tells_of_change,
    without_note,
)
from reverie.core.topics.topic import parse_topic
from reverie.dialect import REVERIE
from reverie.types import Scope, Topic

TODAY = date(2026, 11, 18)


def topic(body: str, *, rel: str = "user/home.md") -> Topic:
    text = f"---\nname: Home\ndescription: where I live\ntype: user\n---\n\n{body}"
    made = parse_topic(
        text, path=f"/m/{rel}", rel=rel, scope=Scope.USER, updated=datetime(2026, 5, 1, tzinfo=UTC)
    )
    assert made
    return made


def above(old: Topic, said: str, at: int = 0, *, how: str = "") -> Topic:
    text = put_above(old, old.entries[at], said, why="", how=how, today=TODAY, dialect=REVERIE)
    made = parse_topic(text, path=old.path, rel=old.rel, scope=old.scope)
    assert made
    return made


@pytest.mark.parametrize(
    "body",
    [
        "I live in Leeds.\n",
        "- I live in Leeds.\n",
        "I live in Leeds.\n\n**Why:** family\n",
        "1. I live in Leeds.",
    ],
)
def test_the_new_statement_stands_first_and_the_old_one_is_as_it_was(body):
    old = topic(body)
    new = above(old, "We moved to Bristol.")
    assert [entry.summary for entry in new.entries] == ["We moved to Bristol.", "I live in Leeds."]
    assert new.entries[1].why == old.entries[0].why
    assert new.text.endswith(old.body.lstrip("\n"))


def test_a_line_says_which_is_later_and_what_holds():
    [first, _] = above(topic("I live in Leeds.\n"), "We moved to Bristol.").entries
    assert first.how == (
        "Said on 2026-11-18; what else stands here is older (2026-05-01)."
        " Where the two disagree, this holds."
    )


def test_what_tells_of_no_change_claims_no_precedence():
    [first, _] = above(topic("Never push to main.\n"), "Never push to main on Fridays.").entries
    assert first.how == "Said on 2026-11-18; what else stands here is older (2026-05-01)."


def test_how_to_apply_it_is_kept():
    [first, _] = above(
        topic("I live in Leeds.\n"), "We moved to Bristol.", how="for parcels"
    ).entries
    assert first.how.startswith("for parcels. Said on 2026-11-18")


@pytest.mark.parametrize("said", ["We moved to Bristol.", "Gateway port is 9443."])
@pytest.mark.parametrize("how", ["", "for parcels."])
def test_the_line_goes_when_the_statement_ends(said, how):
    [first, _] = above(topic("I live in Leeds.\n"), said, how=how).entries
    assert without_note(first.how) == how


def test_it_goes_above_the_entry_that_is_meant():
    old = topic("- I live in Leeds.\n- I have a cat.\n- I drive a Civic.\n")
    new = above(old, "I sold the Civic.", 2)
    assert [entry.summary for entry in new.entries] == [
        "I live in Leeds.", "I have a cat.", "I sold the Civic.", "I drive a Civic.",
    ]  # fmt: skip


def test_company_by_meaning_must_be_very_near_without_a_word_of_change_and_by_words_needs_one():
    old = topic("The gateway listens on 8443.\n")
    [entry] = old.entries
    for near, alike, said, found in (
        ({entry.id: 0.45}, [], "Gateway port is 9443.", True),
        ({entry.id: 0.44}, [], "Gateway port is 9443.", False),
        ({entry.id: 0.25}, [], "The gateway now listens elsewhere.", True),
        ({}, [entry.id], "Gateway port is 9443.", False),
        ({}, [entry.id], "The gateway now listens elsewhere.", True),
        ({}, [], "The gateway now listens elsewhere.", False),
        ({entry.id: 0.9}, [], "Several\nlines", False),
    ):
        met = company(said, near=near, alike=alike, topics=[old])
        assert (met is not None) is found, said


def test_only_the_nearest_is_kept_company():
    one, two = topic("I live in Leeds.\n"), topic("I like tea.\n", rel="user/tea.md")
    full = topic("- a\n" * (MOST_ENTRIES + 1), rel="user/full.md")
    ids = {full.entries[0].id: 0.9, two.entries[0].id: 0.8}
    assert company("Gateway port is 9443.", near=ids, alike=(), topics=[one, two, full]) is None


def test_what_links_to_a_memory_is_not_put_above_it():
    old = topic("I live in Leeds.\n")
    ids = {old.entries[0].id: 0.9}
    assert company("We moved, see [[user/home]].", near=ids, alike=(), topics=[old]) is None


def test_pinned_files_get_no_company():
    old = replace(topic("I live in Leeds.\n"), pinned=True)
    assert company("We moved.", near={old.entries[0].id: 0.9}, alike=(), topics=[old]) is None


def test_what_only_a_description_says_gets_no_company():
    old = topic("")
    assert company("We moved.", near={old.entries[0].id: 0.9}, alike=(), topics=[old]) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("We moved to Bristol.", True),
        ("I no longer eat meat.", True),
        ("Wir nutzen jetzt pnpm.", True),
        ("Never push to main on Fridays.", False),
        ("One of our customers is Bosch.", False),
        ("Room B holds 20 people.", False),
        ("Did we move to Bristol?", False),
        ("Guest data is deleted 24 months after the last stay", False),
        ("One field called id must always be set", False),
        ("Backups are removed every Sunday", False),
        ("Alte Zweige werden nach einem Monat gelöscht", False),
    ],
)
def test_signs_of_a_change(text, told):
    assert tells_of_change(text) is told


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "Nd")), min_size=1, max_size=12)
SENTENCES = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


@given(
    SENTENCES,
    st.lists(SENTENCES, min_size=1, max_size=4),
    st.sampled_from(["- ", "", "1. "]),
    st.data(),
)
def test_nothing_that_was_said_is_changed_by_company(said, before, bullet, data):
    gap = "\n" if bullet else "\n\n"
    old = topic(gap.join(f"{bullet}{text}" for text in before) + "\n")
    at = data.draw(st.integers(0, len(old.entries) - 1))
    new = above(old, said, at)
    have = [entry.summary for entry in old.entries]
    assert [entry.summary for entry in new.entries] == [*have[:at], said, *have[at:]]


def test_what_says_that_something_changed_may_concern_what_is_less_near():
    changed, other = "We moved to Bristol.", "The number of the hall is 4"
    assert near_ones(changed, {"a": 0.36, "b": 0.2}) == {"a": 0.36}
    assert list(near_ones(other, {"a": 0.36, "b": 0.35, "c": 0.4})) == ["c", "a"]
    assert near_ones(changed, {"a": 0.26, "b": 0.2}) == {"a": 0.26}
    assert near_ones(other, {"a": 0.26, "b": 0.2}) == {}
    assert near_ones(changed, {"a": 0.24}) == {}
    assert near_ones(changed, {}) == {}


def test_of_two_that_are_as_near_nobody_knows_which_one_is_concerned():
    assert near_ones("We moved to Bristol.", {"a": 0.30, "b": 0.28}) == {}
