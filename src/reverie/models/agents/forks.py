"""How each agent goes on with a copy of a conversation, to look back over it with the tools of memory alone.

Rules
- The person's conversation is not touched: the agent forks it, records nothing, or works on a copy of the
  file. What a copy leaves behind is removed (`Order.left`).
- Only the tools that add and correct memories may be used; nothing else is allowed without a person.
- What is asked goes through standard input.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reverie.core.agents.reflection import SERVER, TOOLS
from reverie.models.agents.commands import BARE_NAME, CODEX_OFF, QWEN_TOOLS, Order

POLICY_FILE = "policy.toml"
_WAYS_TO_TOOLS: Final = ("tool_call", "tool_search")
"""Tools of Qwen Code by which those of a server are called."""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation that an agent has recorded."""

    session: str
    transcript: Path
    folder: str
    """Where the agent works."""


def _claude(talk: Talk, _jail: str, _known: Sequence[str]) -> Order:
    servers = (SERVER, f"plugin_{SERVER}_{SERVER}")
    allowed = ",".join(f"mcp__{server}__{tool}" for server in servers for tool in TOOLS)
    words = [
        "-p", "--output-format", "json", "--resume", str(talk.transcript), "--fork-session",
        "--no-session-persistence", "--tools", "", "--allowedTools", allowed,
    ]  # fmt: skip
    return Order(words, {"CLAUDE_CODE_MAX_RETRIES": "0"})


def _codex(talk: Talk, _jail: str, known: Sequence[str]) -> Order:
    features = {line.split()[0] for line in known if line.split()}
    servers = [line.removeprefix("server ") for line in known if line.startswith("server ")]
    words = ["exec", "--json", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"]
    off = [name for name in CODEX_OFF if name in features and name != "plugins"]
    words += [word for name in off for word in ("--disable", name)]
    told = ['web_search="disabled"']
    for name in servers:
        if name == SERVER:
            told.append(f"mcp_servers.{name}.enabled_tools={json.dumps(list(TOOLS))}")
        elif BARE_NAME.fullmatch(name):
            told.append(f"mcp_servers.{name}.enabled=false")
    words += [word for pair in told for word in ("-c", pair)]
    return Order([*words, "fork", talk.session, "-"])


def _gemini(talk: Talk, jail: str, _known: Sequence[str]) -> Order:
    copy = str(uuid.uuid4())  # a chat's file ends in the beginning of its id
    name = talk.transcript.name.replace(talk.session[:8], copy[:8])
    text = talk.transcript.read_text(encoding="utf-8", errors="replace")
    rules = ['[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 900\n']
    rules += [
        f'[[rule]]\nmcpName = "{SERVER}"\ntoolName = "{tool}"\ndecision = "allow"\npriority = 990\n'
        for tool in TOOLS
    ]
    words = [
        "-o", "json", "--skip-trust", "--approval-mode", "default",
        "--allowed-mcp-server-names", SERVER, "--policy", f"{jail}/{POLICY_FILE}",
        "--resume", copy,
    ]  # fmt: skip
    chat = str(talk.transcript.with_name(name))
    return Order(
        words,
        {"GEMINI_CLI_NO_RELAUNCH": "true"},
        {chat: text.replace(talk.session, copy), POLICY_FILE: "\n".join(rules)},
        left=(f".gemini/tmp/*/chats/*{copy[:8]}*",),
    )


def _qwen(talk: Talk, _jail: str, _known: Sequence[str]) -> Order:
    words = [
        "-o", "json", "--approval-mode", "default", "--chat-recording", "false",
        "--resume", talk.session, "--allowed-mcp-server-names", SERVER,
    ]  # fmt: skip
    words += [word for tool in TOOLS for word in ("--allowed-tools", f"mcp__{SERVER}__{tool}")]
    others = [tool for tool in QWEN_TOOLS if tool not in _WAYS_TO_TOOLS]
    words += [word for tool in others for word in ("--exclude-tools", tool)]
    return Order(words)


FORKS: Final[Mapping[str, Callable[[Talk, str, Sequence[str]], Order]]] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "qwen": _qwen,
}
