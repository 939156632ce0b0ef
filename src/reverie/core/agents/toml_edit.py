"""Editing TOML: one table is put in or taken out, comments and everything else stay as they are."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from reverie.core.text.plain import newline_of
from reverie.errors import ConfigUnreadable


def read(text: str) -> dict[str, Any]:
    """Return what a text holds."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigUnreadable(f"it is not valid TOML: {error}") from None


def put(text: str, path: tuple[str, ...], value: Mapping[str, Any]) -> str:
    """Set the table at a path: a new one is appended as a block, one that is there is changed."""
    found: Any = read(text)
    for key in path:
        if found is not None and not isinstance(found, dict):
            raise ConfigUnreadable(f"{'.'.join(path)} cannot be set: a part of it is not a table")
        found = found.get(key) if found else None
    if found == dict(value):
        return text
    if found is not None:
        text = remove(text, path)
    block = _block(text, path, value)
    made = text + block
    read(made)  # e.g. `mcp_servers` may be an inline table, which cannot be added to
    return made


def remove(text: str, path: tuple[str, ...]) -> str:
    """Take out the table at a path; a block that was appended goes with the blank line before it."""
    found: Any = read(text)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    if found is None:
        return text
    if isinstance(found, dict):
        end = newline_of(text)
        head, block, tail = text.partition(_written(path, found, end))
        if block:
            return (head.removesuffix(end) if head.endswith(end * 2) else head) + tail
    return _with_tomlkit(text, path)


def _with_tomlkit(text: str, path: tuple[str, ...]) -> str:
    import tomlkit

    mark = "\ufeff" if text.startswith("\ufeff") else ""
    document = tomlkit.parse(text.removeprefix("\ufeff"))
    table: Any = document
    for key in path[:-1]:
        table = table[key]
    del table[path[-1]]
    return mark + tomlkit.dumps(document)


def _block(text: str, path: tuple[str, ...], value: Mapping[str, Any]) -> str:
    end = newline_of(text)
    gap = "" if not text.strip("\ufeff") else end if text.endswith("\n") else end * 2
    return gap + _written(path, value, end)


def _written(path: tuple[str, ...], value: Mapping[str, Any], end: str) -> str:
    name = ".".join(key if key.replace("_", "").isalnum() else json.dumps(key) for key in path)
    lines = [f"[{name}]"]
    # Texts and lists of texts are written in TOML as in JSON.
    lines += [f"{key} = {json.dumps(item, ensure_ascii=False)}" for key, item in value.items()]
    return end.join(lines) + end
