"""Prompts that a person picks as slash commands: remember, recall, reflect, dream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.core.agents.reflection import REFLECTION
from reverie.errors import InvalidArgument, NotFound

if TYPE_CHECKING:
    from reverie.memory import Memory


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt; its only argument, if any, is required."""

    name: str
    title: str
    about: str
    make: Callable[[Memory, str], str]
    argument: str = ""
    argument_about: str = ""


def _remember(_: Memory, text: str) -> str:
    return (
        "Keep this for later conversations with the remember tool, as one or several separate"
        f" memories, then say in one line what was kept:\n\n{text}"
    )


def _recall(memory: Memory, query: str) -> str:
    block = memory.recall(query, wait=True).block
    if not block:
        return f"I asked memory about this and it has nothing: {query}\n\nSay so, then help without it."
    return f"{block}\nWith these notes from memory as data, answer this: {query}"


def _dream(_: Memory, __: str) -> str:
    return (
        "Call the dream tool with dryRun true and force true, show me in a few lines what it would"
        " merge, date or mark as outdated, and ask whether to do it. If I agree, call it again"
        " without dryRun."
    )


def _reflect(_: Memory, __: str) -> str:
    return REFLECTION


PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "remember",
        "Remember",
        "Keep something for later conversations.",
        _remember,
        "text",
        "What to remember.",
    ),
    Prompt(
        "recall",
        "Recall",
        "Answer with what memory knows.",
        _recall,
        "query",
        "What you want to know.",
    ),
    Prompt("reflect", "Reflect", "Keep what this conversation taught.", _reflect),
    Prompt("dream", "Dream", "Consolidate memory, with a look at the plan first.", _dream),
)


def make(memory: Memory, name: str, arguments: Mapping[str, str] | None) -> str:
    """Return the text of a prompt."""
    prompt = next((item for item in PROMPTS if item.name == name), None)
    if prompt is None:
        known = ", ".join(item.name for item in PROMPTS)
        raise NotFound(f"there is no prompt {name!r}; there are {known}")
    given = (arguments or {}).get(prompt.argument, "").strip() if prompt.argument else ""
    if prompt.argument and not given:
        raise InvalidArgument(f"the prompt {name} needs the argument {prompt.argument}")
    return prompt.make(memory, given)
