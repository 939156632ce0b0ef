"""Transcripts: conversations in the shapes agents write, read into `Message`s.

Rules

* Read are OpenAI and Anthropic message lists, Gemini contents, Qwen Code and Claude Code chat logs
  (a JSON object a line), and our own turns; one JSON value, or one a line.
* One record gives one message, so that offsets count what the agent counts.
* Only what a person typed has the role `user`. Tool results, reminders of the program, summaries of
  compressed chats and the talk of sub-agents come in as `tool` or `system`; what a program put into a
  message of the person (`core/showing/injected.py`) is taken out of it.
* A log also holds what its program noted for itself, whole requests among it, with the role `user`. A
  record that wraps a message counts only when the record itself says who spoke.
* A line that cannot be read is reported and passed over; the rest is still read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from reverie.core.history.turns import as_messages, decode, read_time
from reverie.core.showing.injected import without_injected
from reverie.core.text.plain import digest
from reverie.errors import TurnUnreadable
from reverie.types import Message, Problem, ToolCallPart

Role: TypeAlias = Literal["user", "assistant", "tool", "system"]

_ROLES: Final[dict[str, Role]] = {
    "user": "user", "human": "user", "assistant": "assistant", "model": "assistant", "ai": "assistant",
    "tool": "tool", "function": "tool", "tool_result": "tool", "system": "system", "developer": "system",
}  # fmt: skip
SPOKEN: Final = frozenset({*_ROLES, "message"})
"""What the record around a message may be called."""
_LISTS: Final = ("messages", "history", "contents", "chat", "conversation", "turns")
_SESSION_KEYS: Final = ("sessionId", "session_id", "session", "conversationId")
# Records of Qwen Code that look like the user's but were made by the program.
_TYPED_SUBTYPES: Final = frozenset(
    {"", "mid_turn_user_message", "realtime_message", "user_text_elements"}
)
_WRITES: Final = re.compile(
    r"write|edit|replace|creat|save|patch|append|insert|update|delet|remov|renam|mov"
)
_PATH_KEYS: Final = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "filename", "file", "target_file",
)  # fmt: skip
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.M)


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a file of conversation holds."""

    messages: tuple[Message, ...]
    sessions: tuple[str, ...] = ()
    """Session ids named in it, in order."""
    problems: tuple[Problem, ...] = ()
    """Lines or records that could not be read."""


def read_transcript(text: str) -> Transcript:
    """Read a conversation, whatever agent wrote it."""
    text = text.removeprefix("\ufeff")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _collected(_lines(text))
    return _collected((1, item) for item in _records(whole))


def read_messages(items: Sequence[object]) -> Transcript:
    """Read messages that are already parsed: mappings in any of the shapes, or `Message`s."""
    ready = [item for item in items if isinstance(item, Message)]
    if len(ready) == len(items):
        return Transcript(tuple(item if item.id else _identified(item) for item in ready))
    return _collected(enumerate(items, 1))


def _lines(text: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except RecursionError:
            yield number, ValueError("it is nested too deeply")
        except ValueError as error:
            yield number, error


def _records(value: object) -> Iterator[object]:
    """Unfold one JSON value into records: a list, an object that holds one, or a single record."""
    if isinstance(value, list):
        yield from value
        return
    if isinstance(value, dict) and not _is_turn(value):
        for key in _LISTS:
            if isinstance(value.get(key), list):
                shared = {name: value[name] for name in _SESSION_KEYS if name in value}
                yield from (
                    {**shared, **item} if isinstance(item, dict) else item for item in value[key]
                )
                return
    yield value


def _collected(items: Iterable[tuple[int, object]]) -> Transcript:
    messages: list[Message] = []
    sessions: dict[str, None] = {}
    problems: list[Problem] = []
    for line, item in items:
        try:
            if isinstance(item, ValueError):
                raise item
            found = _read_record(item)
        except (ValueError, TurnUnreadable) as error:
            problems.append(
                Problem("transcript_line", f"line {line} was skipped: {error}", line=line)
            )
            continue
        messages.extend(found)
        if isinstance(item, Mapping):
            name = next((item[key] for key in _SESSION_KEYS if isinstance(item.get(key), str)), "")
            if name:
                sessions[name] = None
    return Transcript(tuple(messages), tuple(sessions), tuple(problems))


def _read_record(item: object) -> list[Message]:
    if isinstance(item, Message):
        return [item if item.id else _identified(item)]
    if not isinstance(item, Mapping):
        raise ValueError(f"it is a {type(item).__name__}, not an object")
    if _is_turn(item):
        return _turn_messages(item)
    inner = item.get("message")
    if isinstance(inner, Mapping):
        return [_message(inner, outer=item)] if is_spoken(item) else []
    if _role_of(item) or (("parts" in item or "content" in item) and is_spoken(item)):
        return [_message(item, outer=item)]
    return []  # a record of another kind: a title, a snapshot, a checkpoint


def is_spoken(record: Mapping[str, Any]) -> bool:
    """Tell whether a record that wraps a message is part of the conversation, not the program's own note."""
    kind = record.get("type")
    return not isinstance(kind, str) or kind.lower() in SPOKEN


def _is_turn(item: Mapping[str, Any]) -> bool:
    named = {key.lower() for key in item}
    return "messages" in named and (
        "schema_version" in named or "schemaversion" in named or "seq" in named
    )


def _turn_messages(item: Mapping[str, Any]) -> list[Message]:
    turn = decode(json.dumps(item)).turn
    found: list[Message] = []
    for source, message in zip(turn.messages, as_messages(turn), strict=True):
        calls = [
            (part.name, part.arguments) for part in source.parts if isinstance(part, ToolCallPart)
        ]
        paths = tuple(path for name, given in calls for path in _written(name, given))
        found.append(replace(message, tool_name=_names(calls), tool_paths=paths))
    return found


def _message(inner: Mapping[str, Any], *, outer: Mapping[str, Any]) -> Message:
    texts: list[str] = []
    results: list[str] = []
    calls: list[tuple[str, object]] = []
    for part in _parts(inner):
        _read_part(part, texts, results, calls)
    for call in _list(inner.get("tool_calls")):
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            calls.append((str(function.get("name", "")), function.get("arguments")))
    role = _role_of(inner) or _role_of(outer) or "system"
    if str(outer.get("type")) == "tool_result" or (role == "user" and results and not texts):
        role = "tool"
    if role == "user" and not _typed(outer):
        role = "system"
    if role == "user":
        own = [
            said for text in texts if (said := without_injected(text)).strip() or not text.strip()
        ]
        role, texts = ("user", own) if own or not texts else ("system", texts)
    name = next(
        (o[k] for o in (outer, inner) for k in ("uuid", "id") if isinstance(o.get(k), str)), ""
    )
    at = next((o[k] for o in (outer, inner) for k in _TIME_KEYS if o.get(k) is not None), None)
    message = Message(
        role=role,
        text="\n\n".join(texts) if texts else "\n".join(results),
        id=name,
        at=read_time(at),
        tool_name=_names(calls),
        tool_paths=tuple(path for call, given in calls for path in _written(call, given)),
    )
    return message if message.id else _identified(message)


_TIME_KEYS: Final = ("timestamp", "created_at", "createdAt", "at", "time")


def _role_of(item: Mapping[str, Any]) -> Role | None:
    for key in ("role", "type", "from"):
        value = item.get(key)
        if isinstance(value, str) and value.lower() in _ROLES:
            return _ROLES[value.lower()]
    return None


def _typed(record: Mapping[str, Any]) -> bool:
    """Tell whether a person typed this: not the program, not a sub-agent, not a summary."""
    made = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
    if any(record.get(key) is True for key in made):
        return False
    return str(record.get("subtype") or "") in _TYPED_SUBTYPES and record.get("provenance") in (
        None,
        "real_user",
    )


def _parts(inner: Mapping[str, Any]) -> Iterator[object]:
    for key in ("content", "parts", "text"):
        value = inner.get(key)
        if isinstance(value, str):
            yield {"type": "text", "text": value}
            return
        if isinstance(value, list):
            yield from value
            return


def _read_part(
    part: object, texts: list[str], results: list[str], calls: list[tuple[str, object]]
) -> None:
    if isinstance(part, str):
        texts.append(part)
        return
    if not isinstance(part, Mapping) or part.get("thought") is True:
        return
    kind = str(part.get("type", ""))
    called, answered = part.get("functionCall"), part.get("functionResponse")
    if isinstance(called, Mapping):
        calls.append((str(called.get("name", "")), called.get("args")))
    elif isinstance(answered, Mapping):
        results.append(_flat(answered.get("response")))
    elif kind in ("tool_use", "tool_call", "function_call"):
        calls.append((str(part.get("name", "")), part.get("input", part.get("arguments"))))
    elif kind in ("tool_result", "function_call_output"):
        results.append(_flat(part.get("content", part.get("output"))))
    elif kind in ("", "text", "input_text", "output_text") and isinstance(part.get("text"), str):
        texts.append(part["text"])


def _flat(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _flat(
            next((value[key] for key in ("text", "output", "content") if key in value), "")
        )
    return "\n".join(filter(None, (_flat(item) for item in _list(value))))


def _written(name: str, given: object) -> Iterator[str]:
    """Yield the files a tool call writes to."""
    if not _WRITES.search(name.lower()):
        return
    if isinstance(given, str):
        yield from (match[1].strip() for match in _PATCHED.finditer(given))
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return
    if isinstance(given, Mapping):
        yield from (str(given[key]) for key in _PATH_KEYS if isinstance(given.get(key), str))
        patch = next(
            (given[key] for key in ("input", "patch") if isinstance(given.get(key), str)), ""
        )
        yield from (match[1].strip() for match in _PATCHED.finditer(patch))


def _names(calls: Sequence[tuple[str, object]]) -> str:
    return ", ".join(dict.fromkeys(name for name, _ in calls if name))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _identified(message: Message) -> Message:
    moment = message.at.isoformat() if message.at else ""
    content = "\x00".join((message.role, moment, message.tool_name, message.text))
    return replace(message, id=digest(content)[:16])
