"""Batches: changed files are prepared, numbered and written as a segment, batch after batch.

Rules
- A file is never divided between batches. Until a batch is committed nobody knows of its segment.
- A chunk whose text did not change keeps its vector.
- When the time is up in the middle of a batch, nothing of it is taken in, and the vectors that were made
  are kept for the next time: one large file costs a search no more than its time, and is whole in the end.
- The first batches are small, so that something can be found soon; quick ones make the next larger.
- Much that is new is prepared by as many processes as there are processors, and taken in in the order of the
  files. A process that fails or is missing costs time, nothing else: its batch is prepared here.
"""

from __future__ import annotations

import os
import queue
import secrets
import socket
import subprocess
import sys
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Self

import reverie
from reverie.errors import IndexBroken
from reverie.local.search.preparing import (
    CHANGED,
    Asked,
    Prepared,
    Taken,
    add_vectors,
    prepare,
    receive,
    send,
)
from reverie.local.search.segment import Segment, packed

if TYPE_CHECKING:
    from reverie.local.search.index_db import IndexDb
    from reverie.local.search.preparing import Vector
    from reverie.local.search.root_index import Recipe, RootIndex
    from reverie.local.search.sources import Found, Root

__all__ = ["Batch", "BatchMaker"]

_FIRST_BYTES: Final = 16_000
_MOST_BYTES: Final = 1_600_000
_MOST_IN_TIME: Final = 64_000
"""Bytes that another process is given where time is short: what it has not finished is lost."""
_LEAST_BYTES: Final = 400  # what a file costs beside its text
_QUICK_SECONDS: Final = 2.0
_MUCH: Final = 3_000_000  # bytes that are new; less is done before processes have started
_MOST_PROCESSES: Final = 4
_MAIN: Final = "from reverie.local.search.preparing import main; main()"
_PROGRAM: Final = (sys.executable, "-P", "-c", _MAIN)
_ONE_THREAD: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(slots=True)
class Batch:
    """Files ready to be taken in: their segment is on the disk, and nobody knows of it yet."""

    taken: list[Taken] = field(default_factory=list)
    """Their chunks are numbered."""
    signed: list[Found] = field(default_factory=list)
    """Files that were touched but say what they said."""
    name: str = ""
    first: int = 0
    chunks: int = 0
    length: int = 0
    dimension: int = 0
    embedded: int = 0


class BatchMaker:
    """Makes the batches of one sync; only whoever holds the lock may.

    Args:
        is_over: Says whether the time is up; None where there is all the time it takes.
    """

    def __init__(
        self, index: RootIndex, db: IndexDb, *, is_over: Callable[[], bool] | None = None
    ) -> None:
        self._index = index
        self._db = db
        self._is_over = is_over
        self._segments: dict[str, Segment] = {}

    def segment(self, name: str) -> Segment:
        """Open a segment that the database names."""
        if name not in self._segments:
            self._segments[name] = self._index.open_segment(name)
        return self._segments[name]

    def batches(
        self, files: Sequence[Found], commit: Callable[[Batch], None], *, alone: bool = False
    ) -> Iterator[int]:
        """Make and commit batch after batch; yields how many files are left after each.

        Args:
            alone: Start no processes.
        """
        left = len(files)
        for count, prepared in self._prepared(files, 0 if alone else _processes()):
            if prepared is None:
                yield left
                return
            commit(self._numbered(prepared))
            left -= count
            yield left

    def _prepared(
        self, files: Sequence[Found], processes: int
    ) -> Iterator[tuple[int, Prepared | None]]:
        """Prepare what is new in other processes, if it is much; what changed has vectors to keep.

        None stands for the files at which the time was up.
        """
        most = _MOST_IN_TIME if self._is_over else _MOST_BYTES
        new: list[Found] = []
        known: Mapping[str, str] = {}
        if processes > 1 and sum(map(_cost, files)) >= _MUCH:
            known = self._db.signatures() if self._db.totals()[0] else known
            fits = (found for found in files if not self._is_over or _cost(found) <= most)
            new = [found for found in fits if found.rel not in known]
        if not new or sum(map(_cost, new)) < _MUCH:
            yield from self._prepared_here(files)
            return
        others = {found.rel for found in new}
        here = [found for found in files if found.rel not in others]
        yield from self._prepared_here([found for found in here if found.rel in known])
        with Crew(self._index.root, self._index.recipe, processes) as crew:
            yield from self._prepared_by(crew, new, most)
        # Those that are too large for the time come last, so that they keep nothing else waiting.
        yield from self._prepared_here([found for found in here if found.rel not in known])

    def _prepared_here(self, files: Sequence[Found]) -> Iterator[tuple[int, Prepared | None]]:
        size = _FIRST_BYTES
        asked: list[Asked] = []
        total = 0
        begin = time.monotonic()
        for number, found in enumerate(files, 1):
            asked.append(self._asked(found))
            total += _cost(found)
            if total >= size or number == len(files):
                yield len(asked), self._prepare(asked)
                if time.monotonic() - begin < _QUICK_SECONDS:
                    size = min(2 * size, _MOST_BYTES)
                asked, total, begin = [], 0, time.monotonic()

    def _prepared_by(
        self, crew: Crew, files: Sequence[Found], most: int
    ) -> Iterator[tuple[int, Prepared | None]]:
        for asked, made in crew.prepared(_portions(files, most)):
            if made is None:
                yield len(asked), self._prepare(asked)
            else:
                yield len(asked), self._with_vectors(made) if made.fresh else made

    def _asked(self, found: Found) -> Asked:
        old = self._db.file(found.rel)
        return Asked(found, old.digest if old and not old.problem else "")

    def _prepare(self, asked: Sequence[Asked]) -> Prepared | None:
        recipe = self._index.recipe
        meaning = recipe.embedder is not None
        made = prepare(self._index.root, recipe, asked, self._vectors_of, meaning=meaning)
        return self._with_vectors(made)

    def _with_vectors(self, made: Prepared) -> Prepared | None:
        """Embed what has no vector yet; None where the time was up first, and what was made is kept."""
        ready = self._db.ready() if made.fresh else {}
        over = self._is_over or _never
        unfinished = add_vectors(made, self._index.recipe.embedder, ready=ready, is_over=over)
        if unfinished is None:
            return made
        dimension = len(next(iter(unfinished.values()))[0])
        self._check(dimension)
        with self._db.transaction():
            self._db.keep_ready(unfinished)
            self._db.set_meta("dimension", dimension)
        return None

    def _numbered(self, prepared: Prepared) -> Batch:
        """Number the chunks, and write their segment."""
        first = int(self._db.meta("next"))
        draft = prepared.draft
        taken = [
            one._replace(
                row=one.row and one.row._replace(first=first + one.row.first),
                chunks=tuple(row._replace(id=first + row.id) for row in one.chunks),
            )
            for one in prepared.taken
        ]
        made = Batch(taken, prepared.signed, first=first, chunks=len(draft.ids))
        made.embedded = prepared.embedded
        if not draft.ids:
            return made
        made.dimension = draft.dimension
        self._check(draft.dimension)
        made.length = sum(draft.lengths)
        made.name = f"{first:010d}-{secrets.token_hex(4)}.seg"
        named = replace(draft, ids=array("I", range(first, first + made.chunks)))
        signs_above = self._index.recipe.signs_above
        self._index.keep_segment(made.name, packed(made.name, named, signs_above=signs_above))
        return made

    def _check(self, dimension: int) -> None:
        """Refuse vectors of another size than those of the index; it is begun anew then."""
        known = self._db.meta("dimension")
        if dimension and known is not None and known != dimension:
            raise IndexBroken(CHANGED)

    def _vectors_of(self, found: Found) -> Mapping[bytes, Vector]:
        """Return the vectors a file's chunks have, by what the chunks say."""
        row = self._db.file(found.rel)
        if row is None or not row.chunks or not self._index.recipe.embedder:
            return {}
        vectors: dict[bytes, Vector] = {}
        segments = [self.segment(item.name) for item in self._db.segments()]
        for chunk in self._db.chunks_of(row):
            for segment in segments:
                place = segment.place(chunk.id)
                if place is not None:
                    vectors[chunk.cid] = segment.vector(place), segment.scales[place]
        return vectors


def _processes() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, _MOST_PROCESSES)


def _cost(found: Found) -> int:
    return found.size + _LEAST_BYTES


def _never() -> bool:
    return False


def _portions(files: Sequence[Found], most: int) -> Iterator[list[Asked]]:
    """Divide files into batches, small ones first."""
    size, total = _FIRST_BYTES, 0
    asked: list[Asked] = []
    for found in files:
        asked.append(Asked(found))
        total += _cost(found)
        if total >= size:
            yield asked
            asked, total, size = [], 0, min(2 * size, most)
    if asked:
        yield asked


class Crew:
    """Processes that prepare batches, for as long as the block lasts.

    An embedder goes with them if it says that it can be copied (`portable`); another one stays here.
    """

    def __init__(self, root: Root, recipe: Recipe, count: int) -> None:
        portable = getattr(recipe.embedder, "portable", False)
        own = recipe if portable else replace(recipe, embedder=None)
        self._setting = root, own, recipe.embedder is not None
        self._count = count
        self._workers: list[tuple[subprocess.Popen[bytes], socket.socket]] = []
        self._idle: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="indexing")

    def __enter__(self) -> Self:
        env = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
        for _ in range(self._count):
            ours, theirs = socket.socketpair()
            self._idle.put(ours)
            with theirs, suppress(OSError):  # none can be started: everything is prepared here
                process = subprocess.Popen(
                    [*_PROGRAM, str(theirs.fileno()), reverie.__file__],
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=env,
                )
                self._workers.append((process, ours))
                with suppress(OSError):
                    send(ours, self._setting)
        return self

    def __exit__(self, *error: object) -> None:
        for process, line in self._workers:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)  # whoever waits for it is told
            process.kill()  # it writes nothing, so nothing can be left half done
            process.wait()
        self._threads.shutdown(cancel_futures=True)
        while not self._idle.empty():
            self._idle.get().close()

    def prepared(
        self, portions: Iterator[list[Asked]]
    ) -> Iterator[tuple[list[Asked], Prepared | None]]:
        """Yield what the processes made of each portion, in order; None where one failed."""
        waiting: deque[tuple[list[Asked], Future[Prepared | None]]] = deque()
        for asked in portions:
            waiting.append((asked, self._threads.submit(self._ask, asked)))
            if len(waiting) > self._count + 1:
                first, future = waiting.popleft()
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()

    def _ask(self, asked: list[Asked]) -> Prepared | None:
        line = self._idle.get()
        try:
            send(line, asked)
            made: Prepared | None = receive(line)
        except (OSError, EOFError):
            return None
        else:
            return made
        finally:
            self._idle.put(line)
