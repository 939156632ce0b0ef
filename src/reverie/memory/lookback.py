"""The journal: log, diff, blame, undo, verify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie.memory.opened import Opened
from reverie.types import (
    FileDelta,
    Receipt,
    RunInfo,
)

if TYPE_CHECKING:
    from reverie.types import (
        Applied,
        BlameLine,
        RunRecord,
        Verified,
    )


class JournalVerbs(Opened):
    """The verbs that look back."""

    def log(self, *, limit: int = 50, path: str | None = None) -> list[RunRecord]:
        """Return what was written, newest first; hand edits that are not recorded yet come first."""
        only = self._absolute(path) if path else None
        edits = [record for record, _ in self._unrecorded() if only in (None, *record.paths)]
        return [*edits, *self.journal.log(limit=limit, path=only)][:limit]

    def _unrecorded(self) -> list[tuple[RunRecord, FileDelta]]:
        from reverie.verbs.lookback import unrecorded

        return unrecorded(self.verb_context)

    def events(self, *, limit: int = 50, name: str | None = None) -> list[dict[str, Any]]:
        """Return the newest events first."""
        return self.event_log.read(limit=limit, name=name)

    def diff(self, run: str, *, reverse: bool = False) -> str:
        """Return a run as a unified diff."""
        from reverie.verbs.lookback import unified_diff

        deltas = [delta for record, delta in self._unrecorded() if record.id == run]
        deltas = deltas or self.journal.deltas(self.journal.resolve(run))
        if reverse:
            deltas = [FileDelta(item.path, item.after, item.before) for item in deltas]
        return "".join(unified_diff(item) for item in deltas)

    def blame(self, path: str) -> list[BlameLine]:
        """Say for every line of a file which run brought it."""
        from reverie.verbs.lookback import blame

        return blame(self.verb_context, self._absolute(path))

    def undo(self, run: str) -> Applied:
        """Take a run back; the undo is itself a run."""
        from reverie.verbs.lookback import undo

        record = self.journal.record(self.journal.resolve(self._recorded(run)))
        done = undo(self.verb_context, record.id, RunInfo(verb="undo"))
        while record.undoes:  # an undo of an undo is about what was undone first
            record = self.journal.record(record.undoes)
        if record.verb == "cognition":
            self.layers.notice_undone()
        return done

    def _recorded(self, run: str) -> str:
        """Return the run of a hand edit, which is recorded now; other runs as they are named."""
        edits = [delta.path for record, delta in self._unrecorded() if record.id == run]
        if not edits:
            return run
        self.store.notice_edits()
        return self.journal.log(limit=1, path=edits[0])[0].id

    def verify(self) -> Verified:
        """Check journal, files and catalogs."""
        return self.engine.verify()

    def verify_forgotten(self, receipt: str | Receipt) -> Verified:
        """Check that nothing is left of what a receipt stands for (its id, its file, or itself)."""
        known = receipt if isinstance(receipt, Receipt) else self.engine.find_receipt(receipt)
        return self.engine.verify_forgotten(known)
