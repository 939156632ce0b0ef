"""Which characters make a word, in which script, and which are only there for the eye.

Rules:

* A pattern with ranges of Unicode takes milliseconds to compile, so it is compiled when a text first
  needs it. English text needs only `ASCII_UNIT`, and a hook reads it in a fresh process at every prompt.
"""

from __future__ import annotations

import re

from reverie.core.text.plain import Lazy

__all__ = [
    "ACCENTED",
    "ARABIC",
    "ASCII_UNIT",
    "CJK_START",
    "CLUSTER",
    "CLUSTERED_START",
    "IGNORED",
    "LOOSE_MARKS",
    "NO_DECOMPOSITION",
    "UNIT",
    "VIETNAMESE",
]

# Characters of scripts that put no space between words, each one a unit of meaning (nearly).
_CJK: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u3099-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003fffd"
)
# Thai, Lao, Burmese, Khmer: no spaces either, but a syllable is a consonant with its marks.
_CLUSTERED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109d"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\ua9e0-\ua9ef\uaa60-\uaa7f"
)
_CLUSTER: Final = (
    "(?s)[\u0e40-\u0e44\u0ec0-\u0ec4]?."
    "[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d"
    "\u17b4-\u17d3\u17dd]*"
)
# Marks that Python's \w leaves out although they belong to the word: Hebrew, Arabic, Indic, general.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83"
    "\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83"
    "\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d81-\u0d83\u0dca-\u0ddf\u0f71-\u0f84\u0f8d-\u0fbc"
)
_LETTER: Final = f"(?:[^\\W_{_CJK}{_CLUSTERED}]|[{_MARKS}])"
_PLAIN: Final = f"[^\\W_{_CJK}{_CLUSTERED}]"
# A unit: a run of letters with single joiners inside, or a run of an unspaced script.
_UNIT: Final = (
    f"_{{0,2}}{_PLAIN}(?:{_LETTER}|_|[-.'’:/\\\\@&+,](?={_PLAIN}))*(?:\\+\\+|#(?!{_PLAIN}))?"
    f"|[{_CJK}]+|[{_CLUSTERED}]+"
)
ASCII_UNIT: Final = re.compile(
    r"_{0,2}[A-Za-z0-9](?:[A-Za-z0-9_]|[-.':/\\@&+,](?=[A-Za-z0-9]))*(?:\+\+|#(?![A-Za-z0-9]))?"
)

# Invisible characters that only change how text is laid out.
_IGNORED: Final = (
    "[\u00ad\u034f\u061c\u0640\u115f\u1160\u180b-\u180e\u200c-\u200f"
    "\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
# Letters whose accent is folded away: Latin and Greek, and Russian yo; Cyrillic short i is a letter.
_ACCENTED: Final = "[\u00e0-\u024f\u0390-\u03ce\u0451\u1e00-\u1fff]"
_LOOSE_MARKS: Final = (
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]+"
)
# Letters of Vietnamese alone. Its marks tell words apart, and nearly every word has one.
_VIETNAMESE: Final = "[\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9]"
_ARABIC: Final = (
    "[\u0621-\u064a]"  # letters of Arabic; other languages in its script have most of them, too
)
NO_DECOMPOSITION: Final = {
    "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŧ": "t",
}  # fmt: skip

_SOURCES: Final = {
    "ACCENTED": _ACCENTED,
    "ARABIC": _ARABIC,
    "CJK_START": f"[{_CJK}]",
    "CLUSTER": _CLUSTER,
    "CLUSTERED_START": f"[{_CLUSTERED}]",
    "IGNORED": _IGNORED,
    "LOOSE_MARKS": _LOOSE_MARKS,
    "UNIT": _UNIT,
    "VIETNAMESE": _VIETNAMESE,
}
TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from typing import Final

    ACCENTED: re.Pattern[str]
    ARABIC: re.Pattern[str]
    CJK_START: re.Pattern[str]
    CLUSTER: re.Pattern[str]
    CLUSTERED_START: re.Pattern[str]
    IGNORED: re.Pattern[str]
    LOOSE_MARKS: re.Pattern[str]
    UNIT: re.Pattern[str]
    VIETNAMESE: re.Pattern[str]


def __getattr__(name: str) -> re.Pattern[str]:
    """Compile a pattern when it is first asked for; from then on it is an attribute like any other."""
    if name not in _SOURCES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    pattern = globals()[name] = Lazy(_SOURCES[name]).compiled()
    return pattern
