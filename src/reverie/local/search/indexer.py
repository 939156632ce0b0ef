"""Bring the index of a root up to date with its files.

Rules
- What changed is found by looking at the files, never from memory of events: nothing that happens
  while indexing can be missed, because the look that came before the reading is what is noted.
- A file is in the index whole or not at all. It is read, cut and embedded first; then one short
  transaction takes the old chunks out and the new ones in.
- One writer at a time. Who cannot become it within the wait goes on with the last finished state, and
  who has no more time leaves the rest for the next time.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from reverie.core.search.indexing import taken_in
from reverie.errors import IndexBroken, Locked
from reverie.local.search.batches import Batch, BatchMaker
from reverie.local.search.changes import has_changed, look
from reverie.local.search.compaction import tidy
from reverie.local.search.index_db import IndexDb, SegmentRow
from reverie.local.search.preparing import Taken
from reverie.local.search.root_index import RootIndex
from reverie.local.search.sources import Found
from reverie.progress import tell
from reverie.types import Indexed, Problem
from reverie.types.ranking import ChunkRow, FileRow

__all__ = ["FILLING", "Job", "rebuilt", "sync"]

FILLING: Final = "filling"
"""The fact that an index is being made for the first time and lacks files yet."""

_SHORT_SECONDS: Final = 4.0
_RACY_NS: Final = 100_000_000  # a file younger than this may change again under the same time


class Job:
    """How a sync is to be done.

    Args:
        now: Where the time comes from that `stats` tells.
        wait: How many seconds to wait for another writer.
        seconds: How long to go on; what is left then is for the next time. None: until all is done.
        rebuild: Read every file again; searches see the old state until all is done.
        purge: Leave nothing of removed chunks in any segment either.
    """

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        wait: float,
        seconds: float | None = None,
        rebuild: bool = False,
        purge: bool = False,
    ) -> None:
        self.now = now
        self.wait = wait
        self.rebuild = rebuild
        self.purge = purge
        self.end = None if seconds is None or rebuild else time.monotonic() + seconds

    def is_short(self) -> bool:
        """Say whether there is less time than it takes to start processes and be glad of them."""
        return self.end is not None and self.end - time.monotonic() < _SHORT_SECONDS

    def is_over(self) -> bool:
        """Say whether the time is up."""
        return self.end is not None and time.monotonic() >= self.end


def sync(index: RootIndex, job: Job) -> Indexed:
    """Take in what changed since the last time; a broken index is begun anew."""
    try:
        try:
            return _sync(index, job)
        except IndexBroken as error:
            index.discard()
            done = _sync(index, job)
            return replace(done, problems=(*done.problems, rebuilt(error)))
    except Locked:
        return Indexed(0, 0, 0, 0, current=False)


def rebuilt(error: IndexBroken) -> Problem:
    """Tell that an index was found damaged and made anew."""
    path = str(error.evidence.get("path", ""))
    return Problem(
        "index_rebuilt",
        f"the search index was damaged and has been rebuilt from the files, which are whole ({error})",
        path=path,
    )


def _sync(index: RootIndex, job: Job) -> Indexed:
    if not (job.rebuild or job.purge or has_changed(index)):
        return Indexed(0, 0, 0, 0)
    with index.locked(job.wait, "indexing"):
        db = index.connect()
        try:
            with db.checked():
                return _Writer(index, db, job).run()
        finally:
            index.disconnect(db)


class _Writer:
    """The one process that writes; it holds the lock."""

    def __init__(self, index: RootIndex, db: IndexDb, job: Job) -> None:
        self._index = index
        self._db = db
        self._job = job
        self._maker = BatchMaker(index, db, is_over=None if job.end is None else job.is_over)
        self._done = Indexed(0, 0, 0, 0, rebuilt=job.rebuild)

    def run(self) -> Indexed:
        with self._db.checked():
            changes = look(self._index, self._db, everything=self._job.rebuild)
            if self._job.rebuild:
                with self._db.transaction():
                    self._db.clear()
                    for left in self._maker.batches(changes.files, self._take_in):
                        tell("indexing files", len(changes.files) - left, len(changes.files))
                    self._note(changes.folders, ())
            else:
                with self._db.transaction():
                    self._drop(changes.removed)
                left = 0
                if changes.files and not self._db.totals()[0]:
                    self._db.set_meta(FILLING, 1)
                alone = self._job.is_short()
                for left in self._maker.batches(changes.files, self._commit, alone=alone):
                    tell("indexing files", len(changes.files) - left, len(changes.files))
                    if left and self._job.is_over():
                        break
                if left:
                    self._done = replace(self._done, current=False, left=left)
                else:
                    with self._db.transaction():
                        self._note(changes.folders, changes.gone)
        tidy(self._index, self._db, purge=self._job.purge)
        self._index.sweep()
        return self._done

    def _commit(self, made: Batch) -> None:
        with self._db.transaction():
            self._take_in(made)

    def _take_in(self, made: Batch) -> None:
        """Put a batch where its files' old chunks were."""
        known = self._db.totals()[0] or self._done.files
        olds = [self._db.file(one.found.rel) for one in made.taken] if known else []
        self._forget([row for row in olds if row])
        self._put(made.taken)
        for found in made.signed:
            self._db.sign(found.rel, _mark(found))
        if made.name:
            row = SegmentRow(made.name, made.first, made.chunks, made.length, b"", 0)
            self._db.put_segment(row)
        if made.dimension:
            self._db.set_meta("dimension", made.dimension)
        self._db.set_meta("next", made.first + made.chunks)
        self._db.set_meta("indexed", self._job.now().isoformat())
        self._db.next_generation()
        more = Indexed(len(made.taken), 0, made.chunks, made.embedded)
        self._done = taken_in(self._done, more)

    def _put(self, taken: Sequence[Taken]) -> None:
        there = [one for one in taken if one.row]
        rows = [one.row._replace(signature=_mark(one.found)) for one in there if one.row]
        chunks: list[ChunkRow] = []
        for number, one in enumerate(there, self._db.put_files(rows)):
            chunks += [row._replace(file=number) for row in one.chunks]
            if one.problem:
                problem = Problem("not_searched", one.problem, path=one.found.path)
                self._done = replace(self._done, problems=(*self._done.problems, problem))
        self._db.put_chunks(chunks)

    def _drop(self, removed: Sequence[str]) -> None:
        rows = [row for rel in removed if (row := self._db.file(rel))]
        if rows:
            self._forget(rows)
            self._done = replace(self._done, removed=len(rows))
            self._db.next_generation()

    def _forget(self, rows: Sequence[FileRow]) -> None:
        """Take files out; their places in the segments are dead from now on."""
        for row in rows:
            self._db.drop_file(row)
        gone = [range(row.first, row.first + row.chunks) for row in rows if row.chunks]
        for item in self._db.segments() if gone else ():
            segment = self._maker.segment(item.name)
            first, last = segment.ids[0], segment.ids[-1]
            near = [ids for ids in gone if ids.start <= last and ids.stop > first]
            places = {segment.place(id_) for ids in near for id_ in ids} - {None}
            if places:
                dead = sorted(
                    {*item.dead_places(), *(place for place in places if place is not None)}
                )
                lost = sum(segment.lengths[place] for place in dead)
                blob = array("I", dead).tobytes()
                self._db.put_segment(replace(item, dead=blob, dead_terms=lost))

    def _note(self, folders: Mapping[str, int], gone: Sequence[str]) -> None:
        self._db.set_meta(FILLING, 0)
        self._db.drop_ready()
        limit = time.time_ns() - _RACY_NS
        for rel, changed in folders.items():
            self._db.put_folder(rel, changed if changed < limit else 0)
        for rel in gone:
            self._db.drop_folder(rel)


def _mark(found: Found) -> str:
    """Return the signature to note: none for a file so fresh that it may change unseen."""
    return found.signature if found.changed_ns < time.time_ns() - _RACY_NS else ""
