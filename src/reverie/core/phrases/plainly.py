"""Plainly: sentences said again in the words that the rules of change compare.

Rules

* `I report to Ann`, `my boss is called Ann` and `Ann became my manager` answer one question. Each is said
  again as `my manager is Ann`; then the rules for one sentence with another value judge it, as any other.
* A sentence is *plain* if it says what is; *loose* if more than one of it can hold (`I drive a Volvo`), so
  that another one ends it only with a word of change; *told* if it tells of the change (`I turned 35`).
* A pattern reads a whole clause without words for now, and names at most one value. What a value holds for
  stays with it.

Every repetition is bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    "work": (
        r"(?P<v>(?:\S{2,30} ){0,3}(?:developer|engineer|programmer|designer|manager|teacher|nurse"
        r"|midwife|doctor|chef"
        r"|cook|accountant|lawyer|analyst|consultant|architect|journalist|editor|writer|translator|electrician"
        r"|plumber|carpenter|mechanic|pharmacist|pilot|intern|assistant|director|headmistress|headmaster|principal"
        r"|clerk|secretary|librarian|barista|waiter|waitress|cashier|researcher|scientist|professor|lecturer"
        r"|postdoc|administrator|firefighter|paramedic|photographer|tester|salesman|saleswoman|salesperson"
        r"|bookkeeper|receptionist|dispatcher|baker|butcher|gardener|tailor|hairdresser|head of \S{2,30}"
        r"|team lead|tech lead|vp of \S{2,30}|cto|ceo|cfo|supervisor|foreman|apprentice|trainee))"
    ),
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

_TABLE: Final = (*PEOPLE, *PROJECTS)

_POSSESSIVE: Final = {"i": "my", "we": "our", "he": "his", "she": "her", "they": "their"}
_SUBJECT: Final = {own: who for who, own in _POSSESSIVE.items()}
_HOUSEHOLD: Final = re.compile(
    r"\A(?:my|our) (?=(?:landlord|landlady|vet|rent|flat|house|apartment|wi-?fi|cat|dog|home"
    r"|address|neighbour|garden"
    r"|cleaner|nanny|babysitter|childminder|paediatrician|pediatrician)\b)"
)
"""What is mine and ours at once."""
_AT: Final = re.compile(r" (?:at|for|in|with) ")
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


@lru_cache(maxsize=1)
def _rules() -> dict[str, list[tuple[Mode, Lazy, str]]]:
    found: dict[str, list[tuple[Mode, Lazy, str]]] = {}
    for mode, words, pattern, plain in _TABLE:
        while _PART.search(pattern):
            pattern = _PART.sub(lambda found: _PARTS[found[1]], pattern)
        rule = (mode, Lazy(pattern), plain)
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
                found.setdefault(said, Plain(said, mode))
    for said, mode in [
        (key, "plain"),
        *((plain.key, plain.mode) for plain in list(found.values())),
    ]:
        using = _used(said)
        if using:
            told = "told" in (mode, using.mode)
            found.setdefault(using.key, Plain(using.key, "told" if told else "loose"))
    bare = _shared(key)
    if bare != key:
        found.setdefault(bare, Plain(bare))
    return list(found.values())


def words_of_answers(key: str) -> list[str]:
    """Return words of whatever answers the same question as a clause, in other words, to find that by."""
    found: list[str] = []
    for plain in plain_forms(key):
        question = _OWNER.sub("", plain.key.partition(" is ")[0])
        found += plain.key.split()
        for _, words, _, answer in _TABLE:
            if _OWNER.sub("", answer.partition(" is ")[0]) == question:
                found += words.split()
    using = _used(key)
    if using:
        found += ["use", *tools_of(kind_of(using.key.rpartition(" is ")[2]))]
    return list(dict.fromkeys(found))


def _filled(plain: str, match: re.Match[str]) -> str:
    said = {name: text or "" for name, text in match.groupdict().items()}
    who, own = said.get("w", ""), said.get("own", "")
    said["own"] = own or _POSSESSIVE.get(who, f"{who}'s")
    job = _AT.split(said.get("v", ""), maxsplit=1)[0]
    said["j"] = f"job-{job.replace(' ', '-')}"  # one word, which no other job shares
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
    return Plain(f"{owner} {kind}{of} is {match['v']}", "told" if match["told"] else "loose")
