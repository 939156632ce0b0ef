"""Semantic memory: facts, preferences and projects, kept as lists that a person can read.

Rules
- What says the same as something listed adds nothing but evidence.
- What differs from something listed in one value takes its place; the old words stay under it with
  the day until which they held. Nothing that was listed is lost.
- What was imported is the past: it never takes the place of anything. The conflict is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reverie.core.dreaming import sameness
from reverie.core.layers.tree import FACTS, PREFERENCES, PROJECTS, SEMANTIC_HEADINGS
from reverie.core.markdown.bullets import add_bullet, bullets, clean_item, replace_bullet
from reverie.types import Dropped, Kind

if TYPE_CHECKING:
    from reverie.core.markdown.bullets import Bullet
    from reverie.types import Patch

_UNTIL: Final = "Until "


@dataclass(frozen=True, slots=True)
class Learnt:
    """A statement from a turn: what, from which turn, when."""

    patch: Patch
    turn: str
    at: datetime
    imported: bool = False


@dataclass(frozen=True, slots=True)
class SemanticPlan:
    """The files after the statements were taken in."""

    files: Mapping[str, str]
    added: tuple[str, ...] = ()
    superseded: tuple[tuple[str, str], ...] = ()
    """Old words, and the new ones in their place."""
    known: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    evidence: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For every statement written or met again, the turns that say so."""

    @property
    def summary(self) -> str:
        """One line about it."""
        counts = (
            (len(self.added), "added"),
            (len(self.superseded), "superseded"),
            (len(self.known), "known"),
        )
        return ", ".join(f"{n} {what}" for n, what in counts if n) or "nothing to keep"


def place_of(patch: Patch) -> tuple[str, str]:
    """Return the file and the heading a statement belongs under."""
    match patch.kind:
        case Kind.FEEDBACK:
            return PREFERENCES, SEMANTIC_HEADINGS[PREFERENCES][1]
        case Kind.USER if patch.form in ("preference", "correction", "request", "proposed"):
            return PREFERENCES, SEMANTIC_HEADINGS[PREFERENCES][0]
        case Kind.PROJECT:
            return PROJECTS, SEMANTIC_HEADINGS[PROJECTS][0 if patch.form == "deadline" else 1]
        case _:
            return FACTS, SEMANTIC_HEADINGS[FACTS][0]


def plan_semantic(files: Mapping[str, str], learnt: Sequence[Learnt]) -> SemanticPlan:
    """Take statements into the files, the oldest first."""
    texts = dict(files)
    added: list[str] = []
    superseded: list[tuple[str, str]] = []
    known: list[str] = []
    dropped: list[Dropped] = []
    evidence: dict[str, list[str]] = {}
    for item in learnt:
        rel, heading = place_of(item.patch)
        text = texts.get(rel, "")
        summary = clean_item(item.patch.summary)
        listed = statements(text, rel)
        same, rival = _same(listed, item.patch), _rival(listed, item.patch)
        if same:
            known.append(statement(same))
            evidence.setdefault(statement(same), []).append(item.turn)
            continue
        if rival and item.imported:
            dropped.append(
                Dropped(f"{summary} ({item.turn})", f"it is older than: {statement(rival)}")
            )
            continue
        if rival:
            texts[rel] = replace_bullet(text, rival, _over(item, rival))
            superseded.append((statement(rival), summary))
        else:
            order = SEMANTIC_HEADINGS[rel]
            texts[rel] = add_bullet(text, heading, written(item.patch), order=order)
            added.append(summary)
        evidence.setdefault(summary, []).append(item.turn)
    return SemanticPlan(
        {rel: text for rel, text in texts.items() if text != files.get(rel)},
        tuple(added),
        tuple(superseded),
        tuple(known),
        tuple(dropped),
        {said: tuple(dict.fromkeys(turns)) for said, turns in evidence.items()},
    )


def statements(text: str, rel: str) -> list[Bullet]:
    """Return everything listed in one of the files."""
    return [item for heading in SEMANTIC_HEADINGS[rel] for item in bullets(text, heading)]


def statement(item: Bullet) -> str:
    """Return what an item states, without its reason and its past."""
    return item.text.partition("\n")[0].strip()


def written(patch: Patch) -> str:
    """Write a statement as a list item, its reason under it."""
    lines = [clean_item(patch.summary)]
    lines += [f"Why: {' '.join(patch.why.split())}"] if patch.why else []
    lines += [f"How to apply: {' '.join(patch.how.split())}"] if patch.how else []
    return "\n".join(lines)


def _over(new: Learnt, old: Bullet) -> str:
    """Write a statement in the place of another, which stays under it with the day it ended."""
    first, *past = (line.strip() for line in old.text.split("\n") if line.strip())
    reasons = [line for line in past if not line.startswith(_UNTIL)]
    before = first if not reasons else f"{first} ({'; '.join(reasons)})"
    ended = f"{_UNTIL}{new.at:%Y-%m-%d}: {before}"
    return "\n".join(
        [written(new.patch), ended, *(line for line in past if line.startswith(_UNTIL))]
    )


def _same(listed: Sequence[Bullet], patch: Patch) -> Bullet | None:
    return next((it for it in listed if sameness.says_same(statement(it), patch.summary)), None)


def _rival(listed: Sequence[Bullet], patch: Patch) -> Bullet | None:
    for item in listed:
        if sameness.changed_value(statement(item), patch.summary, kind=patch.kind):
            return item
    return None
