"""Loosely: whether a turn that a sentence tells is about what an old statement says, in other words.

Rules

* What went must be what the old statement is about beside its subject: its object, or what it is done with,
  at or on. Whatever stands between them says that it is about something else.
* It must be the same one's: mine and ours go together, what somebody else has stays. In doubt it stays.
* What got another value must have had one of the same kind, and both must be named by the same words, but for
  words that name the kind (`deadline`, `version`, `limit`).
* What is liked, or was, or is denied, is left alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from reverie.core.claims.attributes import (
    ADJECTIVES,
    DAYS,
    MANY,
    POST_NOUNS,
    TIMES,
)
from reverie.core.claims.claim import Reading, content, read
from reverie.core.claims.cues import CORRECTED, NOW, OPENERS, SINCE, WHEN
from reverie.core.claims.freely import NEEDED, happens_freely, is_english, tells_freely
from reverie.core.claims.loose_words import (
    AUXILIARIES,
    BEING,
    DONE_WITH,
    FEELINGS,
    FIRST,
    FIRST_VERB,
    HAPPENED,
    HOLDING,
    HOSTS,
    KINDS,
    LITTLE,
    MEASURES,
    OFFERED,
    PAST,
    UNSPACED,
    WORKING,
    alike,
    bare,
    is_form,
    is_in,
    is_verb,
    place,
)
from reverie.core.claims.owners import are_first, is_mine, same_ones
from reverie.core.claims.sorts import are_rivals, can_answer
from reverie.core.claims.statement import MOST_KEPT, statement_key
from reverie.core.claims.stretches import NOT, cut, is_number, is_span, is_time, of_one_kind
from reverie.core.claims.wording import (
    ARTICLES,
    COPULAS,
    POSSESSIVES,
    QUALIFIERS,
    SUBJECTS,
    spelled_out,
)
from reverie.core.phrases.lives import ends_a_state, tells_of_a_life
from reverie.core.phrases.tools import kind_of
from reverie.core.phrases.turns import Turn, told_turns
from reverie.core.text.plain import has_digit

BREAKS: Final = re.compile(
    r"(?<=\w{2})(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)(?<!\bProf)[.!] +|[;；。！，、]+ *|, +| [—–] "
)
_AND: Final = re.compile(
    r" (?:and|but|so|und|aber|et|mais|y|pero|e|ed|ma|mas|и|а|но|en|maar|i|ale|ve|ama"
    r"|because|weil|nachdem|porque|perché|parce que|потому что|omdat|nadat|bo|ponieważ) "
    r"| after (?=[^,;]{2,40} (?:stepped|left|quit|retired|resigned|died|was|were|got|moved|had)\b)"
)
_JOINED: Final = re.compile(
    r"\A(?:and|but|so|und|aber|et|mais|y|pero|ed|mas|и|а|но|maar|ale|ve|ama) "
)
COMMA: Final = re.compile(r"(?<=\d)[,.](?=\d{3}\b)")
_LETTER: Final = re.compile(
    r"(?<=[^\s.!?a-zA-Z])( ?[AO])(?=[\s\u3040-\u9fff\uac00-\ud7a3]|\Z)|(?<=\w )([AO])(?=\s|\Z)"
)
_ELIDED: Final = re.compile(r"\bj'(?=\w)")


def turned(before: Reading, old: str, new: str, names: frozenset[str]) -> bool:
    """Tell whether a sentence tells a turn by which an old statement does not hold any more."""
    words = before.whole.words
    if ends_a_state(_plain(new), _plain(old)):
        return True
    if len(words) < 2 or _beginnings(old).isdisjoint(_beginnings(new)):
        return False
    if not NOT.isdisjoint(words) or not FEELINGS.isdisjoint(words) or _is_past(old):
        return False
    english = is_english(old) or is_english(new)
    if any(happens_freely(words, key, names, english=english) for key in _keys(new)):
        return True
    if not _tells(new):
        return False
    if _ends_loosely(words, new) or _is_righted(words, new):
        return True
    thing = before.whole.definite.split()[0] in ARTICLES
    return any(
        _concerns(
            turn, words, names, subject=content(turn.subject) or content(carried), thing=thing
        )
        for turn, carried in turns_of(new)
    )


def tells_a_turn(text: str) -> bool:
    """Tell whether a sentence tells a turn of anything at all."""
    return _tells(text) or bool(_keys(text)) or tells_of_a_life(_plain(text))


@lru_cache(maxsize=MOST_KEPT)
def _is_past(old: str) -> bool:
    return bool(PAST.search(statement_key(old)))


@lru_cache(maxsize=MOST_KEPT)
def _beginnings(text: str) -> frozenset[str]:
    """Return how the telling words of a text begin; texts that share none are about different things."""
    said = (word for word in read(text).whole.words if word not in LITTLE)
    return frozenset(word[:3] if word.isascii() else word[:2] for word in said)


@lru_cache(maxsize=MOST_KEPT)
def _tells(new: str) -> bool:
    """Tell whether a sentence tells a turn, an end, or sets something right at all."""
    reading = read(new)
    told = any(part.ended or part.gone or part.former for part in (reading.whole, *reading.parts))
    return told or bool(turns_of(new))


@lru_cache(maxsize=MOST_KEPT)
def turns_of(text: str) -> tuple[tuple[Turn, str], ...]:
    """Return the turns of a sentence, clause by clause, each with who the sentence is about."""
    found: list[tuple[Turn, str]] = []
    subject = ""
    for clause in clauses_of(text):
        key = _plain(clause)
        said = key.split()
        if said and said[0] in FIRST and not subject:
            subject = said[0]
        found += [(turn, subject) for turn in told_turns(key)]
    return tuple(found)


@lru_cache(maxsize=MOST_KEPT)
def _keys(text: str) -> tuple[str, ...]:
    """Return the clauses of a sentence that tell an end or another value."""
    return tuple(filter(tells_freely, dict.fromkeys(map(_plain, clauses_of(text)))))


def clauses_of(text: str) -> list[str]:
    """Return a text, its sentences, and the clauses that these consist of."""
    parts = [part for part in BREAKS.split(text) if part.strip()]
    halves = [half for part in parts for half in _AND.split(part) if half.strip()]
    return [text, *(parts if len(parts) > 1 else ()), *(halves if len(halves) > len(parts) else ())]


@lru_cache(maxsize=MOST_KEPT)
def _plain(clause: str) -> str:
    """Leave only what a clause tells: without when, since when, and how it is joined to another one."""
    key = COMMA.sub("", spelled_out(statement_key(_LETTER.sub(r"\g<0>_", clause))))
    key = _ELIDED.sub("je ", CORRECTED.sub("", OPENERS.sub("", _JOINED.sub("", key))))
    for pattern in (SINCE, NOW, WHEN):
        key = pattern.sub(" ", key)
    return " ".join(key.split())


# --- what went ------------------------------------------------------------------------------------


def _concerns(
    turn: Turn, old: list[str], names: frozenset[str], *, subject: list[str], thing: bool
) -> bool:
    subject = [word for word in subject if word not in AUXILIARIES]
    if turn.kind == "stopped":
        return _are_same_doing(turn.former, old, subject)
    if turn.kind == "set":
        return _gets(old, content(turn.theme), content(turn.value), subject, thing=thing)
    if turn.kind == "post":
        return _was_held(old, content(turn.theme), content(turn.value), names)
    if turn.kind == "swapped":
        return _was_swapped(old, content(turn.theme), content(turn.value), names, subject)
    if turn.kind == "traded" and names.isdisjoint(content(turn.value)):
        return False  # `for locks` says what it was for
    former, more = cut(bare(content(turn.former)))
    theme = [word for word in [*content(turn.theme), *more] if word not in LITTLE]
    if former and turn.kind == "left":
        return _held_by(old, former, theme)
    if not former or not same_ones(subject, theme, old, thing=thing):
        return False
    if any(not is_in(word, old) and word not in KINDS for word in theme):
        return False
    if turn.kind == "renamed":
        at = place(old, former)
        return at > 0 and at + len(former) == len(old) and old[at - 1] in {*COPULAS, "call", "name"}
    if place(old, former) < 0 and len(former) > 1 and former[-1].endswith("en"):
        former = former[:-1]  # `vlees eten`
    return _is_object(old, former, names, theme) or _say_same(old, former)


def _say_same(old: list[str], former: list[str]) -> bool:
    """Tell whether what went is all that the old statement says: `no more Friday deploys`."""
    told = [word for word in old if word not in LITTLE]
    return (
        len(former) > 1
        and all(is_in(word, former) for word in told)
        and all(is_in(word, old) for word in former)
    )


def _is_object(old: list[str], former: list[str], names: frozenset[str], theme: list[str]) -> bool:
    """Tell whether something is what the old statement has, does or uses, and not only a part of it."""
    at = place(old, former)
    if at < 0:
        return False
    end = at + len(former)
    if UNSPACED.search(old[0]) or UNSPACED.search(former[0]):
        return _is_object_unspaced(old, at, end)
    after = old[end] if end < len(old) else ""
    if not DAYS.isdisjoint(old[end:]):
        return False  # it holds for that day
    ends = (
        not after or after in QUALIFIERS or after in MEASURES or after in names or is_number(after)
    )
    # In Turkish and Korean the verb comes last.
    verb_last = end == len(old) - 1 and (not after.isascii() or bool(FIRST_VERB.fullmatch(after)))
    if not ends and not verb_last:
        return False
    verbs = [place for place in range(at) if is_verb(old[place])]
    if not verbs and old[0] in FIRST & SUBJECTS and at > 1 and not HAPPENED.fullmatch(old[1]):
        verbs = [1]  # what follows `we` is a verb
    if not verbs:
        unknown = [word for word in old[:at] if word not in LITTLE and not is_in(word, theme)]
        told = bool(theme) and len(unknown) <= 1 and old[at - 1] in LITTLE
        return bool(FIRST_VERB.fullmatch(old[0])) or verb_last or told
    between = old[verbs[-1] + 1 : at]
    if old[verbs[-1]] in COPULAS and len(between) == 2 and between[1] in QUALIFIERS:
        return True  # `is hosted at X`
    named = [word for word in former if word in names or not word.isalpha()]
    plain = [
        word
        for word in between
        if not (word in LITTLE or word in MEASURES or is_number(word) or word in names)
        and not any(word in group for group in ADJECTIVES)
    ]
    if not plain:
        return bool(named) or not any(word in names for word in between)
    works = old[verbs[-1]] in WORKING
    return bool(named) and (old[at - 1] in DONE_WITH or (works and old[at - 1] in QUALIFIERS))


def _is_object_unspaced(old: list[str], at: int, end: int) -> bool:
    """Tell the same of a script without spaces: it follows a verb or a mark, or the subject's mark."""
    if at == 0:
        return end < len(old) and old[end] in "にでをがは에을를"
    before, after = old[at - 1], old[end] if end < len(old) else ""
    return (
        before in "在用是住于吃喝抽开骑学玩于到为叫は、" or after in "にでをがと에을를" or not after
    )


def _held_by(old: list[str], former: list[str], theme: list[str]) -> bool:
    """Tell whether the old statement says that somebody holds a post, or what another took over."""
    at = place(old, former)
    if at < 0:
        return False
    rest = [word for word in old[:at] + old[at + len(former) :] if word not in LITTLE]
    if theme:
        return any(is_in(word, rest) for word in theme) and all(
            is_in(word, theme) or _is_holding(word) for word in rest
        )
    post = [word for word in rest if word in POST_NOUNS]
    return bool(post) and not COPULAS.isdisjoint(old) and at + len(former) == len(old)


def _is_holding(word: str) -> bool:
    return word in HOLDING or word in COPULAS


def _are_same_doing(doing: str, old: list[str], subject: list[str]) -> bool:
    """Tell whether what somebody stopped doing is all that the old statement says of him: `I smoke`."""
    if not (are_first(old) or FIRST_VERB.fullmatch(old[0])) or (subject and not is_mine(subject)):
        return False
    said = [word for word in content(doing) if word not in LITTLE]
    told = [
        word for word in old if word not in LITTLE and word not in MEASURES and not is_number(word)
    ]
    if not said or not told or len(said) > len(told):
        return False
    return all(
        any(is_form(word, other) or alike(word, other) for other in told) for word in said
    ) and (len(said) == len(told) or is_form(said[0], told[0]))


def _ends_loosely(old: list[str], new: str) -> bool:
    """Tell whether a part of a sentence ends, in other words, all that the old statement says.

    `Sessions no longer live in Redis` ends `We store sessions in Redis`: where something is, and no more.
    """
    for part in read(new).parts or (read(new).whole,):
        gone = part.words if part.ended else part.gone
        verbs = [word for word in gone if is_verb(word)]
        if not gone or not verbs or not set(verbs) <= BEING:
            continue
        said = [word for word in gone if word not in LITTLE and not is_verb(word)]
        told = [word for word in old if word not in LITTLE and not is_verb(word)]
        if len(said) > 1 and len(said) == len(told) and all(is_in(word, told) for word in said):
            return (QUALIFIERS - SUBJECTS).intersection(gone) == (
                QUALIFIERS - SUBJECTS
            ).intersection(old)
    return False


def _is_righted(old: list[str], new: str) -> bool:
    """Tell whether a sentence names the value that does not hold, and of what: `it is A, not B`."""
    claim = read(new).whole
    former = [word for word in content(claim.former) if word not in LITTLE] if claim.former else []
    if not former or not all(is_in(word, old) for word in former) or claim.event:
        return False
    verb = next((at for at, word in enumerate(claim.words) if is_verb(word)), 0)
    if any(word not in LITTLE and not is_in(word, old) for word in claim.words[:verb]):
        return False
    said = [word for word in claim.words if not (word in LITTLE or is_verb(word))]
    about = [word for word in said if is_in(word, old)]
    values = [word for word in said if not is_in(word, old)]
    more = [
        at
        for at, word in enumerate(old)
        if not (word in LITTLE or is_verb(word) or is_in(word, [*about, *former]))
    ]
    if any(not at or old[at - 1] not in about for at in more):
        return False  # `the meeting with Ann`
    if not about or all(map(_is_figure, about)) or not values or len(values) > len(former) + 1:
        return False
    return is_time(values) == is_time(former) and of_one_kind(values, former)


# --- what something is now ------------------------------------------------------------------------


def _gets(
    old: list[str], theme: list[str], value: list[str], subject: list[str], *, thing: bool
) -> bool:
    """Tell whether an old statement gives what is named another value of the same kind."""
    if not is_time(value) or is_span(value) or is_span(old):
        return False
    unspaced = bool(UNSPACED.search("".join(old)))
    figures = [word for word in old if _is_figure(word)]
    new_figures = [word for word in value if _is_figure(word)]
    if OFFERED.intersection(old) or (NEEDED.intersection(old) and any(map(kind_of, value))):
        return False
    if not figures or not new_figures or figures == new_figures or unspaced:
        return False
    if not of_one_kind(figures, new_figures):
        return False
    units = [word for word in value if not (_is_figure(word) or word in LITTLE or word in MEASURES)]
    if any(not is_in(word, old) for word in units):
        return False
    told = [word for word in theme if word not in LITTLE]
    if not told:
        return bool(units) and are_first(subject) and are_first(old)
    if any(not is_in(word, old) and word not in KINDS for word in told):
        return False
    if not any(is_in(word, old) for word in told) or not same_ones(
        [], told, old, thing=thing, whole=False
    ):
        return False
    extra = [
        word
        for word in old
        if not (
            word in LITTLE or _is_figure(word) or word in KINDS or word in MEASURES or is_verb(word)
        )
        and not any(alike(word, other) for other in (*told, *units))
    ]
    after = {old[at + 1] for at, word in enumerate(old[:-1]) if is_number(word)}
    extra = [word for word in extra if word not in after and not (word in HOSTS and units)]
    # `The coverage threshold` is `the code coverage threshold`.
    at = place(old, told) if len(told) > 1 else -1
    return not extra or (
        at > 0 and extra == [word for word in old[:at] if word not in LITTLE] and len(extra) == 1
    )


def _was_held(old: list[str], theme: list[str], value: list[str], names: frozenset[str]) -> bool:
    """Tell whether the old statement names who held a post that somebody else got."""
    post = [word for word in theme if word not in LITTLE]
    if not post or not all(is_in(word, old) for word in post) or MANY.intersection(post):
        return False
    rest = [
        word
        for word in old
        if word not in LITTLE and not is_in(word, post) and not _is_holding(word)
    ]
    at = place(old, post)
    verb = next((at for at, word in enumerate(old) if word in COPULAS), -1)
    holder = old[verb + 1 :] if place(old[:verb], post) >= 0 else old[:verb]
    if not all(can_answer(said, names) for said in (value, rest, holder)):
        return False
    return (
        at >= 0 and bool(rest) and len(rest) <= 3 and rest != value and not COPULAS.isdisjoint(old)
    )


def _was_swapped(
    old: list[str],
    theme: list[str],
    value: list[str],
    names: frozenset[str],
    subject: list[str],
) -> bool:
    """Tell whether the old statement gives what somebody has a new one of: `my dentist is ...`."""
    if subject and not is_mine(subject):
        return False
    noun = [word for word in theme if word not in LITTLE and word not in POSSESSIVES]
    at = next((at for at, word in enumerate(old) if word in COPULAS), -1)
    if at < 1 or not noun or at + 1 >= len(old):
        return False
    named = [word for word in old[:at] if word not in LITTLE]
    had = old[at + 1 :]
    if not (are_rivals(had, value, names) and can_answer(had, names) and can_answer(value, names)):
        return False
    whose = old[0] in FIRST or old[0] not in POSSESSIVES
    same = len(noun) <= len(named) and all(map(alike, named[-len(noun) :], noun))
    return whose and same and len(named) - len(noun) <= 1 and _shape(had) == _shape(value)


def _shape(said: list[str]) -> str:
    """Tell what kind of value words are: figures of the same form, or a name."""
    if any(map(has_digit, said)):
        return "figures" if not any(word.isalpha() for word in said) else "both"
    return "words"


def _is_figure(word: str) -> bool:
    return is_number(word) or word in TIMES or word in DAYS


# --- words ----------------------------------------------------------------------------------------
