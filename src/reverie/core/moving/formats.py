"""What a source is, and its records: the one table of formats that can be imported."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.history import turns
from reverie.core.learning.chat_logs import read_chat
from reverie.core.moving import export_format
from reverie.core.moving.bounded_json import MAX_VALUES, load
from reverie.core.moving.chat_exports import (
    read_chatgpt_memories,
    read_claude_memories,
    read_claude_project,
    records,
)
from reverie.core.moving.markdown_folders import (
    is_basic_memory,
    is_topic,
    markdown_names,
    read_memory_folder,
    read_vault,
)
from reverie.core.moving.mem0 import is_mem0, read_mem0
from reverie.errors import InvalidContent, InvalidInput, InvalidPath, TooLarge, TurnUnreadable
from reverie.types import Counts, Dropped, Problem, Scope

if TYPE_CHECKING:
    from reverie.core.moving.markdown_folders import Shape
    from reverie.ports import Bundle
    from reverie.types import PortableRecord

FORMATS: Final = (
    "folder", "jsonl", "git", "mem0", "basic-memory", "chatgpt", "claude", "obsidian", "markdown",
    "qwen", "claude-code",
)  # fmt: skip
OWN: Final = ("folder", "jsonl", "git")
MANIFEST: Final = "reverie.jsonl"
JOURNAL: Final = "journal.jsonl"
TURNS: Final = "history/turns/"

_CONVERSATIONS: Final = re.compile(r"(?=.*\.json\Z)(?:.*/)?conversations(?:(?:[-_]\d+)?\.json|/.*)")
_MEMORIES: Final = re.compile(r"(?:.*/)?memories\.json|(?:.*/)?memories/[^/]*\.json")
_PROJECTS: Final = re.compile(r"(?:.*/)?projects\.json|(?:.*/)?projects/[^/]*\.json")
_TOO_MUCH: Final = object()
_REASONS: Final = 3  # so many say why nothing came of an import
_SAMPLE: Final = 40  # so many Markdown files tell what kind of folder it is


@dataclass(slots=True)
class Wish:
    """How a source is to be read, and what reading it turned up."""

    now: datetime
    scope: Scope | None = None
    shape: Shape | None = None
    """Whether Markdown notes become topics or notes; None: as is usual for their format."""
    max_values: int = MAX_VALUES
    """Most values of one JSON file."""
    dropped: list[Dropped] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def detect(bundle: Bundle, *, max_values: int = MAX_VALUES) -> str:
    """Tell the format of a source by what is in it, or raise `InvalidInput`."""
    names = [posixpath.basename(name) for name in bundle.names]
    if MANIFEST in bundle.names:
        return "folder"
    if len(bundle.names) == 1 and not bundle.names[0].lower().endswith(".md"):
        return _of_file(bundle, bundle.names[0], max_values)
    if any(_CONVERSATIONS.fullmatch(name) for name in bundle.names):
        return _of_chats(bundle, max_values)
    if any(_MEMORIES.fullmatch(name) for name in bundle.names):
        return "claude"
    found = markdown_names(bundle)[:_SAMPLE]
    texts = [text for name in found if (text := bundle.text(name)) is not None]
    if texts and sum(map(is_basic_memory, texts)) * 2 >= len(texts):
        return "basic-memory"
    if any(map(is_topic, texts)):
        return "qwen"
    if texts:
        return "obsidian"
    jsons = [name for name in bundle.names if name.lower().endswith((".json", ".jsonl"))]
    if len(jsons) == 1:
        return _of_file(bundle, jsons[0], max_values)
    raise _unknown(", ".join(names[:5]) or "nothing that can be read", bundle.dropped)


def read(bundle: Bundle, format: str, wish: Wish) -> Iterator[PortableRecord]:
    """Read the records of a source; journal runs come before the files they are about.

    A source of others that holds nothing of its format is most likely the wrong one: `InvalidContent`.
    """
    empty = format not in OWN
    for record in _records(bundle, format, wish):
        empty = False
        yield record
    wish.dropped += bundle.dropped
    if empty:
        raise _nothing(bundle, format, wish)


def _records(bundle: Bundle, format: str, wish: Wish) -> Iterator[PortableRecord]:
    match format:
        case "jsonl":
            yield from _lines(bundle, _one(bundle, (".jsonl", ".json", ".txt", "")), wish)
        case "folder" | "git":
            yield from _folder(bundle, wish)
        case "mem0":
            for name in _jsons(bundle):
                text = bundle.text(name)
                if text is None:  # the bundle says why
                    continue
                try:
                    yield from read_mem0(
                        text, scope=wish.scope, dropped=wish.dropped, most=wish.max_values
                    )
                except TooLarge as error:
                    wish.dropped.append(Dropped(name, str(error)))
        case "chatgpt" | "claude":
            yield from _chats(bundle, format, wish)
        case "obsidian" | "markdown" | "basic-memory":
            usual: Shape = "topics" if format == "basic-memory" else "notes"
            shape = wish.shape or usual
            yield from read_vault(bundle, shape=shape, scope=wish.scope, dropped=wish.dropped)
        case "qwen" | "claude-code":
            yield from read_memory_folder(bundle, scope=wish.scope, dropped=wish.dropped)
        case _:
            known = ", ".join(FORMATS)
            raise InvalidInput(f"there is no format {format!r}; choose one of: {known}")


# --- telling --------------------------------------------------------------------------------------


def _of_file(bundle: Bundle, name: str, most: int) -> str:
    first = next(iter(bundle.lines(name)), "")
    if export_format.is_header(first):
        return "jsonl"
    value = _parsed(bundle.text(name), most)
    if value is None:
        value = _parsed(first, most)
    if value is None:
        raise _unknown(name)
    if is_mem0(value):
        return "mem0"
    for record in records(value):
        if "mapping" in record:
            return "chatgpt"
        if "chat_messages" in record or "conversations_memory" in record:
            return "claude"
    raise _unknown(name)


def _of_chats(bundle: Bundle, most: int) -> str:
    for name in bundle.names:
        if _CONVERSATIONS.fullmatch(name):
            for record in records(_parsed(bundle.text(name), most)):
                return "claude" if "chat_messages" in record else "chatgpt"
    return "claude" if any(map(_MEMORIES.fullmatch, bundle.names)) else "chatgpt"


def _unknown(what: str, dropped: Sequence[Dropped] = ()) -> InvalidInput:
    left = "; ".join(f"{item.what}: {item.reason}" for item in dropped[:_REASONS])
    return InvalidInput(
        f"what is in there ({what}) is not a known export; name its format with --from, one of:"
        f" {', '.join(FORMATS)}. A chat log of another kind: `reverie history import`."
        f"{f' Left out: {left}' if left else ''}"
    )


def _nothing(bundle: Bundle, format: str, wish: Wish) -> InvalidContent:
    dropped = tuple(dict.fromkeys(wish.dropped))
    reasons = [problem.message for problem in wish.problems]
    reasons += [f"{item.what} ({item.reason})" for item in dropped]
    why = "; ".join(reasons[:_REASONS]) or "there is no such file in it"
    more = f"; and {len(reasons) - _REASONS} more" if len(reasons) > _REASONS else ""
    return InvalidContent(
        f"nothing was imported as {format}: {why}{more}. Is it the right"
        f" {'file' if len(bundle.names) == 1 else 'folder'}? Without --from, the format is detected.",
        dropped=dropped,
    )


# --- our own --------------------------------------------------------------------------------------


def _lines(bundle: Bundle, name: str, wish: Wish) -> Iterator[PortableRecord]:
    """Read an export line by line; a broken line is reported, and what it held is missing."""
    numbered = enumerate(bundle.lines(name), 1)
    export_format.decode_header(next(numbered, (0, ""))[1])
    ended = False
    for number, line in numbered:
        if not line.strip():
            continue
        try:
            record = export_format.decode(line)
        except (InvalidContent, InvalidPath) as error:
            wish.dropped.append(Dropped(f"{name}, line {number}", str(error)))
            continue
        if isinstance(record, Counts):
            ended = True
        else:
            yield record
    if not ended:
        text = f"{name} has no last line: the export was cut off, and what came after is missing"
        wish.problems.append(Problem("export_cut_off", text))


def _folder(bundle: Bundle, wish: Wish) -> Iterator[PortableRecord]:
    if MANIFEST not in bundle.names:
        raise InvalidInput(f"there is no {MANIFEST} in it, so it is not an export of Reverie")
    if JOURNAL in bundle.names:
        yield from _lines(bundle, JOURNAL, wish)
    about: dict[str, Mapping[str, Any]] = {}
    states: list[PortableRecord] = []
    lines = iter(bundle.lines(MANIFEST))
    export_format.decode_header(next(lines, ""))
    for number, line in enumerate(lines, 2):
        try:
            record = export_format.decode_about(line)
            if record.get("kind") == "file" and isinstance(record.get("at"), str):
                about[str(record.get("file") or record["at"])] = record
            elif record.get("kind") == "state":
                states.append(export_format.decode(line))  # type: ignore[arg-type]  # it is a state
        except (InvalidContent, InvalidPath) as error:
            wish.dropped.append(Dropped(f"{MANIFEST}, line {number}", str(error)))
    later: list[str] = []
    for name in bundle.names:
        if name in (MANIFEST, JOURNAL, "README.md"):
            continue
        if name.startswith(TURNS):
            later.append(name)
            continue
        text = bundle.text(name)
        if text is None:
            continue
        try:
            yield export_format.decode_file(about.get(name) or {"at": name}, text=text)
        except (InvalidContent, InvalidPath) as error:
            wish.dropped.append(Dropped(name, str(error)))
    yield from states
    for name in later:
        try:
            yield turns.decode(bundle.text(name) or "").turn
        except TurnUnreadable as error:
            wish.dropped.append(Dropped(name, str(error)))


# --- chats ----------------------------------------------------------------------------------------


def _chats(bundle: Bundle, format: str, wish: Wish) -> Iterator[PortableRecord]:
    projects: list[Mapping[str, Any]] = []
    used: set[str] = set()
    if format == "claude":
        for name in filter(_PROJECTS.fullmatch, bundle.names):
            projects += records(_within(bundle.text(name), name, wish))
            used.add(name)
    names = {str(item.get("uuid")): str(item.get("name")) for item in projects}
    for project in projects:
        yield from read_claude_project(project, scope=wish.scope)
    for name in _jsons(bundle):
        if name in used:
            continue
        used.add(name)
        text = bundle.text(name)
        if text is None:  # the bundle says why
            continue
        value = _within(text, name, wish)
        if value is _TOO_MUCH:
            continue
        if format == "claude" and (_MEMORIES.fullmatch(name) or _remembers(value)):
            yield from read_claude_memories(
                value, scope=wish.scope, projects=names, dropped=wish.dropped
            )
        elif any("mapping" in item or "chat_messages" in item for item in records(value)):
            if format == "chatgpt":
                yield from read_chatgpt_memories(value, scope=wish.scope, dropped=wish.dropped)
            log = read_chat(text, now=wish.now)
            wish.problems += log.problems
            if log.unfinished:
                what = f"{log.unfinished} last turns of {name}"
                wish.dropped.append(Dropped(what, "they have no answer yet"))
            if log.left_out:
                what = f"{log.left_out} messages of {name}"
                wish.dropped.append(Dropped(what, "they belong to abandoned branches"))
            yield from log.turns
        else:
            wish.dropped.append(Dropped(name, "it contains neither conversations nor memories"))
    for name in bundle.names:
        if name not in used:
            wish.dropped.append(Dropped(name, "attachments are not imported"))


def _remembers(value: object) -> bool:
    return any("conversations_memory" in item for item in records(value))


def _jsons(bundle: Bundle) -> list[str]:
    if len(bundle.names) == 1:
        return list(bundle.names)
    return [name for name in bundle.names if name.lower().endswith((".json", ".jsonl"))]


def _one(bundle: Bundle, endings: tuple[str, ...]) -> str:
    for ending in endings:
        found = [name for name in bundle.names if name.lower().endswith(ending)]
        if len(found) == 1:
            return found[0]
    raise InvalidInput("name the file to import: several are possible")


def _parsed(text: str | None, most: int) -> object:
    try:
        return load(text or "", most=most)
    except InvalidContent:
        return None


def _within(text: str | None, name: str, wish: Wish) -> object:
    """Read a file of an export; one that holds more than an import takes is left out and named."""
    try:
        return _parsed(text, wish.max_values)
    except TooLarge as error:
        wish.dropped.append(Dropped(name, str(error)))
        return _TOO_MUCH
