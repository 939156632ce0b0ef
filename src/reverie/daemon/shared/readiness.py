"""What verbs load when they are first asked, loaded before a daemon says that it is ready.

Loading keeps every other thread waiting, also the one that answers `/health`; a crowd that comes first
would wait for it, and whoever looks whether the daemon lives.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

_PARTS: Final = (
    "reverie.core.secrets.commands",
    "reverie.core.secrets.given_values",
    "reverie.core.text.common_words",
    "reverie.core.text.everyday_words",
    "reverie.memory.closeness",
    "reverie.models.embedders",
    "reverie.models.opening",
    "reverie.postgres.search.index",
    "reverie.postgres.search.ranking",
    "reverie.telemetry",
    "reverie.verbs.recall",
    "reverie.verbs.remember",
    "reverie.verbs.search",
    "reverie.verbs.verb_context",
)


def load_verbs() -> None:
    """Load what remembering, searching and recalling need."""
    for name in _PARTS:
        import_module(name)
