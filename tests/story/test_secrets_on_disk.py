"""No byte of the home holds a secret that was refused or redacted, whichever way it came in.

Looked for while everything is still open, so that the logs which SQLite keeps beside its files count.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from mcp import Client as McpClient

from reverie.adapters.logs import Log
from reverie.adapters.memory_folder import MemoryFolder
from reverie.adapters.records import Records
from reverie.cli import run
from reverie.cli.terminal import ShownLog
from reverie.client import Client
from reverie.errors import ReverieError, SecretRefused
from reverie.mcp.server import MemoryServer
from reverie.mcp.stdio import OwnRunner
from reverie.memory import Memory
from reverie.types import Change, RunInfo, Scope, TextPart, ToolCallPart, TurnMessage
from tests.daemon.conftest import Running, start  # noqa: F401  # the fixture
from tests.mcpserver.talk import MODES, named

# Put together here, so that no scanner takes this file for a leak.
BODY = "q7Rz2Lw9Xk4Tn8Vb3Ym6Pc1Hd5Jf0Gs"
KEY = "sk_live" + "_" + BODY
SAID = f"The billing account is opened with {KEY}, which Dana keeps"


def forms(secret: str) -> Iterator[bytes]:
    """Yield the ways in which a secret, or half of it, could lie in a file."""
    half = len(secret) // 2
    for part in (secret[:half], secret[half:]):
        yield part.encode()
        yield part.encode("utf-16-le")
        yield part.encode("utf-16-be")
        yield "".join(f"\\u{ord(char):04x}" for char in part).encode()
        yield part.encode().hex().encode()
        for shift in range(3):  # Base64 of a text around it, at any place
            coded = base64.b64encode(b"\0" * shift + part.encode())
            yield coded[4:-4]


def texts(data: bytes) -> Iterator[bytes]:
    """Yield a file as it is, and what is packed in it."""
    yield data
    for at in (match.start() for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data)):
        with suppress(zlib.error):
            yield zlib.decompressobj().decompress(data[at:])


def traces(*roots: Path) -> list[str]:
    wanted = [form.lower() for form in forms(BODY)]
    found = []
    for path in (path for root in roots for path in root.rglob("*")):
        held = [form for form in wanted if form in str(path).lower().encode()]
        if path.is_file():
            data = path.read_bytes()
            held += [form for text in texts(data) for form in wanted if form in text.lower()]
        if held:
            found.append(str(path))
    return found


def test_the_search_finds_a_secret_in_every_form(tmp_path):
    packed = zlib.compress(SAID.encode())
    for number, data in enumerate((SAID.encode(), SAID.encode("utf-16-le"), packed,
                                   base64.b64encode(SAID.encode()), BODY[15:].encode())):  # fmt: skip
        place = tmp_path / str(number)
        place.mkdir()
        (place / "file").write_bytes(b"\0\1\2" + data)
        assert traces(place), number


Verb = Callable[[Memory], object]
HEAD = "---\nname: Billing\ndescription: {}\ntype: reference\n---\n\n{}\n"
SPOKEN = [{"role": "user", "content": f"Please remember that {SAID}", "uuid": KEY}]


def _write(memory: Memory, name: str, text: str, **run: Any) -> object:
    path = f"{memory.workspace.memory_root(Scope.PROJECT)}/{name}"
    return memory.store.apply([Change(path, text, None)], RunInfo(verb="test", **run))


VERBS: dict[str, Verb] = {
    "remember": lambda memory: memory.remember(SAID),
    "remember with a name": lambda memory: memory.remember("Dana keeps the key", name=KEY),
    "remember with a reason": lambda memory: memory.remember("Dana keeps it", why=SAID, how=SAID),
    "save": lambda memory: memory.save(SAID, scope="project"),
    "forget": lambda memory: memory.forget(SAID),
    "erase": lambda memory: memory.forget(SAID, erase=True, everywhere=True),
    "recall": lambda memory: memory.recall(SAID),
    "search": lambda memory: memory.search(SAID),
    "extract": lambda memory: memory.extract(SPOKEN, session="s"),
    "extract from a session named so": lambda memory: memory.extract(
        [{"role": "user", "content": "I prefer tea over coffee"}], session=KEY
    ),
    "dream in a session named so": lambda memory: memory.dream(session=KEY, force=True),
    "note": lambda memory: memory.layers.add_note(SAID),
    "note with a title": lambda memory: memory.layers.add_note("a thought", title=KEY, tags=[KEY]),
    "note with a tag that is cut": lambda memory: memory.layers.add_note(
        "a thought", tags=[f"password: {BODY}"]
    ),
    "working memory": lambda memory: memory.layers.change_working("add", "Active Tasks", SAID),
    "turn": lambda memory: memory.layers.append(
        [TurnMessage("user", (TextPart(SAID), ToolCallPart(KEY, KEY, json.dumps({KEY: SAID}))))],
        session=KEY,
    ),
    "chat": lambda memory: memory.layers.import_chat(
        json.dumps({"role": "user", "content": SAID, "sessionId": KEY, "uuid": KEY})
    ),
    "a change": lambda memory: _write(memory, "reference/x.md", HEAD.format("x", SAID)),
    "a change of frontmatter": lambda memory: _write(memory, "x.md", HEAD.format(KEY, "text")),
    "a change of a file named so": lambda memory: _write(memory, f"{KEY}.md", HEAD.format("x", "y")),
    "a change in a folder named so": lambda memory: _write(memory, f"{KEY}/x.md", HEAD.format(1, 2)),
    "a change of a run that tells": lambda memory: _write(
        memory, "reference/x.md", HEAD.format("x", "y"), session=KEY, turn=KEY, client=KEY, note=SAID,
        detail={KEY: [SAID, {"why": KEY}]},
    ),
    "records": lambda memory: Records(memory, "langgraph").put(
        [(("users", KEY), KEY, {KEY: SAID})]
    ),
    "a log": lambda memory: Log(memory, "openai", KEY).add([{"role": "user", "content": SAID}]),
    "a memory folder": lambda memory: MemoryFolder(memory).create(f"/memories/{KEY}.md", SAID),
    "a memory folder's text": lambda memory: MemoryFolder(memory).create("/memories/x.md", SAID),
}  # fmt: skip


@pytest.mark.parametrize("policy", ["refuse", "redact"])
@pytest.mark.parametrize("name", VERBS)
def test_no_verb_leaves_it_anywhere(open_memory, policy, name):
    memory = open_memory(settings={"secrets.policy": policy})
    with suppress(ReverieError):
        VERBS[name](memory)
    memory.remember("Dana has a dog")  # whatever waits to be written is
    memory.index()
    roots = Path(memory.workspace.home), Path(memory.workspace.base)
    assert traces(*roots) == []
    memory.close()
    assert traces(*roots) == []


ROUTES = {
    "remember task": ("/workspace/memory/remember", {"content": SAID}),
    "forget task": ("/workspace/memory/forget", {"query": SAID}),
    "remember": ("/workspace/remember", {"content": SAID, "name": KEY, "why": SAID}),
    "forget": ("/workspace/forget", {"query": SAID}),
    "erase": ("/workspace/forget", {"query": SAID, "erase": True, "everywhere": True}),
    "dream": ("/workspace/dream", {"session": KEY, "force": True}),
    "extract": ("/workspace/extract", {"session": KEY, "messages": SPOKEN}),
    "write": ("/workspace/memory", {"scope": "project", "content": SAID, "mode": "append"}),
    "recall": ("/workspace/recall", {"query": SAID}),
    "search": ("/workspace/search", {"query": SAID}),
    "session": ("/session", {"cwd": KEY}),
}


@pytest.mark.parametrize("policy", ["refuse", "redact"])
def test_no_route_leaves_it_anywhere(start, policy, tmp_path, project):  # noqa: F811
    daemon: Running = start(settings={"secrets.policy": policy})
    for path, body in ROUTES.values():
        answer = daemon.post(path, body, headers={"Idempotency-Key": "once"})
        if answer.status_code == 202:
            daemon.over(answer)
        if answer.status_code >= 400:
            assert KEY not in answer.text
        daemon.post(path, body, headers={"Idempotency-Key": KEY})
        daemon.post(path, body, client=KEY)
    assert daemon.remember("Dana has a dog")["status"] == "completed"
    assert traces(tmp_path / "base", project) == []
    daemon.stop()
    assert traces(tmp_path / "base", project) == []


TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"text": SAID, "name": KEY, "why": SAID, "how": SAID}),
    ("remember", {"text": "Dana keeps the key", "name": KEY}),
    ("recall", {"query": SAID}),
    ("memory_search", {"query": SAID}),
    ("memory_get", {"path": f"memory/{KEY}.md"}),
    ("forget", {"query": SAID}),
    ("forget", {"ids": [KEY], "confirm": KEY}),
    ("save", {"fact": SAID, "scope": "project"}),
    ("notes", {"action": "add", "text": SAID, "title": KEY, "tags": [KEY]}),
    ("notes", {"action": "show", "name": KEY}),
    ("history", {"action": "append", "messages": [{"role": "user", "content": SAID}]}),
    ("history", {"query": SAID}),
    ("log", {"path": KEY}),
    ("undo", {"run": KEY}),
    (KEY, {KEY: SAID}),
]


@pytest.mark.parametrize("policy", ["refuse", "redact"])
@pytest.mark.parametrize("mode", MODES)
def test_no_tool_leaves_it_anywhere(open_memory, policy, mode):
    memory = open_memory(settings={"secrets.policy": policy})

    async def conversation() -> None:
        server = MemoryServer(OwnRunner(memory), surface="full").server
        async with McpClient(server, mode=mode, client_info=named(KEY)) as client:
            for name, arguments in TOOLS:
                answer = await client.call_tool(name, arguments)
                if answer.is_error:
                    assert BODY not in answer.content[0].text
            done = await client.call_tool("remember", {"text": "Dana has a dog"})
            assert not done.is_error

    asyncio.run(conversation())
    memory.index()
    roots = Path(memory.workspace.home), Path(memory.workspace.base)
    assert traces(*roots) == []
    memory.close()
    assert traces(*roots) == []


SDK: list[Callable[[Client], object]] = [
    lambda client: client.wait(client.remember(SAID)),
    lambda client: client.wait(client.remember("Dana keeps the key", key=KEY)),
    lambda client: client.wait(client.forget(SAID)),
    lambda client: client.wait(client.dream(key=KEY)),
    lambda client: client.write(SAID),
    lambda client: client.recall(SAID),
    lambda client: client.search(SAID),
    lambda client: client.get(f"memory/{KEY}.md"),
    lambda client: client.extract(SPOKEN, session=KEY),
    lambda client: client.append([{"role": "user", "content": SAID}], session=KEY),
    lambda client: client.prompt(SAID),
    lambda client: client.log(path=KEY),
    lambda client: client.undo(KEY),
    lambda client: client.task(f"remember-{KEY}"),
]


@pytest.mark.parametrize("policy", ["refuse", "redact"])
def test_no_call_of_the_client_leaves_it_anywhere(start, policy, tmp_path, project):  # noqa: F811
    daemon: Running = start(settings={"secrets.policy": policy})
    for name in ("editor", KEY):
        with suppress(ReverieError), daemon.client(client_id=name) as client:
            for call in SDK:
                try:
                    call(client)
                except ReverieError as error:
                    assert BODY not in str(error)
    assert daemon.remember("Dana has a dog")["status"] == "completed"
    assert traces(tmp_path / "base", project) == []
    daemon.stop()
    assert traces(tmp_path / "base", project) == []


@pytest.mark.slow
def test_no_hook_leaves_it_anywhere(project, tmp_path):
    said = tmp_path / "said.jsonl"
    said.write_text(json.dumps({"type": "user", "message": SPOKEN[0], "sessionId": KEY}) + "\n")
    home = tmp_path / "base"
    for event, path in product(("Stop", "SessionEnd", "PreCompact"), (said, f"{said}/{KEY}")):
        call = {"session_id": KEY, "transcript_path": str(path), "cwd": str(project)}
        subprocess.run(
            [sys.executable, "-m", "reverie.hooks.work", event.lower(), "--home", str(home)],
            input=json.dumps({**call, "hook_event_name": event}).encode(),
            check=True,
        )
    assert any(home.rglob("*.jsonl"))
    assert traces(home, project) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("embedder.url", f"https://bob:{BODY}@models.example.com/v1"),
        ("engine.url", f"postgresql://bob:{BODY}@db.example.com/memory"),
        ("model.url", f"https://models.example.com/v1?api_key={BODY}"),
        ("model.key_env", KEY),
        ("embedder.key_env", BODY),
        ("search.extra_paths", f"notes,{KEY}"),
    ],
)
def test_no_setting_takes_it(project, capsys, tmp_path, key, value):
    assert run(["-C", str(project), "config", "set", key, value]) == SecretRefused.exit_code
    told = capsys.readouterr()
    assert "environment variable" in told.err
    assert BODY not in told.out + told.err
    assert traces(tmp_path) == []


def test_a_setting_that_has_one_is_shown_without_it(project, capsys, monkeypatch):
    monkeypatch.setenv("REVERIE_MODEL__URL", f"https://bob:{BODY}@models.example.com/v1")
    for words in (["config", "list"], ["config", "get", "model.url"], ["config", "list", "--json"]):
        assert run(["-C", str(project), *words]) == 0
        shown = capsys.readouterr().out
        assert "models.example.com" in shown
        assert BODY not in shown


def test_a_log_is_written_without_it():
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "no %s", (KEY,), None)
    assert ShownLog("%(message)s").format(record) == "no [redacted:stripe-key]"


def test_what_a_person_wrote_by_hand_is_found_and_shown_without_it(open_memory):
    memory = open_memory()
    done = memory.remember("The billing account is opened by Dana")
    path = Path(done.path)
    path.write_text(path.read_text() + f"\nThe billing key is {KEY}.\n")
    found = memory.search("billing key", min_score=0.0)
    assert found.results
    assert "[redacted:stripe-key]" in "".join(hit.text for hit in found.results)
    assert KEY not in repr(found)
    assert KEY not in memory.get(str(path)).text
