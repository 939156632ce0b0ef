"""What a client hears of a call that takes long: how far it is, where whoever works tells it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp import Client

from reverie.mcp.wire import Beat, progress_of
from reverie.memory import Memory
from reverie.progress import tell
from tests.mcpserver.talk import named, stdio


def message(beat: Beat, beats: int) -> str:
    said: dict[str, Any] = beat(beats)
    assert said["method"] == "notifications/progress"
    assert said["params"]["progressToken"] == "t"
    assert said["params"]["progress"] == beats
    return str(said["params"]["message"])


def test_a_call_tells_how_far_it_is_once_that_is_known():
    beat = Beat("t", "Search memory")
    assert message(beat, 3) == "Search memory: working, 3 s"
    with beat.hearing():
        tell("indexing files", 120, 4000)
    assert message(beat, 4) == "Search memory: indexing files: 120 of 4,000"
    tell("indexing files", 130, 4000)
    assert message(beat, 5) == "Search memory: indexing files: 120 of 4,000", "nobody listens now"


@pytest.mark.parametrize("name", ["memory_search", "recall", "forget", "dream"])
def test_what_may_take_long_reports_progress_to_whoever_asks(name):
    asked = {"name": name, "_meta": {"progressToken": "t"}}
    assert progress_of("tools/call", asked) is not None
    assert progress_of("tools/call", {"name": name}) is None
    assert progress_of("tools/call", {**asked, "name": "log"}) is None


@pytest.mark.slow
def test_the_first_search_of_a_client_tells_how_much_is_indexed(project, tmp_path):
    home = tmp_path / "base"
    home.mkdir()
    settings = '[embedder]\nprovider = "none"\n[daemon]\nresident = false\n'
    (home / "config.toml").write_text(settings, encoding="utf-8")
    folder = project / "memory"
    folder.mkdir()
    parts = "\n\n".join(f"# Part {part}\n\nThe heron ate fish {part}." for part in range(200))
    for number in range(200):  # some seconds of work on any machine
        (folder / f"{number}.md").write_text(f"{parts}\n\n{number}\n", encoding="utf-8")
    heard: list[str] = []

    async def progress(_now: float, _total: float | None, told: str | None) -> None:
        heard.append(told or "")

    async def talk() -> None:
        async with Client(stdio(project, home), client_info=named("x")) as client:
            await client.call_tool("memory_search", {"query": "heron"}, progress_callback=progress)

    asyncio.run(asyncio.wait_for(talk(), 300))
    assert any("indexing files: " in told and " of 200" in told for told in heard), heard
    with Memory.open(project, home=home) as memory:
        assert memory.search("heron").results
