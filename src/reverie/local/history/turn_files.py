"""The tree of turn files as it stands on the disk: found, read, upgraded, put into quarantine.

Rules
- A record of an older version is rewritten in place. Its original is kept until the new record was
  read back from the disk and says the same; killed in between, the next start finishes.
- What cannot be read moves to `quarantine/` under its own relative path, and nothing else stops.
- Everything here that writes is called under the history's lock.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.history import turns
from reverie.core.history.turn_log import record
from reverie.errors import FileFailed, FileTooLarge, NotAFile, NotText, StoreError, TurnUnreadable
from reverie.local.disk.files import (
    abandoned_temps,
    read_bytes,
    read_text,
    remove_file,
    write_atomic,
)
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import Folders, names_below
from reverie.local.history.turn_index import Row
from reverie.local.store.control import move_to_free_name
from reverie.types import Problem

if TYPE_CHECKING:
    from reverie.local.history.turn_index import TurnIndex
    from reverie.types import Turn

_NUMBERED = re.compile(r"[0-9]{1,20}")
_UNSEEN = -1  # no folder has this modification time, so it will be looked into
_DAY = re.compile(r"(\d{4})/(\d\d)/(\d\d)")


class TurnFiles:
    """The files of one history."""

    def __init__(
        self,
        root: Path,
        *,
        index: TurnIndex,
        clock: Callable[[], datetime],
        max_bytes: int,
    ) -> None:
        self._root = root
        self.turns = root / "turns"
        self._quarantine = root / "quarantine"
        self._originals = root / "state" / "originals"
        self._index = index
        self._clock = clock
        self._max_bytes = max_bytes
        self.begin()

    def begin(self, *, look_only: bool = False) -> None:
        """Begin to count what a look through the tree finds; with `look_only` no file is touched."""
        self._look_only = look_only
        self.taken = 0
        self.upgraded = 0
        self.problems: list[Problem] = []

    # --- looking through the tree -----------------------------------------------------------------

    def changed(self) -> Iterator[str]:
        """Yield the folders whose content is not the one noted; parents before children."""
        noted = self._index.folder_times()
        children: dict[str, list[str]] = {}
        for folder in sorted(noted):
            if folder:
                children.setdefault(folder.rpartition("/")[0], []).append(folder)
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            now = self._time(folder)
            below = children.get(folder, [])
            if now is None or now != noted.get(folder):
                yield folder
                # Whoever took it in may have found folders that were not noted before.
                below = [] if now is None else sorted(self._index.subfolders(folder))
            waiting.extend(reversed(below))

    def take_in(self, folder: str) -> None:
        """Note every turn of a folder that changed, and forget those that are gone."""
        settled = False
        while not settled:
            before = self._time(folder)
            if before is None:
                with self._index.transaction():
                    self._index.forget_folder(folder)
                return
            if before == self._index.folder_time(folder):
                return
            names, subfolders = self._listing(folder)
            known = self._index.in_folder(folder)
            fresh: dict[int, Row] = {}
            settled = True
            for name in sorted(names - known.keys()):
                settled &= self._take_in_file(f"{folder}/{name}" if folder else name, fresh)
            with self._index.transaction():
                self._index.drop(row.seq for name, row in known.items() if name not in names)
                self._index.put(fresh.values())
                for gone in set(self._index.subfolders(folder)) - subfolders:
                    self._index.forget_folder(gone)
                for below in subfolders:
                    if self._index.folder_time(below) is None:
                        self._index.note_folder(below, _UNSEEN)
                if settled:
                    # The time from before the listing: whatever came later is looked at again.
                    self._index.note_folder(folder, before)

    def note(self, folder: str) -> None:
        """Note that we ourselves changed a folder and know what is in it."""
        now = self._time(folder)
        if now is not None:
            self._index.note_folder(folder, now)

    def _time(self, folder: str) -> int | None:
        path = f"{self.turns}/{folder}"
        try:
            with explained(path):
                return os.stat(path).st_mtime_ns
        except NotAFile:  # nothing that can be looked into stands there
            return None
        except FileFailed as error:
            if error.evidence.get("os_code") != errno.ENOENT:
                raise
            return None

    def _listing(self, folder: str) -> tuple[set[str], set[str]]:
        names: set[str] = set()
        subfolders: set[str] = set()
        path = self.turns / folder
        with explained(path):
            for stray in () if self._look_only else abandoned_temps(path):
                stray.unlink(missing_ok=True)
            with os.scandir(path) as listing:
                for item in listing:
                    if item.is_dir(follow_symlinks=False):
                        subfolders.add(f"{folder}/{item.name}" if folder else item.name)
                    elif item.name.endswith(".json") and not item.name.startswith("."):
                        names.add(item.name)
        return names, subfolders

    # --- single files -----------------------------------------------------------------------------

    def read(self, row: Row) -> Turn | None:
        """Read one turn; None when its file is gone."""
        decoded = self._decode(row.path, seq=row.seq)
        return decoded.turn if decoded else None

    def _decode(self, rel: str, *, seq: int | None = None) -> turns.Decoded | None:
        return self._decode_file(self.turns / rel, rel, seq=seq)

    def _decode_file(self, path: Path, rel: str, *, seq: int | None = None) -> turns.Decoded | None:
        return decode_file(path, rel, seq=seq, max_bytes=self._max_bytes)

    def _take_in_file(self, rel: str, fresh: dict[int, Row]) -> bool:
        """Read one new file into `fresh`; say whether it stayed as it was."""
        try:
            rel.encode("utf-8")
            decoded = self._decode(rel)
            if decoded is None:
                return False
            turn, version = decoded
            other = fresh.get(turn.seq) or self._index.at(turn.seq)
            if other and other.path != rel and (self.turns / other.path).is_file():
                raise TurnUnreadable(f"its number is that of {other.path}")
        except (TurnUnreadable, UnicodeEncodeError) as error:
            if self._look_only:
                path = os.fsdecode(os.fsencode(f"{self.turns}/{rel}"))
                self.problems.append(Problem("turn_unreadable", str(error), path=path))
                return True
            self.problems.append(self.quarantine(rel, str(error)))
            return False
        except StoreError as error:
            self.problems.append(Problem(error.code, str(error), path=str(self.turns / rel)))
            return True
        older = version in turns.OLDER and not self._look_only
        if older:
            self._upgrade(rel, turn)
        session, source = (
            text.encode("utf-8", "replace").decode("utf-8") for text in (turn.session, turn.source)
        )
        fresh[turn.seq] = Row(turn.seq, rel, session, source)
        self.taken += 1
        return not older

    # --- upgrading --------------------------------------------------------------------------------

    def _upgrade(self, rel: str, turn: Turn) -> None:
        """Rewrite an old record in place; the original is kept until the new one is verified."""
        path = self.turns / rel
        original = self._originals / rel
        old = read_bytes(path, limit=self._max_bytes)
        write_atomic(original, old or b"", self._root)
        write_atomic(path, record(turn), self._root)
        written = self._decode(rel)
        if written != (turn, turns.SCHEMA_VERSION):
            self._put_back(original, path)
            self.problems.append(
                Problem("upgrade_failed", f"{rel} was left as it was", path=str(path))
            )
            return
        remove_file(original, self._root)
        self.upgraded += 1

    def upgrading(self) -> bool:
        """Say whether originals wait for the verification of their upgrade."""
        return self._originals.is_dir()

    def finish_upgrades(self) -> None:
        """Settle the originals that an upgrade left behind."""
        for original in sorted(self._originals.rglob("*.json")):
            self._settle_original(original, original.relative_to(self._originals).as_posix())
        with explained(self._originals):
            shutil.rmtree(self._originals)  # nothing but empty folders and unfinished copies

    def _settle_original(self, original: Path, rel: str) -> None:
        try:
            now = self._decode(rel)
        except TurnUnreadable:
            now = None
        try:
            old = self._decode_file(original, rel)
        except TurnUnreadable:
            old = None
        if now and old and now.turn == old.turn:
            remove_file(original, self._root)
        elif now:
            # Somebody changed the turn since; that is kept, and so is the original.
            self._move_away(original, rel)
        else:
            self._put_back(original, self.turns / rel)

    def _put_back(self, original: Path, target: Path) -> None:
        with Folders() as folders:
            here, there = (
                folders.below(os.path.realpath(self._root), names_below(self._root, path.parent))
                for path in (original, target)
            )
            here.move(original.name, there, target.name)

    # --- quarantine -------------------------------------------------------------------------------

    def quarantine(self, rel: str, reason: str, *, seq: int | None = None) -> Problem:
        """Move a file that cannot be read out of the way, and say why."""
        kept = self._move_away(self.turns / rel, rel)
        if seq is not None:
            with self._index.transaction():
                self._index.drop([seq])
        return Problem(
            "turn_quarantined",
            f"turn file {rel} could not be read ({reason}); it was moved to {kept}",
            path=str(kept),
        )

    def _move_away(self, path: Path, rel: str) -> Path:
        return move_to_free_name(path, self._quarantine / rel, self._root, now=self._clock())


def decode_file(
    path: Path, rel: str, *, seq: int | None = None, max_bytes: int
) -> turns.Decoded | None:
    """Read a turn file, None when it is gone; `rel` is its place below `turns/`."""
    if path.is_symlink():
        raise TurnUnreadable("it is a link, and links are not followed here")
    try:
        text = read_text(path, limit=max_bytes)
    except (NotText, FileTooLarge, NotAFile) as error:
        raise TurnUnreadable(str(error)) from error
    if text is None:
        return None
    stem = path.name.removesuffix(".json")
    if seq is None and _NUMBERED.fullmatch(stem):
        seq = int(stem)
    return turns.decode(text, seq=seq, day=_day_of(rel))


def _day_of(rel: str) -> datetime | None:
    """Return the day a folder stands for; it stands in for a date that is missing in a record."""
    match = _DAY.match(rel)
    if not match:
        return None
    try:
        return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    except ValueError:
        return None
