"""Claims: a statement read into what it says of what, and whether it tells of a change.

Rules

* The words stand in one order: the subject first, then the verb, what the statement gives as a value,
  and what it holds for. `Priya is my new manager` is `my manager is Priya`.
* Words for now, since and new are taken out and noted; so are words that say that something ended.
* A sentence of several parts is read as a whole and part by part, unless a part says when or for what
  the rest holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from reverie.core.claims.attributes import MANY, RELATIONS, TIMES, V2_VERBS
from reverie.core.claims.cues import (
    AFTER_CONTRASTS,
    ASIDE,
    BEGUN,
    CONTRASTS,
    CORRECTED,
    DENIED,
    ENDED,
    INSTEAD,
    NEW,
    NOT_SO,
    NOW,
    OPENERS,
    RIGHTED,
    SINCE,
    STARTED,
    WHEN,
)
from reverie.core.claims.events import Told, told_event
from reverie.core.claims.statement import MOST_KEPT, joined, statement_key, tokens
from reverie.core.claims.wording import (
    ARTICLES,
    BASE,
    CONDITIONS,
    COPULAS,
    PARTICIPLES,
    PHRASES,
    POSSESSIVES,
    POSTS_BY_ONE_NAME,
    QUALIFIERS,
    SUBJECTS,
    TITLES,
    VERBS,
    simple_present,
    spelled_out,
)
from reverie.core.phrases.tools import is_tool

MOST_CHARS: Final = 400  # a longer text says more than one thing
MOST_HOLDER_WORDS: Final = 4  # of who holds a post: `Dr. Maria del Mar` is my dentist

_BREAKS: Final = re.compile(r"(?<=\w{3})(?<!\bMrs)(?<!\bProf)[.!] +|[;；。！，]+ *|, +| [—–] ")
_JOINED: Final = re.compile(
    r"\A(?:[Aa]nd|[Bb]ut|[Ss]o|[Uu]nd|[Aa]ber|[Ee]t|[Mm]ais|y|[Pp]ero|e|ed|[Mm]as|и|а|но|maar|ale|ve|ama) "
)
_LABEL: Final = re.compile(r"\A([^\s:]{2,30}(?: [^\s:]{1,30}){0,3})\s?(?:：|: | [—–] )(?=\S)")
_NO_LABEL: Final = re.compile(rf"(?:http|note|update|reminder|todo)|(?:{CORRECTED.pattern})")
_HERE: Final = re.compile(
    r"(?<!\blive )(?<!\bis )(?<!\bare )"
    r"\b(?:of|in|for|within) (?:this|our|the) (?:repo|repository|project|codebase)\b"
    r"|\b(?:in|für) (?:diesem|dieses|unserem) (?:repo|projekt)\b|\b(?:dans|de) ce (?:projet|dépôt|repo)\b"
    r"|\b(?:en|de) este (?:repo|proyecto)\b"
)
"""Said of what is spoken of here anyway."""
_LETTER: Final = re.compile(
    r"(?<=[^\s.!?] )([AO])(?=\s|\Z|[은는이가])|(?<=[\u3040-\u9fff])([AO])(?![a-zA-Z])"
)
"""A letter that names something: `Room A` has no article."""
_GERMAN: Final = re.compile(r"\b(?:eine[rmns]?|ein|jede[rmns]?|keine[rmns]?) \Z", re.IGNORECASE)
"""Before a noun that German writes as a name is written."""
_NAMED: Final = re.compile(r"\w[\w'’.+#-]*")
_UNSPACED_HOLDER: Final = re.compile(
    r"(?P<who>[^,;]{1,12})是(?P<whose>我们?的)(?P<what>[^,;]{1,10})"
)
_FRONTED: Final = re.compile(
    r"\A(?:on|in|at|for|during|seit|am|im|an|um|für|unter|en|pour|по|в|на|op|w|na|durante|entre)\Z"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement, or a part of one, without the words that tell of a change."""

    words: list[str] = field(default_factory=list)
    changed: bool = False
    """It says that it holds now, or since a day."""
    begun: bool = False
    """It says that somebody began to do it."""
    ended: bool = False
    former: str = ""
    """The value that does not hold any more, where it is named beside the one that does."""
    topic: list[str] = field(default_factory=list)
    """Then, what the claim is about: its words without the value."""
    gone: list[str] = field(default_factory=list)
    """The statement that ended, where the words say what holds instead."""
    event: Told | None = None
    definite: str = ""
    """The same with its articles: `owns the shop` is not `owns a shop`."""
    inverted: bool = False
    """It named who holds something first: `Priya is my manager`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A statement as a whole and, where each part stands on its own, its parts."""

    whole: Claim
    parts: tuple[Claim, ...]
    names: frozenset[str]
    """Words that are written as names: with a capital inside a sentence, or with a digit."""


@lru_cache(maxsize=MOST_KEPT)
def read(text: str) -> Reading:
    """Read a statement; one that is too long is read as words only."""
    if len(text) > MOST_CHARS:
        return Reading(Claim(tokens(statement_key(text))), (), frozenset())
    parts = [_JOINED.sub("", part) for part in _BREAKS.split(text) if part.strip()]
    free = len(parts) > 1 and not any(CONDITIONS.match(statement_key(part)) for part in parts[1:])
    free = free and not (CONDITIONS.match(statement_key(parts[0])) and not _opens(parts[0]))
    names = {
        word.casefold()
        for found in _NAMED.finditer(text)
        for word in (found[0].rstrip(".'’"),)
        if found.start()
        and (word[:1].isupper() or any(map(str.isdigit, word)) or is_tool(word))
        and not _GERMAN.search(text, max(0, found.start() - 10), found.start())
    }
    whole = claim_of(text)
    if whole.inverted and text[:1].isupper():
        names.add(whole.words[-1])  # who holds it is named first
        names.add(text.split()[0].casefold())
    return Reading(whole, tuple(claim_of(part) for part in parts) if free else (), frozenset(names))


def _opens(part: str) -> bool:
    """Tell whether a first part only says since when: `As of Monday`."""
    key = statement_key(part)
    return not NOW.sub("", SINCE.sub("", key)).strip()


def compared_words(text: str) -> list[str]:
    """Return the words by which statements are compared, without those that tell of a change."""
    return read(text).whole.words


def claim_of(text: str) -> Claim:
    """Read a sentence, or a part of one, that says one thing."""
    text = ASIDE.sub("", text)
    unlike = NOT_SO.search(text)
    text = text[: unlike.start()] if unlike and unlike.start() else text
    label = _LABEL.match(text)
    if label and not _NO_LABEL.match(statement_key(label[1])):
        text = f"{label[1]} is {text[label.end() :]}"
    key = OPENERS.sub("", spelled_out(statement_key(_LETTER.sub(r"\g<0>_", text))))
    key, righted = CORRECTED.subn("", key, count=1)
    key = " ".join(_HERE.sub(" ", key).split())
    if not key:
        return Claim()
    key, ends = _without(key, ENDED)
    if ends:
        key, _ = _without(key, DENIED)
    key, nows = _without(key, ((SINCE, " "), (NOW, " "), (RIGHTED, " "), *STARTED))
    key, begun = BEGUN.subn("are ", key)
    key, _ = _without(simple_present(key), PHRASES)
    key, news = renewed(key) if not ends else (key, False)
    former, topic = "", []
    instead = INSTEAD.search(key)
    if instead:
        former, about = _split_value(instead["old"])
        if instead.start():
            topic = [*_without_last(key[: instead.start()].split()), *about.split()]
            key = f"{key[: instead.start()]} {about}".strip()
        else:  # `Statt A macht B das`: the first word is what goes
            former, _, key = instead["old"].partition(" ")
            topic = key.split()
    elif unlike:
        former = statement_key(unlike["old"])
    event = None if ends or former else told_event(_without(key, ((WHEN, " "),))[0])
    said = tokens(key)
    gone, said = _contrasted(said) if ends else ([], said)
    inverted = False
    if not event:
        said, inverted = _ordered(said)
    return Claim(
        words=_forms(said),
        definite=joined(said),
        changed=bool(former or nows or news or gone or event or begun or righted),
        begun=bool(begun),
        ended=bool(ends) and not gone,
        former=former,
        topic=_forms(topic),
        gone=_forms(_ordered(gone)[0]) if gone else [],
        event=event,
        inverted=inverted,
    )


def renewed(key: str) -> tuple[str, bool]:
    """Take `new` out of `my new manager is` and of `is the new head of`; elsewhere it says something."""
    for pattern, instead in NEW:
        found = pattern.search(key)
        if found is None:
            continue
        before = key[: found.start()].split()
        unspaced = not key.isascii() and not before
        first = not before or (len(before) == 1 and before[0] in {*ARTICLES, "o", "os", "as"})
        last = bool(before) and (before[-1] in COPULAS or (before[-2:-1] and before[-2] in COPULAS))
        if (first and COPULAS.intersection(key.split())) or last or unspaced or "的" in key:
            return pattern.sub(instead, key, count=1), True
    return key, False


def _split_value(text: str) -> tuple[str, str]:
    """Split `flake8 for linting` into the value and what it is for."""
    found = text.split()
    at = next((at for at in range(1, len(found)) if found[at] in QUALIFIERS), len(found))
    return " ".join(found[:at]), " ".join(found[at:])


def _without_last(said: list[str]) -> list[str]:
    """Leave out the value that stands at the end, after the last verb or preposition."""
    at = max((at for at, word in enumerate(said) if _is_verb(word) or word in COPULAS), default=0)
    return said[: at + 1]


def content(text: str) -> list[str]:
    """Return the words of a part of a sentence, in the forms that are compared."""
    return _forms(tokens(text))


def _forms(said: list[str]) -> list[str]:
    found: list[str] = []
    for at, word in enumerate(said):
        if (word in ARTICLES or word in TITLES) and len(said) > 1:
            continue
        if at and said[at - 1] in COPULAS:
            word = PARTICIPLES.get(word, word)
        if at or len(said) == 1:
            word = BASE.get(word, word)
        word = POSSESSIVES.get(word, word)
        found.append(POSTS_BY_ONE_NAME.get(word, word))
    return found


def _ordered(said: list[str]) -> tuple[list[str], bool]:
    """Put the subject first, and what holds a post last."""
    whole = "".join(said)
    holder = None if whole.isascii() else _UNSPACED_HOLDER.fullmatch(whole)
    if holder:
        return tokens(f"{holder['whose']}{holder['what']}是{holder['who']}"), True
    if len(said) > 2 and said[1] in SUBJECTS and said[0] not in SUBJECTS and said[1] not in COPULAS:
        if said[0] in RELATIONS or said[0] in VERBS or said[0] not in QUALIFIERS:
            said = [said[1], said[0], *said[2:]]  # `wohne ich in`
    elif (
        len(said) > 2
        and said[0] in V2_VERBS
        and said[1] not in {*ARTICLES, *QUALIFIERS, *POSSESSIVES}
    ):
        said = [said[1], said[0], *said[2:]]  # `betreut Nele den Shop`
    elif len(said) > 3 and (_FRONTED.match(said[0]) or TIMES.intersection(said[:2])):
        said = _fronted(said)
    at = next((at for at in range(1, len(said) - 1) if said[at] in COPULAS), 0)
    left, right = said[:at], said[at + 1 :]
    named = at and _names_post(right) and not _names_post(left) and len(left) <= MOST_HOLDER_WORDS
    if named and left[0] not in SUBJECTS and not MANY.intersection(right[:3]):
        return [*right, said[at], *left], True
    return said, False


def _fronted(said: list[str]) -> list[str]:
    """Put `in summer I commute by bike` in the order of `I commute by bike in summer`."""
    at = next((at for at in range(1, min(6, len(said))) if said[at] in SUBJECTS), 0)
    if not at or at + 1 >= len(said):
        return said
    first, rest = said[:at], said[at:]
    if rest[0] != said[at] or first[-1] in COPULAS:
        return said
    verb_first = len(first) > 2 and (first[-1] in RELATIONS or first[-1].endswith("e"))
    if verb_first and first[0] in {"am", "im", "an", "um", "seit", "für", "in"}:
        return [rest[0], first[-1], *rest[1:], *first[:-1]]  # `im sommer fahre ich rad`
    return [*rest, *first]


def _names_post(said: list[str]) -> bool:
    """Tell whether words name what somebody or something can be the one of: `my manager`, `the head of X`."""
    if len(said) < 2:
        return False
    if said[0] in POSSESSIVES:
        return True
    return said[0] in ARTICLES - {"a", "an", "ein", "eine"} and not _POSTS.isdisjoint(said[1:4])


_POST_WORDS: Final = """
    head lead leader owner manager maintainer boss ceo cto cfo contact chair host director coach captain
    editor
    minimum maximum default main leiter leiterin chef chefin verantwortliche zuständige ansprechpartner
    responsable chef directeur directrice jefe jefa director directora líder chefe diretor capo direttore
    responsabile"""
_POSTS: Final = frozenset(_POST_WORDS.split())


def _contrasted(said: list[str]) -> tuple[list[str], list[str]]:
    """Split `we queue with A but with B` into what ended and what holds; no contrast, nothing ended so."""
    at = next((at for at, word in enumerate(said) if word in CONTRASTS), 0)
    gone, holds = said[:at], said[at + 1 :]
    while holds and holds[0] in AFTER_CONTRASTS:
        del holds[0]
    if not gone or not holds:
        return [], said
    if holds[0] in gone:  # `but with B`: it goes on where that word stands
        cut = len(gone) - 1 - gone[::-1].index(holds[0])
    else:  # `but B`: it stands where the other value does, after the verb
        cut = 1 + max((at for at, word in enumerate(gone) if _is_verb(word)), default=-1)
    return gone, gone[:cut] + holds


def _is_verb(word: str) -> bool:
    return word in RELATIONS or word in QUALIFIERS or BASE.get(word, word) in VERBS


def _without(key: str, table: tuple[tuple[re.Pattern[str], str], ...]) -> tuple[str, int]:
    """Replace every pattern of a table, and tell how often one was found."""
    total = 0
    for pattern, instead in table:
        key, times = pattern.subn(instead, key)
        total += times
    return " ".join(key.split()) if total else key, total
