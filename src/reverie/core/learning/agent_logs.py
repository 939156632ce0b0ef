"""Transcripts that agents hand to a hook, as records that `read_messages` and `read_chat` understand.

Rules:

* Only what the person and the assistant said comes through, with the tools in between. Notes that a
  program made for itself, whole requests, summaries of what was compressed, reminders, environment and
  instructions in the person's place, and the talk of sub-agents are left out.
* Claude Code and Qwen Code logs have the shape already. A Codex rollout wraps each item; a Gemini
  session calls the model `gemini` and writes changes of its list of messages; a Cursor transcript wraps
  the prompt in a tag. That is undone here.
* A line that is not JSON is passed over: the last one may be half written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from reverie.core.learning.transcripts import SPOKEN, is_spoken
from reverie.core.showing.injected import is_injected

_MADE: Final = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|permissions|turn_aborted|skill|apps?_)"
    r"|# AGENTS\.md instructions)",
    re.I,
)
_QUERY: Final = re.compile(r"<user_query>((?:[^<]|<(?!/?user_query>))*+)</user_query>")
_GEMINI: Final = {"user": "user", "gemini": "assistant"}
_OF_THE_PROGRAM: Final = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
_TOOLS: Final = frozenset({"function_call", "function_call_output"})


def read_records(text: str, *, session: str = "") -> list[dict[str, Any]]:
    """Read a transcript into records, whichever agent wrote it; `session` names those that do not."""
    found: list[dict[str, Any]] = []
    for place, record in enumerate(_replayed(_objects(text.removeprefix("\ufeff")))):
        shaped = _shaped(record, place)
        if shaped is not None and _is_said(shaped):
            if session and not any(key in shaped for key in ("sessionId", "session_id")):
                shaped["sessionId"] = session
            found.append(shaped)
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        for line in text.split("\n"):
            try:
                record = json.loads(line) if line.strip() else None
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield record
        return
    listed = whole.get("messages") if isinstance(whole, dict) else whole
    for record in listed if isinstance(listed, list) else [whole]:
        if isinstance(record, dict):
            yield dict(record)


def _replayed(records: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Carry out the changes that a Gemini session notes; records of other logs pass as they are."""
    messages: dict[str, dict[str, Any]] = {}
    for record in records:
        change, back = record.get("$set"), record.get("$rewindTo")
        if isinstance(back, str):
            kept = list(messages).index(back) if back in messages else len(messages)
            messages = dict(list(messages.items())[:kept])
        elif isinstance(change, dict):
            listed = change.get("messages")
            if isinstance(listed, list):
                messages = {
                    str(item.get("id", place)): item
                    for place, item in enumerate(listed)
                    if isinstance(item, dict)
                }
        elif record.get("type") in _GEMINI and isinstance(record.get("id"), str):
            messages[record["id"]] = record  # a message that goes on is written again, longer
        else:
            yield record
    yield from messages.values()


def _is_said(record: Mapping[str, Any]) -> bool:
    """Tell whether a record is of the person, the assistant or a tool, and not the program's own."""
    if any(record.get(key) is True for key in _OF_THE_PROGRAM):
        return False
    kind, inner = str(record.get("type") or ""), record.get("message")
    if isinstance(inner, Mapping):
        spoken = is_spoken(record)
    else:
        inner, spoken = record, "role" in record or kind in SPOKEN | _TOOLS
    role = inner.get("role") or kind
    if not spoken or role in ("system", "developer"):
        return False
    return role != "user" or not is_injected(_text(inner.get("content", inner.get("parts"))))


def _shaped(record: dict[str, Any], place: int) -> dict[str, Any] | None:
    payload = record.get("payload")
    if isinstance(payload, dict):
        return _from_codex(record, payload, place)
    if record.get("type") in _GEMINI and "content" in record and "message" not in record:
        return _from_gemini(record)
    inner = record.get("message")
    if isinstance(inner, dict) and "role" in record and "role" not in inner:
        return _from_cursor(record, inner, place)
    return record


def _from_codex(
    record: Mapping[str, Any], payload: dict[str, Any], place: int
) -> dict[str, Any] | None:
    """Take the items of the conversation; events repeat them, and other records are about it."""
    if record.get("type") != "response_item":
        return None
    item = {"timestamp": record.get("timestamp"), "id": f"item-{place}", **payload}
    if item.get("type") == "message":
        text = _text(item.get("content"))
        if item.get("role") == "user" and _MADE.match(text):
            item["role"] = "system"
        del item["type"]
    elif item.get("type") not in _TOOLS:
        return None
    return item


def _from_gemini(record: Mapping[str, Any]) -> dict[str, Any] | None:
    text = _text(record.get("content"))
    if not text.strip():
        return None  # a message of tool calls alone
    return {
        "role": _GEMINI[str(record["type"])],
        "content": text,
        "id": record.get("id"),
        "timestamp": record.get("timestamp"),
    }


def _from_cursor(
    record: Mapping[str, Any], inner: Mapping[str, Any], place: int
) -> dict[str, Any] | None:
    text = _text(inner.get("content"))
    asked = [query.strip() for query in _QUERY.findall(text)]
    said = "\n\n".join(asked) if asked else text
    if not said.strip():
        return None
    return {"role": record["role"], "content": said, "id": f"line-{place}"}


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (item.get("text") if isinstance(item, dict) else item for item in parts)
    return "\n".join(text for text in texts if isinstance(text, str))
