"""Claude Code calls our running server at a prompt where its version is known to; others get commands."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.core.agents.known import CLAUDE_CODE, CODEX, is_ours
from reverie.local.agents.installing import Host, apply_edits, plan_install, plan_uninstall
from reverie.types import Scope

NOW = datetime(2026, 11, 18, tzinfo=UTC)


@pytest.fixture
def host(tmp_path: Path):
    home, programs = tmp_path / "person", tmp_path / "bin"
    home.mkdir(exist_ok=True)
    programs.mkdir()

    def host(said: str | None, *, agent=CLAUDE_CODE, scope=Scope.USER) -> Host:
        file = programs / "claude"
        file.unlink(missing_ok=True)
        if said is not None:
            file.write_text(f"#!/bin/sh\n{said}\n", encoding="utf-8")
            file.chmod(0o755)
        env = {"HOME": str(home), "PATH": f"{programs}:/usr/bin:/bin"}
        return Host(agent, scope, str(tmp_path / "p"), tmp_path / "state", env, ["/opt/reverie"])

    return host


def prompt_hooks(host: Host) -> list:
    apply_edits(host, plan_install(host), now=NOW)
    file = Path(host.where(host.agent.hooks[host.scope].file))
    return json.loads(file.read_text(encoding="utf-8"))["hooks"]["UserPromptSubmit"]


def test_a_version_that_was_tried_calls_the_server_at_a_prompt(host):
    here = host("echo '2.1.325 (Claude Code)'")
    (entry,) = prompt_hooks(here)
    (hook,) = entry["hooks"]
    assert (hook["type"], hook["server"], hook["tool"]) == ("mcp_tool", "reverie", "hook")
    assert hook["input"]["prompt"] == "${prompt}"
    assert is_ours(CLAUDE_CODE, entry)
    assert not any(edit.changes for edit in plan_install(here))


@pytest.mark.parametrize(
    "said", ["echo '2.1.117 (Claude Code)'", "echo '1.99.999'", "echo nonsense", "exit 3", None]
)
def test_every_other_gets_a_command(host, said):
    (entry,) = prompt_hooks(host(said))
    assert entry["hooks"][0]["type"] == "command"


def test_in_a_project_and_for_other_agents_it_is_a_command(host):
    (entry,) = prompt_hooks(host("echo 3.0.0", scope=Scope.PROJECT))
    assert entry["hooks"][0]["type"] == "command"
    (entry,) = prompt_hooks(host("echo 3.0.0", agent=CODEX))
    assert entry["hooks"][0]["type"] == "command"


def test_installing_again_after_an_update_replaces_one_by_the_other(host):
    for said, kind in (
        ("echo 2.1.1", "command"),
        ("echo 2.2.0 # newer", "mcp_tool"),
        ("echo 2.1.1 # older again", "command"),
    ):
        (entry,) = prompt_hooks(host(said))
        assert entry["hooks"][0]["type"] == kind


def test_uninstalling_gives_every_byte_back(host):
    here = host("echo 2.1.325")
    file = Path(here.where(CLAUDE_CODE.hooks[Scope.USER].file))
    file.parent.mkdir()
    mine = {"type": "mcp_tool", "server": "reverie", "tool": "recall"}
    text = json.dumps({"hooks": {"UserPromptSubmit": [{"hooks": [mine]}]}}, indent=3) + "\n\n"
    file.write_text(text, encoding="utf-8")
    assert len(prompt_hooks(here)) == 2
    apply_edits(here, plan_uninstall(here), now=NOW, undo=True)
    assert file.read_text(encoding="utf-8") == text
    # And by span, when somebody has edited the file meanwhile.
    prompt_hooks(here)
    file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
    apply_edits(here, plan_uninstall(here), now=NOW, undo=True)
    assert json.loads(file.read_text(encoding="utf-8")) == json.loads(text)
