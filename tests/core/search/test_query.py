"""Reading queries: dates, the newest, what the assistant said, the script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.query import read_query, script_trust
from reverie.core.text.days import dates_in
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
