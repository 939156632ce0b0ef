"""The embedders that were measured, and how far each is to be believed.

Rules
- One row per embedder, fitted on the choosing half of the development data by `bench.quality.profiles`:
  the nearest three chunks of each question, once with the right ones among them and once without, in
  memories of 3 to 2,000 chunks, each set counting the same.
- An embedder that nobody measured gets a careful row: only very near chunks count as found by meaning.
- The numbers say how much a cosine speaks *for* a chunk. That it says little speaks against nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reverie.types.embedding import EmbedderProfile

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MEASURED", "UNKNOWN", "profile_of"]

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
            "use-multilingual-3", steepness=10.8, crowd=0.69, behind=13.0, base=-1.9, weight=1.5
        ),
        EmbedderProfile(
            "all-minilm-l6-v2-int8", steepness=13.1, crowd=0.89, behind=4.6, base=-3.2, weight=1.5
        ),
    )
}
UNKNOWN: Final = EmbedderProfile("unknown", steepness=13.0, crowd=0.9, behind=10.0, base=-5.0)


def profile_of(identity: str) -> EmbedderProfile:
    """Return the row of an embedder by its identity, which is a name and a version after a slash."""
    return MEASURED.get(identity.partition("/")[0], UNKNOWN)
