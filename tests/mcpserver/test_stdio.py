"""The server as a child process of its client."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client

from reverie.memory import Memory
from tests.mcpserver.talk import (
    BAD,
    DEFAULT_TOOLS,
    FURTHER_TOOLS,
    MODES,
    Checked,
    named,
    stdio,
    use_the_default_tools,
    use_the_further_tools,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path):
    return tmp_path / "base"


def runs(project, home):
    with Memory.open(project, home=home) as memory:
        assert memory.verify().ok
        return memory.log(limit=1000)


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_of_the_default_surface_answers_as_its_schema_says(project, home, mode):
    async def talk():
        async with Client(stdio(project, home), mode=mode, client_info=named("tester")) as client:
            tools = await use_the_default_tools(client)
            assert await tools.start() == DEFAULT_TOOLS
            assert tools.called == set(DEFAULT_TOOLS)

    asyncio.run(talk())
    written = runs(project, home)
    assert {run.client for run in written} == {"mcp:tester@1.2"}
    assert len({run.session for run in written}) == 1
    assert written[0].session.startswith("mcp-")
    assert written[0].detail["via"] == "mcp"


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_of_the_full_surface_answers_as_its_schema_says(project, home, mode):
    async def talk():
        async with Client(stdio(project, home, "--surface", "full"), mode=mode) as client:
            tools = await use_the_default_tools(client)
            await use_the_further_tools(tools)
            assert tools.called == {*DEFAULT_TOOLS, *FURTHER_TOOLS}
            assert (await tools.bad("notes", action="show"))["code"] == "invalid_argument"
            assert (await tools.bad("notes", action="show", name="none"))[
                "code"
            ] == "note_not_found"
            assert (await tools.bad("undo", run="nothing"))["code"] == "run_not_found"
            assert (await tools.bad("history", action="append"))["code"] == "invalid_argument"

    asyncio.run(talk())


@pytest.mark.parametrize("mode", MODES)
def test_bad_calls_are_answers_with_a_code_and_an_action(project, home, mode):
    async def talk():
        async with Client(stdio(project, home), mode=mode) as client:
            tools = Checked(client)
            await tools.start()
            for name, arguments, code in BAD:
                assert (await tools.bad(name, **arguments))["code"] == code, (name, arguments)
            await tools.good("memory_stats")

    asyncio.run(talk())
    assert runs(project, home) == []


def test_two_clients_that_write_at_once_lose_nothing(project, home):
    async def write(name):
        async with Client(stdio(project, home), client_info=named(name)) as client:
            for number in range(8):
                text = f"{name} says that service {name}{number} listens on port {4000 + number}."
                result = await client.call_tool("remember", {"text": text, "scope": "project"})
                assert not result.is_error, result.content[0].text

    async def both():
        await asyncio.gather(write("left"), write("right"))

    asyncio.run(both())
    written = [run for run in runs(project, home) if run.verb == "remember"]
    assert len(written) == 16
    assert len({run.session for run in written}) == 2
    with Memory.open(project, home=home) as memory:
        text = "".join(topic.text for topic in memory.store.topics())
    for name in ("left", "right"):
        for number in range(8):
            assert f"{name}{number} listens" in text


def test_standard_output_carries_the_protocol_only_and_rubbish_does_not_stop_it(project, home):
    child = subprocess.Popen(
        [sys.executable, "-m", "reverie", "--home", str(home), "-C", str(project), "mcp",
         "--log-level", "debug"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    lines = []

    def tell(*texts):
        for text in texts:
            child.stdin.write(text + "\n")
        child.stdin.flush()

    def hear():
        lines.append(child.stdout.readline())
        return json.loads(lines[-1])

    tell(request(1, "initialize", **HELLO).strip())
    assert hear()["result"]["serverInfo"]["name"] == "reverie"
    tell('{"jsonrpc": "2.0", "method": "notifications/initialized"}', "this is not JSON", '{"a":')
    tell(
        request(
            2,
            "tools/call",
            name="remember",
            arguments={"text": "The deploy key is rotated in May."},
        )
    )
    answer = hear()
    while answer.get("id") != 2:
        answer = hear()
    assert answer["result"]["isError"] is False
    rest, errors = child.communicate(timeout=60)
    assert child.returncode == 0
    assert "DEBUG" in errors
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in (*lines, *rest.splitlines()))


def request(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "0"},
}
FACTS = [
    request(number, "tools/call", name="remember", arguments={"text": f"Fact {number} is kept."})
    for number in range(2, 8)
]
OPENING = request(1, "initialize", **HELLO) + (
    '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
)


def started(project, home):
    return subprocess.Popen(
        [sys.executable, "-m", "reverie", "--home", str(home), "-C", str(project), "mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_requests_that_were_piped_in_are_answered_before_it_ends(project, home):
    child = started(project, home)
    said, errors = child.communicate("".join([OPENING, *FACTS]), timeout=60)
    assert (child.returncode, errors) == (0, "")
    answers = {item["id"]: item for item in map(json.loads, said.splitlines()) if "id" in item}
    assert sorted(answers) == list(range(1, 8))
    assert len([run for run in runs(project, home) if run.verb == "remember"]) == 6


def test_a_client_that_closed_both_pipes_leaves_a_whole_memory(project, home):
    child = started(project, home)
    child.stdin.write("".join([OPENING, *FACTS]))
    child.stdin.flush()
    child.stdout.readline()
    child.stdout.close()
    child.stdin.close()
    child.wait(60)
    errors = child.stderr.read()
    child.stderr.close()
    assert "Traceback" not in errors
    assert all(run.status == "done" for run in runs(project, home))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once_while_it_waits_for_input(project, home, number):
    child = started(project, home)
    child.stdin.write(OPENING)
    child.stdin.flush()
    assert json.loads(child.stdout.readline())["id"] == 1
    child.send_signal(number)
    assert child.wait(30) == 128 + number
    assert child.stderr.read() == ""
    for pipe in (child.stdin, child.stdout, child.stderr):
        pipe.close()


def test_the_sdk_is_imported_only_by_the_server():
    code = (
        "import sys, reverie.memory, reverie.cli, reverie.cli.mcp, reverie.cli.managed;"
        "import reverie.daemon.http.app;"
        "print([name for name in sys.modules if name.split('.')[0] in ('mcp', 'mcp_types', 'pydantic')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_command_helps_and_refuses_an_unknown_surface(project, home):
    words = [sys.executable, "-m", "reverie", "--home", str(home), "-C", str(project), "mcp"]
    assert "--surface" in subprocess.run([*words, "--help"], capture_output=True, text=True).stdout
    wrong = subprocess.run([*words, "--surface", "huge"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert Path(project).is_dir()
