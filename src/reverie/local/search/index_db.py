"""The bookkeeping of an index: which files and chunks it has, and which segments hold them.

Rules
- Its commit (`snapshotdb`) is the only moment anything
  changes for a reader: segments are written before it and removed after it. So whatever is killed
  when, an index is as it was or as it should be.
- It says what it was made for (root, tokenizer, chunks, embedder). Made for something else, corrupt
  or gone: it is begun anew from the files. Nothing in it is kept anywhere else, and nothing is lost.
- Readers need no lock and write nothing; a number of a chunk is never given twice.
"""

from __future__ import annotations

import secrets
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reverie.errors import IndexBroken
from reverie.local.disk.snapshot import SnapshotDb
from reverie.types.ranking import ChunkRow, FileRow

__all__ = ["IndexDb", "KeptRows", "SegmentRow"]

_VERSION: Final = 4
_SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE file (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, signature TEXT NOT NULL, digest TEXT NOT NULL,
  first INTEGER NOT NULL, count INTEGER NOT NULL, tokens INTEGER NOT NULL, title TEXT NOT NULL,
  label TEXT NOT NULL, grp TEXT NOT NULL, ord INTEGER NOT NULL, problem TEXT NOT NULL
);
CREATE INDEX file_label ON file (label) WHERE label != '';
CREATE INDEX file_group ON file (grp, ord) WHERE grp != '';
CREATE TABLE chunk (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL, place INTEGER NOT NULL, first INTEGER NOT NULL,
  last INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, crc INTEGER NOT NULL,
  cid BLOB NOT NULL, speaker TEXT NOT NULL, flags INTEGER NOT NULL, day INTEGER NOT NULL
);
CREATE TABLE segment (
  name TEXT PRIMARY KEY, first INTEGER NOT NULL, chunks INTEGER NOT NULL, terms INTEGER NOT NULL,
  dead BLOB NOT NULL, dead_terms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE ready (cid BLOB PRIMARY KEY, vector BLOB NOT NULL, scale REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE folder (path TEXT PRIMARY KEY, changed INTEGER NOT NULL) WITHOUT ROWID;
"""
_FILE: Final = "id, path, signature, digest, first, count, tokens, title, label, grp, ord, problem"
_CHUNK: Final = "id, file, place, first, last, start, stop, crc, cid, speaker, flags, day"
_TOTALS: Final = ("files", "chunks", "tokens")
_MANY: Final = 500  # values in one statement
_KEPT_CHUNKS: Final = 2048  # a megabyte
_KEPT_FILES: Final = 1024  # three quarters of one


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One segment and its dead places."""

    name: str
    first: int
    chunks: int
    terms: int
    dead: bytes
    dead_terms: int

    def dead_places(self) -> array[int]:
        """Return the places of chunks that are no more."""
        return array("I", self.dead)


class IndexDb(SnapshotDb):
    """One state of the bookkeeping; see `snapshotdb`."""

    def __init__(self, path: Path, *, identity: str, kept: bool = True) -> None:
        self._identity = identity
        super().__init__(path, error=IndexBroken, kept=kept)

    def begin(self) -> None:
        """Make the tables of an index that has nothing yet."""
        self.make(_SCHEMA, _VERSION)
        facts = {"identity": self._identity, "indexed": "", "next": 1}
        facts |= {"generation": secrets.randbits(62), **dict.fromkeys(_TOTALS, 0)}
        self.db.executemany("INSERT INTO meta VALUES (?, ?)", facts.items())

    def fits(self) -> bool:
        """Say whether it was made for this very use."""
        return self.version() == _VERSION and self.meta("identity") == self._identity

    def meta(self, key: str) -> Any:
        """Return one fact about the index."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, key: str, value: object) -> None:
        """Note one fact about the index."""
        self.change("INSERT OR REPLACE INTO meta VALUES (?, ?)", [(key, value)])

    def next_generation(self) -> None:
        """Tell readers that something changed."""
        # Drawn, not counted: an index begun anew must not look like a state of the one before.
        self.set_meta("generation", secrets.randbits(62))

    # --- files ------------------------------------------------------------------------------------

    def signatures(self, below: str | None = None) -> dict[str, str]:
        """Return the signature of every file, or of those directly in one folder."""
        if below is None:
            return dict(self.db.execute("SELECT path, signature FROM file"))
        prefix = f"{below}/" if below else ""
        rows = self.db.execute(
            "SELECT path, signature FROM file WHERE path >= ? AND path < ?",
            (prefix, f"{below}0" if below else "\U0010ffff"),
        )
        return {path: mark for path, mark in rows if "/" not in path[len(prefix) :]}

    def file(self, path: str) -> FileRow | None:
        return next(self._files("WHERE path = ?", (path,)), None)

    def labelled(self, label: str) -> FileRow | None:
        """Return one file by its name in results."""
        return next(self._files("WHERE label = ? AND label != ''", (label,)), None)

    def files(self, ids: Sequence[int]) -> dict[int, FileRow]:
        """Return files by their numbers."""
        found: dict[int, FileRow] = {}
        for start in range(0, len(ids), _MANY):
            some = ids[start : start + _MANY]
            marks = ",".join("?" * len(some))
            found |= {row.id: row for row in self._files(f"WHERE id IN ({marks})", some)}
        return found

    def around(self, group: str, order: int, reach: int) -> list[FileRow]:
        """Return the files of a group before, at and after a place, in order."""
        # A partial index is used only where the statement says that it is enough.
        before = self._files(
            "WHERE grp = ? AND grp != '' AND ord < ? ORDER BY ord DESC LIMIT ?",
            (group, order, reach),
        )
        after = self._files(
            "WHERE grp = ? AND grp != '' AND ord >= ? ORDER BY ord LIMIT ?",
            (group, order, reach + 1),
        )
        return [*reversed(list(before)), *after]

    def ranges(self, where: str, values: Sequence[object]) -> list[tuple[int, int, int]]:
        """Return first chunk, number of chunks and tokens of the files that meet a condition."""
        statement = f"SELECT first, count, tokens FROM file WHERE problem = '' AND ({where})"
        return self.db.execute(statement, values).fetchall()

    def problems(self) -> list[tuple[str, str]]:
        """Return the files that cannot be searched, with the reason."""
        return self.db.execute("SELECT path, problem FROM file WHERE problem != ''").fetchall()

    def totals(self) -> tuple[int, int, int]:
        """Return how many files, chunks and tokens there are."""
        return int(self.meta("files")), int(self.meta("chunks")), int(self.meta("tokens"))

    def _count(self, rows: Sequence[FileRow], sign: int) -> None:
        # Kept up to date with each file: counting a million of them would take longer than a search.
        counted = [row for row in rows if not row.problem]
        steps = {
            "files": len(counted),
            "chunks": sum(row.chunks for row in counted),
            "tokens": sum(row.tokens for row in counted),
        }
        if counted:
            self.change(
                "UPDATE meta SET value = value + ? WHERE key = ?",
                [(sign * step, key) for key, step in steps.items()],
            )

    def put_files(self, rows: Sequence[FileRow]) -> int:
        """Note files; return the number of the first, which the others follow."""
        self._count(rows, 1)
        (last,) = self.db.execute("SELECT coalesce(max(id), 0) FROM file").fetchone()
        statement = f"INSERT INTO file ({_FILE}) VALUES ({','.join('?' * 12)})"
        self.change(statement, [(number, *row[1:]) for number, row in enumerate(rows, last + 1)])
        return int(last) + 1

    def sign(self, path: str, signature: str) -> None:
        """Note that a file was looked at again and says what it said."""
        self.change("UPDATE file SET signature = ? WHERE path = ?", [(signature, path)])

    def drop_file(self, row: FileRow) -> None:
        """Forget a file and its chunks."""
        self._count([row], -1)
        self.change("DELETE FROM file WHERE id = ?", [(row.id,)])
        ids = (row.first, row.first + row.chunks)
        self.change("DELETE FROM chunk WHERE id >= ? AND id < ?", [ids])

    def _files(self, where: str, values: Sequence[object]) -> Iterator[FileRow]:
        return map(FileRow._make, self.db.execute(f"SELECT {_FILE} FROM file {where}", values))

    # --- chunks and segments ----------------------------------------------------------------------

    def chunks(self, ids: Iterable[int]) -> list[ChunkRow]:
        """Return chunks by their numbers, in order; numbers that are no chunk are left out."""
        wanted = sorted(set(ids))
        found: list[ChunkRow] = []
        for start in range(0, len(wanted), _MANY):
            some = wanted[start : start + _MANY]
            marks = ",".join("?" * len(some))
            statement = f"SELECT {_CHUNK} FROM chunk WHERE id IN ({marks}) ORDER BY id"
            found += map(ChunkRow._make, self.db.execute(statement, some))
        return found

    def chunks_of(self, row: FileRow) -> list[ChunkRow]:
        """Return the chunks of a file."""
        return self.chunks(range(row.first, row.first + row.chunks))

    def put_chunks(self, rows: Iterable[ChunkRow]) -> None:
        """Note chunks."""
        marks = ",".join("?" * len(ChunkRow._fields))
        self.change(f"INSERT INTO chunk ({_CHUNK}) VALUES ({marks})", map(tuple, rows))

    def segments(self) -> list[SegmentRow]:
        """Return the segments, in the order of their chunks."""
        rows = self.db.execute(
            "SELECT name, first, chunks, terms, dead, dead_terms FROM segment ORDER BY first"
        )
        return [SegmentRow(*row) for row in rows]

    def put_segment(self, row: SegmentRow) -> None:
        """Note a segment, or its new dead places."""
        self.change(
            "INSERT OR REPLACE INTO segment VALUES (?, ?, ?, ?, ?, ?)",
            [(row.name, row.first, row.chunks, row.terms, row.dead, row.dead_terms)],
        )

    def drop_segments(self, names: Iterable[str]) -> None:
        """Forget segments."""
        self.change("DELETE FROM segment WHERE name = ?", [(name,) for name in names])

    # --- vectors of files that are not taken in yet -------------------------------------------------

    def ready(self) -> dict[bytes, tuple[bytes, float]]:
        """Return the vectors that were made before the time was up, by what their chunks say."""
        rows = self.db.execute("SELECT cid, vector, scale FROM ready")
        return {cid: (vector, scale) for cid, vector, scale in rows}

    def keep_ready(self, made: Mapping[bytes, tuple[bytes, float]]) -> None:
        """Keep vectors for the next time."""
        rows = [(cid, *vector) for cid, vector in made.items()]
        self.change("INSERT OR REPLACE INTO ready VALUES (?, ?, ?)", rows)

    def drop_ready(self) -> None:
        """Let go of the vectors that were kept."""
        self.change("DELETE FROM ready", [()])

    def clear(self) -> None:
        """Forget everything but the next number."""
        for table in ("file", "chunk", "segment", "folder", "ready"):
            self.change(f"DELETE FROM {table}", [()])
        for key in _TOTALS:
            self.set_meta(key, 0)

    # --- folders ----------------------------------------------------------------------------------

    def folders(self) -> dict[str, int]:
        """Return the time noted for each folder."""
        return dict(self.db.execute("SELECT path, changed FROM folder"))

    def put_folder(self, path: str, changed: int) -> None:
        """Note that everything in a folder is known as of this time."""
        self.change("INSERT OR REPLACE INTO folder VALUES (?, ?)", [(path, changed)])

    def drop_folder(self, path: str) -> None:
        """Forget a folder that is gone."""
        self.change("DELETE FROM folder WHERE path = ?", [(path,)])


class KeptRows:
    """The rows that searches of one state asked for: the same ones are candidates again and again."""

    def __init__(self, db: IndexDb) -> None:
        self._db = db
        self._chunks: dict[int, ChunkRow] = {}
        self._files: dict[int, FileRow] = {}

    def chunks(self, ids: Iterable[int]) -> list[ChunkRow]:
        """Return chunks by their numbers, in order; numbers that are no chunk are left out."""
        wanted, known = sorted(set(ids)), self._chunks
        missing = [number for number in wanted if number not in known]
        if missing:
            if len(known) + len(missing) > _KEPT_CHUNKS:
                known = self._chunks = {
                    number: known[number] for number in wanted if number in known
                }
            known.update((row.id, row) for row in self._db.chunks(missing))
        return [known[number] for number in wanted if number in known]

    def files(self, ids: Sequence[int]) -> dict[int, FileRow]:
        """Return files by their numbers."""
        known = self._files
        missing = [number for number in ids if number not in known]
        if missing:
            if len(known) + len(missing) > _KEPT_FILES:
                known = self._files = {number: known[number] for number in ids if number in known}
            known.update(self._db.files(missing))
        return {number: known[number] for number in ids if number in known}

    def around(self, group: str, order: int, reach: int) -> list[FileRow]:
        """Return the files of a group before, at and after a place, in order."""
        return self._db.around(group, order, reach)
