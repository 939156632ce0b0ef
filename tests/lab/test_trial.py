"""`doctor --agent`, with a program that stands in for Claude Code: it runs hooks and asks the model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from reverie.cli import run

CLAUDE = r"""#!PYTHON
import json, os, subprocess, sys, urllib.request

if sys.argv[1:] == ["--version"]:
    print("1.9.9 (Fake)")
    sys.exit()
words = sys.argv[1:]
home, prompt = os.environ["HOME"], words[-1]
session = words[words.index("--session-id" if "--session-id" in words else "--resume") + 1]
file = f"{home}/.claude/{session}.jsonl"
settings = json.load(open(f"{home}/.claude/settings.json"))
silent = settings.get("disableAllHooks")

def hook(event, **more):
    said = ""
    for group in [] if silent else settings["hooks"].get(event, []):
        payload = dict(session_id=session, transcript_path=file, cwd=os.getcwd(), **more)
        payload["hook_event_name"] = event
        done = subprocess.run(group["hooks"][0]["command"], shell=True, input=json.dumps(payload),
                              capture_output=True, text=True)
        said += json.loads(done.stdout).get("hookSpecificOutput", {}).get("additionalContext", "")
    return said

def say(role, text):
    record = dict(type=role, sessionId=session, uuid=os.urandom(8).hex(), cwd=os.getcwd(),
                  timestamp="2026-11-18T03:00:00Z", message=dict(role=role, content=text))
    open(file, "a").write(json.dumps(record) + "\n")

def ask(messages):
    body = dict(model="x", system=added, messages=messages, tools=[dict(name="mcp__reverie__memory_search")])
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    request = urllib.request.Request(url, json.dumps(body).encode())
    return json.load(urllib.request.urlopen(request))["content"][0]

resumed = "--resume" in words
before = [json.loads(line)["message"] for line in open(file)] if resumed else []
added = hook("SessionStart", source="resume" if resumed else "startup")
added += hook("UserPromptSubmit", prompt=prompt)
messages = [*before, dict(role="user", content=prompt)]
answer = ask(messages)
if answer["type"] == "tool_use":
    result = dict(type="tool_result", content="<reverie-memory:1> port 8471 </reverie-memory:1>")
    answer = ask([*messages, dict(role="user", content=[result])])
say("user", prompt)
say("assistant", answer["text"])
hook("Stop")
print(json.dumps(dict(result=answer["text"])))
"""


@pytest.fixture
def claude(tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(CLAUDE.replace("PYTHON", sys.executable), encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def tried(project: Path, capsys, agent: str = "claude-code") -> tuple[int, dict]:
    code = run(["-C", str(project), "doctor", "--agent", agent, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_what_arrives_is_reported_and_the_persons_files_stay(claude, project, private_home, capsys):
    run(["-C", str(project), "install", "claude-code", "--yes"])
    capsys.readouterr()
    settings = (private_home / ".claude" / "settings.json").read_bytes()
    _, told = tried(project, capsys)
    checks = {check["name"]: check["ok"] for check in told["checks"]}
    assert told["version"] == "1.9.9 (Fake)"
    for name in ("installed", "runs", "briefing", "tools at once", "tool round trip", "fenced"):
        assert checks[name], name
    for name in ("learning", "recall", "resume"):
        assert checks[name], name
    assert (private_home / ".claude" / "settings.json").read_bytes() == settings
    assert not list(private_home.glob(".reverie/memory/**/*heron*"))


@pytest.mark.slow
def test_a_switch_of_the_person_that_silences_us_is_found(claude, project, private_home, capsys):
    folder = private_home / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_text('{"disableAllHooks": true}', encoding="utf-8")
    code, told = tried(project, capsys)
    checks = {check["name"]: check["ok"] for check in told["checks"]}
    assert code == 1
    assert not told["ok"]
    assert not checks["installed"]
    assert not checks["briefing"]


def test_an_agent_that_is_not_here_is_said(project, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["-C", str(project), "doctor", "--agent", "codex"]) != 0
    assert "no program 'codex'" in capsys.readouterr().err


def test_an_agent_that_needs_a_person_cannot_be_tried(project, capsys):
    assert run(["-C", str(project), "doctor", "--agent", "cursor"]) == 2
    assert "Cursor cannot be run without a person" in capsys.readouterr().err
