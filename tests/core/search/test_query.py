"""Reading queries: dates, the newest, what the assistant said, the script."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.query import read_query, script_trust
from reverie.core.text.days import dates_in, is_day
from reverie.types.ranking import Day


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 8 May, 2023", [(2023, 5, 8)]),
        ("May 8th, 2023", [(2023, 5, 8)]),
        ("in July 2022", [(2022, 7, None)]),
        ("during June", [(None, 6, None)]),
        ("2024-02-29", [(2024, 2, 29)]),
        ("2024年04月01日 周一", [(2024, 4, 1)]),
        ("in 2021", [(2021, None, None)]),
        ("you may go", []),
        ("12 monkeys", []),
    ],
)
def test_dates_that_a_text_names(text: str, expected: list[Day]) -> None:
    assert dates_in(text) == expected


def test_a_query_tells_what_it_wants() -> None:
    assert read_query("What is my latest job?").newest
    assert not read_query("What is my job?").newest
    assert read_query("Which hotel did you recommend?").of_assistant
    assert "ann" in read_query("Where does Ann live?").words


def test_the_script_decides_how_far_static_vectors_are_trusted() -> None:
    assert script_trust("hello") == 1.0
    assert script_trust("你好") == 0.5
    assert script_trust("สวัสดี") == 0.25


@given(st.text(max_size=80))
def test_any_text_is_a_query(text: str) -> None:
    read_query(text)
    assert 0 <= script_trust(text) <= 1


def test_the_last_sentence_of_a_long_query_counts_most() -> None:
    long = (
        "Gardeners planted tulips, roses, daisies and lilies. Cooks boiled rice, beans, lentils, corn.\n"
        "Drivers washed trucks, vans, buses and trams. Where does Bart keep his violin, with tulips?"
    )
    emphasis = read_query(long).emphasis
    assert emphasis["violin"] == emphasis["tulip"] == 1.0
    assert emphasis["rose"] < emphasis["rice"] < emphasis["truck"] < 1.0


def test_a_short_query_is_weighed_evenly() -> None:
    assert read_query("I like tea. I drink it daily. What should I buy?").emphasis == {}


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "what did I do yesterday",
        "28 October 2026",
        "letzten Freitag",
        "昨天",
        "notes from October 28",
        "dün ne yaptım?",
    ],
)
def test_a_day_that_is_all_a_query_asks_for_means_one_thing_exactly(text: str) -> None:
    asked = read_query(text, today=date(2026, 11, 19))
    assert asked.identifiers == {term for term in asked.terms if is_day(term)} != frozenset()


def test_a_day_beside_something_else_is_a_hint() -> None:
    asked = read_query("what did we pay for the chairs last Friday", today=date(2026, 11, 19))
    assert not any(map(is_day, asked.identifiers))


@pytest.mark.parametrize(
    "text",
    [
        "<Ann>: I lost my keys again.\n<Assistant>: Where did you look?",
        'Ann: "I lost my keys."\nBob: "Again?"\nAnn: "Yes."',
        "User: I lost my keys.\nAssistant: Where did you look?",
        "<小明>：我的钥匙丢了。\n<助手>：在哪里找过？",
    ],
)
def test_a_piece_of_a_conversation_is_known_by_who_speaks(text: str) -> None:
    assert read_query(text).talk


@pytest.mark.parametrize(
    "text",
    [
        "Where are my keys?",
        "host: db.example.com\nport: 5432",
        "Note: where are my keys?",
        "https://example.com/a\nhttps://example.com/b",
        "- name: db\n  port: 1\n- name: web\n  port: 2",
        "ERROR: no space left\nINFO: retrying\nERROR: no space left",
        "Why does this fail?\n  key: value\n  other: value",
    ],
)
def test_a_question_is_no_conversation(text: str) -> None:
    assert not read_query(text).talk
