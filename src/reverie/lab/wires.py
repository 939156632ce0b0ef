"""The four ways in which agents talk to a model: what a request says, and how an answer is written.

Rules
- Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and Gemini; whole and as a stream.
- A request is read into one shape, so that whoever looks at it need not know who spoke.
- Nothing is checked: the agents send many more members than these, and new ones in every version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

Wire: TypeAlias = Literal["anthropic", "responses", "chat", "gemini"]
Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
Event: TypeAlias = tuple[str, object]
"""The name of a server-sent event, empty where the wire has none, and its data."""

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "tool": "tool"}
"""Everything else that speaks to a model, such as a developer, does so as a system."""
_MODEL: Final = "loopback"
_USAGE: Final = 10


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a request."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to a model."""

    wire: Wire
    said: tuple[Said, ...]
    """Everything in its order, with what was said to the model as a system before."""
    tools: tuple[str, ...]
    """The names of the tools it may use; for Codex those of a server stand behind its name."""
    body: Mapping[str, Any] = field(repr=False)
    model: str = ""

    @property
    def text(self) -> str:
        """Everything the model is told, as one text."""
        return "\n".join(item.text for item in self.said)

    @property
    def last(self) -> Said:
        """The newest message."""
        return self.said[-1] if self.said else Said("user", "")

    def use(self, name: str, arguments: Mapping[str, Any]) -> Reply | None:
        """Return the call of a tool that ends in a name, None when there is no way to it.

        Claude Code and Qwen Code tell the tools of servers by name only; Qwen Code calls them through
        a tool of its own.
        """
        for tool in self.tools:
            if tool == name or tool.endswith(f"_{name}"):
                return Reply("", tool, arguments)
        named = re.search(rf"mcp__\w{{1,80}}?__{re.escape(name)}\b", self.text)
        if named and "tool_call" in self.tools:
            return Reply("", "tool_call", {"name": named[0], "arguments": dict(arguments)})
        if named and "ToolSearch" in self.tools:
            return Reply("", named[0], arguments)
        return None


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answers: words, and perhaps one tool that it wants to use."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    number: int = 1
    """Agents take answers with the same id for one and the same."""


def read_request(wire: Wire, body: Mapping[str, Any]) -> Asked:
    """Read a request of one of the wires."""
    said, tools = _READERS[wire](body)
    kept = tuple(item for item in said if item.text)
    return Asked(wire, kept, tuple(tools), body, str(body.get("model", "")))


def whole(wire: Wire, reply: Reply) -> dict[str, Any]:
    """Return an answer in one piece."""
    return _WHOLE[wire](reply)


def stream(wire: Wire, reply: Reply) -> Iterator[Event]:
    """Return an answer as the events of a stream."""
    return _STREAMS[wire](reply)


# --- reading --------------------------------------------------------------------------------------


def _texts(value: object) -> str:
    """Return the words of a content, which is a text or a list of parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in ("text", "content", "output"):
            if key in value:
                return _texts(value[key])
        return json.dumps(value, ensure_ascii=False)
    return "\n".join(map(_texts, value)) if isinstance(value, list) else ""


def _anthropic(body: Mapping[str, Any]) -> tuple[list[Said], list[str]]:
    said = [Said("system", _texts(body.get("system")))]
    for message in body.get("messages", ()):
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for part in parts:
            kind = part.get("type")
            role: Role = "tool" if kind == "tool_result" else message["role"]
            told = part.get("content") if kind == "tool_result" else part
            said.append(Said(role, _texts(told)))
    return said, [tool.get("name", "") for tool in body.get("tools") or ()]


def _responses(body: Mapping[str, Any]) -> tuple[list[Said], list[str]]:
    said = [Said("system", _texts(body.get("instructions")))]
    given = body.get("input", ())
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        answers = str(item.get("type", "")).endswith("_output")
        role = item.get("role") or ("tool" if answers else "assistant")
        said.append(Said(_ROLES.get(role, "system"), _texts(item)))
    return said, list(_named(body.get("tools") or ()))


def _named(tools: object, before: str = "") -> Iterator[str]:
    """Name the tools of a request; Codex groups those of a server below a namespace."""
    for tool in tools if isinstance(tools, list | tuple) else ():
        name = f"{before}{tool.get('name') or tool.get('type', '')}"
        if isinstance(tool.get("tools"), list):
            yield from _named(tool["tools"], f"{name}__")
        else:
            yield name


def _chat(body: Mapping[str, Any]) -> tuple[list[Said], list[str]]:
    said = []
    for message in body.get("messages", ()):
        told, calls = _texts(message.get("content")), message.get("tool_calls")
        role = _ROLES.get(message.get("role", "user"), "system")
        said.append(Said(role, told or (_texts(calls) if calls else "")))
    return said, [tool.get("function", {}).get("name", "") for tool in body.get("tools") or ()]


def _gemini(body: Mapping[str, Any]) -> tuple[list[Said], list[str]]:
    said = [Said("system", _texts((body.get("systemInstruction") or {}).get("parts")))]
    for content in body.get("contents", ()):
        for part in content.get("parts", ()):
            answered = part.get("functionResponse")
            role: Role = "assistant" if content.get("role") == "model" else "user"
            said.append(Said("tool" if answered else role, _texts(answered or part)))
    tools = body.get("tools") or ()
    return said, [
        item.get("name", "") for tool in tools for item in tool.get("functionDeclarations", ())
    ]


_READERS: Final[Mapping[Wire, Callable[[Mapping[str, Any]], tuple[list[Said], list[str]]]]] = {
    "anthropic": _anthropic,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
}


# --- answering ------------------------------------------------------------------------------------


def _arguments(reply: Reply) -> str:
    return json.dumps(reply.arguments)


def _anthropic_whole(reply: Reply) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    if reply.tool:
        content.append(
            {
                "type": "tool_use",
                "id": f"toolu_{reply.number}",
                "name": reply.tool,
                "input": dict(reply.arguments),
            }
        )
    return {
        "id": f"msg_{reply.number}",
        "type": "message",
        "role": "assistant",
        "model": _MODEL,
        "content": content,
        "stop_reason": "tool_use" if reply.tool else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": _USAGE, "output_tokens": _USAGE},
    }


def _anthropic_stream(reply: Reply) -> Iterator[Event]:
    made = _anthropic_whole(reply)
    opened = {**made, "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": opened}
    for at, block in enumerate(made["content"]):
        empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
        yield (
            "content_block_start",
            {"type": "content_block_start", "index": at, "content_block": empty},
        )
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if block["type"] == "text"
            else {"type": "input_json_delta", "partial_json": _arguments(reply)}
        )
        yield "content_block_delta", {"type": "content_block_delta", "index": at, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": at}
    ended = {"stop_reason": made["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": made["usage"]}
    yield "message_stop", {"type": "message_stop"}


def _responses_items(reply: Reply) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    done = {"status": "completed"}
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        message = {"type": "message", "role": "assistant", "id": f"msg_{reply.number}"}
        items.append({**message, **done, "content": [part]})
    if reply.tool:
        space, _, name = reply.tool.rpartition("__")
        called = {"namespace": space, "name": name} if space else {"name": reply.tool}
        ids = {"id": f"fc_{reply.number}", "call_id": f"call_{reply.number}"}
        items.append(
            {"type": "function_call", **ids, **done, **called, "arguments": _arguments(reply)}
        )
    return items


def _responses_whole(reply: Reply) -> dict[str, Any]:
    return {
        "id": f"resp_{reply.number}",
        "object": "response",
        "model": _MODEL,
        "status": "completed",
        "output": _responses_items(reply),
        "usage": {
            "input_tokens": _USAGE,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": _USAGE,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2 * _USAGE,
        },
    }


def _responses_stream(reply: Reply) -> Iterator[Event]:
    made = _responses_whole(reply)
    opened = {**made, "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"type": "response.created", "response": opened}
    for at, item in enumerate(made["output"]):
        for name in ("added", "done"):
            kind = f"response.output_item.{name}"
            yield kind, {"type": kind, "output_index": at, "item": item}
    yield "response.completed", {"type": "response.completed", "response": made}


def _chat_message(reply: Reply, **at: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.tool:
        used = {"name": reply.tool, "arguments": _arguments(reply)}
        message["tool_calls"] = [
            {**at, "id": f"call_{reply.number}", "type": "function", "function": used}
        ]
    return message


def _chat_envelope(kind: str, number: int) -> dict[str, Any]:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": 0, "model": _MODEL}


_CHAT_USAGE: Final = {
    "prompt_tokens": _USAGE,
    "completion_tokens": _USAGE,
    "total_tokens": 2 * _USAGE,
}


def _chat_whole(reply: Reply) -> dict[str, Any]:
    reason = "tool_calls" if reply.tool else "stop"
    choice = {"index": 0, "message": _chat_message(reply), "finish_reason": reason}
    return {
        **_chat_envelope("chat.completion", reply.number),
        "choices": [choice],
        "usage": _CHAT_USAGE,
    }


def _chat_stream(reply: Reply) -> Iterator[Event]:
    made = _chat_envelope("chat.completion.chunk", reply.number)
    delta = _chat_message(reply, index=0)
    yield "", {**made, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    reason = "tool_calls" if reply.tool else "stop"
    yield "", {**made, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield "", {**made, "choices": [], "usage": _CHAT_USAGE}
    yield "", "[DONE]"


def _gemini_whole(reply: Reply) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
    if reply.tool:
        parts.append({"functionCall": {"name": reply.tool, "args": dict(reply.arguments)}})
    content = {"role": "model", "parts": parts}
    return {
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": _USAGE,
            "candidatesTokenCount": _USAGE,
            "totalTokenCount": 2 * _USAGE,
        },
        "modelVersion": _MODEL,
    }


def _gemini_stream(reply: Reply) -> Iterator[Event]:
    yield "", _gemini_whole(reply)


_WHOLE: Final[Mapping[Wire, Callable[[Reply], dict[str, Any]]]] = {
    "anthropic": _anthropic_whole,
    "responses": _responses_whole,
    "chat": _chat_whole,
    "gemini": _gemini_whole,
}
_STREAMS: Final[Mapping[Wire, Callable[[Reply], Iterator[Event]]]] = {
    "anthropic": _anthropic_stream,
    "responses": _responses_stream,
    "chat": _chat_stream,
    "gemini": _gemini_stream,
}
