"""Arguments of a tool call, checked against the tool's own schema.

They come from a model, so every wrong one is an error that says what would be right. Null counts as
left out: some clients send every argument they know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reverie.errors import InvalidArgument

MAX_TEXT = 65_536
"""Characters of one text argument."""

_TYPES: Mapping[str, Any] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
}


def checked(tool: str, schema: Mapping[str, Any], given: object) -> dict[str, Any]:
    """Return the arguments that were given, or raise `InvalidArgument`."""
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise InvalidArgument(f"the arguments of {tool} must be an object, not {given!r}")
    known: Mapping[str, Any] = schema["properties"]
    for key in given:
        if key not in known:
            takes = ", ".join(known) or "no arguments"
            raise InvalidArgument(f"{tool} has no argument {key!r}; it takes {takes}")
    found = {key: value for key, value in given.items() if value is not None}
    for key in schema.get("required", ()):
        if key not in found:
            raise InvalidArgument(f"{tool} needs the argument {key}")
    return {key: _value(key, known[key], value) for key, value in found.items()}


def _value(name: str, schema: Mapping[str, Any], value: Any) -> Any:
    kind = schema.get("type")
    if not isinstance(kind, str):
        return value
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    fits = isinstance(value, _TYPES[kind]) and isinstance(value, bool) == (kind == "boolean")
    if not fits:
        raise InvalidArgument(f"{name} must be {_NAMES[kind]}, not {_short(value)}")
    if kind == "string":
        _text(name, schema, value)
    if kind in ("integer", "number"):
        low, high = schema.get("minimum"), schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            raise InvalidArgument(f"{name} must be from {low} to {high}, not {value}")
    if kind == "array":
        most = schema.get("maxItems")
        if most is not None and len(value) > most:
            raise InvalidArgument(f"{name} has {len(value)} items, at most {most} are allowed")
        return [
            _value(f"{name}[{index}]", schema["items"], item) for index, item in enumerate(value)
        ]
    return value


def _text(name: str, schema: Mapping[str, Any], value: str) -> None:
    options = schema.get("enum")
    if options and value not in options:
        raise InvalidArgument(f"{name} must be one of {', '.join(options)}, not {_short(value)}")
    if schema.get("minLength") and not value.strip():
        raise InvalidArgument(f"{name} is empty; it must say something")
    most = schema.get("maxLength", MAX_TEXT)
    if len(value) > most:
        raise InvalidArgument(f"{name} has {len(value):,} characters, at most {most:,} are taken")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument(
            f"{name} holds half a character (an unpaired surrogate); send whole characters"
        ) from None


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
