"""What a record of an import is to the agents that will read it: plain memory, or something they obey.

Rules
- Plain is only what is known to be: topics of the person and the project, notes of the agent. All else
  has a kind; it is shown, and written only when the person has allowed that kind.
- Hidden places are written never, whatever is allowed: agents, git and shells keep there what they run.
- Names are compared as the most forgiving file system would: whatever their case, composition, width
  or invisible characters.
- What `init` itself would write at a place says nothing new, so it is plain.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from typing import Final

from reverie.core.moving.export_format import AGENT, CONTEXT, HOME, split_address
from reverie.core.topics.topic import CATALOG_NAME
from reverie.errors import InvalidInput

MEMORY: Final = "memory"
HIDDEN: Final = "hidden"
CONTEXT_FILES: Final = "context"
COMMANDS: Final = "commands"
CORE: Final = "core"
LAYERS: Final = "layers"
HOME_FILES: Final = "home"
FILES: Final = "files"
STATE: Final = "state"
HISTORY: Final = "history"
ABOUT: Final = {
    CONTEXT_FILES: "agents read it as instructions",
    COMMANDS: "agents run what is there: commands, skills, rules, sub-agents",
    CORE: "it says who the agent is; allowed, it waits for your approval",
    LAYERS: "it is part of the agent's own memory, which goes into prompts",
    HOME_FILES: "it is another file of the home",
    FILES: "it is neither a memory nor a note",
    HISTORY: "prompts replay it as the agent's own conversation, and jobs learn from it",
    STATE: "it controls what is read, dreamt and run",
}
"""Kinds that can be allowed, and why each is asked about."""
NEVER: Final = (
    "an import writes nothing hidden, whatever is allowed; copy it by hand if you want it"
)
HIDDEN_REASON: Final = f"it is hidden, and {NEVER}"
"""Why a hidden file or folder of a source is not even read."""

PENDING: Final = "pending"
"""Below the agent's folder: what was imported and waits until a person approves it."""

_INSTRUCTIONS: Final = frozenset(
    {
        "agent.md", "agents.md", "claude.md", "codex.md", "conventions.md", "copilot-instructions.md",
        "crush.md", "gemini.md", "goose.md", "jules.md", "opencode.md", "qwen.md", "reverie.md",
        "skill.md", "warp.md", CATALOG_NAME.lower(),
    }
)  # fmt: skip
"""Names that agents look for in the folders they work in, below those as well."""
_SECOND_ENDINGS: Final = frozenset(
    {"agent", "chatmode", "instructions", "local", "mode", "override", "prompt", "rules"}
)
"""As in `CLAUDE.local.md`, `AGENTS.override.md`, `review.prompt.md`."""
_RUN_FROM: Final = frozenset(
    {
        "agents", "automations", "chatmodes", "command", "commands", "extensions", "hooks",
        "instructions", "mcp", "modes", "output-styles", "playbooks", "plugins", "policies", "prompts",
        "recipes", "rules", "scripts", "skill", "skills", "steering", "subagents", "workflows",
    }
)  # fmt: skip
"""Folders that agents run things from. Only names a kind: what lies beside them is asked about too."""


def kind_of(at: str, *, loaded: Iterable[str] = ()) -> str:
    """Return the kind of what is written to an address; `loaded` are context names of the settings."""
    root, rel = split_address(at)
    parts = [_bare(part) for part in rel.split("/")]
    if any(not part or part.startswith(".") for part in parts):
        return HIDDEN
    instructs = _instructs(parts[-1], loaded)
    if root == AGENT:
        if parts[0] in (CORE, PENDING):
            return CORE
        if parts[0] != "notes" or len(parts) == 1:
            return LAYERS
    elif root in (HOME, CONTEXT):
        if _RUN_FROM.intersection(parts[:-1]):  # first: allowing instructions allows no skills
            return COMMANDS
        if instructs:
            return CONTEXT_FILES
        return HOME_FILES if root == HOME else FILES
    if instructs:
        return CONTEXT_FILES
    return MEMORY if parts[-1].endswith(".md") else FILES


def check_allowed(words: Collection[str]) -> frozenset[str]:
    """Return the kinds that somebody allowed, or raise `InvalidInput`."""
    unknown = sorted(set(words) - ABOUT.keys())
    if unknown:
        known = ", ".join(ABOUT)
        raise InvalidInput(f"nothing called {unknown[0]!r} can be allowed; choose from: {known}")
    return frozenset(words)


def waiting_place(at: str) -> str:
    """Return where an imported core file waits until somebody approves it."""
    root, rel = split_address(at)
    waits = _bare(rel.partition("/")[0]) == PENDING
    return at if waits else f"{root}/{PENDING}/{rel}"


def _instructs(name: str, loaded: Iterable[str]) -> bool:
    names = {_bare(item.rpartition("/")[2]) for item in loaded}
    second = name.removesuffix(".md").rpartition(".")[2] if name.count(".") > 1 else ""
    return name in _INSTRUCTIONS or name in names or second in _SECOND_ENDINGS


def _bare(part: str) -> str:
    """Return a name without anything that some file system or agent would not tell apart."""
    if part.isascii():
        return part.casefold().strip().rstrip(".")
    plain = unicodedata.normalize("NFKC", part)
    seen = "".join(char for char in plain if unicodedata.category(char) not in ("Cf", "Cc", "Mn"))
    return unicodedata.normalize("NFKC", seen).casefold().strip().rstrip(".")
