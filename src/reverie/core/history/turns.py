"""Turn records: encode, decode and read the exchanges of an agent's history.

Rules
- Written is `schema_version` 2: ordered `messages[].parts[]` of `text`, `reasoning`, `tool_call`
  and `tool_result`. Read are 0 and 1 (flat content, see `legacy`), 2 and 3.
- What we do not know is kept: keys in `extra`, parts of other kinds (or of a broken shape) whole.
- Any text survives, half surrogate pairs included; they are written as JSON escapes.
- What is kept has a checksum (see `sealing`); a record that does not agree with its own is not believed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, assert_never, cast

from reverie.core.history import legacy, sealing
from reverie.errors import TurnUnreadable
from reverie.types import (
    Message,
    OtherPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Turn,
    TurnMessage,
)

if TYPE_CHECKING:
    from reverie.types import (
        TurnPart,
    )

SCHEMA_VERSION: Final = 2
OLDER: Final = frozenset({0, 1})
READABLE: Final = OLDER | {2, 3}

MAX_SEQ: Final = 2**53 - 1  # what every reader of JSON can hold; a larger one is no number of ours
PAYLOAD_CHARS: Final = 2048  # the upstream's bound on a tool payload inside a prompt

_TURN_KEYS: Final = frozenset({"schema_version", "id", "seq", "created_at", "messages"})
_LINE_END: Final = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_ROLES: Final = {"user": "user", "assistant": "assistant", "tool": "tool", "model": "assistant"}


class Decoded(NamedTuple):
    """A turn, and the version of the record it was read from."""

    turn: Turn
    version: int


def turn_id(seq: int) -> str:
    return f"turn-{seq:020d}"


def turn_path(seq: int, at: datetime) -> str:
    """Return where a turn lies below `turns/`: by the UTC day it was made on."""
    moment = at.astimezone(UTC)
    return f"{moment.year:04d}/{moment.month:02d}/{moment.day:02d}/{seq:020d}.json"


# --- writing --------------------------------------------------------------------------------------


def encode(turn: Turn) -> str:
    """Write a turn as JSON text of schema version 2."""
    record: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "id": turn.id or turn_id(turn.seq),
        "seq": turn.seq,
        "created_at": write_time(turn.created_at),
    }
    if turn.session:
        record["session"] = turn.session
    if turn.source:
        record["source"] = turn.source
    record["messages"] = [_message_record(message) for message in turn.messages]
    for key, value in turn.extra.items():
        record.setdefault(key, value)
    try:
        return sealing.written(record)
    except (RecursionError, TypeError, ValueError) as error:
        raise TurnUnreadable(f"turn {turn.seq} cannot be written as JSON: {error}") from None


def encode_sealed(turn: Turn) -> str:
    """Write a turn as it is kept: with its checksum."""
    # As it will be read: what was to be written may have had other types.
    return sealing.sealed(json.loads(encode(turn)))


def write_time(at: datetime) -> str:
    """Write a moment as ISO 8601 in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _message_record(message: TurnMessage) -> dict[str, Any]:
    record: dict[str, Any] = {
        "role": message.role,
        "parts": [_part_record(part) for part in message.parts],
    }
    for key, value in message.extra.items():
        record.setdefault(key, value)
    return record


def _part_record(part: TurnPart) -> dict[str, Any]:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text, **part.extra}
        case ReasoningPart():
            return {"type": "reasoning", "text": part.text, **part.extra}
        case ToolCallPart():
            call = {"id": part.id, "name": part.name, "arguments": part.arguments or "{}"}
            return {"type": "tool_call", **call, **part.extra}
        case ToolResultPart():
            result = {
                "tool_call_id": part.call_id,
                "content": part.content,
                "is_error": part.is_error,
            }
            return {"type": "tool_result", **result, **part.extra}
        case OtherPart():
            return {"type": part.type, **part.body}
        case _:
            assert_never(part)


# --- reading --------------------------------------------------------------------------------------


def decode(text: str, *, seq: int | None = None, day: datetime | None = None) -> Decoded:
    """Read a record of any version.

    `seq` is the number its file name gives, which counts more than the one inside; `day` stands in
    for a date that is missing. Raises `TurnUnreadable` with the reason.
    """
    try:
        record = json.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise TurnUnreadable("the record is nested too deeply") from None
    except ValueError as error:
        raise TurnUnreadable(f"the record is not JSON: {error}") from None
    if not isinstance(record, dict):
        raise TurnUnreadable("the record is not a JSON object")
    sealing.check_seal(record, seq=seq)
    record.pop(sealing.FIELD, None)
    version = record.get("schema_version", record.get("SchemaVersion", 0))
    if type(version) is not int or version not in READABLE:
        raise TurnUnreadable(f"schema_version {version!r} is not one we know ({sorted(READABLE)})")
    if version in OLDER:
        record = legacy.upgraded(record)
    number = seq if seq is not None else record.get("seq")
    if type(number) is not int or not 1 <= number <= MAX_SEQ:
        raise TurnUnreadable(f"the record has no usable number: {number!r}")
    at = read_time(record.get("created_at")) or day
    if at is None:
        raise TurnUnreadable(f"the record has no date: {record.get('created_at')!r}")
    messages = record.get("messages")
    if not isinstance(messages, list):
        raise TurnUnreadable("the record has no list of messages")
    known = {key for key in ("session", "source") if _text(record.get(key))}
    name = record.get("id")
    turn = Turn(
        seq=number,
        created_at=at,
        messages=tuple(_read_message(item) for item in messages),
        id=name if isinstance(name, str) and name else turn_id(number),
        session=record["session"] if "session" in known else "",
        source=record["source"] if "source" in known else "",
        extra={k: v for k, v in record.items() if k not in _TURN_KEYS and k not in known},
    )
    return Decoded(turn, version)


def read_time(value: object) -> datetime | None:
    """Read a moment as people and programs write it: ISO 8601 or seconds since 1970."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value > 1e11 else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _read_message(item: object) -> TurnMessage:
    if not isinstance(item, dict) or not _text(item.get("role")):
        raise TurnUnreadable("a message has no role")
    parts = item.get("parts")
    if parts is None:
        parts = []
    if not isinstance(parts, list):
        raise TurnUnreadable("the parts of a message are not a list")
    extra = {key: value for key, value in item.items() if key not in ("role", "parts")}
    return TurnMessage(item["role"], tuple(read_part(part) for part in parts), extra)


def read_part(item: object) -> TurnPart:
    """Read one part; of an unknown kind or broken shape it is kept whole."""
    if not isinstance(item, dict) or not isinstance(item.get("type"), str):
        raise TurnUnreadable("a part of a message has no type")
    body = {key: value for key, value in item.items() if key != "type"}
    match item["type"]:
        case "text" if isinstance(body.get("text"), str):
            return TextPart(body.pop("text"), body)
        case "reasoning" if isinstance(body.get("text"), str):
            return ReasoningPart(body.pop("text"), body)
        case "tool_call" if _strings(body, "id", "name", "arguments"):
            call = [body.pop(key, "") for key in ("id", "name", "arguments")]
            return ToolCallPart(call[0], call[1], call[2] or "{}", body)
        case "tool_result" if _strings(body, "tool_call_id", "content") and isinstance(
            body.get("is_error", False), bool
        ):
            call_id, content = body.pop("tool_call_id", ""), body.pop("content", "")
            return ToolResultPart(call_id, content, body.pop("is_error", False), body)
    return OtherPart(item["type"], body)


def _strings(body: Mapping[str, Any], *keys: str) -> bool:
    return all(isinstance(body.get(key, ""), str) for key in keys)


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


# --- looking at turns -----------------------------------------------------------------------------


def said(turn: Turn, *roles: str) -> Iterator[tuple[str, str]]:
    """Yield who said what: text parts only, never reasoning, tool calls or what tools answered."""
    wanted = roles or ("user", "assistant")
    for message in turn.messages:
        if message.role in wanted:
            for part in message.parts:
                if isinstance(part, TextPart) and part.text.strip():
                    yield message.role, part.text


def render(turn: Turn, *, payload: int = PAYLOAD_CHARS, reasoning: bool = False) -> str:
    """Write a turn for a reader; speakers stand at the margin, so no text can pose as one.

    Tool payloads are cut to `payload` characters, and the cut says so.
    """
    lines = [first_line(turn)]
    for message in turn.messages:
        for part in message.parts:
            lines += part_lines(message.role, part, payload=payload, reasoning=reasoning)
    return "\n".join(lines) + "\n"


def first_line(turn: Turn) -> str:
    """Return the line with which a turn begins for a reader."""
    return f"turn {turn.seq}, {write_time(turn.created_at)}"


def part_lines(
    role: str, part: TurnPart, *, payload: int = PAYLOAD_CHARS, reasoning: bool = False
) -> list[str]:
    """Return the lines that one part of a turn has for a reader."""
    if isinstance(part, ReasoningPart) and not reasoning:
        return []
    label, text = _labelled(part, payload)
    said = [f"  {line}".rstrip(" ") for line in _LINE_END.split(text)]
    return [f"{_one_line(role)}{label}:", *said]


def _labelled(part: TurnPart, payload: int) -> tuple[str, str]:
    match part:
        case TextPart():
            return "", part.text
        case ReasoningPart():
            return " thinks", part.text
        case ToolCallPart():
            return f" calls {_one_line(part.name)}", _short(part.arguments, payload)
        case ToolResultPart():
            return " fails" if part.is_error else " answers", _short(part.content, payload)
        case OtherPart():
            return f" sends {_one_line(part.type)}", ""
        case _:
            assert_never(part)


def _one_line(text: str) -> str:
    return " ".join(_LINE_END.sub(" ", text).split())[:80]


def _short(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]} [{len(text) - limit:,} more characters left out]"


def as_messages(turn: Turn) -> list[Message]:
    """Give a turn in the common shape of transcripts, message by message."""
    found: list[Message] = []
    for position, message in enumerate(turn.messages):
        text = "\n\n".join(part.text for part in message.parts if isinstance(part, TextPart))
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        results = [part.content for part in message.parts if isinstance(part, ToolResultPart)]
        role = cast(
            Literal["user", "assistant", "tool", "system"], _ROLES.get(message.role, "system")
        )
        found.append(
            Message(
                role=role,
                text=text or "\n".join(results),
                id=f"{turn.id}/{position}",
                at=turn.created_at,
                tool_name=calls[0].name if calls else "",
            )
        )
    return found


# --- changing texts -------------------------------------------------------------------------------


def map_texts(
    messages: Iterable[TurnMessage], change: Callable[[str], str]
) -> tuple[TurnMessage, ...]:
    """Apply a function to every text of the messages, ids and names too, however deep it stands."""
    return tuple(
        replace(
            message,
            role=change(message.role),
            parts=tuple(_map_part(part, change) for part in message.parts),
            extra=map_values(message.extra, change),
        )
        for message in messages
    )


def map_shown(turn: Turn, change: Callable[[str], str]) -> Turn:
    """Apply a function to everything that `render` shows of a turn, names of speakers and tools too."""
    messages = tuple(
        replace(
            message,
            role=change(message.role),
            parts=tuple(
                replace(part, name=change(part.name)) if isinstance(part, ToolCallPart) else
                replace(part, type=change(part.type)) if isinstance(part, OtherPart) else
                part
                for part in message.parts
            ),
        )
        for message in map_texts(turn.messages, change)
    )  # fmt: skip
    return replace(turn, messages=messages)


def _map_part(part: TurnPart, change: Callable[[str], str]) -> TurnPart:
    match part:
        case TextPart() | ReasoningPart():
            return replace(part, text=change(part.text), extra=map_values(part.extra, change))
        case ToolCallPart():
            return replace(
                part,
                id=change(part.id),
                name=change(part.name),
                arguments=change(part.arguments),
                extra=map_values(part.extra, change),
            )
        case ToolResultPart():
            return replace(
                part,
                call_id=change(part.call_id),
                content=change(part.content),
                extra=map_values(part.extra, change),
            )
        case OtherPart():
            return OtherPart(change(part.type), map_values(part.body, change))
        case _:
            assert_never(part)


def map_values(values: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Apply a function to every text and key of a record."""
    return {change(key): _map_value(value, change) for key, value in values.items()}


def _map_value(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return map_values(value, change)
    if isinstance(value, list | tuple):
        return [_map_value(item, change) for item in value]
    return value
