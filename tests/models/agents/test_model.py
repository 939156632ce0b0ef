"""An agent as a model: how it is called, what is believed of its answer, and what it leaves behind."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from reverie.core.agents.naming import JAIL, MARK
from reverie.errors import AgentRefused, BadAnswer, BadSetting, ModelError, ModelTimeout
from reverie.models.agents.commands import HEADLESS, strict
from reverie.models.agents.model import agent_model
from reverie.ports import ChatMessage, ToolSpec
from tests.models.agents.fakes import FakeAgents

SCHEMA = {
    "type": "object",
    "properties": {"ids": {"type": "array", "items": {"type": "string"}, "maxItems": 2}},
    "required": ["ids"],
    "additionalProperties": False,
}
SAID = "my dentist is called Ochoa"
TALK = [ChatMessage("system", "You choose."), ChatMessage("user", SAID)]
PROGRAMS = [(agent.name, agent.program) for agent in HEADLESS.values()]


@pytest.fixture
def agents(tmp_path: Path) -> FakeAgents:
    (tmp_path / "lab").mkdir()
    return FakeAgents(tmp_path / "lab")


def ask(agents: FakeAgents, name: str, seconds: float = 20.0):
    return agent_model(f"agent:{name}", agents.site()).ask(TALK, schema=SCHEMA, seconds=seconds)


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_each_agent_answers_by_its_own_command_line(agents, name, program):
    agents.put(program)
    answer = ask(agents, name)
    assert answer.value == {"ids": ["m1"]}
    assert (answer.usage.model, answer.usage.tokens_in, answer.usage.tokens_out) == (
        f"agent:{name}",
        9,
        3,
    )
    assert agents.held == 1


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_what_a_person_said_is_on_no_command_line(agents, name, program):
    agents.put(program)
    ask(agents, name)
    (call,) = agents.calls
    assert SAID in call["given"]
    assert not any(SAID in word for word in call["words"])


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_an_agent_is_marked_and_jailed_and_leads_its_own_group(agents, name, program):
    agents.put(program)
    ask(agents, name)
    (call,) = agents.calls
    assert call["mark"] == "1"
    assert Path(call["cwd"]).name == JAIL
    assert call["group"]
    assert not (agents.home / "state" / JAIL).exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("claude-code", ["--safe-mode", "--strict-mcp-config", "--no-session-persistence"]),
        ("codex", ["--ephemeral", "hooks", "shell_tool", "mcp_servers.reverie.enabled=false"]),
        ("gemini", ["--allowed-mcp-server-names", "none"]),
        ("qwen", ["--safe-mode", "--exclude-tools", "run_shell_command"]),
    ],
)
def test_an_agent_gets_no_tools_hooks_or_servers(agents, name, words):
    agents.put(HEADLESS[name].program)
    ask(agents, name)
    (call,) = agents.calls
    assert set(words) <= set(call["words"])
    assert "memories" not in call["words"]  # a switch that this Codex does not know
    if name == "gemini":
        assert ".gemini" in call["files"]


def test_an_agent_that_was_asked_by_reverie_asks_none(agents):
    agents.put("claude")
    agents.env[MARK] = "1"
    with pytest.raises(ModelError, match="does not ask an agent again"):
        ask(agents, "claude-code")
    assert agents.calls == []


def test_a_missing_program_is_said(agents):
    with pytest.raises(ModelError, match="no program 'claude'"):
        ask(agents, "claude-code")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("claude-code", {"is_error": True, "result": "Not logged in · Please run /login"}),
        ("claude-code", {"is_error": True, "api_error_status": 429, "result": "rejected"}),
        ("codex", {"type": "turn.failed", "error": {"message": "401 Unauthorized"}}),
        ("gemini", "41"),
        ("qwen", [{"type": "result", "is_error": True, "error": {"message": "quota exceeded"}}]),
    ],
)
def test_a_login_or_a_quota_that_says_no_is_told_apart(agents, name, told):
    status = 41 if told == "41" else 1
    body = f"print({json.dumps(told)!r})\nsys.exit({status})"
    agents.put(HEADLESS[name].program, body=body)
    with pytest.raises(AgentRefused):
        ask(agents, name)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("claude-code", "print(json.dumps(dict(is_error=False, result='I would rather not.')))"),
        ("codex", "open(option('-o'), 'w').write('no') if '-o' in sys.argv else None"),
        ("gemini", "print(json.dumps(dict(response='no')))"),
        ("qwen", "print('no')\nsys.exit(1)"),
        ("claude-code", "print('{')"),
        ("gemini", "pass"),
    ],
)
def test_an_exit_status_of_zero_is_not_believed(agents, name, body):
    agents.put(HEADLESS[name].program, body=body)
    with pytest.raises(ModelError) as caught:
        ask(agents, name)
    assert not isinstance(caught.value, AgentRefused)


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_an_answer_without_what_was_asked_for_is_bad_and_still_counted(agents, name, program):
    agents.put(program, answer={"other": 1})
    with pytest.raises(BadAnswer) as caught:
        ask(agents, name)
    assert caught.value.evidence["usage"].tokens_in == 9


def test_an_agent_that_is_late_ends_with_everything_it_started(agents, tmp_path):
    child = tmp_path / "child"
    agents.put(
        "claude",
        body=f"""
import subprocess, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(child)!r}, "w").write(str(child.pid))
time.sleep(600)
""",
    )
    for seconds in (1.0, 10.0, 60.0):  # a busy machine may not have started it in the first
        with pytest.raises(ModelTimeout):
            ask(agents, "claude-code", seconds=seconds)
        if child.exists():
            break
    deadline = time.monotonic() + 10
    while _runs(int(child.read_text())) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _runs(int(child.read_text()))


def test_what_gemini_keeps_of_a_chat_is_removed(agents):
    chat = agents.home / ".gemini" / "tmp" / JAIL / "chats" / "session-1.jsonl"
    other = agents.home / ".gemini" / "tmp" / "project" / "chats" / "session-1.jsonl"
    agents.put(
        "gemini",
        body=f"""
for name in ({str(chat)!r}, {str(other)!r}):
    os.makedirs(os.path.dirname(name))
    open(name, "w").write(given)
print(json.dumps(dict(response=json.dumps(answer))))
""",
    )
    ask(agents, "gemini")
    assert not chat.exists()
    assert other.exists()


def test_an_agent_that_prints_without_end_fills_no_memory(agents):
    agents.put("claude", body="os.write(1, b'x' * 20_000_000)")
    with pytest.raises(ModelError, match="gave no answer"):
        ask(agents, "claude-code")


def test_an_agent_takes_steps_by_naming_calls(agents):
    calls = [{"name": "read", "arguments": '{"path": "a.md"}'}]
    agents.put("claude", answer={"text": "", "calls": calls})
    tool = ToolSpec("read", "Reads a file.", {"type": "object"})
    reply = agent_model("agent:claude-code", agents.site()).step(TALK, tools=[tool], seconds=20)
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [
        ("read", {"path": "a.md"})
    ]
    assert SAID in agents.calls[0]["given"]


def test_a_model_of_the_agent_can_be_named(agents):
    agents.put("claude")
    model = agent_model("agent:claude-code:sonnet", agents.site())
    model.ask(TALK, schema=SCHEMA, seconds=20)
    words = agents.calls[0]["words"]
    assert words[words.index("--model") + 1] == "sonnet"


def test_an_agent_nobody_knows_is_a_bad_setting(agents):
    with pytest.raises(BadSetting, match="claude-code, codex, gemini, qwen"):
        agent_model("agent:emacs", agents.site())


def test_a_strict_schema_requires_everything_at_every_depth():
    loose = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {}}}}}
    made = strict({**loose, "maxItems": 3})
    assert made["required"] == ["a"]
    assert made["properties"]["a"]["required"] == ["b"]
    assert made["properties"]["a"]["additionalProperties"] is False
    assert "maxItems" not in made


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return (
        Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z" if Path("/proc").exists() else True
    )
