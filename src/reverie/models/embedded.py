"""The embedder that is always there: static vectors read from the files of a package.

Rules
- Only two data files of the `wordllama` wheel are read, the weights (safetensors) and the vocabulary
  (JSON). None of its code runs: it is found, never imported.
- A text's vector is the mean of its pieces' vectors, without the words that carry no content; on the
  development data that beat keeping them in German (+7 recall@5) and lost little elsewhere.
- A query is embedded without loading numpy, which takes longer than all the rest of a search.
"""

from __future__ import annotations

import json
import math
import mmap
import re
import struct
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import chain
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reverie.core.search.query import script_trust
from reverie.core.text.stopwords import STOP_WORDS
from reverie.errors import EmbedderFailed

if TYPE_CHECKING:
    import numpy as np

__all__ = ["EmbeddedEmbedder"]

_PACKAGE: Final = "wordllama"
_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_VOCABULARY: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_DIMENSION: Final = 256
_PIECES: Final = 32_000
_ROW: Final = struct.Struct(f"<{_DIMENSION}e")
_SPACE: Final = "\u2581"
_WORD: Final = re.compile(r"\w+")
_RUN: Final = 64  # a longer run of letters is cut, so that no text takes quadratic time
_CACHE: Final = 1 << 16
_SMALL: Final = 3_000  # below this many pieces adding them up is faster than loading numpy
_TOGETHER: Final = 16  # texts whose pieces are read from the file at once


class EmbeddedEmbedder:
    """Static vectors of 256 numbers: English first, other languages by what they share."""

    identity = "wordllama-l2-supercat-256/1"
    dimension = _DIMENSION
    portable = True
    """A copy in another process gives the same vectors."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or _package_folder()
        self._pieces = lru_cache(maxsize=_CACHE)(self._split_word)

    def made_of(self) -> tuple[Path]:
        """Return what a copy is made with."""
        return (self._folder,)

    def trust(self, text: str) -> float:
        """Say how far the vectors can be trusted in the scripts of a text, 0 to 1."""
        return script_trust(text)

    def let_go(self) -> None:
        """Forget the weights and words; they are read again when something is embedded."""
        self._pieces.cache_clear()
        for name in ("_weights", "_vocabulary"):
            self.__dict__.pop(name, None)

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]:
        """Return one vector of length 1 per text; a text without a letter gives zeros."""
        ids = [self._ids(text) for text in texts]
        if sum(map(len, ids)) > _SMALL:
            return self._means(ids)  # type: ignore[return-value]  # a sequence in all but name
        return [self._mean(some) for some in ids]

    def _ids(self, text: str) -> list[int]:
        words = _WORD.findall(text)
        if max(map(len, words), default=0) <= _RUN:
            found = list(chain.from_iterable(map(self._pieces, words)))
            # Nothing but stop words: then they are what it says.
            return found or [number for word in words for number in self._split(_SPACE + word)]
        found = []
        for word in words:
            found += self._pieces(word[:_RUN])
            for at in range(_RUN, len(word), _RUN):
                found += self._split(word[at : at + _RUN])
        return found

    def _split_word(self, word: str) -> tuple[int, ...]:
        """Split the beginning of a word into pieces; a word without content has none."""
        return () if word.lower() in STOP_WORDS else self._split(_SPACE + word)

    def _split(self, run: str) -> tuple[int, ...]:
        """Split a word as the model's own tokenizer does: join what the vocabulary joins first."""
        known = self._vocabulary
        parts = list(run)
        while len(parts) > 1:
            joins = [
                (number, place)
                for place in range(len(parts) - 1)
                if (number := known.get(parts[place] + parts[place + 1])) is not None
            ]
            if not joins:
                break
            place = min(joins)[1]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        found: list[int] = []
        for part in parts:
            number = known.get(part)
            if number is not None:
                found.append(number)
            else:
                raw = part.encode("utf-8", "surrogatepass")
                found.extend(known[f"<0x{byte:02X}>"] for byte in raw)
        return tuple(found)

    def _mean(self, ids: Sequence[int]) -> list[float]:
        total = [0.0] * _DIMENSION
        for number in ids:
            total = list(map(add, total, _ROW.unpack_from(self._weights, number * _ROW.size)))
        length = math.sqrt(sum(value * value for value in total))
        return [value / length for value in total] if length else total

    def _means(self, ids: Sequence[Sequence[int]]) -> np.ndarray[Any, Any]:
        import numpy as np

        # Only the rows of a few texts are made wider: all of them would take 32 MB for good.
        halves = np.frombuffer(self._weights, np.float16).reshape(_PIECES, _DIMENSION)
        found = np.zeros((len(ids), _DIMENSION), np.float32)
        for first in range(0, len(ids), _TOGETHER):
            texts = ids[first : first + _TOGETHER]
            rows = halves[list(chain.from_iterable(texts))].astype(np.float32)
            start = 0
            for place, text in enumerate(texts, first):
                if text:
                    found[place] = rows[start : start + len(text)].sum(axis=0)
                    start += len(text)
        lengths = np.sqrt((found * found).sum(axis=1, keepdims=True))
        return found / np.where(lengths > 0, lengths, 1.0)

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        path = self._folder / _VOCABULARY
        try:
            data = path.read_bytes()
            text = data[: data.rindex(b'"merges"')].decode(
                "utf-8"
            )  # the rest, most of it, is not needed
            start = text.index("{", text.index('"vocab"'))
            found = json.JSONDecoder().raw_decode(text, start)[0]
        except (OSError, ValueError) as error:
            raise _unusable(path, error) from error
        if len(found) != _PIECES:
            raise _unusable(path, f"{len(found)} pieces where {_PIECES} were expected")
        return dict(found)

    @cached_property
    def _weights(self) -> memoryview:
        path = self._folder / _WEIGHTS
        try:
            with path.open("rb") as file:
                data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            (head,) = struct.unpack_from("<Q", data)
            (name, facts), *more = json.loads(bytes(data[8 : 8 + head])).items()
        except (OSError, ValueError, struct.error) as error:
            raise _unusable(path, error) from error
        shape = {"dtype": "F16", "shape": [_PIECES, _DIMENSION]}
        if more or any(facts.get(key) != value for key, value in shape.items()):
            raise _unusable(path, f"tensor {name!r} is {facts}")
        return data[8 + head :]


def _package_folder() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderFailed(
            f"the embedded vectors need the package {_PACKAGE!r}, which is not installed; install it,"
            " or choose another with `reverie config set embedder.provider NAME`"
        )
    return Path(spec.submodule_search_locations[0])


def _unusable(path: Path, reason: object) -> EmbedderFailed:
    return EmbedderFailed(
        f"the embedded vectors cannot be read from {path}: {reason}; install wordllama 0.4 again"
    )
