"""An assembled prompt and its parts, and notes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reverie.types.outcomes import Dropped


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One fenced section of an assembled prompt."""

    layer: str
    """`core`, `working`, `context`, `catalog`, `recalled` or `history`."""
    name: str
    text: str
    """As it stands in the prompt, fence included."""
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """The layered system prompt and what it costs."""

    text: str
    parts: tuple[PromptPart, ...]
    tokens: int
    budget: int
    dropped: tuple[Dropped, ...] = ()
    """Every cut and every part left out, with the limit that did it."""

    def tokens_of(self, layer: str) -> int:
        """Add up one layer."""
        return sum(part.tokens for part in self.parts if part.layer == layer)


@dataclass(frozen=True, slots=True)
class Note:
    """One note of the zettelkasten."""

    id: str
    title: str
    rel: str
    """Path below `notes/`, e.g. `zettel/20260501100000-sourdough.md`."""
    text: str
    body: str
    created: datetime | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Targets of its wikilinks as written, each once."""
