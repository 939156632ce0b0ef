"""A question with an embedder that works, fails, or is not there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reverie.core.search.question import embed_question, failure_told
from reverie.errors import EmbedderFailed


class Embedder:
    identity = "test"
    dimension = 2

    def __init__(self, vector: Sequence[float] | None) -> None:
        self.vector = vector

    def trust(self, text: str) -> float:
        return len(text) / 10

    def embed(self, texts: Iterable[str]) -> list[Sequence[float]]:
        if self.vector is None:
            raise EmbedderFailed("it is down")
        return [self.vector for _ in texts]


class Slot:
    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self.failure = ""

    def get(self) -> Embedder | None:
        return self.embedder

    def failed(self, error: EmbedderFailed) -> None:
        self.embedder, self.failure = None, str(error)


def test_a_question_gets_a_vector_and_how_far_to_trust_it():
    slot = Slot(Embedder([3, 4]))
    asked = embed_question(slot, "four", as_vector=lambda some: [value * 2.0 for value in some])
    assert (asked.vector, asked.trust) == ([6.0, 8.0], 0.4)
    assert asked.embedder is slot.embedder
    assert failure_told(slot) == ()


def test_without_an_embedder_words_decide():
    asked = embed_question(Slot(None), "four", as_vector=list)
    assert (asked.embedder, asked.vector, asked.trust) == (None, [], 1.0)


def test_an_embedder_that_fails_is_left_alone_and_that_is_told():
    slot = Slot(Embedder(None))
    asked = embed_question(slot, "four", as_vector=list)
    assert asked.vector == []
    assert failure_told(slot) == ("it is down",)


def test_a_vector_without_a_length_compares_with_nothing():
    assert embed_question(Slot(Embedder([0.0, 0.0])), "four", as_vector=list).vector == []
