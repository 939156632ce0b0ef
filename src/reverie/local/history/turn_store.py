"""The history of an agent: one JSON file per turn, numbered, appended and never rewritten but to erase.

Rules
- A number is given once: the next one is above the head and above every file, found and used under a
  lock that the operating system holds.
- The order of an append is the safety argument: reserve the number in the index, write the turn,
  settle it, raise the head. Killed in between, the next writer finds the turn and raises the head.
- The head is raised, never lowered; a turn that was removed does not free its number.
- Reading touches the files asked for and no others; see `turnindex`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from reverie.core.history import turns
from reverie.core.history.append_only import AppendOnlyHistory
from reverie.core.history.turn_log import distinct, numbered, placed, plain
from reverie.errors import (
    DiskFull,
    HistoryIndexBroken,
    ReadOnly,
    StoreError,
    TurnUnreadable,
)
from reverie.local.disk.files import abandoned_temps, make_folder
from reverie.local.disk.locks import file_lock
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import Folders
from reverie.local.history.turn_files import TurnFiles
from reverie.local.history.turn_index import Row, TurnIndex
from reverie.local.store.control import read_json, write_json
from reverie.types import Problem, Turn
from reverie.types.turns import Appended, Reading

if TYPE_CHECKING:
    from reverie.local.disk.rooted import Staged
    from reverie.types.turns import Redact

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Synced:
    """What looking through the tree found."""

    taken: int = 0
    """Turn files that were not known before."""
    upgraded: int = 0
    problems: tuple[Problem, ...] = ()
    """Files that went to quarantine or could not be read, each with the reason."""


class History(AppendOnlyHistory):
    """The open history of one agent. Safe to use from several processes and threads at once."""

    def __init__(
        self,
        root: Path,
        *,
        index: Path,
        clock: Callable[[], datetime],
        redact: Redact | None = None,
        max_bytes: int = 16 * 1024 * 1024,
        wait: float = 10.0,
    ) -> None:
        super().__init__(clock=clock, redact=redact, max_bytes=max_bytes)
        self.root = root
        self._wait = wait
        self._index = TurnIndex(index, root=root)
        self._files = TurnFiles(root, index=self._index, clock=clock, max_bytes=max_bytes)
        self.opened = self.sync()

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    def _locked(self, purpose: str) -> AbstractContextManager[None]:
        lock = self.root / "state" / "history.lock"
        return file_lock(lock, wait=self._wait, purpose=purpose)

    def _healed(self, action: Callable[[], _Result]) -> _Result:
        """Do something with the index; a broken one is made anew, once."""
        try:
            if self._index.another():
                self.sync()
            return action()
        except HistoryIndexBroken:
            self._index.reopen(discard=True)
            self.sync()
            return action()

    # --- what is there ----------------------------------------------------------------------------

    def sync(self) -> Synced:
        """Take in what changed in the tree: new, old-fashioned, unreadable and removed files.

        Runs when the history is opened. Folders that did not change cost one look at their time.
        """
        if not self.root.is_dir():
            return Synced()
        if self._index.replaced():
            self._index.reopen()
        self._files.begin()
        try:
            self._look()
        except (ReadOnly, DiskFull):
            self._look_only()
        done = self._files
        return Synced(done.taken, done.upgraded, tuple(done.problems))

    def _look(self) -> None:
        """Take in what changed, and put in order what is not."""
        for stray in abandoned_temps(self.root / "state"):
            with explained(stray):
                stray.unlink(missing_ok=True)
        if self._index.pending() or self._files.upgrading():
            with self._locked("healing"):
                self._heal()
        for folder in self._files.changed():
            with self._locked("reading new turns"):
                self._files.take_in(folder)
        if self._index.last() > self._head_file() or self._files.upgrading():
            with self._locked("raising the head"):
                self._heal()
                self._raise_head(self._index.last())

    def _look_only(self) -> None:
        """Take in what changed where nothing can be written: the files stay, the index is in memory."""
        self._index.hold()
        self._files.begin(look_only=True)
        left = self._index.pending()
        there = [row.seq for row in left if (self._files.turns / row.path).is_file()]
        with self._index.transaction():
            self._index.settle(there)
            self._index.drop({row.seq for row in left} - set(there))
        for folder in self._files.changed():
            self._files.take_in(folder)

    def _heal(self) -> None:
        """Settle what a killed process left: reserved numbers, half-done upgrades."""
        left = self._index.pending()
        if left:
            there = [row.seq for row in left if (self._files.turns / row.path).is_file()]
            gone = {row.seq for row in left} - set(there)
            with self._index.transaction():
                self._index.settle(there)
                self._index.drop(gone)
        if self._files.upgrading():
            self._files.finish_upgrades()

    def head(self) -> int:
        """Return the highest number ever given."""
        return max(self._head_file(), self._healed(self._index.last))

    def count(self) -> int:
        return self._healed(self._index.count)

    def _head_file(self) -> int:
        found = self._head_facts().get("last_seq", 0)
        return found if type(found) is int and 0 <= found <= turns.MAX_SEQ else 0

    def _raise_head(self, seq: int) -> None:
        if seq <= self._head_file():
            return
        moment = turns.write_time(self._clock())
        facts = {**self._head_facts(), "last_seq": seq, "updated_at": moment}
        write_json(self.root / "state" / "head.json", facts, self.root)

    def _head_facts(self) -> dict[str, Any]:
        path = self.root / "state" / "head.json"
        return read_json(path, self.root, now=self._clock(), problems=self._files.problems)

    # --- appending --------------------------------------------------------------------------------

    def _known_sources(self, sources: Sequence[str]) -> set[str]:
        return self._healed(lambda: self._index.known_sources([plain(item) for item in sources]))

    def _put_back(self, given: Sequence[Turn]) -> list[Turn]:
        return self._healed(lambda: self._restore(given))

    def _add(self, drafts: Sequence[Turn]) -> Appended:
        return self._healed(lambda: self._append_clean(drafts))

    def _restore(self, given: Sequence[Turn]) -> list[Turn]:
        """Write turns whose numbers are free; return those."""
        make_folder(self._files.turns, self.root, private=True)
        with self._locked("restoring"):
            self._heal()
            for folder in {turns.turn_path(0, turn.created_at)[:10] for turn in given}:
                make_folder(self._files.turns / folder, self.root, private=True)
                self._files.take_in(folder)
            made = placed(given, {turn.seq for turn in given if self._index.at(turn.seq)})
            if made:
                self._write(made)
        return [turn for turn, _ in made]

    def _append_clean(self, drafts: Sequence[Turn]) -> Appended:
        make_folder(self._files.turns, self.root, private=True)
        if self._index.replaced():
            self.sync()
        with self._locked("appending"):
            self._index.keep()
            self._heal()
            known = self._index.known_sources([plain(d.source) for d in drafts if d.source])
            fresh = distinct(drafts, known, key=plain)
            # A folder that changed without us may hold numbers we do not know yet.
            for folder in {turns.turn_path(0, draft.created_at)[:10] for draft in fresh}:
                make_folder(self._files.turns / folder, self.root, private=True)
                self._files.take_in(folder)
            number = max(self._head_file(), self._index.last())
            made, dropped = numbered(
                fresh, above=number, limit=self._max_bytes, single=len(drafts) == 1
            )
            if made:
                self._write(made)
        return Appended(
            tuple(turn for turn, _ in made),
            known=len(drafts) - len(fresh),
            dropped=dropped,
        )

    def _write(self, made: Sequence[tuple[Turn, bytes]]) -> None:
        rows = [
            Row(
                turn.seq,
                turns.turn_path(turn.seq, turn.created_at),
                plain(turn.session),
                plain(turn.source),
            )
            for turn, _ in made
        ]
        folders = sorted({row.path.rpartition("/")[0] for row in rows})
        with self._index.transaction():
            self._index.put(rows, pending=True)
        with Folders() as opened:
            root = os.path.realpath(self.root)
            there = {folder: opened.below(root, f"turns/{folder}") for folder in folders}
            staged: list[Staged] = []
            try:
                for row, (_, data) in zip(rows, made, strict=True):
                    folder, _, name = row.path.rpartition("/")
                    staged.append(there[folder].stage(name, data, private=True))
                for item in staged:
                    item.commit(sync=False)
            except BaseException:
                for item in staged:
                    item.discard()
                raise
            for folder in folders:
                with explained(self._files.turns / folder):
                    there[folder].sync()
        with self._index.transaction():
            self._index.settle(row.seq for row in rows)
            for folder in folders:
                self._files.note(folder)
        self._raise_head(rows[-1].seq)

    # --- reading ----------------------------------------------------------------------------------

    def get(self, seq: int) -> Turn | None:
        """Return one turn, or None when there is none of that number."""
        row = self._healed(lambda: self._index.at(seq))
        found = self._read([row]).turns if row else ()
        return found[0] if found else None

    def since(self, seq: int, *, limit: int, own: bool = False) -> Reading:
        """Return the first turns above a number, oldest first."""
        return self._gather(
            limit, seq, lambda wanted, at: self._index.oldest(wanted, above=at, own=own)
        )

    def _last(self, limit: int, *, above: int, below: int, own: bool) -> Reading:
        return self._gather(
            limit,
            below,
            lambda wanted, at: self._index.newest(wanted, above=above, below=at, own=own),
        )

    def _gather(
        self, limit: int, at: int, rows_from: Callable[[int, int], Sequence[Row]]
    ) -> Reading:
        """Read on until there are enough turns: a file that cannot be read must not shorten the page."""
        found: list[Turn] = []
        problems: list[Problem] = []
        while len(found) < limit:
            wanted = limit - len(found)
            rows = self._healed(lambda: rows_from(wanted, at))  # noqa: B023
            if not rows:
                break
            reading = self._read(rows)
            found.extend(reading.turns)
            problems.extend(reading.problems)
            at = rows[-1].seq
        return Reading(tuple(found), tuple(problems))

    def _read(self, rows: Sequence[Row]) -> Reading:
        found: list[Turn] = []
        problems: list[Problem] = []
        for row in rows:
            try:
                turn = self._read_file(row)
            except TurnUnreadable as error:
                problems.append(Problem("turn_quarantined", str(error), **error.evidence))
            except StoreError as error:
                path = str(self._files.turns / row.path)
                problems.append(Problem(error.code, str(error), path=path))
            else:
                if turn is not None:
                    found.append(turn)
        return Reading(tuple(found), tuple(problems))

    def _read_file(self, row: Row) -> Turn | None:
        try:
            return self._files.read(row)
        except TurnUnreadable as unreadable:
            # Once more under the lock: another process may have moved or mended it meanwhile.
            try:
                with self._locked("quarantine"):
                    return self._read_or_move(row)
            except (ReadOnly, DiskFull):
                raise unreadable from None

    def _read_or_move(self, row: Row) -> Turn | None:
        try:
            return self._files.read(row)
        except TurnUnreadable as error:
            moved = self._files.quarantine(row.path, str(error), seq=row.seq)
            raise TurnUnreadable(moved.message, path=moved.path) from error
