"""Turn records of before: flat `content` instead of parts, keys in snake_case or TitleCase.

Rules
- Nothing is thrown away: what has no place in a part stays as a key of its message or record.
- Texts are taken as they are, not trimmed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from reverie.errors import TurnUnreadable

_RECORD_KEYS: Final = ("id", "seq", "created_at", "messages", "session", "source")
_MESSAGE_KEYS: Final = (
    "role", "content", "phase", "tool_calls", "tool_call_id", "provider_raw", "parts", "is_error",
)  # fmt: skip
_EMPTY: Final[tuple[object, ...]] = (None, "", [])
_DISPOSITIONS: Final = {"commentary": "commentary", "final": "final", "final_answer": "final"}


def upgraded(record: Mapping[str, Any]) -> dict[str, Any]:
    """Give an old record the shape of version 2 (its number and date are checked by `decode`)."""
    known, rest = _named(record, _RECORD_KEYS)
    rest.pop("schema_version", None)
    rest.pop("SchemaVersion", None)
    if not any(key.lower() == "messages" for key in record):
        raise TurnUnreadable("the old record has no messages")
    messages = known.pop("messages", [])  # an empty list is written as null by some
    if not isinstance(messages, list):
        raise TurnUnreadable("the old record has no list of messages")
    return _beside({**known, "messages": [_message(item) for item in messages]}, rest)


def _message(item: object) -> dict[str, Any]:
    if not isinstance(item, Mapping):
        raise TurnUnreadable("a message of the old record is not an object")
    known, rest = _named(item, _MESSAGE_KEYS)
    role = known.get("role")
    if not isinstance(role, str) or not role.strip():
        raise TurnUnreadable("a message of the old record has no role")
    raw = known.get("provider_raw")
    hints: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
    if "provider_raw" in known:
        rest["provider_raw"] = raw
    if isinstance(known.get("parts"), list):
        parts = list(known["parts"])
        for key in known.keys() - {"role", "parts", "provider_raw"}:
            rest[key] = known[key]
    else:
        parts = _parts(role.strip(), known, hints, rest)
    return _beside({"role": role.strip(), "parts": parts}, rest)


def _parts(
    role: str, known: Mapping[str, Any], hints: Mapping[str, Any], rest: dict[str, Any]
) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    reasoning = hints.get("reasoning_content")
    if isinstance(reasoning, str) and reasoning:
        parts.append({"type": "reasoning", "text": reasoning})
    content = known.get("content")
    if content in (None, "") and isinstance(hints.get("content"), str):
        content = hints["content"]
    call_id = known.get("tool_call_id")
    if role == "tool" and isinstance(call_id, str) and call_id:
        failed = known.get("is_error") is True
        result = content if isinstance(content, str) else _as_text(content)
        parts.append(
            {"type": "tool_result", "tool_call_id": call_id, "content": result, "is_error": failed}
        )
    else:
        parts.extend(_content(content, _disposition(known.get("phase", hints.get("phase")))))
        for key in ("tool_call_id", "is_error"):
            if known.get(key) not in (None, "", False):
                rest.setdefault(key, known[key])
    if "phase" in known and not any("disposition" in part for part in parts):
        rest.setdefault("phase", known["phase"])
    calls = known.get("tool_calls")
    if not calls:
        calls = hints.get("tool_calls")
    if isinstance(calls, list):
        parts.extend(_call(call) for call in calls)
    elif calls:
        rest.setdefault("tool_calls", calls)
    return parts


def _content(content: object, disposition: str) -> list[dict[str, Any]]:
    mark = {"disposition": disposition} if disposition else {}
    if isinstance(content, str):
        return [{"type": "text", "text": content, **mark}] if content else []
    if isinstance(content, list):
        return [
            dict(item) if isinstance(item, Mapping) and isinstance(item.get("type"), str)
            else {"type": "text", "text": _as_text(item), **mark}
            for item in content
        ]  # fmt: skip
    return [] if content is None else [{"type": "text", "text": _as_text(content), **mark}]


def _call(call: object) -> dict[str, Any]:
    if not isinstance(call, Mapping):
        return {"type": "tool_call_legacy", "value": call}
    known, rest = _named(call, ("id", "name", "arguments", "function"))
    function = known.pop("function", None)
    inner: dict[str, Any] = {}
    more: dict[str, Any] = {}
    if isinstance(function, Mapping):
        inner, more = _named(function, ("name", "arguments"))
    elif function is not None:
        more = {"function": function}
    if rest.get("type") == "function":
        rest.pop("type")  # the only kind there was; any other is kept as `legacy_type`
    known = {**known, **inner}
    arguments = known.get("arguments")
    part = {
        "type": "tool_call",
        "id": _as_text(known.get("id", "")),
        "name": _as_text(known.get("name", "")),
        "arguments": _as_text("{}" if arguments in (None, "") else arguments),
    }
    return _beside(_beside(part, rest), more)


def _beside(record: dict[str, Any], rest: Mapping[str, Any]) -> dict[str, Any]:
    """Add keys to a record without touching those it has."""
    for key, value in rest.items():
        record[f"legacy_{key}" if key in record else key] = value
    return record


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _disposition(phase: object) -> str:
    return _DISPOSITIONS.get(phase, "") if isinstance(phase, str) else ""


def _named(
    item: Mapping[str, Any], names: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a record into the keys we know, in either spelling, and the rest as written."""
    spellings = {name.replace("_", ""): name for name in names}
    known: dict[str, Any] = {name: item[name] for name in names if item.get(name) not in _EMPTY}
    rest: dict[str, Any] = {}
    for key, value in item.items():
        name = spellings.get(key.replace("_", "").lower())
        if name is None or (name in known and key != name and value not in _EMPTY):
            rest[key] = value
        elif value not in _EMPTY:
            known[name] = value
    return known, rest
