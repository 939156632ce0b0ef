"""Requests: a person says in so many words that something is to be remembered.

Rules

* A request is a verb of keeping in a form that addresses somebody (`could you note`), and what it is about:
  what follows, or, if that is a pronoun or nothing of substance, what was said before or comes next.
* What follows such words is kept, whatever it is: no other rule about form, length or time applies.
* A question about the past (`do you remember when ...`), a forgetful remark (`I can't remember`) and a
  request with nothing behind it are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from reverie.core.learning.request_words import (
    COURTESY,
    EAST_HEAD,
    EAST_LAST,
    FREE,
    HEAD,
    IT,
    STANDING_LABEL,
    TAIL,
    THAT,
    THING,
    ZH_OBJECT,
)

Pointing: TypeAlias = Literal["", "back", "ahead", "either"]

MAX_REQUEST_CHARS: Final = 2000
_MOST_TAILS: Final = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """What a clause asks to remember, or where that stands."""

    said: str = ""
    points: Pointing = ""
    start: int = 0
    """Where what it says begins."""
    announced: bool = False
    """Whether a colon sets off what it says."""


# The same words with another meaning.
_NOT_ONE: Final = re.compile(
    r"(?:do|did|don't|didn't) (?:you|we|they|i) |back\b|(?:when|how|what|why|who|where|last time"
    r"|the (?:time"
    r"|day|days|first time))\b"
    r"[^:]{0,200}\?\s*\Z|erinnerst|te souviens-tu|¿(?!\s?(?:me )?(?:puede|podría|quiere|querría)s?\b)",
    re.I,
)
# `Remember the last agent they used`: a wish for a program, or a call, as likely as something to know.
_DUMMY: Final = re.compile(r"(?:it|this)(?: is| was|['’]s)\b", re.I)
# `Remember the last tab in local storage`: where a program is to keep it.
_FOR_A_PROGRAM: Final = re.compile(
    r"(?!.{0,200}\b(?:is|are|was|has|have|must|should|can|will|goes|ist|sind|muss|est|sont|es|son)\b)"
    r"(?:the|an?|its|their|each|every|all|which|die|der|den|das|le|la|les|el|los|las|il|lo|i|gli|het|de|o|os)\s"
    r"[^.:!?\n]{2,80}?\s(?:in|into|im|dans|en|nel|nella|na|no)\s(?:[\w']{1,12}\s){0,2}?"
    r"(?:cookies?|cache|local ?storage|session ?storage|variables?|dictionary|hash ?map|database"
    r"|readme(?:\.md)?"
    r"|tables?|files?|changelog(?:\.md)?|tabelle|datei|datenbank|tableau|fichier|tabla|archivo|tabella|bestand)"
    r"(?:\s(?:in|im|of|du|del)\s[^.:!?\n]{1,30})?[\s.!]{0,3}\Z",
    re.I,
)
# `Try to remember what you changed`: it is to come back to somebody, not to be kept.
_TO_RECALL: Final = re.compile(
    r"(?:what|which|where) (?:you|we) \w{2,20}(?:ed|id|ade|ook|aw|aid)\b[^:]{0,200}\Z", re.I
)
# `Remember that bug from last week?`: somebody looks back, unless a word of courtesy asks.
_LOOKS_BACK: Final = re.compile(
    r"(?:(?:and|but|so|oh|hey|haha)[,\s]\s{0,3}){0,3}remember (?:that |when |how )?[^.!:\n]{2,200}\?"
    r"(?<!please\?)(?<!pls\?)(?<!\bok\?)(?<!okay\?)(?<!\byou\?)(?<!right\?)(?<!thanks\?)(?!\s*please)",
    re.I,
)
# `Log that the request failed and return 500`: what a program is to write is about the person nowhere.
_BY_A_PERSON: Final = re.compile(r"(?:i|i'm|i've|my|we|we're|we've|our)\b", re.I)
_OUTER: Final = " \t\n.,;:!?。，；：！？、—–-؟،؛"
_LETTERS: Final = re.compile(r"\w")


_SET_OFF: Final = re.compile(r"\s{0,3}(?:(?P<colon>[:：])|-{1,2}>|=>|→|\.\.\.|…|[—–]|--?\s)\s{0,3}")
_COMMA: Final = re.compile(r"\s{0,3},\s{0,3}")
_IS_THAT: Final = re.compile(r"\s(?:is|are) that\s", re.I)
_STOP: Final = re.compile(r"\s{0,3}(?:[.;!?)]|\Z)")
_GOES_ON: Final = re.compile(
    r"\s{0,3},?\s{0,3}(?:and|then|but|und|dann|et|puis|y|luego|e|poi|depois|и|потом|en|i|ve)\s",
    re.I,
)
# After a comma, words that go on about the request: `remember this, it'll come up again`.
_REMARK: Final = re.compile(
    r"(?:it|it'll|it's|this|that|and|then|now|so|because|since|as|but|which|or|otherwise|i'll"
    r"|you'll|can|could"
    r"|please|es|das|und|jetzt|dann|weil|denn|sonst|c'est|ça|et|car|puis|eso|y|porque|luego|ahora"
    r"|isso|e|é|pois"
    r"|questo|ma|poi|perché|это|и|а|потом|теперь|dat|het|en|want|nu|to|bo|a|i|teraz|bu|çünkü"
    r"|şimdi)(?![\w])",
    re.I,
)
# Where `that` may begin a clause, and not point at a thing: `note that Gwen signs`, not `save that file`.
_BEGINS_CLAUSE: Final = re.compile(
    r"(?-i:[A-Z])|\W|(?:the|an?|we|i|i'm|you|he|she|they|it|its|it's|our|my|your|his|her|their"
    r"|there|this|all|every|each|no"
    r"|any|some|in|on|for|when|if|\w{1,30}s (?:are|have|must|should|can|will|go|use|need))\b"
    r"|[^\x00-\x7f]|(?:el|la|los|las|le|les|der|die|das|wir|ich|de|het|we|il|lo|gli|o|a|os|as|un"
    r"|una|mi|mon|ma)\b",
    re.I,
)
_HAS_SUBJECT: Final = re.compile(r"(?:the|we|i|i'm|our|my|your|there|he|she|they)\b", re.I)
_SUBJECT: Final = re.compile(
    r"\b(?:we|you|i|it|they|there|he|she|the \w+s?|wij|je|ik|het)\b(?= \w)", re.I
)
_PREDICATE: Final = re.compile(
    r"\b(?:is|are|was|were|isn't|has|have|must|should|can|cannot|can't|will|don't|means|needs|zijn|heeft|moet)\b",
    re.I,
)
_IS: Final = re.compile(
    r"\s(?:is|was|are|were|isn't|will|has|have|must|can|should|goes|means|'s)\b|'s\b", re.I
)
_TO: Final = re.compile(r"\s{0,3}(?:(?:to|of|about|de|di|om)\s|d'|,)\s{0,3}", re.I)
_LAST_COURTESY: Final = re.compile(
    r"(?:,\s{0,3}|\s)(?:please|pls|plz|thx|thanks|thank you|ok|okay|will you|would you|bitte"
    r"|danke|merci|stp|svp|s'il te plaît"
    r"|por favor|gracias|obrigad[oa]|per favore|grazie|пожалуйста|спасибо|alsjeblieft|bedankt"
    r"|proszę|dzięki|lütfen|teşekkürler)"
    r"[\s.!?]{0,5}\Z",
    re.I,
)
# `The lab closes at 8, worth remembering.`
_OF_KEEPING: Final = re.compile(
    r"\b(?:worth|remember|mind|forget|retenir|merken|recordar|ricordare)", re.I
)
_IN_MIND: Final = re.compile(r"(?:mind|memory|head|heart)\Z", re.I)
_BARE_KOREAN: Final = re.compile(
    r"(?:기억해|메모해|적어|외워|명심해|기록해|저장해|기억하고|새겨)요?\s*\Z"
)
_EAST_STOP: Final = re.compile(r"[\s,，:：、。.!！?？~]+|\Z")
_SENTENCE: Final = re.compile(r"(?<=[?？])|[.。!！\n]")
_ASKS_EAST: Final = re.compile(r"[?？吗嗎]\s*\Z")
_ABLE: Final = re.compile(r"能|可以|줄래|있어|있을|시겠|실래|くれ|もらえ|いただけ|頂け|m[ıi]s[ıi]n")
_ASKS_ZH: Final = re.compile(r"(?:[，,]?(?:好|可以|行))?[吗嗎][?？\s]*\Z")
_BARE: Final = re.compile(
    r"\s{0,3}(?:(?:and|but|so|just|always|also|oh)[,\s]\s{0,3}){0,4}(?:remember|(?:keep"
    r"|bear) in mind|(?:don't"
    r"|never) forget)"
    r"\s{0,3}[,!—–-]?\s{0,3}",
    re.I,
)
_EAST_REMARK: Final = re.compile(r"然后|接着|现在|再|帮我|请|以后还会|因为")


def read_request(clause: str) -> Asked | None:
    """Read a clause that asks to remember something; None when it asks for nothing of the kind.

    >>> read_request("Please remember that staging is wiped on Sundays.").said
    'staging is wiped on Sundays'
    >>> read_request("Keep that in mind when I ask about food.").points
    'either'
    """
    plain = clause.replace("’", "'")
    if _NOT_ONE.match(plain) or _LOOKS_BACK.match(plain):
        return None
    asked = _labelled(plain) or _read_verb(plain) or _read_eastern(plain)
    if asked is None or not asked.said:
        return asked
    said = asked.said.lstrip(_OUTER).rstrip(" \t\n.,;:!?。，；：！？、—–؟،؛")
    said = _LAST_COURTESY.sub("", said).rstrip(_OUTER) or said
    if _NOT_ONE.match(asked.said.lstrip(_OUTER)):
        return None
    if not asked.announced and (_FOR_A_PROGRAM.match(said) or _TO_RECALL.match(said)):
        return None
    if not has_substance(said):
        return Asked(points="either")
    at = plain.find(said, asked.start)
    return Asked(clause[at : at + len(said)], "", at, asked.announced)


def has_substance(text: str) -> bool:
    """Tell whether words say something, and are more than courtesy and pronouns."""
    left = COURTESY.sub("", text.replace("’", "'"))
    return len(_LETTERS.findall(left)) >= 2 and len(_LETTERS.findall(text)) >= 3


def requested(sentence: str) -> str | None:
    """Return what a sentence asks to remember, if it says so itself.

    >>> requested("Please remember that staging is wiped on Sundays.")
    'staging is wiped on Sundays'
    """
    asked = read_request(sentence)
    return asked.said[:MAX_REQUEST_CHARS] if asked is not None and asked.said else None


def pointing(clause: str) -> Pointing:
    """Tell where a request points that does not say itself what is to be remembered.

    >>> pointing("Please keep that in mind."), pointing("I want you to remember something.")
    ('either', 'ahead')
    """
    asked = read_request(clause)
    return asked.points if asked is not None else ""


def announces(sentence: str) -> bool:
    """Tell whether a request is set off by a colon from what it names, which may be several sentences."""
    asked = read_request(sentence)
    return asked is not None and asked.announced


def _labelled(plain: str) -> Asked | None:
    found = STANDING_LABEL.match(plain)
    if found is None:
        return None
    end = _past_tails(plain, found.end())
    free = FREE.match(plain, end)
    if free is not None and _SET_OFF.match(plain, free.end()):
        end = free.end()
    off = _SET_OFF.match(plain, end) or _COMMA.match(plain, end) or _IS_THAT.match(plain, end)
    if off is None:
        points = _STOP.match(plain, end) and _OF_KEEPING.search(found[0])
        return Asked(points="either") if points else None
    said = plain[off.end() :]
    if not has_substance(said):
        return Asked(points="ahead")
    return Asked(said, "", off.end(), off[0].strip() in (":", "："))


def _past_tails(plain: str, at: int) -> int:
    for _ in range(_MOST_TAILS):
        found = TAIL.match(plain, at)
        if found is None:
            break
        at = found.end()
    return at


def _read_verb(plain: str) -> Asked | None:
    """Read a request whose verb comes first, in the languages with spaces."""
    head = HEAD.match(plain)
    if head is None:
        return None
    verb = head["sure"] or head["weak"] or head["asked"] or ""
    it = IT.search(verb)
    end = _past_tails(plain, head.end())
    # A weak verb alone is one of many.
    meant = bool(it) or end > head.end() or verb.lower().endswith("down")
    sure = not head["weak"] or meant
    if (thing := THING.match(plain, end)) and (
        off := _SET_OFF.match(plain, thing.end()) or _STOP.match(plain, thing.end())
    ):
        said = plain[off.end() :]
        return (
            Asked(said, "", off.end(), bool(said)) if has_substance(said) else Asked(points="ahead")
        )
    if off := _SET_OFF.match(plain, end):
        return _following(plain, off.end(), announced=bool(off["colon"])) if sure else None
    if that := THAT.match(plain, end):
        clause = plain[that.end() :]
        both = that["word"].lower() in ("that", "dat")
        if both and _says_nothing(plain, that.end()):
            return (
                Asked(points="either")
                if not head["weak"] or meant or _past_tails(plain, that.end()) > that.end()
                else None
            )
        written = _BY_A_PERSON if verb.lower().startswith("log") else _HAS_SUBJECT
        begins = _BEGINS_CLAUSE if head["ask"] else written
        noted = (
            verb.lower().startswith("not") and not head["ask"]
        )  # `note that` is how people go on
        if head["weak"] and not meant and (noted or not begins.match(clause)):
            return None
        return _following(plain, that.end())
    if free := FREE.match(plain, end):
        inner = None if it else THAT.search(free[0])
        if inner and (head["ask"] or not head["weak"]):
            return _following(plain, free.start() + inner.end())
        off = _SET_OFF.match(plain, free.end())
        if off is not None and sure and (it or off["colon"]):
            return _following(plain, off.end(), announced=bool(off["colon"]))
        if it and not _is_subject(plain, head.end()):
            return Asked(points="either")
    if _STOP.match(plain, end):
        asks = plain.rstrip().endswith("?") and not head["ask"] and not meant
        return None if asks or not sure else Asked(points="either")
    if head["weak"] and end == head.end() and _GOES_ON.match(plain, end):
        return None
    if comma := _COMMA.match(plain, end):
        if not sure:
            return None
        after = plain[comma.end() :]
        if (it and _REMARK.match(after)) or not has_substance(after):
            return Asked(points="back")
        return _following(plain, comma.end())
    if it and _GOES_ON.match(plain, end):
        return Asked(points="back")
    if not sure or (head["weak"] and not it):
        return None
    if head["weak"]:
        return None
    if it and not verb.endswith(it[0]) and not _IN_MIND.search(verb):
        return None  # `add it to the notes table`
    if it and verb.endswith(it[0]):
        at = head.end() - len(it[0])  # `remember this is the old one`: it is a subject
        return Asked(plain[at:], "", at) if end == head.end() else Asked(points="either")
    to = _TO.match(plain, end)
    return _following(plain, to.end() if to else end)


def _is_subject(plain: str, at: int) -> bool:
    return bool(_IS.match(plain, at))


def _following(plain: str, at: int, *, announced: bool = False) -> Asked:
    that = None if announced else THAT.match(f" {plain[at:]}")
    at = at + that.end() - 1 if that and that["word"].lower() != "das" else at
    said = plain[at:]
    return Asked(said, "", at, announced) if has_substance(said) else Asked(points="either")


def _says_nothing(plain: str, at: int) -> bool:
    """Tell whether only additions stand up to the end of the clause: `remember that for layouts`."""
    end = _past_tails(plain, at)
    if _STOP.match(plain, end) or (end > at and _COMMA.match(plain, end)):
        return True
    if comma := _COMMA.match(plain, end):
        return bool(_REMARK.match(plain, comma.end()))
    free = FREE.match(f" {plain[end:].lstrip()}")
    if free is None or _STOP.match(plain[end:].lstrip(), free.end() - 1) is None:
        return False
    words = free[0].split()
    first = words[0].lower()
    # `for layouts we use grids` says something, and `if it rains we stay`; `when I ask about food` does not.
    said = " ".join(words[1:])
    subjects = len(_SUBJECT.findall(said))
    if first in ("for", "in", "with", "voor"):
        return not subjects and not _PREDICATE.search(said)
    return subjects < 2


def _read_eastern(plain: str) -> Asked | None:
    """Read a request in a language without spaces, or with the verb last."""
    if inside := ZH_OBJECT.match(plain):
        if has_substance(inside["said"]):
            return Asked(inside["said"], "", inside.start("said"))
        return Asked(points="either")
    if head := EAST_HEAD.match(plain):
        rest = plain[head.end() :]
        stop = _EAST_STOP.match(rest)
        chinese = head["zh"] is not None or head["zh_weak"] is not None
        if _ASKS_EAST.search(_SENTENCE.split(plain, maxsplit=1)[0]) and not _ABLE.search(head[0]):
            return None
        if _BARE_KOREAN.search(head[0]) and not rest.lstrip().startswith((":", "：", ",")):
            return None
        if stop is not None or (chinese and head["zh_weak"] is None):
            at = head.end() + (stop.end() if stop else 0)
            said = _ASKS_ZH.sub("", plain[at:])
            if not has_substance(said):
                ahead = re.search(r"以下|下面|一件事|次のこと|다음", head[0])
                return Asked(points="ahead" if ahead else "either")
            if (
                head["zh_it"]
                and _EAST_STOP.match(rest)
                and rest[:1] in "，,"
                and _EAST_REMARK.match(said)
            ):
                return Asked(points="back")
            return Asked(said, "", at, rest[:1] in (":", "："))
    last = EAST_LAST.match(plain)
    if (
        last is None
        or ("?" in last["end"] and not _ABLE.search(last["verb"]))
        or _BARE_KOREAN.search(plain.rstrip(" .!"))
        or not has_substance(last["said"])
    ):
        return None
    return Asked(last["said"], "", 0)


def is_loose(sentence: str) -> bool:
    """Tell whether a request does not set off what is to be remembered, as `remember that` does."""
    asked = read_request(sentence)
    if asked is None or not asked.said or asked.announced:
        return False
    before = sentence[: asked.start]
    return bool(_BARE.fullmatch(before.replace("’", "'"))) and not _DUMMY.match(asked.said)
