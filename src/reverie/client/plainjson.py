"""JSON by the interpreter's own scanner, without the modules that `json` brings along.

`json` loads regular expressions and enumerations, which take half as long as Python's own start; a
hook pays that at every prompt. Where the scanner is not to be had, or objects, `json` does it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    encode_basestring_ascii: Any
    make_scanner: Any
else:
    try:
        from _json import encode_basestring_ascii, make_scanner
    except ImportError:  # another interpreter than CPython
        make_scanner = None

_SPACE = " \t\n\r"


class _Context:
    """What the scanner wants to know."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str]

    def __init__(self) -> None:
        self.memo = {}


def loads(data: bytes | str) -> Any:
    """Read one JSON value; ValueError when it is none."""
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    text = text.removeprefix("\ufeff").strip(_SPACE)
    if make_scanner is not None:
        try:
            value, end = make_scanner(_Context())(text, 0)
        except (StopIteration, AttributeError, TypeError, SystemError):
            end = (
                -1
            )  # SystemError: the scanner has no words for what is wrong before `json` is loaded
        if end == len(text):
            return value
    import json

    return json.loads(text)  # says what is wrong with it


def dumps(value: Any) -> str:
    """Write a value made of objects, lists, texts, numbers, true, false and null."""
    if make_scanner is None:
        import json

        return json.dumps(value)
    if isinstance(value, str):
        return str(encode_basestring_ascii(value))
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value - value == 0:  # neither infinite nor no number
        return float.__repr__(value)
    if isinstance(value, dict):
        inner = (
            f"{encode_basestring_ascii(str(key))}: {dumps(item)}" for key, item in value.items()
        )
        return "{" + ", ".join(inner) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(dumps, value)) + "]"
    import json

    return json.dumps(value)
