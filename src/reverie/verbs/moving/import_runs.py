"""Runs of another journal on their way in.

Rules
- A run comes in whole or not at all: with every text it refers to, to places an import may write to, of
  kinds that are plain or allowed. An undo writes what a run holds.
- Secrets in old texts are blanked, and runs that lost words so cannot be undone. What a run says about
  itself is masked.
- A run takes back only one that came before it from elsewhere: never one of ours, nor itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.core.runs.planning import masked, masked_value
from reverie.core.secrets import scanner
from reverie.core.showing.provenance import is_adopted
from reverie.core.text.plain import digest
from reverie.errors import RunNotFound
from reverie.types import Dropped, PortableRun, PortableText
from reverie.verbs.moving.import_gate import FORGOTTEN, HALF, ONE_FILE, shown

if TYPE_CHECKING:
    from reverie.ports import JournalReader
    from reverie.types import PortableDelta, RunRecord
    from reverie.verbs.moving.import_gate import Gate, ImportContext, Ledger

_BATCH = 200
_BATCH_CHARS = 8_000_000


def _found(journal: JournalReader, run: str) -> RunRecord | None:
    try:
        return journal.record(run)
    except RunNotFound:
        return None


class Runs:
    """Runs of a journal on their way in, some at a time; secrets in their texts are blanked."""

    def __init__(self, ctx: ImportContext, ledger: Ledger, gate: Gate) -> None:
        self._ctx = ctx
        self._ledger = ledger
        self._gate = gate
        self._texts: list[PortableText] = []
        self._waiting: list[PortableRun] = []
        self._size = 0
        self._blanked: dict[str, str] = {}
        self._seen: set[str] = set()
        self._forgotten: set[str] = set()
        self._came: set[str] = set()

    def add(self, record: PortableText | PortableRun) -> None:
        """Take one more text or run."""
        if isinstance(record, PortableText):
            clean = self._blank(record)
            try:
                self._seen.add(digest(clean.text))
            except UnicodeEncodeError:
                what = f"the journal's text {clean.text[:40]!r}"
                self._ledger.dropped.append(Dropped(what, HALF))
                return
            if self._gate.gone.bars(clean.text, erased=True):
                self._forgotten.add(digest(clean.text))
                return
            self._texts.append(clean)
            self._size += len(record.text)
            return
        run = self._rekeyed(self._told(record))
        name = shown(self._ctx, run.record.id)
        known = _found(self._ctx.journal, run.record.id) is not None
        if self._comes_in(run, f"run {name}", known=known):
            self._waiting.append(run)
            if not known:
                self._came.add(run.record.id)
        if len(self._waiting) >= _BATCH or self._size > _BATCH_CHARS:
            self.flush()

    def _comes_in(self, run: PortableRun, what: str, *, known: bool) -> bool:
        """Decide about a run; what stays out is named."""
        dropped = self._ledger.dropped
        keys = {key for delta in run.deltas for key in (delta.before, delta.after) if key}
        if not keys.isdisjoint(self._forgotten):
            dropped.append(Dropped(what, FORGOTTEN))
            return False
        if not keys <= self._seen:
            dropped.append(Dropped(what, "the export lacks a text it refers to"))
            return False
        try:  # an undo writes where a run says it wrote, so only where a file may be brought to
            for delta in run.deltas:
                self._ctx.carrier.path(delta.at)
        except ONE_FILE as error:
            dropped.append(Dropped(what, shown(self._ctx, str(error))))
            return False
        if known:
            return True  # it is counted as such
        if self._names_a_secret(run):
            reason = "its id or a name in it looks as if it contains a secret"
            self._ledger.refused.append(Dropped(what, reason))
            return False
        passes = [self._passes(what, delta) for delta in run.deltas]  # naming each that does not
        return all(passes)

    def _names_a_secret(self, run: PortableRun) -> bool:
        policy = self._ctx.settings.secrets
        names = (run.record.id, *(delta.at for delta in run.deltas))
        return any(masked(name, policy) != name for name in names)

    def _passes(self, what: str, delta: PortableDelta) -> bool:
        kind = self._gate.kind(delta.at, delta.before, delta.after)
        why = f"an undo would write {shown(self._ctx, delta.at)}: "
        return self._gate.passes(kind, what, why=why)

    def flush(self) -> None:
        """Hand over what has come together."""
        if not self._waiting and not self._texts:
            return
        ctx, ledger = self._ctx, self._ledger
        if ctx.dry_run:
            new = {run.record.id for run in self._waiting if not _found(ctx.journal, run.record.id)}
        else:
            new = ctx.carrier.adopt(self._texts, self._waiting)
        ledger.runs += len(new)
        ledger.known_runs += len(self._waiting) - len(new)
        self._texts, self._waiting, self._size = [], [], 0

    def _blank(self, record: PortableText) -> PortableText:
        policy = self._ctx.settings.secrets
        if policy.policy == "off":
            return record
        clean, found = scanner.redact(record.text, allow=policy.allow)
        if not found:
            return record
        self._ledger.redactions += [replace(one, path="journal") for one in found]
        self._blanked[digest(record.text)] = digest(clean)
        return PortableText(clean)

    def _told(self, run: PortableRun) -> PortableRun:
        """Return a run with what may be kept of what it says about itself."""
        policy = self._ctx.settings.secrets
        record = run.record
        told = replace(
            record,
            verb=masked(record.verb, policy),
            session=masked(record.session, policy),
            turn=masked(record.turn, policy),
            client=masked(record.client, policy),
            note=masked(record.note, policy),
            detail=masked_value(record.detail, policy),
            undoes=record.undoes if self._is_foreign(record.undoes) else "",
        )
        return PortableRun(told, run.deltas)

    def _is_foreign(self, run: str) -> bool:
        """Say whether a run came before from another journal, with this import or an earlier one."""
        if run in self._came:
            return True
        known = _found(self._ctx.journal, run) if run else None
        return known is not None and is_adopted(known.detail)

    def _rekeyed(self, run: PortableRun) -> PortableRun:
        """Point a run at the texts as they are kept; one that lost words cannot be undone."""
        deltas = tuple(
            replace(
                delta,
                before=self._blanked.get(delta.before or "", delta.before),
                after=self._blanked.get(delta.after or "", delta.after),
            )
            for delta in run.deltas
        )
        if deltas == run.deltas:
            return run
        return PortableRun(replace(run.record, status="erased"), deltas)
