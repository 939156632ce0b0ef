"""Bring the index of a place up to date with its rows.

Rules
- What changed is found by comparing hashes, never from memory of events.
- A file is in the index whole or not at all: it is cut and embedded first, then one transaction
  takes the old chunks out and the new ones in.
- A chunk whose text did not change keeps its vector.
- The place notes the revision it was last brought up to, so a search of an unchanged memory asks
  one question and is done.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from reverie.core.history import turns
from reverie.core.search.chunk import CHUNK_VERSION
from reverie.core.search.documents import belongs, chunk_rows, markdown_document, turn_document
from reverie.core.search.indexing import (
    MEANT_VERSION,
    check_vectors,
    file_row,
    index_terms,
    meant,
    taken_in,
)
from reverie.core.text.words import TOKENIZER_VERSION
from reverie.errors import ReverieError
from reverie.postgres.place import plain
from reverie.postgres.search import passages
from reverie.postgres.search.batch import Batch, as_vector, listed, whole_text
from reverie.postgres.search.words import term_number
from reverie.types import Indexed, Problem

if TYPE_CHECKING:
    from reverie.core.search.chunk import ChunkSize
    from reverie.core.search.documents import Document
    from reverie.ports import Embedder
    from reverie.postgres.database import Asked, Connection, Database
    from reverie.postgres.leases import Lease
    from reverie.postgres.place import Place
    from reverie.postgres.search.roots import Root


_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(here)s"
_FORMAT: Final = 1
_BATCH: Final = 200
_TURN: Final = "turn"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How texts are cut and embedded; another recipe makes another index."""

    size: ChunkSize
    embedder: Embedder | None

    @property
    def cutting(self) -> str:
        """Changes when chunks would."""
        made = f"{_FORMAT}/{TOKENIZER_VERSION}/{CHUNK_VERSION}/{MEANT_VERSION}"
        return f"{made}/{self.size.tokens}/{self.size.overlap}"

    @property
    def model(self) -> str:
        """Changes when vectors would; empty without an embedder."""
        return plain(self.embedder.identity) if self.embedder else ""


class Known(NamedTuple):
    """A document as the index has it."""

    id: int
    hash: str
    recipe: str
    model: str
    problem: str


class Wanted(NamedTuple):
    """A text that is not in the index as it should be."""

    root: Root
    path: str
    hash: str
    seq: int
    old: Known | None


def ask_marks(db: Connection, place: Place) -> Asked:
    """Ask what each project of a place is at, and what was indexed last."""
    return db.execute(
        "SELECT s.project, s.revision, s.indexed, coalesce((SELECT sum(h.last) FROM head h"
        " WHERE h.tenant = s.tenant AND h.owner = s.owner AND h.project = s.project), 0)"
        " FROM space s WHERE s.tenant = %(tenant)s AND s.owner = %(owner)s"
        " AND s.project IN ('', %(project)s)",
        place.values,
    )


class Indexer:
    """Works for one place; whoever lets it run holds the place's index lock."""

    def __init__(
        self, database: Database, place: Place, roots: Sequence[Root], recipe: Recipe
    ) -> None:
        self._database = database
        self._place = place
        self.roots = roots
        self._recipe = recipe
        self.done = Indexed(0, 0, 0, 0)

    # --- is there anything to do? -----------------------------------------------------------------

    def marks(self, asked: Asked) -> dict[str, tuple[str, str]]:
        """Return for each project of the place what it is at, and what was indexed last."""
        rows = asked.fetchall()
        agents = ",".join(root.name for root in self.roots)
        recipe = f"{self._recipe.cutting} {self._recipe.model} {agents}"
        return {
            project: (f"{passages.STAMP} {revision} {head} {recipe}", indexed)
            for project, revision, indexed, head in rows
        }

    def run(self, lease: Lease, *, rebuild: bool, is_over: Callable[[], bool]) -> Indexed:
        """Take in what changed; what is left when the time is up waits for the next time."""
        with self._database.reading(self._place) as db:
            asked = ask_marks(db, self._place)
        marks = self.marks(asked)
        self.done = replace(self.done, rebuilt=rebuild)
        for project in sorted({root.project for root in self.roots}):
            now, indexed = marks.get(project, ("", ""))
            if not now and not self._has_turns(project):
                continue
            if now == indexed and not rebuild:
                continue
            if not indexed.startswith(f"{passages.STAMP} "):
                self._make_words(project, lease)
            left = self._project(project, lease, rebuild=rebuild, is_over=is_over)
            if left:
                self.done = taken_in(self.done, Indexed(0, 0, 0, 0, current=False, left=left))
            elif now:
                self._finish(project, now, lease)
        return self.done

    def _has_turns(self, project: str) -> bool:
        statement = f"SELECT 1 FROM head WHERE {_HERE} LIMIT 1"
        return bool(self._database.rows(self._place, statement, here=project))

    def _make_words(self, project: str, lease: Lease) -> None:
        """Make the words anew: an older release, which keeps none, indexed last, or nobody did."""
        with self._database.transaction(self._place) as db:
            lease.check(db)
            passages.rebuild(db, self._place, project)
            self._note(db, project, f"{passages.STAMP} ")

    def _finish(self, project: str, mark: str, lease: Lease) -> None:
        with self._database.transaction(self._place) as db:
            lease.check(db)
            passages.compact(db, self._place, project)
            self._note(db, project, mark)

    def _note(self, db: Connection, project: str, mark: str) -> None:
        values = {**self._place.values, "here": project, "mark": mark}
        db.execute(f"UPDATE space SET indexed = %(mark)s WHERE {_HERE}", values)

    # --- what changed -----------------------------------------------------------------------------

    def _project(
        self, project: str, lease: Lease, *, rebuild: bool, is_over: Callable[[], bool]
    ) -> int:
        with self._database.transaction(self._place) as db:
            lease.check(db)
            wanted, gone = self._compare(db, project, rebuild=rebuild)
            if gone:
                passages.drop(db, self._place, project, gone)
                self.done = taken_in(self.done, Indexed(0, len(gone), 0, 0))
        for start in range(0, len(wanted), _BATCH):
            some = wanted[start : start + _BATCH]
            self._take_in(project, some, lease)
            left = len(wanted) - start - len(some)
            if left and is_over():
                return left
        return 0

    def lacking(self, project: str, *, every: bool) -> tuple[list[Wanted], list[int]]:
        """Return the texts that are not in the index as they are, and what is there and gone."""
        with self._database.reading(self._place) as db:
            return self._compare(db, project, rebuild=every)

    def _compare(
        self, db: Connection, project: str, *, rebuild: bool
    ) -> tuple[list[Wanted], list[int]]:
        values = {**self._place.values, "here": project}
        known: dict[tuple[str, str], Known] = {
            (root, path): Known(*rest)
            for root, path, *rest in db.execute(
                f"SELECT root, path, id, hash, recipe, model, problem FROM document WHERE {_HERE}",
                values,
            )
        }
        wanted: list[Wanted] = []
        seen: set[tuple[str, str]] = set()
        names = {root.name for root in self.roots}
        for root, path, key, seq in self._texts(db, project):
            seen.add((root.name, path))
            old = known.get((root.name, path))
            if rebuild or old is None or not self._fits(old, key):
                wanted.append(Wanted(root, path, key, seq, old))
        gone = [
            item.id
            for (root_name, path), item in known.items()
            if (root_name, path) not in seen and root_name in names
        ]
        return wanted, gone

    def _fits(self, old: Known, key: str) -> bool:
        lacking = self._recipe.embedder is not None and old.model != self._recipe.model
        return old.hash == key and old.recipe == self._recipe.cutting and not lacking

    def _texts(self, db: Connection, project: str) -> Iterator[tuple[Root, str, str, int]]:
        for root in self.roots:
            if root.project != project:
                continue
            values = {**self._place.values, "here": project}
            if root.kind == "turns":
                values["agent"] = root.name.partition("/")[2]
                rows = db.execute(
                    f"SELECT seq, at FROM turn WHERE {_HERE} AND agent = %(agent)s", values
                )
                for seq, at in rows.fetchall():
                    yield root, turns.turn_path(seq, at), _TURN, seq
                continue
            values |= {"low": f"{root.folder}/", "high": f"{root.folder}0"}
            rows = db.execute(
                f"SELECT path, hash FROM file WHERE {_HERE} AND path >= %(low)s"
                " AND path < %(high)s ORDER BY path",
                values,
            )
            for path, key in rows.fetchall():
                rel = path[len(root.folder) + 1 :]
                if belongs(root.kind, rel):
                    yield root, rel, key, 0

    # --- taking in --------------------------------------------------------------------------------

    def _take_in(self, project: str, wanted: Sequence[Wanted], lease: Lease) -> None:
        read = self.read(project, wanted)
        vectors, embedded = self._vectors(project, read)
        with self._database.transaction(self._place) as db:
            lease.check(db)
            passages.hold(db, self._place, project)
            passages.drop(db, self._place, project, [item.old.id for item in wanted if item.old])
            chunks = sum(len(document.chunks) for _, document, _ in read if document)
            first, number = self._numbers(db, project, chunks, len(read))
            batch = Batch()
            for item, document, problem in read:
                if document is None and not problem:
                    continue  # gone between the look and the reading
                made = list(self._chunks(project, document, first, number)) if document else []
                self._put_document(db, project, item, document, problem, first, number, made)
                batch.add(item.root.name, made, vectors)
                if not problem:
                    terms = sum(row["length"] for row in made)
                    passages.add(
                        batch.counted, item.root.name, self._recipe.model, 1, len(made), terms
                    )
                first += len(made)
                number += 1
            batch.write(db, self._place, project)
        self.done = taken_in(self.done, Indexed(len(wanted), 0, chunks, embedded))

    def read(
        self, project: str, wanted: Sequence[Wanted]
    ) -> list[tuple[Wanted, Document | None, str]]:
        """Read and cut some texts; what cannot be searched is told, and one that is gone is nothing."""
        kept = self._kept(project, wanted)
        return [(item, *self._read(item, kept)) for item in wanted]

    def _kept(self, project: str, wanted: Sequence[Wanted]) -> dict[tuple[str, str], bytes]:
        """Return the bytes of some texts, by root and path, with one question for each root."""
        found: dict[tuple[str, str], bytes] = {}
        for root in {item.root.name: item.root for item in wanted}.values():
            own = [item for item in wanted if item.root is root]
            if root.kind == "turns":
                rows = self._database.rows(
                    self._place,
                    f"SELECT seq, record FROM turn WHERE {_HERE} AND agent = %(agent)s"
                    " AND seq = ANY(%(seqs)s)",
                    here=project,
                    agent=root.name.partition("/")[2],
                    seqs=[item.seq for item in own],
                )
                names: dict[Any, str] = {item.seq: item.path for item in own}
            else:
                rows = self._database.rows(
                    self._place,
                    f"SELECT path, content FROM file WHERE {_HERE} AND path = ANY(%(paths)s)",
                    here=project,
                    paths=[f"{root.folder}/{item.path}" for item in own],
                )
                names = {f"{root.folder}/{item.path}": item.path for item in own}
            found |= {(root.name, names[key]): bytes(data) for key, data in rows}
        return found

    def _read(
        self, item: Wanted, kept: Mapping[tuple[str, str], bytes]
    ) -> tuple[Document | None, str]:
        data = kept.get((item.root.name, item.path))
        if data is None:
            return None, ""
        try:
            text = whole_text(data, f"{item.root.folder}/{item.path}")
            if item.root.kind == "turns":
                return turn_document(text, seq=item.seq, size=self._recipe.size), ""
            document = markdown_document(text, name=item.path, size=self._recipe.size)
            if document.problem:
                self._tell(item, document.problem)
            return document, plain(document.problem)
        except ReverieError as error:
            self._tell(item, str(error))
            return None, plain(str(error))

    def _tell(self, item: Wanted, message: str) -> None:
        problem = Problem("not_searched", message, path=f"{item.root.folder}/{item.path}")
        self.done = taken_in(self.done, Indexed(0, 0, 0, 0, problems=(problem,)))

    def _vectors(
        self, project: str, read: Sequence[tuple[Wanted, Document | None, str]]
    ) -> tuple[dict[bytes, str], int]:
        """Return the vector of each chunk by its content, kept ones and new ones."""
        embedder = self._recipe.embedder
        if embedder is None:
            return {}, 0
        same = [i.old.id for i, _, _ in read if i.old and i.old.model == self._recipe.model]
        rows = self._database.rows(
            self._place,
            "SELECT c.cid, v.embedding::text FROM chunk c JOIN vector v ON v.tenant = c.tenant"
            " AND v.owner = c.owner AND v.project = c.project AND v.chunk = c.id"
            " WHERE c.tenant = %(tenant)s AND c.owner = %(owner)s AND c.project = %(here)s"
            " AND c.file = ANY(%(files)s)",
            here=project,
            files=same,
        )
        found = {bytes(cid): vector for cid, vector in rows}
        fresh = {
            bytes.fromhex(chunk.id): meant(chunk)
            for _, document, _ in read
            if document
            for chunk in document.chunks
            if bytes.fromhex(chunk.id) not in found
        }
        if fresh:
            made = embedder.embed(list(fresh.values()))
            check_vectors(embedder, made, len(fresh))
            found |= {cid: as_vector(vector) for cid, vector in zip(fresh, made, strict=True)}
        return found, len(fresh)

    def _numbers(
        self, db: Connection, project: str, chunks: int, documents: int
    ) -> tuple[int, int]:
        """Reserve consecutive numbers for chunks, and as many for documents."""
        values = {**self._place.values, "here": project, "more": chunks + documents}
        row = db.execute(
            f"UPDATE space SET chunk = chunk + %(more)s WHERE {_HERE} RETURNING chunk", values
        ).fetchone()
        first = int(row[0]) - chunks - documents if row else 1
        return first, first + chunks

    def _chunks(
        self, project: str, document: Document, first: int, number: int
    ) -> Iterator[dict[str, Any]]:
        exact = not document.label
        rows = chunk_rows(document, first, number, exact=exact)
        for chunk, row in zip(document.chunks, rows, strict=True):
            found, length = index_terms(chunk)
            counted = sorted(Counter(map(term_number, found)).items())
            yield {
                **self._place.values,
                "here": project,
                **row._asdict(),
                "speaker": plain(row.speaker),
                "length": length,
                "words": listed(word for word, _ in counted),
                "counts": listed(min(count, passages.MOST_COUNT) for _, count in counted),
            }

    def _put_document(
        self,
        db: Connection,
        project: str,
        item: Wanted,
        document: Document | None,
        problem: str,
        first: int,
        number: int,
        made: Sequence[Mapping[str, Any]],
    ) -> None:
        row = file_row(
            document,
            number=number,
            path=item.path,
            signature="",
            first=first,
            problem=problem,
        )
        db.execute(
            "INSERT INTO document (tenant, owner, project, id, root, path, hash, first, chunks,"
            " tokens, terms, title, label, grp, ord, problem, recipe, model) VALUES (%(tenant)s,"
            " %(owner)s, %(here)s, %(id)s, %(root)s, %(path)s, %(hash)s, %(first)s, %(chunks)s,"
            " %(tokens)s, %(terms)s, %(title)s, %(label)s, %(group)s, %(order)s, %(problem)s,"
            " %(recipe)s, %(model)s)",
            {
                **self._place.values,
                "here": project,
                "root": item.root.name,
                **row._asdict(),
                "hash": item.hash,
                "title": plain(row.title),
                "group": plain(row.group),
                "terms": sum(chunk["length"] for chunk in made),
                "recipe": self._recipe.cutting,
                "model": self._recipe.model,
            },
        )


def deadline(seconds: float | None) -> Callable[[], bool]:
    """Return a question whose answer is yes when so many seconds have passed."""
    end = None if seconds is None else time.monotonic() + seconds
    return lambda: end is not None and time.monotonic() >= end
