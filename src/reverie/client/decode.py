"""JSON back into values: camelCase keys to the fields of our dataclasses, unknown keys ignored.

A key that is missing or null takes the field's default, so an older or newer daemon can be read.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from reverie.errors import DaemonUnreachable

Value = TypeVar("Value")


def decode(kind: type[Value], wire: object) -> Value:
    """Read a value of a dataclass from what the daemon sent."""
    if not isinstance(wire, Mapping):
        raise DaemonUnreachable(f"the answer is not what a daemon sends: {wire!r:.200}")
    values: dict[str, Any] = {}
    shape: Any = kind  # mypy does not see that a class can be a key of a cache
    for name, (key, hint, required) in _layout(shape).items():
        found = wire.get(key)
        if found is None:
            if required and not _takes_none(hint):
                raise DaemonUnreachable(f"the daemon's answer has no {key!r}")
            if required:
                values[name] = None
        else:
            values[name] = _value(hint, found)
    return kind(**values)


@cache
def _layout(kind: Any) -> dict[str, tuple[str, Any, bool]]:
    hints = get_type_hints(kind)
    return {
        item.name: (
            _camel(item.name),
            hints[item.name],
            item.default is MISSING and item.default_factory is MISSING,
        )
        for item in fields(kind)
    }


def _value(hint: Any, wire: Any) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        kinds = [item for item in get_args(hint) if item is not type(None)]
        return _value(kinds[0], wire) if len(kinds) == 1 else wire
    if origin is tuple:
        items = wire if isinstance(wire, Sequence) and not isinstance(wire, str) else [wire]
        inner = get_args(hint)
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_value(inner[0], item) for item in items)
        return tuple(items)
    if origin is Literal or origin is not None:
        return wire
    if isinstance(hint, type):
        if is_dataclass(hint):
            return decode(hint, wire)
        if issubclass(hint, Enum):
            return hint(wire)
        if hint is datetime:
            return moment(wire)
    return wire


def moment(wire: str) -> datetime:
    """Read a time."""
    return datetime.fromisoformat(wire.replace("Z", "+00:00"))


def _takes_none(hint: Any) -> bool:
    return type(None) in get_args(hint)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
