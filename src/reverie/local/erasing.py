"""Erasing: take words out of everything kept beside the memory files, and prove they are gone.

Rules:

* The memory files themselves are changed by `apply` like any others; here go the copies: the journal,
  waiting tasks, and whatever else lies in the state folder.
* The proof reads every file of the memory, state and agents' folders, not a list of places where
  traces are expected. Transcripts that an agent keeps of its own are not ours to search or change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.receipts import read_receipt, traces
from reverie.errors import InvalidInput, PathNotFound
from reverie.local import taskfile
from reverie.local.wordfile import purge
from reverie.types import (
    Problem,
    Scope,
    Verified,
)

if TYPE_CHECKING:
    from reverie.local.files import FileStore
    from reverie.local.journal import JournalDb
    from reverie.types import (
        Applied,
        Change,
        Receipt,
        RunInfo,
        Topic,
        Workspace,
    )

_MAX_BYTES = 64 * 1024 * 1024  # larger ones are caches of vectors, which hold no words


class ErasingStore:
    """A file store that can also take words out of its journal and its tasks."""

    def __init__(self, store: FileStore) -> None:
        self._store = store

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic."""
        return self._store.topics(scope)

    def read(self, path: str) -> str | None:
        """Return a file's text."""
        return self._store.read(path)

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run; copies that recall keeps of the topics go with them."""
        applied = self._store.apply(changes, run)
        purge(self._store.workspace.state)
        return applied

    def erase(self, needles: Sequence[str], *, paths: Sequence[str] = ()) -> int:
        """Take the wordings, and the names of these files, out of journal and tasks."""
        real = [os.path.realpath(path) for path in paths]
        touched = self._store.journal.erase(needles, paths=[*real, *self._former(real)])
        return touched + taskfile.erase(Path(self._store.workspace.state) / "tasks.db", needles)

    def _former(self, paths: Sequence[str]) -> list[str]:
        """Find where files of these names were before they were moved; no living file is one."""
        names = {os.path.basename(path) for path in paths}
        journal, place = self._store.journal, self._store.workspace
        found: list[str] = []
        for root in {os.path.realpath(place.memory_root(scope)) for scope in Scope}:
            known = set(journal.versions(f"{root}/")) - set(journal.file_states(f"{root}/"))
            found += [path for path in known if os.path.basename(path) in names]
        return found


def find_receipt(journal: JournalDb, name: str) -> Receipt:
    """Find a receipt by the id that `forget` printed, or read it from a file."""
    path = Path(name)
    if path.suffix == ".json" or path.is_file():
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{name} cannot be read as a receipt: {error}") from error
        inner = data.get("receipt") if isinstance(data, dict) else None
        return read_receipt(inner or data)
    for run in journal.log(limit=1_000_000):
        data = run.detail.get("receipt")
        if isinstance(data, dict) and data.get("id") == name:
            return read_receipt(data)
    raise PathNotFound(
        f"there is no receipt {name!r}: give the id that `reverie forget` printed, or a file with it"
    )


def verify_forgotten(workspace: Workspace, journal: JournalDb, receipt: Receipt) -> Verified:
    """Look for what a receipt says is gone: in every file, and in the journal's stored texts."""
    problems: list[Problem] = []
    files = 0
    for path in _files(workspace):
        files += 1
        if not receipt.erased and path.name.startswith(journal.path.name):
            continue  # what was only forgotten can be undone, so the journal still has it
        name = path.name.replace("-", " ").replace("_", " ")
        if traces(name, receipt) or _in_file(path, receipt):
            # The index drops a file when it next looks at the files; its old bytes go with --purge.
            indexed = Path(workspace.state, "index") in path.parents
            problems.append(
                Problem(
                    "trace_found",
                    f"{path} still holds what was forgotten",
                    str(path),
                    fix="reverie index --purge" if indexed else "",
                )
            )
    if receipt.erased:
        found = journal.contains(lambda text: traces(text, receipt))
        problems += [
            Problem(
                "trace_found",
                f"the journal's text {key[:12]} still holds what was forgotten",
                str(journal.path),
                fix="reverie forget --erase WORDS",
            )
            for key in found
        ]
    return Verified(runs=journal.counts()[0], files=files, problems=tuple(problems))


def _files(workspace: Workspace) -> Iterator[Path]:
    seen: set[str] = set()
    agents = os.path.join(workspace.home, workspace.agents)
    for root in (workspace.user_memory, workspace.project_memory, workspace.state, agents):
        for folder, folders, names in os.walk(root):
            folders.sort()
            yield from _new([Path(folder, name) for name in sorted(names)], seen)
    for root in (workspace.home, workspace.project_state):
        if os.path.isdir(root):
            yield from _new(sorted(Path(root).iterdir()), seen)


def _new(paths: Sequence[Path], seen: set[str]) -> Iterator[Path]:
    for path in paths:
        real = os.path.realpath(path)
        if real not in seen and path.is_file() and path.stat().st_size <= _MAX_BYTES:
            seen.add(real)
            yield path


def _in_file(path: Path, receipt: Receipt) -> bool:
    try:
        data = path.read_bytes()
    except OSError:  # gone meanwhile, or not ours to read
        return False
    return traces(data.decode("utf-8", "ignore"), receipt)
