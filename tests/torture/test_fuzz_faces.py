"""Any text through every face: commands, routes and tools answer with a result or with a code of ours."""

from __future__ import annotations

import asyncio
import io
import json
import random
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from reverie.cli import run
from reverie.mcp.more import SURFACES
from tests.daemon.conftest import TOKEN, daemon, start
from tests.mcpserver.talk import over_http
from tests.torture.amount import FUZZ, SEED
from tests.torture.test_fuzz import FRAGMENTS

__all__ = ["daemon", "start"]

pytestmark = [pytest.mark.slow, pytest.mark.torture]

TEXTS = max(FUZZ // 8, 1) if FUZZ else 4
COMMANDS: list[list[str]] = [
    ["remember", "{}"], ["remember", "kept", "--kind", "{}"], ["save", "{}"], ["save", "x", "--scope", "{}"],
    ["recall", "{}"], ["search", "{}"], ["search", "x", "--source", "{}"], ["get", "{}"],
    ["get", "AGENTS.md", "--lines", "{}"], ["forget", "{}", "--dry-run"], ["forget", "{}", "--erase"],
    ["log", "{}"], ["diff", "{}"], ["blame", "{}"], ["undo", "{}"], ["trust", "{}"], ["config", "get", "{}"],
    ["config", "set", "recall.limit", "{}"], ["index", "{}"], ["extract", "--session", "{}", "-"],
    ["history", "show", "{}"], ["history", "append", "--user", "{}", "--assistant", "{}"],
    ["hook", "{}"], ["{}"], ["-C", "{}", "log"], ["--dialect", "{}", "log"],
]  # fmt: skip


def texts(seed: int) -> Iterator[str]:
    """Yield texts made of what means something to some rule."""
    rng = random.Random(seed)
    for _ in range(TEXTS):
        yield "".join(rng.choices(FRAGMENTS, k=rng.randrange(1, 12)))[:400]


def test_no_command_falls_over_any_text(project, capsys, monkeypatch):
    tried = 0
    for text in texts(SEED):
        typed = text.replace("\0", "")  # no system hands a NUL over to a program
        for command in COMMANDS:
            words = [typed if word == "{}" else word for word in command]
            monkeypatch.setattr(
                sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode("utf-8", "replace")))
            )
            try:
                status = run(["-C", str(project), *words])
            except SystemExit as ended:  # a hook ends the process itself
                status = ended.code
            shown = capsys.readouterr()
            assert "Traceback" not in shown.err, (SEED, words, shown.err[-600:])
            assert status in range(128), (SEED, words, status)
            tried += 1
    print(f"seed {SEED}: {tried} commands")


def values(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """Fill every property with a text, or with what its type allows."""
    made: dict[str, Any] = {}
    for name, kind in schema.get("properties", {}).items():
        kinds = kind.get("type", "string")
        if "enum" in kind:
            made[name] = kind["enum"][len(text) % len(kind["enum"])]
        elif kinds in ("integer", "number"):
            made[name] = max(len(text) % 7, kind.get("minimum", 0))
        elif kinds == "boolean":
            made[name] = len(text) % 2 == 0
        elif kinds == "array":
            made[name] = [text]
        elif kinds == "object":
            made[name] = {text[:8]: text}
        else:
            made[name] = text
    return made


def test_no_route_falls_over_any_text(daemon):
    described = daemon.get("/openapi.json").json()
    tried = 0
    for text in texts(SEED + 1):
        plain = text.encode("utf-8", "replace").decode()
        for path, methods in described["paths"].items():
            if "/events" in path or path == "/mcp":  # streams, and a protocol of its own
                continue
            for method, about in methods.items():
                filled = path
                query: list[str] = []
                for item in about.get("parameters", ()):
                    if item.get("in") == "path":
                        filled = filled.replace(
                            f"{{{item['name']}}}", quote(plain[:40] or "x", safe="")
                        )
                    elif item.get("in") == "query":
                        query.append(f"{item['name']}={quote(plain, safe='')}")
                content = about.get("requestBody", {}).get("content", {})
                schema = content.get("application/json", {}).get("schema", {})
                body = values(schema, text) if schema else None
                where = f"{filled}?{'&'.join(query)}" if query else filled
                answer = daemon.ask(method.upper(), where, body)
                assert answer.status_code not in (500, 502), (
                    SEED,
                    method,
                    where,
                    body,
                    answer.text,
                )
                if answer.status_code >= 400:
                    assert answer.json()["code"], (SEED, method, where, answer.text)
                tried += 1
    print(f"seed {SEED}: {tried} requests")


def test_no_tool_falls_over_any_text(daemon):
    tools = SURFACES["full"]

    async def talk() -> int:
        tried = 0
        async with over_http(f"{daemon.url}/mcp", TOKEN) as client:
            for text in texts(SEED + 2):
                plain = text.encode("utf-8", "replace").decode()
                for tool in tools:
                    schema = json.loads(json.dumps(tool.takes))
                    answer = await client.call_tool(tool.name, values(schema, plain))
                    said = "".join(getattr(item, "text", "") for item in answer.content)
                    assert said or not answer.is_error, (SEED, tool.name, text)
                    assert "Traceback" not in said, (SEED, tool.name, text, said)
                    assert "internal" not in said.lower() or not answer.is_error, (
                        SEED,
                        tool.name,
                        said,
                    )
                    tried += 1
        return tried

    print(f"seed {SEED}: {asyncio.run(talk())} tool calls")
