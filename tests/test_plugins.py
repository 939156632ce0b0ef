"""The plugins of the agents: made from one source, and harmless where Reverie itself is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLUGINS = ROOT / "plugins"
RUN = PLUGINS / "claude" / "plugins" / "reverie" / "bin" / "reverie-run"


def test_the_plugins_are_what_the_script_writes():
    words = [sys.executable, "scripts/plugins.py", "--check"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_manifest_is_json_and_programs_can_be_run():
    for file in PLUGINS.rglob("*.json"):
        json.loads(file.read_text(encoding="utf-8"))
    for file in PLUGINS.rglob("reverie-run"):
        assert os.access(file, os.X_OK)


@pytest.mark.parametrize("event", ["prompt", "session-start", "stop"])
def test_a_hook_without_reverie_changes_nothing_and_says_why(event, tmp_path):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run([RUN, "hook", event], env=env, input="{}", capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "{}\n")
    assert "not installed" in done.stderr


@pytest.mark.parametrize(
    ("place", "agent"),
    [
        (".codex/plugins/cache/reverie", "codex"),
        (".qwen/extensions/reverie", "qwen"),
        (".gemini/extensions/reverie", "gemini"),
        (".claude/plugins/cache/reverie", "claude-code"),
    ],
)
def test_the_program_knows_by_its_place_who_is_calling(place, agent, tmp_path):
    copy = tmp_path / place / "bin" / "reverie-run"
    copy.parent.mkdir(parents=True)
    shutil.copy(RUN, copy)
    own = tmp_path / ".local" / "bin" / "reverie"
    own.parent.mkdir(parents=True)
    own.write_text('#!/bin/sh\necho "$@"\n', encoding="utf-8")
    own.chmod(0o755)
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    done = subprocess.run([copy, "hook", "prompt"], env=env, capture_output=True, text=True)
    assert done.stdout == f"hook prompt --agent {agent}\n"
    done = subprocess.run([copy, "mcp"], env=env, capture_output=True, text=True)
    assert done.stdout == "mcp\n"
