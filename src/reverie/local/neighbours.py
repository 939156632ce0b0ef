"""Where chunks stand: their document or conversation, their place there, and who stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from reverie.local.indexdb import ChunkRow, FileRow, IndexDb

__all__ = ["Located", "locate"]

REACH: Final = 3  # how far ranking looks to either side
_STEPS: Final = tuple(range(-REACH, REACH + 1))
_APART: Final = 100  # puts files that do not follow each other out of each other's reach


class Located(NamedTuple):
    """A chunk, its file, and its place in its document or conversation."""

    chunk: ChunkRow
    file: FileRow
    group: str
    order: int


def locate(db: IndexDb, found: Sequence[int], around: Iterable[int]) -> list[Located]:
    """Look chunks up; those of `around` bring their neighbours along."""
    rows = {row.id: row for row in db.chunks(found)}
    files = db.files(sorted({row.file for row in rows.values()}))
    follows: dict[int, int] = {}
    wanted: set[int] = set()
    for id_ in around:
        if id_ not in rows:
            continue
        file = files[rows[id_].file]
        line = _line(db, file, files, follows) if file.group else [file]
        ids = [number for item in line for number in range(item.first, item.first + item.count)]
        at = ids.index(id_)
        wanted.update(ids[max(at - REACH, 0) : at + REACH + 1])
    starts = _starts(files.values(), follows)

    def located(row: ChunkRow) -> Located:
        file = files[row.file]
        return Located(row, file, file.group or str(file.id), starts.get(file.id, 0) + row.place)

    found_rows = [located(row) for row in rows.values()]
    near = {(item.group, item.order + step) for item in found_rows for step in _STEPS}
    beside = [located(row) for row in db.chunks(wanted - rows.keys())]
    return found_rows + [item for item in beside if (item.group, item.order) in near]


def _line(
    db: IndexDb, file: FileRow, files: dict[int, FileRow], follows: dict[int, int]
) -> list[FileRow]:
    """Return the files of a conversation around one of them."""
    line = db.around(file.group, file.order, REACH)
    for item in line:
        files.setdefault(item.id, item)
    for one, next_ in pairwise(line):
        follows[one.id] = next_.id
    return line


def _starts(files: Iterable[FileRow], follows: dict[int, int]) -> dict[int, int]:
    """Give the files of each conversation consecutive places, as far as they follow each other."""
    starts: dict[int, int] = {}
    last: FileRow | None = None
    place = 0
    for file in sorted((file for file in files if file.group), key=_by_place):
        if last is None or last.group != file.group:
            place = 0
        else:
            place += last.count + (0 if follows.get(last.id) == file.id else _APART)
        starts[file.id] = place
        last = file
    return starts


def _by_place(file: FileRow) -> tuple[str, int]:
    return file.group, file.order
