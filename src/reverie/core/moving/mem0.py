"""mem0: what `get_all`, the REST API and an export give, one topic for each memory.

Rules
- A memory is an object with an id and its words in `memory`. Lists of them, pages with `results` and
  files with one a line are read.
- Every other field is kept in the frontmatter under `mem0_`; `hash` and `score` are derived and left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from reverie.core.history.turns import read_time
from reverie.core.moving.bounded_json import MAX_VALUES, load
from reverie.core.moving.foreign_topics import remark
from reverie.errors import InvalidContent, TooLarge
from reverie.types import Dropped, PortableFile, Scope

_LISTS: Final = ("results", "memories", "data")
_OWN: Final = frozenset({"memory", "hash", "score", "categories", "created_at", "updated_at"})


def is_mem0(value: object) -> bool:
    """Tell whether a JSON value holds memories of mem0."""
    found = _memories(value)
    return bool(found) and all(isinstance(item.get("memory"), str) for item in found[:20])


def read_mem0(
    text: str, *, scope: Scope | None, dropped: list[Dropped], most: int = MAX_VALUES
) -> Iterator[PortableFile]:
    """Read the memories of an export; it may hold `most` values."""
    for value in _values(text, dropped, most):
        relations = value.get("relations") if isinstance(value, Mapping) else None
        if isinstance(relations, list) and relations:
            dropped.append(Dropped(f"{len(relations)} relations", "they belong to mem0's graph"))
        for number, item in enumerate(_memories(value), 1):
            said = item.get("memory")
            name = str(item.get("id") or number)
            if not isinstance(said, str) or not said.strip():
                dropped.append(Dropped(f"mem0 {name}", "it says nothing"))
                continue
            made, changed = read_time(item.get("created_at")), read_time(item.get("updated_at"))
            rest = {f"mem0_{key}": kept for key, kept in item.items() if key not in _OWN}
            fields = {"created": made, "updated": changed, "tags": item.get("categories"), **rest}
            yield remark(
                said, source=f"mem0 {name}", scope=scope, fields=fields, updated=changed or made
            )


def _values(text: str, dropped: list[Dropped], most: int) -> Iterator[object]:
    try:
        yield load(text, most=most)
        return
    except InvalidContent:
        pass
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield load(line, most=most)
            except (InvalidContent, TooLarge) as error:
                dropped.append(Dropped(f"line {number}", str(error)))


def _memories(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        if "memory" in value:
            return [value]
        return _memories(next((value[key] for key in _LISTS if key in value), None))
    if isinstance(value, list):
        return [item for item in value if isinstance(item, Mapping)]
    return []
