"""PgStore: memory as rows of Markdown, and `apply`, the only way any of them is written.

Rules
- One transaction is the whole safety argument: the places are locked, paths guarded, bases checked,
  secrets scanned, and run, texts, files and catalogs written; all of it is there, or none.
- Readers keep what they parsed as long as the revision of their place stands.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reverie.core.runs.planning import plan_change
from reverie.core.runs.run_store import RunStore, applied_run
from reverie.core.text.plain import digest
from reverie.core.topics.catalog import CATALOG_NAME, SUBCATALOGS
from reverie.errors import FileTooLarge, NotText
from reverie.postgres.database import MINE
from reverie.postgres.events import append_event, make_spaces
from reverie.postgres.place import guard, lots, normal, pack, unpack, within
from reverie.postgres.quotas import ask_allowance, read_allowance
from reverie.postgres.search.words import drop as drop_words
from reverie.postgres.store.listing import BELOW, Listings, Puts, below, is_shown, parsed
from reverie.types import Applied, Problem, RunInfo, Scope, Topic
from reverie.types.tasks import News

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.postgres.database import Asked, Connection, Database
    from reverie.postgres.place import Place
    from reverie.postgres.quotas import Allowance
    from reverie.postgres.store.journal import PgJournal
    from reverie.postgres.store.listing import Listing
    from reverie.types import Change, FileDelta, SecretFinding, Workspace
    from reverie.types.writing import Planned


class PgStore(RunStore["PgJournal"]):
    """The memory of one place."""

    def __init__(
        self,
        database: Database,
        workspace: Workspace,
        place: Place,
        journal: PgJournal,
        *,
        settings: Settings,
        clock: Callable[[], datetime],
    ) -> None:
        super().__init__(workspace, journal, settings=settings, clock=clock)
        self._database = database
        self._place = place
        self.fence: Callable[[Connection], None] | None = None
        """Asked inside the transaction that writes; raises when somebody else has the lane now."""
        self.news: News | None = None
        """What whoever serves this memory wants told together with what is written."""
        self._listings = Listings(place, {scope: self._root(scope) for scope in Scope})
        self._mine = threading.local()

    # --- reading ----------------------------------------------------------------------------------

    def real(self, path: str) -> str:
        """Return the name by which the journal knows a file."""
        return normal(path)

    def in_memory(self, path: str) -> bool:
        """Say whether a path lies in a folder of managed memory."""
        return any(within(self._root(scope), normal(path)) for scope in Scope)

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no file."""
        rows = self._database.rows(
            self._place,
            f"SELECT content FROM file WHERE {MINE} AND path = %(path)s",
            path=normal(path),
        )
        return _text(bytes(rows[0][0]), normal(path)) if rows else None

    def read_all(self, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of files; those that are gone or no text are left out."""
        if not paths:
            return {}
        with self._database.reading(self._place) as db:
            asked = self.ask_contents(db, paths)
        return self.texts(asked, paths)

    def ask_contents(self, db: Connection, paths: Sequence[str]) -> Asked:
        """Ask for files; reading them is what waits for the server."""
        return db.execute(
            f"SELECT path, content FROM file WHERE {MINE} AND path = ANY(%(paths)s)",
            {**self._place.values, "paths": [normal(path) for path in paths]},
        )

    def texts(self, asked: Asked, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of files that were asked for; those that are gone or no text are left out."""
        held = {path: bytes(content) for path, content in asked.fetchall()}
        texts: dict[str, str] = {}
        for path in paths:
            if normal(path) in held:
                with suppress(NotText):
                    texts[path] = _text(held[normal(path)], path)
        return texts

    def paths(self, folder: str) -> list[str]:
        """Return the files below a folder, sorted."""
        statement = f"SELECT path FROM file WHERE {MINE} AND {BELOW} ORDER BY path"
        return [path for (path,) in self._database.rows(self._place, statement, **below(folder))]

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic of managed memory, newest first."""
        return self._listings.topics(self._database, [scope] if scope else list(Scope))

    def concerned(self, statement: str, scopes: Sequence[Scope]) -> list[Topic]:
        """Return the topics of some scopes that a new statement may concern, newest first in each."""
        return self._listings.concerned(self._database, scopes, statement)

    @property
    def unreadable(self) -> list[Problem]:
        """Memory files the last `topics()` could not use, each with the reason."""
        return self._listings.problems

    def _root(self, scope: Scope) -> str:
        return self.workspace.memory_root(scope)

    def parse(self, data: bytes, path: str, scope: Scope, at: datetime) -> Topic | None:
        """Read the topic of a file in a memory folder, or say that it is none."""
        rel = path[len(self._root(scope)) + 1 :]
        item = parsed(data, path, rel, scope, at) if is_shown(rel) else None
        return item if isinstance(item, Topic) else None

    def _contents(self, db: Connection, paths: Sequence[str]) -> dict[str, bytes]:
        if not paths:
            return {}
        return {path: bytes(content) for path, content in self.ask_contents(db, paths)}

    # --- writing ----------------------------------------------------------------------------------

    def apply(
        self, changes: Sequence[Change], run: RunInfo, *, undoes: str = "", scan: bool = True
    ) -> Applied:
        """Write all changes as one run, or none of them; return when they are durable.

        `scan=False` is for undo and erasing: they bring no text that was not in memory before.
        """
        names = [guard(change.path, self.workspace) for change in changes]
        wait = self.settings.memory.lock_wait_seconds
        with self._database.transaction(self._place, wait=wait) as db:
            locked = self._lock(db)
            asked = ask_allowance(db)
            planned, redactions = self._plan(db, changes, names, scan=scan)
            if not planned:
                return Applied(run="")
            _check_growth(read_allowance(asked), planned)
            run = self._endorsed(run)
            if self.fence is not None:
                self.fence(db)
            run_id = self.journal.begin(db, planned, run, undoes=undoes)
            now = self.clock()
            puts = self._put(db, [(item.path, item.after, item.private) for item in planned], now)
            scopes = tuple(
                scope for scope in Scope if any(within(self._root(scope), p.path) for p in planned)
            )
            known = [item.path for item in planned if item.before is not None]
            if known:
                drop_words(db, self._place, known)
            revisions: dict[str, int] = dict(locked.fetchall())
            listings, notes = self._catalogs(db, scopes, revisions, puts)
            self._revised(db, [item.path for item in planned])
            if self.news is not None or "daemon" not in run.detail:
                # Else whoever serves memory tells of its own runs itself.
                self._tell(db, run_id, run, planned, scopes)
        for scope, listing in listings.items():
            self._listings.keep(scope, listing._replace(revision=listing.revision + 1))
        applied = applied_run(run_id, planned, scopes=scopes, redactions=redactions, notes=notes)
        self._announce(applied, run)
        return applied

    @contextmanager
    def writing(self, purpose: str) -> Iterator[None]:  # noqa: ARG002  # rows say it by themselves
        """Keep every other writer of this memory waiting; what is applied meanwhile is one commit."""
        if hasattr(self._mine, "unsaid"):
            yield
            return
        wait = self.settings.memory.lock_wait_seconds
        unsaid: list[tuple[Applied, RunInfo]] = []
        try:
            with self._database.transaction(self._place, wait=wait) as db:
                self._lock(db)
                self._mine.unsaid = unsaid
                try:
                    yield
                finally:
                    del self._mine.unsaid
        except BaseException:
            for scope in Scope:  # what was listed meanwhile never was
                self._listings.forget(scope)
            raise
        for applied, run in unsaid:
            self._announce(applied, run)

    @contextmanager
    def together(self) -> Iterator[bool]:
        """Write several runs in one transaction; what goes wrong in one undoes only that one."""
        with self.writing("several runs"):
            yield True

    def _announce(self, applied: Applied, run: RunInfo) -> None:
        """Tell listeners of a run, once it is durable."""
        if hasattr(self._mine, "unsaid"):
            self._mine.unsaid.append((applied, run))
        else:
            super()._announce(applied, run)

    def _lock(self, db: Connection) -> Asked:
        """Let one writer at a time into the person's and the project's memory; ask for its revisions."""
        make_spaces(db, self._place, ("", self._place.project))
        return db.execute(
            f"SELECT project, revision FROM space WHERE {MINE} ORDER BY project FOR UPDATE",
            self._place.values,
        )

    def _plan(
        self, db: Connection, changes: Sequence[Change], names: Sequence[str], *, scan: bool
    ) -> tuple[list[Planned], list[SecretFinding]]:
        """Check bases and secrets under the lock; drop changes that change nothing."""
        held = {path: unpack(data) for path, data in self._contents(db, names).items()}
        planned: dict[str, Planned] = {}
        redactions: list[SecretFinding] = []
        limit = self.settings.memory.max_file_bytes
        for change, path in zip(changes, names, strict=True):
            if change.text is not None and len(change.text) > limit:
                raise FileTooLarge(
                    f"{path} would have over {limit:,} bytes, the limit of memory.max_file_bytes"
                )
            made, found = plan_change(
                change,
                path=path,
                before=held.get(path),
                secrets=self.settings.secrets if scan else None,
                new_name=path,
            )
            redactions.extend(found)
            if made is not None:
                planned[path] = made
        return list(planned.values()), redactions

    def _put(
        self, db: Connection, files: Sequence[tuple[str, str | None, bool]], now: datetime
    ) -> Puts:
        """Write or remove files: path, text (none: it goes), whether it is private when it is new."""
        gone = [path for path, text, _ in files if text is None]
        if gone:
            db.execute(
                f"DELETE FROM file WHERE {MINE} AND path = ANY(%(paths)s)",
                {**self._place.values, "paths": gone},
            )
        kept = [(path, pack(text), digest(text), private)
                for path, text, private in files if text is not None]  # fmt: skip
        self.journal.put_versions(db, [(path, key, now) for path, _, key, _ in kept])
        written = [
            db.execute(
                "INSERT INTO file (tenant, owner, project, path, content, hash, at, private) SELECT"
                " %(tenant)s, %(owner)s, k.project, k.path, k.content, k.hash, (SELECT v.at FROM"
                " version v WHERE v.tenant = %(tenant)s AND v.owner = %(owner)s AND v.project ="
                " k.project AND v.path = k.path AND v.hash = k.hash), k.private FROM"
                " unnest(%(projects)s::text[], %(paths)s::text[], %(contents)s::bytea[],"
                " %(hashes)s::text[], %(privates)s::bool[]) AS k (project, path, content, hash,"
                " private) ON CONFLICT (tenant, owner, project, path) DO UPDATE SET"
                " content = excluded.content, hash = excluded.hash, at = excluded.at"
                " RETURNING path, hash, at",
                {
                    **self._place.values,
                    "projects": [self._place.project_of(path) for path, _, _, _ in lot],
                    "paths": [path for path, _, _, _ in lot],
                    "contents": [content for _, content, _, _ in lot],
                    "hashes": [key for _, _, key, _ in lot],
                    "privates": [private for _, _, _, private in lot],
                },
            )
            for lot in lots(kept, weight=lambda row: len(row[1]))
        ]
        return Puts({path: text for path, text, _ in files}, written)

    def _revised(self, db: Connection, paths: Iterable[str]) -> None:
        projects = sorted({self._place.project_of(path) for path in paths})
        db.execute(
            "UPDATE space SET revision = revision + 1 WHERE tenant = %(tenant)s"
            " AND owner = %(owner)s AND project = ANY(%(projects)s)",
            {**self._place.values, "projects": projects},
        )

    def _tell(
        self,
        db: Connection,
        run_id: str,
        run: RunInfo,
        planned: Sequence[Planned],
        scopes: Sequence[Scope],
    ) -> None:
        """Tell readers of events what was written, together with it."""
        news = self.news or News(f"workspace_{run.verb.replace('-', '_')}", run.client)
        if scopes:
            data: dict[str, Any] = {
                "scope": "managed",
                "source": news.source,
                "taskId": run_id,
                "touchedScopes": [scope.value for scope in scopes],
            }
            append_event(
                db, self._place, "memory_changed", data, client=news.client, at=self.clock()
            )
        for item in planned:
            folder = item.path.rpartition("/")[0]
            where = {self.workspace.home: "global", self.workspace.base: "workspace"}.get(folder)
            if where:
                size = len(pack(item.after or ""))
                data = {"scope": where, "filePath": item.path, "mode": "replace",
                        "bytesWritten": size}  # fmt: skip
                append_event(
                    db, self._place, "memory_changed", data, client=news.client, at=self.clock()
                )

    # --- catalogs ---------------------------------------------------------------------------------

    def rebuild_catalogs(self) -> list[str]:
        """Write the catalogs of both scopes anew; return what did not fit."""
        with self._database.transaction(
            self._place, wait=self.settings.memory.lock_wait_seconds
        ) as db:
            self._lock(db)
            _, notes = self._catalogs(db, tuple(Scope), {}, Puts({}, []))
            self._revised(db, [f"{self._root(scope)}/x" for scope in Scope])
            return notes

    def _catalogs(
        self,
        db: Connection,
        scopes: Sequence[Scope],
        revisions: Mapping[str, int],
        puts: Puts,
    ) -> tuple[dict[Scope, Listing], list[str]]:
        """Write the catalogs of some scopes; return what their topics are now, and what did not fit."""
        notes: list[str] = []
        listings: dict[Scope, Listing] = {}
        for scope in scopes:
            asked = self._ask_catalogs(db, scope)
            revision = revisions.get(self._listings.project_of(scope), -1)
            listing = self._listings.after(scope, revision, puts) if revision >= 0 else None
            listings[scope] = listing or self._listings.scan(db, scope, revision)
            files, held, more = self._expected(asked, scope, listings[scope])
            notes += more
            changed = [(path, text, True) for path, text in files.items() if held.get(path) != text]
            self._put(db, changed, self.clock())
        return listings, notes

    def expected_catalogs(
        self, db: Connection, scope: Scope
    ) -> tuple[dict[str, str | None], dict[str, str], tuple[str, ...]]:
        """Return what each catalog of a scope should hold, what it holds, and what does not fit."""
        asked = self._ask_catalogs(db, scope)
        return self._expected(asked, scope, self._listings.scan(db, scope, -1))

    def _ask_catalogs(self, db: Connection, scope: Scope) -> Asked:
        root = self._root(scope)
        return self.ask_contents(db, [f"{root}/{rel}" for rel in (CATALOG_NAME, *SUBCATALOGS)])

    def _expected(
        self, asked: Asked, scope: Scope, listing: Listing
    ) -> tuple[dict[str, str | None], dict[str, str], tuple[str, ...]]:
        root = self._root(scope)
        held = {path: _text(bytes(content), path) for path, content in asked.fetchall()}
        files, notes = self._listings.catalog_files(
            scope,
            listing,
            settings=self.settings.catalog,
            read=lambda rel: held.get(f"{root}/{rel}"),
            others={item.path[len(root) + 1 :] for item in listing.problems},
        )
        return {f"{root}/{rel}": text for rel, text in files.items()}, held, notes

    def edits(self) -> list[FileDelta]:
        """Return nothing: rows have no other way to change than `apply`."""
        return []

    def notice_edits(self) -> list[str]:
        """Return nothing: rows have no other way to change than `apply`."""
        return []


def _check_growth(allowance: Allowance, planned: Sequence[Planned]) -> None:
    allowance.check_growth(
        memories=sum((item.before is None) - (item.after is None) for item in planned),
        size=sum(len(pack(item.after or "")) - len(pack(item.before or "")) for item in planned),
    )


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not UTF-8 text (byte {error.start})", path=path) from None
