"""Gists: what a clause is about, and its one value, whatever verb and order of words it has.

Rules

* `I normally go to the gym on Mondays`, `gym days are Wednesday and Saturday` are both about the gym and
  days. A clause has a gist if it holds one value of a sort that can be told: a tool of a known kind, a
  figure, an hour, a day, or the name of who holds a post.
* Its theme is every other word that tells something. Words of being, using and changing do not; any other
  verb does, so `opens at 9` and `closes at 6` have different themes.
* A newer statement that tells of a change ends an older one with the same theme, owner and sort, and another
  value.
* What is denied, planned, or said of somebody else has no gist, or another theme. In doubt both stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.claims.attributes import CLOCK, DAYS, MANY, PERSONS, TIMES
from reverie.core.claims.claim import MOST_CHARS, Reading, read
from reverie.core.claims.cues import CORRECTED, NOW, OPENERS, RIGHTED, SINCE, WHEN
from reverie.core.claims.freely import SMALL
from reverie.core.claims.loose_words import FEELINGS, FIRST, KINDS, OFFERED, PAST, UNIT_KINDS, UNITS
from reverie.core.claims.loosely import BREAKS, COMMA
from reverie.core.claims.statement import MOST_KEPT, is_unspaced, statement_key, tokens
from reverie.core.claims.stretches import NOT, is_number, is_span
from reverie.core.claims.wording import (
    ARTICLES,
    POSSESSIVES,
    QUALIFIERS,
    SUBJECTS,
    TITLES,
    spelled_out,
)
from reverie.core.phrases.gist_words import (
    FILLING,
    HOLDERS,
    KIND_WORDS,
    MEANS,
    MONTHS_IN_CASES,
    REASONS,
    TURNED,
    USING,
)
from reverie.core.phrases.tools import is_tool, kind_of, tools_of
from reverie.core.phrases.turns import is_only_thought_of
from reverie.core.phrases.upheavals import ENDING, SETTING
from reverie.core.phrases.values import PLACES_KNOWN

MOST_CLAUSES: Final = 6
MOST_WORDS: Final = 16
MOST_NAME: Final = 3
_STEM: Final = 6
_AND: Final = re.compile(r" (?:and|but|so|und|aber|mais|pero|но|maar|ale) ")
_DASHES: Final = re.compile(r"(?<=\w)-(?=[^\W\d])")
_WHERE: Final = re.compile(
    r"(?:when(?:ever)?|if|unless|except|while|during|only|wenn|falls|si|quand|cuando|se|quando|если|когда|als|wanneer|gdy|jeśli)\b"
)
_BY: Final = frozenset(["by", "um", "de", "di", "с", "от"])
_TIME_WORDS: Final = (DAYS | TIMES | MONTHS_IN_CASES) - UNITS
_DATED: Final = DAYS | MONTHS_IN_CASES


@dataclass(frozen=True, slots=True)
class Gist:
    """What a clause is about, and its value."""

    owner: str
    theme: frozenset[str]
    kinds: frozenset[str]
    sort: str
    value: tuple[str, ...]
    told: bool
    """It says that something changed."""


def tells_another_value(before: Reading, old: str, new: str) -> bool:
    """Tell whether a new statement gives another value to what an old one is about."""
    if len(before.parts) > 1 or PAST.search(statement_key(old)):
        return False
    news = [gist for gist in gists_of(new) if gist.told]
    if not news:
        return False
    olds = gists_of(old)[:MOST_CLAUSES]
    return any(_replaces(one, two) for one in olds for two in news)


def _replaces(old: Gist, new: Gist) -> bool:
    if old.sort != new.sort or old.theme != new.theme or old.value == new.value:
        return False
    if old.owner != new.owner and not _may_be_of_one(old, new):
        return False
    if not (old.kinds <= new.kinds or new.kinds <= old.kinds):
        return False
    return set(old.value).isdisjoint(new.value) or old.sort not in ("person", "tool")


def words_of_gists(text: str) -> str:
    """Return words of what a statement may end though it shares none with it: the tools of a kind."""
    kinds = {
        gist.sort.partition(" ")[2] for gist in gists_of(text) if gist.sort.startswith("tool ")
    }
    return " ".join(
        f"{kind} {' '.join(tools_of(kind))} {' '.join(sorted(KIND_WORDS.get(kind, ())))}"
        for kind in sorted(kinds)
    )


def _may_be_of_one(old: Gist, new: Gist) -> bool:
    """Tell whether ours is the project's, or what is said of nobody is mine."""
    owners = {old.owner, new.owner}
    return owners <= {"", "we"} or (new.owner == "" and len(new.theme) > ("tool" in new.sort))


@lru_cache(maxsize=MOST_KEPT)
def gists_of(text: str) -> tuple[Gist, ...]:
    """Read the gists of a text, clause by clause; none where it denies, plans or asks."""
    if len(text) > MOST_CHARS or any(is_unspaced(char) for char in text):
        return ()
    names = read(text).names
    clauses = _clauses(text)
    found = list(dict.fromkeys(gist for clause in clauses for gist in _gists(clause, names)))
    told = any(_is_told(clause) for clause in clauses)
    return tuple(Gist(one.owner, one.theme, one.kinds, one.sort, one.value, told) for one in found)


_TOLD: Final = (NOW, SINCE, RIGHTED)


def _clauses(text: str) -> list[str]:
    parts = [part for part in BREAKS.split(text) if part.strip()]
    halves = [half for part in parts for half in _AND.split(part)]
    return list(dict.fromkeys([text, *parts, *halves]))[:MOST_CLAUSES]


@lru_cache(maxsize=MOST_KEPT)
def _is_told(clause: str) -> bool:
    key = OPENERS.sub("", spelled_out(statement_key(clause)))
    if CORRECTED.match(key) or any(pattern.search(key) for pattern in _TOLD):
        return True
    told = TURNED.search(key) or SETTING.search(key) or ENDING.search(key)
    return bool(told) and not is_only_thought_of(key)


def _gists(clause: str, names: frozenset[str]) -> Iterator[Gist]:
    key = OPENERS.sub("", spelled_out(statement_key(clause)))
    key = CORRECTED.sub("", COMMA.sub("", key))
    if is_only_thought_of(key) or _WHERE.match(key):
        return
    for pattern in (SINCE, NOW, RIGHTED, WHEN):
        key = pattern.sub(" ", key)
    reason = REASONS.search(key, 4)
    key = key[: reason.start()] if reason else key
    words = [
        word
        for word in tokens(_DASHES.sub(" ", key))
        if word not in TITLES and any(map(str.isalnum, word))
    ]
    if not words or len(words) > MOST_WORDS or not NOT.isdisjoint(words) or is_span(words):
        return
    if not FEELINGS.isdisjoint(words) or not OFFERED.isdisjoint(words):
        return
    tools = list(_tool(words, names))
    said_names = names - frozenset(words[:1]) if words[0] in SMALL else names
    found = (*tools, *_figure(words), *_code(words), *(() if tools else _holder(words, names)))
    for sort, at, end, more in found:
        rest = words[:at] + words[end:]
        owner, theme = _owner(rest), _theme(rest, more, said_names)
        kinds = frozenset(word for word in theme if word in KINDS and sort != "tool")
        theme -= kinds
        value = tuple(words[at:end])
        told = theme or kinds or (sort.startswith("tool") and (owner or len(words) < MOST_NAME))
        named = not more.isdisjoint(map(_stem, rest))
        if (told or named) and owner != "?":
            yield Gist(
                owner, theme | ({sort} if "tool" in sort else set()), kinds, sort, value, False
            )


def _owner(words: list[str]) -> str:
    """Name whose it is: mine, ours, or that of nobody who is named."""
    if not _ME.isdisjoint(words):
        return "i"  # whoever gave it to me
    for word in words:
        base = POSSESSIVES.get(word, word)
        if base in _WHOSE:
            if base not in FIRST:
                return "?"
            return "i" if base in _MINE else "we"
    return ""


_WHOSE: Final = (
    (SUBJECTS | frozenset(POSSESSIVES.values())) - ARTICLES - {"it", "you", "es", "your", "that"}
)
_TO_WHOM: Final = frozenset(["to", "by", "as", "als", "an", "à", "a", "por", "para", "na", "на"])
_ME: Final = frozenset(["me", "mine", "mir", "mich", "moi"])
_MINE_TEXT: Final = "i my me ich mein je mon yo mi eu meu io mio я мой ik mijn mój"
_MINE: Final = frozenset(_MINE_TEXT.split())


def _theme(words: list[str], more: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    key = " ".join(words)
    key = TURNED.sub(" ", ENDING.sub(" ", SETTING.sub(" ", key)))
    little = (SMALL, FILLING, USING, MEANS, POSSESSIVES)
    stems = (
        _stem(word)
        for word in key.split()
        if (word in names and word not in ARTICLES) or not any(word in listed for listed in little)
    )
    return frozenset(stem for stem in stems if stem not in more)


def _stem(word: str) -> str:
    """Leave out an ending: `tracking` and `track`, `созвоны` and `созвон` are one."""
    for ending in ("'s", "ing", "ed", "es", "s") if word.isascii() else ():
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending)
            break
    return word[:_STEM].removesuffix("e")


# --- what a value is ------------------------------------------------------------------------------


def _tool(
    words: list[str], names: frozenset[str]
) -> Iterator[tuple[str, int, int, frozenset[str]]]:
    """Find the one tool of a known kind that a clause names."""
    found = []
    at = 0
    while at < len(words):
        for length in (2, 1):
            said = words[at : at + length]
            kind = kind_of(" ".join(said)) if len(said) == length else ""
            # `go` and `linear` are words, unless they are written as names.
            if kind and (is_tool("-".join(said)) or names.issuperset(said)):
                found.append((kind, at, at + length))
                at += length - 1
                break
        at += 1
    if len(found) != 1:
        return
    kind, at, end = found[0]
    before = words[at - 1] if at else ""
    if end < len(words) and is_number(words[end]):
        return  # `Java 21`: the version is the value
    more = frozenset(map(_stem, KIND_WORDS.get(kind, frozenset()) | set(kind.split())))
    placed = (
        before in MEANS
        or _stem(before) in more
        or before in USING
        or (not before and len(words) < MOST_NAME + 1)
    )
    if placed:
        yield f"tool {kind}", at, end, more


def _code(words: list[str]) -> Iterator[tuple[str, int, int, frozenset[str]]]:
    """Find the one identifier, address or path that a clause names, if it stands after other words."""
    found = [at for at, word in enumerate(words) if _CODE.fullmatch(word) and not is_number(word)]
    if len(found) == 1 and found[0]:
        word = words[found[0]]
        sort = "email" if "@" in word else "path" if "/" in word else "code"
        yield sort, found[0], found[0] + 1, frozenset()


_CODE: Final = re.compile(
    r"(?=\S{0,60}[a-z])(?:(?=\S{0,60}\d)[a-z][\w.-]{3,60}|[\w-]{2,40}(?:\.[\w-]{2,40}){1,5}|\S{1,40}[@/]\S{2,60})"
)


def _figure(words: list[str]) -> Iterator[tuple[str, int, int, frozenset[str]]]:
    """Find the one figure, hour or day that a clause names."""
    at = [place for place, word in enumerate(words) if is_number(word) or word in _TIME_WORDS]
    if not at or (at[0] and words[at[0] - 1] in _BY and words[at[0]] not in _TIME_WORDS):
        return
    first, last = at[0], at[-1]
    between = words[first : last + 1]
    if any(word not in _JOINS and place + first not in at for place, word in enumerate(between)):
        return
    end = last + 1
    unit = words[end] if end < len(words) else ""
    if unit in UNITS and unit not in _TIME_WORDS and (first or len(words) <= MOST_NAME):
        end += 1
        if not _BESIDE.isdisjoint(words[end : end + 1]):
            return  # `40 minutes away`
        kind = next(place for place, group in enumerate(UNIT_KINDS) if unit in group)
        yield f"figure {kind}", first, end, frozenset()
        return
    if any(":" in word or CLOCK.fullmatch(word) or word in _HOURS for word in between):
        sort = "hour"
    elif any(word in _DATED for word in between):
        sort = "date" if any(map(is_number, between)) else "day"
    elif any(word in _TIME_WORDS for word in between):
        return
    else:
        before = words[first - 1] if first else ""
        sort = "version" if kind_of(before) else "count"
        little = (_BEFORE_COUNTS, SMALL, USING)
        counted = any(before in listed for listed in little)
        if sort == "count" and (not counted or (not first and len(words) > MOST_NAME)):
            return  # `floor 2` is one of several, and so is `two developers`
    yield sort, first, end, frozenset()


_BEFORE_COUNTS: Final = frozenset(
    ["", "port", "version", "порт", "puerto", "porta", "poort", "limit", "max"]
)
_BESIDE: Final = frozenset(
    ["away", "ago", "late", "early", "behind", "ahead", "left", "more", "less", "old"]
)
_HOURS: Final = frozenset(["am", "pm", "uhr"])
_JOINS: Final = frozenset(
    ["and", "und", "et", "y", "e", "и", "en", "i", "ve", "at", "of", "de", "um", "to"]
)


def _holder(
    words: list[str], names: frozenset[str]
) -> Iterator[tuple[str, int, int, frozenset[str]]]:
    """Find who holds the one post that a clause names."""
    posts = [at for at, word in enumerate(words) if _post(word)]
    if len(posts) != 1 or not MANY.isdisjoint(words) or not PERSONS.isdisjoint(words):
        return
    named = [
        at for at, word in enumerate(words) if (word in names or at == 0) and at != posts[0]
        and word not in SMALL and word not in FILLING and word not in USING and not is_tool(word)
        and word.isalpha() and not SETTING.fullmatch(word) and not _post(word)
    ]  # fmt: skip
    if not named or named[-1] - named[0] != len(named) - 1 or len(named) > MOST_NAME:
        return
    before = words[named[0] - 1] if named[0] else ""
    if before in QUALIFIERS - _TO_WHOM or not PLACES_KNOWN.isdisjoint(words[named[0] :]):
        return  # `my dentist is in Oslo`
    yield "person", named[0], named[-1] + 1, frozenset()


def _post(word: str) -> str:
    return HOLDERS.get(word, "")
