"""Manifests: the bounded list of memories that a model chooses from.

Rules
- At most 200 candidates and 25,000 bytes: the best by words first, but the newest always have places.
- A candidate is offered under a short made-up id, so that a model can name nothing it was not shown.
- Each candidate is one line of data: hidden characters and tags are gone, long texts are cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.showing.marks import one_line
from reverie.core.topics.catalog import shorten
from reverie.types import Dropped

if TYPE_CHECKING:
    from reverie.types import Entry, Topic

MAX_CANDIDATES: Final = 200
NEWEST: Final = 20  # places kept for the newest, whatever their words
MAX_BYTES: Final = 25_000
MAX_LINE_CHARS: Final = 512


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing a model may choose: the caller's key for it, and what the model is shown."""

    key: str
    line: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is offered."""

    text: str
    keys: Mapping[str, str]
    """From the id that was shown to the caller's key."""
    dropped: tuple[Dropped, ...] = ()


def manifest(by_words: Sequence[Offer], newest_first: Sequence[Offer]) -> Manifest:
    """Offer the best by words, then the newest, as far as the limits allow."""
    every = {offer.key: offer for offer in (*by_words, *newest_first)}
    best = [offer.key for offer in by_words][: MAX_CANDIDATES - NEWEST]
    rest = [offer.key for offer in newest_first if offer.key not in set(best)]
    chosen = [*best, *rest][:MAX_CANDIDATES]
    lines: list[str] = []
    keys: dict[str, str] = {}
    size = 0
    for number, key in enumerate(chosen, 1):
        line = f"- m{number} {every[key].line}"
        size += len(line.encode("utf-8", "surrogatepass")) + 1
        if size > MAX_BYTES:
            break
        lines.append(line)
        keys[f"m{number}"] = key
    left = [key for key in every if key not in set(keys.values())]
    dropped = tuple(Dropped(key, "not offered to the model: the manifest is full") for key in left)
    return Manifest("\n".join(lines), keys, dropped)


def topic_offer(topic: Topic) -> Offer:
    """Offer a topic by its kind, age, name and description."""
    day = topic.updated.date().isoformat() if topic.updated else "undated"
    told = topic.description or (topic.entries[0].summary if topic.entries else "")
    line = f"[{topic.kind.value}] ({day}) {_plain(topic.name, 80)}: {_plain(told, MAX_LINE_CHARS)}"
    return Offer(topic.path, line)


def entry_offer(topic: Topic, entry: Entry) -> Offer:
    """Offer an entry by what it says."""
    line = f"[{topic.kind.value}] {_plain(topic.name, 80)}: {_plain(entry.summary, MAX_LINE_CHARS)}"
    return Offer(f"{topic.scope.value}:{entry.id}", line)


def _plain(text: str, limit: int) -> str:
    return shorten(one_line(text), limit)
