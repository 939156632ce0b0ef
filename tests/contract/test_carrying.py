"""What an import may reach on every engine: this project's memory, this agent's, and nothing beside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reverie.core.text import digest
from reverie.memory import Memory

EVIL = "evil\n"


def export_with(path: Path, *records: dict[str, Any]) -> Path:
    """Write an export that holds these records, as somebody else could have made it."""
    header = {"kind": "reverie", "version": 1, "exported_at": "2026-05-01T12:00:00Z"}
    lines = [header, *records, {"kind": "end"}]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def run_on(at: str) -> list[dict[str, Any]]:
    """Records of a run that took a text away: undoing it would put the text there."""
    return [
        {"kind": "text", "text": EVIL},
        {
            "kind": "run",
            "id": "20260501-120000-deadbeef",
            "at": "2026-05-01T12:00:00Z",
            "verb": "remember",
            "status": "done",
            "deltas": [{"at": at, "before": digest(EVIL), "after": None}],
        },
    ]


@pytest.mark.parametrize("kind", ["file", "run"])
@pytest.mark.parametrize(
    "at",
    [
        "home/projects/another/memory/evil.md",
        "home/projects/another/root/AGENTS.md",
        "home/agents/another/core/evil.md",
        "home/state/evil.md",
        "home/projects/{project}/evil.md",
        "home/projects/{project}/memory/.evil.md",
        "home/memories/.evil.md",
        "home/agents/{agent}/history/evil.md",
        "user/../../evil.md",
    ],
)
def test_an_address_that_is_not_this_memorys_is_left_out_and_named(
    memory: Memory, tmp_path: Path, at: str, kind: str
):
    at = at.format(project=memory.workspace.project_id, agent=memory.workspace.agent)
    records = [{"kind": "file", "at": at, "text": EVIL}] if kind == "file" else run_on(at)
    brought = memory.import_(export_with(tmp_path / "evil.jsonl", *records))
    assert (brought.counts.files, brought.counts.runs, brought.runs) == (0, 0, ())
    (left_out,) = brought.dropped
    assert at in f"{left_out.what} {left_out.reason}"
    assert memory.log() == []


GOOD = {
    "kind": "file",
    "at": "user/user/good.md",
    "text": "---\nname: Good\ndescription: A good one.\ntype: user\n---\nKept.\n",
}
LONG = f"user/{'/'.join(['x' * 200] * 30)}/evil.md"
HALF = "user/\ud800.md"


@pytest.mark.parametrize(
    ("records", "dropped"),
    [
        ([{"kind": "file", "at": LONG, "text": EVIL}], 1),
        (run_on(LONG), 1),
        ([{"kind": "file", "at": HALF, "text": EVIL}], 1),
        (run_on(HALF), 1),
        ([{"kind": "file", "at": "user/\udc80.md", "text": EVIL}], 1),
        ([{"kind": "text", "text": "\ud800"}], 1),
        ([run_on("user/x.md")[0], {**run_on("user/x.md")[1], "verb": "\ud800", "note": "\0"}], 0),
        ([{"kind": "state", "at": "agent/cognition/\ud800.json", "value": {"n": 1}}], 1),
        ([{"kind": "state", "at": "home/meta.json", "value": {"n": 1}}], 1),
        ([{"kind": "file", "at": "user/user/good.md/evil.md", "text": EVIL}, GOOD], 1),
        ([GOOD, {"kind": "file", "at": "user/user/good.md/evil.md", "text": EVIL}], 1),
    ],
    ids=[
        "long-file", "long-run", "half-file", "half-run", "byte-file", "half-text", "half-verb",
        "half-state", "other-state", "folder-first", "file-first",
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_kept_is_named_and_loses_no_other(
    memory: Memory, tmp_path: Path, records: list[dict[str, Any]], dropped: int
):
    brought = memory.import_(export_with(tmp_path / "odd.jsonl", *records, GOOD))
    assert len(brought.dropped) == dropped
    assert brought.counts.files == 1
    memory.log()


@pytest.mark.parametrize(
    "at", ["user/user/good.md", "project/project/good.md", "home/AGENTS.md", "context/AGENTS.md"]
)
def test_a_file_of_this_memory_arrives_where_its_address_says(
    memory: Memory, tmp_path: Path, at: str
):
    text = "---\nname: Good\ndescription: A good one.\ntype: user\n---\nKept.\n"
    file = {"kind": "file", "at": at, "text": text}
    brought = memory.import_(export_with(tmp_path / "good.jsonl", file))
    assert brought.dropped == ()
    carrier = memory.engine.carrier(None)
    assert memory.store.read(carrier.path(at)) == text
    assert carrier.address(carrier.path(at)) == at
    carrier.close()
