"""Values in remarks: what must never be lost or mixed up when two of them look alike.

Rules:

* Two remarks may be merged only if one says everything the other says: no number, date, name, word,
  direction or "not" of either may be missing from the one that is kept.
* When in doubt they differ. Two entries that say the same cost a line; two facts made one are lost.
* No language is guessed; every list holds the words of many.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.text.date_words import WEEKDAYS
from reverie.core.text.plain import has_digit
from reverie.core.text.remembered import remembered
from reverie.core.text.synonyms import canonical
from reverie.core.text.value_words import (
    DIRECTIONS,
    FILLER,
    MONTHS,
    NEGATIONS,
    NUMBER_WORDS,
    OPPOSITES,
)
from reverie.core.text.words import normalize, terms, words

# Negations inside scripts that put no spaces; longer ones first so that each counts once.
_UNSPACED_NEGATION: Final = re.compile(
    "非常|不错|不管|无论|無論|別人|别人|特别|特別|区别|区別|別の"  # no negations, though they look it
    "|(不要|禁止|不|没|沒|别|別に|勿|未|无|無|非|否|莫|避免"
    "|ません|ない|なく|なし|ぬ(?!い)|ずに|않|없|못|안 |말아|마세요|아니|ไม่|อย่า|ห้าม|មិន|ບໍ່|မ)"
)

_NUMBER: Final = re.compile(
    r"(?:(?<![\w.])[-+±]|[<>≤≥~≈=$€£¥₽₩₹฿#]\s?)?\d+(?:[.,:/_-]\d+)*(?:\s?[%‰°]|[A-Za-zµ]{1,4}\b)?"
    r"|(?<!\w)v\d+(?:\.\d+)*(?:[-.]?(?:alpha|beta|rc|dev|post)\.?\d*)?"
)
_CJK_COUNT: Final = re.compile(
    "(?<![〇零一二三四五六七八九十百千万兩两])[〇零一二三四五六七八九十百千万兩两]++(?=[天日月年周週時时点點分秒号號個个人次名台件倍章版层層階杯本枚])"
    "|(?<=[周週])[一二三四五六日]|(?<=星期)[一二三四五六日天]|[月火水木金土日](?=曜)"
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:-feira)?")
_CODE: Final = re.compile(r"`([^`\n]{1,80})`")
_IDENTIFIER: Final = re.compile(  # every repetition is bounded: no text makes it slow
    r"(?<!\w)(?:[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}|https?://\S{1,200}|(?:[\w.-]{1,40}/){1,9}[\w.-]{1,64}"
    r"|[^\W_]{1,64}(?:_[^\W_]{1,64}){1,9}|[\w-]{1,64}\.[a-z]{1,5}\b|[A-Za-z]{1,40}\d[\w-]{0,40}"
    r"|[a-z]{1,40}[A-Z]\w{0,40}|[A-Z]{2,40}\w{0,40})"
)
_NAME: Final = re.compile(r"[^\W\d_][\w’'-]*")
_REMEMBERED: Final = 16_384  # texts whose parts are kept: a memory is compared pair by pair
_OPENING: Final = "\"'“”«([*_"
_ENDING: Final = ".!?。！？:：;"


@dataclass(frozen=True, slots=True)
class Values:
    """What a remark states beyond its words."""

    numbers: frozenset[str]
    """Numbers, amounts, dates, times, versions, weekdays and months, normalised."""
    names: frozenset[str]
    """Proper names, identifiers, paths, addresses and quoted code, case folded."""
    negations: tuple[str, ...]
    """Every "not", sorted."""


@remembered(_REMEMBERED)
def value_signature(text: str) -> Values:
    """Read the numbers, names and negations of a text."""
    plain = unicodedata.normalize("NFKC", text)
    return Values(
        numbers=frozenset(_numbers(plain)),
        names=frozenset(_names(plain)),
        negations=tuple(sorted(_negations(plain))),
    )


def conflicts(a: str, b: str) -> bool:
    """Tell whether merging two remarks could lose or mix up something that one of them says."""
    return bool(differences(a, b))


def differences(a: str, b: str) -> list[str]:
    """Name what keeps two remarks apart: numbers, negation, opposite, words, order or subject.

    An empty list means that one of them says all the other says.
    """
    if _spoken(a) == _spoken(b):
        return []
    found: list[str] = []
    left, right = value_signature(a), value_signature(b)
    if not _nested(left.numbers, right.numbers):
        found.append("numbers")
    if left.negations != right.negations:
        found.append("negation")
    one, two = _content(a), _content(b)
    if _opposed(a, b):
        found.append("opposite")
    if not _nested(set(one), set(two)) or not _nested(_directions(a), _directions(b)):
        found.append("words")
    if not _nested(_symbols(a), _symbols(b)):
        found.append("symbols")
    if not _mutual(set(one), set(two), left, right):
        found.append("words")
    if _shared_order(one, two) != _shared_order(two, one):
        found.append("order")
    if _leads(one, two) or _leads(two, one):
        found.append("subject")
    return list(dict.fromkeys(found))


def covers(a: str, b: str) -> bool:
    """Tell whether the first remark says everything the second says."""
    left, right = value_signature(a), value_signature(b)
    return (
        not differences(a, b)
        and right.numbers <= left.numbers
        and set(_content(b)) <= set(_content(a))
    )


def frame_similarity(a: str, b: str) -> float:
    """Tell how alike two remarks are apart from the values in them, 0 to 1.

    "We deploy on Tuesdays" and "we deploy on Fridays" are about the same thing.
    """
    one, two = frame(a), frame(b)
    return len(one & two) / len(one | two) if one and two else 0.0


@remembered(_REMEMBERED)
def frame(text: str) -> frozenset[str]:
    """Return the words of a remark apart from the values in it."""
    return frozenset(term for term in _content(text) if not _is_value(term))


@remembered(_REMEMBERED)
def _spoken(text: str) -> tuple[str, ...]:
    return tuple(normalize(text).split())


def _numbers(plain: str) -> Iterable[str]:
    yield from (_number(match[0]) for match in _NUMBER.finditer(plain))
    yield from (match[0] for match in _CJK_COUNT.finditer(plain))
    table = _calendar()
    for match in _WORD.finditer(plain):
        word = match[0].casefold()
        found = table.get(word) or (table.get(word[:-1]) if word.endswith("s") else None)
        if found:
            yield found


@lru_cache(maxsize=1)
def _calendar() -> dict[str, str]:
    """Map names of weekdays, months and small numbers to what they stand for."""
    table = {name: f"weekday {number}" for name, number in WEEKDAYS.items()}
    for number, line in enumerate(MONTHS.strip().splitlines(), 1):
        table |= dict.fromkeys(line.split(), f"month {number}")
    return table | {word: str(number) for number, word in enumerate(NUMBER_WORDS.split())}


@lru_cache(maxsize=1)
def _value_terms() -> frozenset[str]:
    return frozenset(
        term for word in _calendar() for form in (word, f"{word}s") for term in terms(form)
    )


def _is_value(term: str) -> bool:
    return has_digit(term) or term in _value_terms()


def _number(text: str) -> str:
    text = re.sub(r"\s", "", text).lower().rstrip(".,:/-_")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    return text.removeprefix("v").removeprefix("#").removeprefix("=")


def _names(plain: str) -> Iterable[str]:
    yield from (match[1].casefold() for match in _CODE.finditer(plain))
    yield from (match[0].rstrip(".,;:)").casefold() for match in _IDENTIFIER.finditer(plain))
    for match in _NAME.finditer(plain):
        word = match[0]
        if word[0].isupper() and not _begins_sentence(
            plain[max(match.start() - 12, 0) : match.start()]
        ):
            folded = normalize(word)
            if folded not in FILLER and len(word) > 1:
                yield folded


def _begins_sentence(before: str) -> bool:
    """Tell whether a word after these characters begins a sentence, a line or a list item."""
    bare = before.rstrip(_OPENING)
    said = bare.rstrip()
    gap = bare[len(said) :]
    return not said or said[-1] in _ENDING or "\n" in gap or (said[-1] in "-*•" and bool(gap))


def _negations(plain: str) -> Iterable[str]:
    folded = normalize(plain)
    for word in re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", folded):
        bare = word.replace("'", "").replace("’", "")
        if bare in NEGATIONS:
            yield "not" if bare.endswith("nt") or bare in ("not", "no") else bare
    yield from (match[1] for match in _UNSPACED_NEGATION.finditer(folded) if match[1])


@remembered(_REMEMBERED)
def _content(text: str) -> tuple[str, ...]:
    """The words that carry the remark, in order, each once, near-synonyms folded."""
    found = (canonical(term) for term in terms(text))
    return tuple(
        dict.fromkeys(term for term in found if term not in FILLER and not _is_filled(term))
    )


def _is_filled(term: str) -> bool:
    # Pieces of an unspaced filler word: 用户 is indexed as 用, 户 and 用户.
    return len(term) == 1 and term in "用户我他她请私나"


@remembered(_REMEMBERED)
def _directions(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word in DIRECTIONS)


@remembered(_REMEMBERED)
def _symbols(text: str) -> frozenset[str]:
    return frozenset(char for char in text if unicodedata.category(char) in ("So", "Sm", "Sc"))


def _nested(left: Iterable[str], right: Iterable[str]) -> bool:
    one, two = set(left), set(right)
    return one <= two or two <= one


def _mutual(one: set[str], two: set[str], left: Values, right: Values) -> bool:
    """Tell whether the same remark has the surplus of words and of numbers."""
    if one <= two and one != two:
        return left.numbers <= right.numbers
    if two <= one and one != two:
        return right.numbers <= left.numbers
    return True


def _shared_order(one: Sequence[str], two: Sequence[str]) -> list[str]:
    shared = set(one) & set(two)
    return [term for term in one if term in shared]


def _leads(long: Sequence[str], short: Sequence[str]) -> bool:
    """Tell whether the longer one begins with words of its own: perhaps somebody else's name."""
    return bool(long and short) and long[0] not in short and short[0] in long


def _opposed(a: str, b: str) -> bool:
    left, right = _opposable(a), _opposable(b)
    only_left, only_right = left - right, right - left
    table = _opposites()
    return any(table.get(word, frozenset()) & only_right for word in only_left)


@remembered(_REMEMBERED)
def _opposable(text: str) -> frozenset[str]:
    folded = normalize(text)
    unspaced = {
        word for word in _opposites() if not word.isascii() and len(word) > 1 and word in folded
    }
    return frozenset({*terms(text), *words(text)} | unspaced)


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, Counter[str]] = {}
    for item in OPPOSITES.split():
        word, _, others = item.partition(":")
        for other in others.split(","):
            for one in {word, *terms(word)[-1:]}:
                for two in {other, *terms(other)[-1:]}:
                    table.setdefault(normalize(one), Counter())[normalize(two)] += 1
                    table.setdefault(normalize(two), Counter())[normalize(one)] += 1
    return {word: frozenset(found) for word, found in table.items()}
