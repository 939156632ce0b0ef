"""Relative dates made absolute: `next Friday` becomes `next Friday (2026-03-20)`.

Rules

* The words stay and the date stands behind them: nothing is lost, and a reader sees how it was read.
* What already carries a date, and what stands in code or a link, is left alone: doing it twice
  changes nothing.
* Only what points at one day or stretch is dated. `No deploys on Friday` and `delivered in 3 days`
  are rules, not dates, so a bare weekday or a count ahead needs a word that says something is due.
  `Standup is on Monday` recurs and stays as it is.
* Several weekdays in one sentence are hours of opening or a range, unless one is named as `next` or `last`.
* What is written as a name, or called so, is one: `The Day After Tomorrow`.
* What is vague stays vague: `about`, `at least`, `the last Thursday of the month` get no day, and
  `three years ago` gets a year.
* A week is named by its Monday, a month as 2026-04, a quarter as 2026-Q2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, TypeAlias

from reverie.core.text.date_words import (
    CJK_DAYS,
    CJK_NUMBERS,
    CJK_PERIODS,
    CJK_UNITS,
    CJK_WEEKDAYS,
    DAYS,
    EVENT,
    HANGUL_UNITS,
    NOT_AFTER,
    NUMBERS,
    PERIODS,
    RECURRING,
    UNITS,
    WEEKDAYS,
)
from reverie.core.text.plain import Lazy
from reverie.types import Span


@dataclass(frozen=True, slots=True)
class RelativeDate:
    """A phrase that means a date only to someone who knows when it was said."""

    span: Span
    text: str
    value: str
    """The date, `week of` a Monday, a month, a quarter or a year."""


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_SPOKEN: Final = r"(?<![\w'’-])(?<!\d[,.])"
_END: Final = r"(?![\w-]|['’]\w{3,})"
# A Korean particle may be glued to the noun, so only the beginning of the word counts there.
_DAY: Final = Lazy(rf"{_SPOKEN}(?P<day>{_any(DAYS)})(?:(?<=[가-힣])|{_END})", re.I)
_CJK_DAY: Final = Lazy(rf"(?P<day>{_any(CJK_DAYS)})(?![天日])")
_PERIOD: Final = Lazy(rf"{_SPOKEN}(?P<period>{_any(PERIODS)})(?:(?<=[가-힣])|{_END})", re.I)
_CJK_PERIOD: Final = Lazy(rf"(?P<period>{_any(CJK_PERIODS)})(?![期末]|の?[月火水木金土日]曜)")

_NEXT_WEEK: Final = r"next|в следующ(?:ий|ую|ее)|다음\s?주"
_COMING: Final = (
    r"this|coming|this coming|am kommenden|kommenden|diesen|am nächsten|nächsten|(?:el )?próximo|este|"
    r"(?:na )?próxima|questo|(?:il )?prossimo|komende|в эт(?:от|у)|이번\s?주"
)
_PREVIOUS: Final = r"last|letzten|am letzten|vorigen|(?:el )?último|в прошл(?:ый|ую|ое)|지난\s?주"
_BOUND: Final = (
    r"by|until|till|before|after|due|due on|due by|starting|from|"
    r"bis|bis zum|vor|ab|nach|ab dem|d'ici|avant|jusqu'à|à partir de|après|antes del|hasta el|para el|"
    r"a partir del|até|antes de|entro|prima di|da|voor|до|к|после|с"
)
_WEEKDAY_NAME: Final = rf"(?P<weekday>{_any(WEEKDAYS)})"
_MODIFIED: Final = Lazy(
    rf"{_SPOKEN}(?:(?P<next>{_NEXT_WEEK})|(?P<coming>{_COMING})|(?P<previous>{_PREVIOUS})"
    rf"|(?P<bound>{_BOUND}))\s+(?:the\s+|le\s+)?{_WEEKDAY_NAME}"
    r"(?P<after>\s+(?:prochaine?|que viene|prossim[oa]|que vem|derni(?:er|ère)|pasado))?"
    rf"(?:(?<=[가-힣])|{_END})(?!\s+(?:of|in|im|du|des|de|del|di|van|каждого)\b)"
    rf"|{_SPOKEN}(?:le\s+|el\s+)?(?P<named>{_any(WEEKDAYS)})\s+"
    rf"(?:(?P<later>prochain|que viene|prossimo|que vem)|(?P<earlier>dernier|pasado)){_END}",
    re.I,
)
_CJK_WEEKDAY: Final = Lazy(
    r"(?P<lead>下下|下个?|上个?|本|这个?|這個?|)(?:周|週|星期|礼拜)(?P<zh>[一二三四五六日天])"
    r"|(?P<jalead>再来週|来週|今週|先週)の?(?P<ja>[月火水木金土日])曜日?"
    r"|(?P<bare>(?<![毎の])[月火水木金土日])曜日?(?=まで)"
)

_COUNT: Final = rf"(?P<count>\d{{1,3}}|{_any(NUMBERS)})"
_UNIT: Final = rf"(?P<unit>{_any(UNITS)})"
_SECOND: Final = rf"(?P<count2>\d{{1,3}}|{_any(NUMBERS)})\s+(?P<unit2>{_any(UNITS)})"
_AHEAD: Final = Lazy(
    rf"{_SPOKEN}(?:(?P<sure>dans|dentro de|daqui a|fra|tra|через|over)|in|en"
    rf"|em)\s+{_COUNT}\s+{_UNIT}{_END}"
    r"(?!\s+(?:ago|after|before|of|nach|vor|après|avant|después|antes|depois|после|до)\b)"
    rf"|{_SPOKEN}{_SECOND}\s+from\s+(?P<now>now|today){_END}",
    re.I,
)
_AGO: Final = Lazy(
    rf"{_SPOKEN}(?:{_COUNT}\s+{_UNIT}\s+(?:ago|назад|geleden|fa|atrás)"
    rf"|(?:vor|il y a|hace|há)\s+{_SECOND}){_END}",
    re.I,
)
_CJK_COUNT: Final = rf"(?P<count>\d{{1,3}}|{_any(CJK_NUMBERS)})\s?(?P<unit>{_any(CJK_UNITS)})"
# Straight after a noun it counts from that thing (发布3天后), not from the day of speaking.
_CJK_AHEAD: Final = Lazy(
    rf"(?:^|(?<=[\s,，。、；;:：在于於将將会會要是约約は]))(?:再过|再過)?{_CJK_COUNT}(?P<ahead>之?[后後]|以?内|以?內)"
)
_CJK_AGO: Final = Lazy(rf"(?:^|(?<=[\s,，。、；;:：在于於是约約は])){_CJK_COUNT}之?前")
_HANGUL_COUNT: Final = Lazy(
    rf"(?<![\w])(?P<count>\d{{1,3}})\s?(?P<unit>{_any(HANGUL_UNITS)})\s?(?P<way>후|뒤|전)"
)

_END_OF: Final = Lazy(
    rf"{_SPOKEN}(?:by|until|before|due|due by)\s+(?:the\s+)?end\s+of\s+(?:the\s+|this\s+)?"
    rf"(?P<unit>week|month|quarter|year){_END}"
    rf"|{_SPOKEN}(?:the\s+)?end\s+of\s+(?P<which>this|next)\s+(?P<unit2>week|month|quarter|year){_END}"
    r"|(?P<zh>本月底|这个月底|這個月底|下月底|下个月底|年底前|月底前|今年底|月末まで|年末まで|今月末|来月末|年内)"
    rf"|{_SPOKEN}(?P<other>bis (?:zum )?monatsende|bis (?:zum )?jahresende|d'ici la fin du mois|"
    rf"d'ici la fin de l'année|antes de fin de mes|antes de fin de año|до конца месяца|до конца года|"
    rf"до конца недели){_END}",
    re.I,
)

# Code, links and quoted code are not prose; a phrase that carries its date needs no other.
_NOT_PROSE: Final = Lazy(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`|(?<!\w)\w{1,20}://\S+", re.S)
# Words before or behind a phrase that say that nobody knows the day.
_VAGUE: Final = Lazy(
    r"(?:\b(?:sometime|some time"
    r"|about|around|approximately|approx\.?|roughly|nearly|almost|at least|at most|more than"
    r"|less than|over"
    r"|under|some|up to|maybe|circa|ca\.?|etwa|ungefähr|rund|fast|mindestens|höchstens|mehr als"
    r"|weniger als|über|environ"
    r"|au moins|au plus|plus de|moins de|presque|unos|unas|alrededor de|al menos|más de|menos de|casi"
    r"|cerca de"
    r"|pelo menos|mais de|quase|almeno|più di|meno di|quasi|около|примерно|почти|не менее|более|менее"
    r"|больше)"
    r"|大约|大概|约|約|至少|超过|将近|差不多|およそ|少なくとも|약|적어도|대략)"
    r"\s*(?:vor\s+|il y a\s+|hace\s+|há\s+)?\Z",
    re.I,
)
_OR_SO: Final = Lazy(
    r"\s*(?:or (?:so|more|less)\b|oder so\b|ou plus\b|o más\b|左右|上下|くらい|ぐらい|ほど|정도)",
    re.I,
)
_BEGINS: Final = Lazy(r"(?:[.!?…:;\n。！？(\"“„«]|[-–—*•]\s)\s{0,4}\Z")
_NAMING: Final = Lazy(
    r"\b(?:called|named|titled|entitled|spelled|heißt|genannt|namens|appelée?s?|nommée?s?|intitulée?s?|llamad[oa]s?"
    r"|titulad[oa]s?|chamad[oa]s?|intitulad[oa]s?|chiamat[oaie]|intitolat[oaie]|genaamd|heet|nazwan\w{1,4})\s{1,3}[\"'“„«]?\Z",
    re.I,
)
_ANY_WEEKDAY: Final = Lazy(rf"(?<![\w'’-])(?:{_any(WEEKDAYS)})(?:(?<=[가-힣])|s?(?![\w-]))", re.I)
_RANGE: Final = Lazy(
    rf"\s*(?:[-–—]|to|through|till|until|bis|à|au|a|al|tot|по|до|do)\s+(?:{_any(WEEKDAYS)})\b", re.I
)
_ANY_CJK_WEEKDAY: Final = Lazy(r"(?:[月火水木金土日]曜|(?:周|週|星期|礼拜)[一二三四五六日天])")
_OWNER: Final = Lazy(r"['’](?:s\b|(?=\s))")
_DATED: Final = Lazy(r"\s{0,2}[(（,，]?\s?(?:week of |on )?(?:19|20)\d\d(?:-(?:\d\d|Q[1-4])|\b|年)")
_RECURRING: Final = Lazy(RECURRING, re.I)
_EVENT: Final = Lazy(EVENT, re.I)
_SENTENCE: Final = Lazy(r"[^.!?。！？\n]*(?:[.!?](?=\S)[^.!?。！？\n]*)*")
_CJK_CHAR: Final = Lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def find_relative(text: str, *, on: date) -> list[RelativeDate]:
    """Find the relative dates of a text that was written on a day, in order, none overlapping."""
    barred: list[tuple[int, int]] | None = None  # looked for where anything was found
    found: list[RelativeDate] = []
    for pattern, resolve in _rules_for(text):
        for match in pattern.finditer(text):
            start, end = match.span()
            if barred is None:
                barred = [match.span() for match in _NOT_PROSE.finditer(text)]
            if any(start < stop and end > begin for begin, stop in barred):
                continue
            if _is_name(text, start):
                continue
            if _VAGUE.search(text, max(start - 24, 0), start) or _OR_SO.match(text, end):
                continue
            if value := resolve(match, on):
                owner = _OWNER.match(text, end)
                end = owner.end() if owner else end
                found.append(RelativeDate(Span(start, end), text[start:end], value))
    found.sort(key=lambda item: (item.span.start, -item.span.end))
    kept: list[RelativeDate] = []
    for item in found:
        if not kept or item.span.start >= kept[-1].span.end:
            kept.append(item)
    # Only now: a longer phrase that carries its date must also silence the shorter one inside it.
    return [item for item in kept if not _DATED.match(text, item.span.end)]


def _is_name(text: str, start: int) -> bool:
    """Tell whether a phrase is a name: a capital inside a sentence, or a word for naming before it."""
    begins = not text[:start].strip() or bool(_BEGINS.search(text, max(start - 8, 0), start))
    named = _NAMING.search(text, max(start - 24, 0), start)
    return bool(named) or (text[start].isupper() and not begins)


def make_absolute(text: str, *, on: date) -> str:
    """Put the date behind every relative date of a text that was written on a day.

    >>> make_absolute("The audit is due tomorrow.", on=date(2026, 3, 10))
    'The audit is due tomorrow (2026-03-11).'
    """
    for item in reversed(find_relative(text, on=on)):
        gap = "" if _CJK_CHAR.match(item.text[-1]) else " "
        text = f"{text[: item.span.end]}{gap}({item.value}){text[item.span.end :]}"
    return text


def _sentence_of(match: re.Match[str]) -> str:
    for sentence in _SENTENCE.finditer(match.string):
        if sentence.start() <= match.start() and match.end() <= sentence.end():
            return sentence[0]
    return match.string


def _day(match: re.Match[str], on: date) -> str:
    word = match["day"].lower()
    barrier = NOT_AFTER.get(word)
    if barrier and re.search(rf"(?:^|\W){barrier}\Z", match.string[: match.start()], re.I):
        return ""
    if word == "morgen" and match["day"] == "Morgen" and match.start() > 0:
        return ""  # the German noun: morning
    if word == "hier" and not re.search(
        r"[éèàêç]|\b(?:nous|j'ai|on a|il|elle|le|la)\b", match.string, re.I
    ):
        return ""  # German and Dutch: here
    return (on + timedelta(days=DAYS[word])).isoformat()


def _cjk_day(match: re.Match[str], on: date) -> str:
    return (on + timedelta(days=CJK_DAYS[match["day"]])).isoformat()


def _period(match: re.Match[str], on: date) -> str:
    phrase = re.sub(r"\s+", " ", match["period"].lower())
    return _stretch(*PERIODS[phrase], on)


def _cjk_period(match: re.Match[str], on: date) -> str:
    return _stretch(*CJK_PERIODS[match["period"]], on)


def _weekday(match: re.Match[str], on: date) -> str:
    name = (match["weekday"] or match["named"]).lower()
    wanted = WEEKDAYS[name]
    if match["bound"] and not match["after"]:
        sentence = _sentence_of(match)
        several = len({day.lower() for day in _ANY_WEEKDAY.findall(sentence)}) > 1
        if several or _RANGE.match(match.string, match.end()) or _RECURRING.search(sentence):
            return ""
    if match["next"]:
        return _in_week(on, wanted, 1).isoformat()
    if match["previous"] or match["earlier"]:
        return (on - timedelta(days=(on.weekday() - wanted - 1) % 7 + 1)).isoformat()
    return (on + timedelta(days=(wanted - on.weekday()) % 7)).isoformat()


def _cjk_weekday(match: re.Match[str], on: date) -> str:
    lead = match["lead"] or match["jalead"] or ""
    weeks = {
        "下下": 2,
        "下": 1,
        "下个": 1,
        "上": -1,
        "上个": -1,
        "再来週": 2,
        "来週": 1,
        "先週": -1,
    }
    wanted = CJK_WEEKDAYS[match["zh"] or match["ja"] or match["bare"]]
    if lead:
        return _in_week(on, wanted, weeks.get(lead, 0)).isoformat()
    around = match.string[max(0, match.start() - 2) : match.end() + 2]
    sentence = _sentence_of(match)
    if len(set(_ANY_CJK_WEEKDAY.findall(sentence))) > 1:
        return ""
    if _RECURRING.search(sentence) or not re.search("[前后後到至于於在]|まで", around):
        return ""
    return (on + timedelta(days=(wanted - on.weekday()) % 7)).isoformat()


def _ahead(match: re.Match[str], on: date) -> str:
    count, unit = match["count"] or match["count2"], match["unit"] or match["unit2"]
    sure = match["sure"] or match["now"]
    sentence = _sentence_of(match)
    if not sure and (_RECURRING.search(sentence) or not _EVENT.search(sentence)):
        return ""
    return _moved(on, UNITS[unit.lower()], _number(count))


def _ago(match: re.Match[str], on: date) -> str:
    count, unit = match["count"] or match["count2"], match["unit"] or match["unit2"]
    return _back(on, UNITS[unit.lower()], _number(count))


def _cjk_ahead(match: re.Match[str], on: date) -> str:
    number = _number(match["count"])
    return _moved(on, CJK_UNITS[match["unit"]], number) if number else ""


def _cjk_ago(match: re.Match[str], on: date) -> str:
    number = _number(match["count"])
    return _back(on, CJK_UNITS[match["unit"]], number) if number else ""


def _hangul(match: re.Match[str], on: date) -> str:
    unit, number = HANGUL_UNITS[match["unit"]], _number(match["count"])
    return _back(on, unit, number) if match["way"] == "전" else _moved(on, unit, number)


def _end_of(match: re.Match[str], on: date) -> str:
    phrase = (match["zh"] or match["other"] or "").lower()
    if phrase:
        unit = next((u for mark, u in _END_MARKS if mark in phrase), "month")
        ahead = int(phrase.startswith(("下", "来")))
    else:
        unit = (match["unit"] or match["unit2"]).lower()
        ahead = int((match["which"] or "").lower() == "next")
    return _last_day(on, unit, ahead)


_END_MARKS: Final = (
    ("年", "year"), ("jahr", "year"), ("année", "year"), ("año", "year"), ("года", "year"),
    ("недели", "week"),
)  # fmt: skip

_Rule: TypeAlias = tuple[Lazy, Callable[[re.Match[str], date], str]]
_SPACED_RULES: Final[tuple[_Rule, ...]] = (
    (_END_OF, _end_of),
    (_MODIFIED, _weekday),
    (_DAY, _day),
    (_PERIOD, _period),
    (_AHEAD, _ahead),
    (_AGO, _ago),
    (_HANGUL_COUNT, _hangul),
)
_CJK_RULES: Final[tuple[_Rule, ...]] = (
    (_END_OF, _end_of),
    (_CJK_WEEKDAY, _cjk_weekday),
    (_CJK_DAY, _cjk_day),
    (_CJK_PERIOD, _cjk_period),
    (_CJK_AHEAD, _cjk_ahead),
    (_CJK_AGO, _cjk_ago),
)
# Every phrase of the spaced languages holds one of these words, and most texts hold none.
_COMMON: Final = frozenset(
    {"the", "this", "an", "after", "before", "la", "le", "el", "il", "de", "que"}
)
_END_WORDS: Final = ("quarter", "monatsende", "jahresende", "dans")
_PHRASES: Final = (*DAYS, *PERIODS, *WEEKDAYS, *UNITS, *_END_WORDS)
_TELLING: Final = frozenset(re.findall(r"[^\W\d_]{2,}", " ".join(_PHRASES))) - _COMMON
_LETTERS: Final = Lazy(r"[^\W\d_]{2,}")
_HAN_OR_KANA: Final = Lazy("[\u3040-\u30ff\u3400-\u9fff]")
_HANGUL: Final = Lazy("[\uac00-\ud7a3]")


def _rules_for(text: str) -> Iterator[_Rule]:
    if _HANGUL.search(text) or not _TELLING.isdisjoint(_LETTERS.findall(text.lower())):
        yield from _SPACED_RULES
    if _HAN_OR_KANA.search(text):
        yield from _CJK_RULES


def _number(word: str) -> int:
    if word.isdecimal():
        return int(word)
    return NUMBERS.get(word.lower(), CJK_NUMBERS.get(word, 0))


def _in_week(on: date, weekday: int, weeks: int) -> date:
    return on - timedelta(days=on.weekday()) + timedelta(days=weekday, weeks=weeks)


def _month_shift(on: date, months: int) -> tuple[int, int]:
    index = on.year * 12 + on.month - 1 + months
    return index // 12, index % 12 + 1


def _month_end(year: int, month: int) -> date:
    following = date(year + month // 12, month % 12 + 1, 1)
    return following - timedelta(days=1)


def _moved(on: date, unit: str, count: int) -> str:
    try:
        if unit == "day":
            return (on + timedelta(days=count)).isoformat()
        if unit == "week":
            return (on + timedelta(weeks=count)).isoformat()
        year, month = _month_shift(on, count * (12 if unit == "year" else 1))
        return date(year, month, min(on.day, _month_end(year, month).day)).isoformat()
    except (OverflowError, ValueError):  # before the year 1 or after 9999: no date anybody means
        return ""


def _back(on: date, unit: str, count: int) -> str:
    """Go back as exactly as the words are: `two weeks ago` is a week, `a year ago` a year."""
    try:
        return _moved(on, unit, -count) if unit == "day" else _stretch(unit, -count, on)
    except (OverflowError, ValueError):
        return ""


def _stretch(unit: str, count: int, on: date) -> str:
    if unit == "week":
        return f"week of {_in_week(on, 0, count).isoformat()}"
    if unit == "year":
        return f"{on.year + count:04d}"
    if unit == "quarter":
        index = on.year * 4 + (on.month - 1) // 3 + count
        return f"{index // 4:04d}-Q{index % 4 + 1}"
    year, month = _month_shift(on, count)
    return f"{year:04d}-{month:02d}"


def _last_day(on: date, unit: str, ahead: int) -> str:
    if unit == "week":
        return _in_week(on, 6, ahead).isoformat()
    if unit == "year":
        return date(on.year + ahead, 12, 31).isoformat()
    if unit == "quarter":
        index = on.year * 4 + (on.month - 1) // 3 + ahead
        return _month_end(index // 4, index % 4 * 3 + 3).isoformat()
    return _month_end(*_month_shift(on, ahead)).isoformat()
