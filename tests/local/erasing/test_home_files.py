"""Everything that lies in a home, but nothing that a link leads to or that git keeps for itself."""

from __future__ import annotations

import os
from pathlib import Path

from reverie.local.erasing.home_files import HomeFiles
from reverie.types import Workspace


def files_in(home: Path, **more: str) -> HomeFiles:
    project = f"{home}/projects/app-1"
    places = {"user_memory": f"{home}/memories", "project_memory": f"{project}/memory"} | more
    space = Workspace(
        cwd=str(home),
        project_root=str(home),
        project_id="app-1",
        home=str(home),
        project_state=project,
        state=f"{home}/state",
        **places,
    )
    return HomeFiles(space, own_home=True)


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def test_links_are_not_followed_but_the_memory_may_be_one(tmp_path):
    home, memory, other = tmp_path / "home", tmp_path / "memory", tmp_path / "other"
    kept = [write(home / "a.md"), write(memory / "b.md")]
    write(other / "c.md")
    (home / "memories").symlink_to(memory)
    (home / "other").symlink_to(other)
    (home / "up").symlink_to(home)
    found = files_in(home)
    assert list(found.files()) == [str(path) for path in kept]
    assert set(found.entries(os.path.islink)) == {
        f"{home}/{name}" for name in ("memories", "other", "up")
    }


def test_what_git_keeps_is_named_and_not_listed(tmp_path):
    write(tmp_path / "tree" / ".git" / "HEAD")
    write(tmp_path / "linked" / ".git")
    kept = write(tmp_path / "tree" / "a.md")
    for name in ("HEAD", "objects/x", "refs/x", "packed-refs"):
        write(tmp_path / "bare" / name)
    found = files_in(tmp_path)
    assert list(found.files()) == [str(kept)]
    assert sorted(found.repositories()) == [
        f"{tmp_path}/{name}" for name in ("bare", "linked/.git", "tree/.git")
    ]


def test_a_folder_that_cannot_be_listed_is_remembered(tmp_path, monkeypatch):
    closed = write(tmp_path / "closed" / "a.md").parent
    scan = os.scandir

    def refuse(path):
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(closed))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = files_in(tmp_path)
    assert list(found.files()) == []
    assert found.closed.keys() == {str(closed)}
