"""Control files and the tree they lie in: whole or not at all, and a broken one is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.local.store.agent_tree import LocalTree
from reverie.local.store.control import move_to_free_name, read_json, write_json
from reverie.types import Problem

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


def test_a_control_file_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "a" / "x.json"
    problems: list[Problem] = []

    assert read_json(path, now=NOW, problems=problems) == {}
    write_json(path, {"n": 1, "text": "日本 \ud800"})

    assert read_json(path, now=NOW, problems=problems)["n"] == 1
    assert problems == []
    assert oct(path.stat().st_mode)[-3:] == "600"


@pytest.mark.parametrize("data", [b"{", b"[]", b"\xff", b"", b'{"a":' * 50_000])
def test_what_cannot_be_read_is_kept_aside_and_said(tmp_path: Path, data: bytes) -> None:
    folder = tmp_path / "control"
    folder.mkdir()
    path = folder / "x.json"
    problems: list[Problem] = []
    for _ in range(2):
        path.write_bytes(data)
        assert read_json(path, now=NOW, problems=problems) == {}

    assert not path.exists()
    assert sorted(item.name for item in folder.iterdir()) == [
        "x.json-20260501T120000Z-2.corrupt",
        "x.json-20260501T120000Z.corrupt",
    ]
    assert [problem.code for problem in problems] == ["control_file_corrupt"] * 2


def test_a_moved_file_never_lands_on_another(tmp_path: Path) -> None:
    target = tmp_path / "there.json"
    target.symlink_to(tmp_path / "nowhere")  # a link to nothing takes the name all the same
    source = tmp_path / "here.json"
    source.write_text("x")

    moved = move_to_free_name(source, target, now=NOW)

    assert moved.name == "there-20260501T120000Z.json"
    assert moved.read_text() == "x"


def test_the_tree_lists_markdown_and_control_files_without_leaving_itself(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    tree = LocalTree(str(root), clock=lambda: NOW)
    tree.make_folders()
    for rel in ("core/B.md", "core/A.md", "core/.hidden.md", "core/x.txt", "notes/zettel/n.md"):
        (root / rel).write_text("x")
    (tmp_path / "out.md").write_text("secret")
    (root / "core/C.md").symlink_to(tmp_path / "out.md")
    tree.write_control("cognition/runs/2026/b.json", {})
    tree.write_control("cognition/runs/2025/a.json", {})

    assert tree.markdown("core") == ["core/A.md", "core/B.md"]
    assert [problem.code for problem in tree.problems] == ["path_escape"]
    assert tree.controls("cognition/runs") == [
        "cognition/runs/2025/a.json",
        "cognition/runs/2026/b.json",
    ]
    assert tree.controls("nowhere") == []
    assert tree.markdown("nowhere") == []


def test_a_lock_is_held_by_one_at_a_time_and_freed_after_a_failure(tmp_path: Path) -> None:
    one, two = (LocalTree(str(tmp_path), clock=lambda: NOW) for _ in range(2))

    with one.try_lock("jobs") as first, two.try_lock("jobs") as second:
        assert (first, second) == (True, False)
    with pytest.raises(RuntimeError), one.try_lock("jobs"):
        raise RuntimeError
    with two.try_lock("jobs") as held:
        assert held
