"""The published TypeScript SDK drives our daemon in the dialect it was made for."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.daemon.conftest import TOKEN
from tests.npm import package

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PACKAGE = "@qwen-code/sdk@0.1.14"
INTEGRITY = (
    "v6BsCLS53dilSez1xWSL3wdHcEOArggCKlE1A1k6Zxm5C5IS1bZqAMOAq0/L5zsB96OTVvd8hqFE3tCamHjXEA=="
)


@pytest.fixture(scope="session")
def sdk():
    """The package from the registry."""
    folder = package(PACKAGE, integrity=INTEGRITY, folder="npm")
    return folder / "dist" / "daemon" / "index.js"


@pytest.fixture
def seen(sdk, start):
    """What the SDK saw when it drove a daemon of the dialect."""
    daemon = start(dialect="qwen")
    script = Path(__file__).parent / "typescript" / "drive.mjs"
    done = subprocess.run(
        ["node", str(script), str(sdk), daemon.url, TOKEN],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_sdk_remembers_forgets_dreams_writes_reads_events_and_understands_errors(
    seen, project, tmp_path
):
    assert seen["health"] == {"status": "ok"}
    assert seen["capabilities"]["workspaceCwd"] == str(project)
    assert seen["session"]["attached"] is False
    assert seen["epoch"] == seen["session"]["eventEpoch"]
    assert seen["firstEvent"] == "replay_complete"

    assert seen["accepted"]["status"] == "queued"
    remembered = seen["remembered"]
    assert (remembered["status"], remembered["contextMode"]) == ("completed", "workspace")
    assert remembered["result"]["filesTouched"]
    assert seen["hidden"]["code"] == "remember_task_not_found"
    assert seen["scoped"]["scope"] == "user"
    assert seen["scoped"]["result"]["touchedScopes"] == ["user"]
    assert str(tmp_path / "base" / "memories") in seen["scoped"]["result"]["filesTouched"][0]
    (removed,) = seen["forgotten"]["result"]["removedEntries"]
    assert "pnpm" in removed["summary"]
    assert removed["filePath"] == remembered["result"]["filesTouched"][0]
    assert seen["dreamt"]["result"]["dedupedEntries"] == 0

    assert (project / "QWEN.md").read_text() == (
        "## Qwen Added Memories\n- Run the linter before every commit\n"
    )
    assert seen["written"]["filePath"] == str(project / "QWEN.md")
    assert [item["path"] for item in seen["memory"]["files"]] == [str(project / "QWEN.md")]
    assert seen["byId"] == seen["byCwd"] == seen["memory"]

    assert {name: (error["status"], error["code"]) for name, error in seen["errors"].items()} == {
        "empty": (400, "invalid_content"),
        "mode": (400, "invalid_context_mode"),
        "query": (400, "invalid_query"),
        "clientId": (400, "invalid_client_id"),
        "task": (404, "forget_task_not_found"),
        "scope": (400, "invalid_scope"),
        "token": (401, "unauthorized"),
    }
    assert seen["afterClose"]["code"] == "invalid_client_id"


def test_the_sdks_normaliser_reads_our_events(seen):
    changed = [item for item in seen["events"] if item["raw"]["type"] == "memory_changed"]
    shown = [item["shown"][0] for item in changed]
    assert {item["type"] for item in shown} == {"workspace.memory.changed"}
    assert [item.get("source") for item in shown] == [
        "workspace_memory_remember",
        "workspace_memory_remember",
        "workspace_memory_forget",
        None,
    ]
    first = shown[0]
    assert first["taskId"] == seen["accepted"]["taskId"]
    assert first["touchedScopes"] == seen["remembered"]["result"]["touchedScopes"]
    assert changed[0]["raw"]["originatorClientId"] == seen["session"]["clientId"]
    assert "originatorClientId" not in changed[1]["raw"]
    assert first["serverTimestamp"] == changed[0]["raw"]["_meta"]["serverTimestamp"]
    numbers = [item["raw"]["id"] for item in seen["events"]]
    assert numbers == sorted(numbers)
