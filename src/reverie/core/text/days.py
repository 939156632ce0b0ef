"""The days that a text names, and those that a question means on the day it is asked.

Rules
- A date is read as it is usually written in many languages: `28 October 2026`, `28. Oktober`, `2026-10-28`,
  `28.10.2026`, `2026年10月28日`. Where only slashes stand between numbers nobody knows which is the month.
- `yesterday`, `last Friday` or `two weeks ago` are days to someone who knows what day it is.
- A question may say so in more languages than what is remembered is read in, because nothing is rewritten by
  it: `ieri`, `sabato scorso`, `wczoraj`, `geçen cuma`. Slashes are read where one number can be no month.
- A day is searched as a term of its own (`day:2026-10-28`), which every chunk has that is of that day or
  names it, however it was written.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from reverie.core.text.dates import find_relative
from reverie.core.text.value_words import MONTHS
from reverie.core.text.words import normalize
from reverie.types.ranking import Day

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["asked_days", "dates_in", "day_term", "is_day", "named_days"]

# What the common table of months does not have: short forms and more languages, one line a month.
_MORE_MONTHS: Final = """
jan ianuarie ocak stycznia ledna ιανουαριου يناير
feb februarie subat lutego unora φεβρουαριου فبراير
mar martie mart marca brezna μαρτιου مارس
apr aprilie nisan kwietnia dubna απριλιου أبريل
may mayis maja kvetna μαιου مايو
jun iunie haziran czerwca cervna ιουνιου يونيو
jul iulie temmuz lipca cervence ιουλιου يوليو
aug agustos sierpnia srpna αυγουστου أغسطس
sep sept septembrie eylul wrzesnia zari σεπτεμβριου سبتمبر
oct octombrie ekim pazdziernika rijna οκτωβριου أكتوبر
nov noiembrie kasim listopada listopadu νοεμβριου نوفمبر
dec decembrie aralik grudnia prosince δεκεμβριου ديسمبر
"""
# How many days ago; an underscore joins words that stand together. What means something else in another
# language is left out: `hier` is "here" in German, `ma` is "but" in Italian.
_AGO: Final = {
    0: """oggi dzisiaj dzis bugun vandaag hoje azi astazi idag i_dag tanaan dnes hom_nay اليوم σημερα
        hari_ini avui сьогодні วันนี้ 오늘""",
    1: """ieri wczoraj dun gisteren ontem igar i_gar eilen tegnap vcera hom_qua أمس χθες χτεσ kemarin
        ahir вчора เมื่อวาน 어제""",
    2: """altro_ieri l'altro_ieri przedwczoraj evvelsi_gun eergisteren anteontem alaltaieri i_forrgar
        toissapaivana tegnapelott predevcirem hom_kia προχθες anteayer avant-hier vorgestern позавчера""",
}
# The days of the week from Monday on, as they stand beside "last".
_WEEK: Final = (
    "lunedi poniedzialek pazartesi maandag segunda segunda-feira lunea luni mandag",
    "martedi wtorek sali dinsdag terca terca-feira martea marti tirsdag tisdag",
    "mercoledi srode sroda carsamba woensdag quarta quarta-feira miercurea miercuri onsdag",
    "giovedi czwartek persembe donderdag quinta quinta-feira joia joi torsdag",
    "venerdi piatek cuma vrijdag sexta sexta-feira vinerea vineri fredag",
    "sabato sobote sobota cumartesi zaterdag sabado sambata lordag",
    "domenica niedziele niedziela pazar zondag domingo duminica sondag",
)
_LAST: Final = """scorso scorsa zeszly zeszla zeszlym ubiegly ubiegla ostatni ostatnia gecen vorige afgelopen
    passado passada trecut trecuta sista sidste siste forrige"""
_SLASHED: Final = re.compile(
    r"(?<![\d/])(?P<one>[0-3]?\d)/(?P<other>[0-3]?\d)/(?P<year>(?:19|20)\d\d)(?![\d/])"
)
_DAY: Final = "day:"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_DIGIT: Final = re.compile(r"\d")
_FOUR_DIGITS: Final = re.compile(r"\d{4}")  # as many as a year has, in any script
_MOST_DAYS: Final = 40  # of one question
MONTHS_OF_A_YEAR: Final = 12


@lru_cache(maxsize=1)
def _months() -> dict[str, int]:
    return {
        normalize(name): number
        for table in (MONTHS, _MORE_MONTHS)
        for number, names in enumerate(table.split("\n")[1:13], start=1)
        for name in names.split()
    }


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Return how dates are written, each with whether the name of a month belongs to it."""
    month = "|".join(sorted(_months(), key=len, reverse=True))
    of = r"(?:of\s+|de\s+|di\s+|del\s+|d\W)?"
    return tuple(
        (re.compile(pattern), "<name>" in pattern)
        for pattern in (
            rf"\b{_YEAR}[-/.](?P<month>[01]?\d)(?:[-/.](?P<day>[0-3]?\d))?\b",
            rf"(?<![\d.])(?P<day>[0-3]?\d)\.\s?(?P<month>[01]?\d)\.\s?{_YEAR}\b",
            rf"{_YEAR}\s*[年년]\s*(?:(?P<month>[01]?\d)\s*[月월]\s*(?:(?P<day>[0-3]?\d)\s*[日号號일])?)?",
            r"(?<!\d)(?P<month>[01]?\d)\s*[月월]\s*(?P<day>[0-3]?\d)\s*[日号號일]",
            rf"(?<!\d)(?P<day>[0-3]?\d)\s+thang\s+(?P<month>[01]?\d)(?:\s+nam\s+{_YEAR})?",
            rf"\b(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.|º)?\s+{of}(?P<name>{month})\b\.?,?(?:\s+{of}{_YEAR})?",
            rf"\b(?P<name>{month})\b\.?\s+(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b(?!\d)(?:,?\s+{_YEAR})?",
            rf"\b(?P<name>{month})\b\.?,?\s+{of}{_YEAR}",
            rf"\b(?:in|during|since|im|en|last|this)\s+(?P<name>{month})\b",
            rf"\b(?:in|during|since|of|from|im|en)\s+{_YEAR}\b",
        )
    )


def dates_in(text: str) -> list[Day]:
    """Find the days, months and years that a text names outright.

    >>> dates_in("on 8 May, 2023 and in July 2022")
    [(2023, 5, 8), (2022, 7, None)]
    """
    return [day for _, day, _ in sorted(_found(text), key=lambda item: item[0])]


def _found(text: str) -> Iterator[tuple[int, Day, str]]:
    """Yield where each date stands, the date and its words."""
    rest = normalize(text)
    # Most texts have no month, and most patterns need one: looking for words is far quicker than they are.
    names_month = not _months().keys().isdisjoint(_LETTERS.findall(rest))
    if not names_month and not _DIGIT.search(rest):
        return
    for pattern, needs_month in _patterns():
        matches = list(pattern.finditer(rest)) if names_month or not needs_month else ()
        for match in matches:
            part = match.groupdict()
            month = (
                _months()[part["name"]] if part.get("name") else int(part.get("month") or 0) or None
            )
            day = int(part.get("day") or 0) or None
            if (month or 1) <= MONTHS_OF_A_YEAR and (day or 1) <= 31:
                yield match.start(), (int(part.get("year") or 0) or None, month, day), match[0]
        if matches:
            rest = pattern.sub(lambda match: " " * len(match[0]), rest)


def named_days(text: str) -> list[str]:
    """Return the complete dates that a text names, as terms.

    >>> named_days("Moved on 28. Oktober 2026.")
    ['day:2026-10-28']
    """
    if not _FOUR_DIGITS.search(text):
        return []
    return [
        day_term(year, month, day) for year, month, day in dates_in(text) if year and month and day
    ]


def day_term(year: int, month: int, day: int) -> str:
    """Return the term of a day."""
    return f"{_DAY}{year:04d}-{month:02d}-{day:02d}"


def is_day(term: str) -> bool:
    """Say whether a term is a day."""
    return term.startswith(_DAY)


def asked_days(text: str, *, today: date | None) -> list[tuple[Day, str]]:
    """Return the days, months and years that a question means, each with the words that say so.

    A day without a year is the one of this year or the last. Without `today` only what is named counts.
    """
    meant: list[tuple[Day, str]] = []
    for _, (year, month, day), said in sorted(_found(text), key=lambda item: item[0]):
        meant.append(((year, month, day), said))
        if today and month and day and not year:
            meant += [((today.year - ago, month, day), said) for ago in (0, 1)]
    meant += _slashed(text)
    for item in find_relative(text, on=today) if today else ():
        meant += [(day, item.text) for day in _stretch(item.value)]
    if today and not meant:
        meant += _days_ago(text, today)
    return meant[:_MOST_DAYS]


def _slashed(text: str) -> Iterator[tuple[Day, str]]:
    """Yield the dates between slashes of which one number can be no month."""
    for match in _SLASHED.finditer(normalize(text)):
        one, other = int(match["one"]), int(match["other"])
        if min(one, other) <= MONTHS_OF_A_YEAR < max(one, other):
            yield (int(match["year"]), min(one, other), max(one, other)), match[0]


def _days_ago(text: str, today: date) -> Iterator[tuple[Day, str]]:
    """Yield the days that a question names by how long ago they were."""
    plain = normalize(text)
    days, last = _said_ago()
    for match in days.finditer(plain):
        day = today - timedelta(days=_ago_by_words()["_".join(match[0].split())])
        yield (day.year, day.month, day.day), match[0]
    for match in last.finditer(plain):
        number = _weekdays()[match["before"] or match["after"]]
        day = today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
        yield (day.year, day.month, day.day), match[0]


@lru_cache(maxsize=1)
def _ago_by_words() -> dict[str, int]:
    return {normalize(word): ago for ago, words in _AGO.items() for word in words.split()}


@lru_cache(maxsize=1)
def _weekdays() -> dict[str, int]:
    return {word: number for number, words in enumerate(_WEEK) for word in words.split()}


@lru_cache(maxsize=1)
def _said_ago() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds days by how long ago they were, and a day of the week beside "last"."""
    said = "|".join(
        re.escape(word).replace("_", r"\s+")
        for word in sorted(_ago_by_words(), key=len, reverse=True)
    )
    week = "|".join(sorted(_weekdays(), key=len, reverse=True))
    last = "|".join(_LAST.split())
    return (
        re.compile(rf"(?<![\w])(?:{said})(?!\w)"),
        re.compile(rf"\b(?:(?P<before>{week})\s+(?:{last})|(?:{last})\s+(?P<after>{week}))\b"),
    )


def _stretch(value: str) -> Sequence[Day]:
    """Return the days of a relative date: one, those of a week, or a month or year as a whole."""
    weekly = value.startswith("week of ")
    numbers = [int(part) for part in value.removeprefix("week of ").split("-") if part.isdigit()]
    if len(numbers) == 3:
        first = date(*numbers)
        days = (first + timedelta(days=ahead) for ahead in range(7 if weekly else 1))
        return [(day.year, day.month, day.day) for day in days]
    if "Q" in value or not numbers:
        return []
    return [(numbers[0], numbers[1] if len(numbers) > 1 else None, None)]
