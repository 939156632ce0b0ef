"""Arguments of a tool call, checked against the tool's own schema.

They come from a model, so every wrong one is an error that says what would be right. Null counts as
left out: some clients send every argument they know.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from reverie.errors import InvalidArgument

if TYPE_CHECKING:
    from jsonschema import ValidationError

MAX_TEXT = 65_536
"""Characters of one text argument."""


def checked(tool: str, schema: Mapping[str, Any], given: object) -> dict[str, Any]:
    """Return the arguments that were given, or raise `InvalidArgument`."""
    from jsonschema import Draft202012Validator  # at the first call: a server should start fast

    known: Mapping[str, Any] = schema["properties"]
    if isinstance(given, Mapping):  # else the schema says what is wrong
        given = {
            key: value for key, value in given.items() if value is not None or key not in known
        }
    found: Any = {} if given is None else given
    wrong = [_told(item) for item in islice(Draft202012Validator(schema).iter_errors(found), 3)]
    if wrong:
        takes = ", ".join(known) or "no arguments"
        raise InvalidArgument(f"{tool} takes {takes}; {'; '.join(wrong)}")
    return {key: _taken(key, known[key], value) for key, value in found.items()}


def _told(wrong: ValidationError) -> str:
    """Say what is wrong and where, without the whole of a long value."""
    said = wrong.message.replace(repr(wrong.instance), _short(wrong.instance))
    if wrong.validator in ("maxItems", "maxLength"):
        said += f", at most {wrong.validator_value} are taken"
    place = wrong.json_path.removeprefix("$").removeprefix(".")
    return f"{place}: {said[:300]}" if place else said[:300]


def _taken(name: str, schema: Mapping[str, Any], value: Any) -> Any:
    """Return a value that fits its schema as the verbs take it, by rules that no schema can say."""
    if isinstance(value, list):
        items = schema["items"]
        return [_taken(f"{name}[{index}]", items, item) for index, item in enumerate(value)]
    if isinstance(value, float) and schema["type"] == "integer":
        return int(value)  # 3.0 is a whole number
    if isinstance(value, str):
        _check_text(name, value, required=bool(schema.get("minLength")))
    return value


def _check_text(name: str, value: str, *, required: bool) -> None:
    if required and not value.strip():
        raise InvalidArgument(f"{name} is empty; it must say something")
    if len(value) > MAX_TEXT:
        raise InvalidArgument(
            f"{name} has {len(value):,} characters, at most {MAX_TEXT:,} are taken"
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidArgument(
            f"{name} holds half a character (an unpaired surrogate); send whole characters"
        ) from None


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
