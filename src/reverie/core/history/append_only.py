"""A history that is only appended to, above whatever keeps the turns: what every engine decides alike.

Rules
- Secrets are replaced before anything is kept; what was found is told.
- A turn that comes back keeps its number where that is free, and goes to the end where it is not.
- Imported turns are known by their source; each comes once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core.history import turns
from reverie.core.history.turn_log import cleaned, named, within
from reverie.types import SecretFinding, Turn
from reverie.types.turns import Appended, Reading

if TYPE_CHECKING:
    from reverie.types import TurnMessage
    from reverie.types.turns import Redact


class AppendOnlyHistory(ABC):
    """The history of one agent; an engine adds how turns are kept and found again."""

    def __init__(
        self, *, clock: Callable[[], datetime], redact: Redact | None, max_bytes: int
    ) -> None:
        self._clock = clock
        self._redact = redact
        self._max_bytes = max_bytes

    # --- what an engine does ----------------------------------------------------------------------

    @abstractmethod
    def get(self, seq: int) -> Turn | None:
        """Return one turn, or None when there is none of that number."""

    @abstractmethod
    def since(self, seq: int, *, limit: int, own: bool = False) -> Reading:
        """Return the first turns above a number, oldest first."""

    @abstractmethod
    def _last(self, limit: int, *, above: int, below: int, own: bool) -> Reading:
        """Return the last turns between two numbers, newest first."""

    @abstractmethod
    def _known_sources(self, sources: Sequence[str]) -> set[str]:
        """Return those of the sources that turns came from."""

    @abstractmethod
    def _add(self, drafts: Sequence[Turn]) -> Appended:
        """Keep turns at the end, under the next numbers."""

    @abstractmethod
    def _put_back(self, given: Sequence[Turn]) -> Sequence[Turn]:
        """Keep turns under their own numbers where these are free; return those."""

    # --- appending --------------------------------------------------------------------------------

    def append(
        self, messages: Sequence[TurnMessage], *, session: str = "", at: datetime | None = None
    ) -> Appended:
        """Add one finished exchange; no messages, no turn. Returns when it is durable."""
        return self.append_all([Turn(0, at or self._clock(), tuple(messages), session=session)])

    def append_all(self, drafts: Iterable[Turn]) -> Appended:
        """Add turns in this order under consecutive numbers; those with a known source are left out.

        The numbers and ids of the drafts do not count.
        """
        findings: list[SecretFinding] = []
        clean = [cleaned(draft, self._redact, findings) for draft in drafts if draft.messages]
        if not clean:
            return Appended(())
        return replace(self._add(clean), redactions=tuple(findings))

    def restore(self, given: Iterable[Turn]) -> Appended:
        """Put turns back under the numbers they had; where another has the number, at the end.

        What is there already, under its number or by its source, is left out.
        """
        findings: list[SecretFinding] = []
        clean = [cleaned(turn, self._redact, findings) for turn in given]
        missing = [turn for turn in clean if not self.holds(turn)]
        fresh, large = within(missing, self._max_bytes)
        placed = self._put_back(fresh) if fresh else ()
        there = {turn.seq: turn for turn in placed}
        moved = self.append_all(named(turn) for turn in fresh if there.get(turn.seq) != turn)
        known = len(clean) - len(missing) + moved.known
        return Appended((*placed, *moved.turns), tuple(findings), known, (*large, *moved.dropped))

    def holds(self, turn: Turn) -> bool:
        """Say whether a turn is there already: under its number, or by its source."""
        found = self.get(turn.seq) if turn.seq else None
        if found is not None and turns.encode(found) == turns.encode(turn):
            return True
        source = (named(turn) if turn.seq else turn).source
        return bool(source) and bool(self._known_sources([source]))

    # --- reading ----------------------------------------------------------------------------------

    def latest(self, limit: int, *, before: int | None = None, own: bool = False) -> Reading:
        """Return the last turns (below `before`, if given), oldest first.

        `own` leaves out what was imported: it is the past, not the conversation that goes on.
        """
        return self._newest(limit, below=before or turns.MAX_SEQ + 1, own=own)

    def replay(self, limit: int, *, checkpoint: int) -> Reading:
        """Return the last turns of our own that working memory does not cover yet, oldest first."""
        return self._newest(limit, above=checkpoint, own=True)

    def take(self, seq: int, *, limit: int, own: bool = False) -> tuple[Turn, ...]:
        """Return the first turns above a number; what could not be read is left out."""
        return self.since(seq, limit=limit, own=own).turns

    def recent(self, limit: int, *, checkpoint: int) -> tuple[Turn, ...]:
        """Return the last own turns above a checkpoint; what could not be read is left out."""
        return self.replay(limit, checkpoint=checkpoint).turns

    def _newest(
        self, limit: int, *, above: int = 0, below: int = turns.MAX_SEQ + 1, own: bool
    ) -> Reading:
        found = self._last(limit, above=above, below=below, own=own)
        return Reading(found.turns[::-1], found.problems)
