"""Where everything lives, and the guard."""

from __future__ import annotations

import inspect
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config import MemorySettings
from reverie.dialect import CLAUDE, QWEN, REVERIE
from reverie.errors import InvalidPath, NotAFile, PathEscape, PathNotFound, ReverieError
from reverie.local.store.paths import (
    find_program,
    find_project_root,
    inside,
    main_checkout,
    open_workspace,
    project_slug,
)
from reverie.memory import Memory
from reverie.types import Scope


def workspace(path, *, dialect=REVERIE, env=None, **options):
    env = {"HOME": str(path.parent / "home"), **(env or {})}
    return open_workspace(path, dialect=dialect, settings=MemorySettings(**options), env=env)


def test_names_that_only_look_like_an_escape_are_accepted(tmp_path):
    for name in ("..notes.md", "a/..b/c.md", "...", "a..md", "x/../y.md"):
        assert inside(tmp_path, name).is_relative_to(tmp_path.resolve())


@pytest.mark.parametrize("name", ["../x.md", "a/../../x.md", "/etc/passwd", "..", "a/../.."])
def test_a_path_that_leaves_the_root_is_refused(tmp_path, name):
    with pytest.raises(PathEscape):
        inside(tmp_path, name)


def test_a_sibling_whose_name_begins_alike_is_outside(tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory-evil").mkdir()
    with pytest.raises(PathEscape):
        inside(tmp_path / "memory", tmp_path / "memory-evil" / "x.md")


def test_everything_is_inside_the_root_of_all_and_has_one_name_there(tmp_path):
    note = tmp_path.resolve() / "x.md"
    for name in (note, f"/{note}", f"//{note}", str(note)[1:]):
        assert str(inside(Path("/"), name)) == str(note)
    assert inside(Path("/"), "/") == Path("/")


def test_links_are_judged_by_where_they_lead(tmp_path):
    root = tmp_path / "root"
    outside = tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "out").symlink_to(outside)
    (root / "real.md").write_text("x")
    (root / "alias.md").symlink_to(root / "real.md")
    assert inside(root, "alias.md") == (root / "real.md").resolve()
    with pytest.raises(PathEscape):
        inside(root, "out/x.md")


def test_a_link_that_points_nowhere_is_refused_even_inside(tmp_path):
    (tmp_path / "dangling.md").symlink_to(tmp_path / "nothing.md")
    with pytest.raises(PathEscape):
        inside(tmp_path, "dangling.md")


def test_a_root_that_is_itself_a_link_still_contains_its_files(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "real")
    assert inside(tmp_path / "alias", tmp_path / "real" / "x.md") == tmp_path / "real" / "x.md"
    assert inside(tmp_path / "real", tmp_path / "alias" / "x.md") == tmp_path / "real" / "x.md"


@pytest.mark.parametrize("name", ["", "a\x00b"])
def test_a_path_that_cannot_exist_is_invalid(tmp_path, name):
    with pytest.raises(InvalidPath):
        inside(tmp_path, name)


segments = st.sampled_from(["..", ".", "a", "b", "link", "up", "loop", "..c", "a-b", "~", "项目"])


@given(st.lists(segments, min_size=1, max_size=8), st.booleans())
def test_the_guard_never_lets_a_path_out(tmp_path_factory, parts, absolute):
    base = tmp_path_factory.mktemp("guard")
    root = base / "root"
    (root / "a" / "b").mkdir(parents=True)
    (base / "root-evil").mkdir()
    (root / "link").symlink_to(base / "root-evil")
    (root / "a" / "up").symlink_to("..")
    (root / "loop").symlink_to("loop")
    name = "/".join(parts)
    try:
        found = inside(root, base / name if absolute else name)
    except (PathEscape, InvalidPath):
        return
    real = os.path.realpath(found)
    assert real == os.path.realpath(root) or real.startswith(os.path.realpath(root) + os.sep)


def test_the_project_root_is_the_nearest_git_folder_or_file(tmp_path):
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    sub = tmp_path / "repo" / "modules" / "sub"
    (sub / "deep").mkdir(parents=True)
    (sub / ".git").write_text("gitdir: ../../.git/modules/sub\n")
    assert find_project_root(tmp_path / "repo" / "modules") == tmp_path / "repo"
    assert find_project_root(sub / "deep") == sub
    assert find_project_root(tmp_path) is None


def test_different_projects_never_share_a_slug(tmp_path):
    pairs = [("w/项目", "w/工程"), ("a/b-c", "a/b/c"), ("x/y z", "x/y-z")]
    for one, two in pairs:
        assert project_slug(tmp_path / one) != project_slug(tmp_path / two)
    assert "项目" in project_slug(tmp_path / "w" / "项目")


def git(folder, *words):
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.invalid", "-C", str(folder), *words],
        check=True,
        capture_output=True,
    )


def make_worktree(tmp_path: Path) -> tuple[Path, Path]:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(tmp_path / "feature"))
    return main, tmp_path / "feature"


def test_linked_worktrees_share_memory_unless_told_otherwise(tmp_path):
    main, tree = make_worktree(tmp_path)
    assert main_checkout(tree) == main
    assert workspace(tree).project_memory == workspace(main).project_memory
    separate = workspace(tree, worktrees="separate")
    assert separate.project_memory != workspace(main).project_memory


def test_a_worktree_is_known_by_relative_paths_and_through_links(tmp_path):
    main, tree = make_worktree(tmp_path)
    private = main / ".git/worktrees/feature"
    (tree / ".git").write_text("gitdir: ../main/.git/worktrees/feature\n")
    (private / "gitdir").write_text("../../../../feature/.git\n")
    assert main_checkout(tree) == main
    (tmp_path / "way").symlink_to(tmp_path)
    assert workspace(tmp_path / "way/feature").project_id == workspace(main).project_id


def test_a_moved_worktree_shares_memory_again_once_git_knows_where_it_is(tmp_path, open_memory):
    main, tree = make_worktree(tmp_path)
    moved = tree.rename(tmp_path / "moved")
    assert main_checkout(moved) == moved
    told = open_memory(moved).notices
    assert [(item.code, item.fix) for item in told] == [
        ("worktree_unproven", "git worktree repair")
    ]
    git(moved, "worktree", "repair")
    assert main_checkout(moved) == main
    assert open_memory(moved).notices == []


def test_a_copied_git_file_does_not_take_over_the_memory_of_the_repository_it_names(tmp_path):
    main, tree = make_worktree(tmp_path)
    for number, text in enumerate(
        (
            (tree / ".git").read_text(),
            f"gitdir: {main}/.git/worktrees/none\n",
            f"gitdir: {main}/.git\n",
            "gitdir: ../main/.git/worktrees/../worktrees/feature\n",
        )
    ):
        evil = tmp_path / f"evil{number}"
        evil.mkdir()
        (evil / ".git").write_text(text)
        assert main_checkout(evil) == evil
        assert workspace(evil).project_memory != workspace(main).project_memory


@pytest.mark.parametrize("back", ["../../../.git", "{evil}/.git"])
@pytest.mark.parametrize("common", ["{main}/.git", "../..", "../../../link", "../../../link/."])
def test_an_archive_with_git_folders_of_its_own_does_not_take_over_another_memory(
    tmp_path, back, common
):
    main, _ = make_worktree(tmp_path)
    evil = tmp_path / "evil"
    private = evil / "git" / "worktrees" / "feature"
    private.mkdir(parents=True)
    (evil / "link").symlink_to(main / ".git")
    (evil / ".git").write_text("gitdir: git/worktrees/feature\n")
    (private / "gitdir").write_text(back.format(evil=evil))
    (private / "commondir").write_text(common.format(main=main))
    assert main_checkout(evil) == evil
    # Nor by a path through a link of the archive into the repository.
    (evil / ".git").write_text("gitdir: link/worktrees/feature\n")
    assert main_checkout(evil) == evil


@pytest.mark.parametrize("file", ["tree/.git", "private/gitdir", "private/commondir"])
@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\xff\xfe", b"gitdir: \0", b"gitdir: " + b"x" * 5000, b"a" * 100_000]
)
def test_a_damaged_worktree_is_a_project_of_its_own(tmp_path, file, data):
    main, tree = make_worktree(tmp_path)
    folder, name = file.split("/")
    place = tree if folder == "tree" else main / ".git/worktrees/feature"
    (place / name).write_bytes(data)
    assert main_checkout(tree) == tree


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize(
    "given", [".git", ".git/worktrees/feature", ".git/worktrees/feature/gitdir"]
)
def test_a_worktree_of_somebody_elses_repository_is_a_project_of_its_own(tmp_path, given):
    main, tree = make_worktree(tmp_path)
    os.chown(main / given, 12345, 12345)
    assert main_checkout(tree) == tree


def test_a_repository_whose_git_folder_lies_elsewhere_is_a_project_of_its_own(tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "-q", f"--separate-git-dir={tmp_path}/kept.git")
    assert main_checkout(work) == work
    git(work, "commit", "-q", "--allow-empty", "-m", "first")
    git(work, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert main_checkout(tmp_path / "tree") == tmp_path / "tree"


def test_a_submodule_is_a_project_of_its_own(tmp_path):
    (tmp_path / "repo" / ".git" / "modules" / "sub").mkdir(parents=True)
    sub = tmp_path / "repo" / "sub"
    sub.mkdir()
    (sub / ".git").write_text("gitdir: ../.git/modules/sub\n")
    assert workspace(sub).project_memory != workspace(tmp_path / "repo").project_memory


def test_the_qwen_and_claude_dialects_use_those_agents_own_folders(tmp_path):
    root = tmp_path / "my_app"
    (root / ".git").mkdir(parents=True)
    dashed = str(root).replace("/", "-").replace("_", "-")
    qwen = workspace(root, dialect=QWEN)
    assert qwen.project_memory == f"{tmp_path}/home/.qwen/projects/{dashed}/memory"
    assert qwen.user_memory == f"{tmp_path}/home/.qwen/memories"
    claude = workspace(root, dialect=CLAUDE)
    assert claude.project_memory == f"{tmp_path}/home/.claude/projects/{dashed}/memory"


def test_environment_variables_move_the_base_folder_and_the_project_memory(tmp_path):
    root = tmp_path / "app"
    (root / ".git").mkdir(parents=True)
    moved = workspace(root, dialect=QWEN, env={"QWEN_CODE_MEMORY_BASE_DIR": "~/elsewhere"})
    assert moved.home == f"{tmp_path}/home/elsewhere"
    local = workspace(root, dialect=QWEN, env={"QWEN_CODE_MEMORY_LOCAL": "1"})
    assert local.project_memory == f"{root}/.qwen/memory"
    assert local.project_state == f"{root}/.qwen"
    exact = workspace(root, env={"REVERIE_MEMORY_PROJECT_SCOPE": " Workspace "})
    assert exact.project_root is None


def test_a_workspace_that_is_no_folder_is_named(tmp_path):
    with pytest.raises(PathNotFound, match="nowhere"):
        workspace(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(NotAFile, match="file"):
        workspace(tmp_path / "file")


@pytest.mark.parametrize("relative", [".", "", "bin", "./bin", "../project/bin"])
def test_no_program_of_the_current_folder_is_taken_for_one_of_the_machine(
    tmp_path, monkeypatch, relative
):
    project = tmp_path / "project"
    (project / "bin").mkdir(parents=True)
    machine = tmp_path / "machine"
    machine.mkdir()
    for place in (project, project / "bin", machine):
        (place / "git").write_text("#!/bin/sh\n")
        (place / "git").chmod(0o755)
    monkeypatch.chdir(project)
    assert find_program("git", {"PATH": f"{relative}:{machine}"}) == str(machine / "git")
    assert find_program("git", {"PATH": relative}) is None


BAD_NAMES = ["\0", "a\0b.md", "\ud800", "a/\udfff.md", "x" * 300, "a/" * 3000, "\n", "~\0"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_no_name_that_cannot_be_a_path_breaks_a_verb_that_takes_one(memory, name):
    memory.remember("The harbour opens at nine", clean=True)
    asks = [
        lambda: memory.log(path=name),
        lambda: memory.blame(name),
        lambda: memory.get(name),
        lambda: memory.trusted(name),
        lambda: memory.trust(name),
        lambda: memory.context(include=[name]),
        lambda: memory.recall("harbour", exclude=[name]),
        lambda: memory.forget(ids=[name]),
        lambda: memory.pin(Scope.USER, name),
        lambda: memory.undo(name),
        lambda: memory.diff(name),
        lambda: memory.store.read(name),
        lambda: memory.store.read(f"{memory.workspace.user_memory}/{name}"),
        lambda: memory.layers.note(name),
        lambda: memory.layers.note_map(name),
        lambda: memory.layers.notes(folder=name),
        lambda: memory.approve(name),
        lambda: Memory.open(name),
    ]
    for ask in asks:
        try:
            ask()
        except ReverieError:
            continue
        except Exception as error:
            raise AssertionError(inspect.getsource(ask).strip()) from error
