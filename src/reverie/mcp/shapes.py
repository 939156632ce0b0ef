"""JSON shapes of answers, made from the value classes themselves, so that they cannot disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from reverie.core.wire import camel, to_wire

Schema: TypeAlias = dict[str, Any]

_PLAIN: Mapping[object, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    NoneType: {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
}


def schema_of(kind: Any) -> Schema:
    """Return the JSON schema of what `to_wire` makes of a type."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if is_dataclass(kind) and isinstance(kind, type):
        return record_of(kind, *(item.name for item in fields(kind)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"type": "string", "enum": [item.value for item in kind]}
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(inner)}
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(item) for item in inner]}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object"}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": schema_of(inner[0])}
    raise TypeError(f"{kind!r} has no JSON shape")


def record_of(kind: type, *names: str, **other: Schema) -> Schema:
    """Return the schema of some fields of a value class; `other` are shapes that are not its own."""
    hints = get_type_hints(kind)
    shapes = {camel(name): other.get(name) or schema_of(hints[name]) for name in names}
    return record(shapes)


def record(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these keys."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }


def array(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def wire(value: object, *names: str) -> dict[str, Any]:
    """Turn some fields of a value into JSON; all of them when none is named."""
    shaped = to_wire(value)
    if not isinstance(shaped, dict):
        raise TypeError(f"{value!r} is not a record")
    return {camel(name): shaped[camel(name)] for name in names} if names else shaped
