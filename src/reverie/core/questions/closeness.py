"""How near a memory is to a prompt, compared with ordinary prompts; and when that is near enough.

Rules
- A cosine by itself says little: memories about programs are near to all that programmers ask, and a model
  likens everything in a language that it hardly knows. So a memory is near when the prompt is nearer to it
  than ordinary prompts are (`core.questions.ordinary`), told in deviations; and the mean of the prompt's
  cosines to the whole memory is taken off first.
- Both kinds of ordinary prompts must be left behind, requests for work and everyday questions.
- How near is enough depends on whom the prompt is about (`core.questions.reach`). Meaning alone never brings
  anything for a prompt that anybody could answer.
- The more a prompt says, the more of it is near to something: so a long one must come nearer, and a very
  long one gets nothing by meaning alone.
- Words that are evidence (`core.topics.evidence`) are enough for prompts that are open or about the owner,
  unless meaning says that the prompt is about something else. For the others the memory must hold most of
  the words, too.
- A memory that holds few of a short prompt's words and is not like it at all is about something else, unless
  one of the words is an identifier.

The numbers were chosen on public prompts to coding agents, on questions of public sets asked of memories that
do not answer them, on `tests/data/meaning/choosing.json`, and on prompts by somebody who did not know these
rules.
"""

from __future__ import annotations

import math
import re

from reverie.core.questions.reach import GENERAL, OPEN, OWN, reach_of
from reverie.core.text.words import query_words

TYPE_CHECKING = False  # not from `typing`: a hook reads this
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Final, TypeAlias

    Spread: TypeAlias = tuple[float, float]
    """Mean and deviation of the cosines of some ordinary prompts to one memory."""

__all__ = ["closeness", "is_near", "length_of", "mean_of_others", "tells", "what_it_is_about"]

USUAL_MEAN: Final = 0.03  # of a prompt's cosines to a memory that it has nothing to do with
FEW: Final = 10  # memories whose mean counts as much as the usual one
EVERYDAY_SHARE: Final = 1.3  # everyday questions are of all kinds, and so their deviation is large
LEAST: Final = 0.02  # a deviation below this is taken for it
BARS: Final[Mapping[int, float]] = {GENERAL: math.inf, OPEN: 4.8, OWN: 3.6}
LONG: Final = 12  # words
LONGER: Final = 5.0  # for each e-fold of words beyond that
TOO_LONG: Final = 60  # words; nothing comes as near as such a prompt would have to
BESIDE: Final = 0.85  # of the nearest: what is shown next to it
ELSEWHERE: Final = (
    1.0  # below this, words that a memory shares with an open prompt mean something else
)
GENERAL_NEAR: Final = 3.0
MOST_SAID: Final = 0.6
SHORT: Final = 24  # words; of a longer prompt, a memory may answer a small part
UNLIKE: Final = 0.2  # a cosine below this: few of a short prompt's words, and in another sense
LETTERS_OF_A_WORD: Final = 6
_WORD: Final = re.compile(r"\w+")


def tells(*, reach: int, words: float, found: bool) -> bool:
    """Say whether meaning is worth asking for.

    Args:
        words: How many words the prompt has.
        found: Whether its words brought something.
    """
    return found or (words <= TOO_LONG and reach != GENERAL)


def mean_of_others(cosine: float, *, mean: float, count: int) -> float:
    """Take a memory itself out of the mean of the prompt's cosines; of a few others little is known.

    Args:
        mean: Of the prompt's cosines to all memories.
        count: How many memories there are.
    """
    others = max(count - 1, 0)
    rest = mean * count - cosine if others else 0.0
    return (rest + FEW * USUAL_MEAN) / (others + FEW)


def closeness(cosine: float, *, mean: float, work: Spread, everyday: Spread) -> float:
    """Tell by how many deviations a prompt is nearer to a memory than ordinary prompts are.

    Args:
        cosine: Of the prompt and the memory.
        mean: Of the prompt's cosines to all memories.
        work: Of requests for work to this memory.
        everyday: Of everyday questions to it.
    """
    own = cosine - max(mean - USUAL_MEAN, 0.0)
    return min(
        (own - work[0]) / max(work[1], LEAST),
        EVERYDAY_SHARE * (own - everyday[0]) / max(everyday[1], LEAST),
    )


def is_near(value: float, *, reach: int, words: float) -> bool:
    """Tell whether meaning alone may interrupt.

    Args:
        value: The closeness of a memory.
        words: How many words the prompt has.
    """
    longer = LONGER * math.log(max(words / LONG, 1.0))
    return value >= BARS[reach] + longer


def what_it_is_about(
    prompt: str,
    held: Sequence[frozenset[str]],
    close: Sequence[float | None] = (),
    cosines: Sequence[float | None] = (),
) -> list[bool]:
    """Tell which of the memories that share words with a prompt the prompt is about.

    Args:
        held: For each, the terms of the prompt that it holds.
        close: How near each is; None, or nothing, where no sentence model tells.
        cosines: The same, as it is before it is compared with ordinary prompts.
    """
    groups = query_words(prompt)
    each: dict[frozenset[str], float] = {}  # thousands may hold the same few words
    for terms in held:
        if terms not in each:
            each[terms] = _said_share(groups, terms)
    shares = [each[terms] for terms in held]
    if not close and min(shares, default=1.0) >= MOST_SAID:
        return [True] * len(shares)  # whomever it is about: they say most of it
    reach = reach_of(prompt)
    near = close or [None] * len(held)
    alike = cosines or [None] * len(held)
    short = length_of(prompt) <= SHORT
    bar = GENERAL_NEAR if reach == GENERAL else ELSEWHERE
    about: list[bool] = []
    for terms, share, value, cosine in zip(held, shares, near, alike, strict=True):
        whole = len(groups) > 1 and share == 1  # every word of it: nothing else can be meant
        told = value is None or value >= bar or whole
        if short and share < MOST_SAID and cosine is not None and cosine < UNLIKE:
            told = told and not all(map(str.isalpha, terms))  # an identifier is no chance
        about.append(told and (reach != GENERAL or share >= MOST_SAID))
    return about


def _said_share(groups: Sequence[Sequence[str]], held: Collection[str]) -> float:
    """Tell which share of a prompt's words, each with its terms, some terms are."""
    found = sum(any(term in held for term in group) for group in groups)
    return found / len(groups) if groups else 0.0


def length_of(prompt: str) -> float:
    """Count the words of a prompt; where none are told apart, some letters are one."""
    words = _WORD.findall(prompt)
    return sum(1 if word.isascii() else max(len(word) / LETTERS_OF_A_WORD, 1.0) for word in words)
