"""Hooks while a daemon runs: it is asked at a prompt and learns at a stop."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from reverie.hooks import quick, work
from reverie.memory import Memory
from tests.daemon.processes import Process

DATA = Path(__file__).parents[1] / "data" / "agents"
pytestmark = pytest.mark.slow


def test_a_running_daemon_answers_the_prompt_and_extracts(
    project, private_home, tmp_path, monkeypatch, capfd
):
    home = private_home / ".reverie"
    transcript = tmp_path / "t.jsonl"
    transcript.write_text((DATA / "claude-code" / "transcript.jsonl").read_text())
    with Process(project, home) as daemon:
        say = {"session_id": "s", "cwd": str(project), "transcript_path": str(transcript)}
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(say).encode())))
        assert work.main(["stop"]) == 0
        with Memory.open(project) as memory:
            [topic] = memory.store.topics()
            [run] = [item for item in memory.log() if item.verb == "extract"]
            assert "Tuesdays" in topic.text
            assert run.client != "claude-code"  # the daemon did it, not the hook's own process
        shutil.rmtree(home / "state" / "recall")
        ask = json.dumps({**say, "prompt": "when may I deploy the billing gateway?"}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ask)))
        capfd.readouterr()
        assert quick.main(["prompt", "--agent", "claude-code"]) == 0
        said = json.loads(capfd.readouterr().out)
        assert "Tuesdays" in said["hookSpecificOutput"]["additionalContext"]
        assert not (home / "state" / "recall").exists()  # nothing was read here
        daemon.popen.kill()
        daemon.popen.wait()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ask)))
    assert quick.main(["prompt", "--agent", "claude-code"]) == 0  # its socket is still there
    said = json.loads(capfd.readouterr().out)
    assert "Tuesdays" in said["hookSpecificOutput"]["additionalContext"]
