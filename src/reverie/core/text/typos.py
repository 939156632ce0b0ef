"""What a misspelt word may have meant: every word that is one slip of the finger away.

Rules:

* One slip: a letter too many, too few, wrong, or two exchanged. Anything further away is another word, and
  hardly anybody slips at the first letter.
* Only words of letters, in scripts that put letters one after the other; short words are all alike.
* Nobody guesses from a dictionary: whoever asks knows which of the words stand somewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MIN_CHARS", "is_word", "slips"]

MIN_CHARS: Final = 5
MAX_CHARS: Final = 24
_ALPHABETS: Final = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "אבגדהוזחטיכלמנסעפצקרשתםןךףץ",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهويةىءأإآ",
)


def is_word(word: str) -> bool:
    """Say whether a folded word can be misspelt: long enough, and of letters of one alphabet."""
    return MIN_CHARS <= len(word) <= MAX_CHARS and _alphabet(word) is not None


def _alphabet(word: str) -> str | None:
    return next((letters for letters in _ALPHABETS if all(char in letters for char in word)), None)


def slips(word: str) -> Iterator[str]:
    """Yield every word that is one slip away from a folded one; none for what cannot be misspelt.

    >>> {"garden", "gardener"} <= set(slips("gardne")) | set(slips("gardeneer"))
    True
    """
    letters = _alphabet(word) if is_word(word) else None
    if letters is None:
        return
    yield word[1] + word[0] + word[2:]
    for at in range(1, len(word) + 1):
        before, after = word[:at], word[at:]
        if len(after) > 1:
            yield f"{before}{after[1]}{after[0]}{after[2:]}"
        if after:
            yield before + after[1:]
            for letter in letters:
                yield before + letter + after[1:]
        for letter in letters:
            yield before + letter + after
