"""Read a search query: its terms and their forms, what it names exactly, days, and whether it asks for the
newest."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from reverie.core.questions.asking import ASKING, asking_terms, question_language, terms_of_any_day
from reverie.core.questions.several import questions_in
from reverie.core.text import scripts
from reverie.core.text.days import asked_days, day_term, is_day
from reverie.core.text.languages import ENGLISH, is_word, own_stems
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.words import CAMEL, normalize, query_terms, words
from reverie.types.ranking import Day, Query, Writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from reverie.types.ranking import Corpus

__all__ = ["Day", "Query", "misspelt", "queries_in", "read_query", "respelt", "script_trust"]


_NEWEST: Final = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|recently|last time|currently|current|right now"
    r"|nowadays|these days|so far"
    r"|neueste[nrs]?|zuletzt|aktuell\w*|derzeit|dernier\w*|actuellement|ultim[oa]s?|actualmente)\b"
    r"|最近|最新|目前|现在|現在|近况|последн|сейчас|최근"
)
_OF_ASSISTANT: Final = re.compile(
    r"\b(?:did you|have you|hast du|the assistant"
    r"|you (?:said|told|gave|made|wrote|suggested|recommended|mentioned|provided|listed|proposed)"
    r"|your (?:advice|answer|suggestions?|recommendations?|reply|response|list))\b"
    r"|你(?:说|建议|推荐)"
)
# How far the bundled static vectors can be trusted, by language and script: alone they find 97 % of English,
# 84 % of German, 80 % of Chinese and 38 % of Thai passages among the first five; words 97 to 99 % of each.
_OTHER_LANGUAGE: Final = 0.5
_SCRIPTS: Final = (
    ("a", "z", 1.0),
    ("\u3040", "\u30ff", 0.5),
    ("\u3400", "\u9fff", 0.5),
    ("\uac00", "\ud7a3", 0.5),
)
_OTHER_SCRIPT: Final = 0.25

# A pasted conversation or a long request asks at its end: the weight of a term rises from FIRST, in the
# first sentence, to 1 in the last (MADial recall@5: English 49.1 -> 49.9, Chinese 40.3 -> 42.3).
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+")
FIRST_SENTENCE: Final = 0.4
LONG_SENTENCES: Final = 3
LONG_TERMS: Final = 20


# Of a word in a language with a stemmer of its own, the word as every text has it and its stem count half
# each (XQuAD, recall@5 by words: Romanian 96.0 -> 98.7, Turkish 94.0 -> 96.0; 1 to 2: less of both).
FORM: Final = 0.5
RESPELT: Final = 0.8  # a word that was probably meant
MOST_MISSPELT: Final = 3

_MAX_IDENTIFIER: Final = 100
_TOKEN: Final = re.compile(r"\w(?:[\w.:/@+#-]*\w)?")
_NUMBER: Final = re.compile(r"\d(?:[\d.,:/-]*\d)")  # two digits and more: 7 is in every text
_QUOTED: Final = re.compile(
    r"\"([^\"\n]{2,200})\"|“([^“”\n]{2,200})[”“]|„([^„“”\n]{2,200})[“”]|«([^«»\n]{2,200})»"
    r"|「([^「」\n]{1,200})」"
)
_RUN: Final = re.compile(r"(?<![^\W_])[^\W_]++(?: [^\W_]++)++")
# Lines that begin with who said them: a name in brackets, a role, or names of which one comes back.
_SAID: Final = re.compile(
    r"(?m)^[ \t>*-]{0,4}"
    r"(?:<(?P<bracketed>[^<>\n]{1,40})>|(?P<name>[^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30})?))"
    r"[ \t]{0,2}[:：](?!//)[ \t]{0,4}\S"
)
_ROLES: Final = frozenset(
    (
        "user",
        "assistant",
        "human",
        "ai",
        "system",
        "me",
        "you",
        "agent",
        "bot",
        "customer",
        "support",
    )
)
_HOST: Final = re.compile(r"[\w-]{2,}(?:\.[\w-]{2,})+")


def read_query(text: str, *, today: date | None = None) -> Query:
    """Read a query; any text is one.

    Args:
        today: The day it is asked on, to know what `yesterday` is.
    """
    plain = normalize(text)
    found = query_terms(text)
    emphasis = _emphasis(text, found)
    for term in asking_terms(text):
        emphasis[term] = ASKING * emphasis.get(term, 1.0)
    forms: dict[str, tuple[str, ...]] = {}
    language = question_language(text)
    for word, stem in own_stems(text, language):
        bases = tuple(term for term in query_terms(word) if term in found)
        if bases:
            forms[stem] = bases
            weight = emphasis.get(bases[0], 1.0)
            emphasis |= {stem: FORM * weight, bases[0]: FORM * weight}
    meant = asked_days(text, today=today)
    if meant:  # nothing is looked for by these beside a day
        emphasis |= {
            term: ASKING * emphasis.get(term, 1.0)
            for term in terms_of_any_day(text).intersection(found)
        }
    for (year, month, day), said in meant:
        if year and month and day:
            term = day_term(year, month, day)
            forms[term] = (
                *forms.get(term, ()),
                *(one for one in query_terms(said) if one in found),
            )
    identifiers, numbers = _exact(text)
    writing = _writing(text)
    return Query(
        terms=tuple(dict.fromkeys((*found, *forms))),
        words=frozenset(words(text)),
        dates=tuple(dict.fromkeys(day for day, _ in meant)),
        newest=_NEWEST.search(plain) is not None,
        of_assistant=_OF_ASSISTANT.search(plain) is not None,
        emphasis=emphasis,
        forms=forms,
        identifiers=identifiers & set(found) | _days_alone(found, forms, emphasis),
        numbers=numbers & set(found),
        phrases=tuple(dict.fromkeys(_phrases(text))),
        pairs=tuple(_pairs(text)) if writing == "vietnamese" else (),
        writing=writing,
        language=language,
        talk=_is_talk(text),
    )


def queries_in(text: str, whole: Query, *, today: date | None = None) -> list[Query]:
    """Return the queries of a text that asks several things; none where it asks one.

    Args:
        whole: What the text was read as; what words stand for comes from it.
    """
    if whole.talk:
        return []
    found: list[Query] = []
    for part in questions_in(text):
        own = read_query(part, today=today)
        said = set(own.terms).intersection(whole.terms)
        forms = {
            form: tuple(base for base in bases if base in said)
            for form, bases in whole.forms.items()
            if said.intersection(bases)
        }
        terms = tuple(term for term in whole.terms if term in said or term in forms)
        emphasis = {term: whole.emphasis[term] for term in forms if term in whole.emphasis}
        emphasis |= {term: own.emphasis[term] for term in terms if term in own.emphasis}
        asks = any(own.emphasis.get(term, 1.0) > ASKING for term in said)
        if asks and set(terms) != set(whole.terms):
            found.append(
                replace(
                    own,
                    terms=terms,
                    forms=forms,
                    emphasis=emphasis,
                    identifiers=own.identifiers.intersection(terms),
                    numbers=own.numbers.intersection(terms),
                    writing=whole.writing,
                )
            )
    return found


def _days_alone(
    found: Sequence[str], forms: Mapping[str, Sequence[str]], emphasis: Mapping[str, float]
) -> set[str]:
    """Return the days of a query that asks for nothing but them: then they mean one thing exactly."""
    days = {form for form in forms if is_day(form)}
    said = {term for day in days for term in forms[day]}
    asks = all(term in said or emphasis.get(term, 1.0) <= ASKING for term in found)
    return days if asks else set()


def _is_talk(text: str) -> bool:
    """Tell whether a query is a piece of a conversation, of two turns at least.

    >>> _is_talk("<Ann>: I lost my keys.\\n<Assistant>: Where?"), _is_talk("host: db\\nport: 5432")
    (True, False)
    """
    said = list(_SAID.finditer(text))
    if len(said) < 2:
        return False
    names = [match["name"] for match in said if match["name"]]
    if len(names) < len(said) or not _ROLES.isdisjoint(map(str.lower, names)):
        return True
    # The keys of a file of settings come back, too, and the levels of a log; names begin with a capital.
    different = set(names)
    written = all(
        not name[0].islower() and not (name.isupper() and len(name) > 2) for name in names
    )
    return 1 < len(different) < len(names) and written


def _writing(text: str) -> Writing:
    if scripts.CJK_START.search(text):
        return "han"
    if scripts.CLUSTERED_START.search(text):
        return "clusters"
    if scripts.VIETNAMESE.search(text):
        return "vietnamese"
    language = question_language(text)
    return "english" if language == ENGLISH or (not language and text.isascii()) else "other"


def _pairs(text: str) -> Iterator[str]:
    """Yield words that follow each other without a mark between them, unless one of them only asks."""
    for run in _RUN.findall(normalize(text)):
        for one, other in pairwise(run.split()):
            if not {one, other} & STOP_WORDS:
                yield f"{one} {other}"


def misspelt(query: Query, corpus: Corpus) -> list[str]:
    """Return the words of a query that stand nowhere and may be misspelt, the longest first."""
    known = {
        term for form, terms in query.forms.items() if corpus.frequency.get(form) for term in terms
    }
    found: list[str] = []
    for word in query.words:
        terms = query_terms(word)
        asked = [term for term in terms if term in query.terms]
        there = any(corpus.frequency.get(term) or term in known for term in asked)
        if asked and not there and is_word(word):
            found.append(word)
    return sorted(found, key=lambda word: (-len(word), word))[:MOST_MISSPELT]


def respelt(query: Query, meant: Mapping[str, Sequence[str]]) -> Query:
    """Add to a query the terms that stand for its misspelt words."""
    forms = dict(query.forms)
    emphasis = dict(query.emphasis)
    for word, terms in meant.items():
        bases = tuple(term for term in query_terms(word) if term in query.terms)
        for term in terms:
            forms[term] = (*forms.get(term, ()), *bases)
            emphasis[term] = RESPELT
    return replace(
        query,
        terms=tuple(dict.fromkeys((*query.terms, *forms))),
        forms=forms,
        emphasis=emphasis,
    )


def _exact(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms that mean one thing exactly: identifiers, and numbers."""
    identifiers: set[str] = set()
    numbers: set[str] = set()
    for token in _TOKEN.findall(text):
        if _NUMBER.fullmatch(token):
            numbers.update(query_terms(token)[:1])
        elif _is_identifier(token):
            identifiers.update(query_terms(token)[:1])
    return frozenset(identifiers), frozenset(numbers)


def _is_identifier(token: str) -> bool:
    letters = any(map(str.isalpha, token))
    if not letters or len(token) > _MAX_IDENTIFIER:
        return False
    return (
        (any(map(str.isdigit, token)) and token.isascii())
        or "_" in token.strip("_")
        or "@" in token
        or token.count("/") > 1
        or bool(_HOST.fullmatch(token))
        or (token.isascii() and bool(CAMEL.search(token)))
    )


def _phrases(text: str) -> Iterator[str]:
    for match in _QUOTED.finditer(text):
        phrase = " ".join(normalize(next(filter(None, match.groups()))).split())
        if phrase:
            yield phrase


def _emphasis(text: str, found: Sequence[str]) -> dict[str, float]:
    sentences = [part for part in _SENTENCE.findall(text) if any(map(str.isalnum, part))]
    if len(found) <= LONG_TERMS or len(sentences) < LONG_SENTENCES:
        return {}
    last = {term: at for at, part in enumerate(sentences) for term in query_terms(part)}
    step = (1 - FIRST_SENTENCE) / (len(sentences) - 1)
    return {term: FIRST_SENTENCE + step * last[term] for term in found if term in last}


def script_trust(text: str) -> float:
    """Tell how far the bundled embedder is to be trusted in the language of a text, 0 to 1."""
    if question_language(text) not in ("", ENGLISH) or scripts.VIETNAMESE.search(text):
        return _OTHER_LANGUAGE
    letters = [char for char in normalize(text) if char.isalpha()]
    if not letters:
        return _OTHER_SCRIPT
    total = 0.0
    for char in letters:
        total += next((trust for a, z, trust in _SCRIPTS if a <= char <= z), _OTHER_SCRIPT)
    return total / len(letters)
