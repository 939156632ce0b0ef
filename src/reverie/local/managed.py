"""One folder of managed memory: its topic files, read and cached, and what its catalogs should say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from reverie.config import Settings
from reverie.core.catalog import SUBCATALOGS, is_generated, render_catalog
from reverie.core.text import digest
from reverie.core.topics import CATALOG_NAME, is_topic_path, parse_topic, why_no_topic
from reverie.errors import ReverieError
from reverie.local.disk import read_text
from reverie.local.journal import JournalDb
from reverie.local.paths import inside
from reverie.types import Problem, Scope, Topic


class ManagedFolder:
    """The memory folder of one scope."""

    def __init__(self, root: Path, scope: Scope, journal: JournalDb, settings: Settings) -> None:
        self.root = root
        self.scope = scope
        self._journal = journal
        self._settings = settings
        self._cache: dict[str, tuple[str, Topic | None]] = {}
        self.problems: list[Problem] = []
        """Files the last reading could not use, each with the reason."""

    def topics(self) -> list[Topic]:
        """Read every topic, newest first."""
        self.problems = []
        known = self._journal.file_states(f"{os.path.realpath(self.root)}/")
        found: list[Topic] = []
        for rel, path, facts in markdown_files(self.root):
            if not is_topic_path(rel):
                continue
            mark = signature(facts)
            cached = self._cache.get(rel)
            if cached is None or cached[0] != mark:
                try:
                    real = str(inside(self.root, path))
                    text = read_text(path, limit=self._settings.memory.max_file_bytes)
                except ReverieError as error:
                    self.problems.append(Problem(error.code, str(error), path=str(path)))
                    continue
                if text is None:
                    continue
                state = known.get(real)
                if state and state.signature == mark:
                    updated = state.at
                else:
                    seen = self._journal.version_at(real, digest(text))
                    updated = seen or datetime.fromtimestamp(facts.st_mtime, UTC)
                topic = parse_topic(
                    text, path=str(path), rel=rel, scope=self.scope, updated=updated
                )
                if topic is None:
                    self.problems.append(Problem("not_a_topic", why_no_topic(text), path=str(path)))
                cached = self._cache[rel] = (mark, topic)
            if cached[1] is not None:
                found.append(cached[1])
        return sorted(found, key=lambda topic: (-seconds(topic.updated), topic.rel))

    def catalogs(self) -> tuple[dict[Path, str | None], tuple[str, ...]]:
        """Return what each catalog file should hold (None: should not be there), and what is cut."""
        limit = self._settings.memory.max_file_bytes
        main = self.root / CATALOG_NAME
        existing = read_text(main, limit=limit)
        catalog = render_catalog(self.topics(), settings=self._settings.catalog, existing=existing)
        files: dict[Path, str | None] = {main: catalog.text}
        for rel in SUBCATALOGS:
            text = catalog.subcatalogs.get(rel)
            if text is None:
                old = read_text(self.root / rel, limit=limit)
                if old is None or not is_generated(old):
                    continue
            files[self.root / rel] = text
        return files, catalog.notes


def markdown_files(root: Path) -> Iterator[tuple[str, Path, os.stat_result]]:
    """Yield Markdown files below a folder; hidden ones are left out, linked folders not entered."""
    stack = [(root, "")]
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
                stack.append((Path(item.path), f"{prefix}{item.name}/"))
            elif item.name.endswith(".md"):
                try:
                    facts = item.stat()
                except OSError:  # a link that points nowhere, or a file just removed
                    continue
                yield f"{prefix}{item.name}", Path(item.path), facts


def signature(facts: os.stat_result) -> str:
    """Return what changes whenever a file is written."""
    return f"{facts.st_mtime_ns}:{facts.st_size}:{facts.st_ino}"


def seconds(moment: datetime | None) -> float:
    """Return a time as a number to sort by."""
    return moment.timestamp() if moment else 0.0
