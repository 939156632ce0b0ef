"""Plain: statements said again in plain words, so that one sentence can be compared with another.

Rules

* What a statement says is read clause by clause; what is denied, planned or ended says nothing plainly.
* Two of them are compared as any two statements are. If one of them is of what more than one can hold
  (`I drive a Volvo`), the newer one must tell of a change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from reverie.core.claims.claim import MOST_CHARS, Claim, Reading, claim_of, content, read, renewed
from reverie.core.claims.cues import CORRECTED, INSTEAD, NOW, OPENERS, RIGHTED, SINCE, WHEN
from reverie.core.claims.loosely import COMMA, clauses_of
from reverie.core.claims.sorts import fits
from reverie.core.claims.statement import MOST_KEPT, statement_key, tokens
from reverie.core.claims.stretches import NOT, apart
from reverie.core.claims.wording import CONDITIONS, spelled_out
from reverie.core.phrases.plainly import plain_forms, words_of_answers
from reverie.core.phrases.turns import is_only_thought_of

MOST_CLAUSES: Final = 6


@dataclass(frozen=True, slots=True)
class Said:
    """A clause in plain words."""

    claim: Claim
    loose: bool = False
    """More than one of it can hold."""
    names: frozenset[str] = frozenset()
    """The value, if it opened the sentence: there a capital does not tell that it is a name."""
    weak: bool = False
    """It names one of several as well (`Ana owns stocks`), so it says nothing against one like it."""
    sort: str = ""
    """What its value is; nothing where a statement stands in its own words."""


def plain_pairs(before: Reading, after: Reading, old: str, new: str) -> Iterator[tuple[Said, Said]]:
    """Pair what an old and a new statement say in plain words, where a change may be told."""
    olds, news = plain_claims(old, whole=True), plain_claims(new)
    if not olds and not news:
        return
    for one in (Said(before.whole), *olds):
        for two in (
            *(map(Said, (after.whole, *after.parts)) if one.claim is not before.whole else ()),
            *news,
        ):
            if one.weak and two.weak:
                continue
            if (one.loose or two.loose) and not (two.claim.changed or two.claim.event):
                continue
            if _answer_one_question(one, two, before.names | after.names):
                yield one, two


def _answer_one_question(one: Said, two: Said, names: frozenset[str]) -> bool:
    """Tell whether the value of a statement in its own words is what the question of the other takes."""
    _, here, there, _ = apart(one.claim.words, two.claim.words)
    for said, other, stretch in ((one, two, here), (two, one, there)):
        if not said.sort and stretch and not fits(other.sort, stretch, names):
            return False
    return True


@lru_cache(maxsize=MOST_KEPT)
def plain_claims(text: str, *, whole: bool = False) -> tuple[Said, ...]:
    """Say a statement again in plain words, in each way that is known; none where there is no such way.

    Args:
        text: The statement.
        whole: Only what says all of it. What is said beside must not end with a part.
    """
    found: dict[str, Said] = {}
    first = frozenset(text.casefold().split()[:1]) if text[:1].isupper() else frozenset()
    names = read(text).names | first
    for key, changed, former in bare_clauses(text, whole=whole):
        for plain in plain_forms(key):
            if plain.value and not fits(plain.sort, content(plain.value), names):
                continue
            claim = claim_of(plain.key)
            told = changed or plain.mode == "told" or bool(former)
            said = replace(claim, changed=claim.changed or told, former=claim.former or former)
            named = frozenset(claim.words[-1:]) & first if plain.key != key else frozenset()
            loose, weak = plain.mode in ("loose", "weak"), plain.mode == "weak"
            found.setdefault(plain.key, Said(said, loose, named, weak, plain.sort))
    return tuple(found.values())


def words_to_find(text: str) -> str:
    """Return words of what a statement may end though it shares none with it, to find that by."""
    return " ".join(word for key, _, _ in bare_clauses(text) for word in words_of_answers(key))


def bare_clauses(text: str, *, whole: bool = False) -> list[tuple[str, bool, str]]:
    """Return each clause without words for now, whether it had such words, and the value that went."""
    if len(text) > MOST_CHARS or not text.strip():
        return []
    clauses = list(dict.fromkeys(clauses_of(text)))[: 1 if whole else MOST_CLAUSES]
    if any(CONDITIONS.match(statement_key(clause)) for clause in clauses[1:]):
        clauses = clauses[:1]
    return [found for clause in clauses for found in (_bare(clause),) if found[0]]


def _bare(clause: str) -> tuple[str, bool, str]:
    key = OPENERS.sub("", spelled_out(statement_key(clause)))
    bare, times = CORRECTED.subn("", COMMA.sub("", key), count=1)
    for pattern in (SINCE, NOW, RIGHTED):
        bare, more = pattern.subn(" ", bare)
        times += more
    bare = " ".join(WHEN.sub(" ", bare).split())
    bare, new = renewed(bare)
    if not NOT.isdisjoint(tokens(bare)) or is_only_thought_of(bare):
        return "", False, ""
    former = ""
    instead = INSTEAD.search(bare)
    if instead and instead.start():
        former, bare = instead["old"], bare[: instead.start()].strip()
    return bare, bool(times or new), former
