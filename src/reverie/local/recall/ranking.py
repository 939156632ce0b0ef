"""Ranking the topics of a workspace by the recall index, and keeping that index on the disk.

Rules:

* The stored part lies in the state folder, one file for each project, and is thrown away whenever
  something is forgotten: no copy may outlive the original.
* It is written under the lock of all writers, after one more look at the files, so that a process
  that read a topic before it was forgotten cannot put it back.
* What a hook must know to recall without reading settings is stored with it (`profile`), together
  with the marks of the files that it was read from.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from reverie import __version__
from reverie.core.agents.naming import is_agent
from reverie.core.text.plain import digest
from reverie.core.text.words import TOKENIZER_VERSION
from reverie.core.topics.candidates import ENOUGH, exact_keys, near_keys
from reverie.core.topics.topic import newest_first, parse_topic
from reverie.errors import Locked, ReverieError, StoreError
from reverie.local.disk.locks import file_lock
from reverie.local.recall import word_file
from reverie.local.recall.word_index import RecallIndex
from reverie.local.resting import Resting, rests
from reverie.local.store.look import shared_look
from reverie.local.store.managed import Head, Kept
from reverie.types import Kind, Scope, Topic
from reverie.types.ranking import Scored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.config import Settings
    from reverie.dialect import Dialect
    from reverie.local.journal.journal import JournalDb
    from reverie.local.recall.overlay import Found
    from reverie.local.recall.word_file import Doc
    from reverie.local.store.look import Seen
    from reverie.local.store.managed import Known
    from reverie.types import Workspace

_LATELY = 1024
"""So many topics are kept as they were read; more would be in the way of everything else."""


class Ranker(Resting):
    """The recall index of one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        journal: JournalDb,
        settings: Settings,
        dialect: Dialect,
        env: Mapping[str, str],
    ) -> None:
        self._workspace = workspace
        self._journal = journal
        self._settings = settings
        self._dialect = dialect
        self._env = env
        self._one_at_a_time = Lock()
        self._lately: dict[str, Topic] = {}
        self.keep = True
        """Whether closing stores what changed."""
        self.thorough = False
        """Whether it stores few new files, too: for who has nothing else to do."""
        roots = [workspace.memory_root(scope) for scope in Scope]
        limit = settings.memory.max_file_bytes
        self._index = RecallIndex(
            word_file.word_path(workspace.state, workspace.base),
            roots,
            key=word_file.key_of(__version__, TOKENIZER_VERSION, limit, roots),
            age=self._age,
            imported=lambda path, text: journal.imported({path: text})[path],
            limit=limit,
            looks=[shared_look(root) for root in roots],
        )
        rests(self, last=True)

    def ranked(self, query: str) -> tuple[list[Scored], int]:
        """Rank the topics a question is about, best first; also tell how many topics there are."""
        with self._one_at_a_time:  # a daemon's threads share it
            found, size = self._index.find(query)
        return [
            Scored(item.path, item.score, item.matched, partial(_topic, item)) for item in found
        ], size

    def concerned(self, statement: str, *scopes: Scope) -> list[Topic]:
        """Return the topics of these scopes that a new statement may concern, newest first in each."""
        return [topic for scope in scopes for topic in self._concerned(statement, scope)]

    def _concerned(self, statement: str, scope: Scope) -> list[Topic]:
        root = list(Scope).index(scope)
        with self._one_at_a_time:
            same = self._index.holding(exact_keys(statement), root)
            near = self._index.near(near_keys(statement), root, ENOUGH)
        docs = {doc.rel: doc for doc in (*near, *same)}
        return newest_first(self._parsed(doc) for doc in docs.values())

    def known(self, scope: Scope) -> Known:
        """Look; return what gives a topic that is still as it was read, here or by an earlier process."""
        with self._one_at_a_time:
            find = self._index.known(list(Scope).index(scope))

        def head(rel: str, seen: Seen) -> Head | None:
            found = find(rel, seen)
            return Head(found[0], found[1], partial(_kept, found[2])) if found else None

        return head

    def _parsed(self, doc: Doc) -> Topic:
        """Return a topic with its entries; those looked at lately are kept."""
        path = f"{self._index.roots[doc.root]}/{doc.rel}"
        updated = datetime.fromisoformat(doc.updated) if doc.updated else None
        kept = self._lately.pop(path, None)
        if kept is None or kept.text != doc.text or kept.updated != updated:
            scope = list(Scope)[doc.root]
            kept = parse_topic(doc.text, path=path, rel=doc.rel, scope=scope, updated=updated)
            if kept is None:
                raise AssertionError(f"{path} was stored as a topic and is none")
        self._lately[path] = kept
        while len(self._lately) > _LATELY:
            self._lately.pop(next(iter(self._lately)), None)
        return kept

    def rest(self) -> None:
        """Store what changed, and load it again when somebody asks."""
        with self._one_at_a_time:
            self._store()
            self._lately.clear()
            self._index.rest()

    def close(self) -> None:
        """Store what changed for the next process."""
        self._store()
        self.keep = False

    def _store(self) -> None:
        """Store what changed, unless somebody is writing; it is only a cache."""
        if not self.keep:
            return
        lock = Path(self._workspace.state) / "write.lock"
        with suppress(Locked, StoreError, OSError):
            self._index.profile = self._profile()
            if not self._index.is_worth_storing(thorough=self.thorough):
                return
            with file_lock(lock, wait=0.0, purpose="keeping the recall index"):
                self._index.refresh()
                self._index.save(thorough=self.thorough)

    def _age(self, path: str, text: str, mark: str) -> datetime | None:
        state = self._journal.file_state(path)
        if state and state.signature == mark:
            return state.at
        return self._journal.version(path, digest(text))

    def _profile(self) -> dict[str, Any]:
        from reverie.local.context.trust import trust_file
        from reverie.local.settings import load_settings, project_file, user_file

        space, settings = self._workspace, self._settings
        home = space.home
        plain = {name: value for name, value in self._env.items() if name == "HOME"}
        try:
            from_files = load_settings(
                Path(space.cwd), dialect=self._dialect, home=home, env=plain
            ).settings
        except ReverieError:
            from_files = None
        recall = settings.recall
        files = [
            str(user_file(self._dialect, home=home, env=plain)),
            str(project_file(space, self._dialect)),
            str(trust_file(space)),  # says whether the project's settings count
            os.path.join(space.base, ".git"),
        ]
        return {
            # Everything a hook needs is in these files, and words alone decide what is recalled.
            "plain": from_files == settings
            and not self._env.keys() & {self._dialect.local_env, self._dialect.scope_env}
            and (not settings.model.name or is_agent(settings.model.name))
            and recall.strategy in ("auto", "heuristic")
            and recall.scoring == "bm25",
            "files": {path: word_file.file_mark(path) for path in files},
            "roots": list(self._index.roots),
            "enabled": settings.memory.enabled and recall.enabled and settings.hooks.enabled,
            "limit": recall.limit,
            "body_chars": recall.body_chars,
            "stale_after_days": recall.stale_after_days,
            "secrets": settings.secrets.policy,
            "allow": list(settings.secrets.allow),
            "context_chars": settings.hooks.context_chars,
            "max_file_bytes": settings.memory.max_file_bytes,
        }


def _topic(found: Found) -> Topic:
    doc = found.doc
    return Topic(
        path=found.path,
        rel=doc.rel,
        scope=list(Scope)[doc.root],
        kind=Kind(doc.kind),
        name=doc.name,
        description=doc.description,
        body=doc.text[doc.body :],
        text=doc.text,
        updated=datetime.fromisoformat(doc.updated) if doc.updated else None,
    )


def _kept(give: Callable[[], Doc]) -> Kept:
    doc = give()
    return Kept(doc.name, doc.description, doc.updated, doc.text)
