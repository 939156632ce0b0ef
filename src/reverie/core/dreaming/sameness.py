"""Alike: whether two remarks of a layer say the same, or the same but for one value that has changed.

Rules

* The same means: the same words in the same order, apart from case, width, punctuation, word
  endings and words that only name the speaker. `Use tabs` and `Use tabs in Makefiles` are two rules,
  `tabs over spaces` and `spaces over tabs` are two preferences.
* A changed value is one place where all else is word for word the same: a number, date or version,
  a `not`, one of two opposites, or what comes after `is` at the end. The place must be what the
  remark tells, not what it is about: `Sprint 12 ends Friday` and `Sprint 13 ends Friday` are two.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

from reverie.core.text.plain import has_digit
from reverie.core.text.remembered import remembered
from reverie.core.text.values import conflicts, differences
from reverie.core.text.words import normalize, terms, words
from reverie.types import Kind

Skeleton: TypeAlias = tuple[str, ...]

_VOID_TEXT: Final = """
    the a an user users i he she they please do does der die das ein eine ich le la les un une je el
    los las yo o os eu il lo gli io я"""
_SPEAKER: Final = re.compile(r"\A(?:用户|用戶|我|请|請|ユーザーは?|私は?|僕は?|사용자는|저는|나는)")
_DATE_TEXT: Final = """
    january february march april may june july august september october november december jan feb mar
    apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
    januar februar marz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag
    sonntag janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre lundi mardi
    mercredi jeudi vendredi samedi dimanche enero febrero marzo abril mayo junio julio agosto septiembre
    octubre noviembre diciembre lunes martes miercoles jueves viernes sabado domingo
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря"""
# Words after which a number, date or name is told rather than named.
_LINKS_TEXT: Final = """
    is are was be to at on by of for in until till before after than every under over below above about
    equals exactly max min maximum minimum = : ist sind am bis vor nach auf mit unter uber est sont a le jusqu
    avant apres es son en hasta antes e sono entro fino это до после на в к 是 为 為 到 在 有 约
    は が に で 은 는 이 가 에"""
_COPULAS_TEXT: Final = "is are ist sind est sont es son e sono это"
_FREQUENCY_TEXT: Final = (
    "always never immer nie niemals toujours jamais siempre nunca всегда никогда"
)


_VOID: Final = frozenset(_VOID_TEXT.split())
_LINKS: Final = frozenset(_LINKS_TEXT.split())
_COPULAS: Final = frozenset(_COPULAS_TEXT.split())
_OWNERS: Final = frozenset({"my", "our", "his", "her", "their", "mein", "meine", "mon", "ma", "mi"})
# The tokenizer takes `don't` for `do`; here the `not` is what matters.
_CONTRACTED: Final = re.compile(r"(?<=\w)n['’]t\b|(?<=can)not\b", re.I)
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@remembered(16384)
def skeleton(text: str) -> Skeleton:
    """Return the words of a remark in order, stemmed, without those that carry nothing."""
    plain = _CONTRACTED.sub(" not", _SPEAKER.sub("", text.strip()))
    return tuple((terms(word) or [word])[0] for word in words(plain) if word not in _VOID)


def says_same(a: str, b: str) -> bool:
    """Tell whether two remarks say the same, so that one of them can go."""
    return bool(skeleton(a)) and skeleton(a) == skeleton(b) and not conflicts(a, b)


def changed_value(a: str, b: str, *, kind: Kind) -> bool:
    """Tell whether two remarks are the same but for one value that they tell."""
    one, two = skeleton(a), skeleton(b)
    if min(len(one), len(two)) < 3 or normalize(a) == normalize(b):
        return False
    if one == two:  # word for word the same, and yet a sign, a unit or a symbol differs
        return conflicts(a, b) and any(map(_is_figure, one))
    left, right = _differing(one, two)
    here, there = one[left.start : left.stop], two[right.start : right.stop]
    if here and there and all(map(_is_figure, (*here, *there))):
        return _is_told(one, left, kind)
    if len(here) > 1 or len(there) > 1:
        return False
    apart = differences(a, b)
    if "negation" in apart and not (here and there):
        return True
    if "opposite" in apart:
        behind = 1 if kind in (Kind.USER, Kind.FEEDBACK) else 2
        return left.start >= behind or _frequency_stems().issuperset((*here, *there))
    return bool(apart) and _is_renamed(one, two, left, right)


def _differing(one: Skeleton, two: Skeleton) -> tuple[range, range]:
    """Return the stretch in which two skeletons differ, in each of them."""
    shorter = min(len(one), len(two))
    start = next((at for at in range(shorter) if one[at] != two[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if one[-1 - at] != two[-1 - at]), rest)
    return range(start, len(one) - end), range(start, len(two) - end)


def _is_told(stems: Skeleton, place: range, kind: Kind) -> bool:
    """Tell whether a figure is what the remark tells, rather than part of what it is about."""
    if place.start < 2:
        return False
    linked = stems[place.start - 1] in _LINKS
    rest = stems[place.stop :]
    last = len(rest) <= (
        3 if all(map(_UNSPACED.match, rest)) else 1
    )  # nothing but a unit behind it
    return linked or (last and kind is not Kind.REFERENCE)


def _is_renamed(one: Skeleton, two: Skeleton, left: range, right: range) -> bool:
    at_end = left.stop == len(one) and right.stop == len(two) and len(left) == len(right) == 1
    about = [stem for stem in one[: left.start] if stem not in _OWNERS]
    return at_end and len(about) >= 3 and about[-1] in _COPULAS


def _is_figure(stem: str) -> bool:
    return has_digit(stem) or stem in _date_stems()


@lru_cache(maxsize=1)
def _date_stems() -> frozenset[str]:
    names = _DATE_TEXT.split()
    return frozenset(names) | {terms(name)[0] for name in names}


@lru_cache(maxsize=1)
def _frequency_stems() -> frozenset[str]:
    return frozenset(terms(name)[0] for name in _FREQUENCY_TEXT.split())
