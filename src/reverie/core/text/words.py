"""The one tokenizer of the product: recall, forget, search and dedupe all split text here.

Rules:

* The same piece of text always gives the same terms, whatever stands around it. No language is
  guessed, so a query and a document can never disagree about one; the script decides.
* Words separated by spaces become stems; `snake_case`, `camelCase`, `kebab-case`, paths, versions and
  dates give the whole and their parts. Short words count. Accents are folded away; a Vietnamese word also
  counts as it is written, for there the marks make the word (XQuAD: hit@1 86.3 -> 89.0).
* Scripts without spaces become overlapping pieces: Han, Kana and Hangul characters and pairs; Thai,
  Lao, Khmer and Burmese syllable clusters in pairs and triples.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain, pairwise

from reverie.core.text import scripts
from reverie.core.text.scripts import ASCII_UNIT, NO_DECOMPOSITION
from reverie.core.text.stems import stem
from reverie.core.text.stopwords import CJK_QUESTION, KEPT_SPELLINGS, STOP_WORDS

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

__all__ = [
    "CAMEL",
    "TOKENIZER_VERSION",
    "compatible",
    "containment",
    "estimate_tokens",
    "normalize",
    "query_terms",
    "query_words",
    "similarity",
    "terms",
    "words",
]

# The index stores it; a different value means rebuild. Raise it whenever terms(), or what an index adds to
# them (`core.search.indexing.index_terms`), changes.
TOKENIZER_VERSION: Final = "5"

MAX_TERM_CHARS: Final = 64  # a blob of base64 is no word; its head still finds it
QUERY_HEAD: Final = 32  # a pasted page asks at its start or at its end
QUERY_TAIL: Final = 32
_CACHE_UNITS: Final = 1 << 16  # distinct spellings remembered: about 10 MB, most of any corpus

_JOINER: Final = re.compile(r"[-.'’:/\\@&+,_]+")
CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMERIC: Final = re.compile(r"v?\d[\d.\-:/,]*\d(?:[a-z]{1,3}\d*)?")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ISO_MONTH: Final = re.compile(r"((?:19|20)\d\d)[-/.]([01]?\d)[-/.][0-3]?\d")
_ORDINAL: Final = re.compile(r"\d+(?:st|nd|rd|th)")
_WORD_AND_NUMBER: Final = re.compile(r"([a-z]{3,})\d+")
_CLITIC: Final = re.compile(r"(?i)(n['’]t|['’](?:s|re|ve|ll|d|m)?)$")
_CONTRACTED: Final = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}


def normalize(text: str) -> str:
    """Fold what the eye reads as the same: width, case, compatibility forms, Latin and Greek accents.

    >>> normalize("Ｃafé ΣΊΣΥΦΟΣ Ёлка й")
    'cafe σισυφοσ елка й'
    """
    if text.isascii():
        return text.lower()
    folded = text
    for _ in range(
        4
    ):  # folding may expose more to fold; the second pass nearly always changes nothing
        before = folded
        folded = unicodedata.normalize("NFKC", compatible(folded).casefold())
        folded = scripts.LOOSE_MARKS.sub("", folded)
        folded = scripts.ACCENTED.sub(_without_accent, folded)
        if folded == before:
            break
    return folded


def words(text: str) -> list[str]:
    """Split into normalised words in order, stop words included, nothing stemmed.

    A character of Han, Kana or Hangul and a cluster of Thai is a word of its own.
    """
    found: list[str] = []
    for unit in _units(text):
        if unit.isascii():
            found.extend(_word_parts(unit))
        elif scripts.CJK_START.match(unit):
            found.extend(unit)
        elif scripts.CLUSTERED_START.match(unit):
            found.extend(scripts.CLUSTER.findall(unit))
        else:
            found.extend(_word_parts(unit))
    return found


def terms(text: str) -> list[str]:
    """Split into index terms; a text of nothing but stop words keeps them.

    >>> terms("The cats' parser_config in node.js")
    ['cat', 'parser_config', 'parser', 'config', 'node.js', 'node', 'js']
    """
    terms_of = _spaced_terms if text.isascii() else _unit_terms
    found = list(chain.from_iterable(map(terms_of, _units(text))))
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


def query_words(text: str) -> list[tuple[str, ...]]:
    """Group the terms of a query by the words they come from: a word itself first, then its parts.

    A piece of a script without spaces is a word of its own.
    """
    wanted = set(query_terms(text))
    found: list[tuple[str, ...]] = []
    for unit in _units(text):
        own = [term for term in _query_unit_terms(unit) if term in wanted]
        if not own:
            continue
        if not unit.isascii() and (
            scripts.CJK_START.match(unit) or scripts.CLUSTERED_START.match(unit)
        ):
            found += [(term,) for term in own]
        else:
            found.append(tuple(own))
    return list(dict.fromkeys(found)) or [(term,) for term in query_terms(text)]


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a language model counts, from the bytes that UTF-8 needs.

    ASCII: four characters to a token; two-byte scripts (Cyrillic, Greek, Arabic, Hebrew): two; three-byte
    scripts (Han, Kana, Hangul, Thai, Indic): one each; emoji: two tokens. A megabyte takes milliseconds.
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
    left, right = _distinct(a), _distinct(b)
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


@lru_cache(maxsize=2048)
def _distinct(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def compatible(text: str) -> str:
    """Make compatible forms one, and leave out what cannot be seen."""
    return unicodedata.normalize("NFKC", scripts.IGNORED.sub("", text))


def _without_accent(match: re.Match[str]) -> str:
    char = match[0]
    if char in NO_DECOMPOSITION:
        return NO_DECOMPOSITION[char]
    return scripts.LOOSE_MARKS.sub("", unicodedata.normalize("NFD", char)) or char


def _units(text: str) -> list[str]:
    if text.isascii():
        return ASCII_UNIT.findall(text)
    return scripts.UNIT.findall(compatible(text))


def _stopped(text: str) -> list[str]:
    return [word for word in words(text) if word]


def _unit_terms(unit: str) -> Iterable[str]:
    if unit.isascii():
        return _spaced_terms(unit)
    if scripts.CJK_START.match(unit):
        return [*unit, *map("".join, pairwise(unit))]
    if scripts.CLUSTERED_START.match(unit):
        return _pieces(scripts.CLUSTER.findall(unit), (2, 3))
    return _spaced_terms(unit)


def _query_unit_terms(unit: str) -> Iterable[str]:
    if unit.isascii() or not scripts.CJK_START.match(unit):
        return _unit_terms(unit)
    for phrase in CJK_QUESTION:
        unit = unit.replace(phrase, " ")
    return [piece for run in unit.split() for piece in _pieces(list(run), (2,))]


def _pieces(chars: list[str], sizes: tuple[int, ...]) -> list[str]:
    """Overlapping pieces of each size; a run shorter than the smallest size is itself a piece."""
    if len(chars) <= sizes[0]:
        return ["".join(chars)[:MAX_TERM_CHARS]]
    return [
        "".join(chars[at : at + size])[:MAX_TERM_CHARS]
        for size in sizes
        for at in range(len(chars) - size + 1)
    ]


@lru_cache(maxsize=_CACHE_UNITS)
def _spaced_terms(unit: str) -> tuple[str, ...]:
    plain = normalize(unit)
    if plain.isalpha() and unit[1:] == plain[1:]:  # the usual case: one plain word
        return () if plain in STOP_WORDS and unit not in KEPT_SPELLINGS else (stem(plain),)
    if unit in KEPT_SPELLINGS:
        return (plain,)
    if _NUMERIC.fullmatch(plain):
        return _number_terms(plain)
    whole, parts = _split(unit)
    found = [] if not whole or whole in STOP_WORDS else [whole if len(parts) > 1 else stem(whole)]
    if len(parts) > 1:
        found += [
            stem(part)
            for part in parts
            if part not in STOP_WORDS and (len(part) > 1 or not part.isascii())
        ]
    if found and not unit.isascii() and scripts.VIETNAMESE.search(unit):
        found.append(unit.casefold())
    return tuple(term[:MAX_TERM_CHARS] for term in dict.fromkeys(found) if term)


def _split(unit: str) -> tuple[str, list[str]]:
    """Give the unit as one normalised word, and the words inside it."""
    unit = unit.strip("_")
    if match := _CLITIC.search(unit):
        unit = unit[: match.start()]
        if match[0][0] in "nN":
            unit = _CONTRACTED.get(unit.lower(), unit)
    parts = [normalize(word) for piece in _JOINER.split(unit) for word in CAMEL.split(piece)]
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
    return (
        tuple(parts)
        if len(parts) > 1 and "'" not in unit and "’" not in unit
        else (whole,)
        if whole
        else ()
    )
