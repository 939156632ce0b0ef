"""A question as a vector, while there is an embedder that works; without one, words alone decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.search.embedder_profile import profile_of
from reverie.errors import EmbedderFailed

if TYPE_CHECKING:
    from reverie.ports import Embedder, EmbedderSlot
    from reverie.types.embedding import EmbedderProfile


@dataclass(frozen=True, slots=True)
class QuestionVector:
    """What an embedder makes of a question."""

    embedder: Embedder | None
    vector: list[float]
    """Empty without an embedder."""
    trust: float
    """How far the embedder is to be believed about this text."""
    profile: EmbedderProfile | None = None
    """What its cosines say."""


_LONG: Final = 160
_QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f", "\u037e")


def asks_shortly(text: str) -> bool:
    """Say whether a text is one short question: what a person asks of a memory, and not work to be done.

    >>> asks_shortly("Where does my sibling live?"), asks_shortly("Sort this list in Python.")
    (True, False)
    """
    bare = text.strip()
    return bare.endswith(_QUESTION_MARKS) and len(bare) <= _LONG and "\n" not in bare


def embed_question(
    slot: EmbedderSlot, text: str, *, as_vector: Callable[[Sequence[float]], list[float]]
) -> QuestionVector:
    """Embed a question; an embedder that fails is taken out of use."""
    embedder = slot.get()
    trust = getattr(embedder, "trust", None)
    vector: list[float] = []
    if embedder is not None:
        try:
            vector = as_vector(embedder.embed([text])[0])
        except EmbedderFailed as error:
            slot.failed(error)
    return QuestionVector(
        embedder,
        vector if any(vector) else [],
        trust(text) if trust else 1.0,
        profile_of(embedder.identity) if embedder is not None else None,
    )


def failure_told(slot: EmbedderSlot) -> tuple[str, ...]:
    """Say why there are no vectors, where an embedder was taken out of use."""
    return (slot.failure,) if slot.failure and not slot.get() else ()
