"""The rows behind the best chunks of a search, read together: them, what stands beside them, their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from reverie.core.search.neighbours import REACH
from reverie.postgres.search.batch import as_vector, listed
from reverie.types.ranking import ChunkRow, FileRow

if TYPE_CHECKING:
    from reverie.postgres.database import Asked, Connection
    from reverie.postgres.search.seeking import Key, Scene

_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(here)s"
_CHUNK: Final = (
    "id, file, place, first, last, start, stop, crc, cid, speaker, flags, day,"
    " length, words, counts"
)
_FILE: Final = "id, path, '', hash, first, chunks, tokens, title, label, grp, ord, problem"
_READ_AHEAD: Final = 16
"""Of the best chunks, those whose texts are read with them: what is shown is mostly among them."""
_READ_TOKENS: Final = 8_000
"""Longer texts are read when they are shown."""


class Rows:
    """What was found in one project (or of the person); it is asked for at once, and read afterwards."""

    def __init__(
        self,
        scene: Scene,
        project: str,
        seeds: Sequence[Key],
        around: set[Key],
        vector: Sequence[float],
    ) -> None:
        self._scene = scene
        self.project = project
        self.seeds = [number for own, number in seeds if own == project]
        self.around_seeds = [
            number for own, number in seeds if own == project and (own, number) in around
        ]
        self._vector = as_vector(vector) if vector else ""
        self.lengths: dict[int, int] = {}
        self._held: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
        self.roots: dict[int, str] = {}
        """The root of each document."""
        self.cosines: dict[int, float] = {}
        self.texts: dict[str, bytes] = {}
        """Texts that were read ahead, by their paths."""
        self._chunks: dict[int, ChunkRow] = {}
        self._files: dict[int, FileRow] = {}
        self._lines: dict[tuple[str, int], list[FileRow]] = {}
        self._values: dict[str, Any] = {
            **scene.place.values,
            **scene.visible.values,
            "here": project,
            "asked": self._vector,
        }
        self._asked: list[tuple[str, Asked]] = []
        self._asked_lines: dict[tuple[str, int], Asked] = {}
        self._ask_seeds()

    # --- asking -----------------------------------------------------------------------------------

    def _ask(self, db: Connection, kind: str, statement: str, values: Mapping[str, Any]) -> None:
        sent = db.execute(statement, {**self._values, **values}, prepare=False, binary=True)
        self._asked.append((kind, sent))

    def _ask_seeds(self) -> None:
        beside = {
            number + step for number in self.around_seeds for step in range(-REACH, REACH + 1)
        }
        db, ids = self._scene.db, sorted({*self.seeds, *beside})
        self._ask_chunks(db, "%(ids)s::bigint[]", {"ids": listed(ids)})
        best = f"ARRAY(SELECT file FROM chunk WHERE {_HERE} AND id = ANY(%(ids)s::bigint[]))"
        where = f"{_HERE} AND d.id = ANY({best}) AND {self._scene.visible.where}"
        self._ask(
            db,
            "files",
            f"SELECT d.root, {_FILE} FROM document d WHERE {where}",
            {"ids": listed(self.seeds)},
        )
        roots = [root for _, root, _ in self._scene.visible.roots if root.kind != "turns"]
        self._ask(
            db,
            "texts",
            f"SELECT path, content FROM file WHERE {_HERE} AND path = ANY(ARRAY(SELECT"
            " (%(folders)s::text[])[array_position(%(names)s::text[], d.root)] || '/' || d.path"
            f" FROM document d WHERE {where} AND d.root = ANY(%(names)s) AND d.tokens <= %(most)s))",
            {
                "ids": listed(self.seeds[:_READ_AHEAD]),
                "names": [root.name for root in roots],
                "folders": [root.folder for root in roots],
                "most": _READ_TOKENS,
            },
        )

    def _ask_chunks(self, db: Connection, ids: str, values: Mapping[str, Any]) -> None:
        self._ask(
            db, "chunks", f"SELECT {_CHUNK} FROM chunk WHERE {_HERE} AND id = ANY({ids})", values
        )
        if self._vector:
            self._ask(
                db,
                "cosines",
                "SELECT chunk, -(embedding <#> %(asked)s::halfvec) FROM vector"
                f" WHERE {_HERE} AND chunk = ANY({ids})",
                values,
            )

    @property
    def talks(self) -> set[tuple[str, int]]:
        """The places in conversations whose surroundings are to be read."""
        rows = (self._chunks.get(number) for number in self.around_seeds)
        files = [self._files[row.file] for row in rows if row and row.file in self._files]
        return {(file.group, file.order) for file in files if file.group}

    def ask_talks(self, db: Connection) -> None:
        """Ask for the turns around each of those places, and for their chunks."""
        turn = f"FROM document d WHERE {_HERE} AND {self._scene.visible.where} AND d.grp = %(grp)s"
        turn += " AND d.grp <> ''"
        for group, order in sorted(self.talks):
            values = {"grp": group, "ord": order, "reach": REACH}

            def line(columns: str) -> str:
                return (
                    f"(SELECT {columns} {turn} AND d.ord < %(ord)s ORDER BY d.ord DESC LIMIT %(reach)s)"
                    f" UNION ALL (SELECT {columns} {turn} AND d.ord >= %(ord)s ORDER BY d.ord"
                    " LIMIT %(reach)s + 1)"
                )

            sent = db.execute(
                line(f"d.root, {_FILE}"), {**self._values, **values}, prepare=False, binary=True
            )
            self._asked_lines[group, order] = sent
            ids = (
                "ARRAY(SELECT generate_series(l.first, l.first + l.chunks - 1) FROM"
                f" ({line('d.first, d.chunks')}) AS l)"
            )
            self._ask_chunks(db, ids, values)

    # --- reading ----------------------------------------------------------------------------------

    def read(self) -> None:
        """Take in what was asked for."""
        for kind, sent in self._asked:
            rows = sent.fetchall()
            if kind == "chunks":
                for row in rows:
                    chunk = ChunkRow._make(row[:12])
                    self._chunks[chunk.id] = chunk
                    self.lengths[chunk.id] = row[12]
                    self._held[chunk.id] = row[13], row[14]
            elif kind == "files":
                for row in rows:
                    self._keep(row)
            elif kind == "cosines":
                self.cosines |= {number: float(cosine) for number, cosine in rows}
            else:
                self.texts |= {path: bytes(data) for path, data in rows}
        self._asked.clear()

    def words(self, chunk: int) -> dict[int, int]:
        """Return how often words stand in a chunk; of most that surround a place nobody asks."""
        return dict(zip(*self._held[chunk], strict=True))

    def read_talks(self) -> None:
        """Take in the surroundings of places in conversations."""
        for place, sent in self._asked_lines.items():
            line = [self._keep(row) for row in sent.fetchall()]
            self._lines[place] = sorted(line, key=lambda file: file.order)
        self.read()

    def _keep(self, row: Sequence[Any]) -> FileRow:
        file = FileRow._make(row[1:])
        self._files[file.id] = file
        self.roots[file.id] = row[0]
        return file

    # --- what `locate` asks -----------------------------------------------------------------------

    def chunks(self, ids: Iterable[int]) -> list[ChunkRow]:
        """Return chunks by their numbers, in order; those of hidden files are left out."""
        found = (self._chunks.get(number) for number in sorted(set(ids)))
        return [chunk for chunk in found if chunk and chunk.file in self._files]

    def files(self, ids: Sequence[int]) -> dict[int, FileRow]:
        """Return files by their numbers."""
        return {number: self._files[number] for number in ids}

    def around(self, group: str, order: int, reach: int) -> list[FileRow]:
        """Return the files of a group before, at and after a place, in order."""
        if reach != REACH:
            raise ValueError(f"the surroundings were read as far as {REACH}")
        return self._lines[group, order]
