"""Ranking the topics of a place by their stored words.

Rules
- The answer is the same, to the last bit of a score, as ranking the topics themselves.
- It is one look at the memory: marks, words and files are read in one snapshot.
- Where the words cannot be brought up to date (the database is read-only, a writer does not let go),
  the topics themselves are ranked.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from reverie.core.topics import scoring
from reverie.core.topics.relevance import best, rank
from reverie.errors import DiskFull, EngineUnavailable, Locked, ReadOnly
from reverie.postgres.database import MINE
from reverie.postgres.search import words
from reverie.postgres.search.batch import listed
from reverie.postgres.search.postings import Doc, Postings, Row
from reverie.types import Scope, Topic
from reverie.types.ranking import Scored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reverie.core.topics.scoring import Question
    from reverie.postgres.database import Asked, Connection, Database
    from reverie.postgres.place import Place
    from reverie.postgres.search.words import Mark
    from reverie.postgres.store.rowstore import PgStore

_READ: Final = 4000
_TRIES: Final = 3
_WAIT: Final = 2.0
"""Seconds that a recall waits for a writer before it ranks the topics themselves."""

_BETWEEN: Final = "\x1e"
_BESIDE: Final = "\x1f"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_Mark: TypeAlias = tuple[str, datetime]
"""By what a file is known to be the same: its text's hash, and since when it has it."""


class PgRanker:
    """Finds the topics of one place for a recall without reading them all."""

    def __init__(self, database: Database, place: Place, store: PgStore) -> None:
        self._database = database
        self._place = place
        self._store = store
        self._journal = store.journal
        self._read = _Read()
        self._scopes = {
            place.project_of(f"{store.workspace.memory_root(scope)}/x"): scope for scope in Scope
        }
        self._roots = {
            project: store.workspace.memory_root(scope) for project, scope in self._scopes.items()
        }

    def ranked(self, query: str) -> tuple[list[Scored], int]:
        """Rank the topics a question is about, best first; also tell how many topics there are."""
        question = scoring.read_question(query)
        with suppress(Locked, ReadOnly, DiskFull, EngineUnavailable):
            for _ in range(_TRIES):
                with self._database.transaction(self._place, snapshot=True) as db:
                    # Asked before the marks are read, so that both answers come together.
                    asked = words.ask_postings(db, self._place, question)
                    known = words.marks(db, self._place)
                    current = all(known[one].current for one in self._roots if one in known)
                    if current:
                        size = sum(mark.topics for mark in known.values())
                        good = self._chosen(db, question, known, asked, size)
                        wanted = self._ask_topics(db, list(good))
                if current:  # read only now: the end of the snapshot travels with the questions
                    return self._scored(good, wanted), size
                self._catch_up()
        topics = self._store.topics()
        return rank(query, topics), len(topics)

    def concerned(self, statement: str, *scopes: Scope) -> list[Topic]:
        """Return the topics of these scopes that a new statement may concern, newest first in each."""
        return self._store.concerned(statement, scopes)

    def _catch_up(self) -> None:
        whole = False
        while not whole:
            with self._database.transaction(self._place, wait=_WAIT) as db:
                whole = words.catch_up(db, self._place, self._roots, self._parse)

    def _parse(self, content: bytes, path: str, at: datetime) -> Topic | None:
        below = (one for one, root in self._roots.items() if path.startswith(f"{root}/"))
        return self._store.parse(content, path, self._scopes[next(below)], at)

    def _chosen(
        self,
        db: Connection,
        question: Question | None,
        known: Mapping[str, Mark],
        asked: Asked,
        size: int,
    ) -> dict[str, tuple[float, frozenset[str]]]:
        """Choose the topics that are near the best: their scores and the terms they hold, by path."""
        if question is None or not size:
            return {}
        postings = _postings(asked, question)
        frequency = postings.frequency
        weak = scoring.negligible(question, frequency, size)
        found = postings.relevant(
            [term for term in frequency if term not in weak],
            question.evidence.enough(frequency, size),
        )
        every, hits = list(found), list(found.values())
        rows = self._rows(db, every)
        scores = scoring.judge(
            question,
            dict(enumerate(hits)),
            lengths={at: rows[doc][1] for at, doc in enumerate(every)},
            totals=[
                sum(column) for column in zip(*(m.lengths for m in known.values()), strict=True)
            ],
            size=size,
            frequency=frequency,
        )
        bar = max(scores.values(), default=0.0) * scoring.KEEP_SHARE
        return {
            rows[every[at]][0]: (score, frozenset(hits[at]))
            for at, score in scores.items()
            if score >= bar
        }

    def _scored(
        self, good: Mapping[str, tuple[float, frozenset[str]]], wanted: _Wanted | None
    ) -> list[Scored]:
        topics = self._topics(wanted) if wanted else {}
        return best([Scored.of(topics[path], *found) for path, found in good.items()])

    def _rows(self, db: Connection, docs: list[Doc]) -> dict[Doc, tuple[str, list[int]]]:
        asked = {
            project: db.execute(
                "SELECT number, path, lengths FROM topic WHERE tenant = %(tenant)s AND"
                " owner = %(owner)s AND project = %(here)s AND number = ANY(%(numbers)s::int[])",
                {
                    **self._place.values,
                    "here": project,
                    "numbers": listed(number for own, number in docs if own == project),
                },
                binary=True,
            )
            for project in {project for project, _ in docs}
        }
        return {
            (project, number): (path, lengths)
            for project, rows in asked.items()
            for number, path, lengths in rows
        }

    def _ask_topics(self, db: Connection, paths: list[str]) -> _Wanted | None:
        """Ask for topics; those that were read before and did not change are not fetched again."""
        if not paths:
            return None
        known = {path: held for path in paths if (held := self._read.get(path))}
        marks = [
            _BESIDE.join((path, held.mark[0], str(_microseconds(held.mark[1]))))
            for path, held in known.items()
            if _BETWEEN not in path and _BESIDE not in path
        ]
        # One text for all of them: a list of many is written by psycopg item by item.
        rows = db.execute(
            "SELECT path, hash, at, CASE WHEN concat_ws(%(beside)s, path, hash,"
            " (extract(epoch FROM at) * 1000000)::bigint) <> ALL(string_to_array(%(marks)s,"
            f" %(between)s)) THEN content END FROM file WHERE {MINE} AND path = ANY(%(paths)s)",
            {
                **self._place.values,
                "paths": paths,
                "marks": _BETWEEN.join(marks),
                "between": _BETWEEN,
                "beside": _BESIDE,
            },
            binary=True,
        )
        fresh = [path for path in paths if path not in known]
        return _Wanted(rows, known, self._journal.ask_arrivals(db, fresh) if fresh else None)

    def _topics(self, wanted: _Wanted) -> dict[str, Topic]:
        found: dict[str, Topic] = {}
        fresh: dict[str, tuple[_Mark, Topic]] = {}
        for path, key, at, content in wanted.rows.fetchall():
            same = content is None
            topic = wanted.known[path].topic if same else self._parse(bytes(content), path, at)
            if topic is None:
                continue
            found[path] = topic
            if same:
                self._read.put(path, wanted.known[path])
            else:
                fresh[path] = ((key, at), topic)
        whence: dict[str, str] = {}
        if wanted.arrivals is not None:
            texts = {path: topic.text for path, (_, topic) in fresh.items()}
            whence = self._journal.read_arrivals(wanted.arrivals, texts)
        for path, (mark, topic) in fresh.items():
            told = whence.get(path) if path not in wanted.known else None
            self._read.put(path, _Held(mark, topic, told))
        return found

    def whence(self, path: str, text: str) -> str | None:
        """Tell from where a topic that was read was imported; None where that was not asked."""
        held = self._read.get(path)
        return held.whence if held and held.topic.text == text else None


class _Held(NamedTuple):
    """A topic as it was read last."""

    mark: _Mark
    topic: Topic
    whence: str | None
    """From where it was imported, which can change only by a write, and so with the mark."""


class _Wanted(NamedTuple):
    """Topics that were asked for."""

    rows: Asked
    known: Mapping[str, _Held]
    arrivals: Asked | None


class _Read:
    """The topics that recalls found last, as they were read."""

    def __init__(self) -> None:
        self._topics: OrderedDict[str, _Held] = OrderedDict()
        self._guard = Lock()  # a daemon's threads share it

    def get(self, path: str) -> _Held | None:
        """Return a topic as it was read last, and by what to know whether it is still the same."""
        with self._guard:
            return self._topics.get(path)

    def put(self, path: str, held: _Held) -> None:
        """Keep a topic, and no more than some."""
        with self._guard:
            self._topics[path] = held
            self._topics.move_to_end(path)
            while len(self._topics) > _READ:
                self._topics.popitem(last=False)


def _microseconds(at: datetime) -> int:
    return (at - _EPOCH) // timedelta(microseconds=1)


def _postings(asked: Asked, question: Question) -> Postings:
    """Read what is stored of the question's words, in the order of the question."""
    numbers = {words.term_number(term): term for term in question.asked}
    held: dict[str, list[Row]] = {term: [] for term in question.asked}
    for project, word, heads, stored in asked.fetchall():
        held[numbers[word]].append((project, heads, stored))
    return Postings({term: rows for term, rows in held.items() if rows})
