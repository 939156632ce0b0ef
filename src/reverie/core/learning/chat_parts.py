"""Single messages as the makers of models write them, read into the parts of a turn.

Rules
- Known are the content blocks of Anthropic, the messages and items of OpenAI, the parts of Gemini
  (which Qwen Code logs) and the contents of a ChatGPT export.
- What is of another kind becomes an `OtherPart` with everything it holds.
- Results of tools that stand in a user's message become a message of the role `tool` before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from reverie.types import (
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    TurnMessage,
)

if TYPE_CHECKING:
    from reverie.types import (
        TurnPart,
    )

_ROLES: Final = {
    "user": "user", "human": "user", "assistant": "assistant", "model": "assistant", "ai": "assistant",
    "tool": "tool", "function": "tool", "tool_result": "tool", "system": "system", "developer": "system",
}  # fmt: skip
_TEXTS: Final = frozenset({"", "text", "input_text", "output_text", "refusal"})
_USED_KEYS: Final = frozenset(
    {
        "role", "type", "content", "parts", "text", "tool_calls", "tool_call_id", "function_call",
        "name", "id", "uuid", "sessionId", "session_id", "timestamp", "created_at",
        "reasoning_content", "reasoning", "call_id", "arguments", "output", "summary", "status",
        "message", "is_error",
    }
)  # fmt: skip


def is_turn(record: object) -> bool:
    """Say whether a record is a turn of a history like ours, of any version."""
    if not isinstance(record, Mapping):
        return False
    names = {key.lower().replace("_", "") for key in record if isinstance(key, str)}
    return "messages" in names and bool(names & {"schemaversion", "seq"})


def read_messages(item: Mapping[str, Any], *, kind: str = "") -> list[TurnMessage]:
    """Read one message of a list or a log; none when the record says nothing."""
    role = _role(item, kind)
    parts = _parts(item)
    if not role or not parts:
        return []
    extra = {key: value for key, value in item.items() if key not in _USED_KEYS and _plain(value)}
    results = tuple(part for part in parts if isinstance(part, ToolResultPart))
    others = tuple(part for part in parts if not isinstance(part, ToolResultPart))
    if role != "user" or not results:
        role = "tool" if results and not others else role
        return [TurnMessage(role, tuple(parts), extra)]
    answered = [TurnMessage("tool", results)]
    return [*answered, TurnMessage("user", others, extra)] if others else answered


def _role(item: Mapping[str, Any], kind: str) -> str:
    for value in (item.get("role"), item.get("type"), kind):
        if isinstance(value, str) and value.lower() in _ROLES:
            return _ROLES[value.lower()]
    item_kind = item.get("type")
    if item_kind in ("function_call", "reasoning"):
        return "assistant"
    return "tool" if item_kind == "function_call_output" else ""


def _parts(item: Mapping[str, Any]) -> list[TurnPart]:
    kind = item.get("type")
    if kind in ("function_call", "function_call_output") or (
        kind == "reasoning" and "summary" in item
    ):
        return [_block(item)]
    parts: list[TurnPart] = []
    thought = item.get("reasoning_content") or item.get("reasoning")
    if isinstance(thought, str) and thought:
        parts.append(ReasoningPart(thought))
    content = item.get("content", item.get("parts", item.get("text")))
    answers = item.get("tool_call_id")
    if isinstance(answers, str) and answers:
        return [*parts, ToolResultPart(answers, flat(content), item.get("is_error") is True)]
    if item.get("role") == "function":
        return [*parts, ToolResultPart(_text(item.get("name")), flat(content))]
    if isinstance(content, str):
        parts += [TextPart(content)] if content else []
    elif isinstance(content, list):
        parts += [_block(block) for block in content]
    elif isinstance(content, Mapping):
        parts.append(_block(content))
    calls = item.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        parts.append(_call(call))
    if isinstance(item.get("function_call"), Mapping):
        parts.append(_call({"function": item["function_call"]}))
    return parts


def _call(call: object) -> TurnPart:
    if not isinstance(call, Mapping):
        return OtherPart("tool_call", {"value": call})
    function = call.get("function", call.get("custom", call))
    inner: Mapping[str, Any] = function if isinstance(function, Mapping) else {}
    arguments = inner.get("arguments", inner.get("input"))
    return ToolCallPart(_text(call.get("id")), _text(inner.get("name")), _json(arguments))


def _block(block: object) -> TurnPart:
    """Read one content block of Anthropic, OpenAI or Gemini."""
    if isinstance(block, str):
        return TextPart(block)
    if not isinstance(block, Mapping):
        return OtherPart("value", {"value": block})
    kind = _text(block.get("type"))
    called, answered = block.get("functionCall"), block.get("functionResponse")
    if isinstance(called, Mapping):
        return ToolCallPart(
            _text(called.get("id")), _text(called.get("name")), _json(called.get("args"))
        )
    if isinstance(answered, Mapping):
        response = answered.get("response")
        failed = isinstance(response, Mapping) and "error" in response
        return ToolResultPart(
            _text(answered.get("id") or answered.get("name")), flat(response), failed
        )
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return ReasoningPart(block["thinking"], _rest(block, "type", "thinking"))
    if kind == "reasoning":
        return ReasoningPart(
            flat(block.get("summary", block.get("text"))), _rest(block, "type", "summary", "text")
        )
    if kind in ("tool_use", "tool_call", "function_call"):
        name = _text(block.get("call_id") or block.get("id"))
        given = block.get("input", block.get("arguments"))
        return ToolCallPart(name, _text(block.get("name")), _json(given))
    if kind in ("tool_result", "function_call_output"):
        name = _text(block.get("tool_use_id") or block.get("tool_call_id") or block.get("call_id"))
        answer = block.get("content", block.get("output"))
        return ToolResultPart(name, flat(answer), block.get("is_error") is True)
    text = block.get("text", block.get("refusal"))
    if kind in _TEXTS and isinstance(text, str):
        thought = block.get("thought") is True
        return (
            ReasoningPart(text)
            if thought
            else TextPart(text, _rest(block, "type", "text", "refusal"))
        )
    return OtherPart(kind or "part", _rest(block, "type"))


# --- the export of ChatGPT ------------------------------------------------------------------------


def read_exported(item: Mapping[str, Any], *, parent: str) -> TurnMessage | None:
    """Read a message of the export; None for what its makers hid and for what is empty."""
    author = item.get("author")
    content = item.get("content")
    facts = item.get("metadata")
    if not isinstance(author, Mapping) or not isinstance(content, Mapping):
        return None
    if isinstance(facts, Mapping) and facts.get("is_visually_hidden_from_conversation") is True:
        return None
    role = _ROLES.get(_text(author.get("role")), "system")
    kind = _text(content.get("content_type"))
    receiver = _text(item.get("recipient")) or "all"
    parts: list[TurnPart]
    if role == "assistant" and receiver != "all":
        parts = [ToolCallPart(_text(item.get("id")), receiver, exported_text(content) or "{}")]
    elif role == "tool":
        body = exported_text(content)
        parts = [ToolResultPart(parent, body)] if body else []
    elif kind in ("thoughts", "reasoning_recap"):
        parts = [ReasoningPart(exported_text(content))]
    elif kind in ("text", "multimodal_text", "code"):
        parts = [_exported_part(part, kind) for part in _pieces(content) if part not in ("", None)]
    else:
        parts = [OtherPart(kind or "content", _rest(content, "content_type"))]
    return TurnMessage(role, tuple(parts)) if parts else None


def exported_text(content: Mapping[str, Any]) -> str:
    """Return the words of a content, whatever its type calls them."""
    found: list[str] = []
    for key in ("parts", "text", "result", "content", "thoughts"):
        value = content.get(key)
        if isinstance(value, list):
            for part in value:
                if isinstance(part, str):
                    found.append(part)
                elif isinstance(part, Mapping):
                    found += [
                        part[k]
                        for k in ("summary", "content", "text")
                        if isinstance(part.get(k), str)
                    ]
        elif isinstance(value, str):
            found.append(value)
    return "\n\n".join(text for text in found if text)


def _pieces(content: Mapping[str, Any]) -> list[Any]:
    parts = content.get("parts")
    return parts if isinstance(parts, list) else [content.get("text")]


def _exported_part(part: object, kind: str) -> TurnPart:
    if isinstance(part, str):
        return TextPart(part, {"content_type": kind} if kind == "code" else {})
    if isinstance(part, Mapping):
        if isinstance(part.get("text"), str):  # what was said aloud, written down
            return TextPart(part["text"], _rest(part, "text"))
        return OtherPart(_text(part.get("content_type")) or "part", _rest(part, "content_type"))
    return OtherPart("value", {"value": part})


# --- values ---------------------------------------------------------------------------------------


def flat(value: object) -> str:
    """Return the text of a tool's answer: itself, its text blocks, or its JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        blocks = [
            item
            for item in value
            if isinstance(item, Mapping) and isinstance(item.get("text"), str)
        ]
        if len(blocks) == len(value):
            return "\n".join(block["text"] for block in blocks)
    if isinstance(value, Mapping):
        for key in ("output", "error", "text", "content", "result"):
            if isinstance(value.get(key), str) and len(value) == 1:
                return str(value[key])
    return json.dumps(value, ensure_ascii=False)


def _json(value: object) -> str:
    if isinstance(value, str):
        return value or "{}"
    return "{}" if value is None else json.dumps(value, ensure_ascii=False)


def _rest(block: Mapping[str, Any], *used: str) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key not in used}


def _plain(value: object) -> bool:
    return isinstance(value, str | int | float | bool) and value != ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
