"""The index of one root as searches read it: a database and the segments it names.

Rules
- A reading sees one finished state from its beginning to its end, whatever is written meanwhile.
- An index that is broken or was thrown away is begun anew; the next sync fills it from the files.
- Where nothing can be written, an index is kept in memory, on top of what the disk has.
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
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reverie.core.search.chunk import CHUNK_VERSION
from reverie.core.search.indexing import MEANT_VERSION
from reverie.core.text.plain import storable
from reverie.core.text.words import TOKENIZER_VERSION
from reverie.errors import IndexBroken, Locked, StoreError
from reverie.local.disk.blocks import store
from reverie.local.disk.locks import file_lock
from reverie.local.disk.os_errors import explained
from reverie.local.search.changes import Standing
from reverie.local.search.index_db import IndexDb, KeptRows
from reverie.local.search.lexical import View
from reverie.local.search.segment import Segment

if TYPE_CHECKING:
    from reverie.core.search.chunk import ChunkSize
    from reverie.local.disk.blocks import Buffer
    from reverie.local.search.index_db import SegmentRow
    from reverie.local.search.sources import Root
    from reverie.ports import Embedder

__all__ = ["Filter", "HeldIndex", "Recipe", "RootIndex", "Snapshot", "no_surprise"]

_FORMAT: Final = "2"
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
        vectors = f"{self.embedder.identity} {MEANT_VERSION}" if self.embedder else "none"
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
        self,
        db: IndexDb,
        kept: KeptRows,
        rows: Sequence[SegmentRow],
        segments: Sequence[Segment],
    ) -> None:
        self.db = db
        self.kept = kept
        """Its chunks and files, for who asks for them by their numbers."""
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
        self.identity = storable(f"{recipe.identity}; {root.kind} {real}")
        name = f"{root.name}-{_short(f'{root.kind} {real}')}"
        self.folder = home / name / _short(self.identity)
        self.wait = wait
        self._guard = threading.RLock()
        self._db: IndexDb | None = None
        self._segments: dict[str, Segment] = {}
        self._generation = -1
        self._rows: list[SegmentRow] = []
        self._kept: KeptRows | None = None
        self._known: tuple[int, dict[str, str]] = (-1, {})
        self.standing = Standing(root)
        """What was last found of the files."""
        self.broken: IndexBroken | None = None
        """What a reading met; from then on there is none until the index was made anew."""

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
            self._kept = None
            self._generation = -1
            self._known = (-1, {})

    def connect(self) -> IndexDb:
        """Open the bookkeeping for writing; `disconnect` gives it back."""
        return IndexDb(self.folder / "index.db", identity=self.identity)

    def disconnect(self, db: IndexDb) -> None:
        """Give back what `connect` opened."""
        db.close()

    def locked(self, wait: float, purpose: str) -> AbstractContextManager[None]:
        """Be the only one who writes."""
        return file_lock(self.lock, wait=wait, purpose=purpose)

    def discard(self) -> None:
        """Throw the index away; it is rebuilt from the files."""
        self.close()
        with self.locked(self.wait, "replacing a broken index"):
            self.broken = None
            shutil.rmtree(self.folder, ignore_errors=True)
            if self.exists():
                with explained(self.folder):
                    shutil.rmtree(self.folder)

    # --- segments ---------------------------------------------------------------------------------

    def open_segment(self, name: str) -> Segment:
        """Open a segment that the bookkeeping names."""
        found = self._segments.get(name)
        if found and not found.damaged:
            return found  # what a search has read and checked need not be read again
        path = self.folder / name
        try:
            return Segment(path)
        except FileNotFoundError as error:
            raise IndexBroken(
                f"{path} is gone; the index is rebuilt from the files", path=str(path), gone=True
            ) from error
        except (ValueError, OSError) as error:
            raise IndexBroken(
                f"{error}; the index is rebuilt from the files", path=str(path)
            ) from error

    def keep_segment(self, name: str, pieces: Iterable[Buffer]) -> None:
        """Write a segment; nobody knows of it yet."""
        path = self.folder / name
        try:
            with explained(path):
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                store(path, pieces)
        except StoreError:
            path.unlink(missing_ok=True)
            raise

    def drop_segments(self, named: Collection[str]) -> None:
        """Remove the segments that are not named any more."""
        for path in self.folder.glob("*.seg"):
            if path.name not in named:
                path.unlink(missing_ok=True)

    # --- reading ----------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """Look at one finished state."""
        with self._guard:
            if self.broken:
                raise self.broken
            if self._db and self._db.replaced():
                self.close()
            for left in reversed(range(_TRIES)):
                if self._db is None:
                    self._db = self.connect()
                db = self._db
                db.refresh()
                try:
                    with db.checked():
                        self._load(db, int(db.meta("generation")))
                except IndexBroken as error:
                    # Between its commit and our look a writer removed what it had replaced.
                    if not left or not error.evidence.get("gone"):
                        raise
                    continue
                with db.checked():
                    segments = [self._segments[row.name] for row in self._rows]
                    yield Snapshot(db, self._kept or KeptRows(db), self._rows, segments)
                return

    def is_hurt(self) -> bool:
        """Say whether a segment turned out to be damaged while it was read."""
        return any(segment.damaged for segment in self._segments.values())

    def _load(self, db: IndexDb, generation: int) -> None:
        if generation == self._generation:
            return
        rows = db.segments()
        opened = dict(self._segments)
        for row in rows:
            if row.name not in opened:
                opened[row.name] = self.open_segment(row.name)
        self._segments = {row.name: opened[row.name] for row in rows}
        self._rows = rows
        self._kept = KeptRows(db)
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
        with explained(self.folder):
            os.utime(self.folder)
            with os.scandir(self.folder.parent) as listing:
                folders = [
                    (item.stat().st_mtime_ns, item.path) for item in listing if item.is_dir()
                ]
        for _, path in sorted(folders, reverse=True)[_KEPT_VERSIONS:]:
            with suppress(Locked), file_lock(Path(f"{path}.lock"), wait=0.0, purpose="sweeping"):
                shutil.rmtree(path, ignore_errors=True)


class HeldIndex(RootIndex):
    """An index in memory, on top of what the disk has: for a disk that is full or may not be written."""

    def __init__(self, root: Root, home: Path, recipe: Recipe, *, wait: float = 10.0) -> None:
        super().__init__(root, home, recipe, wait=wait)
        self._pieces: dict[str, bytes] = {}
        self._own: IndexDb | None = None

    def exists(self) -> bool:
        """Say that there is an index: it is begun when it is asked for."""
        return True

    def connect(self) -> IndexDb:
        """Begin with what the disk has, as far as that can be read."""
        if self._own is None:
            path = self.folder / "index.db"
            try:
                self._own = IndexDb(path, identity=self.identity, kept=False)
                for row in self._own.segments():
                    self.open_segment(row.name)
            except (IndexBroken, StoreError):
                self._own = self._anew()
        return self._own

    def _anew(self) -> IndexDb:
        return IndexDb(self.folder / "nothing", identity=self.identity, kept=False)

    def disconnect(self, db: IndexDb) -> None:
        """Keep it: this is all there is."""

    def close(self) -> None:
        """Let go of the segments; what is held stays."""
        with self._guard:
            self._db = None
            self._segments.clear()
            self._kept = None
            self._generation = -1
            self._known = (-1, {})

    @contextmanager
    def locked(self, wait: float, purpose: str) -> Iterator[None]:  # noqa: ARG002  # as on the disk
        """Keep other threads out; other processes have a memory of their own."""
        with self._guard:
            yield

    def discard(self) -> None:
        """Begin anew, with nothing from the disk."""
        with self._guard:
            self.close()
            self.broken = None
            self._pieces.clear()
            self._own = self._anew()

    def open_segment(self, name: str) -> Segment:
        """Open a segment that is held, or that the disk has."""
        if name in self._pieces:
            return Segment(self.folder / name, self._pieces[name])
        return super().open_segment(name)

    def keep_segment(self, name: str, pieces: Iterable[Buffer]) -> None:
        """Hold a segment."""
        self._pieces[name] = b"".join(pieces)

    def drop_segments(self, named: Collection[str]) -> None:
        """Let go of the segments that are not named any more."""
        self._pieces = {name: data for name, data in self._pieces.items() if name in named}

    def size_on_disk(self) -> int:
        """Count the bytes of what is held."""
        return sum(map(len, self._pieces.values()))

    def sweep(self) -> None:
        """Leave the disk alone."""


@contextmanager
def no_surprise(indexes: Sequence[RootIndex]) -> Iterator[None]:
    """Take whatever does not fit together for damage, of the index where it is, or of any of these."""
    try:
        yield
    except (IndexBroken, ValueError, LookupError, TypeError, OverflowError) as error:
        hurt = [index for index in indexes if index.is_hurt()] or list(indexes)
        broken = error
        if not isinstance(broken, IndexBroken):
            where = str(hurt[0].folder) if hurt else ""
            broken = IndexBroken(f"{where}: {error}", path=where)
        for index in hurt:
            index.broken = broken
        raise broken from error


def _short(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:_NAME_CHARS]
