"""Extraction: from the new messages of a conversation to memories, without a model.

Rules

* Only what the user typed is a source (`own_words`), so memory never learns from itself or a page.
* A turn in which the agent wrote memory itself is left alone: it was dealt with.
* A statement is kept if it is clear; what is not may matter all the same, and is heard.
* What somebody asks not to remember is neither kept nor heard, and a model does not see it.
* The document's filters decide last (too short, a question, of the moment, said twice, in the context
  files already), and whatever they stop is listed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from reverie.core.learning.own_words import speech
from reverie.core.learning.requests import has_substance, pointing
from reverie.core.learning.sentence_guards import is_momentary, is_question, without_now
from reverie.core.learning.sentences import find_request, find_sentences, sentences, without_fillers
from reverie.core.learning.statements import find_statements
from reverie.core.learning.tongues.refusals import around_refusal, refuses
from reverie.core.markdown.bullets import clean_item
from reverie.core.text.dates import make_absolute
from reverie.core.text.plain import width
from reverie.core.text.words import normalize, words
from reverie.types import Dropped, Patch

if TYPE_CHECKING:
    from reverie.core.learning.statements import Statement
    from reverie.types import Message

_OF_SOMEBODY: Final = frozenset({"identity", "preference", "proposed"})
"""Of these, `now` says that something changed."""
_MEMORY_TOOL: Final = re.compile(
    r"(?:^|[_./:-])(?:save_memory|remember|memory_(?:save|add|store|write|remember)|"
    r"add_memor(?:y|ies)|create_memory|memory)$",
    re.I,
)

_FEW_CHARS: Final = 400
_FEW_SENTENCES: Final = 2


@dataclass(frozen=True, slots=True)
class Found:
    """Memories found in a slice, and what was left out."""

    patches: tuple[Patch, ...]
    """What is clear enough to keep."""
    heard: tuple[Patch, ...] = ()
    """What may matter, but is not."""
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
    before: Message | None = None,
) -> Found:
    """Find what is worth keeping in a slice of conversation.

    Args:
        before: What the user said last before the slice; a request may point at it.
    """
    roots = tuple(memory_roots)
    clear: list[Patch] = []
    unclear: list[Patch] = []
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
            statements = find_statements(text, on=on)
            if before is not None and refuses(before.text):
                before = None  # nothing of it is to be learned, however it is pointed at
            if not statements and before is not None and _points_back(text):
                both = f"{speech(before.text)[0].rstrip()}\n{text}"
                statements = [one for one in find_statements(both, on=on) if one.form == "request"]
            for item in statements:
                (clear if item.clear else unclear).append(_patch(item, message, on))
            before = message
    kept, more = filter_patches(clear, min_width=min_width)
    heard, _ = filter_patches(
        unclear, min_width=min_width
    )  # nobody misses what was unclear and short
    return Found(tuple(kept), tuple(heard), (*dropped, *more), handled, spoken)


def without_refused(messages: Sequence[Message]) -> tuple[list[Message], list[Dropped]]:
    """Take out what somebody asked not to remember; what the same message asks to remember stays."""
    left = list(messages)
    dropped: list[Dropped] = []
    before: int | None = None
    for at, message in enumerate(messages):
        if message.role != "user" or not message.text.strip():
            continue
        text, _ = speech(message.text)
        # `nie zapisuj tego: ...` announces a text, so what follows is no speech.
        if refuses(text) or (len(message.text) <= _FEW_CHARS and refuses(message.text)):
            asked = [piece for piece in find_sentences(text) if _asks_despite(piece)]
            left[at] = replace(message, text="\n".join(asked))
            dropped.append(Dropped(f"turn {message.id}", "asked_not_to"))
            if before is not None and not any(map(has_substance, around_refusal(message.text))):
                left[before] = replace(messages[before], text="")
                dropped.append(Dropped(f"turn {messages[before].id}", "asked_not_to"))
        before = at
    return left, dropped


def _asks_despite(piece: str) -> bool:
    return not refuses(piece) and find_request(without_fillers(piece)) is not None


def _points_back(text: str) -> bool:
    """Tell whether a message only asks to remember what was said: `make a note of that`."""
    pieces = find_sentences(text)
    return 0 < len(pieces) <= _FEW_SENTENCES and any(
        pointing(without_fillers(piece)) in ("back", "either") for piece in pieces
    )


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
        if patch.form == "request":
            reason = (
                "duplicate" if key in seen else ""
            )  # somebody asked for it: nothing else counts
        elif width(patch.summary) < min_width:
            reason = "too_short"
        elif is_question(patch.summary):
            reason = "question"
        elif patch.form != "deadline" and is_momentary(
            without_now(patch.summary) if patch.form in _OF_SOMEBODY else patch.summary
        ):
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
