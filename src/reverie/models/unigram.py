"""Cut text into the pieces of a SentencePiece unigram model, which is read as data.

Rules
- Of the model file only the pieces and their scores are read. Normalisation is what the model was made
  with, NFKC and single spaces, done by Python's own tables.
- The division with the best sum of scores is taken, in time linear in the text: no piece is longer
  than a few letters.
- Letters that no piece has are one unknown piece, however many stand together.
"""

from __future__ import annotations

import struct
import unicodedata
from array import array
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Unigram"]

UNKNOWN: Final = 0
_SPACE: Final = "\u2581"
_PIECE: Final = 0x0A  # protobuf: field 1, bytes
_SCORE: Final = 0x15  # protobuf: field 2, a float
_FLOAT: Final = struct.Struct("<f")
_UNKNOWN_COST: Final = 10.0  # below the worst score
# What the model's normalisation takes for a space, or for nothing, beyond NFKC.
_BLANKS: Final = "\t\n\x0c\r\u1680\u200b\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"
_CONTROLS: Final = [*range(1, 9), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]
_TABLE: Final[Mapping[int, str | None]] = {
    **dict.fromkeys(map(ord, _BLANKS), " "),
    **dict.fromkeys(_CONTROLS),
}


class Unigram:
    """The pieces of a model and how to cut text into them."""

    def __init__(self, model: bytes) -> None:
        pieces, self._scores = _read_pieces(model)
        self._ids = {piece: number for number, piece in enumerate(pieces)}
        self._longest: dict[str, int] = {}
        for piece in pieces:
            if len(piece) > self._longest.get(piece[:1], 0):
                self._longest[piece[:1]] = len(piece)
        self._unknown = min(self._scores, default=0.0) - _UNKNOWN_COST

    def __len__(self) -> int:
        return len(self._scores)

    def ids(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces.

        >>> Unigram(b"").ids("ab")
        [0]
        """
        plain = " ".join(unicodedata.normalize("NFKC", text.translate(_TABLE)).split())
        return self._cut(f"{_SPACE}{plain.replace(' ', _SPACE)}") if plain else [UNKNOWN]

    def _cut(self, text: str) -> list[int]:
        size = len(text)
        best = [0.0, *[float("-inf")] * size]
        begin = [0] * (size + 1)
        piece = [UNKNOWN] * (size + 1)
        known, scores, longest = self._ids.get, self._scores, self._longest.get
        for start in range(size):
            here = best[start]
            if here + self._unknown > best[start + 1]:
                best[start + 1] = here + self._unknown
                begin[start + 1], piece[start + 1] = start, UNKNOWN
            for end in range(start + 1, min(start + longest(text[start], 0), size) + 1):
                number = known(text[start:end])
                if number is not None and here + scores[number] > best[end]:
                    best[end] = here + scores[number]
                    begin[end], piece[end] = start, number
        found: list[int] = []
        while size:
            if piece[size] != UNKNOWN or found[-1:] != [UNKNOWN]:
                found.append(piece[size])
            size = begin[size]
        return found[::-1]


def _read_pieces(model: bytes) -> tuple[list[str], array[float]]:
    """Read the pieces, which stand first in the file; what follows them is not needed."""
    pieces: list[str] = []
    scores = array("f")
    at, end = 0, len(model)
    while at < end and model[at] == _PIECE:
        size, at = _number(model, at + 1)
        stop = at + size
        length, first = _number(model, at + 1)
        at = first + length
        if model[first - 1] != length or stop > end:
            raise ValueError(f"piece {len(pieces)} is not as expected")
        pieces.append(model[first:at].decode("utf-8"))
        scored = at < stop and model[at] == _SCORE
        scores.append(_FLOAT.unpack_from(model, at + 1)[0] if scored else 0.0)
        at = stop
    return pieces, scores


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
