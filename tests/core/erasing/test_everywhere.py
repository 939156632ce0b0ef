"""Files, names and JSON without the words; what is written down, and what is counted."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from reverie.core.erasing import everywhere, redaction
from reverie.core.erasing.everywhere import Erasure, Held, Tally
from reverie.core.erasing.occurrences import words_to_erase
from reverie.core.moving.export_format import decode
from reverie.core.text.plain import digest
from reverie.types import (
    ErasedPlace,
    FileDelta,
    NotErased,
    PortableRun,
    PortableText,
    Receipt,
    Workspace,
)

PLAN = words_to_erase([], whole=["quokkaberry"])
SPACE = Workspace(
    cwd="/srv/app",
    project_root="/srv/app",
    project_id="app-1",
    home="/h",
    user_memory="/h/memories",
    project_memory="/h/projects/app-1/memory",
    project_state="/h/projects/app-1",
    state="/h/state",
)


@pytest.mark.parametrize(
    ("path", "kind", "root"),
    [
        ("/h/memories/user/a.md", "memories", "/h/memories"),
        ("/h/projects/app-1/memory/a.md", "memories", "/h/projects/app-1/memory"),
        ("/h/projects/other-2/memory/a.md", "memories", "/h/projects/other-2/memory"),
        ("/h/projects/app-1/meta.json", "state", "/h/projects/app-1"),
        ("/h/projects/other-2/meta.json", "state", "/h/projects/other-2"),
        ("/h/agents/bob/notes/inbox/a.md", "notes", "/h/agents/bob/notes"),
        ("/h/agents/bob/stores/x/a.md", "stores", "/h/agents/bob/stores"),
        ("/h/agents/bob/history/turns/1.json", "history", "/h/agents/bob/history"),
        ("/h/agents/bob/README.md", "core", "/h/agents/bob"),
        ("/h/AGENTS.md", "context", "/h"),
        ("/srv/app/AGENTS.md", "context", "/srv/app"),
        ("/h/backups/a.md", "exports", "/h"),
    ],
)
def test_every_file_is_of_one_kind_of_place(path, kind, root):
    assert everywhere.kind_of(path, SPACE) == (kind, root)
    assert kind in everywhere.KINDS


def test_frontmatter_stays_readable():
    text = "---\nname: quokkaberry\ntags: [quokkaberry, x]\n---\n\n# On quokkaberry\n"
    clean = "---\nname: erased\ntags: [erased, x]\n---\n\n# On [erased]\n"
    assert redaction.redact_markdown(text, PLAN) == clean


def test_a_name_loses_the_words_and_the_hash_of_them():
    named = everywhere.redact_name(f"a/quokkaberry-{'0' * 16}/quokkaberry-key.md", PLAN, salt="s")
    folder = "erased-" + digest(f"squokkaberry-{'0' * 16}")[:16]
    assert named == f"a/{folder}/erased-key.md"


def test_a_name_keeps_its_ending():
    named = words_to_erase([], whole=["the quokkaberry.md"])
    assert everywhere.redact_name("the-quokkaberry.md", named, salt="") == "erased.md"
    assert named.redact("see [it](the-quokkaberry.md)") == "see [it](erased.md)"


def test_files_are_planned_once_each_and_never_onto_each_other():
    held = [
        Held("memories", "/h/memories/user/a.md", "/h/memories", "quokkaberry"),
        Held("notes", "/h/agents/b/notes/quokkaberry.md", "/h/agents/b/notes", "x"),
        Held("notes", "/h/agents/b/notes/Quokkaberry.md", "/h/agents/b/notes", "y"),
        Held("notes", "/h/agents/b/notes/c.md", "/h/agents/b/notes", "quokkaberry z"),
    ]
    gone = [FileDelta("/h/memories/user/a.md", "quokkaberry", "left of quokkaberry")]
    taken = {"/h/agents/b/notes/erased.md"}
    erasure = Erasure(PLAN, Receipt("forgot-1", datetime(2026, 5, 1, tzinfo=UTC), "", (), {}))
    assert everywhere.plan_files(gone, held, erasure, taken=taken.__contains__) == [
        FileDelta("/h/memories/user/a.md", "quokkaberry", "left of [erased]"),
        FileDelta("/h/agents/b/notes/quokkaberry.md", "x", None),
        FileDelta("/h/agents/b/notes/erased-2.md", None, "x"),
        FileDelta("/h/agents/b/notes/Quokkaberry.md", "y", None),
        FileDelta("/h/agents/b/notes/erased-3.md", None, "y"),
        FileDelta("/h/agents/b/notes/c.md", "quokkaberry z", "[erased] z"),
    ]
    assert everywhere.free_name("/x/log", lambda path: path == "/x/log") == "/x/log-2"


def test_former_names_are_hidden_and_living_files_keep_theirs():
    paths = ["/h/memories/quokkaberry.md", "/h/memories/a.md", "/h/agents/b/notes/quokkaberry.md"]
    found = everywhere.hidden_paths(paths, SPACE, PLAN, living=lambda path: "notes" in path)
    assert found == {"/h/memories/quokkaberry.md": "/h/memories/erased.md"}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('{"a": "quokkaberry"}', '{"a": "[erased]"}'),
        ('{\n  "a": "quokkaberry"\n}\n', '{\n  "a": "[erased]"\n}\n'),
        ('{"a": "\\ud800 quokkaberry"}', '{"a": "\\ud800 [erased]"}'),
        ('{"a":  1}', '{"a":  1}'),
        ("torn { quokkaberry", "torn { [erased]"),
    ],
)
def test_json_files_stay_json(text, clean):
    assert redaction.redact_json(text, PLAN) == clean


def test_the_runs_of_an_export_follow_their_texts():
    said, kept = "I like quokkaberry", "I like tea"
    deltas = [{"at": "user/a.md", "before": digest(kept), "after": digest(said), "private": True}]
    run = {"kind": "run", "id": "20260101-1", "at": "2026-01-01T00:00:00Z", "status": "done"}
    lines = [
        {"kind": "text", "text": kept},
        {"kind": "text", "text": said},
        {**run, "verb": "remember", "deltas": deltas},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines) + "torn quokkaberry\n"
    first, second, third, last = redaction.redact_lines(text, PLAN).splitlines()
    changed, found = decode(second), decode(third)
    assert json.loads(first) == lines[0]
    assert isinstance(changed, PortableText)
    assert isinstance(found, PortableRun)
    assert found.deltas[0].after == digest(changed.text)
    assert found.deltas[0].before == digest(kept)
    assert last == "torn [erased]"


def test_what_a_run_says_of_itself_is_cleaned():
    told = ["about quokkaberry", '{"why": "quokkaberry"}', "s-quokkaberry", "", "x"]
    clean = ["about [erased]", '{"why": "[erased]"}', "s-erased", "", "x"]
    assert redaction.clean_run(told, PLAN) == clean
    assert redaction.clean_run(clean, PLAN) == clean


def test_an_erasure_can_be_read_as_it_was_written_down():
    receipt = Receipt(
        "forgot-1", datetime(2026, 5, 1, tzinfo=UTC), "salt", ("e",), {1: ("r",)}, True,
        (ErasedPlace("notes", 2, 1),), (NotErased("exports", "x.gz", "not_searchable", "packed"),),
    )  # fmt: skip
    one = Erasure(PLAN, receipt, (("/h/a.md", "a fact"),), ("/h/a.md",), True)
    assert everywhere.read_down(json.loads(json.dumps(everywhere.write_down(one)))) == one


def test_a_tally_shows_what_holds_something_in_order():
    tally, more = Tally(), Tally()
    tally.found("journal", 2, erased=False)
    tally.found("tasks", 0, erased=True)
    more.found("notes", erased=True)
    more.leave("exports", "x", "not_text", "why")
    tally.add(more)
    assert tally.places() == (ErasedPlace("notes", 1, 1), ErasedPlace("journal", 2, 0))
    assert tally.left == [NotErased("exports", "x", "not_text", "why")]
