"""What four real agents said to our hooks, recorded by `make test-agents`: all of it is understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reverie.hooks import shapes

DATA = Path(__file__).parents[1] / "data" / "agents"
INPUTS = sorted(DATA.glob("*/real/*.in.json"))
PORT = "Which port does the staging server use? We always deploy on Thursdays."


def label(path: Path) -> str:
    return f"{path.parts[-3]}-{path.name.removesuffix('.in.json')}"


def test_there_are_inputs_of_all_four_agents():
    assert {path.parts[-3] for path in INPUTS} == {"claude-code", "codex", "gemini", "qwen"}


@pytest.mark.parametrize("path", INPUTS, ids=label)
def test_event_session_and_folder_are_understood(path):
    payload = json.loads(path.read_text(encoding="utf-8"))
    event = path.name.removesuffix(".in.json").partition("-")[2]
    assert shapes.event_named(payload["hook_event_name"]) == event
    assert shapes.session_of(payload)
    assert shapes.folder_of(payload) == "/home/ada/project"
    assert not shapes.is_subagent(payload)
    assert not shapes.is_asked_by_us(payload, {})


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "qwen"])
def test_the_prompts_hold_what_the_person_typed(agent):
    files = sorted((DATA / agent / "real").glob("*-prompt.in.json"))
    said = [shapes.prompt_of(json.loads(file.read_text(encoding="utf-8"))) for file in files]
    assert PORT in said[0]
    assert len(said) > 1


def test_the_recordings_name_no_path_of_the_machine_they_were_made_on():
    for file in DATA.glob("*/real/*"):
        text = file.read_text(encoding="utf-8")
        assert not [
            word for word in ("/root/", "/work/", "/tmp/lab", "/tmp/pytest") if word in text
        ]
