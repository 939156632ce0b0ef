"""The words of dates, by what they mean: a slip in the tables would give somebody a wrong day."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.core.text import date_words
from reverie.core.text.dates import make_absolute

TUESDAY = date(2026, 3, 10)

BY_DAY = {
    -2: (
        "the day before yesterday|vorgestern|avant-hier|anteayer|anteontem|l'altro ieri|"
        "eergisteren|позавчера|그저께|前天|一昨日"
    ),
    -1: (
        "yesterday|gestern|hier|ayer|ontem|ieri|gisteren|вчера|어제|昨天|昨日|きのう"
    ),
    0: (
        "today|tonight|this morning|this afternoon|this evening|heute|aujourd'hui|"
        "aujourd’hui|hoy|hoje|oggi|vandaag|сегодня|오늘|今天|今日|今晚|本日"
    ),
    1: (
        "tomorrow|morgen|demain|mañana|amanhã|domani|завтра|내일|明天|明日|あした"
    ),
    2: (
        "the day after tomorrow|übermorgen|après-demain|pasado mañana|depois de amanhã|"
        "dopodomani|overmorgen|послезавтра|모레|后天|後天|明後日|あさって"
    ),
}  # fmt: skip
BY_PERIOD = {
    ("week", -1): (
        "last week|letzte woche|letzter woche|vorige woche|voriger woche|"
        "la semaine dernière|la semana pasada|"
        "semana passada|la settimana scorsa|vorige week|на прошлой неделе|지난주|上周|上週|"
        "上星期|先週"
    ),
    ("week", 0): (
        "this week|diese woche|dieser woche|cette semaine|esta semana|questa settimana|"
        "deze week|на этой неделе|이번 주|本周|这周|這週|本週|今週"
    ),
    ("week", 1): (
        "next week|nächste woche|nächster woche|kommende woche|la semaine prochaine|"
        "la próxima semana|la semana que viene|próxima semana|semana que vem|"
        "la settimana prossima|la prossima settimana|volgende week|на следующей неделе|"
        "다음 주|다음주|下周|下週|下星期|来週"
    ),
    ("week", 2): (
        "下下周|再来週"
    ),
    ("month", -1): (
        "last month|letzten monat|vorigen monat|le mois dernier|el mes pasado|mês passado|il mese scorso|"
        "в прошлом месяце|지난달|上个月|上個月|先月"
    ),
    ("month", 0): (
        "this month|diesen monat|ce mois-ci|este mes|в этом месяце|이번 달|本月|这个月|"
        "這個月|今月"
    ),
    ("month", 1): (
        "next month|nächsten monat|nächster monat|le mois prochain|el próximo mes|"
        "el mes que viene|próximo mês|mês que vem|il mese prossimo|volgende maand|"
        "в следующем месяце|다음 달|다음달|下个月|下個月|来月"
    ),
    ("quarter", -1): (
        "last quarter|letztes quartal|le trimestre dernier|el trimestre pasado|"
        "в прошлом квартале|上季度|上个季度"
    ),
    ("quarter", 0): (
        "this quarter|в этом квартале|本季度"
    ),
    ("quarter", 1): (
        "next quarter|nächstes quartal|le trimestre prochain|el próximo trimestre|"
        "в следующем квартале|下季度|下个季度"
    ),
    ("year", -1): (
        "last year|letztes jahr|l'année dernière|el año pasado|ano passado|в прошлом году|"
        "작년|去年|昨年"
    ),
    ("year", 0): (
        "this year|dieses jahr|cette année|este año|в этом году|올해|今年"
    ),
    ("year", 1): (
        "next year|nächstes jahr|l'année prochaine|l’année prochaine|el próximo año|"
        "el año que viene|próximo ano|ano que vem|l'anno prossimo|volgend jaar|"
        "в следующем году|내년|明年|来年"
    ),
}  # fmt: skip


def by_word(groups):
    return {word: value for value, words in groups.items() for word in words.split("|")}


def test_every_word_for_a_day_means_that_day():
    assert by_word(BY_DAY) == {**date_words.DAYS, **date_words.CJK_DAYS}


def test_every_word_for_a_stretch_of_time_means_that_stretch():
    assert by_word(BY_PERIOD) == {**date_words.PERIODS, **date_words.CJK_PERIODS}


def test_the_week_begins_with_monday_in_every_script():
    for week in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "월 화 수 목 금 토 일",
    ):
        names = [name if name.isascii() else f"{name}요일" for name in week.split()]
        assert [date_words.WEEKDAYS[name] for name in names] == list(range(7))
    for week in ("一二三四五六日", "月火水木金土日"):
        assert [date_words.CJK_WEEKDAYS[name] for name in week] == list(range(7))
    assert date_words.CJK_WEEKDAYS["天"] == 6


def test_every_count_is_the_number_that_it_says():
    spelt = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    others = ["eine", "due", "три", "quatre", "cinco", "zes", "sieben", "huit", "девять", "zehn"]
    for number, words in enumerate(zip(spelt, others, strict=True), start=1):
        assert [date_words.NUMBERS[word] for word in words] == [number, number]
    assert date_words.NUMBERS["twelve"] == date_words.NUMBERS["двенадцать"] == 12
    assert [date_words.CJK_NUMBERS[sign] for sign in "一二三四五六七八九十"] == list(range(1, 11))
    assert date_words.CJK_NUMBERS["两"] == date_words.CJK_NUMBERS["兩"] == 2


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("it is due in twelve days", "2026-03-22"),
        ("it is due in 2 months", "2026-05-10"),
        ("it is due in 3 years", "2029-03-10"),
        ("it started 2 weeks ago", "(week of 2026-02-23)"),
        ("上线在三天后", "2026-03-13"),
        ("两个月前开始", "(2026-01)"),
        ("3일 후 배포", "2026-03-13"),
        ("2주 전", "(week of 2026-02-23)"),
    ],
)
def test_a_count_of_units_is_counted_from_the_day_it_was_said(text, day):
    assert day in make_absolute(text, on=TUESDAY)
