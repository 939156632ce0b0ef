"""One folder of managed memory: its topic files, read and cached, and what its catalogs should say."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.text.plain import digest, is_text, storable
from reverie.core.topics.catalog import catalog_files
from reverie.core.topics.topic import is_topic_path, newest_first, parse_topic, why_no_topic
from reverie.errors import NotText, PathEscape, ReverieError
from reverie.local.disk.files import read_text
from reverie.local.store.listing import markdown_files, signature
from reverie.local.store.paths import inside
from reverie.types import Problem, Topic

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.local.journal.journal import JournalDb
    from reverie.types import Scope


class ManagedFolder:
    """The memory folder of one scope."""

    def __init__(
        self,
        root: Path,
        scope: Scope,
        journal: JournalDb,
        settings: Settings,
        *,
        real: str | None = None,
    ) -> None:
        self.root = root
        self._real = real
        """Where the folder really was when the memory was opened; elsewhere nothing is read."""
        self.scope = scope
        self._journal = journal
        self._settings = settings
        self._cache: dict[str, tuple[str, Topic | Problem, bool]] = {}
        """By path in the folder: the file's signature, what was read, and whether its head only."""
        self.problems: list[Problem] = []
        """Files the last reading could not use, each with the reason."""

    def topics(self, *, heads_only: bool = False) -> list[Topic]:
        """Read every topic, newest first; `heads_only` leaves out the entries of those not known yet."""
        self.problems = []
        limit = self._settings.memory.max_file_bytes
        try:
            # Once: for each file it would take as long as to read it.
            real_root = os.path.realpath(self.root)
        except OSError:  # a link that went away while it was read
            real_root = ""
        if not real_root or real_root != (self._real or real_root):
            moved = f"{self.root} led to another folder when this memory was opened; open it again"
            self.problems = [Problem(PathEscape.code, moved, path=str(self.root))]
            return []
        ages = _Ages(self._journal, f"{real_root}/")
        found: list[Topic] = []
        seen: set[str] = set()
        for rel, item, facts in markdown_files(self.root):
            if not is_topic_path(rel):
                continue
            seen.add(rel)
            mark = signature(facts)
            cached = self._cache.get(rel)
            if cached is None or cached[0] != mark or (cached[2] and not heads_only):
                read = read_topic(
                    self.root,
                    self.scope,
                    rel,
                    item,
                    facts,
                    ages.of,
                    limit=limit,
                    real_root=real_root,
                    head_only=heads_only,
                )
                cached = self._cache[rel] = (mark, read, heads_only)
            if isinstance(cached[1], Topic):
                found.append(cached[1])
            else:
                self.problems.append(cached[1])
        for gone in self._cache.keys() - seen:
            del self._cache[gone]
        return newest_first(found)

    def catalogs(
        self, read: Callable[[str], str | None]
    ) -> tuple[dict[str, str | None], tuple[str, ...]]:
        """Return what each catalog file should hold (None: should not be there), and what is cut.

        Files are named, and given by `read`, by their path in the folder.
        """
        topics = self.topics(heads_only=True)
        return catalog_files(
            topics,
            settings=self._settings.catalog,
            read=read,
            others={os.path.relpath(item.path, self.root) for item in self.problems},
        )


def read_topic(
    root: Path,
    scope: Scope,
    rel: str,
    item: os.DirEntry[str],
    facts: os.stat_result,
    age: Callable[[str, str, str], datetime | None],
    *,
    limit: int,
    real_root: str = "",
    head_only: bool = False,
) -> Topic | Problem:
    """Read one file; `age` tells by real path, text and signature since when it has its content.

    `real_root` is the real path of `root`, from a caller who knows it. `head_only` leaves out entries.
    """
    path = item.path
    if not is_text(rel):
        why = f"the name {storable(path)} is not UTF-8 text, so the file is not used; rename it"
        return Problem(NotText.code, why, path=storable(path))
    try:
        # Folders are entered only when they are real ones, so only the file itself may be a link.
        linked = item.is_symlink()
        real = str(inside(root, path)) if linked else f"{real_root or os.path.realpath(root)}/{rel}"
        text = read_text(path, limit=limit)
    except ReverieError as error:
        return Problem(error.code, str(error), path=path)
    if text is None:
        return Problem("path_not_found", f"{path} was removed while it was read", path=path)
    updated = age(real, text, signature(facts))
    if updated is None:
        updated = datetime.fromtimestamp(facts.st_mtime, UTC)
    topic = parse_topic(text, path=path, rel=rel, scope=scope, updated=updated, head_only=head_only)
    return topic or Problem("not_a_topic", why_no_topic(text), path=path)


class _Ages:
    """Since when files have had their content, as the journal knows it; read once for a folder."""

    def __init__(self, journal: JournalDb, prefix: str) -> None:
        self._states = journal.file_states(prefix)
        self._versions = journal.versions(prefix)

    def of(self, path: str, text: str, mark: str) -> datetime | None:
        """Return the age of a file's content, or None when the journal never saw it."""
        state = self._states.get(path)
        if state and state.signature == mark:
            return state.at
        versions = self._versions.get(path)
        return versions.get(digest(text)) if versions else None
