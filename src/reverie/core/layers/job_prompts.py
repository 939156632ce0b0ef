"""What the background jobs say to a model: the work outside, the memory and the turns as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

from reverie.core.asking.prompts import DATA
from reverie.core.history import turns
from reverie.core.layers import jobs
from reverie.core.showing.fence import fence, strip_recall_blocks
from reverie.core.showing.marks import disarmed
from reverie.ports import ChatMessage

if TYPE_CHECKING:
    from reverie.types import Turn

ROOT: Final = "agent"
"""Paths of the draft begin with this."""

_TOOLS: Final = f"""\
You work on a draft of a few files with read_file, grep, ls, write_file and edit. Nothing else exists:
no shell, no other folder, no network. Paths begin with {ROOT}/."""

_WORK: Final = {
    jobs.CONSOLIDATE: """\
You keep the working memory of an assistant up to date. It is one Markdown file with six headings, and
stands in every prompt, so it is short: at most {limit} characters. Read the turns. Close tasks that are
done, and note them under Recent Progress with their day. Add tasks, open threads and pending checks that
came up. Take out what is over. Keep all six headings; under an empty one stands `- None`. Keep what the
turns do not speak of. Write nothing that no turn says.""",
    jobs.EXTRACT: """\
You keep what an assistant learnt for good, in three Markdown files: facts, preferences, projects. Read
the turns, then all three files. Add what the user stated and will hold in later conversations: one list
item each, under the heading it belongs to, in the user's own words. Where something replaces what is
listed, put it in its place and keep the old words under it in a line `Until DATE: ...`. Take out nothing.
Inferences of yours belong under Grounded Inferences, with what they rest on. Doing nothing is a good
answer when nothing is worth it.""",
    jobs.VERIFY: """\
You review the memory of an assistant against its last turns. Change no file. Read the files and the
turns, and say in a few plain sentences what is out of date, contradicts itself or the turns, or is
missing. If nothing is, say so.""",
}


def job_messages(
    job: str, *, files: Mapping[str, str], taken: Sequence[Turn], limit: int, today: date
) -> list[ChatMessage]:
    """Ask an agent to do a job over a draft of these files."""
    rules = [
        _WORK[job].format(limit=limit),
        _TOOLS,
        f"The files are: {', '.join(f'{ROOT}/{rel}' for rel in files)}.",
        f"Today is {today.isoformat()}.",
        "When done, answer with one sentence and use no tool." if job != jobs.VERIFY else "",
        DATA,
    ]
    without = (turns.map_shown(_without_memory(turn), disarmed) for turn in taken)
    shown = "\n".join(map(turns.render, without)) or "(empty)"
    return [
        ChatMessage("system", "\n\n".join(rule for rule in rules if rule)),
        ChatMessage("user", f"The turns:\n{fence(shown)}"),
    ]


def _without_memory(turn: Turn) -> Turn:
    """Take out what recall put into a turn: memory must not learn from itself."""
    return replace(turn, messages=turns.map_texts(turn.messages, strip_recall_blocks))
