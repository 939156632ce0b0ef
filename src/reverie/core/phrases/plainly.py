"""Plainly: sentences said again in the words that the rules of change compare.

Rules

* `I report to Ann`, `my boss is called Ann` and `Ann became my manager` answer one question. Each is said
  again as `my manager is Ann`; then the rules for one sentence with another value judge it, as any other.
* A sentence is *plain* if it says what is; *loose* if more than one of it can hold (`I drive a Volvo`), so
  that another one ends it only with a word of change; *weak* if it may besides be said of one of several
  (`Ana owns stocks`); *told* if it tells of the change (`I turned 35`).
* A pattern reads a whole clause without words for now, and names at most one value. What a value holds for
  stays with it.

Every repetition is bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from reverie.core.phrases.of_people import PEOPLE, Mode
from reverie.core.phrases.of_projects import PROJECTS
from reverie.core.phrases.tools import kind_of, tools_of
from reverie.core.text.plain import Lazy


@dataclass(frozen=True, slots=True)
class Plain:
    """A clause in plain words."""

    key: str
    mode: Mode = "plain"
    value: str = ""
    sort: str = "any"
    """What the value has to be to answer the question: a job, a name, money."""


_PARTS: Final = {
    "w": (
        r"(?P<w>i|we|he|she|they|(?!(?:i|we|he|she|they|you|the|an?|this|that|it|there|who|what)\b)"
        r"[^\s,;]{2,30}(?: [^\s,;]{2,30}){0,2}?)"
    ),
    "own": r"(?P<own>my|our|his|her|their|[^\s,;]{2,30}(?: [^\s,;]{2,30})?'s)",
    "v": r"(?P<v>[^,;]{1,60})",
    "t": r"(?P<t>[^,;]{2,60}?)",
    "one": r"(?P<t>(?!(?:an?|one|two|three|some|several|many|\d{1,9})\b)[^,;]{2,60}?)",
    "h": r"(?:(?:have|has|had|just|recently|finally|already|since|officially|then) ){0,3}",
    "post": (
        r"(?P<n>(?:(?:family|skin|eye|tax|driving|piano|guitar|swimming|personal) )?(?:manager|boss"
        r"|supervisor"
        r"|doctor|gp|dentist|orthodontist|paediatrician|pediatrician"
        r"|physio|physiotherapist|therapist|psychologist|optician|vet|hairdresser|barber|lawyer|solicitor|accountant"
        r"|tax adviser|tax advisor|landlord|landlady|tutor|coach|trainer|teacher|mentor|cleaner"
        r"|nanny|babysitter"
        r"|childminder|flatmate|roommate|neighbour|assistant|partner|boyfriend|girlfriend|employer|bank|insurer|gym"
        r"|school|phone number|mobile number|number|address|e-?mail|e-?mail address|car|phone"
        r"|laptop|job|job title"
        r"|role|desk|surname|last name|nickname|password manager))"
    ),
    "school": (
        r"(?P<v>(?:\S{1,30} ){0,4}(?:school|primary|secondary|elementary|academy|college|high"
        r"|grammar|kindergarten"
        r"|nursery|preschool|gymnasium|university|montessori|lyceum)(?: school)?)"
    ),
    "food": r"(?P<v>vegan|vegetarian|pescatarian|flexitarian|omnivore|keto)",
    "gym": r"(?P<v>(?:\S{1,30} ){0,3}(?:\w{0,20}gym|\w{0,20}fit|\w{0,20}fitness\w{0,20}|health club))",
    "act": (
        r"(?P<n>store|keep|save|track|format|host|deploy|build|run|test|lint|publish|write|log|send|generate|upload"
        r"|manage|handle|document|monitor|archive|translate|design|package|render|cache|index|report|collect|review"
        r"|record|bill|plan|compile|sign|scan"
        r"|encrypt|push|ship|serve|route|rotate|pay|buy|order)"
    ),
    "ours": (
        r"(?:we|(?:the|our) (?:repo|repository|project|app|application|code|codebase|service"
        r"|product|system|team"
        r"|company|platform|whole project|stack))"
    ),
    "all": (
        r"(?:it|everything|all of it|it all|(?:the|our) (?:whole |entire )?(?:repo|repository|project|app"
        r"|application|code|codebase|code base|software|product|system))"
    ),
    "be": r"(?:am|is|are)",
}

_PART: Final = re.compile(r"(?<!\?P)<(\w+)>")
"""A part of a pattern, in another one."""

TABLE: Final = (*PEOPLE, *PROJECTS)

# What each question takes. `core/claims/sorts.py` tells whether a value is such a one.
SORTS: Final = {
    "{own} employer is {v}": "name",
    "{own} manager is {v}": "person",
    "{own} job is {j}": "job",
    "{own} salary is {v}": "money",
    "{own} hours is {v}-time": "any",
    "{own} team is {v}": "team",
    "{own} {n} is {v}": "post",
    "{own} phone number is {v}": "figure",
    "my phone number is {v}": "figure",
    "my email is {v}": "email",
    "{own} email is {v}": "email",
    "the vet is {v}": "name",
    "my nickname is {v}": "person",
    "{own} diet is diet-{v}": "any",
    "{own} diet is diet-omnivore": "any",
    "{own} bank is {v}": "name",
    "{w} live in {v}": "place",
    "i live in {v}": "place",
    "{w} is {v} years old": "number",
    "{own} car is {v}": "car",
    "{own} insurer is {v}": "name",
    "{own} {n}insurer is {v}": "name",
    "{own} gym is {v}": "name",
    "{own} school is {v}": "name",
    "my {p}'s school is {v}": "name",
    "{own} major is {v}": "studied",
    "{w} commute by {v}": "ride",
    "{w} commute by bike": "any",
    "{w} commute by foot": "any",
    "{w} commute by car": "any",
    "{own} {n} is {k}": "taken",
    "{own} time zone is {v}": "zone",
    "{own} editor is {v}": "kind editor",
    "{own} browser is {v}": "kind browser",
    "{own} note app is {v}": "kind note app",
    "{t} are {n} {p} {v}": "any",
    "{t} is done with {v}": "name",
    "the {t} version is {v}": "version",
    "the required {t} version is {v}": "version",
    "the port of {t} is {v}": "number",
    "the deadline for {t} is {v}": "when",
    "the {t} is {v}": "when",
    "{t} are {p} {v}": "when",
    "the owner of {t} is {v}": "person",
    "the maintainer of {t} is {v}": "person",
    "the lead of {t} is {v}": "person",
    "who looks after {t} is {v}": "person",
    "the {n} is {v}": "tool",
    "the name of {n} is {v}": "name",
    "the test command is {v}": "command",
    "the licence is {v}": "licence",
    "the site of {t} is {v}": "address",
    "{t} is {v}": "state",
    "{t} go to {v}": "channel",
    "the {t} retention is {v}": "span",
    "we have {v} {t}": "number",
    "the {t} is written in {v}": "language",
    "the language is {v}": "language",
    "the current version is {v}": "version",
    "the formatter is {v}": "name",
    "the linter is {v}": "name",
    "the hosting provider is {v}": "name",
    "{w} are {g} {v}": "any",
    "{f} is {v}": "tool",
    "my {n} is {v}": "tool",
}  # fmt: skip
_PERSON_TEXT: Final = """
    manager boss supervisor doctor gp dentist orthodontist paediatrician pediatrician physio physiotherapist
    therapist psychologist optician hairdresser barber lawyer solicitor accountant adviser advisor landlord
    landlady tutor coach trainer teacher mentor cleaner nanny babysitter childminder flatmate roommate
    neighbour assistant partner boyfriend girlfriend"""
_PERSONS: Final = frozenset(_PERSON_TEXT.split())
_POSTS: Final = {
    "number": "figure", "mail": "email", "e-mail": "email", "email": "email", "car": "car", "job": "job",
    "role": "job", "title": "job", "desk": "version",
}  # fmt: skip

_POSSESSIVE: Final = {"i": "my", "we": "our", "he": "his", "she": "her", "they": "their"}
_SUBJECT: Final = {own: who for who, own in _POSSESSIVE.items()}
_HOUSEHOLD: Final = re.compile(
    r"\A(?:my|our) (?=(?:landlord|landlady|vet|rent|flat|house|apartment|wi-?fi|cat|dog|home"
    r"|address|neighbour|garden"
    r"|cleaner|nanny|babysitter|childminder|paediatrician|pediatrician)\b)"
)
"""What is mine and ours at once."""
_AT: Final = re.compile(r" (?:at|for) (?!night|the |weekends?|times|home|work|school|guests)")
_DETERMINED: Final = re.compile(r"\A(?:the|our) ")
_OWNER: Final = re.compile(
    r"\A(?:\{own\}|\{w\}|my \S{1,30}'s|my|our|the|his|her|their|\S{1,30}'s) "
)
_KIN: Final = re.compile(r"\Aour (?=(?:son|daughter|kid|child|baby|boy|girl)(?:'s)?\b)")
_OUR: Final = re.compile(
    r"\A(?:our|unsere?[nrms]?|notre|nuestr[oa]|noss[oa]|nostr[oa]|наш[ае]?|ons|onze|nasz[ae]?) (?=\S)"
)
_USING: Final = re.compile(
    r"(?:(?P<w>i|we)|(?P<t>(?:the |our )?[a-z][a-z -]{2,30}?)) (?:(?:(?:have|has|just|since|finally"
    r"|recently) ){0,2}"
    r"(?P<told>(?:moved|switched|migrated|changed|gone|went|converted|been (?:moved|switched"
    r"|migrated|converted)|was (?:moved"
    r"|switched|migrated|converted)|were (?:moved|switched|migrated|converted))(?: over)? (?:in)?to)"
    r"|uses?|runs? on|(?:is|are) (?:built (?:with|on|in)|written (?:in|with)|based on|using|on|run"
    r" with|done (?:with|in)|in)|is)"
    r" (?P<v>[a-z][\w.+-]{1,20}(?: [a-z][\w.+-]{1,20})?)(?P<as> as (?:my|our|the) (?:main |default"
    r" )?[a-z ]{2,20})?"
)
_GENERIC: Final = re.compile(
    r"(?:the |our )?(?:repo|repository|project|app|application|code|codebase|service|product|system|team"
    r"|company|platform|stack|tests|builds?|ci|data|storage)"
)
"""What the whole of a project is called."""


def _complete(pattern: str) -> str:
    while _PART.search(pattern):
        pattern = _PART.sub(lambda found: _PARTS[found[1]], pattern)
    return pattern


@lru_cache(maxsize=1)
def _rules() -> dict[str, list[tuple[Mode, Lazy, str]]]:
    found: dict[str, list[tuple[Mode, Lazy, str]]] = {}
    for mode, words, pattern, plain in TABLE:
        rule = (mode, Lazy(_complete(pattern)), plain)
        for word in words.split():
            found.setdefault(word, []).append(rule)
    return found


def plain_forms(key: str) -> list[Plain]:
    """Say a clause again in plain words, in each way that is known.

    Args:
        key: The clause in small letters, without words for now.
    """
    rules = _rules()
    found: dict[str, Plain] = {}
    for word in dict.fromkeys(key.split()):
        for mode, pattern, plain in rules.get(word, ()):
            match = pattern.fullmatch(key)
            if match and not ("live in" in plain and kind_of(match["v"])):
                said = _shared(_filled(plain, match))
                value = match.groupdict().get("v") or ""
                if "{j}" in plain:
                    value = _AT.split(value, maxsplit=1)[0]
                found.setdefault(said, Plain(said, mode, value, _sort(plain, match)))
    for said, mode in [
        (key, "plain"),
        *((plain.key, plain.mode) for plain in list(found.values())),
    ]:
        using = _used(said)
        if using:
            told = "told" in (mode, using.mode)
            found.setdefault(using.key, replace(using, mode="told" if told else "loose"))
    bare = _shared(key)
    if bare != key:
        found.setdefault(bare, Plain(bare))
    return list(found.values())


def rows_that_read(key: str) -> set[int]:
    """Return the places of the rows of the table that read a clause."""
    said = set(key.split())
    return {
        place
        for place, (_, words, pattern, _) in enumerate(TABLE)
        if not said.isdisjoint(words.split()) and re.fullmatch(_complete(pattern), key)
    }


def words_of_answers(key: str) -> list[str]:
    """Return words of whatever answers the same question as a clause, in other words, to find that by."""
    found: list[str] = []
    for plain in plain_forms(key):
        question = _OWNER.sub("", plain.key.partition(" is ")[0])
        found += plain.key.split()
        for _, words, _, answer in TABLE:
            if _OWNER.sub("", answer.partition(" is ")[0]) == question:
                found += words.split()
    using = _used(key)
    if using:
        found += ["use", *tools_of(kind_of(using.key.rpartition(" is ")[2]))]
    return list(dict.fromkeys(found))


def _sort(plain: str, match: re.Match[str]) -> str:
    sort = SORTS[plain]
    if sort != "post":
        return sort
    noun = match["n"].split()[-1]
    return _POSTS.get(noun, "person" if noun in _PERSONS else "name")


def _filled(plain: str, match: re.Match[str]) -> str:
    said = {name: text or "" for name, text in match.groupdict().items()}
    who, own = said.get("w", ""), said.get("own", "")
    said["own"] = own or _POSSESSIVE.get(who, f"{who}'s")
    job = _AT.split(said.get("v", ""), maxsplit=1)[0]
    said["j"] = f"job-{job.replace(' ', '-')}"  # one word, which no other job shares
    said["k"] = f"taken-{said.get('v', '').replace(' ', '-')}"
    said["w"] = who or _SUBJECT.get(own, own.removesuffix("'s"))
    return plain.format(**said)


def _shared(key: str) -> str:
    """Write what is mine and ours at once in one way."""
    return (
        _OUR.sub("the ", _KIN.sub("my ", _HOUSEHOLD.sub("the ", key)))
        if "our " in key or "my " in key
        else key
    )


def _used(key: str) -> Plain | None:
    """Say what somebody uses or went over to by what it is: `the database is postgresql`."""
    match = _USING.fullmatch(key)
    kind = kind_of(match["v"]) if match else ""
    if match is None or not kind:
        return None
    thing = match["t"] or ""
    whole = match["w"] == "we" or (thing and _GENERIC.fullmatch(thing))
    owner = "my" if match["w"] == "i" else "the"
    of = "" if match["w"] or whole else f" of {_DETERMINED.sub('', thing)}"
    mode: Mode = "told" if match["told"] else "loose"
    return Plain(f"{owner} {kind}{of} is {match['v']}", mode, match["v"], f"kind {kind}")
