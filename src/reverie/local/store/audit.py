"""Check that journal, files, catalogs and permissions on the disk are whole.

A catalog is made of the topics. Where somebody edited topics by hand, the catalog that we wrote is out of
date until the next run writes it anew: nothing is wrong, so that is done now. A catalog that is not what we
wrote is told.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.erasing.everywhere import ERASURE_UNFINISHED
from reverie.core.runs.recording import damaged_row, lost_text
from reverie.core.text.plain import digest
from reverie.core.topics.catalog import stale_catalog
from reverie.errors import DiskFull, ReadOnly, ReverieError
from reverie.local.store.hand_edits import EXTERNAL
from reverie.types import Problem, Scope, Verified

if TYPE_CHECKING:
    from reverie.local.store.filestore import FileStore


def verify(store: FileStore, *, erasing: bool = False) -> Verified:
    """Check journal, files, catalogs and permissions; a run that a crash cut off is settled first.

    `erasing` says that an erasure was begun and not finished.
    """
    with suppress(ReadOnly, DiskFull):  # what was interrupted is told below
        store.recover()
    with suppress(OSError):  # litter that cannot be taken away does no harm
        store.sweep()
    problems = [
        Problem(
            "journal_damaged",
            f"the journal's file is damaged ({what}). Your memories are untouched; what can still be"
            " read of their history is. Move the file away, and a new journal will be started.",
            str(store.journal.path),
        )
        for what in store.journal.examine()
    ]
    path = str(store.journal.path)
    problems += [damaged_row(table, name, path) for table, name in store.journal.damaged_rows()]
    problems += [lost_text(key, path) for key in store.journal.broken_texts()]
    problems += store.parked
    if erasing:
        problems.append(ERASURE_UNFINISHED)
    for scope in Scope:
        problems.extend(_check_scope(store, scope))
    runs, files = store.journal.counts()
    return Verified(runs=runs, files=files, problems=tuple(problems))


def _edited(store: FileStore, scope: Scope, catalog: str) -> bool:
    """Say whether a hand has changed, removed or added topics since a catalog: the next run lists them."""
    root = store.roots.recorded(store.workspace.memory_root(scope)).path
    noted = store.journal.log(limit=1, verb=EXTERNAL.verb)
    known = store.journal.file_state(store.roots.recorded(catalog).path)
    if noted and known is not None and noted[0].at >= known.at:
        return True
    if any(Path(edit.path).is_relative_to(root) for edit in store.edits()):
        return True
    return any(store.journal.file_state(store.roots.recorded(topic.path).path) is None
               for topic in store.topics(scope))  # fmt: skip


def _ours(store: FileStore, path: str, text: str | None) -> bool:
    known = store.journal.file_state(store.roots.recorded(path).path)
    return text is not None and known is not None and known.hash == digest(text)


def _check_scope(store: FileStore, scope: Scope) -> list[Problem]:
    root = Path(store.workspace.memory_root(scope))
    if not root.is_dir():
        return []
    problems: list[Problem] = []
    folder = store.folders[scope]
    # A first write that was refused leaves folders and no file: nothing is there to be listed.
    empty = not any(path.is_file() for path in root.rglob("*"))
    unusable: set[str] = set()

    def read(rel: str) -> str | None:
        try:
            return store.read(f"{root}/{rel}")
        except ReverieError as error:
            unusable.add(rel)
            problems.append(Problem(error.code, str(error), f"{root}/{rel}"))
            return ""

    expected = {} if empty else folder.catalogs(read)[0]
    problems.extend(folder.problems)
    for rel, text in expected.items():
        path = root / rel
        if rel not in unusable and (now := read(rel)) != text:
            if _ours(store, str(path), now) and _edited(store, scope, str(path)):
                continue  # it lists what was there before a hand came
            problems.append(stale_catalog(str(path)))
    for path in _everything(root):
        try:
            facts = path.lstat()
        except OSError:  # just removed, or too deep
            continue
        mode = stat.S_IMODE(facts.st_mode)
        if mode & 0o077 and not stat.S_ISLNK(facts.st_mode):
            problems.append(Problem("not_private", f"{path} can be read by other users"
                                    f" (mode {mode:o})", str(path), fix=f"chmod go= '{path}'"))  # fmt: skip
    return problems


def _everything(root: Path) -> Iterator[Path]:
    """Yield a folder and all below it; what is too deep to be opened holds nothing of ours."""
    yield root
    for folder, below, names in os.walk(root):
        yield from (Path(folder, name) for name in (*below, *names))
