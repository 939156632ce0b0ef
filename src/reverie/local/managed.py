"""One folder of managed memory: its topic files, read and cached, and what its catalogs should say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.catalog import SUBCATALOGS, is_generated, render_catalog
from reverie.core.text import digest
from reverie.core.topics import CATALOG_NAME, is_topic_path, parse_topic, why_no_topic
from reverie.errors import ReverieError
from reverie.local.disk import read_text
from reverie.local.paths import inside
from reverie.types import Problem, Topic

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.local.journal import JournalDb
    from reverie.types import Scope


class ManagedFolder:
    """The memory folder of one scope."""

    def __init__(self, root: Path, scope: Scope, journal: JournalDb, settings: Settings) -> None:
        self.root = root
        self.scope = scope
        self._journal = journal
        self._settings = settings
        self._cache: dict[str, tuple[str, Topic | Problem]] = {}
        self.problems: list[Problem] = []
        """Files the last reading could not use, each with the reason."""

    def topics(self) -> list[Topic]:
        """Read every topic, newest first."""
        self.problems = []
        real_root = os.path.realpath(self.root)
        ages = _Ages(self._journal, f"{real_root}/")
        found: list[Topic] = []
        seen: set[str] = set()
        for rel, item, facts in markdown_files(self.root):
            if not is_topic_path(rel):
                continue
            seen.add(rel)
            mark = signature(facts)
            cached = self._cache.get(rel)
            if cached is None or cached[0] != mark:
                cached = (mark, self._read(rel, item, f"{real_root}/{rel}", facts, ages))
                self._cache[rel] = cached
            if isinstance(cached[1], Topic):
                found.append(cached[1])
            else:
                self.problems.append(cached[1])
        for gone in self._cache.keys() - seen:
            del self._cache[gone]
        return sorted(found, key=lambda topic: (-seconds(topic.updated), topic.rel))

    def _read(
        self, rel: str, item: os.DirEntry[str], real: str, facts: os.stat_result, ages: _Ages
    ) -> Topic | Problem:
        path = item.path
        try:
            if item.is_symlink():  # folders are entered only when they are real ones
                real = str(inside(self.root, path))
            text = read_text(Path(path), limit=self._settings.memory.max_file_bytes)
        except ReverieError as error:
            return Problem(error.code, str(error), path=path)
        if text is None:
            return Problem("path_not_found", f"{path} was removed while it was read", path=path)
        updated = ages.of(real, text, signature(facts))
        if updated is None:
            updated = datetime.fromtimestamp(facts.st_mtime, UTC)
        topic = parse_topic(text, path=path, rel=rel, scope=self.scope, updated=updated)
        return topic or Problem("not_a_topic", why_no_topic(text), path=path)

    def catalogs(self) -> tuple[dict[Path, str | None], tuple[str, ...]]:
        """Return what each catalog file should hold (None: should not be there), and what is cut."""
        limit = self._settings.memory.max_file_bytes
        main = self.root / CATALOG_NAME
        topics = self.topics()
        others = {os.path.relpath(item.path, self.root) for item in self.problems}
        catalog = render_catalog(
            topics,
            settings=self._settings.catalog,
            existing=read_text(main, limit=limit),
            others=others,
        )
        files: dict[Path, str | None] = {main: catalog.text}
        notes = list(catalog.notes)
        for rel in SUBCATALOGS:
            text = catalog.subcatalogs.get(rel)
            old = read_text(self.root / rel, limit=limit)
            if old is not None and not is_generated(old):
                if text is not None:
                    notes.append(
                        f"{rel} is not ours, so the rest of that list is not written there"
                    )
            elif text is not None or old is not None:
                files[self.root / rel] = text
        return files, tuple(notes)


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


def markdown_files(root: Path) -> Iterator[tuple[str, os.DirEntry[str], os.stat_result]]:
    """Yield Markdown files below a folder; hidden ones are left out, linked folders not entered."""
    stack = [(os.fspath(root), "")]
    while stack:
        folder, prefix = stack.pop()
        try:
            with os.scandir(folder) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        for item in items:
            if item.name.startswith("."):
                continue
            if item.is_dir(follow_symlinks=False):
                stack.append((item.path, f"{prefix}{item.name}/"))
            elif item.name.endswith(".md"):
                try:
                    facts = item.stat()
                except OSError:  # a link that points nowhere, or a file just removed
                    continue
                yield f"{prefix}{item.name}", item, facts


def signature(facts: os.stat_result) -> str:
    """Return what changes whenever a file is written."""
    return f"{facts.st_mtime_ns}:{facts.st_size}:{facts.st_ino}"


def seconds(moment: datetime | None) -> float:
    """Return a time as a number to sort by."""
    return moment.timestamp() if moment else 0.0
