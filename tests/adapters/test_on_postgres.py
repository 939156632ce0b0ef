"""Adapters and the MCP server keep their promises on the other engine too."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from mcp import Client

from reverie.adapters.logs import Log
from reverie.adapters.mem0 import Memory as Mem0
from reverie.adapters.records import Records
from reverie.mcp.server import MemoryServer
from reverie.mcp.stdio import OwnRunner
from reverie.memory import Memory
from reverie.postgres.place import Place
from tests.adapters.test_records import HOSTILE
from tests.mcpserver.talk import DEFAULT_TOOLS, use_the_default_tools

pytestmark = pytest.mark.slow


@pytest.fixture
def memory(server, tmp_path):
    place = Place(server.tenant(), "ann", "web")
    settings: dict[str, Any] = {
        "engine.url": server.app,
        "engine.tenant": place.tenant,
        "engine.user": place.owner,
        "engine.project": place.project,
        "embedder.provider": "none",
    }
    with Memory.open(tmp_path, home=tmp_path / "service", settings=settings) as memory:
        yield memory


def test_records_come_back_exactly_whatever_their_key(memory):
    records = Records(memory, "test")
    records.put([(("ns", key), key, {"is": key, "n": [1, 2.5, None]}) for key in HOSTILE])
    assert {item.key: item.value["is"] for item in records.all()} == {key: key for key in HOSTILE}
    records.put([(("ns", key), key, None) for key in HOSTILE])
    assert records.all() == []


def test_writers_at_once_lose_nothing(memory):
    log = Log(memory, "test", "s")

    def add(number: int) -> None:
        for turn in range(3):
            log.add([{"said": f"{number}-{turn}"}])

    threads = [threading.Thread(target=add, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(log.items()) == 9
    assert log.pop() is not None
    log.clear()
    assert log.items() == []


def test_a_memory_has_its_history(memory):
    mem0 = Mem0(memory)
    key = mem0.add("Lives in Rome.", user_id="ann")["results"][0]["id"]
    mem0.update(key, "Lives in Oslo.")
    mem0.delete(key)
    assert [item["event"] for item in mem0.history(key)] == ["ADD", "UPDATE", "DELETE"]


def test_the_memory_tool_of_anthropic_works_on_rows(memory):
    from anthropic.lib.tools import ToolError

    from reverie.adapters.anthropic_memory import ReverieMemoryTool

    tool = ReverieMemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/d/a.md", "file_text": "one\r\ntwo"})
    tool.call({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"})
    assert "     2\ttwo" in tool.call({"command": "view", "path": "/memories/e/a.md"})
    assert "/memories/e/a.md" in tool.call({"command": "view", "path": "/memories"})
    with pytest.raises(ToolError):
        tool.call({"command": "view", "path": "/memories/../e/a.md"})
    tool.call({"command": "delete", "path": "/memories/e"})
    with pytest.raises(ToolError):
        tool.call({"command": "view", "path": "/memories/e/a.md"})


def test_every_tool_answers_as_its_schema_says(memory):
    async def talk():
        async with Client(MemoryServer(OwnRunner(memory)).server) as client:
            assert (await use_the_default_tools(client)).called == set(DEFAULT_TOOLS)

    asyncio.run(talk())
