"""The exports of ChatGPT and Claude: what they remember becomes topics; conversations are turns.

Rules
- ChatGPT exports no list of memories. What it wrote to its `bio` tool, the lists it put into
  conversations, and the custom instructions are read out of the conversations; each sentence once.
- Claude exports `memories.json` (or `memories/*.json`) and its projects with their documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from reverie.core.history.turns import read_time
from reverie.core.learning.chat_parts import exported_text
from reverie.core.moving.foreign_topics import document, note, remark
from reverie.types import Dropped, Kind, PortableFile, Scope

_LISTED: Final = re.compile(
    r"^\s*(?:[-*]|\d{1,4}[.)])?\s*(?:\[(?P<day>\d{4}-\d\d-\d\d)\][.:]?\s*(?:-\s*)?)?(?P<said>\S.*)$"
)
_FENCE: Final = "```"
_USED: Final = frozenset(
    {"uuid", "name", "description", "prompt_template", "docs", "created_at", "updated_at"}
)


def records(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of an export's file: a list of them, or one."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Mapping):
            yield item


# --- ChatGPT --------------------------------------------------------------------------------------


def read_chatgpt_memories(
    value: object, *, scope: Scope | None, dropped: list[Dropped]
) -> Iterator[PortableFile]:
    """Read what ChatGPT remembered, out of its conversations."""
    said: dict[str, tuple[str, str, datetime | None]] = {}
    profiles: dict[str, list[tuple[datetime | None, str, str]]] = {}
    for conversation in records(value):
        nodes = conversation.get("mapping")
        for key, node in nodes.items() if isinstance(nodes, Mapping) else ():
            message = node.get("message") if isinstance(node, Mapping) else None
            if isinstance(message, Mapping):
                at = read_time(message.get("create_time"))
                at = at or read_time(conversation.get("create_time"))
                for text, day in _remembered(message):
                    said.setdefault(" ".join(text.split()).casefold(), (key, text, day or at))
                for role, text in _instructed(message):
                    profiles.setdefault(role, []).append((at, text, key))
    for key, text, at in said.values():
        fields = {"created": at, "chatgpt_message": key}
        yield remark(text, source=f"chatgpt {key}", scope=scope, fields=fields, updated=at)
    yield from _profiles(profiles, scope, dropped)


def _remembered(message: Mapping[str, Any]) -> Iterator[tuple[str, datetime | None]]:
    content = message.get("content")
    if not isinstance(content, Mapping):
        return
    listed = content.get("model_set_context")
    if message.get("recipient") == "bio":
        text = exported_text(content).strip()
        if text:
            yield text, None
    elif isinstance(listed, str):
        for line in listed.split("\n"):
            match = _LISTED.match(line.strip())  # stripped, so that no blank is tried twice
            if match and len(match["said"]) > 3:
                yield match["said"].strip(), read_time(match["day"])


def _instructed(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    content, facts = message.get("content"), message.get("metadata")
    if not isinstance(content, Mapping) or content.get("content_type") != "user_editable_context":
        return
    plain = facts.get("user_context_message_data") if isinstance(facts, Mapping) else None
    plain = plain if isinstance(plain, Mapping) else {}
    for role, key, wrapped in (
        ("user", "about_user_message", "user_profile"),
        ("feedback", "about_model_message", "user_instructions"),
    ):
        text = plain.get(key)
        if not isinstance(text, str) or not text.strip():
            text = content.get(wrapped)
            text = _inside_fence(text) if isinstance(text, str) else text
        if isinstance(text, str) and text.strip():
            yield role, text.strip()


def _inside_fence(text: str) -> str:
    """Return what stands between the first two fences, or all of it."""
    _, opened, rest = text.partition(_FENCE)
    inner, closed, _ = rest.partition(_FENCE)
    return inner.strip() if opened and closed else text


def _profiles(
    found: Mapping[str, list[tuple[datetime | None, str, str]]],
    scope: Scope | None,
    dropped: list[Dropped],
) -> Iterator[PortableFile]:
    names = {"user": "About me, as told to ChatGPT", "feedback": "How ChatGPT should answer"}
    for role, versions in found.items():
        versions.sort(key=lambda item: item[0].timestamp() if item[0] else 0.0)
        at, text, key = versions[-1]
        older = {words for _, words, _ in versions} - {text}
        if older:
            what = f"{len(older)} earlier versions of the custom instructions"
            dropped.append(Dropped(what, "only the last one counts"))
        yield document(
            text,
            name=names[role],
            source=f"chatgpt {key}",
            kind=Kind(role),
            scope=scope or Scope.USER,
            fields={"created": at},
            updated=at,
        )


# --- Claude ---------------------------------------------------------------------------------------


def read_claude_memories(
    value: object, *, scope: Scope | None, projects: Mapping[str, str], dropped: list[Dropped]
) -> Iterator[PortableFile]:
    """Read Claude's memory of a person and of projects; `projects` are names by id."""
    for record in records(value):
        account = str(record.get("account_uuid") or "")
        about = record.get("conversations_memory")
        if isinstance(about, str) and about.strip():
            yield document(
                about,
                name="What Claude remembers",
                source=f"claude memory {account}".strip(),
                kind=Kind.USER,
                scope=scope or Scope.USER,
                fields={"claude_account": account},
            )
        held = record.get("project_memories")
        for name, text in held.items() if isinstance(held, Mapping) else ():
            if isinstance(text, str) and text.strip():
                yield document(
                    text,
                    name=f"What Claude remembers of {projects.get(name, name)}",
                    source=f"claude project memory {name}",
                    kind=Kind.PROJECT,
                    scope=scope or Scope.USER,
                    fields={"claude_project": name},
                )
        known = {"conversations_memory", "project_memories", "account_uuid"}
        unknown = sorted(str(key) for key in record.keys() - known if record[key])
        dropped += [Dropped(f"memories: {key}", "a field that is not known") for key in unknown]


def read_claude_project(
    record: Mapping[str, Any], *, scope: Scope | None
) -> Iterator[PortableFile]:
    """Read a project of Claude: what it is about as a topic, its documents as notes."""
    name = str(record.get("name") or record.get("uuid") or "project")
    made, changed = read_time(record.get("created_at")), read_time(record.get("updated_at"))
    told = [record.get("description"), record.get("prompt_template")]
    body = "\n\n".join(text.strip() for text in told if isinstance(text, str) and text.strip())
    rest = {f"claude_{key}": value for key, value in record.items() if key not in _USED}
    fields = {"claude_project": record.get("uuid"), "created": made, "updated": changed, **rest}
    if body:
        yield document(
            body,
            name=f"Claude project: {name}",
            source=f"claude project {record.get('uuid')}",
            kind=Kind.PROJECT,
            scope=scope or Scope.USER,
            fields=fields,
            updated=changed or made,
        )
    docs = record.get("docs")
    for item in docs if isinstance(docs, list) else ():
        if isinstance(item, Mapping) and isinstance(item.get("content"), str):
            yield note(
                item["content"],
                title=str(item.get("filename") or item.get("uuid") or "document"),
                folder=f"claude {name}",
                source=f"claude document {item.get('uuid')}",
                fields={"created": item.get("created_at"), "claude_document": item.get("uuid")},
            )
