"""Values as JSON: camelCase keys, as in the documents; what is empty stays, so shapes are stable.

How a type is shaped is found out once: an answer of the daemon holds hundreds of values, and asking each
of them what it is costs more than the question that was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache
from operator import attrgetter
from pathlib import PurePath
from typing import Any, Final, TypeAlias

_Shaper: TypeAlias = Callable[[Any], object]
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
"""What JSON takes as it is."""


def camel(name: str) -> str:
    """Turn a snake_case name into camelCase."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def to_wire(value: object) -> object:
    """Turn a value into what `json.dumps` takes."""
    kind = type(value)
    return value if kind in _PLAIN else _shaper(kind)(value)


def to_json(value: object) -> bytes:
    """Write a value as JSON in UTF-8; half a character, which a file's name may hold, becomes `?`."""
    import orjson  # a hook shapes values, too, and has no time for this

    wire = to_wire(value)
    try:
        return orjson.dumps(wire)
    except TypeError:  # half a character, or a number that does not fit into 64 bits
        import json

        text = json.dumps(wire, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def _find_shaper(kind: type) -> _Shaper:
    """Find what shapes values of a type."""
    if is_dataclass(kind):
        return _of_fields(tuple(item.name for item in fields(kind)))
    rules: tuple[tuple[type | tuple[type, ...], _Shaper], ...] = (
        (Enum, attrgetter("value")),
        (datetime, lambda value: value.isoformat().replace("+00:00", "Z")),
        (PurePath, str),
        (str, _as_it_is),
        (bytes, lambda value: value.decode("utf-8", "replace")),
        (Mapping, lambda value: {str(key): to_wire(item) for key, item in value.items()}),
        (Set, lambda value: sorted((to_wire(item) for item in value), key=str)),
        (Sequence, _of_items),
    )
    return next((shape for known, shape in rules if issubclass(kind, known)), _as_it_is)


_shaper: Final[Callable[[type], _Shaper]] = cache(_find_shaper)


def _of_fields(names: tuple[str, ...]) -> _Shaper:
    keys = tuple(camel(name) for name in names)
    if len(names) < 2:  # `attrgetter` returns no tuple then
        return lambda value: {
            key: to_wire(getattr(value, name)) for key, name in zip(keys, names, strict=True)
        }
    read = attrgetter(*names)
    return lambda value: {
        key: item if type(item) in _PLAIN else _shaper(type(item))(item)
        for key, item in zip(keys, read(value), strict=True)
    }


def _of_items(value: Sequence[object]) -> object:
    return [item if type(item) in _PLAIN else _shaper(type(item))(item) for item in value]


def _as_it_is(value: object) -> object:
    return value
