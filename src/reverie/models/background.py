"""Ordinary prompts as vectors: what memories are near to anyway.

Rules
- The vectors for the bundled sentence model come with the package (`scripts/ordinary_vectors.py` makes them);
  for another embedder they are made once in a process.
- They belong to the texts in `core.questions.ordinary` and to one version of one embedder. Where either is
  another, they are not used.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from reverie.core.questions.ordinary import EVERYDAY, WORK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.ports import Embedder

    Floats = np.ndarray[Any, np.dtype[np.float32]]

__all__ = ["PACKAGED", "Background", "background_of", "mark_of"]

PACKAGED: Final = Path(__file__).with_name("ordinary_vectors.npz")


class Background:
    """How near ordinary prompts are to a text."""

    def __init__(self, work: Floats, everyday: Floats) -> None:
        self._work, self._everyday = work, everyday

    def spreads(self, vector: Sequence[float]) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return mean and deviation of the cosines of both kinds of prompts to a vector of length 1."""
        wanted = np.asarray(vector, np.float32)
        found = [some @ wanted for some in (self._work, self._everyday)]
        work, everyday = ((float(one.mean()), float(one.std())) for one in found)
        return work, everyday


def background_of(embedder: Embedder) -> Background:
    """Return the ordinary prompts as vectors of an embedder."""
    return _packaged(embedder.identity) or _made(embedder.identity, embedder)


def mark_of(identity: str) -> str:
    """Return what vectors must have been made for: an embedder and these very prompts."""
    return hashlib.sha256("\n".join((identity, *WORK, *EVERYDAY)).encode()).hexdigest()


@lru_cache(maxsize=2)
def _packaged(identity: str) -> Background | None:
    with np.load(PACKAGED, allow_pickle=False) as held:
        if str(held["mark"]) != mark_of(identity):
            return None
        scale = held["scale"]
        return Background(*(held[name].astype(np.float32) * scale for name in ("work", "everyday")))


_known: Final[dict[str, Background]] = {}


def _made(identity: str, embedder: Embedder) -> Background:
    if identity not in _known:
        rows = np.asarray(embedder.embed([*WORK, *EVERYDAY]), np.float32)
        rows /= np.maximum(np.sqrt((rows * rows).sum(axis=1, keepdims=True)), 1e-9)
        _known[identity] = Background(rows[: len(WORK)], rows[len(WORK) :])
    return _known[identity]
