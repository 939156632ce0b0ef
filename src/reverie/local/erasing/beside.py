"""Erasing: take words out of everything kept beside the memory files, and prove they are gone.

Rules:

* The memory files themselves are changed by `apply` like any others; here go the copies: the journal
  and waiting tasks. What else there is in the home, `everywhere` looks through.
* What is being erased is written down until it is done: killed in between, the next call goes on.
* The proof reads every file of the memory, state and agents' folders, not a list of places where
  traces are expected. Transcripts that an agent keeps of its own are not ours to search or change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.core.erasing.journal_eraser import JournalEraser
from reverie.core.erasing.places import NOTE
from reverie.core.erasing.receipts import (
    name_traces,
    receipt_in,
    receipt_of_runs,
    trace_found,
    traces,
)
from reverie.errors import FileTooLarge, InvalidInput, NotAFile, NotText, StoreError
from reverie.local.disk.files import abandoned_temps, read_text, remove_file
from reverie.local.disk.locks import file_lock
from reverie.local.disk.regular import regular_bytes
from reverie.local.erasing.everywhere import EverywhereEraser
from reverie.local.recall.word_file import purge
from reverie.local.store.control import set_aside, write_json
from reverie.local.store.paths import usable
from reverie.local.tasks import task_file
from reverie.types import (
    Problem,
    Scope,
    Verified,
)

if TYPE_CHECKING:
    from reverie.core.erasing.everywhere import Erasure, Held, Tally
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.local.journal.journal import JournalDb
    from reverie.local.store.filestore import FileStore
    from reverie.types import (
        Applied,
        Change,
        Receipt,
        RunInfo,
        Workspace,
    )

_MAX_BYTES = 64 * 1024 * 1024  # larger ones are caches of vectors, which hold no words


class ErasingStore(JournalEraser["FileStore"]):
    """A file store that can also take words out of its journal, its tasks and everything beside it."""

    def __init__(
        self, store: FileStore, *, own_home: bool = False, context: Sequence[str] = ()
    ) -> None:
        self._state = Path(store.workspace.state)
        self._wiper = EverywhereEraser(store, own_home=own_home, context=context)
        super().__init__(store, journal=store.journal, space=self._wiper.space)

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run; copies that recall keeps of the topics go with them."""
        applied = self._store.apply(changes, run, scan=False)  # nothing is added
        purge(self._store.workspace.state)
        if others := self._wiper.other_projects(applied.paths):
            self._store.rebuild_catalogs(others)
        return applied

    # --- from the beginning to the end ------------------------------------------------------------

    def alone(self) -> AbstractContextManager[None]:
        """Keep other erasures of this memory waiting."""
        wait = self._store.settings.memory.lock_wait_seconds
        return file_lock(self._state / "locks" / "erasing.lock", wait=wait, purpose="erasing")

    def write_down(self, erasure: Mapping[str, Any] | None) -> None:
        """Keep what is being erased where a crash leaves it, or strike it out."""
        note = self._state / NOTE
        for stray in abandoned_temps(self._state):
            stray.unlink(missing_ok=True)
        if erasure is not None:
            write_json(note, erasure)
        elif note.is_file():
            remove_file(note)
        elif os.path.lexists(note):  # something else has its name
            set_aside(note, now=self._store.clock())

    def written_down(self) -> Mapping[str, Any] | None:
        """Return an erasure that was not finished."""
        return unfinished(self._state)

    # --- what holds the words ---------------------------------------------------------------------

    def held(self, erasure: Erasure, *, beside: bool = False) -> list[Held]:
        """Read the Markdown files of every layer that hold the words; `beside`: what was heard alone."""
        return self._wiper.held(erasure, beside=beside)

    def sweep(
        self,
        to_erase: WordsToErase,
        *,
        erase: bool,
        beside: bool = False,
        purge: Callable[[], Sequence[str]] = tuple,
    ) -> Tally:
        """Count, and with `erase` clean, what holds the words and is neither Markdown nor journal."""
        return self._wiper.sweep(to_erase, erase=erase, beside=beside, purge=purge)

    def erase_tasks(self, to_erase: WordsToErase) -> int:
        """Take the words out of tasks; return how many tasks held any."""
        return task_file.erase(self._state / "tasks.db", to_erase)

    def _living(self) -> Callable[[str], bool]:
        return os.path.isfile

    def _named(self, paths: Sequence[str]) -> list[str]:
        found = [os.path.realpath(path) for path in paths]
        wanted = {os.path.basename(path) for path in found}
        journal, place = self._store.journal, self._store.workspace
        for root in {os.path.realpath(place.memory_root(scope)) for scope in Scope}:
            known = set(journal.versions(f"{root}/")) - set(journal.file_states(f"{root}/"))
            found += [path for path in known if os.path.basename(path) in wanted]
        return found


def unfinished(state: Path) -> dict[str, Any] | None:
    """Return the erasure that was written down and not finished."""
    try:
        text = read_text(state / NOTE, limit=_MAX_BYTES)
        found = {} if text is None else json.loads(text)
    except (ValueError, RecursionError, NotText, NotAFile, FileTooLarge):
        return {}  # there was one, and what it was about is lost
    return None if text is None else found if isinstance(found, dict) else {}


def find_receipt(journal: JournalDb, name: str) -> Receipt:
    """Find a receipt by the id that `forget` printed, or read it from a file."""
    path = Path(usable(name))
    if path.suffix == ".json" or path.is_file():
        try:
            text = read_text(path, limit=_MAX_BYTES) or ""
        except StoreError as error:
            raise InvalidInput(f"{name} cannot be read as a receipt: {error}") from error
        return receipt_in(text, name)
    return receipt_of_runs(name, journal.log(limit=1_000_000))


def verify_forgotten(workspace: Workspace, journal: JournalDb, receipt: Receipt) -> Verified:
    """Look for what a receipt says is gone: in every file, and in the journal's stored texts."""
    problems: list[Problem] = []
    files = 0
    for path in _files(workspace):
        files += 1
        if not receipt.erased and path.name.startswith(journal.path.name):
            continue  # what was only forgotten can be undone, so the journal still has it
        if name_traces(path.name, receipt) or _in_file(path, receipt):
            # The index drops a file when it next looks at the files; its old bytes go with --purge.
            indexed = Path(workspace.state, "index") in path.parents
            fix = "reverie index --purge" if indexed else ""
            problems.append(trace_found(str(path), str(path), fix=fix))
    if receipt.erased:
        problems += [
            trace_found(
                f"the journal's text {key[:12]}",
                str(journal.path),
                fix="reverie forget --erase WORDS",
            )
            for key in journal.contains(lambda text: traces(text, receipt))
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
        data = regular_bytes(path)
    except OSError:  # gone meanwhile, or not ours to read
        return False
    return traces(data.decode("utf-8", "ignore"), receipt)
