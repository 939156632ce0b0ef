"""How far the cosines of one embedder are to be believed."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["FEWEST", "EmbedderProfile"]

FEWEST = 60
"""The smallest memory the rows were measured on. To be the nearest of two is no evidence at all."""


@dataclass(frozen=True, slots=True)
class EmbedderProfile:
    """What a cosine of this embedder says: the log-odds that a chunk answers, from four numbers.

    Args:
        name: Which embedder it was measured for, or `unknown`.
        steepness: How much a whole cosine of 1 adds.
        crowd: How much is lost for each e-fold of chunks: among more, the nearest is nearer by chance.
        behind: How much is lost for each whole cosine behind the nearest chunk.
        base: What is left for a cosine of 0, before the crowd.
        weight: How much its order counts beside the order by words, where static vectors count 1.
        centred: Its cosines have a large part in common that differs between languages, so what counts is how
            far one lies above the mean.
    """

    name: str
    steepness: float
    crowd: float
    behind: float
    base: float
    weight: float = 1.0
    centred: bool = False

    def log_odds(self, cosine: float, *, nearest: float, chunks: int) -> float:
        """Tell how likely a chunk is to answer, as log-odds.

        Args:
            cosine: Its own similarity to the question.
            nearest: The highest similarity of any chunk.
            chunks: How many chunks there are to choose from.
        """
        crowd = self.crowd * math.log(max(chunks, FEWEST))
        gap = self.behind * max(nearest - cosine, 0.0)
        return self.base + self.steepness * cosine - crowd - gap

    def probability(self, cosine: float, *, nearest: float, chunks: int) -> float:
        """Tell how likely a chunk is to answer, 0 to 1."""
        odds = self.log_odds(cosine, nearest=nearest, chunks=chunks)
        return 1 / (1 + math.exp(-max(min(odds, 30.0), -30.0)))
