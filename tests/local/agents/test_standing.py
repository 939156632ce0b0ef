"""What is between an installation and its work is said, and of two memories one leads."""

from __future__ import annotations

import io
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.core.agents.known import AGENTS
from reverie.hooks import quick, work
from reverie.local.agents.installing import Host, apply_edits, plan_install, plan_uninstall
from reverie.local.agents.standing import AGENT_LEADS, BOTH, UNTRUSTED, injected_by, standing
from reverie.memory import Memory
from reverie.types import Scope

NOW = datetime(2026, 11, 18, tzinfo=UTC)


@pytest.fixture
def install(private_home, project, tmp_path):
    """Install in an agent; return the host."""

    def install(name, *, lead=False):
        host = Host(
            AGENTS[name], Scope.USER, str(project), tmp_path, os.environ, ["/opt/reverie"], []
        )
        apply_edits(host, plan_install(host, lead=lead), now=NOW)
        return host

    return install


def codes(project, dialect="reverie"):
    with Memory.open(project, dialect=dialect) as memory:
        return [item.code for item in standing(memory.workspace, dialect=dialect, env=os.environ)]


def test_codex_whose_hooks_nobody_trusted_is_told_of_by_status_and_doctor(
    install, project, private_home
):
    assert codes(project) == []
    install("codex")
    assert codes(project) == [UNTRUSTED]
    with Memory.open(project) as memory:
        [told] = [item.message for item in memory.doctor() if item.code == UNTRUSTED]
    assert "/hooks" in told
    config = private_home / ".codex" / "config.toml"
    key = f"{private_home}/.codex/hooks.json:session_start:0:0"
    trusted = f'\n[hooks.state."{key}"]\ntrusted_hash = "sha256:1"\n'
    config.write_text(config.read_text() + trusted)
    assert codes(project) == []


@pytest.mark.parametrize("agent", ["claude-code", "qwen"])
def test_two_memories_are_named_and_one_is_switched_off_only_when_asked(install, project, agent):
    dialect = AGENTS[agent].native.dialect
    install(agent)
    assert codes(project) == [BOTH]
    assert codes(project, dialect) == [AGENT_LEADS]
    host = install(agent, lead=True)
    assert codes(project) == []
    assert codes(project, dialect) == []
    apply_edits(host, plan_uninstall(host), now=NOW, undo=True)
    assert not Path(host.where(AGENTS[agent].hooks[Scope.USER].file)).exists()


@pytest.mark.parametrize("agent", ["claude-code", "qwen"])
def test_the_switch_goes_out_of_settings_that_were_edited_since(install, private_home, agent):
    host = install(agent, lead=True)
    path = Path(host.where(AGENTS[agent].hooks[Scope.USER].file))
    path.write_text(json.dumps({**json.loads(path.read_text()), "theme": "dark"}))
    apply_edits(host, plan_uninstall(host), now=NOW, undo=True)
    assert json.loads(path.read_text()) == {"theme": "dark"}


def test_a_switch_that_the_person_set_stays_theirs(install, private_home):
    file = private_home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}')
    host = install("claude-code", lead=True)
    file.write_text(file.read_text().replace("{", '{"theme": "dark", ', 1))
    apply_edits(host, plan_uninstall(host), now=NOW, undo=True)
    assert json.loads(file.read_text())["env"] == {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}


def test_where_the_agent_leads_its_conversations_are_not_learned_from(
    install, project, private_home, tmp_path, monkeypatch
):
    install("qwen")
    transcript = tmp_path / "t.jsonl"
    said = "Remember that we deploy the billing gateway only on Tuesdays."
    records = [
        {"type": "user", "uuid": "1", "sessionId": "s",
         "message": {"role": "user", "parts": [{"text": said}]}},
        {"type": "assistant", "uuid": "2", "sessionId": "s",
         "message": {"role": "model", "parts": [{"text": "Noted."}]}},
    ]  # fmt: skip
    transcript.write_text("".join(json.dumps(record) + "\n" for record in records))

    def learned():
        call = quick.Call()
        call.event, call.agent, call.dialect = "stop", "qwen", "qwen"
        call.payload = {"session_id": "s", "cwd": str(project), "transcript_path": str(transcript)}
        work.learn(call)
        with Memory.open(project, dialect="qwen") as memory:
            return [topic.text for topic in memory.store.topics()]

    assert learned() == []
    assert not list((private_home / ".qwen").rglob("extract-cursor.json"))
    install("qwen", lead=True)
    [topic] = learned()
    assert "Tuesdays" in topic


def test_what_the_agent_shows_by_itself_is_not_in_the_briefing(
    install, project, monkeypatch, capfd
):
    install("claude-code")
    with Memory.open(project, dialect="claude") as memory:
        memory.remember("We deploy only on Tuesdays.", scope="project")
        memory.remember("I live in Oslo.", scope="user")
        scopes = injected_by(
            "claude-code", dialect="claude", workspace=memory.workspace, env=os.environ
        )
    assert scopes == (Scope.PROJECT,)

    def briefing():
        payload = json.dumps({"session_id": "s", "cwd": str(project)}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(payload)))
        capfd.readouterr()
        words = ["session-start", "--agent", "claude-code", "--dialect", "claude"]
        assert quick.main(words) == 0
        return capfd.readouterr().out

    text = briefing()
    assert "Oslo" in text
    assert "Tuesdays" not in text
    install("claude-code", lead=True)
    assert "Tuesdays" in briefing()
