"""Chat logs of other agents, read into turns with everything they hold.

Rules
- Read are Claude Code and Qwen Code logs (a record a line), OpenAI and Anthropic message lists, the
  `conversations.json` of a ChatGPT or Claude export, and our own turns.
- A turn begins where a person said something and reaches to the next such place. The talk of
  sub-agents is left out, and so is what a program noted for itself; what it put into the person's place
  is `system`. In a log that branches, only the branch that was gone on with counts.
- Every turn names its source, so that the same log can be read again when it has grown. A last turn
  without an answer is not finished: it waits for the next reading.
- A record that cannot be read is reported and passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.history import turns
from reverie.core.history.turn_log import named
from reverie.core.learning import chat_parts
from reverie.core.learning.transcripts import is_spoken
from reverie.core.showing.injected import without_injected
from reverie.core.text.plain import digest
from reverie.errors import InvalidContent, TurnUnreadable
from reverie.types import (
    Problem,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    Turn,
)

if TYPE_CHECKING:
    from reverie.types import (
        TurnMessage,
        TurnPart,
    )

_LISTS: Final = ("messages", "history", "contents", "conversation", "turns", "input")
_SESSIONS: Final = ("sessionId", "session_id", "conversation_id", "conversationId", "session", "id")
_MADE: Final = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
_TYPED: Final = frozenset({"", "mid_turn_user_message", "realtime_message", "user_text_elements"})


@dataclass(frozen=True, slots=True)
class ChatLog:
    """The turns of a log, without numbers, and what could not be used."""

    turns: tuple[Turn, ...]
    problems: tuple[Problem, ...] = ()
    unfinished: int = 0
    """Last turns without an answer, which wait for the next reading."""
    left_out: int = 0
    """Records of sub-agents and of branches that were given up."""


@dataclass(frozen=True, slots=True)
class _Said:
    """One message of a log on its way into a turn."""

    message: TurnMessage
    at: datetime | None = None
    id: str = ""
    """What the log itself calls it."""
    typed: bool = False
    """A person said it."""
    joins: str = ""
    """Records with the same key are pieces of one message."""


@dataclass(slots=True)
class _Talk:
    """One conversation of a log."""

    reader: str
    session: str
    said: list[_Said]


def read_chat(text: str, *, now: datetime) -> ChatLog:
    """Read a log, whatever agent wrote it; `now` dates what carries no date."""
    problems: list[Problem] = []
    records = list(_records(text.removeprefix("\ufeff"), problems))
    ready: list[Turn] = []
    talks: dict[tuple[str, str], _Talk] = {}
    left_out = 0
    for line, record in records:
        try:
            if chat_parts.is_turn(record):
                ready.append(_own_turn(record))
            elif isinstance(record.get("mapping"), Mapping):
                talk, given_up = _exported(record)
                left_out += given_up
                talks[talk.reader, talk.session] = talk
            elif isinstance(record.get("chat_messages"), list):
                talk = _told_by_claude(record)
                talks[talk.reader, talk.session] = talk
            elif record.get("isSidechain") is True:
                left_out += 1
            else:
                _logged(record, talks)
        except (TurnUnreadable, ValueError) as error:
            problems.append(Problem("chat_record", f"line {line} was skipped: {error}", line=line))
    unfinished = 0
    for talk in talks.values():
        found, open_turns = _turns(talk, now)
        ready += found
        unfinished += open_turns
    ready.sort(key=lambda turn: turn.created_at)
    return ChatLog(tuple(ready), tuple(problems), unfinished, left_out)


def read_exchange(text: str) -> tuple[TurnMessage, ...]:
    """Read the messages of one exchange, in any of the shapes of a message list.

    Raises `InvalidContent` when there is anything else: what is appended must be whole.
    """
    problems: list[Problem] = []
    found: list[TurnMessage] = []
    for line, record in _records(text.removeprefix("\ufeff"), problems):
        inner = record.get("message")
        item = inner if isinstance(inner, Mapping) else record
        messages = chat_parts.read_messages(item, kind=str(record.get("type", "")))
        if not messages:
            problems.append(
                Problem("chat_record", f"line {line}: a message needs a role and content")
            )
        found += messages
    if problems:
        raise InvalidContent(
            f"{problems[0].message}; expected a list of messages, each with `role` and `content`"
        )
    return tuple(found)


# --- records --------------------------------------------------------------------------------------


def _records(text: str, problems: list[Problem]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        items = list(_lines(text, problems))
    else:
        items = [(1, item) for item in _unfolded(whole)]
    for line, item in items:
        if isinstance(item, Mapping):
            yield line, item
        else:
            what = f"line {line} was skipped: it is not an object"
            problems.append(Problem("chat_record", what, line=line))


def _lines(text: str, problems: list[Problem]) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            for item in _unfolded(json.loads(line)):
                yield number, item
        except (ValueError, RecursionError):
            what = f"line {number} was skipped: it is not JSON"
            problems.append(Problem("chat_record", what, line=number))


def _unfolded(value: object) -> Iterator[object]:
    """Yield the records in a JSON value: a list of them, an object that holds one, or itself."""
    if isinstance(value, list):
        for item in value:
            yield from _unfolded(item) if isinstance(item, list) else [item]
        return
    if isinstance(value, Mapping) and not chat_parts.is_turn(value) and "mapping" not in value:
        for key in _LISTS:
            if isinstance(value.get(key), list) and "role" not in value:
                name = _first_text(value, _SESSIONS)
                for item in value[key]:
                    yield {"sessionId": name, **item} if isinstance(item, Mapping) else item
                return
    yield value


def _own_turn(record: Mapping[str, Any]) -> Turn:
    turn = turns.decode(json.dumps(record), seq=None if record.get("seq") else 1).turn
    return replace(named(turn), seq=0)


def _logged(record: Mapping[str, Any], talks: dict[tuple[str, str], _Talk]) -> None:
    """Add one record of a chat log, or one message of a list, to its conversation."""
    inner = record.get("message")
    reader = "openai"
    if isinstance(inner, Mapping):
        if not is_spoken(record):
            return  # the program's own note, with the role of whoever it quotes
        reader = "qwen-code" if "parts" in inner else "claude-code"
    elif "uuid" in record or "parentUuid" in record:
        return  # a record of another kind: a notice, a title, a snapshot
    else:
        inner = record
    messages = chat_parts.read_messages(inner, kind=str(record.get("type", "")))
    if not messages:
        return
    session = _first_text(record, _SESSIONS[:-1])
    talk = talks.setdefault((reader, session), _Talk(reader, session, []))
    at = turns.read_time(record.get("timestamp")) or turns.read_time(record.get("created_at"))
    name = _first_text(record, ("uuid", "id"))
    made_by_program = any(record.get(key) is True for key in _MADE) or (
        str(record.get("subtype") or "") not in _TYPED
        or record.get("provenance") not in (None, "real_user", "assistant_output", "tool_result")
    )
    joins = _first_text(inner, ("id",)) if reader == "claude-code" else ""
    for message in messages:
        if message.role == "user":
            message = replace(message, role="system") if made_by_program else _own(message)
        typed = message.role == "user" and _speaks(message)
        _add(
            talk.said, _Said(message, at, name, typed, joins if message.role == "assistant" else "")
        )


def _own(message: TurnMessage) -> TurnMessage:
    """Return a person's message without what a program put into it; `system` when nothing else is in it."""
    parts: list[TurnPart] = []
    for part in message.parts:
        own = without_injected(part.text) if isinstance(part, TextPart) else ""
        if not isinstance(part, TextPart) or own == part.text:
            parts.append(part)
        elif own:
            parts.append(replace(part, text=own))
    return replace(message, parts=tuple(parts)) if parts else replace(message, role="system")


def _add(said: list[_Said], new: _Said) -> None:
    last = said[-1] if said else None
    if last and new.joins and last.joins == new.joins:
        parts = (*last.message.parts, *new.message.parts)
        said[-1] = replace(last, message=replace(last.message, parts=parts))
    else:
        said.append(new)


def _exported(record: Mapping[str, Any]) -> tuple[_Talk, int]:
    """Read a conversation of a ChatGPT export: a tree, of which the current branch counts."""
    nodes: dict[str, Mapping[str, Any]] = {
        key: node for key, node in record["mapping"].items() if isinstance(node, Mapping)
    }
    name = record.get("current_node")
    if not isinstance(name, str) or name not in nodes:
        ends = [key for key, node in nodes.items() if not node.get("children")]
        name = ends[-1] if ends else ""
    branch: dict[str, Mapping[str, Any]] = {}
    while isinstance(name, str) and name in nodes and name not in branch:
        branch[name] = nodes[name]
        name = nodes[name].get("parent")
    talk = _Talk("chatgpt", _first_text(record, _SESSIONS), [])
    for key, node in reversed(branch.items()):
        inner = node.get("message")
        if not isinstance(inner, Mapping):
            continue
        message = chat_parts.read_exported(inner, parent=str(node.get("parent") or ""))
        if message is not None:
            at = turns.read_time(inner.get("create_time")) or turns.read_time(
                record.get("create_time")
            )
            typed = message.role == "user" and _speaks(message)
            talk.said.append(_Said(message, at, key, typed))
    spoken = sum(1 for node in nodes.values() if node.get("message"))
    return talk, spoken - sum(1 for node in branch.values() if node.get("message"))


def _told_by_claude(record: Mapping[str, Any]) -> _Talk:
    """Read a conversation of a Claude export; what was attached stays with its message."""
    talk = _Talk("claude", _first_text(record, ("uuid", *_SESSIONS)), [])
    for item in record["chat_messages"]:
        if not isinstance(item, Mapping):
            continue
        content = item.get("content")
        blocks = list(content) if isinstance(content, list) and content else [item.get("text", "")]
        for kind, key in (("attachment", "attachments"), ("file", "files")):
            held = item.get(key)
            for thing in held if isinstance(held, list) else ():
                if isinstance(thing, Mapping):
                    blocks.append({**thing, "type": kind})
        at = turns.read_time(item.get("created_at")) or turns.read_time(record.get("created_at"))
        for message in chat_parts.read_messages({"role": item.get("sender"), "content": blocks}):
            typed = message.role == "user" and _speaks(message)
            talk.said.append(_Said(message, at, _first_text(item, ("uuid",)), typed))
    return talk


# --- turns ----------------------------------------------------------------------------------------


def _turns(talk: _Talk, now: datetime) -> tuple[list[Turn], int]:
    """Group a conversation into turns; say whether the last one is not finished."""
    groups: list[list[_Said]] = []
    for said in talk.said:
        begins = said.typed and (not groups or any(item.typed for item in groups[-1]))
        continues = begins and groups and groups[-1][-1].typed
        if not groups or (begins and not continues):
            groups.append([])
        groups[-1].append(said)
    unfinished = 0
    if groups and not _finished(groups[-1]):
        groups.pop()
        unfinished = 1
    found: list[Turn] = []
    before = ""
    at: datetime | None = None
    for group in groups:
        at = next((said.at for said in group if said.at), at)
        first = next((said for said in group if said.typed), group[0])
        messages = tuple(said.message for said in group)
        # Without ids of its own, a turn is known by all that was said up to it.
        before = digest(before + turns.encode(Turn(1, now, messages)))
        found.append(
            Turn(
                seq=0,
                created_at=at or now,
                messages=messages,
                session=talk.session,
                source=f"{talk.reader}:{talk.session}:{first.id or before[:20]}",
            )
        )
    return found, unfinished


def _finished(group: Sequence[_Said]) -> bool:
    """Say whether a turn came to an answer that waits for no tool."""
    last = group[-1].message
    calls = {part.id for part in _parts(group) if isinstance(part, ToolCallPart)}
    answered = {part.call_id for part in _parts(group) if isinstance(part, ToolResultPart)}
    return last.role == "assistant" and _speaks(last) and calls <= answered | {""}


def _parts(group: Iterable[_Said]) -> Iterator[Any]:
    for said in group:
        yield from said.message.parts


def _speaks(message: TurnMessage) -> bool:
    return any(isinstance(part, TextPart) and part.text.strip() for part in message.parts)


def _first_text(record: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next(
        (record[key] for key in keys if isinstance(record.get(key), str) and record[key]), ""
    )
