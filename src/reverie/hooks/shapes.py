"""What agents say to a hook and want to hear from it: names of events, fields, answers.

Rules:

* An event is known by our name or by any agent's own. The answer goes back in the agent's shape.
* A neutral answer changes nothing; every hook can give it without knowing anything else.
* A hook starts a process at every prompt, so this imports nothing but names.
"""

from __future__ import annotations

from reverie.core.agents.naming import JAIL, MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

START, PROMPT, STOP, COMPACT, END = "session-start", "prompt", "stop", "pre-compact", "session-end"
EVENTS = (START, PROMPT, STOP, COMPACT, END)
SUBAGENT = "subagent"
"""An event of a sub-agent, for which nothing is done."""

# Ours, and what the agents call them; compared without case, dashes and underscores.
_NAMES = {
    START: ("sessionstart",),
    PROMPT: ("prompt", "userpromptsubmit", "beforeagent", "beforesubmitprompt"),
    STOP: ("stop", "afteragent", "agentturncomplete"),
    COMPACT: ("precompact", "precompress"),
    END: ("sessionend",),
    SUBAGENT: ("subagentstart", "subagentstop"),
}
_BY_NAME = {name: event for event, names in _NAMES.items() for name in names}
AGENTS = ("claude-code", "codex", "gemini", "qwen", "cursor")
KEEP_THE_START = ("claude-code", "codex", "cursor")
"""Agents whose resumed conversation holds what was added at its start."""
BRIEFED_AT_A_PROMPT = ("gemini",)
"""What is added at the start is put before the person's first message; on resume all of it is dropped."""
ENDLESS = ("codex", "gemini", "qwen")
"""Agents that do not always tell when a session ends: their history is kept at every stop."""
COMPACT_IN_VAIN = ("gemini",)
"""Agents that announce a compaction at every turn, whether there is one or not."""
START_ANEW = ("claude-code", "codex", "qwen")
"""Agents that tell of a start after a compaction, if there was one; others only that there may be one."""
_OWN_NAMES = {START: "SessionStart", PROMPT: "UserPromptSubmit"}


def event_named(name: str) -> str:
    """Return our name of an event; empty when it is none that we know."""
    return _BY_NAME.get(name.replace("-", "").replace("_", "").lower(), "")


def agent_of(payload: Mapping[str, Any]) -> str:
    """Guess which agent is speaking, where the command does not say."""
    return "cursor" if "cursor_version" in payload or "conversation_id" in payload else AGENTS[0]


def is_subagent(payload: Mapping[str, Any]) -> bool:
    """Tell whether a sub-agent is at work, which has a task and no person to remember."""
    named = payload.get("hook_event_name")
    if isinstance(named, str) and event_named(named) == SUBAGENT:
        return True
    keys = ("agent_id", "parent_conversation_id", "subagent_id")
    return any(payload.get(key) for key in keys) or payload.get("isSidechain") is True


def is_asked_by_us(payload: Mapping[str, Any], env: Mapping[str, str]) -> bool:
    """Tell whether Reverie itself asks this agent as its model: nothing of that is anybody's words."""
    if env.get(MARK):
        return True
    places = (payload.get("cwd"), payload.get("transcript_path"))
    return any(isinstance(place, str) and JAIL in place for place in places)


def prompt_of(payload: Mapping[str, Any]) -> str:
    """Return what the person typed, as far as the agent tells it apart."""
    for key in ("submitted_prompt", "prompt", "user_prompt"):
        value = payload.get(key)
        if isinstance(value, str):
            return value
    return ""


def session_of(payload: Mapping[str, Any]) -> str:
    """Return the id of the conversation."""
    for key in ("session_id", "conversation_id", "sessionId"):
        value = payload.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def folder_of(payload: Mapping[str, Any]) -> str:
    """Return the folder the agent works in; empty when it does not say."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    value = payload.get("cwd") or first
    return value if isinstance(value, str) else ""


def neutral(agent: str, event: str) -> dict[str, Any]:
    """Return the answer that changes nothing."""
    return {"continue": True} if agent == "cursor" and event == PROMPT else {}


def answer(agent: str, event: str, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer that adds something to what the model sees."""
    if not context:
        return neutral(agent, event)
    if agent == "cursor":
        return {**neutral(agent, event), "additional_context": context}
    said = payload.get("hook_event_name")
    name = said if isinstance(said, str) and event_named(said) == event else _OWN_NAMES[event]
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}
