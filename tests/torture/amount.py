"""How much is tried, and with which seed: read here, before a test forgets the environment."""

from __future__ import annotations

import os

SEED = int(os.environ.get("REVERIE_TORTURE_SEED", "1"))
"""The same in every run unless told: a failure is then a change's, and can be looked at again."""
_ROUNDS = os.environ.get("REVERIE_TORTURE")
LARGE = _ROUNDS is not None
"""Whether this is `make torture`, not `make test`."""
FUZZ = int(os.environ.get("REVERIE_FUZZ", "0"))
"""How many texts each rule is given; 0 means a few."""
SOAK = float(os.environ.get("REVERIE_SOAK", "6"))
"""Seconds under load."""
PACE = float(os.environ.get("REVERIE_SOAK_PACE", "0"))
"""Requests a second under load; 0 means as many as are answered."""


def rounds(few: int, *, share: float = 1.0) -> int:
    """Return how often to try something: a few times, or a share of what REVERIE_TORTURE says."""
    return few if _ROUNDS is None else max(round(int(_ROUNDS) * share), 1)
