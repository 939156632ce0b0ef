"""The tree of an agent's memory: where each layer lives, and what its files hold at first.

Rules
- One folder per agent below the base folder; nothing of one agent is visible to another.
- Scaffolding makes what is missing and never touches what is there.
- `limit` in the frontmatter of a core file bounds its characters in the prompt; one that is no
  positive whole number is reported, and the default counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.markdown import frontmatter
from reverie.core.markdown.bullets import NONE
from reverie.errors import BadSetting

if TYPE_CHECKING:
    from reverie.types import Workspace

CORE: Final = "core"
WORKING: Final = "working/WORKING_MEMORY.md"
ARCHIVE: Final = "working/archive"
FACTS: Final = "semantic/facts.md"
PREFERENCES: Final = "semantic/preferences.md"
PROJECTS: Final = "semantic/projects.md"
SEMANTIC: Final = (FACTS, PREFERENCES, PROJECTS)
NOTES: Final = "notes"

WORKING_HEADINGS: Final = (
    "Current Priorities",
    "Active Tasks",
    "Open Threads",
    "Recent Progress",
    "Pending Checks",
    "Temporary Context",
)
SEMANTIC_HEADINGS: Final = {
    FACTS: ("Confirmed Facts", "Grounded Inferences"),
    PREFERENCES: ("User Preferences", "Collaboration Preferences"),
    PROJECTS: ("Active Projects", "Durable Project Knowledge"),
}
FOLDERS: Final = (
    "core",
    "working",
    "semantic",
    "history/turns",
    "history/state",
    "history/quarantine",
    "cognition/state",
    "cognition/runs",
    "cognition/triggers/jobs",
    "notes/inbox",
    "notes/zettel",
    "notes/maps",
)

DEFAULT_AGENT: Final = "default"
_AGENT: Final = re.compile(r"\w(?:[\w .@+-]{0,62}[\w@+-])?")


def agent_root(workspace: Workspace) -> str:
    """Return the folder of this workspace's agent."""
    if not _AGENT.fullmatch(workspace.agent):
        raise BadSetting(
            f"memory.agent is {workspace.agent!r}, but an agent's name must be a plain folder name:"
            " letters, digits, spaces, '.', '-' or '_', at most 64 characters",
            key="memory.agent",
        )
    return workspace.agent_root


@dataclass(frozen=True, slots=True)
class LayerFile:
    """One Markdown file of a layer, its frontmatter read."""

    rel: str
    body: str
    description: str
    limit: int
    problem: str = ""
    """Why the limit of the file does not count, if so."""


def parse_layer_file(rel: str, text: str, *, limit: int) -> LayerFile:
    """Read the frontmatter of a layer file; `limit` counts where the file says nothing else."""
    head = frontmatter.read(text)
    if head is None:
        return LayerFile(rel, text.removeprefix("\ufeff"), "", limit)
    body = text[head.body :]
    description = " ".join(head.values.get("description", "").split())
    given = head.values.get("limit", "").replace("_", "").replace(",", "").strip()
    if not given:
        return LayerFile(rel, body, description, limit)
    if not (given.isascii() and given.isdigit()) or len(given) > 9 or int(given) < 1:
        problem = f"limit {head.values['limit']!r} is not a positive whole number; {limit} counts"
        return LayerFile(rel, body, description, limit, problem)
    return LayerFile(rel, body, description, int(given))


def scaffold(agent: str, *, core_limit: int, working_limit: int) -> dict[str, str]:
    """Return the files of a fresh tree by their relative paths."""
    return {
        "README.md": _README.format(agent=agent),
        "core/AGENT.md": _core(
            "What I am for and how I go about it.", core_limit, _AGENT_MD.format(who=_who(agent))
        ),
        "core/USER.md": _core("Who I work for, and how they like to work.", core_limit, _USER_MD),
        "core/SOUL.md": _core("My voice and the principles I hold to.", core_limit, _SOUL_MD),
        WORKING: _core(
            "What is going on now; always in the prompt.",
            working_limit,
            _sections("Working Memory", WORKING_HEADINGS),
        ),
        FACTS: _sections("Facts", SEMANTIC_HEADINGS[FACTS]),
        PREFERENCES: _sections("Preferences", SEMANTIC_HEADINGS[PREFERENCES]),
        PROJECTS: _sections("Projects", SEMANTIC_HEADINGS[PROJECTS]),
    }


def _who(agent: str) -> str:
    return "an assistant" if agent in ("", DEFAULT_AGENT) else f"{agent}, an assistant"


def _core(description: str, limit: int, body: str) -> str:
    return f"---\ndescription: {description}\nlimit: {limit}\n---\n\n{body}"


def _sections(title: str, headings: Sequence[str]) -> str:
    return f"# {title}\n" + "".join(f"\n## {heading}\n\n{NONE}\n" for heading in headings)


_README = """# Memory of {agent}

Plain files; edit them as you like.

- `core/`: who the agent is. Every file is in every prompt.
- `working/WORKING_MEMORY.md`: what is going on now. In every prompt, and bounded.
- `semantic/`: what was learnt for good. Looked up when needed.
- `history/`: finished turns, one JSON file each. Do not edit.
- `cognition/`: the state and the records of the background jobs. Do not edit.
- `notes/`: a notebook of linked notes; the folder opens as a vault in Obsidian.
"""

_AGENT_MD = """# Agent

I am {who} with a memory of my own.

- I read my memory before I answer, and say so when it may be out of date.
- I write down what will matter later, and nothing else.
- I ask before I do what cannot be taken back.
"""

_USER_MD = """# User

Nothing is known about the user yet. Their name, languages, working hours and the way they like to
be spoken to belong here.
"""

_SOUL_MD = """# Soul

- Plain words, short answers, no flattery.
- Say what is known, what is guessed and what is unknown.
- Teach by showing the next step.
"""
