"""The one tokenizer of the product: recall, forget, search and dedupe all split text here.

Rules:

* The same piece of text always gives the same terms, whatever stands around it. No language is
  guessed, so a query and a document can never disagree about one; the script decides.
* Words separated by spaces become stems; `snake_case`, `camelCase`, `kebab-case`, paths, versions and
  dates give the whole and their parts. Short words count.
* Scripts without spaces become overlapping pieces: Han, Kana and Hangul characters and pairs; Thai,
  Lao, Khmer and Burmese syllable clusters in pairs and triples.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from reverie.core.lexicon import CJK_QUESTION, IRREGULAR, KEPT_SPELLINGS, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "TOKENIZER_VERSION",
    "containment",
    "estimate_tokens",
    "normalize",
    "query_terms",
    "similarity",
    "terms",
    "words",
]

# The index stores it; a different value means rebuild. Raise it whenever terms() changes.
TOKENIZER_VERSION: Final = "1"

MAX_TERM_CHARS: Final = 64  # a blob of base64 is no word; its head still finds it
QUERY_HEAD: Final = 32  # a pasted page asks at its start or at its end
QUERY_TAIL: Final = 32
_CACHE_UNITS: Final = 1 << 16  # distinct spellings remembered: about 10 MB, most of any corpus

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
_CLUSTER: Final = re.compile(
    "[\u0e40-\u0e44\u0ec0-\u0ec4]?."
    "[\u0e30-\u0e3a\u0e45\u0e47-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u109a-\u109d"
    "\u17b4-\u17d3\u17dd]*",
    re.DOTALL,
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
_UNIT: Final = re.compile(
    f"_*{_PLAIN}(?:{_LETTER}|_|[-.'’:/\\\\@&+,](?={_PLAIN}))*(?:\\+\\+|#(?!{_PLAIN}))?"
    f"|[{_CJK}]+|[{_CLUSTERED}]+"
)
_ASCII_UNIT: Final = re.compile(
    r"_*[A-Za-z0-9](?:[A-Za-z0-9_]|[-.':/\\@&+,](?=[A-Za-z0-9]))*(?:\+\+|#(?![A-Za-z0-9]))?"
)
_CJK_RUN: Final = re.compile(f"[{_CJK}]")
_CLUSTERED_RUN: Final = re.compile(f"[{_CLUSTERED}]")

_JOINER: Final = re.compile(r"[-.'’:/\\@&+,_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMERIC: Final = re.compile(r"v?\d[\d.\-:/,]*\d(?:[a-z]{1,3}\d*)?")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ISO_MONTH: Final = re.compile(r"((?:19|20)\d\d)[-/.]([01]?\d)[-/.][0-3]?\d")
_ORDINAL: Final = re.compile(r"\d+(?:st|nd|rd|th)")
_WORD_AND_NUMBER: Final = re.compile(r"([a-z]{3,})\d+")
_CLITIC: Final = re.compile(r"(?i)(n['’]t|['’](?:s|re|ve|ll|d|m)?)$")
_CONTRACTED: Final = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}

# Invisible characters that only change how text is laid out.
_IGNORED: Final = re.compile("[\u00ad\u034f\u061c\u0640\u115f\u1160\u180b-\u180e\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
# Letters whose accent is folded away: Latin and Greek, and Russian yo. Not Cyrillic short i, a letter of its own.
_ACCENTED: Final = re.compile("[\u00e0-\u024f\u0390-\u03ce\u0451\u1e00-\u1fff]")
_LOOSE_MARKS: Final = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]+")
_NO_DECOMPOSITION: Final = {
    "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŧ": "t",
}  # fmt: skip

# Which stemmer reads which script. Latin script: English, because the suffixes it knows do little
# harm elsewhere: measured on XQuAD German.
_SCRIPT_STEMMERS: Final = (
    (re.compile("[а-яё]+"), "russian"),
    (re.compile("[α-ω]+"), "greek"),
    (re.compile("[\u0621-\u064a]+"), "arabic"),
    (re.compile("[\u0900-\u0963]+"), "hindi"),
    (re.compile("[\u0561-\u0587]+"), "armenian"),
    (re.compile("[\u0b80-\u0bff]+"), "tamil"),
)

_stemmers = threading.local()  # a stemmer keeps state, so each thread has its own


def normalize(text: str) -> str:
    """Fold what the eye reads as the same: width, case, compatibility forms, Latin and Greek accents.

    >>> normalize("Ｃafé ΣΊΣΥΦΟΣ Ёлка й")
    'cafe σισυφοσ елка й'
    """
    if text.isascii():
        return text.lower()
    folded = text
    for _ in range(4):  # folding may expose more to fold; the second pass nearly always changes nothing
        before = folded
        folded = unicodedata.normalize("NFKC", _compatible(folded).casefold())
        folded = _LOOSE_MARKS.sub("", folded)
        folded = _ACCENTED.sub(_without_accent, folded)
        if folded == before:
            break
    return folded


def words(text: str) -> list[str]:
    """Split into normalised words in order, stop words included, nothing stemmed.

    A character of Han, Kana or Hangul and a cluster of Thai is a word of its own: good for phrases and distances.
    """
    found: list[str] = []
    for unit in _units(text):
        if _CJK_RUN.match(unit):
            found.extend(unit)
        elif _CLUSTERED_RUN.match(unit):
            found.extend(_CLUSTER.findall(unit))
        else:
            found.extend(_word_parts(unit))
    return found


def terms(text: str) -> list[str]:
    """Split into index terms; a text of nothing but stop words keeps them.

    >>> terms("The cats' parser_config in node.js")
    ['cat', 'parser_config', 'parser', 'config', 'node.js', 'node', 'js']
    """
    found: list[str] = []
    add = found.extend
    for unit in _units(text):
        add(_unit_terms(unit))
    return found or _stopped(text)


def query_terms(text: str) -> list[str]:
    """Split a query: distinct terms, without the words that only ask; of a very long one, both ends."""
    found: list[str] = []
    for unit in _units(text):
        found.extend(_query_unit_terms(unit))
    distinct = list(dict.fromkeys(found or terms(text)))
    if len(distinct) <= QUERY_HEAD + QUERY_TAIL:
        return distinct
    # A term that comes back near the end counts as one of the end.
    tail = list(dict.fromkeys(reversed(found)))[:QUERY_TAIL]
    head = [term for term in distinct if term not in set(tail)][:QUERY_HEAD]
    return head + tail[::-1]


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a language model counts, from the bytes that UTF-8 needs.

    ASCII: four characters to a token; two-byte scripts (Cyrillic, Greek, Arabic, Hebrew): two; three-byte
    scripts (Han, Kana, Hangul, Thai, Indic): one each; emoji: two tokens. Linear in C, so a megabyte takes milliseconds.
    """
    if text.isascii():
        return -(-len(text) // 4)
    total = len(text)
    single = len(text.encode("ascii", "ignore"))
    many = total - single
    bytes_of_many = len(text.encode("utf-8", "surrogatepass")) - single
    long = bytes_of_many - 2 * many
    return -(-(single + 2 * max(many - long, 0) + 4 * long) // 4)


def similarity(a: str, b: str) -> float:
    """Tell how alike two texts are, 0 to 1: distinct terms in common over all distinct terms."""
    left, right = set(terms(a)), set(terms(b))
    if not left or not right:
        return float(normalize(a).strip() == normalize(b).strip())
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def containment(a: str, b: str) -> float:
    """Tell which share of the distinct terms of `a` also stands in `b`, 0 to 1."""
    left = set(terms(a))
    if not left:
        return float(normalize(a).strip() in normalize(b))
    return len(left.intersection(terms(b))) / len(left)


def _compatible(text: str) -> str:
    return unicodedata.normalize("NFKC", _IGNORED.sub("", text))


def _without_accent(match: re.Match[str]) -> str:
    char = match[0]
    if char in _NO_DECOMPOSITION:
        return _NO_DECOMPOSITION[char]
    return _LOOSE_MARKS.sub("", unicodedata.normalize("NFD", char)) or char


def _units(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_UNIT.findall(text)
    return _UNIT.findall(_compatible(text))


def _stopped(text: str) -> list[str]:
    return [word for word in words(text) if word]


def _unit_terms(unit: str) -> Iterable[str]:
    if unit.isascii():
        return _spaced_terms(unit)
    if _CJK_RUN.match(unit):
        return [*unit, *map("".join, pairwise(unit))]
    if _CLUSTERED_RUN.match(unit):
        return _pieces(_CLUSTER.findall(unit), (2, 3))
    return _spaced_terms(unit)


def _query_unit_terms(unit: str) -> Iterable[str]:
    if not _CJK_RUN.match(unit):
        return _unit_terms(unit)
    for phrase in CJK_QUESTION:
        unit = unit.replace(phrase, " ")
    return [piece for run in unit.split() for piece in _pieces(list(run), (2,))]


def _pieces(chars: list[str], sizes: tuple[int, ...]) -> list[str]:
    """Overlapping pieces of each size; a run shorter than the smallest size is itself a piece."""
    if len(chars) <= sizes[0]:
        return ["".join(chars)[:MAX_TERM_CHARS]]
    return ["".join(chars[at : at + size])[:MAX_TERM_CHARS] for size in sizes for at in range(len(chars) - size + 1)]


@lru_cache(maxsize=_CACHE_UNITS)
def _spaced_terms(unit: str) -> tuple[str, ...]:
    plain = normalize(unit)
    if plain.isalpha() and unit[1:] == plain[1:]:  # the usual case: one plain word
        return () if plain in STOP_WORDS and unit not in KEPT_SPELLINGS else (_stem(plain),)
    if unit in KEPT_SPELLINGS:
        return (plain,)
    if _NUMERIC.fullmatch(plain):
        return _number_terms(plain)
    whole, parts = _split(unit)
    found = [] if not whole or whole in STOP_WORDS else [whole if len(parts) > 1 else _stem(whole)]
    if len(parts) > 1:
        found += [_stem(part) for part in parts if part not in STOP_WORDS and (len(part) > 1 or not part.isascii())]
    return tuple(term[:MAX_TERM_CHARS] for term in dict.fromkeys(found) if term)


def _split(unit: str) -> tuple[str, list[str]]:
    """Give the unit as one normalised word, and the words inside it."""
    unit = unit.strip("_")
    if match := _CLITIC.search(unit):
        unit = unit[: match.start()]
        if match[0][0] in "nN":
            unit = _CONTRACTED.get(unit.lower(), unit)
    parts = [normalize(word) for piece in _JOINER.split(unit) for word in _CAMEL.split(piece)]
    parts = [part for part in parts if part]
    whole = normalize(unit)
    if "'" in whole or "’" in whole:
        whole = whole.replace("'", "").replace("’", "")
    if len(parts) == 1 and (match := _WORD_AND_NUMBER.fullmatch(parts[0])):
        parts.append(match[1])
    if len(parts) == 1 and _ORDINAL.fullmatch(parts[0]):
        whole = parts[0][:-2]
    return whole, parts


def _number_terms(plain: str) -> tuple[str, ...]:
    """Keep a number, version, time or date whole; of a date also the month and the year."""
    if _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    found = [plain.removeprefix("v").strip(".,:/-")]
    if match := _ISO_MONTH.fullmatch(plain):
        found.append(f"{match[1]}-{int(match[2]):02d}")
    found += [part for part in re.split(r"[.\-:/,]", plain) if len(part) >= 3 and part.isdigit()]
    return tuple(term[:MAX_TERM_CHARS] for term in dict.fromkeys(found) if term)


@lru_cache(maxsize=_CACHE_UNITS)
def _word_parts(unit: str) -> tuple[str, ...]:
    plain = normalize(unit)
    if plain.isalpha() and unit[1:] == plain[1:]:
        return (plain,)
    if _NUMERIC.fullmatch(plain):
        return (plain,)
    whole, parts = _split(unit)
    return tuple(parts) if len(parts) > 1 and "'" not in unit and "’" not in unit else (whole,) if whole else ()


def _stem(word: str) -> str:
    if word.isascii():
        if not word.isalpha():
            return word
        return _stemmer("english")(IRREGULAR.get(word, word))
    for script, language in _SCRIPT_STEMMERS:
        if script.fullmatch(word):
            return _stemmer(language)(word) or word
    return word


def _stemmer(language: str) -> Callable[[str], str]:
    cached: dict[str, Callable[[str], str]] | None = getattr(_stemmers, "by_language", None)
    if cached is None:
        cached = _stemmers.by_language = {}
    if language not in cached:
        from Stemmer import Stemmer  # only a text with words in it pays for loading the library

        cached[language] = Stemmer(language, 0).stemWord
    return cached[language]
