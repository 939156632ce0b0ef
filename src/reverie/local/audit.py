"""Looking back: undo a run, say who brought a line, check that everything is whole."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.text import digest
from reverie.errors import PathNotFound, ReverieError, UndoConflict
from reverie.local.paths import inside
from reverie.types import BlameLine, Change, Problem, Scope, Verified

if TYPE_CHECKING:
    from reverie.local.files import FileStore
    from reverie.types import Applied, FileDelta, RunInfo


def undo(store: FileStore, run: str, info: RunInfo) -> Applied:
    """Take a run back, keeping what later runs and people added; the undo is a run of its own."""
    record = store.journal.record(store.journal.resolve(run))
    if record.status == "erased":
        raise UndoConflict(f"run {record.id} was erased on purpose; there is nothing to restore")
    if record.status != "done":
        raise UndoConflict(f"run {record.id} was never applied ({record.status})")
    store.notice_edits()
    changes = [
        change
        for delta in store.journal.deltas(record.id)
        if (change := _reversal(store, delta, record.id)) is not None
    ]
    return store.apply(changes, info, undoes=record.id, scan=False)


def _reversal(store: FileStore, delta: FileDelta, run: str) -> Change | None:
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
    merge = Merge3(old, mine, other)
    lines: list[str] = []
    for group in merge.merge_groups():
        if group[0] == "conflict":
            return None
        lines.extend(group[1])
    return "".join(lines)


def _conflict(store: FileStore, delta: FileDelta, run: str) -> UndoConflict:
    later = [item.id for item in store.journal.log(limit=1000, path=delta.path)]
    newer = later[: later.index(run)] if run in later else later
    return UndoConflict(
        f"{delta.path} was changed in the same place after run {run}, so that run cannot be taken"
        f" back alone. Undo the later run{'s' if len(newer) > 1 else ''} first: {', '.join(newer)}",
        path=delta.path,
        later=newer,
    )


def blame(store: FileStore, path: str, *, notice: bool = True) -> list[BlameLine]:
    """Say for every line of a file which run brought it; `notice` looks for hand edits first."""
    if notice:
        store.notice_edits()
    real = os.path.realpath(inside(Path("/"), Path(path)))
    text = store.read(real)
    if text is None:
        raise PathNotFound(f"there is no file {path}; `reverie log` shows removed ones", path=path)
    owned: list[tuple[str, BlameLine | None]] = []
    for record, after in store.journal.history(real):
        fresh = BlameLine(0, "", record.id, record.at, record.verb, record.session, record.turn)
        owned = _carry(owned, (after or "").splitlines(), fresh)
    owned = _carry(owned, text.splitlines(), None)
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
    matcher = difflib.SequenceMatcher(a=old, b=list(lines), autojunk=False)
    for start_old, start_new, size in matcher.get_matching_blocks():
        for step in range(size):
            result[start_new + step] = (lines[start_new + step], owned[start_old + step][1])
    return result


def unified_diff(delta: FileDelta) -> str:
    """Show one file of a run as a unified diff."""
    before, after = ((text or "").splitlines(keepends=True) for text in (delta.before, delta.after))
    source = delta.path if delta.before is not None else "/dev/null"
    target = delta.path if delta.after is not None else "/dev/null"
    lines = difflib.unified_diff(before, after, source, target)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
                   for line in lines)  # fmt: skip


def verify(store: FileStore) -> Verified:
    """Check journal, files, catalogs and permissions; nothing is changed but hand edits noted."""
    store.recover()
    store.sweep()
    store.notice_edits()
    problems = [
        Problem(
            "journal_text_broken",
            f"the journal's copy of a text ({key[:12]}) is damaged or missing: runs that refer to it"
            " cannot be undone",
            str(store.journal.path),
        )
        for key in store.journal.broken_texts()
    ]
    problems += [
        Problem("run_pending", f"run {run.id} is recorded but not finished", fix="reverie verify")
        for run in store.journal.pending()
    ]
    for scope in Scope:
        problems.extend(_check_scope(store, scope))
    runs, files = store.journal.counts()
    return Verified(runs=runs, files=files, problems=tuple(problems))


def _check_scope(store: FileStore, scope: Scope) -> list[Problem]:
    root = Path(store.workspace.memory_root(scope))
    if not root.is_dir():
        return []
    problems: list[Problem] = []
    folder = store.folders[scope]
    expected, _ = folder.catalogs()
    problems.extend(folder.problems)
    for path, text in expected.items():
        try:
            actual = store.read(str(path))
        except ReverieError as error:
            problems.append(Problem(error.code, str(error), str(path)))
            continue
        if actual != text:
            problems.append(Problem("catalog_stale", f"{path} does not match the memories beside it",
                                    str(path), fix="reverie index --catalog"))  # fmt: skip
    for path in (root, *root.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077 and not path.is_symlink():
            problems.append(Problem("not_private", f"{path} can be read by other users"
                                    f" (mode {mode:o})", str(path), fix=f"chmod go= '{path}'"))  # fmt: skip
    return problems
