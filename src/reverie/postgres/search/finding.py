"""Gather what may answer a query from the visible rows of a place.

Ranking is not done here; see `core.rank`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reverie.core.search.chunk import ChunkSize, split_lines
from reverie.core.search.documents import grown, turn_document
from reverie.core.search.found import SURROUNDED, Findings, FoundChunk, lines_of, part_of_turn
from reverie.core.search.neighbours import candidate_of, locate
from reverie.errors import ReverieError
from reverie.postgres.database import MINE
from reverie.postgres.search.batch import whole_text
from reverie.postgres.search.rows import Rows
from reverie.postgres.search.seeking import (
    Scene,
    ask_near,
    ask_words,
    known_words,
    near_by_index,
    read_near,
    read_words,
)
from reverie.postgres.search.words import term_number
from reverie.types.ranking import Candidate, Corpus

if TYPE_CHECKING:
    from reverie.core.search.documents import Lines
    from reverie.core.search.question import QuestionVector
    from reverie.postgres.database import Connection, Database
    from reverie.postgres.place import Place
    from reverie.postgres.search.held import Held
    from reverie.postgres.search.roots import Root, Visible
    from reverie.postgres.search.seeking import Near
    from reverie.types.ranking import Query

_TOKENS_AT_ONCE: Final = 64_000
"""How much text is read ahead, beyond what was asked for."""
_ELSEWHERE: Final = 1_000_000
"""Puts turns that are held out of the reach of those that the index has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Findings["Root"]):
    """What was found, and the rows it is read from."""

    database: Database
    place: Place
    visible: Visible
    words: Mapping[str, Mapping[int, int]]
    """How often every word stands in each candidate, by the candidates' keys."""
    held: Held | None
    """What the index lacks, while it cannot be written."""
    texts: dict[str, str | None] = field(default_factory=dict)
    """What was read so far."""

    def frequency(self, terms: Sequence[str]) -> Mapping[str, int]:
        """Return in how many of the chunks that may be seen some terms stand."""
        with self.database.transaction(self.place) as db:
            often = known_words(Scene(db, self.place, self.visible, "", 0), terms)
        return _more_often(often, self.held, self.visible, terms) if self.held else often

    def counts(self, terms: Sequence[str], keys: Sequence[str]) -> list[dict[str, int]]:
        """Return how often any terms stand in some candidates."""
        numbers = {term: term_number(term) for term in terms}
        return [_counts(self.words[key], numbers) for key in keys]

    def read(self, key: str, *, context_tokens: int) -> Lines | None:
        """Return a candidate's text and lines; None when its file changed since."""
        found = self.chunks[key]
        text = self._whole(found)
        if text is None:
            return None
        row = found.chunk
        spoken = bool(found.file.label)
        data = part_of_turn(text, row) if spoken else text.encode("utf-8")[row.start : row.stop]
        lines = lines_of(data, row)
        return (
            grown(split_lines(text), lines, context_tokens) if lines and context_tokens else lines
        )

    def _shown(self, found: FoundChunk[Root]) -> str:
        return found.root.shown(found.file.path, found.file.label)

    def _whole(self, found: FoundChunk[Root]) -> str | None:
        if _name(found) not in self.texts:
            self._fetch(found)
        return self.texts[_name(found)]

    def _fetch(self, wanted: FoundChunk[Root]) -> None:
        """Read a text, and those of other candidates with it: their turn may come next."""
        batch = {_name(wanted): wanted}
        size = wanted.file.tokens
        for one in self.chunks.values():
            name = _name(one)
            if name in self.texts or name in batch or one.root.name != wanted.root.name:
                continue
            size += one.file.tokens
            if size <= _TOKENS_AT_ONCE:
                batch[name] = one
        if wanted.root.kind == "turns":
            rows = self.database.rows(
                self.place,
                f"SELECT seq, record FROM turn WHERE {MINE} AND agent = %(agent)s"
                " AND seq = ANY(%(seqs)s)",
                agent=wanted.root.name.partition("/")[2],
                seqs=[one.file.order for one in batch.values()],
            )
        else:
            rows = self.database.rows(
                self.place,
                f"SELECT path, content FROM file WHERE {MINE} AND path = ANY(%(paths)s)",
                paths=[_path(one) for one in batch.values()],
            )
        held = {key: bytes(data) for key, data in rows}
        for name, one in batch.items():
            key = one.file.order if one.root.kind == "turns" else _path(one)
            self.texts[name] = shown_text(held.get(key), one.root, one.file.path, one.file.order)


def _counts(held: Mapping[int, int], numbers: Mapping[str, int]) -> dict[str, int]:
    return {term: held[number] for term, number in numbers.items() if number in held}


def _more_often(
    often: Mapping[str, int], held: Held, visible: Visible, terms: Sequence[str]
) -> dict[str, int]:
    """Add in how many chunks terms stand that are held in memory."""
    more = held.often(visible, [term_number(term) for term in terms])
    return {term: often.get(term, 0) + more[term_number(term)] for term in terms}


def _path(found: FoundChunk[Root]) -> str:
    return f"{found.root.folder}/{found.file.path}"


def _name(found: FoundChunk[Root]) -> str:
    return f"{found.root.name}\0{found.file.path}"


def shown_text(data: bytes | None, root: Root, path: str, order: int) -> str | None:
    """Return the text whose lines results name; None when it is gone or cannot be read."""
    if data is None:
        return None
    with suppress(ReverieError):
        text = whole_text(data, f"{root.folder}/{path}")
        if root.kind != "turns":
            return text
        return turn_document(text, seq=order, size=ChunkSize()).text
    return None


def find(
    database: Database,
    place: Place,
    scene_in: Callable[[Connection], Scene],
    query: Query,
    asked: QuestionVector,
    held: Held | None = None,
) -> Finding:
    """Gather candidates by words, and by meaning where the question has a vector.

    Args:
        database: Where to ask.
        place: Whose memory.
        scene_in: Says what may be seen, in the transaction of this search.
        query: What is asked for.
        asked: The question's vector.
        held: What the index lacks; words alone find it, so words alone are asked for then.
    """
    vector = () if held else asked.vector
    with database.transaction(place) as db:
        scene = scene_in(db)
        by_words, by_vector = ask_words(scene, query), ask_near(scene, vector)
        words, near = read_words(by_words, query), read_near(by_vector)
        if near is None:
            near = near_by_index(scene, vector, words.known)
        seeds = list(dict.fromkeys([*words.best, *near.cosines]))
        around = {*list(words.best)[:SURROUNDED], *list(near.cosines)[:SURROUNDED]}
        every = [
            Rows(scene, project, seeds, around, vector if near.cosines else ())
            for project in sorted({project for project, _ in seeds})
        ]
    # Read only now: the end of the transaction travels with the questions.
    for rows in every:
        rows.read()
    if any(rows.talks for rows in every):
        with database.reading(place) as db:
            for rows in every:
                rows.ask_talks(db)
        for rows in every:
            rows.read_talks()
    known, frequency = words.known, words.frequency
    if held:
        known = known.plus(held.totals(scene.visible))
        frequency = _more_often(frequency, held, scene.visible, query.terms)
    corpus = Corpus(
        chunks=known.chunks,
        average_length=known.terms / max(known.chunks, 1),
        frequency=frequency,
        cosine_mean=near.mean,
        cosine_deviation=near.deviation,
        trust=asked.trust,
        profile=asked.profile,
    )
    made = _candidates(scene, every, query, near, held)
    if held:
        _add_held(made, scene, query, held, held.best(scene.visible, query, known, frequency))
    found = Finding(
        made.candidates,
        corpus,
        known.files,
        by_words=bool(query.terms),
        by_vectors=bool(near.cosines),
        chunks=made.chunks,
        database=database,
        place=place,
        visible=scene.visible,
        words=made.words,
        held=held,
    )
    read = {path: data for rows in every for path, data in rows.texts.items()}
    for one in made.chunks.values():
        if one.root.kind != "turns" and _path(one) in read:
            found.texts[_name(one)] = shown_text(read[_path(one)], one.root, one.file.path, 0)
    return found


@dataclass(slots=True)
class _Made:
    candidates: list[Candidate] = field(default_factory=list)
    chunks: dict[str, FoundChunk[Root]] = field(default_factory=dict)
    words: dict[str, Mapping[int, int]] = field(default_factory=dict)


def _candidates(
    scene: Scene, every: Sequence[Rows], query: Query, near: Near, held: Held | None
) -> _Made:
    made = _Made()
    numbers = {term: term_number(term) for term in query.terms}
    for rows in every:
        for item in locate(rows, rows.seeds, rows.around_seeds):
            if held and (rows.project, item.file.id) in held.stale:
                continue
            key = (rows.project, item.chunk.id)
            number = scene.visible.number(rows.project, rows.roots[item.file.id])
            words = rows.words(item.chunk.id)
            one = candidate_of(
                item,
                number,
                counts=_counts(words, numbers),
                length=rows.lengths[item.chunk.id],
                cosine=near.cosines.get(key, rows.cosines.get(item.chunk.id)),
            )
            made.candidates.append(one)
            made.chunks[one.key] = FoundChunk(scene.visible.root(number), item.chunk, item.file)
            made.words[one.key] = words
    return made


def _add_held(made: _Made, scene: Scene, query: Query, held: Held, best: Sequence[int]) -> None:
    """Add what is held in memory, with what stands beside the best of it."""
    numbers = {term: term_number(term) for term in query.terms}
    for item in locate(held, best, best[:SURROUNDED]):
        root = held.root(item.file.id)
        number = scene.visible.number(root.project, root.name)
        words = held.words(item.chunk.id)
        # Turns of the same conversation that the index has are counted by themselves.
        apart = item._replace(order=item.order + (_ELSEWHERE if item.file.group else 0))
        one = candidate_of(
            apart,
            number,
            counts=_counts(words, numbers),
            length=held.length(item.chunk.id),
            cosine=None,
        )
        made.candidates.append(one)
        made.chunks[one.key] = FoundChunk(root, item.chunk, item.file)
        made.words[one.key] = words
