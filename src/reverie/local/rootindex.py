"""The index of one root as searches read it: a database and the segments it names.

Rules
- A reading sees one finished state from its beginning to its end, whatever is written meanwhile.
- An index that is broken or was thrown away is begun anew; the next sync fills it from the files.
- The folder's name says what the index was made for, so a changed tokenizer, chunk size or embedder
  has an index of its own, and vectors of two embedders are never in one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reverie.core.chunk import CHUNK_VERSION
from reverie.core.tokens import TOKENIZER_VERSION
from reverie.errors import IndexBroken, Locked, ReadOnly
from reverie.local.indexdb import IndexDb
from reverie.local.lexical import View
from reverie.local.locks import file_lock
from reverie.local.segment import Segment

if TYPE_CHECKING:
    from reverie.core.chunk import ChunkSize
    from reverie.local.indexdb import SegmentRow
    from reverie.local.sources import Root
    from reverie.ports import Embedder

__all__ = ["Filter", "Recipe", "RootIndex", "Snapshot"]

_FORMAT: Final = "1"
_NAME_CHARS: Final = 12
_KEPT_VERSIONS: Final = 2  # indexes of one root for different settings; the oldest goes
_TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an index is made. Another recipe makes another index."""

    size: ChunkSize
    embedder: Embedder | None
    max_file_bytes: int
    signs_above: int = 50_000

    @property
    def identity(self) -> str:
        """Everything that changes what is stored."""
        vectors = self.embedder.identity if self.embedder else "none"
        size = f"{CHUNK_VERSION} {self.size.tokens}/{self.size.overlap} {self.max_file_bytes}"
        words = f"{TOKENIZER_VERSION} {sys.byteorder}"
        return f"format {_FORMAT}; words {words}; chunks {size}; vectors {vectors}"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which files of a root may be seen: a condition on their rows."""

    where: str
    values: tuple[object, ...]


class Snapshot:
    """One finished state of an index."""

    def __init__(
        self, db: IndexDb, rows: Sequence[SegmentRow], segments: Sequence[Segment]
    ) -> None:
        self.db = db
        self.rows = rows
        self.segments = segments

    def views(self, only: Filter | None) -> list[View]:
        """Return the segments with what may be seen of each."""
        ranges = self.db.ranges(only.where, only.values) if only else None
        found: list[View] = []
        for row, segment in zip(self.rows, self.segments, strict=True):
            if ranges is None and not row.dead:
                found.append(View(segment, None, row.chunks, row.terms))
                continue
            if ranges is not None:
                found.append(_part(segment, ranges))
                continue
            dead = row.dead_places()
            shown = bytearray(b"\1" * segment.size)
            for place in dead:
                shown[place] = 0
            chunks, terms = row.chunks - len(dead), row.terms - row.dead_terms
            found.append(View(segment, bytes(shown), chunks, terms))
        return [view for view in found if view.chunks]


def _part(segment: Segment, ranges: Sequence[tuple[int, int, int]]) -> View:
    """Show the chunks of some files. Dead ones are no file's, and a number is never given twice."""
    shown = bytearray(segment.size)
    chunks = terms = 0
    for first, count, _ in ranges:
        start, stop = bisect_left(segment.ids, first), bisect_left(segment.ids, first + count)
        shown[start:stop] = b"\1" * (stop - start)
        chunks += stop - start
        terms += sum(segment.lengths[start:stop])
    return View(segment, bytes(shown), chunks, terms)


class RootIndex:
    """The open index of one root. Safe to use from several threads and processes."""

    def __init__(self, root: Root, home: Path, recipe: Recipe, *, wait: float = 10.0) -> None:
        real = os.path.realpath(root.path)
        self.root = root
        self.recipe = recipe
        self.identity = f"{recipe.identity}; {root.kind} {real}"
        name = f"{root.name}-{_short(f'{root.kind} {real}')}"
        self.folder = home / name / _short(self.identity)
        self.wait = wait
        self._guard = threading.RLock()
        self._db: IndexDb | None = None
        self._segments: dict[str, Segment] = {}
        self._generation = -1
        self._rows: list[SegmentRow] = []
        self._known: tuple[int, dict[str, str]] = (-1, {})

    @property
    def lock(self) -> Path:
        """The lock file of whoever writes."""
        return self.folder.with_name(f"{self.folder.name}.lock")

    def exists(self) -> bool:
        """Say whether anything was indexed yet."""
        return (self.folder / "index.db").exists()

    def close(self) -> None:
        """Close the database."""
        with self._guard:
            if self._db:
                self._db.close()
            self._db = None
            self._segments.clear()
            self._generation = -1
            self._known = (-1, {})

    def connect(self) -> IndexDb:
        """Open a connection of one's own, which the caller closes."""
        return IndexDb(self.folder / "index.db", identity=self.identity, wait=self.wait)

    def discard(self) -> None:
        """Throw the index away; it is made anew from the files."""
        self.close()
        with file_lock(self.lock, wait=self.wait, purpose="replacing a broken index"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def sound(self) -> bool:
        """Say whether all of the index can be read."""
        try:
            with self.reading() as snapshot:
                snapshot.db.examine()
        except IndexBroken:
            return False
        return True

    @contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """Look at one finished state."""
        with self._guard:
            if self._db and self._db.replaced():
                self.close()
            if self._db is None:
                self._db = self._opened()
            db = self._db
            for left in reversed(range(_TRIES)):
                with db.transaction("DEFERRED"):
                    generation = int(db.meta("generation"))
                    try:
                        self._load(db, generation)
                    except FileNotFoundError:
                        # Between its commit and our look a writer removed what it had replaced.
                        if left:
                            continue
                        raise IndexBroken(f"{self.folder}: a segment is missing") from None
                    except ValueError as error:
                        raise IndexBroken(str(error)) from None
                    yield Snapshot(db, self._rows, [self._segments[row.name] for row in self._rows])
                    return

    def _opened(self) -> IndexDb:
        try:
            return self.connect()
        except ReadOnly:
            if not self.exists():
                raise
            return IndexDb(
                self.folder / "index.db", identity=self.identity, wait=self.wait, read_only=True
            )

    def _load(self, db: IndexDb, generation: int) -> None:
        if generation == self._generation:
            return
        rows = db.segments()
        opened = dict(self._segments)
        for row in rows:
            if row.name not in opened:
                opened[row.name] = Segment(self.folder / row.name)
        self._segments = {row.name: opened[row.name] for row in rows}
        self._rows = rows
        self._generation = generation

    def signatures(self, db: IndexDb) -> dict[str, str]:
        """Return the signature of every file; the table is read once per state."""
        generation = int(db.meta("generation"))
        with self._guard:
            if self._known[0] != generation:
                self._known = generation, db.signatures()
            return dict(self._known[1])

    def size_on_disk(self) -> int:
        """Count the bytes of the index."""
        total = 0
        with suppress(FileNotFoundError), os.scandir(self.folder) as listing:
            total = sum(item.stat().st_size for item in listing if item.is_file())
        return total

    def sweep(self) -> None:
        """Remove the indexes of this root that were made for other settings, but for the latest."""
        os.utime(self.folder)
        with os.scandir(self.folder.parent) as listing:
            folders = [(item.stat().st_mtime_ns, item.path) for item in listing if item.is_dir()]
        for _, path in sorted(folders, reverse=True)[_KEPT_VERSIONS:]:
            with suppress(Locked), file_lock(Path(f"{path}.lock"), wait=0.0, purpose="sweeping"):
                shutil.rmtree(path, ignore_errors=True)


def _short(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:_NAME_CHARS]
