"""What a repository tracks, found out without git; the repositories are made by git itself."""

from __future__ import annotations

import os
import subprocess

import pytest

from reverie.local.context.git_files import listing


def git(folder, *arguments):
    settings = ("user.name=a", "user.email=a@b.c", "protocol.file.allow=always")
    given = [word for setting in settings for word in ("-c", setting)]
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    command = ["git", *given, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=env)


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    git(folder, "init", "-q")
    for name in ("docs/a.md", "docs/über.md", "b.txt", "private.md"):
        (folder / name).write_text("x")
    git(folder, "add", "docs", "b.txt")
    return folder


def held(folder, *names):
    found = listing(str(folder))
    return [name for name in names if found.holds(str(folder / name))]


ALL = ("docs/a.md", "docs/über.md", "b.txt", "private.md", "gone.md")
TRACKED = ["docs/a.md", "docs/über.md", "b.txt"]


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_what_git_tracks_is_held_and_nothing_else(repository, version):
    git(repository, "update-index", "--index-version", version)
    assert held(repository, *ALL) == TRACKED
    assert listing(str(repository / "docs")).holds(str(repository / "b.txt"))
    assert not listing(str(repository)).holds("/elsewhere/b.txt")


def test_what_git_was_told_to_leave_alone_is_not_held(repository):
    git(repository, "update-index", "--assume-unchanged", "b.txt")
    git(repository, "update-index", "--skip-worktree", "docs/a.md")
    git(repository, "add", "-N", "private.md")
    assert held(repository, *ALL) == ["docs/über.md"]


def test_other_hashes_are_read(tmp_path):
    git(tmp_path, "init", "-q", "--object-format=sha256", "r")
    (tmp_path / "r" / "a.md").write_text("x")
    git(tmp_path / "r", "add", "a.md")
    assert held(tmp_path / "r", "a.md", "b.md") == ["a.md"]


def test_a_split_index_holds_nothing(repository):
    git(repository, "update-index", "--split-index")
    assert held(repository, *ALL) == []


def test_a_worktree_has_its_own_index(repository, tmp_path):
    git(repository, "commit", "-qm", "a")
    git(repository, "worktree", "add", "-q", "../tree")
    tree = tmp_path / "tree"
    (tree / "new.md").write_text("x")
    git(tree, "add", "new.md")
    assert held(tree, *ALL, "new.md") == [*TRACKED, "new.md"]
    assert held(repository, "new.md") == []


def test_a_submodule_has_its_own_index(repository, tmp_path):
    git(repository, "commit", "-qm", "a")
    git(tmp_path, "init", "-q", "above")
    git(tmp_path / "above", "submodule", "add", "-q", str(repository), "sub")
    assert held(tmp_path / "above" / "sub", *ALL) == TRACKED


@pytest.mark.parametrize(
    "pointer", ["{repository}/.git", "{repository}/.git/worktrees/tree", "nowhere", "", "\0"]
)
def test_a_git_file_that_names_anothers_repository_is_not_believed(repository, tmp_path, pointer):
    git(repository, "commit", "-qm", "a")
    git(repository, "worktree", "add", "-q", "../tree")
    folder = tmp_path / "unpacked"
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {pointer.format(repository=repository)}\n")
    assert held(folder, *ALL) == []


def test_an_index_behind_a_link_is_not_read(repository, tmp_path):
    folder = tmp_path / "unpacked"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "index").symlink_to(repository / ".git" / "index")
    assert held(folder, *ALL) == []


def test_a_fresh_repository_tracks_nothing_and_no_repository_holds_all(tmp_path):
    git(tmp_path, "init", "-q", "fresh")
    assert held(tmp_path / "fresh", "a.md") == []
    (tmp_path / "plain" / ".git").mkdir(parents=True)
    assert held(tmp_path / "plain", "a.md") == ["a.md"]


def test_nothing_of_a_repository_is_run(repository, tmp_path):
    config = f'[core]\n\tfsmonitor = "touch {tmp_path}/ran"\n\tpager = "touch {tmp_path}/ran"\n'
    with (repository / ".git" / "config").open("a") as file:
        file.write(config)
    assert held(repository, *ALL) == TRACKED
    assert not (tmp_path / "ran").exists()
