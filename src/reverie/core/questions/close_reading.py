"""Read what was found as a person does: how much of a question one passage says, and one sentence of it.

Rules
- An index knows exact words and their stems. A reader also sees that `kalesinin` and `kalesini` begin
  alike, in any language with endings, and that a compound holds a word. Such a word counts by how much of it
  is there. What Arabic writes at the front of a word ("and", "in", "the") is no part of it.
- What answers a question mostly says it within a sentence or two; what shares words with it by chance has
  them here and there. So the fullest sentence is told beside the whole passage.
- Only a few passages are read, those that would be shown first.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from reverie.core.text import scripts
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.words import normalize, query_terms

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from reverie.types.ranking import Query

__all__ = ["Part", "Read", "parts_of", "read_closely"]

_SENTENCE: Final = re.compile(r"(?<![.!?।。？！])[.!?।。？！]++(?:\s++|$)|\n++|(?<=[。？！])")
_GAP: Final = re.compile(
    r"[\s.,;:!?()\[\]{}\"'’‘“”«»„…、。，；：（）「」/\\|*_=<>`~^$%&@#+·–—।॥،؛؟-]+"
)
_BEGINNING: Final = 4  # letters that two words must have in common
_LIKE: Final = 0.6  # of the longer word
_OF_SHORTER: Final = 0.7  # where one is much longer, as compounds are
_WITHIN: Final = 0.6  # what a word counts that stands within another
_LONG: Final = 5
_MOST_SENTENCES: Final = 60
# "And", "so", "in", "as", "to" and "the" are written in one with an Arabic word; three letters must be left.
_JOINED_ARABIC: Final = re.compile(
    "(?:[\u0648\u0641]?(?:[\u0628\u0643]?\u0627\u0644|\u0644\u0644)"
    "|[\u0648\u0641][\u0628\u0644\u0643]?|[\u0628\u0644\u0643])(?=...)"
)
# Letters that are written for each other: alif with its marks, the final ya and ta, and the seats of hamza.
_SAME_ARABIC: Final = str.maketrans(
    "\u0623\u0625\u0622\u0649\u0629\u0624\u0626",
    "\u0627\u0627\u0627\u064a\u0647\u0648\u064a",
)
MOST_PARTS: Final = 20  # the weightiest; a pasted page need not be said as a whole


class Part(NamedTuple):
    """One thing that a question asks for."""

    text: str
    weight: float
    spaced: bool
    """It is a word of a script that puts spaces between them."""
    terms: tuple[str, ...]


class Read(NamedTuple):
    """How much of a question a passage holds, and its fullest sentence, 0 to 1."""

    passage: float = 0.0
    sentence: float = 0.0


def parts_of(query: Query, asked: Mapping[str, float]) -> list[Part]:
    """Take a question apart: its words, or pieces where words are not told apart, with their weights."""
    found: list[Part] = []
    told: set[str] = set()
    if query.pairs:
        return _of_pairs(query.pairs, asked)
    for word in sorted(query.words):
        unspaced = scripts.CJK_START.match(word) or scripts.CLUSTERED_START.match(word)
        if unspaced or word in STOP_WORDS:
            continue
        own = tuple(term for term in query_terms(word) if term in asked)
        if own:
            told.update(own)
            word = _bare(word) if scripts.ARABIC.match(word) else word
            found.append(Part(word, max(asked[term] for term in own), True, own))
    found += [
        Part(term, weight, False, (term,)) for term, weight in asked.items() if term not in told
    ]
    return found


def _of_pairs(pairs: Sequence[str], asked: Mapping[str, float]) -> list[Part]:
    """Weigh pairs of syllables by both of them."""
    found: list[Part] = []
    for pair in dict.fromkeys(pairs):
        known = [
            max((asked.get(term, 0.0) for term in query_terms(one)), default=0.0)
            for one in pair.split()
        ]
        weight = sum(known)
        found.append(Part(pair, weight, False, ()))
    return found


def read_closely(parts: Sequence[Part], text: str, *, there: Collection[str]) -> Read:
    """Read one passage.

    Args:
        there: The terms that stand in it according to the index.
    """
    total = sum(sorted((part.weight for part in parts), reverse=True)[:MOST_PARTS])
    if not total:
        return Read()
    best = [1.0 if any(term in there for term in part.terms) else 0.0 for part in parts]
    fullest = 0.0
    for sentence, words, starts in _sentences(text):
        held = 0.0
        for place, part in enumerate(parts):
            like = _like(part, sentence, words, starts)
            best[place] = max(best[place], like)
            held += part.weight * like
        fullest = max(fullest, held)
    passage = sum(part.weight * like for part, like in zip(parts, best, strict=True))
    return Read(min(passage / total, 1.0), min(fullest / total, 1.0))


class _Sentence(NamedTuple):
    text: str
    words: frozenset[str]
    starts: Mapping[str, Sequence[str]]
    """The words by how they begin."""


@lru_cache(maxsize=256)
def _sentences(text: str) -> list[_Sentence]:
    """Take a passage apart; the same ones are among the best of many questions."""
    found: list[_Sentence] = []
    for part in [part for part in _SENTENCE.split(normalize(text)) if part.strip()]:
        if len(found) == _MOST_SENTENCES:
            break
        words = frozenset(_GAP.split(part))
        if scripts.ARABIC.search(part):
            words = frozenset(map(_bare, words))
        starts: dict[str, list[str]] = {}
        for word in words:
            starts.setdefault(word[:_BEGINNING], []).append(word)
        found.append(_Sentence(part, words, starts))
    return found


def _bare(word: str) -> str:
    """Leave out what is written in one with an Arabic word.

    >>> _bare("\u0648\u0628\u0627\u0644\u0645\u062f\u064a\u0646\u0629")
    '\u0645\u062f\u064a\u0646\u0647'
    """
    folded = word.translate(_SAME_ARABIC)
    joined = _JOINED_ARABIC.match(folded)
    return folded[joined.end() :] if joined else folded


def _like(
    part: Part, sentence: str, words: frozenset[str], starts: Mapping[str, Sequence[str]]
) -> float:
    """Tell how much of a part stands in a sentence."""
    word = part.text
    if not part.spaced:
        return float(word in sentence)
    if word in words:
        return 1.0
    best = _WITHIN if len(word) >= _LONG and word in sentence else 0.0
    for other in starts.get(word[:_BEGINNING], ()):
        best = max(best, _alike(word, other))
    return best


def _alike(one: str, other: str) -> float:
    """Tell how alike two words are that begin alike.

    >>> round(_alike("kalesinin", "kalesini"), 2), _alike("parent", "parking")
    (0.89, 0.0)
    """
    shorter, longer = sorted((len(one), len(other)))
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), shorter)
    if same >= _BEGINNING and same >= _LIKE * longer:
        return same / longer
    if same >= _LONG and same >= _OF_SHORTER * shorter:
        return _WITHIN * same / shorter
    return 0.0
