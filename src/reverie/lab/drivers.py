"""How each agent is run headless against the model on this machine.

Rules
- A home of its own: no login, no setting and no memory of the person is read or written.
- Every way out leads to the loopback model: its address is given, and it is the proxy for the rest.
- What differs between agents is a row of the table; running one is the same for all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from reverie.client.resident import SWITCH
from reverie.errors import AgentMissing
from reverie.local.store.paths import find_program
from reverie.models.agents.process import Ran, run_group

_KEY: Final = "sk-loopback"
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR", "SYSTEMROOT", SWITCH)
"""What an agent gets of our environment; everything else could lead it to a person's account."""


_SWITCHES: Final = ("hooksConfig.enabled", "hooksConfig.disabled", "mcp.allowed", "mcp.excluded")


@dataclass(frozen=True, slots=True)
class Driver:
    """One agent's command line."""

    agent: str
    """As Reverie calls it."""
    program: str
    environment: Mapping[str, str]
    """`{url}` is where the loopback model listens."""
    first: Sequence[str]
    """Words of every call, before the prompt."""
    again: Sequence[str]
    """Words that go on with a session; `{session}` is its id."""
    named: Sequence[str] = ()
    """Words that name the session from its beginning; `{session}` is its id."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Files below the home that spare the agent its first questions."""
    switches: tuple[str, Sequence[str]] = ("", ())
    """A settings file below the home, and the keys in it that could keep us from being heard."""


DRIVERS: Final[Mapping[str, Driver]] = {
    driver.agent: driver
    for driver in (
        Driver(
            "claude-code",
            "claude",
            {
                "ANTHROPIC_BASE_URL": "{url}",
                "ANTHROPIC_API_KEY": _KEY,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            },
            ("-p", "--output-format", "json", "--allowedTools", "mcp__reverie,mcp__plugin_reverie_reverie"),
            ("--resume", "{session}"),
            ("--session-id", "{session}"),
            {".claude.json": {"hasCompletedOnboarding": True}},
            (".claude/settings.json", ("disableAllHooks", "permissions.deny")),
        ),
        Driver(
            "codex",
            "codex",
            {"LOOPBACK_KEY": _KEY},
            (
                "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust",
                "-s", "read-only", "-c", 'model_provider="loopback"', "-c", 'model="gpt-5"',
                "-c", 'model_providers.loopback={{name="loopback",base_url="{url}/v1",'
                'wire_api="responses",env_key="LOOPBACK_KEY",request_max_retries=0}}',
            ),
            ("resume", "{session}"),
        ),
        Driver(
            "gemini",
            "gemini",
            {
                "GEMINI_API_KEY": _KEY,
                "GOOGLE_GEMINI_BASE_URL": "{url}",
                "GEMINI_CLI_NO_RELAUNCH": "true",
            },
            ("-o", "json", "--skip-trust", "--approval-mode", "yolo", "-m", "gemini-2.5-pro", "-p"),
            ("--resume", "latest"),
            ("--session-id", "{session}"),
            {
                ".gemini/settings.json": {
                    "security": {"auth": {"selectedType": "gemini-api-key"}},
                    "privacy": {"usageStatisticsEnabled": False},
                    "general": {"enableAutoUpdate": False},
                }
            },
            (".gemini/settings.json", (*_SWITCHES, "tools.core", "tools.exclude")),
        ),
        Driver(
            "qwen",
            "qwen",
            {
                "OPENAI_API_KEY": _KEY,
                "OPENAI_BASE_URL": "{url}/v1",
                "OPENAI_MODEL": "loopback",
            },
            ("-o", "json", "--approval-mode", "yolo"),
            ("--resume", "{session}"),
            ("--session-id", "{session}"),
            {
                ".qwen/settings.json": {
                    "security": {"auth": {"selectedType": "openai"}},
                    "privacy": {"usageStatisticsEnabled": False},
                    "general": {"enableAutoUpdate": False},
                }
            },
            (".qwen/settings.json", (*_SWITCHES, "disableAllHooks")),
        ),
    )
}  # fmt: skip


def find_agent(driver: Driver, env: Mapping[str, str]) -> str:
    """Return the agent's program on this machine."""
    found = find_program(driver.program, env)
    if not found:
        raise AgentMissing(
            f"there is no program {driver.program!r} on the PATH, so this agent cannot be run"
        )
    return found


def prepare(driver: Driver, home: Path) -> None:
    """Make a home in which the agent asks nothing before it answers."""
    for name, value in driver.settings.items():
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value, indent=2), encoding="utf-8")


def environment(driver: Driver, *, home: Path, url: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return everything an agent gets to know of this machine."""
    kept = {name: env[name] for name in _KEPT if name in env}
    own = {name: value.format(url=url) for name, value in driver.environment.items()}
    away = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), url)
    return {**kept, **away, **own, "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
            "HOME": str(home), "NO_COLOR": "1"}  # fmt: skip


def run_agent(
    driver: Driver,
    prompt: str,
    *,
    program: str,
    home: Path,
    project: Path,
    url: str,
    env: Mapping[str, str],
    session: str = "",
    resume: bool = False,
    options: Sequence[str] = (),
    before: Sequence[str] = (),
    seconds: float = 120.0,
) -> Ran:
    """Ask an agent something in a project, and wait for its answer; `before` is a program that runs it."""
    named = (driver.again if resume else driver.named) if session else ()
    words = [program, *(word.format(url=url) for word in driver.first)]
    told = [word.format(session=session) for word in named]
    # Gemini's prompt is the value of its last option; the others take it as the last word.
    words = [*words, prompt, *told] if driver.first[-1] == "-p" else [*words, *told, prompt]
    return run_group(
        [*before, *words, *options],
        cwd=str(project),
        env=environment(driver, home=home, url=url, env=env),
        seconds=seconds,
    )
