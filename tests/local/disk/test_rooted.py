"""Writes by open folders: whatever is a link, and whenever it becomes one, nothing lands elsewhere."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.core.text.plain import digest
from reverie.errors import InvalidPath, NotAFile, PathEscape, ReverieError
from reverie.local.disk import rooted, swapping
from reverie.local.disk.files import make_folder, remove_file, write_atomic
from reverie.local.disk.rooted import Folders, folder_below, names_below
from reverie.types import Change, RunInfo
from tests.examples import examples
from tests.local.store.test_bad_files import use

TOPIC = "---\nname: N\ndescription: d\ntype: user\n---\n\n{0}\n"
OPEN_FILES = Path("/proc/self/fd")


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "kept.md").write_text("kept\n")
    return folder


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


def world(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_folders_are_freed_with_the_work_that_opened_them(root):
    gc.disable()  # in a daemon it comes rarely, and what waits for it takes up memory
    try:
        with Folders() as folders:
            made = weakref.ref(folders.below(str(root), "a"))
            folders.below(str(root), "a").stage("b.md", b"x", private=True).commit()
        del folders
        assert made() is None
    finally:
        gc.enable()


def test_a_file_is_written_below_its_root_with_the_folders_it_needs(root):
    write_atomic(root / "a/b/c.txt", b"x", root)
    assert (root / "a/b/c.txt").read_bytes() == b"x"
    remove_file(root / "a/b/c.txt", root)
    remove_file(root / "a/b/c.txt", root)
    remove_file(root / "no/such/folder", root)
    assert not list((root / "a/b").iterdir())


@pytest.mark.parametrize("linked", ["a", "a/b", "a/b/kept.md"])
def test_no_step_below_the_root_may_be_a_link(root, outside, linked):
    link = root / linked
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "kept.md" if linked.endswith(".md") else outside)
    before = world(outside)
    for act in (
        lambda: write_atomic(root / "a/b/kept.md", b"x", root),
        lambda: make_folder(root / "a/b/kept.md/d", root, private=True),
    ):
        with pytest.raises(PathEscape, match="link"):
            act()
    if not linked.endswith(".md"):
        with pytest.raises(PathEscape):
            remove_file(root / "a/b/kept.md", root)
    assert world(outside) == before


def test_removing_a_link_removes_the_link_alone(root, outside):
    (root / "x.md").symlink_to(outside / "kept.md")
    remove_file(root / "x.md", root)
    assert not (root / "x.md").is_symlink()
    assert (outside / "kept.md").exists()


def test_the_root_itself_may_lie_behind_a_link(root, tmp_path):
    (tmp_path / "alias").symlink_to(root)
    write_atomic(tmp_path / "alias/a/x.txt", b"x", tmp_path / "alias")
    assert (root / "a/x.txt").read_bytes() == b"x"


def test_a_link_is_not_read(root, outside):
    (root / "x.md").symlink_to(outside / "kept.md")
    with folder_below(root, root) as folder, pytest.raises(PathEscape):
        folder.read_text("x.md", limit=100)


@pytest.mark.parametrize("path", ["..", "a/../../x", "a//b", "./a", "/etc/x", "../rootless/x"])
def test_a_path_that_is_not_below_its_root_is_invalid(root, path):
    with pytest.raises(InvalidPath):
        names_below(root, f"{root}/{path}" if not path.startswith(("/", "../r")) else path)


def test_a_file_in_the_place_of_a_folder_is_named(root):
    (root / "a").write_text("x")
    with pytest.raises(NotAFile, match="in the way"):
        write_atomic(root / "a/b.md", b"x", root)


def test_a_run_over_more_folders_than_may_stay_open_writes_each_of_them(root):
    count = rooted._OPEN_FOLDERS * 2
    with Folders() as folders:
        staged = [
            folders.below(str(root), f"f{number}").stage("x", b"%d" % number, private=True)
            for number in range(count)
        ]
        for item in staged:
            item.commit()
        if OPEN_FILES.is_dir():
            assert len(list(OPEN_FILES.iterdir())) < count
    for number in range(count):
        assert (root / f"f{number}/x").read_bytes() == b"%d" % number


def test_no_descriptor_is_left_open(root):
    if not OPEN_FILES.is_dir():
        pytest.skip("this system does not list open files")
    before = len(list(OPEN_FILES.iterdir()))
    (root / "link").symlink_to("/")
    for number in range(20):
        write_atomic(root / f"a/{number}.txt", b"x", root)
        for path in ("link/x", "a/0.txt/x"):
            with pytest.raises(ReverieError):
                write_atomic(root / path, b"x", root)
    assert len(list(OPEN_FILES.iterdir())) <= before  # fewer, when an older test is collected


# --- the race -------------------------------------------------------------------------------------


SWAPPER = """
import os, select, sys
folder, other = sys.argv[1:]
print("ready", flush=True)
swaps = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    # A name of its own each time: the writer may make a folder in the moment without one.
    parked = folder + ".parked" + str(swaps)
    try:
        os.rename(folder, parked)
        try:
            os.symlink(other, folder)
            swaps += 1
            os.unlink(folder)
        except OSError:
            pass
        os.rename(parked, folder)
    except OSError:
        pass
print(swaps, flush=True)
"""


class Swapper:
    """A process that swaps a folder for a link to another one, and back, as fast as it can."""

    def __init__(self, folder: Path, other: Path) -> None:
        words = [sys.executable, "-c", SWAPPER, str(folder), str(other)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True)
        self.swaps = 0

    def __enter__(self) -> Swapper:
        assert self._process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *error: object) -> None:
        said, _ = self._process.communicate()
        self.swaps = int(said)


def attempts(write, *, wanted):
    """Write until enough was written; refusals are quick, so there may be many. Return what was."""
    written = []
    for number in range(100_000):
        try:
            write(number)
        except ReverieError:
            continue
        written.append(number)
        if len(written) == wanted:
            break
    return written


def test_a_folder_swapped_for_a_link_while_files_are_written_lets_nothing_out(root, outside):
    (root / "a").mkdir()
    before = world(outside)
    with Swapper(root / "a", outside) as swapper:
        written = attempts(
            lambda number: write_atomic(root / "a" / f"{number}.md", b"x" * 64, root), wanted=300
        )
    assert len(written) == 300
    assert swapper.swaps > 10  # else nothing was tried
    assert world(outside) == before
    assert not list(root.rglob("*.reverie-tmp"))
    assert {path.name for path in root.rglob("*.md")} >= {f"{number}.md" for number in written}


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("swapped", ["memory", "memory/user"])
def test_a_memory_folder_swapped_during_runs_lets_nothing_out(
    open_memory, project, outside, monkeypatch, local, swapped
):
    if local:
        monkeypatch.setenv("REVERIE_MEMORY_LOCAL", "1")
    memory = open_memory()
    top = Path(memory.workspace.project_state)
    (top / "memory/user").mkdir(parents=True)
    before = world(outside)

    def write(number):
        change = Change(f"{top}/memory/user/n{number}.md", TOPIC.format(number), None)
        memory.store.apply([change], RunInfo(verb="test"))

    with Swapper(top / swapped, outside) as swapper:
        done = attempts(write, wanted=40)
    assert len(done) == 40
    assert swapper.swaps > 5  # else nothing was tried
    assert world(outside) == before
    memory.store.recover()
    assert not list(top.rglob("*.reverie-tmp"))
    texts = {path.name: path.read_text() for path in top.rglob("n*.md")}
    for number in done:
        assert texts[f"n{number}.md"] == TOPIC.format(number)


# --- which root -----------------------------------------------------------------------------------


def put(memory, path, text="# x\n"):
    now = memory.store.read(str(path))
    change = Change(str(path), text, None if now is None else digest(now), private=False)
    return memory.store.apply([change], RunInfo(verb="test"))


PLACES = ["project", "memory", "user", "home", "agents"]


def folder_of(memory, place):
    space = memory.workspace
    return Path(
        {
            "project": space.base,
            "memory": space.project_memory,
            "user": space.user_memory,
            "home": space.home,
            "agents": f"{space.agent_root}/core",
        }[place]
    )


@given(
    source=st.sampled_from(PLACES),
    target=st.sampled_from([*PLACES, "outside", "state"]),
    deep=st.booleans(),
    suffix=st.sampled_from([".md", ".json", ""]),
    whole_folder=st.booleans(),
)
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_link_from_one_root_into_another_is_never_written_through(
    open_memory, tmp_path_factory, source, target, deep, suffix, whole_folder
):
    place = tmp_path_factory.mktemp("roots")
    (place / "project/.git").mkdir(parents=True)
    memory = open_memory(place / "project", home=place / "own")
    there = place / "outside" if target == "outside" else Path(memory.workspace.state)
    there = folder_of(memory, target) if target in PLACES else there
    victim = there / f"victim-x{suffix}"
    there.mkdir(parents=True, exist_ok=True)
    victim.write_text("victim\n")
    here = folder_of(memory, source)
    here = here / "deep" if deep else here
    here.mkdir(parents=True, exist_ok=True)
    link = here / ("way" if whole_folder else "link.md")
    link.symlink_to(there if whole_folder else victim)
    path = link / victim.name if whole_folder else link
    own = source == "home" and not deep and not whole_folder and suffix == ".md"
    if source == target or (own and target != "state"):
        return  # inside its own root, or the person's own link; told of in other tests
    with pytest.raises(PathEscape):
        put(memory, path, "changed\n")
    assert victim.read_text() == "victim\n"
    memory.close()


def test_saving_through_a_link_of_the_repository_into_settings_is_refused(
    open_memory, project, private_home
):
    memory = open_memory(dialect="claude")
    target = private_home / ".claude" / "settings.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text("{}\n")
    (project / "CLAUDE.md").symlink_to(target)
    for act in (
        lambda: memory.save("Use tabs", scope="project"),
        lambda: memory.save("Use tabs", scope="project", dry_run=True),
        lambda: memory.archive_context(scope="project"),
    ):
        with pytest.raises(PathEscape, match=r"CLAUDE\.md"):
            act()
    assert target.read_text() == "{}\n"


def test_a_link_from_one_context_file_of_a_project_to_another_is_followed(open_memory, project):
    memory = open_memory()
    (project / "REVERIE.md").write_text("# Rules\n")
    (project / "AGENTS.md").symlink_to("REVERIE.md")
    memory.save("Use tabs", scope="project")
    assert (project / "AGENTS.md").is_symlink()
    assert "Use tabs" in (project / "REVERIE.md").read_text()


def test_git_keeps_its_own_files(open_memory, project):
    with pytest.raises(PathEscape, match="git"):
        put(open_memory(), project / ".git" / "info.md")


# --- the person's own links -----------------------------------------------------------------------


@pytest.fixture
def dotfiles(tmp_path, open_memory):
    """A home whose context file is a link into a repository of dotfiles."""
    memory = open_memory()
    target = tmp_path / "dotfiles" / "agents.md"
    target.parent.mkdir(mode=0o700)
    target.write_text("# Mine\n")
    home = Path(memory.workspace.home)
    home.mkdir(parents=True, exist_ok=True)
    (home / "AGENTS.md").symlink_to(target)
    return memory, home / "AGENTS.md", target


def test_a_linked_context_file_of_the_person_is_read_and_written_and_stays_a_link(dotfiles):
    memory, link, target = dotfiles
    saved = memory.save("I like tea", scope="global")
    assert link.is_symlink()
    assert "# Mine" in target.read_text()
    assert "I like tea" in target.read_text()
    assert "I like tea" in memory.context().text
    memory.undo(saved.run)
    assert target.read_text() == "# Mine\n"
    assert memory.log(path=str(link))
    assert not list(target.parent.glob(".*"))


def test_a_linked_context_file_is_finished_after_a_crash(dotfiles, monkeypatch):
    memory, _, target = dotfiles

    def killed(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(swapping, "_exchange", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.save("I like tea", scope="global")
    assert "tea" not in target.read_text()
    assert len(memory.store.recover()) == 1
    assert "I like tea" in target.read_text()


@pytest.mark.parametrize("folder", ["memories", "projects", "agents", "state"])
def test_a_whole_folder_that_is_a_link_of_the_person_works_with_every_verb(
    open_memory, tmp_path, folder
):
    home, kept = tmp_path / "base", tmp_path / "dotfiles" / folder
    for path in (home, kept):
        path.mkdir(parents=True, mode=0o700)
    (home / folder).symlink_to(kept)
    for _ in range(2):
        memory = open_memory(home=home)
        path = memory.remember("The heron stands in the reeds", scope="user").path
        gone = memory.remember("The otter sleeps", scope="project")
        memory.layers.add_note("Herons eat fish")
        use(memory, "herons")
        memory.undo(gone.run)
        memory.forget("heron", erase=True)
        assert not Path(path).exists()
        assert memory.verify().ok
        memory.close()
    assert (home / folder).is_symlink()
    assert any(kept.iterdir())


def test_a_link_in_the_home_to_something_else_than_markdown_is_refused(dotfiles):
    memory, link, target = dotfiles
    other = target.with_name("settings.json")
    other.write_text("{}\n")
    link.unlink()
    link.symlink_to(other)
    with pytest.raises(PathEscape, match="Markdown"):
        memory.save("I like tea", scope="global")
    assert other.read_text() == "{}\n"


def test_linked_settings_of_the_person_stay_a_link(tmp_path):
    from reverie.local.settings import set_value

    target = tmp_path / "dotfiles.toml"
    target.write_text("# mine\n")
    (tmp_path / "config.toml").symlink_to(target)
    set_value(tmp_path / "config.toml", "recall.limit", "3")
    assert (tmp_path / "config.toml").is_symlink()
    assert target.read_text().startswith("# mine\n")
    assert "3" in target.read_text()


@pytest.mark.parametrize("open_to_all", ["home", "target"])
def test_a_link_where_others_may_write_is_refused(dotfiles, open_to_all):
    memory, link, target = dotfiles
    (link.parent if open_to_all == "home" else target.parent).chmod(0o777)
    with pytest.raises(PathEscape, match="others may write"):
        memory.save("I like tea", scope="global")
    assert target.read_text() == "# Mine\n"


def test_a_link_in_the_home_that_points_nowhere_is_refused(dotfiles):
    memory, link, target = dotfiles
    target.unlink()
    with pytest.raises(PathEscape, match="nowhere"):
        memory.save("I like tea", scope="global")
    assert not target.exists()
    assert link.is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("given_away", ["link", "target"])
def test_a_link_or_target_of_somebody_else_is_refused(dotfiles, given_away):
    memory, link, target = dotfiles
    os.lchown(link if given_away == "link" else target, 12345, 12345)
    with pytest.raises(PathEscape, match="somebody else"):
        memory.save("I like tea", scope="global")
    assert target.read_text() == "# Mine\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_home_behind_a_link_of_somebody_else_is_refused(open_memory, tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "alias"
    link.symlink_to(tmp_path / "real")
    memory = open_memory(home=link)
    assert memory.remember("I like tea").run
    os.lchown(link, 12345, 12345)
    with pytest.raises(PathEscape, match="somebody else"):
        open_memory(home=link)


# --- memory kept in the project -------------------------------------------------------------------


@pytest.mark.parametrize("linked", [".reverie", ".reverie/memory"])
def test_a_project_whose_memory_folder_is_a_link_is_not_opened(
    open_memory, project, outside, monkeypatch, linked
):
    monkeypatch.setenv("REVERIE_MEMORY_LOCAL", "1")
    (project / linked).parent.mkdir(exist_ok=True)
    (project / linked).symlink_to(outside)
    with pytest.raises(PathEscape, match="is a link"):
        open_memory()
    assert list(outside.iterdir()) == [outside / "kept.md"]


def test_a_project_memory_that_becomes_a_link_is_not_written_through(
    open_memory, project, outside, monkeypatch
):
    monkeypatch.setenv("REVERIE_MEMORY_LOCAL", "1")
    memory = open_memory()
    (project / ".reverie").symlink_to(outside)
    (outside / "memory").mkdir()
    (outside / "memory/secret.md").write_text(TOPIC.format("SECRET-WORD"))
    before = world(outside)
    assert memory.store.topics() == []
    assert [item.code for item in memory.store.unreadable] == ["path_escape"]
    with pytest.raises(ReverieError):
        memory.remember("Deploys happen on Tuesday.", scope="project")
    with pytest.raises(PathEscape):
        memory.state.update_state("meta.json", lambda state: {**state, "x": 1})
    with pytest.raises(PathEscape), memory.state.try_lock("consolidation.lock"):
        pass
    assert world(outside) == before


def test_links_to_files_outside_are_neither_topics_nor_catalog(open_memory, outside):
    memory = open_memory()
    root = Path(memory.workspace.project_memory)
    (root / "user").mkdir(parents=True)
    (outside / "secret.md").write_text(TOPIC.format("SECRET-WORD"))
    (root / "user/link.md").symlink_to(outside / "secret.md")
    (root / "folder").symlink_to(outside)
    (root / "MEMORY.md").symlink_to(outside / "secret.md")
    memory.remember("Deploys happen on Tuesday.", scope="project")
    assert "SECRET-WORD" not in (root / "MEMORY.md").read_text()
    assert "SECRET-WORD" not in memory.prompt().text
    assert not memory.search("SECRET-WORD").results
    assert (outside / "secret.md").read_text() == TOPIC.format("SECRET-WORD")
