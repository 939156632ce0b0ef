"""Hooks while a daemon runs: it is asked at a prompt and learns at a stop."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
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


def learned_in_a_process(event, say, *, agent="claude-code"):
    """Run the process behind a hook; return the modules of ours that it brought in."""
    script = (
        "import sys; from reverie.hooks import work; work.main(sys.argv[1:]);"
        " print(*(name for name in sys.modules if name.startswith('reverie')))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, event, "--agent", agent],
        input=json.dumps(say),
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def test_the_process_behind_a_hook_leaves_learning_and_history_to_a_daemon(
    project, private_home, tmp_path
):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text((DATA / "claude-code" / "transcript.jsonl").read_text())
    say = {"session_id": "s", "cwd": str(project), "transcript_path": str(transcript)}
    with Process(project, private_home / ".reverie"):
        for event in ("stop", "session-end", "session-end"):
            assert "reverie.memory" not in learned_in_a_process(event, say)
        with Memory.open(project) as memory:
            [topic] = memory.store.topics()
            assert "Tuesdays" in topic.text
            history = memory.layers.replay(50, everything=True).turns
            assert any("Tuesdays" in str(message) for turn in history for message in turn.messages)
            assert len({turn.id for turn in history}) == len(history)
            assert not [item for item in memory.doctor() if item.code == "hook_failed"]
