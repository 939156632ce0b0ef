"""Looking back: undo a run, say who brought a line, show what a run changed.

Looking writes nothing: what somebody edited by hand is shown as an edit that is not recorded yet, and
recorded by the next run that writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from reverie.core.runs.line_match import LineMatcher, unified
from reverie.core.runs.list_items import out_of_list
from reverie.core.text.plain import digest
from reverie.errors import PathNotFound, UndoConflict
from reverie.types import BlameLine, Change, Plan, RunRecord
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.ports import JournaledStore
    from reverie.types import Applied, FileDelta, RunInfo
    from reverie.verbs.verb_context import VerbContext

EDITED: Final = "external-edit"
_NOT_YET: Final = "edited outside Reverie; recorded when something is written next"


def undo(ctx: VerbContext, name: str, info: RunInfo) -> Applied:
    """Take a run back, keeping what later runs and people added; the undo is a run of its own."""
    store = ctx.store
    record = store.journal.record(store.journal.resolve(name))
    if record.status == "erased":
        raise UndoConflict(f"run {record.id} was erased on purpose; there is nothing to restore")
    if record.status != "done":
        raise UndoConflict(f"run {record.id} was never applied ({record.status})")
    store.notice_edits()

    def plan() -> Plan[Applied]:
        found = (_reversal(store, delta, record.id) for delta in store.journal.deltas(record.id))
        changes = tuple(change for change in found if change is not None)
        return Plan(changes, info, lambda applied: applied)

    def take_back(changes: Sequence[Change], about: RunInfo) -> Applied:
        # All of it was in memory before, so it is not scanned again.
        return store.apply(changes, about, undoes=record.id, scan=False)

    return run(plan, store=store, apply=take_back)


def _reversal(store: JournaledStore, delta: FileDelta, run: str) -> Change | None:
    now = store.read(delta.path)
    if now == delta.before:
        return None
    private = not delta.path.startswith(f"{store.workspace.base}/")
    if now == delta.after:
        return Change(delta.path, delta.before, digest(now) if now is not None else None, private)
    if now is None or delta.after is None or delta.before is None:
        raise _conflict(store, delta, run)
    merged = _merge(delta.after, now, delta.before)
    if merged is None:
        raise _conflict(store, delta, run)
    return Change(delta.path, merged, digest(now), private)


def _merge(base: str, ours: str, theirs: str) -> str | None:
    """Merge two texts that grew from one base, line by line; None when they touch the same lines."""
    from merge3 import Merge3

    old, mine, other = (text.splitlines(keepends=True) for text in (base, ours, theirs))
    merge = Merge3(old, mine, other, sequence_matcher=LineMatcher)  # type: ignore[arg-type]  # a Match is a tuple
    lines: list[str] = []
    for group in merge.merge_groups():
        kept = out_of_list(*group[1:]) if group[0] == "conflict" else group[1]
        if kept is None:
            return None
        lines.extend(kept)
    return "".join(lines)


def _conflict(store: JournaledStore, delta: FileDelta, run: str) -> UndoConflict:
    later = [item.id for item in store.journal.log(limit=1000, path=delta.path)]
    newer = later[: later.index(run)] if run in later else later
    return UndoConflict(
        f"{delta.path} was changed in the same place after run {run}, so that run cannot be taken"
        f" back alone. Undo the later run{'s' if len(newer) > 1 else ''} first: {', '.join(newer)}",
        path=delta.path,
        later=newer,
    )


def unrecorded(ctx: VerbContext) -> list[tuple[RunRecord, FileDelta]]:
    """Return hand edits that no run has recorded yet, in the shape of runs, each with what it changed."""
    now = ctx.clock()
    return [
        (RunRecord(_edit_id(delta), now, EDITED, "pending", (delta.path,), note=_NOT_YET), delta)
        for delta in ctx.store.edits()
    ]


def _edit_id(delta: FileDelta) -> str:
    """Name an edit by what it did: as long as nobody edits again, it is the same."""
    said = "\x00".join((delta.path, delta.before or "", delta.after or ""))
    return f"edit-{digest(said)[:12]}"


def blame(ctx: VerbContext, path: str) -> list[BlameLine]:
    """Say for every line of a file which run brought it."""
    store = ctx.store
    real = store.real(path)
    text = store.read(real)
    if text is None:
        raise PathNotFound(f"there is no file {path}; `reverie log` shows removed ones", path=path)
    owned: list[tuple[str, BlameLine | None]] = []
    history = store.journal.history(real)
    for record, after in history:
        fresh = BlameLine(0, "", record.id, record.at, record.verb, record.session, record.turn)
        owned = _carry(owned, (after or "").splitlines(), fresh)
    by_hand = BlameLine(0, "", "", None, EDITED) if history else None
    owned = _carry(owned, text.splitlines(), by_hand)
    return [
        BlameLine(number, line, who.run, who.at, who.verb, who.session, who.turn)
        if who
        else BlameLine(number, line, "", None, "before Reverie")
        for number, (line, who) in enumerate(owned, start=1)
    ]


def _carry(
    owned: Sequence[tuple[str, BlameLine | None]], lines: Sequence[str], fresh: BlameLine | None
) -> list[tuple[str, BlameLine | None]]:
    """Hand over the owners of lines that stayed; new lines belong to `fresh`."""
    old = [line for line, _ in owned]
    result: list[tuple[str, BlameLine | None]] = [(line, fresh) for line in lines]
    matcher = LineMatcher(None, old, lines)
    for start_old, start_new, size in matcher.get_matching_blocks():
        for step in range(size):
            result[start_new + step] = (lines[start_new + step], owned[start_old + step][1])
    return result


def unified_diff(delta: FileDelta) -> str:
    """Show one file of a run as a unified diff."""
    before, after = ((text or "").splitlines(keepends=True) for text in (delta.before, delta.after))
    source = delta.path if delta.before is not None else "/dev/null"
    target = delta.path if delta.after is not None else "/dev/null"
    lines = unified(before, after, source=source, target=target)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
                   for line in lines)  # fmt: skip
