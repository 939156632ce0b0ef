"""JSON that a stranger wrote: read within bounds, or refused before it costs anything."""

from __future__ import annotations

import json
from typing import Final

from reverie.errors import InvalidContent, TooLarge

MAX_DEPTH: Final = 100
MAX_VALUES: Final = 4_000_000


def load(text: str, *, most: int = MAX_VALUES) -> object:
    """Read a text; `InvalidContent` when it is no JSON, `TooLarge` when it holds or nests too much.

    Each value costs some seventy bytes whatever its length in the text, so values are counted first.
    """
    opened = text.count("[") + text.count("{")
    if opened + text.count(",") > most:
        raise TooLarge(f"it has more than {most:,} values (imports.max_values); import it in parts")
    try:
        value: object = json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        raise InvalidContent("it is not JSON") from None
    except RecursionError:
        raise TooLarge(_DEEP) from None
    if opened > MAX_DEPTH and _is_deep(value):
        raise TooLarge(_DEEP)
    return value


_DEEP: Final = f"it is nested more than {MAX_DEPTH} deep"


def _is_deep(value: object) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, dict | list)
        ]
    return bool(level)
