"""An agent with Reverie installed: what arrives in the requests to its model, over a whole session."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reverie.client.quick import SOCKET_FILE
from reverie.core.showing.fence import TAG
from reverie.lab.stage import ANSWER, Stage, conversation
from reverie.lab.trial import FACT, FIRST, LATER, SECOND, remove_stage
from reverie.lab.wires import Asked
from reverie.local.agents.installing import is_installed, own_program
from reverie.models.agents.process import Ran, run_group
from tests.agents import recording
from tests.agents.conftest import AGENTS, FIGURES
from tests.disks import can_mount

every_agent = pytest.mark.parametrize("agent", AGENTS, scope="session")
THIRD = "And on which volume are the invoices archived, once more?"
COMPACT = {"claude-code": "/compact", "gemini": "/compress", "qwen": "/compress"}
OWN_HOSTS = {"codex": {f"{name}:443" for name in ("chatgpt.com", "ab.chatgpt.com", "github.com",
                                                  "api.github.com")}}  # fmt: skip
"""What an agent tries to reach by itself, plain or with Reverie; the way there is closed."""
READ_ONLY = (
    'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'  # $0 is the folder
)


@dataclass
class Play:
    """What happened in a session of four parts."""

    before: dict[str, bytes]
    """The agent's settings before anything was installed."""
    after: dict[str, bytes] = field(default_factory=dict)
    """The same after everything was taken out again."""
    installed: bool = False
    first: list[Asked] = field(default_factory=list)
    resumed: list[Asked] = field(default_factory=list)
    compacted: Ran | None = None
    anew: list[Asked] = field(default_factory=list)
    """What the model was asked after the conversation had been shortened."""
    learned: bool = False
    history: str = ""
    ran: list[Ran] = field(default_factory=list)
    other: list[str] = field(default_factory=list)


_PLAYS: dict[str, Play] = {}


@pytest.fixture(scope="session")
def play(agent: str, agent_env, tmp_path_factory) -> Play:
    if agent not in _PLAYS:
        root = tmp_path_factory.mktemp("stage").resolve()
        recorded = os.environ.get("REVERIE_RECORD")
        program = [str(recording.recorder(own_program()[0], root))] if recorded else []
        with Stage(agent, root, env=agent_env, program=program) as stage:
            _PLAYS[agent] = _played(stage)
            if recorded:
                told = run_group(
                    [stage.agent_program, "--version"],
                    cwd=str(stage.project),
                    env=stage.env,
                    seconds=60,
                )
                version = told.out.strip().splitlines()[-1]
                recording.keep(
                    agent,
                    version,
                    recorded=root / "recorded",
                    home=stage.home,
                    project=stage.project,
                )
        remove_stage(root)
    return _PLAYS[agent]


def _played(stage: Stage) -> Play:
    plain, _ = stage.ask(FIRST)  # agents complete their settings when they start first
    made = Play(_settings(stage))
    stage.install()
    made.installed = is_installed(stage.host())
    stage.remember(FACT)
    stage.tool = ("memory_search", {"query": "staging server"})
    stage.answer = "The staging server heron listens on port 8471."
    ran, asked = stage.ask(FIRST)
    made.first, made.ran = conversation(asked), [ran]
    made.learned = stage.learns("Thursdays")
    stage.remember(LATER)
    ran, asked = stage.ask(SECOND, resume=True)
    made.resumed = conversation(asked)
    made.ran.append(ran)
    if stage.driver.agent in COMPACT:
        made.compacted, _ = stage.ask(COMPACT[stage.driver.agent], resume=True)
    else:
        low = ["-c", "model_auto_compact_token_limit=5"]
        made.compacted, _ = stage.ask("Go on, please.", resume=True, options=low)
    _, asked = stage.ask(THIRD, resume=True)
    made.anew = conversation(asked)
    stage.waits(lambda: FIRST in _history(stage), seconds=60)
    made.history = _history(stage)
    made.other = list(stage.model.other)
    stage.uninstall()
    made.after = _settings(stage)
    name, ratio = stage.driver.agent, made.ran[0].seconds / max(plain.seconds, 0.01)
    FIGURES["first run: seconds with, without", name] = (
        f"{made.ran[0].seconds:.1f}, {plain.seconds:.1f}"
    )
    FIGURES["  times as long, with one more request", name] = f"{ratio:.2f}"
    again = made.ran[1].seconds / max(plain.seconds, 0.01)
    FIGURES["  second run, no tool: times the plain one", name] = f"{again:.2f}"
    if made.first:
        size = len(json.dumps(made.first[0].body))
        FIGURES["bytes of the first request", name] = f"{size:,}"
    return made


def _settings(stage: Stage) -> dict[str, bytes]:
    """Read the settings files of the agent that installing may touch."""
    host = stage.host()
    places = (*host.agent.hooks.values(), *host.agent.servers.values())
    files = {Path(host.where(place.file)) for place in places}
    return {file.name: _bytes(file) for file in sorted(files) if file.exists()}


def _bytes(file: Path) -> bytes:
    """Read a file; of Claude Code's state only what is a setting: it counts its starts there."""
    if file.name != ".claude.json":
        return file.read_bytes()
    value = json.loads(file.read_bytes())
    return json.dumps(value.get("mcpServers")).encode()


def _history(stage: Stage) -> str:
    with stage.memory() as memory:
        turns = memory.layers.replay(50, everything=True).turns
        return "\n".join(str(message) for turn in turns for message in turn.messages)


@every_agent
def test_installs(play, agent):
    assert play.installed


@every_agent
def test_runs_without_an_error(play, agent):
    assert [ran.code for ran in play.ran] == [0, 0], play.ran[-1].err[-2000:]


@every_agent
def test_nothing_reaches_another_machine(play, agent):
    hosts = {line.split()[1] for line in play.other if line.startswith("CONNECT ")}
    assert hosts <= OWN_HOSTS.get(agent, set())


@every_agent
def test_briefing_arrives(play, agent):
    assert TAG in play.first[0].text
    assert "heron" in play.first[0].text


@every_agent
def test_the_person_stays_last_and_whole(play, agent):
    assert FIRST in play.first[0].text


@every_agent
def test_no_memory_twice_in_one_request(play, agent):
    for asked in (play.first[0], play.resumed[0]):
        # What a tool answered in an earlier turn is part of the conversation.
        told = "\n".join(item.text for item in asked.said if item.role in ("system", "user"))
        for fact in (FACT, LATER):
            places = [told[max(0, at - 150) : at + 150] for at in _places(told, fact)]
            assert len(places) <= 1, "\n-----\n".join(places)


def _places(text: str, words: str) -> list[int]:
    """Find where a memory is told; a heading above it that has the same words is its title."""
    found = (match.start() for match in re.finditer(re.escape(words), text))
    return [at for at in found if not text[:at].rpartition("\n")[2].startswith("#")]


@every_agent
def test_tools_are_there_at_the_first_request(play, agent):
    assert play.first[0].use("memory_search", {}) is not None


@every_agent
def test_tool_round_trip(play, agent):
    used = [asked for asked in play.first if asked.last.role == "tool"]
    assert used
    assert "8471" in used[0].last.text


@every_agent
def test_tool_answers_are_fenced_and_small(play, agent):
    used = [asked for asked in play.first if asked.last.role == "tool"]
    assert used
    assert TAG in used[0].last.text
    assert len(used[0].last.text) < 2_500


@every_agent
def test_recall_arrives_at_a_later_prompt(play, agent):
    assert "magpie" in play.resumed[0].text


@every_agent
def test_what_was_said_survives_resume(play, agent):
    assert FIRST in play.resumed[0].text
    assert SECOND in play.resumed[0].text


@every_agent
def test_learns_what_was_said(play, agent):
    assert play.learned


@every_agent
def test_survives_compaction(play, agent):
    # Qwen Code says with exit status 1 that there is too little to shorten.
    assert play.compacted is not None
    assert play.compacted.code == 0 or "not beneficial" in play.compacted.out


@every_agent
def test_after_compaction_memory_is_there_once(play, agent):
    told = "\n".join(item.text for item in play.anew[0].said if item.role in ("system", "user"))
    assert "magpie" in told
    for fact in (FACT, LATER):
        places = [told[max(0, at - 150) : at + 150] for at in _places(told, fact)]
        assert len(places) <= 1, "\n-----\n".join(places)


@every_agent
def test_history_holds_the_conversation_and_nothing_else(play, agent):
    assert FIRST in play.history
    assert TAG not in play.history
    assert "system-reminder" not in play.history


@every_agent
def test_uninstall_leaves_every_byte_as_it_was(play, agent):
    assert play.after == play.before


@pytest.fixture
def stage(agent: str, agent_env, tmp_path: Path) -> Iterator[Stage]:
    root = tmp_path / "stage"
    root.mkdir()
    with Stage(agent, root.resolve(), env=agent_env) as made:
        made.install()
        made.remember(FACT)
        yield made
    remove_stage(root)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_read_only_home_still_recalls(stage, agent):
    if not can_mount():
        pytest.skip("no mount namespace here")
    home = stage.home / ".reverie"
    files = {file: file.stat().st_mtime_ns for file in home.rglob("*")}
    ran, asked = stage.ask(FIRST, before=["unshare", "--mount", "sh", "-c", READ_ONLY, str(home)])
    assert ran.code == 0, ran.err
    assert {file: file.stat().st_mtime_ns for file in home.rglob("*")} == files
    assert "8471" in conversation(asked)[0].text


@pytest.mark.parametrize("agent", AGENTS)
def test_a_hung_daemon_does_not_keep_memory_away(stage, agent):
    place = stage.home / ".reverie" / "state" / SOCKET_FILE
    with socket.socket(socket.AF_UNIX) as hung:
        hung.bind(str(place))
        hung.listen(8)
        ran, asked = stage.ask(FIRST)
    assert ran.code == 0, ran.err
    assert "8471" in conversation(asked)[0].text


@pytest.mark.parametrize("agent", AGENTS)
def test_a_broken_home_never_stops_the_agent(stage, agent):
    state = stage.home / ".reverie" / "state"
    for file in [*state.glob("*.db"), *state.glob("*.json")]:
        file.write_bytes(b"\0broken")
    ran, _ = stage.ask(FIRST)
    assert ran.code == 0, ran.err
    assert stage.answer == ANSWER
