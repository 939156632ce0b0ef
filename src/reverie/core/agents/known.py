"""The agents we are at home in, as data: their settings files, the names of their hooks, their memory.

Rules:

* An agent is never an `if` in the rules; a rule that needs a difference gets a field here.
* Paths begin with `{config}` (the agent's own folder, which a variable can move), `{project}`, or
  `{state}`, Claude Code's file beside its folder.
* Which of this was checked against what stands in docs/agents.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias

from reverie.core.agents.naming import HOOK_TOOL
from reverie.core.agents.reflection import SERVER
from reverie.errors import InvalidInput
from reverie.types import Scope

Style: TypeAlias = Literal["json", "toml"]

EVENTS: Final = ("session-start", "prompt", "stop", "pre-compact", "session-end")


@dataclass(frozen=True, slots=True)
class Place:
    """One settings file, and where in it our part stands."""

    file: str
    path: tuple[str, ...]
    """Keys that lead to the servers, or to the events; `{project}` is the project's root."""
    style: Style = "json"


@dataclass(frozen=True, slots=True)
class Memories:
    """Where an agent keeps a memory of its own."""

    pattern: str
    what: str
    dialect: str = ""
    """Which dialect opens it in place; empty means that it is plain Markdown to be searched."""


@dataclass(frozen=True, slots=True)
class Native:
    """A memory of the agent's own that is on unless somebody switches it off."""

    dialect: str
    """Which dialect works in place on it."""
    switches: tuple[tuple[tuple[str, ...], str | bool], ...]
    """Keys of the settings file that holds the hooks, and the values that switch it off."""
    injects: tuple[Scope, ...]
    """Of which of our memories in that dialect it puts the catalog into every request itself."""
    variable: str = ""
    """A variable that switches it off, too."""

    def is_off(self, settings: object, env: Mapping[str, str]) -> bool:
        """Say whether it is switched off, by the settings as they were read or by the environment."""
        if env.get(self.variable, "").lower() in ("1", "true", "yes", "on"):
            return True
        keys, value = self.switches[0]
        found = settings
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found is not None and str(found).lower() == str(value).lower()


@dataclass(frozen=True, slots=True)
class Agent:
    """What differs between agents."""

    name: str
    title: str
    program: str
    """Its command line."""
    config: str
    """Its own folder below the person's home."""
    config_env: str
    """The variable that moves that folder; empty when there is none."""
    hooks: dict[Scope, Place]
    servers: dict[Scope, Place]
    events: dict[str, str]
    """Our event: the agent's name of it."""
    grouped: bool = True
    """Whether commands stand in groups (`{"hooks": [...]}`) or bare in the list of an event."""
    timeout: int = 10
    """What we let the agent wait at most, in its unit; our own limits are far below."""
    named: bool = False
    """Whether a command carries a name for the agent's list of hooks."""
    typed: bool = False
    """Whether a server says that it speaks over standard input and output."""
    fixed: tuple[tuple[str, int], ...] = ()
    """Members that the hooks file must have."""
    memories: tuple[Memories, ...] = ()
    native: Native | None = None
    tool_events: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Events for which it can call a tool of our running server, not a command; and what it says then."""
    tool_since: tuple[int, ...] = ()
    """From which version on it was seen to do so."""
    trust: str = ""
    """The member of its settings that says which hooks the person trusts; empty when it runs all."""
    afterwards: str = ""
    """What the person still has to do."""


_CLAUDE_EVENTS: Final = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}


def _given(*names: str) -> dict[str, str]:
    """Return what an event says of itself, as a hook that calls a tool names it."""
    every = ("session_id", "cwd", "agent_id", "hook_event_name")
    return {name: f"${{{name}}}" for name in (*names, *every)}


CLAUDE_CODE: Final = Agent(
    name="claude-code",
    title="Claude Code",
    program="claude",
    config=".claude",
    config_env="CLAUDE_CONFIG_DIR",
    hooks={
        Scope.USER: Place("{config}/settings.json", ("hooks",)),
        # The file for what is of this machine alone: our command is an absolute path.
        Scope.PROJECT: Place("{project}/.claude/settings.local.json", ("hooks",)),
    },
    servers={
        Scope.USER: Place("{state}", ("mcpServers",)),
        Scope.PROJECT: Place("{state}", ("projects", "{project}", "mcpServers")),
    },
    events=_CLAUDE_EVENTS,
    typed=True,
    memories=(
        Memories("{config}/projects/*/memory", "memory of a project", "claude"),
        Memories("{config}/CLAUDE.md", "instructions for every project"),
        Memories("{project}/CLAUDE.md", "instructions of this project"),
        Memories("{project}/.claude/CLAUDE.md", "instructions of this project"),
        Memories("{project}/CLAUDE.local.md", "your instructions of this project"),
    ),
    native=Native(
        "claude",
        ((("env", "CLAUDE_CODE_DISABLE_AUTO_MEMORY"), "1"),),
        injects=(Scope.PROJECT,),
        variable="CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    ),
    # Not the start and the end: there the server is not connected yet, or no longer.
    tool_events={
        "prompt": _given("prompt", "prompt_id"),
        "stop": _given("transcript_path"),
        "pre-compact": _given("transcript_path"),
    },
    tool_since=(2, 1, 325),
    afterwards="Start a new session; /hooks and /mcp show what is installed.",
)

CODEX: Final = Agent(
    name="codex",
    title="Codex CLI",
    program="codex",
    config=".codex",
    config_env="CODEX_HOME",
    hooks={
        Scope.USER: Place("{config}/hooks.json", ("hooks",)),
        Scope.PROJECT: Place("{project}/.codex/hooks.json", ("hooks",)),
    },
    servers={
        Scope.USER: Place("{config}/config.toml", ("mcp_servers",), "toml"),
        Scope.PROJECT: Place("{project}/.codex/config.toml", ("mcp_servers",), "toml"),
    },
    # No session end: where Codex has one, it is too new to rely on. History is kept at every stop.
    events={name: _CLAUDE_EVENTS[name] for name in EVENTS if name != "session-end"},
    memories=(
        Memories("{config}/AGENTS.md", "instructions for every project"),
        Memories("{config}/memories", "memory for every project"),
    ),
    trust="hooks",
    afterwards="Codex runs a hook only after you trusted it: start `codex`, then /hooks.",
)

GEMINI: Final = Agent(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    config=".gemini",
    config_env="",
    hooks={
        Scope.USER: Place("{config}/settings.json", ("hooks",)),
        Scope.PROJECT: Place("{project}/.gemini/settings.json", ("hooks",)),
    },
    servers={
        Scope.USER: Place("{config}/settings.json", ("mcpServers",)),
        Scope.PROJECT: Place("{project}/.gemini/settings.json", ("mcpServers",)),
    },
    events={
        "session-start": "SessionStart",
        "prompt": "BeforeAgent",
        "stop": "AfterAgent",
        "pre-compact": "PreCompress",
        "session-end": "SessionEnd",
    },
    timeout=10_000,
    named=True,
    memories=(
        Memories("{config}/GEMINI.md", "memory and instructions for every project"),
        Memories("{project}/GEMINI.md", "instructions of this project"),
    ),
    afterwards="Start a new session; `/hooks panel` and `/mcp list` show what is installed.",
)

QWEN: Final = Agent(
    name="qwen",
    title="Qwen Code",
    program="qwen",
    config=".qwen",
    config_env="",
    hooks={
        Scope.USER: Place("{config}/settings.json", ("hooks",)),
        Scope.PROJECT: Place("{project}/.qwen/settings.json", ("hooks",)),
    },
    servers={
        Scope.USER: Place("{config}/settings.json", ("mcpServers",)),
        Scope.PROJECT: Place("{project}/.qwen/settings.json", ("mcpServers",)),
    },
    events=_CLAUDE_EVENTS,
    timeout=10_000,
    named=True,
    memories=(
        Memories("{config}/memories", "your memory for every project", "qwen"),
        Memories("{config}/projects/*/memory", "memory of a project", "qwen"),
        Memories("{config}/QWEN.md", "instructions for every project"),
        Memories("{project}/QWEN.md", "instructions of this project"),
    ),
    native=Native(
        "qwen",
        (
            (("memory", "enableManagedAutoMemory"), False),
            (("memory", "enableManagedAutoDream"), False),
        ),
        injects=(Scope.USER, Scope.PROJECT),
    ),
    afterwards="Start a new session; /hooks and /mcp show what is installed.",
)

CURSOR: Final = Agent(
    name="cursor",
    title="Cursor",
    program="cursor",
    config=".cursor",
    config_env="",
    hooks={
        Scope.USER: Place("{config}/hooks.json", ("hooks",)),
        Scope.PROJECT: Place("{project}/.cursor/hooks.json", ("hooks",)),
    },
    servers={
        Scope.USER: Place("{config}/mcp.json", ("mcpServers",)),
        Scope.PROJECT: Place("{project}/.cursor/mcp.json", ("mcpServers",)),
    },
    events={
        "session-start": "sessionStart",
        "prompt": "beforeSubmitPrompt",
        "stop": "stop",
        "pre-compact": "preCompact",
        "session-end": "sessionEnd",
    },
    grouped=False,
    fixed=(("version", 1),),
    afterwards="Open a new chat; the Hooks tab of Cursor's settings shows what is installed.",
)

AGENTS: Final = {agent.name: agent for agent in (CLAUDE_CODE, CODEX, GEMINI, QWEN, CURSOR)}
_SHARED: Final = (Memories("{project}/AGENTS.md", "instructions of this project, for any agent"),)


def agent_named(name: str) -> Agent:
    """Return the agent of that name."""
    try:
        return AGENTS[name]
    except KeyError:
        raise InvalidInput(
            f"there is no agent {name!r}; choose one of: {', '.join(AGENTS)}"
        ) from None


def shared_memories() -> tuple[Memories, ...]:
    """Return the files that belong to no agent alone."""
    return _SHARED


def tool_entry(agent: Agent, event: str) -> dict[str, Any]:
    """Return what stands in an event's list for one call of our server's tool."""
    given = {"event": event, "agent": agent.name, **agent.tool_events[event]}
    hook = {"type": "mcp_tool", "server": SERVER, "tool": HOOK_TOOL, "input": given}
    return {"hooks": [{**hook, "timeout": agent.timeout}]}


def hook_entry(agent: Agent, command: str) -> dict[str, Any]:
    """Return what stands in an event's list for one command of ours."""
    if not agent.grouped:
        return {"command": command, "timeout": agent.timeout}
    name = {"name": "reverie"} if agent.named else {}
    hook = {**name, "type": "command", "command": command, "timeout": agent.timeout}
    return {"hooks": [hook]}


def server_entry(agent: Agent, program: list[str], options: list[str]) -> dict[str, Any]:
    """Return the entry of our MCP server."""
    first, *rest = program
    kind = {"type": "stdio"} if agent.typed else {}
    return {**kind, "command": first, "args": [*rest, *options, "mcp"]}


def is_ours(agent: Agent, entry: object) -> bool:
    """Tell whether an element of an event's list is one that we put there, wherever we were then."""
    if not isinstance(entry, dict):
        return False
    inner = entry.get("hooks") if agent.grouped else [entry]
    if not isinstance(inner, list) or len(inner) != 1 or not isinstance(inner[0], dict):
        return False
    if inner[0].get("type") == "mcp_tool":
        return (inner[0].get("server"), inner[0].get("tool")) == (SERVER, HOOK_TOOL)
    words = str(inner[0].get("command", "")).split()
    pairs = list(pairwise(words))
    return ("--agent", agent.name) in pairs and any(("hook", event) in pairs for event in EVENTS)
