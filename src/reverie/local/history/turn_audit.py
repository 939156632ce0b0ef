"""Look through the turns of an agent for what is not as it was written; nothing is moved or changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from reverie.errors import StoreError
from reverie.local.history.turn_files import decode_file
from reverie.types import Problem

_SHOWN = 20
"""Files that are named; of more, only the number is told."""


class TurnAudit:
    """The turn files of one history, as they stand."""

    def __init__(self, root: Path, *, max_bytes: int) -> None:
        self._root = root
        self._max_bytes = max_bytes

    def unreadable(self) -> list[Problem]:
        """Return the turns that cannot be read or do not say what was written, and those in quarantine."""
        found = [*self._damaged(), *self._in_quarantine()]
        return _told(found)

    def quarantined(self) -> list[Problem]:
        """Return the turn files in quarantine."""
        return _told(list(self._in_quarantine()))

    def _damaged(self) -> Iterator[Problem]:
        for path, rel in _files(self._root / "turns"):
            try:
                decode_file(path, rel, max_bytes=self._max_bytes)
            except StoreError as error:
                yield Problem(
                    "turn_unreadable", f"turn file {rel} counts for nothing: {error}", str(path)
                )

    def _in_quarantine(self) -> Iterator[Problem]:
        for path, rel in _files(self._root / "quarantine"):
            yield Problem(
                "turn_quarantined",
                f"turn file {rel} could not be read or believed when it was found. Repair it and put it back"
                " into history/turns, or remove it. If you edited it, only take out its"
                ' field "reverie_checksum"',
                str(path),
            )


def _files(root: Path) -> Iterator[tuple[Path, str]]:
    for folder, below, names in os.walk(root):
        below.sort()
        for name in sorted(names):
            if name.endswith(".json") and not name.startswith("."):
                path = Path(folder, name)
                yield path, path.relative_to(root).as_posix()


def _told(found: list[Problem]) -> list[Problem]:
    left = len(found) - _SHOWN
    more = [Problem(found[-1].code, f"{left} more turn files like these")] if left > 0 else []
    return [*found[:_SHOWN], *more]
