"""A quick look whether a text can hold any of some terms, before it is split into words.

Rules:

* Never wrong in one direction: if the tokenizer finds a term in a text, the filter lets it pass.
* Only ASCII text is looked at; other text always passes, because folding it costs as much as
  splitting it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from reverie.core.text.stopwords import IRREGULAR
from reverie.core.text.words import terms

LONG: Final = 4
"""From this length on, letters are looked for anywhere; shorter ones only where a word begins."""

# Lower case, and a space for everything that can stand between words.
_FOLDED: Final = bytes(
    ord(chr(code).lower()) if chr(code).isalnum() and code < 128 else 32 for code in range(256)
)
_LETTERS: Final = re.compile(r"[a-z]+")
# Stems that share too little with a word they come from: dying, ain't, won't.
_STRANGE: Final = {"die": ("dy",), "lie": ("ly",), "tie": ("ty",), "is": ("ain",), "will": ("won",)}


def term_filter(wanted: Iterable[str]) -> Callable[[str], bool]:
    """Return a function that tells whether a text may hold one of the terms."""
    needles = {needle for term in wanted for needle in _needles(term)}
    plain = [needle.encode() for needle in needles if len(needle) >= LONG or not needle.isalpha()]
    short = [needle for needle in needles if len(needle) < LONG and needle.isalpha()]
    plain += [f" {needle}".encode() for needle in short]
    camel = [form for needle in short for form in (needle.capitalize(), needle.upper())]

    def may_hold(text: str) -> bool:
        if not text.isascii():
            return True
        raw = text.encode()
        data = b" " + raw.translate(_FOLDED)
        if b"'" in raw:  # O'Brien is one word and two
            data += b" " + raw.translate(_FOLDED, b"'")
        return any(needle in data for needle in plain) or any(needle in text for needle in camel)

    return may_hold


@lru_cache(maxsize=4096)
def _needles(term: str) -> tuple[str, ...]:
    """Return letters one of which a text must hold if the tokenizer finds the term in it."""
    if not term.isascii():
        return ()  # no ASCII text gives such a term
    if not term.isalpha():
        letters = _LETTERS.match(term)
        return (letters[0],) if letters else (term[0],)
    # The stemmer rewrites at most the last letter that it leaves.
    own = term[:-1] if len(term) > 3 else term[:2]
    return (own, *_STRANGE.get(term, ()), *_irregular_forms().get(term, ()))


@lru_cache(maxsize=1)
def _irregular_forms() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for form, base in IRREGULAR.items():
        for stem in terms(base):
            found[stem] = (*found.get(stem, ()), form)
    return found
