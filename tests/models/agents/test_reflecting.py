"""An agent that looks back: on a copy, with the tools of memory alone, held to the limits of any call."""

from __future__ import annotations

from pathlib import Path

import pytest

from reverie.core.agents.naming import JAIL, MARK
from reverie.core.agents.reflection import REFLECTION, TOOLS
from reverie.errors import AgentRefused, ModelError, ModelTimeout
from reverie.models.agents.commands import HEADLESS
from reverie.models.agents.forks import FORKS, Talk
from reverie.models.agents.reflecting import Reflecting
from reverie.ports import ChatMessage
from tests.models.agents.fakes import FakeAgents

PROGRAMS = [(agent.name, agent.program) for agent in HEADLESS.values()]
SESSION = "0b7e1c52-3f0a-4d58-9b7e-0123456789ab"
SAID = "my dentist is called Ochoa"
CHATS = ".gemini/tmp/project/chats"


@pytest.fixture
def agents(tmp_path: Path) -> FakeAgents:
    (tmp_path / "lab").mkdir()
    return FakeAgents(tmp_path / "lab")


@pytest.fixture
def talk(agents: FakeAgents, tmp_path: Path) -> Talk:
    chats = agents.home / CHATS
    chats.mkdir(parents=True)
    file = chats / f"session-2026-11-18-{SESSION[:8]}.jsonl"
    file.write_text(f'{{"sessionId": "{SESSION}", "said": "{SAID}"}}\n', encoding="utf-8")
    folder = tmp_path / "project"
    folder.mkdir()
    return Talk(SESSION, file, str(folder))


def reflect(agents: FakeAgents, name: str, talk: Talk, seconds: float = 20.0):
    asked = [ChatMessage("user", REFLECTION)]
    return Reflecting(name, agents.site(), talk).ask(asked, schema={}, seconds=seconds)


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_each_agent_looks_back_in_the_project_and_says_what_it_cost(agents, talk, name, program):
    agents.put(program, body=PLAIN[program])
    usage = reflect(agents, name, talk).usage
    assert (usage.model, usage.tokens_in, usage.tokens_out) == (f"agent:{name}", 9, 3)
    (call,) = agents.calls
    assert call["cwd"] == talk.folder
    assert call["mark"] == "1"
    assert REFLECTION in call["given"]
    assert not any(SAID in word for word in call["words"])
    assert agents.held == 1


@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_the_conversation_stays_as_it_was_and_no_copy_is_left(agents, talk, name, program):
    before = talk.transcript.read_bytes()
    agents.put(program, body=PLAIN[program])
    reflect(agents, name, talk)
    assert [file.name for file in talk.transcript.parent.iterdir()] == [talk.transcript.name]
    assert talk.transcript.read_bytes() == before
    assert not (agents.home / "state" / JAIL).exists()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "program"), PROGRAMS)
def test_no_copy_is_left_by_an_agent_that_fails_or_never_ends(agents, talk, name, program):
    agents.put(program, body="sys.stderr.write('Please run /login'); sys.exit(1)")
    with pytest.raises(AgentRefused):
        reflect(agents, name, talk)
    agents.put(program, body="import time\nif given: time.sleep(600)")
    with pytest.raises(ModelTimeout):
        reflect(agents, name, talk, seconds=1.5)
    assert [file.name for file in talk.transcript.parent.iterdir()] == [talk.transcript.name]


@pytest.mark.parametrize("name", FORKS)
def test_only_tools_that_add_and_correct_are_allowed(agents, talk, name):
    order = FORKS[name](talk, "/jail", ["hooks stable true", "server reverie", "server other"])
    allowed = " ".join((*order.words, *order.files.values()))
    assert all(tool in allowed for tool in TOOLS)
    for tool in ("forget", "dream", "memory_delete"):
        assert tool not in allowed
    for word in ("yolo", "--dangerously-bypass-approvals-and-sandbox", "bypassPermissions"):
        assert word not in order.words


def test_an_agent_that_reverie_asked_does_not_look_back(agents, talk):
    agents.put("claude", body=PLAIN["claude"])
    agents.env = {**agents.env, MARK: "1"}
    with pytest.raises(ModelError):
        reflect(agents, "claude-code", talk)
    assert agents.calls == []


PLAIN = {
    "claude": """
print(json.dumps(dict(type="result", is_error=False, result="Kept one.",
    usage=dict(input_tokens=7, cache_read_input_tokens=2, output_tokens=3))))
""",
    "codex": """
if sys.argv[1] == "features":
    print("hooks   stable   true")
elif sys.argv[1] == "mcp":
    print(json.dumps([dict(name="reverie"), dict(name="other")]))
else:
    print(json.dumps(dict(type="turn.completed", usage=dict(input_tokens=9, output_tokens=3))))
""",
    "gemini": """
print(json.dumps(dict(response="Kept one.",
    stats=dict(models=dict(pro=dict(tokens=dict(prompt=9, candidates=3)))))))
""",
    "qwen": """
print(json.dumps([dict(type="result", is_error=False, result="Kept one.",
    usage=dict(input_tokens=9, output_tokens=3))]))
""",
}
