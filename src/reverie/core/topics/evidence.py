"""Whether a question is about a topic at all: recall interrupts only with evidence.

Rules:

* A word that both use is evidence as far as it surprises: by the logarithm of how rarely requests and notes
  use it. A long request uses many words, so that each of them surprises less.
* Enough evidence is one of three. Words that matter which chance would hardly bring together in a memory of
  this size: one that is a rare name or identifier, or two or more. Or two words that are a good part of what
  the question says. Or all that it says, if that is no everyday word or is what the topic is called.
* Everyday words do not matter; neither does a word that many of the topics hold.
* In a language that there is no table for, a word that is not known need not be rare: it takes two.
* A part of an identifier is half a word, a syllable of Vietnamese, too. In scripts without spaces pieces
  overlap: one that follows another adds less to it.
"""

from __future__ import annotations

import math
import re
from functools import partial

from reverie.core.text import scripts
from reverie.core.text.plain import Lazy
from reverie.core.text.words import query_words

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Final, TypeAlias

    Hits: TypeAlias = Mapping[str, Sequence[int]]
    """The question's terms found in one topic: how often in name, description and body."""
    Form: TypeAlias = tuple[str, float, float, float, float]
    """A term, its surprise by itself and among these topics, what of that tells, its share of the word."""

# Chosen on the development half of `scripts/truth_data.py`; `reverie eval truth` measures on the other.
CHANCE: Final = 0.02  # topics that words would bring by accident, over the whole memory
LONE_CHANCE: Final = 0.06
SMALL_MEMORY: Final = 30  # a small memory is no reason to interrupt sooner
COVERED_CHANCE: Final = 1.0
COVERED: Final = 0.38  # of what a question says
WHOLE: Final = 0.99
MATTERS: Final = (
    6.2  # surprise of a word that is more than everyday, at about one use in five hundred
)
CALLED: Final = 5.5  # of a question that says nothing else
TELLS: Final = 4.5
NAMES: Final = 7.5
RARE: Final = 10.4
LONE: Final = 7.0  # a word that is enough alone where it is much of the question
LONE_PART: Final = 0.3
UNKNOWN: Final = 8.6  # a word of a language that there is no table for
PIECE: Final = 7.2  # of Chinese, for which there is a table
YEAR: Final = 6.5
MIXED: Final = 6.0  # half grammar, as Japanese pieces with kana are
SLIGHT: Final = 4.5
PART: Final = 0.5
VARIANT_LOSS: Final = 0.3
SYNONYM_LOSS: Final = 1.0
FEW: Final = (
    2  # topics that may hold a word without making it frequent, however small the memory is
)
FREQUENT_SHARE: Final = 0.1
_SPACED: Final = (1.0, 1.0)
_PAIR: Final = (1.0, 0.3)
_CLUSTERS: Final = (0.3, 0.15)
_SYLLABLE: Final = (0.4, 0.4)
_TOP: Final = 7.5  # beyond this, a word is not a larger part of a question

_HIRAGANA: Final = Lazy("[\u3041-\u309f]+")
_NOT_CHINESE: Final = Lazy("[\u3041-\u30ff\u1100-\u11ff\uac00-\ud7af]")  # kana, Hangul
_LETTERS: Final = re.compile(r"[^\W_]+")
_YEAR: Final = re.compile("(?:19|20)[0-9]{2}")


class Word:
    """One word of a question: under which terms a topic may hold it, and what each is worth."""

    __slots__ = ("common", "forms", "part", "step")

    def __init__(
        self,
        forms: Sequence[tuple[str, float, float]],
        part: float,
        step: tuple[float, float],
        *,
        common: bool,
    ) -> None:
        self.common = common
        """Whether it does not matter."""
        self.forms = forms
        """Term, surprise, and how much of the word it is."""
        self.part = part
        """How much of what the question says this word is."""
        self.step = step
        """How many words it is, by itself and after one that the topic holds, too."""


class Evidence:
    """What the words of a question are worth as evidence."""

    __slots__ = ("alone", "common", "length", "says", "unspaced", "words")

    def __init__(
        self,
        query: str,
        *,
        common: Collection[str],
        similar: Mapping[str, Sequence[str]],
        everyday: Mapping[str, int],
        shares: Sequence[float],
    ) -> None:
        """Weigh the words of a query.

        Args:
            query: What is asked.
            common: Terms that do not matter.
            similar: Terms that say the same as a term.
            everyday: The class of a term; those of other languages than English count down from -1.
            shares: How usual the words of a class are.
        """
        groups = query_words(query)
        spaced = [group[0] for group in groups if _step(group[0]) == _SPACED]
        known = sum(everyday.get(term, -1) >= 0 for term in spaced)
        rare = RARE if 2 * known >= len(spaced) else UNKNOWN
        plain = query.isascii()
        syllables = not plain and bool(scripts.VIETNAMESE.search(query))
        piece = UNKNOWN if not plain and _NOT_CHINESE.search(query) else PIECE
        surprises = [-math.log(share) for share in shares]

        def surprise(term: str) -> float:
            place = everyday.get(term)
            if place is None:
                return _unlisted(term, rare, piece)
            return surprises[place if place >= 0 else -1 - place]

        self.common = common
        self.words: list[Word] = []
        for group in groups:
            forms: list[tuple[str, float, float]] = []
            for place, term in enumerate(group):
                own, share = surprise(term), PART if place else 1.0
                forms.append((term, own, share))
                alike = [(other, VARIANT_LOSS) for other in variants(term)]
                alike += [(other, SYNONYM_LOSS) for other in similar.get(term, ())]
                forms += [(other, min(own, surprise(other)) - loss, share) for other, loss in alike]
            tells = [min(surprise(term), _TOP) - TELLS for term in group if term not in common]
            step = _SYLLABLE if syllables and group[0].isalpha() else _step(group[0])
            part = max(0.0, *tells, 0.0) * step[1]
            self.words.append(Word(forms, part, step, common=group[0] in common))
        counted = sum(word.step[1] for word in self.words if not word.common)
        self.length = math.log(max(1.0, counted))
        self.says = sum(word.part for word in self.words)
        self.unspaced = any(word.step in (_PAIR, _CLUSTERS) for word in self.words)
        """Whether pieces of words that go together dilute what the question says."""
        self.alone = len(self.words) == 1 and len(query.split()) == 1
        """Whether the question is a single word, such as "Go", which then means something."""

    def enough(self, frequency: Mapping[str, int], size: int) -> Callable[[Hits], bool]:
        """Return what tells by its hits whether a topic is what the question is about.

        Hits are the terms of the question that the topic holds, with how often name, description and body do.

        Args:
            frequency: How many topics hold each term.
            size: How many topics there are.
        """
        # What is the same for all topics; of forms that no topic holds there are many.
        usual = max(FEW, FREQUENT_SHARE * size)
        words: list[tuple[Word, list[Form]]] = []
        for word in self.words:
            forms: list[Form] = []
            for term, own, share in word.forms:
                if term in frequency:
                    surprise = own
                    if frequency[term] > usual:
                        surprise = min(surprise, -math.log(frequency[term] / size))
                    forms.append((term, own, surprise, surprise - self.length, share))
            words.append((word, forms))
        return partial(self._enough, words, math.log(max(size, SMALL_MEMORY)))

    def _enough(
        self, words: Sequence[tuple[Word, Sequence[Form]]], many: float, hits: Hits
    ) -> bool:
        strong = every = covered = shared = matter = best = rarest = 0.0
        called, follows = True, False
        used: set[str] = set()
        for word, forms in words:
            worth, found, plain = 0.0, None, 0.0
            weight = word.step[follows]
            for term, own, surprise, told, share in forms:
                if term not in hits or term in used:
                    continue
                value = told * weight * share
                if found is None or value > worth:
                    worth, found, plain = max(value, 0.0), (term, surprise, share), own
            follows = found is not None
            if found is None:
                called = called and word.common
                continue
            term, surprise, share = found
            used.add(term)
            every += worth
            shared += weight * share
            covered += word.part * share
            if not word.common or self.alone:
                called = called and share == 1 and bool(hits[term][0] or hits[term][1])
            if not word.common and term not in self.common:
                best, rarest = max(best, surprise), max(rarest, plain)
                if surprise >= MATTERS:
                    strong += worth
                    matter += weight * share
        if called and (rarest >= CALLED or self.alone):
            return True
        part = covered / self.says if self.says else 0.0
        lone = best >= RARE or (best >= LONE and (part >= LONE_PART or self.unspaced))
        if lone and strong >= many - math.log(LONE_CHANCE):
            return True
        if matter > 1 and strong >= many - math.log(CHANCE):
            return True
        if shared >= 2 and best >= TELLS and part >= COVERED:
            return every >= many - math.log(COVERED_CHANCE)
        return part >= WHOLE and rarest >= NAMES

    def negligible(self, frequency: Mapping[str, int], size: int) -> frozenset[str]:
        """Choose terms that are no evidence even all together, the most frequent first."""
        room = math.log(max(size, SMALL_MEMORY)) - math.log(COVERED_CHANCE)
        # One that matters is missing, and the topic is not called like the question.
        words = sum(not word.common or self.alone for word in self.words) - 1
        worth: dict[str, float] = {}
        part: dict[str, float] = {}
        often: dict[str, int] = {}
        for word in self.words:
            for term, surprise, share in word.forms:
                value = max(0.0, surprise - self.length) * share
                worth[term] = worth.get(term, 0.0) + value
                part[term] = part.get(term, 0.0) + word.part
                often[term] = often.get(term, 0) + (not word.common or self.alone)
        says = WHOLE * self.says if self.says else math.inf
        chosen: list[str] = []
        for term in sorted(frequency, key=lambda term: -frequency[term]):
            least = worth[term] < room * (1 - 1e-9) and part[term] < says * (1 - 1e-9)
            if least and often[term] <= words:
                room -= worth[term]
                says -= part[term]
                words -= often[term]
                chosen.append(term)
        return frozenset(chosen)


def variants(term: str) -> tuple[str, ...]:
    """Stems that differ by a last vowel: allergy gives `allergi`, allergic gives `allerg`."""
    if len(term) < 5 or not (term.isascii() and term.isalpha()):
        return ()
    return (term[:-1],) if term[-1] in "iey" else (f"{term}i", f"{term}e")


def _step(term: str) -> tuple[float, float]:
    """Tell how many words a term is, by itself and after one that was found."""
    if term.isascii():
        return _SPACED
    if scripts.CJK_START.match(term):
        return _PAIR
    return _CLUSTERS if scripts.CLUSTERED_START.match(term) else _SPACED


def _unlisted(term: str, rare: float, piece: float) -> float:
    """Tell how much a term surprises that is in no table."""
    if term.isdigit():
        return YEAR if _YEAR.fullmatch(term) else SLIGHT if len(term) < 3 else RARE
    if _step(term) != _SPACED:
        if _HIRAGANA.fullmatch(term):
            return SLIGHT
        return MIXED if _HIRAGANA.search(term) else piece
    if max(map(len, _LETTERS.findall(term)), default=0) < 3:
        return SLIGHT  # "ls", and "e.g." which looks like an identifier
    return rare if term.isalpha() else RARE
