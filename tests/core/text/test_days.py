"""Days: as texts write them, and as questions mean them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.query import read_query
from reverie.core.text.days import asked_days, dates_in, named_days

TODAY = date(2026, 11, 18)  # a Wednesday


@pytest.mark.parametrize(
    "text",
    [
        "28 October 2026", "October 28th, 2026", "28. Oktober 2026", "le 28 octobre 2026",
        "el 28 de octubre de 2026", "28 de outubro de 2026", "28 ottobre 2026", "28 октября 2026",
        "28 Ekim 2026", "28 octombrie 2026", "28 października 2026", "28 Οκτωβρίου 2026",
        "ngày 28 tháng 10 năm 2026", "2026年10月28日", "2026년 10월 28일", "2026-10-28", "28.10.2026",
    ],
)  # fmt: skip
def test_a_day_is_one_day_however_it_is_written(text: str) -> None:
    assert named_days(f"… {text} …") == ["day:2026-10-28"]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What did we do yesterday?", "2026-11-17"),
        ("Was haben wir gestern gemacht?", "2026-11-17"),
        ("昨天我们做了什么？", "2026-11-17"),
        ("the note of last Friday", "2026-11-13"),
        ("letzten Freitag", "2026-11-13"),
        ("two days ago", "2026-11-16"),
        ("What was on October 28?", "2026-10-28"),
        ("2026-10-28", "2026-10-28"),
        ("27/10/2026", "2026-10-27"),
        ("10/27/2026", "2026-10-27"),
        ("cosa ho fatto sabato scorso?", "2026-11-14"),
        ("co robiłam wczoraj?", "2026-11-17"),
        ("w zeszłą sobotę", "2026-11-14"),
        ("geçen çarşamba ne oldu?", "2026-11-11"),
        ("wat deed ik eergisteren?", "2026-11-16"),
        ("أمس", "2026-11-17"),
    ],
)
def test_a_question_means_days_of_the_calendar(question: str, day: str) -> None:
    assert f"day:{day}" in read_query(question, today=TODAY).terms


def test_a_week_has_seven_days_and_a_month_stays_a_month() -> None:
    days = [day for day, _ in asked_days("what happened last week", today=TODAY)]
    assert days == [(2026, 11, number) for number in range(9, 16)]
    assert asked_days("last month", today=TODAY) == [((2026, 10, None), "last month")]


def test_without_a_clock_only_what_is_named_counts() -> None:
    assert asked_days("yesterday", today=None) == []
    assert [day for day, _ in asked_days("on 8 May 2023", today=None)] == [(2023, 5, 8)]


@pytest.mark.parametrize("text", ["10/11/2026", "version 1.2.3", "99.99.2026", "room 28"])
def test_what_is_no_sure_date_is_none(text: str) -> None:
    assert named_days(text) == []


@given(st.text(max_size=100))
def test_any_text_has_days_or_none(text: str) -> None:
    dates_in(text)
    asked_days(text, today=TODAY)
