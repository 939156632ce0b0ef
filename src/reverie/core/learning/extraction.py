"""Extraction: from the new messages of a conversation to memories, without a model.

Rules

* Only what the user said is a source. Code, quotes, logs, pasted text, the program's own notes and
  blocks that recall injected are taken out first, so memory never learns from itself.
* A turn in which the agent wrote memory itself is left alone: it was dealt with.
* The document's filters decide last (too short, a question, of the moment, said twice, in the context
  files already), and whatever they stop is listed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from reverie.core.learning.sentence_guards import is_momentary, is_question
from reverie.core.learning.statements import find_statements, sentences
from reverie.core.markdown.bullets import clean_item
from reverie.core.showing.fence import strip_recall_blocks
from reverie.core.text.dates import make_absolute
from reverie.core.text.plain import width
from reverie.core.text.words import normalize, words
from reverie.types import Dropped, Patch

if TYPE_CHECKING:
    from reverie.core.learning.statements import Statement
    from reverie.types import Message

MAX_MESSAGE_CHARS: Final = 20_000  # speech is shorter; of more, both ends are read
MAX_SPOKEN_LINES: Final = 40  # beyond this most of it is pasted
_EDGE_LINES: Final = 8

_FENCE: Final = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_ELEMENT: Final = re.compile(r"<([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,500})?>")
_EMPHASIS: Final = frozenset(
    {"b", "i", "u", "s", "em", "strong", "code", "kbd", "mark", "small", "sub", "sup", "span", "q"}
)
_ATTACHED: Final = re.compile(
    r"^-{2,}\s*(?:Content from|File:|Begin|Start of).*?(?:^-{2,}\s*End.*?$|\Z)", re.M | re.S | re.I
)
_NOT_SPEECH: Final = re.compile(
    r"""\s*(?:
        >                                    # a quoted line
        |\$\s|%\s|PS\s\w:\\|>>>\s|\.\.\.\s   # a prompt
        |\+\+\+\s|---\s|@@|diff\s--git       # a diff
        |File\s"|Traceback|at\s[\w.$<>]+\(|\w*(?:Error|Exception)\b:
        |\[?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d    # a log line
        |\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b
        |\|.*\|\s*$|[\w./-]+:\d+(?::\d+)?:   # a table row, a compiler's place
        |\#{1,6}\s                           # a heading: nobody says one
    )""",
    re.X,
)
_INDENTED: Final = re.compile(r"(?: {4}|\t)")
_PASTE_WORDS: Final = re.compile(
    r"\b(?:here(?:'s| is| are)|below|following|this is (?:the|what|my)|wrote|said|says|"
    r"says this|sent|output|log|error|"
    r"readme|email|e-mail|message|text|translate|summari[sz]e|proofread|rewrite|review|hier ist|"
    r"folgend\w*|schrieb|voici|"
    r"suivant\w*|aquí|siguiente|вот|следующ\w+)\b",
    re.I,
)
_CJK_PASTE_WORDS: Final = re.compile("如下|以下|翻译|总结|内容|写道|说|次の")
_SENTENCE: Final = re.compile("[.!?]")
_CJK_SENTENCE: Final = re.compile("[。！？]")
_MEMORY_TOOL: Final = re.compile(
    r"(?:^|[_./:-])(?:save_memory|remember|memory_(?:save|add|store|write|remember)|"
    r"add_memor(?:y|ies)|create_memory|memory)$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Found:
    """Memories found in a slice, and what was left out."""

    patches: tuple[Patch, ...]
    dropped: tuple[Dropped, ...] = ()
    handled: int = 0
    """Turns left alone because the agent wrote memory in them."""
    spoken: int = 0
    """Messages of the user that were read."""


def find_patches(
    messages: Sequence[Message],
    *,
    memory_roots: Iterable[str],
    cwd: str,
    now: datetime,
    min_width: int,
) -> Found:
    """Find what is worth keeping in a slice of conversation."""
    roots = tuple(memory_roots)
    patches: list[Patch] = []
    dropped: list[Dropped] = []
    handled = spoken = 0
    for turn in turns_of(messages):
        said = [item for item in turn if item.role == "user" and item.text.strip()]
        if any(writes_memory(item, roots, cwd) for item in turn):
            handled += 1
            dropped.extend(Dropped(f"turn {item.id}", "memory_tool") for item in said)
            continue
        for message in said:
            spoken += 1
            on = (message.at or now).date()
            text, lost = speech(message.text)
            if lost:
                dropped.append(Dropped(f"{lost} characters of turn {message.id}", "too_long"))
            patches.extend(_patch(item, message, on) for item in find_statements(text, on=on))
    kept, more = filter_patches(patches, min_width=min_width)
    return Found(tuple(kept), (*dropped, *more), handled, spoken)


def turns_of(messages: Sequence[Message]) -> list[list[Message]]:
    """Group messages into turns: what the user said, and everything up to the next thing he says."""
    turns: list[list[Message]] = []
    answered = True
    for message in messages:
        if not turns or (message.role == "user" and answered):
            turns.append([])
            answered = False
        if message.role == "assistant":
            answered = True
        turns[-1].append(message)
    return turns


def writes_memory(message: Message, roots: Iterable[str], cwd: str) -> bool:
    """Tell whether a message holds a tool call that wrote managed memory."""
    if message.role == "assistant" and any(
        _MEMORY_TOOL.search(name.strip()) for name in message.tool_name.split(",")
    ):
        return True
    places = [posixpath.normpath(posixpath.join(cwd, path)) for path in message.tool_paths]
    return any(place == root or place.startswith(f"{root}/") for place in places for root in roots)


def speech(text: str) -> tuple[str, int]:
    """Return what a person said in a message, and how many characters were too much to read.

    >>> speech("Use tabs.\\n```\\ncode()\\n```\\n> quoted")
    ('Use tabs.', 0)
    """
    lost = max(0, len(text) - MAX_MESSAGE_CHARS)
    if lost:
        text = text[: MAX_MESSAGE_CHARS // 2] + "\n\n" + text[-MAX_MESSAGE_CHARS // 2 :]
    text = strip_recall_blocks(text)
    text = _FENCE.sub("\n\n", text)
    text = _ATTACHED.sub("\n\n", text)
    text = _without_elements(text)
    lines = _own_lines(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    if len(lines) > MAX_SPOKEN_LINES:
        lines = [*lines[:_EDGE_LINES], "", *lines[-_EDGE_LINES:]]
    return "\n".join(lines).strip(), lost


def filter_patches(
    patches: Iterable[Patch], *, min_width: int
) -> tuple[list[Patch], list[Dropped]]:
    """Apply the document's filters; they also guard what a model proposes."""
    kept: list[Patch] = []
    dropped: list[Dropped] = []
    seen: set[tuple[str, str]] = set()
    for patch in patches:
        key = (patch.kind.value, " ".join(normalize(patch.summary).split()))
        reason = ""
        if width(patch.summary) < min_width:
            reason = "too_short"
        elif is_question(patch.summary):
            reason = "question"
        elif patch.form != "deadline" and is_momentary(patch.summary):
            reason = "temporary"
        elif key in seen:
            reason = "duplicate"
        if reason:
            dropped.append(Dropped(patch.summary, reason))
        else:
            seen.add(key)
            kept.append(patch)
    return kept, dropped


def without_instructed(
    patches: Sequence[Patch], instructions: str
) -> tuple[list[Patch], list[Dropped]]:
    """Leave out what the context files say already, word for word: the agent reads it at every turn."""
    told = {key for line in instructions.split("\n") for key in _said_in(clean_item(line))}
    kept = [patch for patch in patches if _key(patch.summary) not in told]
    gone = [patch for patch in patches if _key(patch.summary) in told]
    return kept, [Dropped(patch.summary, "in_context") for patch in gone]


def _said_in(line: str) -> Iterator[str]:
    yield _key(line)
    yield from map(_key, sentences(line))


def _key(text: str) -> str:
    return " ".join(words(text))


def _patch(statement: Statement, message: Message, on: date) -> Patch:
    return Patch(
        kind=statement.kind,
        summary=make_absolute(statement.summary, on=on),
        why=make_absolute(statement.why, on=on),
        how=make_absolute(statement.how, on=on),
        turn=message.id,
        form=statement.form,
    )


def _without_elements(text: str) -> str:
    """Take out what a program inserted; an element of a few words in a sentence loses its tags only."""
    kept: list[str] = []
    open_ended: set[str] = set()
    at = 0
    while match := _ELEMENT.search(text, at):
        name = match[1]
        end = -1 if name in open_ended else text.find(f"</{name}>", match.end())
        if end < 0:
            open_ended.add(name)
            kept.append(text[at : match.end()])
            at = match.end()
            continue
        inside = text[match.end() : end]
        # `<b>pnpm</b>` is emphasis; any other element, or several lines, is something inserted.
        inserted = "\n" in inside or len(inside) > 200 or name.lower() not in _EMPHASIS
        kept += [text[at : match.start()], "\n\n" if inserted else inside]
        at = end + len(name) + 3
    return "".join([*kept, text[at:]])


def _own_lines(lines: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if _NOT_SPEECH.match(line) or _INDENTED.match(line):
            kept.append("")
            continue
        kept.append(line)
        if _announces_paste(line.rstrip()):
            break  # what follows is somebody else's text
    return kept


def _announces_paste(line: str) -> bool:
    """Tell whether the last sentence of a line says that somebody's text follows: "the log says:"."""
    if not line.endswith((":", "：")):
        return False
    said = _SENTENCE.split(line)[-1]
    asian = _CJK_SENTENCE.split(line)[-1]
    return bool(
        (line.endswith(":") and _PASTE_WORDS.search(said)) or _CJK_PASTE_WORDS.search(asian)
    )
