"""The write-ahead journal: what is about to be written, what was, and by whom.

Rules
- A run is recorded, with the text before and after of every file, before the first file moves.
- Texts are stored once each, by content; a run refers to them. Erasing a text re-keys it, so that
  not even its hash remains.
- `file_state` knows, for every file we wrote, the content last seen and since when it is so. It
  tells a hand edit from our own, and gives a memory its age after a checkout or copy.
- Only rows that are as they were written count, see `row_sums`.
- What becomes of a file that is damaged or cannot be written, see `journalfile`.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reverie.core.runs.recording import (
    can_be_a_run,
    detail_text,
    new_run,
    no_run,
    run_of,
    the_run,
)
from reverie.core.text.plain import digest
from reverie.errors import JournalCorrupt
from reverie.local.disk.sqlite_file import as_text
from reverie.local.journal import arrivals, row_sums, texts
from reverie.local.journal.journal_file import JournalFile
from reverie.local.journal.row_sums import intact
from reverie.types import FileDelta, RunRecord
from reverie.types.writing import Planned, State

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.types import RunInfo, RunStatus


_RUN, _CHANGE, _STATE, _VERSION = map(intact, ("run", "change", "file_state", "version"))
_LATER = intact("run", "later")
# Not asked of every run: the few that undo another are found by their index, and lead to the others.
_UNDONE = (
    "run.seq IN (SELECT gone.seq FROM run AS later"
    " CROSS JOIN run AS gone ON gone.id = later.undoes"
    " WHERE later.undoes <> '' AND later.status = 'done')"
)


@dataclass(frozen=True, slots=True)
class PendingRun:
    """A run that was recorded but not marked done: its process died."""

    id: str
    deltas: tuple[Planned, ...]
    catalogs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FileState:
    """What we last knew about a file."""

    hash: str
    at: datetime
    signature: str


class JournalDb(JournalFile):
    """The SQLite file behind the journal. One per base folder, shared by all processes."""

    # --- writing a run ----------------------------------------------------------------------------

    def begin(
        self,
        deltas: Sequence[Planned],
        info: RunInfo,
        *,
        catalogs: Iterable[tuple[str, str]] = (),
        undoes: str = "",
        status: RunStatus = "pending",
        finishing: tuple[str, Sequence[State]] | None = None,
    ) -> str:
        """Record a run durably, to be finished even after a crash; with it, `finishing` is done."""
        now = self.clock()
        run = new_run(info, now=now, token=secrets.token_hex(4), undoes=undoes, status=status)
        with self.transaction() as db:
            if finishing:
                self._done(db, *finishing, _stamp(now))
            put_run(db, run, catalogs=catalogs)
            for position, delta in enumerate(deltas):
                keys = texts.keep(db, delta.before), texts.keep(db, delta.after)
                # Known from now on, so that the catalog built in this run has the right order.
                put_change(db, run, position, delta.path, *keys, private=delta.private)
        return run.id

    def certify(self, run: str, info: RunInfo) -> str:
        """Record what an erasure came to: in its run, or where no file changed in a new one."""
        if not run:
            return self.begin([], info, status="erased")
        with self.transaction() as db:
            row_sums.change(db, "run", "detail = ?", "id = ?", (detail_text(info), run))
        return run

    def finish(self, run: str, states: Sequence[State]) -> None:
        """Mark a run done and note the state of its files: (path, text, signature)."""
        with self.transaction() as db:
            self._done(db, run, states, _stamp(self.clock()))

    def _done(self, db: sqlite3.Connection, run: str, states: Sequence[State], now: str) -> None:
        row_sums.change(db, "run", "status = 'done'", "id = ?", (run,))
        for path, text, signature in states:
            self._note(db, path, text, signature, now)

    def roll_back(self, run: str) -> None:
        """Mark a run as not applied."""
        with self.transaction() as db:
            row_sums.change(db, "run", "status = 'rolled_back'", "id = ?", (run,))

    def note_files(self, states: Sequence[State], *, at: datetime) -> None:
        """Remember the content of files we did not write through a run (catalogs, hand edits)."""
        with self.transaction() as db:
            for path, text, signature in states:
                self._note(db, path, text, signature, _stamp(at))

    @staticmethod
    def _note(
        db: sqlite3.Connection, path: str, text: str | None, signature: str, now: str
    ) -> None:
        if text is None:
            db.execute("DELETE FROM file_state WHERE path = ?", (path,))
            return
        key = digest(text)
        state = {"path": path, "hash": key, "at": put_version(db, path, key, now)}
        row_sums.insert(
            db, "file_state", {**state, "signature": signature}, how="INSERT OR REPLACE"
        )

    # --- reading ----------------------------------------------------------------------------------

    def pending_ids(self) -> list[str]:
        """Return the ids of runs whose process died before they were finished, oldest first."""
        return [
            row[0]
            for row in self.ask(
                f"SELECT id FROM run WHERE status = 'pending' AND +status = 'pending' AND {_RUN} ORDER BY seq"
            )
        ]

    def pending(self, run: str) -> PendingRun:
        """Return one of them with its texts."""
        [(catalogs,)] = self.ask("SELECT catalogs FROM run WHERE id = ?", (run,))
        return PendingRun(run, tuple(self.raw_deltas(run)), _catalogs(catalogs))

    def raw_deltas(self, run: str) -> list[Planned]:
        """Return the files of a run with their texts."""
        rows = self.ask(
            f"SELECT path, before, after, private, {_CHANGE} AND +run = ?1 FROM change WHERE run = ?1"
            " ORDER BY position",
            (run,),
        )
        if not all(row[4] for row in rows):
            raise JournalCorrupt(f"{self.path} has lost part of run {run}; run `reverie verify`")
        return [
            Planned(path, self.text(before), self.text(after), bool(private))
            for path, before, after, private, _ in rows
        ]

    def deltas(self, run: str) -> list[FileDelta]:
        """Return the files of a run, before and after."""
        self.record(run)
        return [FileDelta(item.path, item.before, item.after) for item in self.raw_deltas(run)]

    def text(self, key: str | None) -> str | None:
        """Return a stored text by its hash."""
        if key is None:
            return None
        with self.checked():
            found = texts.fetch(self.db, key)
        if found is None:
            raise JournalCorrupt(
                f"{self.path} has lost a text ({as_text(key)[:12]}); run `reverie verify`"
            )
        return found

    def resolve(self, run: str) -> str:
        """Return the full id of a run given by its id or an unambiguous beginning or end of it."""
        if not can_be_a_run(run):
            raise no_run(run)
        escaped = run.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self.ask(
            "SELECT id FROM run WHERE (id = ? OR id LIKE ? ESCAPE '\\' OR id LIKE ? ESCAPE '\\')"
            f" AND {_RUN} LIMIT 3",
            (run, escaped + "%", "%" + escaped),
        )
        return the_run(run, [row[0] for row in rows])

    def record(self, run: str) -> RunRecord:
        rows = self._records("run.id = ?1 AND +run.id = ?1", (run,))
        if not rows:
            raise no_run(run)
        return rows[0]

    def log(
        self,
        *,
        limit: int = 50,
        path: str | None = None,
        verb: str | None = None,
        undone: bool = False,
    ) -> list[RunRecord]:
        """Return the newest runs first: those that touched a path, of one verb, or that a later run undid."""
        only = {
            f"run.id IN (SELECT run FROM change WHERE path = ? AND +path = ? AND {_CHANGE})": (
                path,
                path,
            ),
            "run.verb = ? AND +run.verb = ?": (verb, verb),
        }
        given = {text: values for text, values in only.items() if values[0] is not None}
        where = " AND ".join([*given, *([_UNDONE] if undone else ())]) or "true"
        values = [value for pair in given.values() for value in pair]
        return self._records(where, (*values, limit), "ORDER BY run.seq DESC LIMIT ?")

    def since(self, run: str, *, limit: int) -> list[RunRecord]:
        """Return the first runs after one, oldest first; from the beginning when none is named."""
        return self._records(
            "run.seq > coalesce((SELECT seq FROM run WHERE id = ?), 0)",
            (run, limit),
            "ORDER BY run.seq LIMIT ?",
        )

    def _records(self, which: str, values: tuple[Any, ...], rest: str = "") -> list[RunRecord]:
        # Constants of this file. What is asked for comes first: a checksum costs more than a comparison.
        rows = self.ask(
            "SELECT run.id, run.at, run.verb, run.status, run.session, run.turn, run.origin,"
            " run.client, run.note, run.undoes, run.detail,"
            " (SELECT id FROM run AS later WHERE later.undoes = run.id AND later.undoes <> ''"
            f"  AND later.seq > run.seq AND later.status = 'done' AND +later.undoes = run.id AND {_LATER}"
            "  ORDER BY later.seq DESC LIMIT 1),"
            " (SELECT json_group_array(path) FROM"
            f"  (SELECT path FROM change WHERE change.run = run.id AND +change.run = run.id AND {_CHANGE}"
            "   ORDER BY position))"
            f" FROM run WHERE {which} AND {_RUN} {rest}",
            values,
        )
        return [record for row in rows if (record := _record(row))]

    def history(self, path: str) -> list[tuple[RunRecord, str | None]]:
        """Return the runs that touched a path, oldest first, each with the text it left."""
        rows = self.ask(
            "SELECT change.run, change.after FROM change JOIN run ON run.id = change.run"
            " WHERE change.path = ?1 AND +change.path = ?1 AND +run.id = change.run"
            f" AND run.status IN ('done', 'erased') AND {_RUN} AND {_CHANGE}"
            " ORDER BY run.seq",
            (path,),
        )
        return [(self.record(run), self.text(after)) for run, after in rows]

    def file_states(self, prefix: str = "") -> dict[str, FileState]:
        """Return what we last knew about the files below a folder."""
        rows = self.ask(
            f"SELECT path, hash, at, signature FROM file_state WHERE path >= ? AND path < ? AND {_STATE}",
            (prefix, prefix + "\U0010ffff"),
        )
        return {
            path: FileState(key, when, mark)
            for path, key, at, mark in rows
            if (when := _known_moment(at))
        }

    def recorded_paths(self, prefix: str) -> set[str]:
        """Return the files below a folder that any run touched."""
        rows = self.ask(
            "SELECT DISTINCT path FROM change WHERE path >= ? AND path < ?",
            (prefix, prefix + "\U0010ffff"),
        )
        return {row[0] for row in rows}

    def file_state(self, path: str) -> FileState | None:
        """Return what we last knew about one file."""
        rows = self.ask(
            f"SELECT hash, at, signature FROM file_state WHERE path = ?1 AND +path = ?1 AND {_STATE}",
            (path,),
        )
        when = _known_moment(rows[0][1]) if rows else None
        return FileState(rows[0][0], when, rows[0][2]) if when else None

    def versions(self, prefix: str) -> dict[str, dict[str, datetime]]:
        """Return, for the files below a folder, since when they have had each content we saw."""
        found: dict[str, dict[str, datetime]] = {}
        rows = self.ask(
            f"SELECT path, hash, at FROM version WHERE path >= ? AND path < ? AND {_VERSION}",
            (prefix, prefix + "\U0010ffff"),
        )
        for path, key, at in rows:
            if when := _known_moment(at):
                found.setdefault(path, {})[key] = when
        return found

    def version(self, path: str, key: str) -> datetime | None:
        """Return since when a file has had a content, given by its hash; None when we never saw it."""
        rows = self.ask(
            "SELECT at FROM version WHERE path = ?1 AND +path = ?1 AND hash = ?2 AND +hash = ?2"
            f" AND {_VERSION}",
            (path, key),
        )
        return _known_moment(rows[0][0]) if rows else None

    def imported(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Tell for each path and text from where and when it was imported; empty when it was not."""
        if not self.has_imports():
            return dict.fromkeys(texts, "")
        with self.checked():
            return {path: arrivals.imported(self.db, path, text) for path, text in texts.items()}

    def counts(self) -> tuple[int, int]:
        """Return how many runs and files the journal knows."""
        [(runs,)] = self.ask("SELECT count(*) FROM run")
        [(files,)] = self.ask("SELECT count(*) FROM file_state")
        return runs, files

    def damaged_rows(self) -> list[tuple[str, str]]:
        """Return the rows that are not as they were written: the table, and what the row says it is."""
        with self.checked():
            return row_sums.damaged(self.db)

    def broken_texts(self) -> list[str]:
        """Return the hashes of stored texts that are damaged, or needed and missing."""
        with self.checked():
            return texts.broken(self.db)

    # --- erasing ----------------------------------------------------------------------------------

    def erase(self, to_erase: WordsToErase, *, names: Mapping[str, str] | None = None) -> int:
        """Take to_erase out of every stored text and run; return how many of them held any.

        `names` are files whose own name tells too much, and what the records call them from now on.
        """
        with self.transaction() as db:
            touched = texts.redact(db, to_erase)
            texts.rename(db, names or {})
        with self.checked():  # free pages and the write-ahead log must not keep the words
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.db.execute("VACUUM")
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return touched

    def contains(self, predicate: Callable[[str], bool]) -> list[str]:
        """Return the hashes of stored texts for which the predicate is true."""
        with self.checked():
            return texts.matching(self.db, predicate)

    def runs_holding(self, to_erase: WordsToErase) -> int:
        """Count the runs that say something of the words themselves."""
        with self.checked():
            return texts.runs_holding(self.db, to_erase)

    def stored_texts(self) -> list[tuple[str, str]]:
        """Return every text that a run found or left at a path; what cannot be read is left out."""
        with self.checked():
            return texts.stored(self.db)

    def names(self) -> list[str]:
        """Return every path that the journal knows."""
        with self.checked():
            return texts.names(self.db)


def put_run(
    db: sqlite3.Connection, run: RunRecord, *, catalogs: Iterable[tuple[str, str]] = ()
) -> None:
    """Record a run."""
    db.execute(
        "INSERT INTO run (id, at, verb, status, session, turn, origin, client, note, undoes,"
        " detail, catalogs) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run.id, _stamp(run.at), run.verb, run.status, run.session, run.turn, run.origin.value,
            run.client, run.note, run.undoes, detail_text(run), json.dumps(list(catalogs)),
        ),
    )  # fmt: skip
    row_sums.seal(db, "run", "id = ?", (run.id,))


def put_change(
    db: sqlite3.Connection,
    run: RunRecord,
    position: int,
    path: str,
    before: str | None,
    after: str | None,
    *,
    private: bool,
) -> None:
    """Record what a run did to one file, its texts by their keys, and since when it is so."""
    keys = {"before": before, "after": after}
    place = {"run": run.id, "position": position, "path": path}
    row_sums.insert(db, "change", {**place, **keys, "private": int(private)})
    if after is not None and run.status != "rolled_back":
        put_version(db, path, after, _stamp(run.at))


def put_version(db: sqlite3.Connection, path: str, key: str, now: str) -> str:
    """Note since when a file has had a text, unless that is known; return the moment."""
    known = db.execute(
        f"SELECT at FROM version WHERE path = ? AND hash = ? AND {_VERSION}", (path, key)
    ).fetchone()
    if known:
        return str(known[0])
    row_sums.insert(db, "version", {"path": path, "hash": key, "at": now}, how="INSERT OR REPLACE")
    return now


def _record(row: tuple[Any, ...]) -> RunRecord | None:
    """Read the row of a run; None for one that only damage can have written."""
    if not all(isinstance(row[at], str) for at in (0, *range(2, 11))):
        return None
    try:
        run = run_of(row, at=_moment(row[1]), paths=json.loads(row[12]))
    except (ValueError, TypeError):
        return None
    return run if isinstance(run.detail, dict) else None


def _catalogs(text: str) -> tuple[tuple[str, str], ...]:
    try:
        return tuple((root, scope) for root, scope in json.loads(text))
    except (ValueError, TypeError):  # damaged; a catalog is made anew by the next run anyway
        return ()


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _known_moment(text: str) -> datetime | None:
    """Read a time; None for one that only damage can have written."""
    try:
        return _moment(text)
    except (ValueError, TypeError):
        return None
