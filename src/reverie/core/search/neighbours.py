"""Where chunks stand: their document or conversation, their place there, and who stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from reverie.core.search.documents import ASKS, TURN
from reverie.types.ranking import Candidate

if TYPE_CHECKING:
    from reverie.ports import Rows
    from reverie.types.ranking import ChunkRow, FileRow

__all__ = ["Located", "candidate_of", "locate"]

REACH: Final = 3  # how far ranking looks to either side
_APART: Final = 100  # puts files that do not follow each other out of each other's reach


_ROLES: Final = frozenset({"user", "human", "assistant", "model", "ai", "bot", "system", "tool"})
_PERSON: Final = frozenset({"user", "human"})


class Located(NamedTuple):
    """A chunk, its file, and its place in its document or conversation."""

    chunk: ChunkRow
    file: FileRow
    group: str
    order: int


def locate(db: Rows, found: Sequence[int], around: Iterable[int]) -> list[Located]:
    """Look chunks up; those of `around` bring their neighbours along."""
    rows = {row.id: row for row in db.chunks(found)}
    files = db.files(sorted({row.file for row in rows.values()}))
    seeds = [rows[id_] for id_ in around if id_ in rows]
    follows: dict[int, int] = {}
    told = [row for row in seeds if files[row.file].group]
    beside = _in_conversation(db, told, files, follows)
    beside |= _in_file(db, [row for row in seeds if not files[row.file].group], files)
    starts = _starts(files.values(), follows)
    found_rows: list[Located] = []
    for row in (rows | beside).values():
        file = files[row.file]
        order = starts.get(file.id, 0) + row.place
        found_rows.append(Located(row, file, file.group or str(file.id), order))
    return found_rows


def candidate_of(
    item: Located, number: int, *, counts: Mapping[str, int], length: int, cosine: float | None
) -> Candidate:
    """Say what ranking needs to know of a chunk; `number` is that of its root."""
    row = item.chunk
    speaker = row.speaker.lower()
    return Candidate(
        key=f"{number}:{row.id}",
        group=f"{number}/{item.group}",
        order=item.order,
        counts=counts,
        length=length,
        cosine=cosine,
        speaker=speaker,
        turn=bool(row.flags & TURN) and speaker not in _ROLES,
        asks=bool(row.flags & ASKS),
        owner=speaker in _PERSON,
        date=(row.day // 10_000, row.day // 100 % 100, row.day % 100) if row.day else None,
    )


def _in_file(db: Rows, seeds: Sequence[ChunkRow], files: dict[int, FileRow]) -> dict[int, ChunkRow]:
    """Go from each chunk to both sides, step by step, as far as the same section reaches."""
    beside: dict[int, ChunkRow] = {}
    walks = [(row, side) for row in seeds for side in (-1, 1)]
    for distance in range(1, REACH + 1):
        steps = [(row, side, row.id + side * distance) for row, side in walks]
        steps = [step for step in steps if _has(files[step[0].file], step[2])]
        near = {row.id: row for row in db.chunks({id_ for _, _, id_ in steps})}
        walks = []
        for row, side, id_ in steps:
            other = near.get(id_)
            if other and other.place == row.place + side * distance:
                beside[id_] = other
                walks.append((row, side))
    return beside


def _has(file: FileRow, id_: int) -> bool:
    return file.first <= id_ < file.first + file.chunks


def _in_conversation(
    db: Rows, seeds: Sequence[ChunkRow], files: dict[int, FileRow], follows: dict[int, int]
) -> dict[int, ChunkRow]:
    """Take the chunks around each one, from the turns before and after, too."""
    wanted: set[int] = set()
    for row in seeds:
        line = _line(db, files[row.file], files, follows)
        ids = [number for item in line for number in range(item.first, item.first + item.chunks)]
        at = ids.index(row.id)
        wanted.update(ids[max(at - REACH, 0) : at + REACH + 1])
    return {row.id: row for row in db.chunks(wanted)}


def _line(
    db: Rows, file: FileRow, files: dict[int, FileRow], follows: dict[int, int]
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
            place += last.chunks + (0 if follows.get(last.id) == file.id else _APART)
        starts[file.id] = place
        last = file
    return starts


def _by_place(file: FileRow) -> tuple[str, int]:
    return file.group, file.order
