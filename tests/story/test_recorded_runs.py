"""Runs of a scripted model, recorded whole: every word it was told, the outcome, the files, the journal.

A record that differs on purpose is written anew with `REVERIE_RECORD=1`; read the difference.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from reverie.core.wire import to_wire
from reverie.testing import ScriptedModel, use
from reverie.types import Change, RunInfo, Scope

RECORDS = Path(__file__).parents[1] / "data" / "recorded"
RECORD = bool(os.environ.get("REVERIE_RECORD"))  # read before a test forgets the environment
_RUN = re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{8}\b")

TABS = "I prefer tabs over spaces"
FREEZE = "By the way, our freeze begins on 2026-06-01 because of the audit. Thanks"


def note(body, *, name="Note", kind="user", description=None):
    about = body.splitlines()[0] if description is None else description
    return f"---\nname: {name}\ndescription: {about}\ntype: {kind}\n---\n\n{body}\n"


def remember(memory, model):
    memory.remember("The staging database is db2", scope=Scope.PROJECT, name="Staging")
    model.script.extend(
        [
            [use("ls"), use("grep", pattern="tabs")],
            [use("read_file", path="user/user/none.md")],
            [use("write_file", path="user/user/tabs.md", content=note(TABS, name="Tabs"))],
            "Kept under your preferences.",
        ]
    )
    return memory.remember(TABS)


def extract(memory, model):
    memory.remember("We ship on Mondays", scope=Scope.PROJECT, name="Ship")
    proposal = {
        "kind": "project", "summary": "The freeze begins on 2026-06-01", "why": "because of the audit",
        "how": "", "turn": "t1", "quote": "our freeze begins on 2026-06-01",
    }  # fmt: skip
    invented = {
        **proposal,
        "summary": "The freeze ends on 2026-07-01",
        "quote": "ends on 2026-07-01",
    }
    model.script.append({"memories": [proposal, invented]})
    said = [
        {"role": "user", "content": FREEZE, "id": "t1"},
        {"role": "assistant", "content": "Noted: no deploys then.", "id": "t2"},
    ]
    return memory.extract(said, session="s1")


def extract_agent(memory, model):
    body = "our freeze begins on 2026-06-01"
    model.script.extend(
        [
            [
                use(
                    "write_file",
                    path="project/project/freeze.md",
                    content=note(body, kind="project"),
                )
            ],
            "One memory.",
        ]
    )
    return memory.extract([{"role": "user", "content": FREEZE, "id": "t1"}], session="s1")


def dream(memory, model):
    root = memory.workspace.project_memory
    told = {
        "a": note("We deploy on Tuesdays at 14:00", name="a", kind="project"),
        "b": note("We deploy on Tuesdays at 14:00 to staging", name="b", kind="project"),
    }
    changes = [Change(f"{root}/project/{name}.md", text, None) for name, text in told.items()]
    memory.store.apply(changes, RunInfo("save"))
    model.script.extend(
        [
            [use("ls")],
            [use("read_file", path="project/project/a.md"), use("read_file", path="project/project/b.md")],
            [use("write_file", path="project/project/a.md", content="")],
            "One memory said all of the other.",
        ]
    )  # fmt: skip
    return memory.dream(force=True, session="s1")


def forget(memory, model):
    memory.remember(TABS, name="Tabs")
    memory.remember("I drink my coffee black", name="Coffee")
    model.script.append({"ids": ["m2"]})
    return memory.forget("my taste in indentation")


def recall(memory, model):
    memory.remember(TABS, name="Tabs")
    memory.remember("The office is closed on Fridays", name="Office", scope="user")
    model.script.append({"ids": ["m1"]})
    return memory.recall("may I come in at the end of the week", wait=True)


RUNS = {run.__name__: run for run in (remember, extract, extract_agent, dream, forget, recall)}


def recorded(open_memory, tmp_path, name):
    """Run, and return all that can be seen of it, without names of this machine."""
    model = ScriptedModel()
    settings = {"extract.agent": True} if name == "extract_agent" else {}
    memory = open_memory(model=model, settings=settings)
    outcome = RUNS[name](memory, model)
    record = {
        "calls": [
            {
                "tools": call.tools, "schema": call.schema, "fast": call.fast,
                # A later step repeats what came before; the new messages say it all.
                "messages": [_told(message) for message in call.messages],
            }
            for call in model.calls
        ],
        "left_in_script": len(model.script),
        "outcome": outcome,
        "files": {topic.path: topic.text for topic in memory.store.topics()},
        "journal": memory.log(limit=100),
        "usage": memory.usage(),
    }  # fmt: skip
    told = _without_chance(to_wire(record))
    text = json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True)
    places = {
        memory.workspace.project_memory: "<project-memory>",
        memory.workspace.user_memory: "<user-memory>",
        str(tmp_path): "<tmp>",
    }
    for place, shown in places.items():
        text = text.replace(place, shown)
    text = re.sub(r"\bforgot-[0-9a-f]{12}\b", "<receipt>", text)
    return _RUN.sub("<run>", text) + "\n"


def _without_chance(value):
    """Replace what is drawn by lot or made from a path by how much there is of it."""
    if isinstance(value, dict):
        if "salt" in value:
            counts = {key: len(value[key]) for key in ("entries", "parts", "shingles")}
            return {**value, **counts, "id": "<receipt>", "salt": "<salt>"}
        told = {**value, "keys": len(value["keys"])} if "keys" in value else value
        return {key: _without_chance(item) for key, item in told.items()}
    return [_without_chance(item) for item in value] if isinstance(value, list) else value


def _told(message):
    return {
        "role": message.role,
        "text": message.text,
        "calls": message.calls,
        "call": message.call,
    }


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_what_was_recorded(open_memory, tmp_path, name):
    text = recorded(open_memory, tmp_path, name)
    file = RECORDS / f"{name}.json"
    if RECORD:
        file.write_text(text, encoding="utf-8")
    assert json.loads(text) == json.loads(file.read_text(encoding="utf-8"))
    assert json.loads(text)["left_in_script"] == 0
