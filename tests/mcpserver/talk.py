"""Talking to the server with the official client: every tool, every answer held against its schema."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from jsonschema import Draft202012Validator, FormatChecker
from mcp import Client, StdioServerParameters
from mcp.client import session
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, Implementation

from reverie.client.connection import needs_certificates

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
    return StdioServerParameters(command=sys.executable, args=words)


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


class Checked:
    """A client whose every call is checked: the arguments and the data against the tool's schemas."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.called: set[str] = set()
        self._tools: dict[str, Any] = {}

    async def start(self) -> list[str]:
        listed = await self.client.list_tools()
        for tool in listed.tools:
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object"
        self._tools = {tool.name: tool for tool in listed.tools}
        return [tool.name for tool in listed.tools]

    async def good(self, name: str, /, **arguments: Any) -> CallToolResult:
        tool = self._tools[name]
        Draft202012Validator(tool.input_schema).validate(arguments)
        result = await self.client.call_tool(name, arguments)
        assert not result.is_error, result.content[0].text
        checker = Draft202012Validator(tool.output_schema, format_checker=FormatChecker())
        checker.validate(result.structured_content)
        assert result.content[0].text.strip()
        self.called.add(name)
        return result

    async def bad(self, name: str, /, **arguments: Any) -> dict[str, str]:
        result = await self.client.call_tool(name, arguments)
        assert result.is_error, result.content[0].text
        error = result.structured_content["error"]
        assert set(error) == {"code", "message", "action"}
        assert error["code"] in result.content[0].text
        assert error["action"] in result.content[0].text
        return error


async def use_the_default_tools(client: Client) -> Checked:
    """Call each of the default tools in all its ways."""
    tools = Checked(client)
    assert (await tools.start())[:8] == DEFAULT_TOOLS
    text = "The user prefers tabs over spaces in Go code."
    done = (
        await tools.good("remember", text=text, why="gofmt", how="in every Go file")
    ).structured_content
    assert done["action"] == "added"
    assert (await tools.good("remember", text="We ship on Tuesdays.", scope="project", kind="project",
                             name="Ship day", dryRun=True)).structured_content["run"] == ""  # fmt: skip
    recalled = await tools.good("recall", query="tabs or spaces in Go?", limit=3)
    assert "tabs over spaces" in recalled.structured_content["block"]
    assert recalled.content[0].text == recalled.structured_content["block"]
    assert recalled.content[0].text.startswith("<reverie-memory:")
    found = await tools.good(
        "memory_search", query="tabs or spaces", maxResults=3, minScore=0.1, source="all"
    )
    hit = found.structured_content["results"][0]
    assert "<reverie-memory:" in found.content[0].text
    read = await tools.good("memory_get", path=hit["path"], lines=hit["lines"])
    assert "tabs over spaces" in read.structured_content["text"]
    assert (
        await tools.good("memory_get", path=hit["path"], **{"from": 1, "lines": 1})
    ).structured_content["lines"]
    missing = await tools.good("memory_get", path="memory/none.md")
    assert missing.structured_content["found"] is False
    stats = await tools.good("memory_stats")
    assert stats.structured_content["totalFiles"] >= 1
    seen: list[float] = []

    async def progress(now: float, *_: Any) -> None:
        seen.append(now)

    await client.call_tool("dream", {"force": True, "dryRun": True}, progress_callback=progress)
    assert seen
    await tools.good("dream", force=True)
    skipped = await tools.good("dream")
    assert skipped.structured_content["status"] == "skipped"
    assert "force" in skipped.structured_content["action"]
    shown = await tools.good(
        "update",
        id=done["entry"],
        text="The user prefers tabs over spaces in all code.",
        dryRun=True,
    )
    assert shown.structured_content["action"] == "superseded"
    preview = (await tools.good("forget", query="tabs over spaces in Go code")).structured_content
    assert preview["dryRun"] is True
    ids = [item["id"] for item in preview["removedEntries"]]
    gone = (await tools.good("forget", ids=ids, confirm=preview["confirm"])).structured_content
    assert gone["run"]
    assert (
        "tabs over"
        not in (await tools.good("recall", query="tabs in Go?")).structured_content["block"]
    )
    return tools


async def use_the_further_tools(tools: Checked) -> None:
    """Call each tool of the full surface in all its ways."""
    saved = (
        await tools.good("save", fact="Always run the linter.", scope="project")
    ).structured_content
    assert saved["status"] == "saved"
    again = await tools.good("save", fact="Always run the linter.", scope="project")
    assert again.structured_content["status"] == "skipped"
    assert (await tools.good("save", fact="x", scope="global", dryRun=True)).structured_content[
        "status"
    ] == "planned"
    context = await tools.good("context", format="tree")
    assert "Always run the linter." in context.structured_content["text"]
    tea = (await tools.good("remember", text="Tea is at five.", scope="user")).structured_content
    moved = (await tools.good("move", id=tea["entry"], to="project")).structured_content
    assert (moved["status"], moved["scope"]) == ("saved", "project")
    stays = await tools.good("move", id=moved["entry"], to="project")
    assert stays.structured_content["status"] == "skipped"
    await tools.good("notes")
    one = (
        await tools.good("notes", action="add", text="Sourdough needs time.", title="Bread")
    ).structured_content
    two = (
        await tools.good("notes", action="add", text="Salt slows yeast.", tags=["food"])
    ).structured_content
    await tools.good("notes", action="link", name=one["id"], target=two["id"], why="both rise")
    shown = await tools.good("notes", action="show", name="Bread")
    assert "Sourdough" in shown.structured_content["text"]
    await tools.good("notes", action="accept", name=one["id"])
    assert len((await tools.good("notes", action="list")).structured_content["notes"]) == 2
    await tools.good("history", action="append", messages=[
        {"role": "user", "content": "What did we decide?"},
        {"role": "assistant", "content": "To use Valkey."},
    ])  # fmt: skip
    turns = (await tools.good("history", limit=1)).structured_content["turns"]
    assert [item["text"] for item in turns[0]["messages"]] == [
        "What did we decide?",
        "To use Valkey.",
    ]
    runs = (await tools.good("log", limit=50)).structured_content["runs"]
    assert {run["origin"] for run in runs if run["verb"] in ("save", "notes", "remember")} == {
        "agent"
    }
    saving = next(run["id"] for run in runs if run["verb"] == "save")
    shown = (await tools.good("undo", run=saving, dryRun=True)).structured_content
    assert "linter" in shown["diff"]
    assert (await tools.good("undo", run=saving)).structured_content["run"]
    assert "linter" not in (await tools.good("context")).structured_content["text"]


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
