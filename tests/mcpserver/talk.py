"""Talking to the server with the official client: every tool, every answer held against its schema."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from jsonschema import Draft202012Validator, FormatChecker
from mcp import Client, StdioServerParameters
from mcp.client import session
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, Implementation

from reverie.client.connection import needs_certificates
from reverie.client.resident import SWITCH
from reverie.mcp.answers import DATA
from reverie.mcp.more import SURFACES
from tests.conftest import NO_MODEL

DEFAULT_TOOLS = [
    "memory_search",
    "memory_get",
    "memory_stats",
    "remember",
    "recall",
    "forget",
    "dream",
    "update",
]
FURTHER_TOOLS = ["move", "save", "context", "notes", "log", "undo", "history"]
MODES = ["auto", "legacy"]

# In the mode `auto` the client takes a server that does not answer its first question within ten seconds
# for an old one. On a busy machine that would be a test of the old protocol, and of the clock.
session.DISCOVER_TIMEOUT_SECONDS = 600.0


def stdio(project: Path, home: Path, *options: str) -> StdioServerParameters:
    """Say how the server is started as a process."""
    words = ["-m", "reverie", "--home", str(home), "-C", str(project), "mcp", *options]
    # The SDK passes next to nothing of our environment on.
    return StdioServerParameters(
        command=sys.executable, args=words, env={SWITCH: "off", **NO_MODEL}
    )


@asynccontextmanager
async def over_http(url: str, token: str, **options: Any) -> AsyncIterator[Client]:
    """Connect to a daemon's server."""
    headers = {"Authorization": f"Bearer {token}"}
    checked = needs_certificates(url)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False, verify=checked) as http,
        Client(streamable_http_client(url, http_client=http), **options) as client,
    ):
        yield client


def named(name: str) -> Implementation:
    return Implementation(name=name, version="1.2")


@dataclass(frozen=True)
class Answer:
    """What a tool answered: what a model sees, and the same for programs."""

    content: list[Any]
    data: dict[str, Any]


def data_of(result: CallToolResult) -> dict[str, Any]:
    """Return the data of an answer; hosts show their model the text alone."""
    assert result.structured_content is None
    data: dict[str, Any] = result.meta[DATA]
    return data


class Checked:
    """A client whose every call is checked: the arguments and the data against the tool's schemas."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.called: set[str] = set()
        self._tools: dict[str, Any] = {}

    async def start(self) -> list[str]:
        listed = await self.client.list_tools()
        for tool in listed.tools:
            Draft202012Validator.check_schema(tool.input_schema)
            assert tool.input_schema["type"] == "object"
            assert tool.output_schema is None  # it would ask for data that some hosts show unfenced
        self._tools = {tool.name: tool for tool in listed.tools}
        return [tool.name for tool in listed.tools]

    async def good(self, name: str, /, **arguments: Any) -> Answer:
        tool = self._tools[name]
        Draft202012Validator(tool.input_schema).validate(arguments)
        result = await self.client.call_tool(name, arguments)
        assert not result.is_error, result.content[0].text
        gives = {item.name: item.gives for item in SURFACES["full"]}[name]
        Draft202012Validator.check_schema(gives)
        data = data_of(result)
        Draft202012Validator(gives, format_checker=FormatChecker()).validate(data)
        assert result.content[0].text.strip()
        self.called.add(name)
        return Answer(result.content, data)

    async def bad(self, name: str, /, **arguments: Any) -> dict[str, str]:
        result = await self.client.call_tool(name, arguments)
        assert result.is_error, result.content[0].text
        error = data_of(result)["error"]
        assert set(error) == {"code", "message", "action"}
        assert error["code"] in result.content[0].text
        assert error["action"] in result.content[0].text
        return error


async def use_the_default_tools(client: Client) -> Checked:
    """Call each of the default tools in all its ways."""
    tools = Checked(client)
    assert (await tools.start())[:8] == DEFAULT_TOOLS
    text = "The user prefers tabs over spaces in Go code."
    done = (await tools.good("remember", text=text, why="gofmt", how="in every Go file")).data
    assert done["action"] == "added"
    assert (await tools.good("remember", text="We ship on Tuesdays.", scope="project", kind="project",
                             name="Ship day", dryRun=True)).data["run"] == ""  # fmt: skip
    recalled = await tools.good("recall", query="tabs or spaces in Go?", limit=3)
    assert "tabs over spaces" in recalled.data["block"]
    assert recalled.content[0].text == recalled.data["block"]
    assert recalled.content[0].text.startswith("<reverie-memory:")
    found = await tools.good(
        "memory_search", query="tabs or spaces", maxResults=3, minScore=0.1, source="all"
    )
    hit = found.data["results"][0]
    assert "<reverie-memory:" in found.content[0].text
    read = await tools.good("memory_get", path=hit["path"], lines=hit["lines"])
    assert "tabs over spaces" in read.data["text"]
    assert (await tools.good("memory_get", path=hit["path"], **{"from": 1, "lines": 1})).data[
        "lines"
    ]
    missing = await tools.good("memory_get", path="memory/none.md")
    assert missing.data["found"] is False
    stats = await tools.good("memory_stats")
    assert stats.data["totalFiles"] >= 1
    seen: list[float] = []

    async def progress(now: float, *_: Any) -> None:
        seen.append(now)

    await client.call_tool("dream", {"force": True, "dryRun": True}, progress_callback=progress)
    assert seen
    await tools.good("dream", force=True)
    skipped = await tools.good("dream")
    assert skipped.data["status"] == "skipped"
    assert "force" in skipped.data["action"]
    shown = await tools.good(
        "update",
        id=done["entry"],
        text="The user prefers tabs over spaces in all code.",
        dryRun=True,
    )
    assert shown.data["action"] == "superseded"
    preview = (await tools.good("forget", query="tabs over spaces in Go code")).data
    assert preview["dryRun"] is True
    ids = [item["id"] for item in preview["removedEntries"]]
    gone = (await tools.good("forget", ids=ids, confirm=preview["confirm"])).data
    assert gone["run"]
    assert "tabs over" not in (await tools.good("recall", query="tabs in Go?")).data["block"]
    return tools


async def use_the_further_tools(tools: Checked) -> None:
    """Call each tool of the full surface in all its ways."""
    saved = (await tools.good("save", fact="Always run the linter.", scope="project")).data
    assert saved["status"] == "saved"
    again = await tools.good("save", fact="Always run the linter.", scope="project")
    assert again.data["status"] == "skipped"
    assert (await tools.good("save", fact="x", scope="global", dryRun=True)).data[
        "status"
    ] == "planned"
    context = await tools.good("context", format="tree")
    assert "Always run the linter." in context.data["text"]
    tea = (await tools.good("remember", text="Tea is at five.", scope="user")).data
    moved = (await tools.good("move", id=tea["entry"], to="project")).data
    assert (moved["status"], moved["scope"]) == ("saved", "project")
    stays = await tools.good("move", id=moved["entry"], to="project")
    assert stays.data["status"] == "skipped"
    await tools.good("notes")
    one = (
        await tools.good("notes", action="add", text="Sourdough needs time.", title="Bread")
    ).data
    two = (await tools.good("notes", action="add", text="Salt slows yeast.", tags=["food"])).data
    await tools.good("notes", action="link", name=one["id"], target=two["id"], why="both rise")
    shown = await tools.good("notes", action="show", name="Bread")
    assert "Sourdough" in shown.data["text"]
    await tools.good("notes", action="accept", name=one["id"])
    assert len((await tools.good("notes", action="list")).data["notes"]) == 2
    await tools.good("history", action="append", messages=[
        {"role": "user", "content": "What did we decide?"},
        {"role": "assistant", "content": "To use Valkey."},
    ])  # fmt: skip
    turns = (await tools.good("history", limit=1)).data["turns"]
    assert [item["text"] for item in turns[0]["messages"]] == [
        "What did we decide?",
        "To use Valkey.",
    ]
    runs = (await tools.good("log", limit=50)).data["runs"]
    assert {run["origin"] for run in runs if run["verb"] in ("save", "notes", "remember")} == {
        "agent"
    }
    saving = next(run["id"] for run in runs if run["verb"] == "save")
    shown = (await tools.good("undo", run=saving, dryRun=True)).data
    assert "linter" in shown["diff"]
    assert (await tools.good("undo", run=saving)).data["run"]
    assert "linter" not in (await tools.good("context")).data["text"]


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("no_such_tool", {}, "invalid_argument"),
    ("remember", {}, "invalid_argument"),
    ("remember", {"text": ""}, "invalid_argument"),
    ("remember", {"text": 7}, "invalid_argument"),
    ("remember", {"text": "x" * 70_000}, "invalid_argument"),
    ("remember", {"text": "fine", "scope": "everyone"}, "invalid_argument"),
    ("remember", {"text": "fine", "kind": "opinion"}, "invalid_argument"),
    ("remember", {"text": "fine", "surprise": 1}, "invalid_argument"),
    (
        "remember",
        {"text": "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz9f3Qk2Lp"},
        "secret_refused",
    ),
    ("recall", {"query": "x", "limit": 0}, "invalid_argument"),
    ("recall", {"query": "x", "limit": True}, "invalid_argument"),
    ("recall", {"query": "x", "limit": 1.5}, "invalid_argument"),
    ("recall", {"query": ["x"]}, "invalid_argument"),
    ("forget", {}, "invalid_argument"),
    ("forget", {"query": "  "}, "invalid_argument"),
    ("forget", {"query": "x", "confirm": "yes"}, "invalid_argument"),
    ("forget", {"ids": "all"}, "invalid_argument"),
    ("forget", {"ids": ["x"] * 201}, "invalid_argument"),
    ("forget", {"ids": ["no/such.md"]}, "topic_not_found"),
    ("dream", {"force": "yes"}, "invalid_argument"),
    ("memory_search", {"query": "x", "maxResults": 500}, "invalid_argument"),
    ("memory_search", {"query": ""}, "invalid_query"),
    ("memory_search", {"query": "x", "source": "web"}, "invalid_argument"),
    ("memory_get", {"path": "x.md", "lines": "9-1"}, "invalid_lines"),
    ("memory_get", {}, "invalid_argument"),
]
