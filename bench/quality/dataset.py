"""Retrieval data: documents and questions in two files, laid out as the memory of a project.

Rules
- `docs.jsonl` has `id`, `scope`, `text` and maybe `ts` and `order`; `queries.jsonl` has `id`, `scope`,
  `text`, `cat`, `gold` and maybe `before`. A query is searched only in its own scope.
- Documents that are turns (`Name: words`, one each) become turns of conversations, everything else
  Markdown files: what is measured is the product as it is used, not a model of it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from reverie.core.history.turns import encode, turn_path
from reverie.core.text.days import dates_in
from reverie.errors import BadDataset, PathNotFound
from reverie.types import TextPart, Turn, TurnMessage

__all__ = ["Dataset", "Doc", "Layout", "Question", "lay_out", "load"]

_TURN: Final = re.compile(r"(?P<name>[^\W\d_][\w .'’-]{0,30}?): (?P<words>.*)", re.DOTALL)
_TURN_SHARE: Final = 0.9
_TALK: Final = 3  # a document with more lines that begin with a name is a whole conversation
_NO_DATE: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Doc:
    """One thing that can be found."""

    id: str
    scope: str
    text: str
    when: str = ""
    order: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and which documents answer it."""

    id: str
    scope: str
    text: str
    category: str
    gold: frozenset[str]
    before: int | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Documents and questions."""

    name: str
    docs: tuple[Doc, ...]
    questions: tuple[Question, ...]


@dataclass(slots=True)
class Layout:
    """Where each document of a dataset went."""

    paths: dict[str, str] = field(default_factory=dict)
    """Document ids by the path that results name."""
    allowed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """What a query of each scope may see."""


def load(folder: Path) -> Dataset:
    """Read a dataset; questions without an answer among the documents are left out."""
    if not folder.exists():
        raise PathNotFound(
            f"there is no folder {folder}; name one with docs.jsonl and queries.jsonl"
        )
    docs = [
        Doc(
            _id(row),
            str(row["scope"]),
            str(row["text"]),
            str(row.get("ts") or ""),
            row.get("order"),
        )
        for row in _rows(folder / "docs.jsonl", ("id", "scope", "text"))
    ]
    known = {doc.id for doc in docs}
    questions = [
        Question(
            _id(row),
            str(row["scope"]),
            str(row["text"]),
            str(row.get("cat") or ""),
            frozenset(map(str, row["gold"])),
            row.get("before"),
        )
        for row in _rows(folder / "queries.jsonl", ("id", "scope", "text", "gold"))
    ]
    answered = [question for question in questions if question.gold & known]
    if not answered:
        raise BadDataset(f"{folder}: no query has an answer among the documents")
    return Dataset(folder.name, tuple(docs), tuple(answered))


def _id(row: dict[str, Any]) -> str:
    return str(row["id"])


def _rows(path: Path, needed: Sequence[str]) -> list[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadDataset(f"{path} cannot be read: {error.strerror}") from error
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadDataset(f"{path}, line {number}: {error}") from error
        missing = [key for key in needed if not isinstance(row, dict) or key not in row]
        if missing:
            raise BadDataset(f"{path}, line {number}: there is no {missing[0]!r}")
        rows.append(row)
    return rows


def lay_out(dataset: Dataset, *, project: Path, home: Path) -> Layout:
    """Write the documents as the memory of a project."""
    scopes: dict[str, list[Doc]] = {}
    for doc in dataset.docs:
        scopes.setdefault(doc.scope, []).append(doc)
    layout = Layout()
    talk = _are_turns(dataset.docs)
    seq = 0
    for number, (scope, docs) in enumerate(scopes.items()):
        if talk:
            layout.allowed[scope] = _write_turns(docs, number, seq, home, layout)
            seq += len(docs)
        else:
            layout.allowed[scope] = (f"memory/{number}",)
            _write_files(docs, number, project, layout)
    return layout


def _are_turns(docs: Sequence[Doc]) -> bool:
    """Say whether the documents are turns of conversations, one each."""
    names = [match["name"] for doc in docs if (match := _TURN.match(doc.text))]
    whole = sum(1 for doc in docs if _lines_spoken(doc.text) > _TALK)
    often = Counter(names)
    again = len(names) >= 4 * len(often)
    return len(names) >= _TURN_SHARE * len(docs) and whole < len(docs) / 2 and again


def _lines_spoken(text: str) -> int:
    return sum(1 for line in text.split("\n") if _TURN.match(line))


def _write_files(docs: Sequence[Doc], number: int, project: Path, layout: Layout) -> None:
    folder = project / "memory" / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    for place, doc in enumerate(docs):
        at = _moment(doc.when)
        prefix = f"{at:%Y-%m-%d}-" if at else ""
        name = f"{prefix}{place:06d}.md"
        (folder / name).write_text(doc.text + "\n", encoding="utf-8")
        layout.paths[f"memory/{number}/{name}"] = doc.id


def _write_turns(
    docs: Sequence[Doc], number: int, seq: int, home: Path, layout: Layout
) -> tuple[str, ...]:
    """Write one turn per document; what has the same time is one session."""
    folder = home / "agents" / "default" / "history" / "turns"
    sessions: dict[str, int] = {}
    when, at = "", _NO_DATE
    for doc in docs:
        seq += 1
        if doc.when:
            when, at = doc.when, _moment(doc.when) or at
        session = f"{number}-{sessions.setdefault(when, len(sessions))}"
        match = _TURN.match(doc.text)
        name, words = (match["name"], match["words"]) if match else ("user", doc.text)
        role = name.lower() if name.lower() in ("user", "assistant") else name
        turn = Turn(seq, at, (TurnMessage(role, (TextPart(words),)),), session=session)
        path = folder / turn_path(seq, at)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(encode(turn), encoding="utf-8")
        layout.paths[f"chat://{quote(session, safe='')}/{seq}"] = doc.id
    return tuple(f"chat://{number}-{place}" for place in range(len(sessions)))


def _moment(when: str) -> datetime | None:
    for year, month, day in dates_in(when):
        if year and month and day:
            try:
                return datetime(year, month, day, tzinfo=UTC)
            except ValueError:
                return None
    return None
