"""Values as JSON: camelCase keys, as in the documents; what is empty stays, so shapes are stable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import PurePath


def camel(name: str) -> str:
    """Turn a snake_case name into camelCase."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def to_wire(value: object) -> object:
    """Turn a value into what `json.dumps` takes."""
    if is_dataclass(value) and not isinstance(value, type):
        return {camel(item.name): to_wire(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, str | bytes):
        return value if isinstance(value, str) else value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {str(key): to_wire(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted((to_wire(item) for item in value), key=str)
    if isinstance(value, Sequence):
        return [to_wire(item) for item in value]
    return value
