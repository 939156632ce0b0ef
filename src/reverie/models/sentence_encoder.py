"""The forward pass of Google's Universal Sentence Encoder multilingual, version 3, with numpy alone.

A text's pieces are looked up, three small convolutions (over 2, 3 and 5 pieces) add their surroundings,
the sum of all goes through a feed-forward network, and the result has length 1. The weights are a table
of bytes in 17 parts (piece `n` is row `n // 17` of part `n % 17`, with its own scale and offset) and some
matrices.

Rules
- Weights are read as numbers, never as objects (`allow_pickle=False`).
- A part of the table is unpacked when a piece of it is first wanted: one question wants a few of them.
- Texts are put one below the other with empty rows between, so that a batch is a handful of products.
"""

from __future__ import annotations

import threading
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    Floats = np.ndarray[Any, np.dtype[np.float32]]

__all__ = ["DIMENSION", "SentenceEncoder"]

DIMENSION: Final = 512
_PARTS: Final = 17
_WIDTH: Final = 256
_WINDOWS: Final = ((2, 0), (3, 1), (5, 2))  # how many pieces, and how many of them stand before
_GAP: Final = 2  # as many empty rows as a window reaches beyond a text
_ROWS: Final = 512  # in one batch: what a processor's cache holds


class SentenceEncoder:
    """The weights of the model. Safe to use from several threads."""

    def __init__(self, weights: IO[bytes]) -> None:
        self._file = np.load(weights, allow_pickle=False)
        self._guard = threading.Lock()
        self._table: dict[int, np.ndarray[Any, np.dtype[np.uint8]]] = {}
        read = self._file.__getitem__
        self._scale, self._offset = read("scale"), read("lo")
        sizes = [size for size, _ in _WINDOWS]
        self._project = np.concatenate([read(f"proj{size}") for size in sizes], axis=1)
        self._project_bias = np.concatenate([read(f"proj_b{size}") for size in sizes])
        self._gain = np.concatenate([read(f"ln_g{size}") for size in sizes])
        self._bias = np.concatenate([read(f"ln_b{size}") for size in sizes])
        self._convolutions = [
            tuple((read(f"w{step}_{size}"), read(f"b{step}_{size}")) for step in (1, 2))
            for size in sizes
        ]
        self._final_gain, self._final_bias = read("ln_g"), read("ln_b")
        self._sum, self._sum_bias = read("cnn_W"), read("cnn_b")
        names = ("d0", "d1", "d2", "d3", "p1", "p3")
        self._dense = {name: read(name) for name in names}
        self._tiny = float(read("eps"))

    def encode(self, texts: Sequence[Sequence[int]]) -> Floats:
        """Return one vector of length 1 for the pieces of each text, none of which may be empty."""
        found = np.zeros((len(texts), DIMENSION), np.float32)
        first = rows = 0
        for number, ids in enumerate(texts):
            if rows and rows + len(ids) + _GAP > _ROWS:
                found[first:number] = self._encode(texts[first:number])
                first, rows = number, 0
            rows += len(ids) + _GAP
        if first < len(texts):
            found[first:] = self._encode(texts[first:])
        return found

    def _encode(self, texts: Sequence[Sequence[int]]) -> Floats:
        lengths = np.array([len(ids) for ids in texts])
        starts = _GAP + np.concatenate([[0], np.cumsum(lengths[:-1] + _GAP)])
        filled = np.zeros((int(starts[-1] + lengths[-1]) + _GAP, 1), np.float32)
        rows = np.concatenate([np.arange(a, a + n) for a, n in zip(starts, lengths, strict=True)])
        filled[rows] = 1.0
        embedded = np.zeros((len(filled), DIMENSION), np.float32)
        embedded[rows] = self._looked_up(np.concatenate([np.asarray(ids) for ids in texts]))

        own = self._levelled(embedded @ self._project + self._project_bias, self._gain, self._bias)
        own *= filled
        features = [embedded]
        for at, (size, before) in enumerate(_WINDOWS):
            near = own[:, at * _WIDTH : (at + 1) * _WIDTH]
            for weights, bias in self._convolutions[at]:
                near = np.maximum(_windows(near, size, before) @ weights + bias, 0) + near
                near = near * filled
            features.append(near)
        whole = self._levelled(np.concatenate(features, axis=1), self._final_gain, self._final_bias)
        whole *= filled
        total = np.add.reduceat(whole, starts, axis=0) @ self._sum
        total += lengths[:, None] * self._sum_bias
        return self._deep((total / np.sqrt(lengths)[:, None]).astype(np.float32))

    def _deep(self, mean: Floats) -> Floats:
        dense = self._dense
        hidden = np.maximum(mean @ dense["p1"] + np.maximum(mean @ dense["d0"], 0) @ dense["d1"], 0)
        found = np.tanh(hidden @ dense["p3"] + np.maximum(hidden @ dense["d2"], 0) @ dense["d3"])
        lengths = np.sqrt((found * found).sum(axis=1, keepdims=True))
        return np.asarray(found / np.maximum(lengths, self._tiny), np.float32)

    def _levelled(self, values: Floats, gain: Floats, bias: Floats) -> Floats:
        """Bring each row to mean 0 and deviation 1, then to what the model learned."""
        values = values - values.mean(axis=1, keepdims=True)
        spread = np.sqrt((values * values).mean(axis=1, keepdims=True) + self._tiny)
        return np.asarray(values / spread * gain + bias, np.float32)

    def _looked_up(self, ids: np.ndarray[Any, Any]) -> Floats:
        part, row = ids % _PARTS, ids // _PARTS
        found = np.empty((len(ids), DIMENSION), np.float32)
        for number in np.unique(part):
            places = part == number
            found[places] = self._part(int(number))[row[places]]
        return np.asarray(found * self._scale[part, None] + self._offset[part, None], np.float32)

    def _part(self, number: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        with self._guard:
            if number not in self._table:
                self._table[number] = self._file[f"q{number + 1}"]
                if len(self._table) == _PARTS:
                    self._file.close()  # 30 MB, of which nothing is wanted any more
            return self._table[number]


def _windows(values: Floats, size: int, before: int) -> Floats:
    """Put beside each row the ones around it, so that a convolution is one product."""
    rows = len(values)
    padded = np.zeros((rows + size - 1, values.shape[1]), np.float32)
    padded[before : before + rows] = values
    return np.concatenate([padded[step : step + rows] for step in range(size)], axis=1)
