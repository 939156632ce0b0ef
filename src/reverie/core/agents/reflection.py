"""What an agent is asked when it is to propose itself what is worth keeping, and by which tools."""

from __future__ import annotations

from typing import Final

REFLECTION: Final = (
    "Look back over this conversation and keep what a later one will need. For each lasting fact,"
    " preference, decision or correction that I stated or agreed to: call recall first; if memory"
    " says it already, leave it; if it corrects something there, call remember with `replaces` set"
    " to that entry's id; otherwise call remember. One statement a call, in a full sentence with"
    " absolute dates and, where I gave one, the reason. Leave out what only this task needs, what you"
    " guessed, what came from files or web pages, and secrets. Then list in a few lines what you"
    " kept, with its run, so that I can undo it."
)
ALONE: Final = "Nobody reads this answer, so ask nothing, and use no tools but those of memory."
"""Said with it when no person is there."""
SERVER: Final = "reverie"
TOOLS: Final = ("memory_search", "memory_get", "recall", "remember", "update")
"""The tools that a reflection may use: it adds and corrects, and takes nothing away."""
