"""The vectors of ordinary prompts that come with the package are those of the prompts."""

from __future__ import annotations

import pytest

from reverie.core.questions.ordinary import EVERYDAY, WORK
from reverie.models.background import Background, background_of
from reverie.models.multilingual import MultilingualEmbedder

TEXTS = ("I keep my passport under the printer.", "Releases go out on Tuesdays.")


@pytest.mark.slow
def test_packaged_vectors_say_what_the_model_says():
    embedder = MultilingualEmbedder()
    vectors = embedder.embed(TEXTS)
    made = Background(*(_rows(embedder, some) for some in (WORK, EVERYDAY)))
    for vector in vectors:
        for one, other in zip(
            background_of(embedder).spreads(vector), made.spreads(vector), strict=True
        ):
            assert abs(one[0] - other[0]) < 0.002
            assert abs(one[1] - other[1]) < 0.002


def test_another_embedder_is_asked_once():
    class Counting:
        identity = "counting/1"
        dimension = 2

        def __init__(self) -> None:
            self.asked = 0

        def embed(self, texts):
            self.asked += 1
            return [[1.0, len(text) % 7 + 1.0] for text in texts]

    embedder = Counting()
    assert background_of(embedder) is background_of(embedder)
    assert embedder.asked == 1


def _rows(embedder, texts):
    import numpy as np

    return np.asarray(embedder.embed(texts), np.float32)
