"""Where everything lives, and the guard."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.config import MemorySettings
from reverie.dialect import CLAUDE, QWEN, REVERIE
from reverie.errors import InvalidPath, NotAFile, PathEscape, PathNotFound
from reverie.local.paths import (
    find_project_root,
    inside,
    main_checkout,
    open_workspace,
    project_slug,
    within,
)


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
    assert within([tmp_path / "alias"], tmp_path / "real" / "x.md")
    assert within([tmp_path / "real"], tmp_path / "alias" / "x.md")


def test_no_roots_means_nothing_is_inside(tmp_path):
    assert not within([], tmp_path)


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


def make_worktree(tmp_path: Path) -> tuple[Path, Path]:
    main = tmp_path / "main"
    private = main / ".git" / "worktrees" / "feature"
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..\n")
    tree = tmp_path / "feature"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {private}\n")
    return main, tree


def test_linked_worktrees_share_memory_unless_told_otherwise(tmp_path):
    main, tree = make_worktree(tmp_path)
    assert main_checkout(tree) == main
    assert workspace(tree).project_memory == workspace(main).project_memory
    separate = workspace(tree, worktrees="separate")
    assert separate.project_memory != workspace(main).project_memory


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
