"""Records: JSON values of frameworks, kept as Markdown files that a person can read and edit.

Rules
- One file per value, in the agent's tree below `stores/`: a title, then the value in a fenced JSON
  block. What is in the block counts; the file's name is only readable and unique.
- The name is made from the key's letters and a hash of namespace and key, so no key can lead
  outside of the folder or meet another key's file.
- A value comes back exactly as it was put, or it is refused.
- Written through `apply` alone: journaled, scanned for secrets, undoable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reverie.core.secrets.scanner import redact
from reverie.core.text.plain import digest
from reverie.core.topics.relevance import rank
from reverie.errors import ContentTooLarge, InvalidContent, StoreError, TooLarge
from reverie.types import Applied, Change, Kind, Origin, Plan, RunInfo, Scope, Topic
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.ports import Store

_UNREADABLE = re.compile(r"[^\w]+")
_BLOCK = re.compile(r"^```json\r?\n(?P<json>.*?)^```[ \t]*\r?$", re.MULTILINE | re.DOTALL)
_SLUG_CHARS = 40
_HASH_CHARS = 16


@dataclass(frozen=True, slots=True)
class Record:
    """One value, where it belongs, and since when."""

    namespace: tuple[str, ...]
    key: str
    value: Any
    created: datetime
    updated: datetime
    path: str


def file_name(*parts: str) -> str:
    """Make a name that is readable as far as possible and different for different parts."""
    shown = redact(parts[-1][: 4 * _SLUG_CHARS])[0]  # a key may be a secret; a name tells everybody
    readable = _UNREADABLE.sub("-", shown).strip("-_")[:_SLUG_CHARS]
    unique = digest(json.dumps(parts))[:_HASH_CHARS]
    return f"{readable.strip('-_')}-{unique}" if readable else unique


def to_text(title: str, value: object) -> str:
    """Write a value as Markdown; raise `InvalidContent` for what JSON cannot give back exactly."""
    _check(value, "value")
    shown = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        shown.encode("utf-8")
    except UnicodeEncodeError:  # half a character: JSON can say it, UTF-8 cannot
        shown = json.dumps(value, indent=2)
    line = " ".join("".join(char if char.isprintable() else " " for char in title).split())
    return f"# {line[:120]}\n\n```json\n{shown}\n```\n"


def from_text(text: str) -> Any:
    """Read the value of a file; raise `ValueError` when a person's edit broke it."""
    found = _BLOCK.search(text)
    if found is None:
        raise ValueError("it has no JSON block")
    return json.loads(found["json"])


def write(
    memory: Memory,
    plan: Callable[[], Sequence[Change]],
    *,
    verb: str,
    store: Store | None = None,
) -> Applied:
    """Apply what `plan` makes of the files as they are; plan again when somebody was faster."""
    info = RunInfo(verb=verb, origin=Origin.AGENT, client=f"adapter:{verb}")
    limit = memory.settings.memory.max_file_bytes

    def made() -> Plan[Applied]:
        changes = tuple(plan())
        for change in changes:
            if change.text is not None and len(change.text.encode("utf-8")) > limit:
                raise ContentTooLarge(
                    f"the value is over {limit:,} bytes (memory.max_file_bytes); split it",
                    path=change.path,
                )
        return Plan(changes, info, lambda applied: applied)

    return run(made, store=store or memory.store)


class Records:
    """The values of one framework."""

    def __init__(self, memory: Memory, name: str) -> None:
        self._memory = memory
        self._name = name
        self._folder = f"stores/{name}"
        self.unreadable: list[str] = []
        """Files the last reading could not use, each with the reason."""

    def path(self, namespace: Sequence[str], key: str) -> str:
        """Return the file of a key."""
        where = file_name(*namespace) if namespace else "root"
        return f"{self._memory.layers.root}/{self._folder}/{where}/{file_name(*namespace, key)}.md"

    def get(self, namespace: Sequence[str], key: str) -> Record | None:
        """Return the value of a key."""
        path = self.path(namespace, key)
        text = self._memory.store.read(path)
        return None if text is None else self._record(path, text)

    def all(self) -> list[Record]:
        """Return every value, by namespace and key."""
        self.unreadable = []
        found: list[Record] = []
        for rel in self._memory.layers.tree.markdown(self._folder):
            path = f"{self._memory.layers.root}/{rel}"
            try:
                text = self._memory.store.read(path)
                record = None if text is None else self._record(path, text)
            except (StoreError, TooLarge) as error:
                self.unreadable.append(f"{rel}: {error}")
                continue
            if record is not None:
                found.append(record)
        return sorted(found, key=lambda item: (item.namespace, item.key))

    def put(self, values: Iterable[tuple[Sequence[str], str, Any]]) -> Applied:
        """Put values, or with None remove them, all in one run."""
        wanted = [(tuple(namespace), key, value) for namespace, key, value in values]

        def plan() -> list[Change]:
            now = self._memory.clock()
            changes: list[Change] = []
            for namespace, key, value in wanted:
                path = self.path(namespace, key)
                old = self._memory.store.read(path)
                if value is None:
                    text = None
                else:
                    known = self._record(path, old) if old is not None else None
                    text = self._text(namespace, key, value, known.created if known else now, now)
                if text is not None or old is not None:
                    changes.append(Change(path, text, None if old is None else digest(old)))
            return changes

        return write(self._memory, plan, verb=self._name)

    def _text(
        self, namespace: Sequence[str], key: str, value: Any, created: datetime, now: datetime
    ) -> str:
        envelope = {
            "namespace": list(namespace),
            "key": key,
            "created": created.isoformat(),
            "updated": now.isoformat(),
            "value": value,
        }
        return to_text(" / ".join((*namespace, key)), envelope)

    def _record(self, path: str, text: str) -> Record | None:
        try:
            found = from_text(text)
            namespace, key, value = found["namespace"], found["key"], found["value"]
            if not isinstance(namespace, list) or not all(
                isinstance(item, str) for item in (*namespace, key)
            ):
                raise ValueError("namespace must be a list of texts, key a text")
            if not isinstance(value, dict):
                raise ValueError("value must be an object")
            created, updated = _moment(found["created"]), _moment(found["updated"])
            return Record(tuple(namespace), key, value, created, updated, path)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self.unreadable.append(f"{path}: {error}")
            return None


def _moment(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def ranked(query: str, records: Sequence[Record]) -> list[tuple[Record, float]]:
    """Return the records a question is about, best first, by the same rules as recall."""
    topics = [
        Topic(
            path=str(place),
            rel=str(place),
            scope=Scope.PROJECT,
            kind=Kind.REFERENCE,
            name=record.key,
            description="",
            body=texts_of(record.value),
            text="",
        )
        for place, record in enumerate(records)
    ]
    return [(records[int(item.path)], item.score) for item in rank(query, topics)]


def texts_of(value: object) -> str:
    """Return every word in a value, one piece a line."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {texts_of(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(texts_of(item) for item in value)
    return str(value)


def _check(value: object, where: str, depth: int = 0) -> None:
    if depth > 100:
        raise InvalidContent(f"{where} is nested more than 100 levels deep")
    if value is None or isinstance(value, str | bool | int | float):
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            _check(item, f"{where}[{index}]", depth + 1)
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidContent(f"{where} has the key {key!r}; JSON keys are texts")
            _check(item, f"{where}.{key}", depth + 1)
        return
    raise InvalidContent(
        f"{where} is a {type(value).__name__}, which JSON cannot give back exactly; use texts,"
        " numbers, true, false, null, lists and objects"
    )
