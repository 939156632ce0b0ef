"""Recall in a process that must answer at once: from the stored words, without opening the memory.

Rules:

* The block is the one that opening the memory would give. Where that cannot be known (nothing is
  stored, settings changed, a model is to be asked) the answer is None, and the caller opens it.
* A passage was looked through for secrets before it is shown. What was found clean is remembered by
  its hash, so that the library of patterns is loaded once for a passage and not at every prompt.
* Nothing is imported that a usual prompt does not need; see `-X importtime`.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

from reverie import __version__
from reverie.client import plainjson
from reverie.core.text.plain import digest
from reverie.core.text.words import TOKENIZER_VERSION
from reverie.core.topics.recall_block import render_block
from reverie.local.disk.appending import append_line, append_record
from reverie.local.disk.regular import regular
from reverie.local.recall import word_file
from reverie.local.recall.overlay import Found
from reverie.local.recall.word_index import RecallIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from reverie.local.recall.word_file import Doc

_CLEAN_CHARS = 16
_CLEAN_BYTES = 64 * 1024


class _JournalUnreadable(Exception):
    """The journal cannot tell how old a memory is."""


class Answer:
    """What was recalled, and what is left to do after it was said."""

    __slots__ = ("block", "index", "room")

    def __init__(self, block: str, room: int = 0, index: RecallIndex | None = None) -> None:
        self.block = block
        self.room = room
        """How many characters a hook may add."""
        self.index = index
        """With what changed since the words were stored; None when there is nothing to store."""


class _Shown:
    """A topic as the block shows it."""

    __slots__ = (
        "description", "imported", "lines", "name", "named_before", "rel", "text", "truncated", "updated",
    )  # fmt: skip

    def __init__(self, found: Found, query: str, *, limit: int) -> None:
        doc = found.doc
        self.rel = doc.rel
        self.name = doc.name
        self.description = doc.description
        self.imported = doc.imported
        self.updated = datetime.fromisoformat(doc.updated) if doc.updated else None
        body = doc.text[doc.body :]
        self.text, self.lines, self.truncated = body.strip(), "", False
        if len(self.text) > limit:
            from reverie.core.search.passage import best_passage, line_range

            passage = best_passage(body, matched=found.matched, limit=limit)
            self.text, self.truncated = passage.text, passage.truncated
            start = doc.body + passage.start
            self.lines = line_range(doc.text, start, doc.body + passage.end)
        self.named_before = False
        if "Until " in doc.text or "Before: " in doc.text:
            from reverie.core.topics.former import names_former, what_holds

            self.text = what_holds(self.text, query)
            self.named_before = names_former(doc.rel, doc.text, self.text)


def quick_recall(query: str, *, state: str, project: str, started: float) -> Answer | None:
    """Recall for a project of this state folder; None when the memory has to be opened."""
    import gc

    # Much is made here that lives as long as the process: nothing to look through for what is left over.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _recalled(query, state=state, project=project, started=started)
    finally:
        if collecting:
            gc.enable()


def quick_topics(*, state: str, project: str) -> list[Doc] | None:
    """Return every topic of a project and of its person; None when the memory has to be opened."""
    index = _stored(state, project)
    try:
        return None if index is None else index.docs()
    except _JournalUnreadable:
        return None


def _stored(state: str, project: str) -> RecallIndex | None:
    """Return the stored words, if they say what opening the memory would."""
    path = word_file.word_path(state, project)
    base = None if _is_special() else word_file.load(path)
    if base is None or not _usable(base.profile):
        return None
    profile = base.profile
    roots: list[str] = profile["roots"]
    limit: int = profile["max_file_bytes"]
    key = word_file.key_of(__version__, TOKENIZER_VERSION, limit, roots)
    if base.key != key:
        return None
    journal = _Journal(state)
    return RecallIndex(
        path, roots, key=key, age=journal.age, imported=journal.imported, limit=limit, profile=profile,
        base=base,
    )  # fmt: skip


def _recalled(query: str, *, state: str, project: str, started: float) -> Answer | None:
    from time import monotonic

    index = _stored(state, project)
    if index is None:
        return None
    profile = index.profile
    if not profile["enabled"] or not query.strip() or not profile["limit"]:
        return Answer("")
    try:
        found, scanned = index.find(query)
    except _JournalUnreadable:
        return None
    if found:
        from reverie.core.questions.closeness import what_it_is_about

        about = what_it_is_about(query, [item.matched for item in found])
        found = [item for item, right in zip(found, about, strict=True) if right]
        found = found[: profile["limit"]]
    shown = [_Shown(item, query, limit=profile["body_chars"]) for item in found]
    _redact(shown, state, profile)
    now = datetime.now(UTC)
    block = render_block(shown, now=now, stale_after_days=profile["stale_after_days"])
    _note(state, query, found, scanned, now, round((monotonic() - started) * 1000))
    return Answer(
        block, profile["context_chars"], index if index.is_worth_storing(thorough=False) else None
    )


def _is_special() -> bool:
    """Tell whether the environment says something that the stored words do not know of."""
    return any(
        name.startswith("OTEL_")
        or name == "REVERIE_ENGINE"
        or (name.startswith("REVERIE_") and "__" in name)
        or name.endswith(("_MEMORY_LOCAL", "_MEMORY_PROJECT_SCOPE"))
        for name in os.environ
    )


def _usable(profile: Mapping[str, Any]) -> bool:
    if profile.get("plain") is not True:
        return False
    return all(word_file.file_mark(path) == mark for path, mark in profile["files"].items())


class _Journal:
    """What the journal knows of files, asked without opening it for writing, and only if need be."""

    __slots__ = ("_db", "_file")

    def __init__(self, state: str) -> None:
        self._file = os.path.join(state, "journal.db")
        self._db: Any = None

    def _open(self) -> Any:
        if self._db is None and os.path.exists(self._file):
            import sqlite3
            from urllib.parse import quote

            from reverie.local.journal.row_sums import register

            self._db = sqlite3.connect(f"file:{quote(self._file)}?mode=ro", uri=True)
            register(self._db)
        return self._db

    def age(self, path: str, text: str, mark: str) -> datetime | None:
        """Return since when a file has had its content."""
        db = self._open()
        if db is None:
            return None
        import sqlite3

        from reverie.local.journal.row_sums import intact

        try:
            row = db.execute(
                f"SELECT at FROM file_state WHERE path = ? AND signature = ? AND {intact('file_state')}"
                f" UNION ALL SELECT at FROM version WHERE path = ? AND hash = ? AND {intact('version')}",
                (path, mark, path, digest(text)),
            ).fetchone()
            return datetime.fromisoformat(row[0]) if row else None
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise _JournalUnreadable from error

    def imported(self, path: str, text: str) -> str:
        """Tell from where and when a file was imported."""
        db = self._open()
        if db is None:
            return ""
        import sqlite3

        from reverie.local.journal.arrivals import imported

        try:
            return imported(db, path, text)
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise _JournalUnreadable from error


def _redact(shown: list[_Shown], state: str, profile: Mapping[str, Any]) -> None:
    """Keep secrets that somebody wrote by hand out of the prompt."""
    if profile["secrets"] == "off" or not shown:
        return
    rules = f"{__version__}\n{','.join(profile['allow'])}\n"
    path = os.path.join(state, word_file.FOLDER, word_file.CLEAN)
    try:
        with open(path, encoding="ascii", opener=regular) as file:
            known = set(file.read(_CLEAN_BYTES).split())
    except (OSError, ValueError):
        known = set()
    fresh: list[str] = []
    for item in shown:
        said = (item.name, item.description, item.text)
        mark = digest(rules + "\n".join(said))[:_CLEAN_CHARS]
        if mark in known:
            continue
        from reverie.core.secrets.scanner import redact

        clean = tuple(redact(text, allow=profile["allow"])[0] for text in said)
        if clean != said:
            item.name, item.description, item.text = clean
        else:
            fresh.append(mark)
    if fresh:
        marks = "".join(f"{mark}\n" for mark in fresh)
        _append(append_line, path, marks, limit=_CLEAN_BYTES - 4096)


def _note(
    state: str, query: str, found: list[Found], scanned: int, now: datetime, took: int
) -> None:
    """Log the recall as opening the memory would."""
    event = {
        "at": now.isoformat(),
        "name": "memory.recall",
        "query_length": len(query),
        "docs_scanned": scanned,
        "docs_selected": len(found),
        "strategy": "heuristic" if found else "none",
        "duration_ms": took,
    }
    _append(append_record, os.path.join(state, "events.jsonl"), plainjson.dumps(event))
    if found:
        keys = [digest(item.path)[:16] for item in found]
        record = {"at": now.isoformat(), "name": "recalled", "topics": keys}
        _append(append_record, os.path.join(state, "recalls.jsonl"), plainjson.dumps(record))


def _append(append: Callable[..., None], path: str, text: str, **limit: int) -> None:
    """Note something; a disk that is full or read-only must not stop a recall."""
    try:
        append(path, text, **limit)
    except OSError:
        return
