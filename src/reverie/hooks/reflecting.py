"""Before a conversation is shortened and when it is over, the agent itself looks back over it.

Rules
- Only where the person switched it on (`hooks.reflect`).
- It works on a copy, after the answer was given: nothing that the person sees or resumes changes.
- Once for what was said: a conversation in which the person said nothing since is not looked at again.
- A look that failed stands in the list of calls (`reverie log --usage`), and may be tried again later.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.core.learning.transcripts import read_messages
from reverie.core.topics.smalltalk import is_trivial
from reverie.errors import ModelError
from reverie.hooks import session, shapes
from reverie.memory.agent_site import reflect as ask_to_reflect
from reverie.models.agents.forks import FORKS, Talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.hooks.quick import Call
    from reverie.memory import Memory


def reflect(call: Call, memory: Memory, records: Sequence[dict[str, Any]]) -> None:
    """Let the agent look back, if the person has said something since it last did."""
    if call.agent not in FORKS:
        return
    said = [item for item in read_messages(records).messages if item.role == "user"]
    count = sum(not is_trivial(item.text) for item in said)
    mine = session.of(call)
    if not count or not mine.claim(f"reflected.{count}"):
        return
    transcript = Path(str(call.payload["transcript_path"])).expanduser()
    talk = Talk(shapes.session_of(call.payload), transcript, call.folder())
    try:
        ask_to_reflect(memory, call.agent, talk)
    except ModelError:
        mine.release()
