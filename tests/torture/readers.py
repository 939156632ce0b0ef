"""What reads text from outside but takes more than a text: each as one function of two texts, for fuzzing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from reverie.client.sse import SseReader
from reverie.config import Settings
from reverie.core.agents import json_edit, toml_edit
from reverie.core.context.git_index import tracked_texts
from reverie.core.erasing.occurrences import words_to_erase
from reverie.core.erasing.redaction import redact_json, redact_lines, redact_markdown
from reverie.core.history import turns
from reverie.core.history.legacy import upgraded
from reverie.core.learning import chat_logs, transcripts
from reverie.core.learning.extraction import find_patches
from reverie.core.moving import bounded_json, formats
from reverie.core.search.passage import best_passage, line_range
from reverie.core.secrets import scanner
from reverie.core.text.words import words
from reverie.core.topics.catalog import render_catalog
from reverie.core.topics.recall import select
from reverie.core.topics.topic import parse_topic, replace_entry, rewrite_entry
from reverie.daemon.http.endpoint import read_json
from reverie.hooks import shapes
from reverie.types import Dropped, Scope, Topic
from reverie.verbs.rewrite import append_lines
from reverie.verbs.search import parse_lines

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


class OneFile:
    """A bundle of one file whose name and text are given."""

    def __init__(self, name: str, text: str) -> None:
        self.root = name
        self.names = [name]
        self.dropped: list[Dropped] = []
        self._text = text

    def text(self, _name: str) -> str:
        return self._text

    def lines(self, _name: str) -> Iterator[str]:
        yield from self._text.splitlines(keepends=True)

    def sample(self, _name: str) -> str:
        return self._text

    def modified(self, _name: str) -> datetime:
        return NOW


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"content": text}


def _topic(text: str) -> Topic | None:
    return parse_topic(text, path="/m/a.md", rel="a.md", scope=Scope.PROJECT, updated=NOW)


def _entries(text: str, other: str) -> object:
    topic = _topic(text)
    if topic is None:
        return None
    for entry in topic.entries:
        again = _topic(replace_entry(topic, entry.id, summary=other or "x", why=other, how=None))
        assert again is not None
        rewrite_entry(topic, entry.id, other or "x", why=other)
    settings = Settings()
    return (
        render_catalog([topic], settings=settings.catalog, existing=text),
        select(other, [topic], scoring=settings.recall.scoring),
    )


def _payload(text: str, _: str) -> object:
    value = _value(text)
    payload = value if isinstance(value, dict) else {"prompt": value}
    asked = (
        shapes.agent_of,
        shapes.is_subagent,
        shapes.prompt_of,
        shapes.session_of,
        shapes.folder_of,
    )
    return [look(payload) for look in asked]


def _learn(text: str, other: str) -> object:
    value = _value(text)
    items = value if isinstance(value, list) else [value, {"role": "user", "content": other}]
    messages = transcripts.read_messages(items).messages
    return find_patches(messages, memory_roots=("/m",), cwd="/p", now=NOW, min_width=12)


def _turn(text: str, _: str) -> object:
    value = _value(text)
    if isinstance(value, dict):
        text = json.dumps(upgraded(value))
    decoded = turns.decode(text, seq=7, day=NOW)
    return turns.render(decoded.turn), turns.as_messages(decoded.turn), turns.encode(decoded.turn)


def _erase(text: str, other: str) -> object:
    gone = words_to_erase([other], whole=[other[:40]], exact=[other] if other else [])
    return redact_markdown(text, gone), redact_json(text, gone), redact_lines(text, gone)


def _edit_json(text: str, other: str) -> object:
    made = json_edit.put(text or "{}", ("hooks", other), {"command": other})
    json_edit.append(made, ("list",), other)
    assert json_edit.read(made)["hooks"][other] == {"command": other}
    return json_edit.remove(made, ("hooks", other))


def _edit_toml(text: str, other: str) -> object:
    made = toml_edit.put(text, ("mcp_servers", "reverie"), {"command": other})
    assert toml_edit.read(made)["mcp_servers"]["reverie"] == {"command": other}
    return toml_edit.remove(made, ("mcp_servers", "reverie"))


def _import(text: str, other: str) -> object:
    name = other if other.endswith((".md", ".json", ".jsonl")) else "conversations.json"
    bundle: Any = OneFile(name, text)
    return list(formats.read(bundle, formats.detect(bundle), formats.Wish(NOW)))


def _events(text: str, other: str) -> object:
    reader = SseReader()
    return [
        item
        for part in (text, other, "\n\n")
        for item in reader.feed(part.encode("utf-8", "replace"))
    ]


READERS: dict[str, Callable[[str, str], object]] = {
    "append": lambda text, other: append_lines(text, other, header="## Added Memories"),
    "chat": lambda text, _: (chat_logs.read_chat(text, now=NOW), chat_logs.read_exchange(text)),
    "edit json": _edit_json,
    "edit toml": _edit_toml,
    "entries": _entries,
    "erase": _erase,
    "git index": lambda text, _: tracked_texts(
        b"DIRC\0\0\0\2\0\0\0\1" + text.encode("utf-8", "replace")
    ),
    "hook": _payload,
    "import": _import,
    "json": lambda text, _: bounded_json.load(text, most=1000),
    "learn": _learn,
    "lines": lambda text, _: parse_lines(text),
    "passage": lambda text, other: (
        best_passage(text, matched=frozenset(words(other)), limit=300),
        line_range(text, 0, 9),
    ),
    "request": lambda text, _: read_json(text.encode("utf-8", "replace")),
    "scan": lambda text, other: (scanner.added(other, text), scanner.redact(text, before=other)),
    "stream": _events,
    "turn": _turn,
}
MAY_RAISE: dict[str, type[Exception]] = {
    "edit json": ValueError,
    "edit toml": ValueError,
    "json": ValueError,
}
"""What these promise to raise for a text that is not theirs to read."""
