"""The small things beside the memory: state files, control files, logs, and locks held for a while."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from reverie.postgres.leases import try_lease
from reverie.postgres.place import plain

if TYPE_CHECKING:
    from reverie.postgres.database import Asked, Connection, Database
    from reverie.postgres.place import Place
    from reverie.postgres.store.rowstore import PgStore
    from reverie.types import Problem

_HERE: Final = "tenant = %(tenant)s AND owner = %(owner)s AND project = %(here)s"
_VALUE: Final = f"SELECT value FROM state WHERE {_HERE} AND name = %(name)s"


class Values:
    """JSON objects by name, replaced whole."""

    def __init__(self, database: Database, place: Place, *, here: str) -> None:
        self._database = database
        self._place = place
        self._values = {**place.values, "here": here}

    def read(self, name: str) -> dict[str, Any]:
        """Return a value, empty when there is none."""
        rows = self._database.rows(self._place, _VALUE, here=self._values["here"], name=plain(name))
        return _object(rows)

    def ask(self, db: Connection, name: str) -> Asked:
        """Ask for a value inside a transaction; reading it is what waits for the server."""
        return db.execute(_VALUE, {**self._values, "name": plain(name)})

    def update(
        self, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Read, change and replace a value as one step; return what it now is."""
        with self._database.transaction(self._place) as db:
            # A row to hold, also the first time: two first updates must not both begin from nothing.
            db.execute(
                "INSERT INTO state (tenant, owner, project, name, value) VALUES (%(tenant)s,"
                " %(owner)s, %(here)s, %(name)s, '{}') ON CONFLICT DO NOTHING",
                {**self._values, "name": plain(name)},
            )
            held = db.execute(f"{_VALUE} FOR UPDATE", {**self._values, "name": plain(name)})
            before = _object(held.fetchall())
            after = change(dict(before))
            if after != before:
                db.execute(
                    f"UPDATE state SET value = %(value)s WHERE {_HERE} AND name = %(name)s",
                    {**self._values, "name": plain(name), "value": json.dumps(after, default=str)},
                )
        return after

    def names(self, prefix: str) -> list[str]:
        """Return the names that begin with a prefix and hold something, sorted."""
        rows = self._database.rows(
            self._place,
            f"SELECT name FROM state WHERE {_HERE} AND starts_with(name, %(prefix)s)"
            " AND value <> '{}' ORDER BY name",
            here=self._values["here"],
            prefix=plain(prefix),
        )
        return [row[0] for row in rows]


def _object(rows: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
    value = json.loads(rows[0][0]) if rows else {}
    return value if isinstance(value, dict) else {}


class PgState:
    """State files of one project; the `StateFiles` of this engine."""

    def __init__(self, database: Database, place: Place) -> None:
        self._database = database
        self._place = place
        self._values = Values(database, place, here=place.project)
        self.problems: list[Problem] = []

    def read_state(self, name: str) -> dict[str, Any]:
        """Return a state file, empty when there is none."""
        return self._values.read(name)

    def ask_state(self, db: Connection, name: str) -> Asked:
        """Ask for a state file together with other questions."""
        return self._values.ask(db, name)

    def read_asked(self, asked: Asked) -> dict[str, Any]:
        """Return a state file that was asked for."""
        return _object(asked.fetchall())

    def update_state(
        self, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Read, change and replace a state file as one step; return what it now holds."""
        return self._values.update(name, change)

    @contextmanager
    def try_lock(self, name: str) -> Iterator[bool]:
        """Own a lock for a block, or yield False when somebody else owns it."""
        with try_lease(self._database, self._place, plain(f"state/{name}")) as lease:
            yield lease is not None


class PgTree:
    """One agent's folder; its control files are values of the person."""

    def __init__(self, database: Database, place: Place, store: PgStore, *, root: str) -> None:
        self.root = root
        self._database = database
        self._place = place
        self._store = store
        self._values = Values(database, place, here="")
        self.problems: list[Problem] = []

    def make_folders(self) -> None:
        """Make nothing: a folder is there when a file is in it."""

    def markdown(self, folder: str) -> list[str]:
        """Return the Markdown files below a folder, as paths relative to the tree, sorted."""
        start = len(self.root) + 1
        found = [path[start:] for path in self._store.paths(f"{self.root}/{folder}")]
        return [rel for rel in found if rel.endswith(".md") and "/." not in f"/{rel}"]

    def read_control(self, name: str) -> dict[str, Any]:
        """Return a control file, empty when there is none."""
        return self._values.read(f"{self.root}/{name}")

    def write_control(self, name: str, value: dict[str, Any]) -> None:
        """Replace a control file."""
        self._values.update(f"{self.root}/{name}", lambda _: value)

    def controls(self, folder: str) -> list[str]:
        """Return the control files below a folder, relative to the tree, sorted."""
        start = len(self.root) + 1
        return [name[start:] for name in self._values.names(f"{self.root}/{folder}/")]

    @contextmanager
    def try_lock(self, name: str) -> Iterator[bool]:
        """Hold a lock for as long as the block runs, or yield False when another holds it."""
        whole = plain(f"{self.root}/{name}")
        with try_lease(self._database, self._place, whole, here="") as lease:
            yield lease is not None
