"""A question as a vector, while there is an embedder that works; without one, words alone decide.

Rules
- One row per embedder, a logistic model fitted on the choosing half of the development data: the nearest
  three chunks of each question, once with the right ones among them and once without, in memories of 3 to
  2,000 chunks, each set counting the same. How much the order by vectors counts beside the order by words
  was chosen on `tests/data/meaning/choosing.json` (1: 7 of 15 paraphrases, 2.5: 8) and madial_en (55, 57).
- An embedder that nobody measured gets a careful row: only very near chunks count as found by meaning.
- The numbers say how much a cosine speaks *for* a chunk. That it says little speaks against nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.errors import EmbedderFailed
from reverie.types.embedding import EmbedderProfile

if TYPE_CHECKING:
    from reverie.ports import Embedder, EmbedderSlot

MEASURED: Final[Mapping[str, EmbedderProfile]] = {
    profile.name: profile
    for profile in (
        EmbedderProfile(
            "wordllama-l2-supercat-256",
            steepness=8.5,
            crowd=0.64,
            behind=5.0,
            base=-2.5,
            centred=True,
        ),
        EmbedderProfile(
            "use-multilingual-3", steepness=10.9, crowd=0.58, behind=16.3, base=-2.2, weight=2.5
        ),
        EmbedderProfile(
            "sentence-transformers:all-MiniLM-L6-v2",
            steepness=13.1,
            crowd=0.89,
            behind=4.6,
            base=-3.2,
            weight=2.5,
        ),
    )
}
UNKNOWN: Final = EmbedderProfile("unknown", steepness=13.0, crowd=0.9, behind=10.0, base=-5.0)


def profile_of(identity: str) -> EmbedderProfile:
    """Return the row of an embedder by its identity, which is a name and a version after a slash."""
    return MEASURED.get(identity.partition("/")[0], UNKNOWN)


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
