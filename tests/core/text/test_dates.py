"""Relative dates: read in many languages, written behind the phrase, and only once."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.dates import find_relative, make_absolute

TUESDAY = date(2026, 3, 10)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The audit is due tomorrow.", "The audit is due tomorrow (2026-03-11)."),
        ("We freeze after Thursday because", "We freeze after Thursday (2026-03-12) because"),
        ("ship it next Friday", "ship it next Friday (2026-03-20)"),
        ("it broke last Friday", "it broke last Friday (2026-03-06)"),
        ("due by Tuesday", "due by Tuesday (2026-03-10)"),
        ("it broke last Tuesday", "it broke last Tuesday (2026-03-03)"),
        ("it broke last Wednesday", "it broke last Wednesday (2026-03-04)"),
        ("it ships next Tuesday", "it ships next Tuesday (2026-03-17)"),
        ("letzten Dienstag war Freeze", "letzten Dienstag (2026-03-03) war Freeze"),
        ("mardi dernier on a livré", "mardi dernier (2026-03-03) on a livré"),
        ("due in two weeks, legal", "due in two weeks (2026-03-24), legal"),
        ("burned last quarter", "burned last quarter (2025-Q4)"),
        ("next week's review", "next week's (week of 2026-03-16) review"),
        ("it started 3 days ago", "it started 3 days ago (2026-03-07)"),
        ("launch 3 weeks from now", "launch 3 weeks from now (2026-03-31)"),
        ("due by the end of the month", "due by the end of the month (2026-03-31)"),
        ("next month we move", "next month (2026-04) we move"),
        ("next year", "next year (2027)"),
        ("下周五之前发布", "下周五(2026-03-20)之前发布"),
        ("审计在两周后到期", "审计在两周后(2026-03-24)到期"),
        ("明天上线", "明天(2026-03-11)上线"),
        ("月底前交付", "月底前(2026-03-31)交付"),
        ("来週の金曜日までにリリース", "来週の金曜日(2026-03-20)までにリリース"),
        ("3日後にリリース", "3日後(2026-03-13)にリリース"),
        ("다음 주 금요일까지 배포", "다음 주 금요일(2026-03-20)까지 배포"),
        ("내일까지", "내일(2026-03-11)까지"),
        ("bis morgen fertig", "bis morgen (2026-03-11) fertig"),
        ("nächste Woche ist Freeze", "nächste Woche (week of 2026-03-16) ist Freeze"),
        ("vendredi prochain on livre", "vendredi prochain (2026-03-13) on livre"),
        ("il y a trois jours", "il y a trois jours (2026-03-07)"),
        ("la entrega es mañana", "la entrega es mañana (2026-03-11)"),
        ("hace tres días", "hace tres días (2026-03-07)"),
        ("через две недели релиз", "через две недели (2026-03-24) релиз"),
        ("в прошлом квартале", "в прошлом квартале (2025-Q4)"),
    ],
)
def test_a_relative_date_gets_its_day(text, expected):
    assert make_absolute(text, on=TUESDAY) == expected


@pytest.mark.parametrize(
    "text",
    [
        "No deploys on Friday",
        "Never deploy by Friday",
        "orders are delivered in 3 days",
        "the docs are nowhere",
        "Guten Morgen",
        "nos vemos por la mañana",
        "Er ist hier",
        "run `git log --since yesterday`",
        "see https://example.com/today/tomorrow",
        "```\nnext week\n```",
        "发布3天后删除",
        "每周五备份",
        "毎週金曜日まで",
        "22,000 years ago",
        "the next Fridays",
        "due tomorrow (2026-03-11)",
        "due tomorrow, 2026-03-11",
    ],
)
def test_what_is_no_date_or_has_one_stays(text):
    assert make_absolute(text, on=TUESDAY) == text


def test_months_are_counted_to_their_last_day():
    assert make_absolute("it ends in 1 month", on=date(2026, 1, 31)).endswith("(2026-02-28)")
    assert make_absolute("due by the end of the year", on=TUESDAY).endswith("(2026-12-31)")
    assert make_absolute("due by the end of the quarter", on=TUESDAY).endswith("(2026-03-31)")


def test_years_beyond_the_calendar_give_no_date():
    assert find_relative("it ends in 999 years", on=date(9500, 1, 1)) == []


PHRASES = st.sampled_from(
    ["tomorrow", "next Friday", "due in 3 days", "下周五", "两周后", "来週の金曜日", "다음 주",
     "nächste Woche", "hier", "mañana", "в пятницу", "via next week's", "every Friday", "by Monday"]
)  # fmt: skip


@given(
    st.lists(PHRASES | st.text(max_size=12), max_size=6),
    st.sampled_from([" ", ", ", "。", "\n"]),
    st.dates(date(1990, 1, 1), date(2090, 1, 1)),
    st.dates(date(1990, 1, 1), date(2090, 1, 1)),
)
def test_dating_twice_is_dating_once_and_loses_no_character(parts, joint, first, second):
    text = joint.join(parts)
    once = make_absolute(text, on=first)
    assert make_absolute(once, on=second) == once
    remaining = iter(once)
    assert all(char in remaining for char in text), "every character stays, in order"


@pytest.mark.parametrize(
    ("text", "said", "meant"),
    [
        ("it is due in 1 month", date(2026, 1, 31), "2026-02-28"),
        ("it is due in 1 year", date(2024, 2, 29), "2025-02-28"),
        ("due by the end of the month", date(2024, 2, 3), "2024-02-29"),
        ("due by the end of next month", date(2026, 12, 3), "2027-01-31"),
    ],
)
def test_a_day_that_a_month_does_not_have_becomes_its_last(text, said, meant):
    assert make_absolute(text, on=said) == f"{text} ({meant})"


@pytest.mark.parametrize(
    "text",
    [
        "Standup is on Monday",
        "Our retros are on Thursday",
        "at least 20 years ago we moved",
        "about two weeks ago it broke",
        "roughly 10 days ago",
        "less than 2 days ago",
        "over a year ago",
        "10 days ago or so",
        "etwa vor zwei Wochen",
        "il y a environ deux semaines",
        "hace unos tres días",
        "大约两周前",
        "两周前左右",
        "the last Thursday of the month",
        "the last Friday of every quarter",
        "около двух недель назад",
        "약 2주 전",
    ],
)
def test_what_recurs_or_is_vague_stays_as_it_was_said(text):
    assert make_absolute(text, on=date(2026, 11, 17)) == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("it started 1 month ago", "2026-02"),
        ("it started 2 years ago", "2024"),
        ("it started 2 weeks ago", "week of 2026-03-16"),
        ("it started 2 days ago", "2026-03-29"),
    ],
)
def test_the_past_is_dated_as_exactly_as_it_was_told(text, meant):
    assert make_absolute(text, on=date(2026, 3, 31)) == f"{text} ({meant})"


@pytest.mark.parametrize(
    "text",
    [
        "we work with an agency named Tomorrow Studio", "my favourite film is The Day After Tomorrow",
        "we read the newsletter This Week in Rust", "the variable is called tomorrow here",
        "The shop opens at 8 from Monday to Friday.", "from Wednesday to Wednesday I am on call",
        "the pool closes at 8 until Friday, at 10 on Saturday", "du lundi au vendredi je travaille à Lyon",
        "с понедельника по пятницу магазин открыт", "月曜日から金曜日まで出社します",
        "the rewrite is due sometime next year",
    ],
)  # fmt: skip
def test_a_name_and_a_range_of_weekdays_get_no_date(text):
    assert make_absolute(text, on=date(2026, 5, 13)) == text
