"""Whatever stands where a file of the memory should be: every verb of every project goes on."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from reverie.adapters.memory_folder import MemoryFolder
from reverie.types import Change, RunInfo, Scope

PLACES = [
    "MEMORY.md", "user/MEMORY.md", "project/MEMORY.md", "project/topic.md", "user", "project",
    "user/topic.md",
]  # fmt: skip
KINDS = ["folder", "full folder", "pipe", "socket", "link out", "link to nothing", "link to itself",
         "link to a folder", "huge", "closed"]  # fmt: skip


def put(path: Path, what: str | bytes, outside: Path) -> None:
    """Put something where a file of the memory should be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        path.rename(path.with_name(f"{path.name}-before"))
    path.unlink(missing_ok=True)
    if isinstance(what, bytes):
        path.write_bytes(what)
        return
    match what:
        case "folder":
            path.mkdir()
        case "full folder":
            (path / "deep").mkdir(parents=True)
            (path / "deep/x.md").write_bytes(b"\xff")
        case "pipe":
            os.mkfifo(path)
        case "socket":
            # The path of a socket must be short, whatever the folder of the tests is called.
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                with socket.socket(socket.AF_UNIX) as made:
                    made.bind(f"/proc/self/fd/{folder}/{path.name}")
            finally:
                os.close(folder)
        case "link out":
            path.symlink_to(outside / "secret.md")
        case "link to nothing":
            path.symlink_to(outside / "nothing.md")
        case "link to itself":
            path.symlink_to(path.name)
        case "link to a folder":
            path.symlink_to(outside)
        case "huge":
            with path.open("wb") as file:
                file.truncate(1 << 30)
        case "closed":
            path.write_text("closed")
            path.chmod(0)


def use(memory, words: str) -> None:
    """Use every verb that reads or writes; a refusal must be about the thing that is in the way."""
    assert memory.recall(words) is not None
    assert memory.search(words) is not None
    assert memory.prompt().text is not None
    memory.context()
    memory.log()
    memory.verify()
    memory.stats()
    memory.forget(words, dry_run=True)
    memory.save(f"Say {words}", scope="project")
    memory.dream(dry_run=True, force=True)
    memory.extract([{"role": "user", "content": f"we say {words}"}], session=words)
    memory.doctor()
    assert "/memories" in MemoryFolder(memory).view("/memories")


@given(
    place=st.sampled_from(PLACES),
    what=st.sampled_from(KINDS) | st.binary(max_size=40),
    scope=st.sampled_from(list(Scope)),
)
@example(place="MEMORY.md", what=b"caf\xe9\n", scope=Scope.PROJECT)
@example(place="MEMORY.md", what="full folder", scope=Scope.PROJECT)
@example(place="MEMORY.md", what="link out", scope=Scope.USER)
@example(place="project", what=b"a file", scope=Scope.PROJECT)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.slow
def test_one_bad_file_stops_no_verb_of_any_project(
    open_memory, tmp_path_factory, place, what, scope
):
    top = tmp_path_factory.mktemp("bad")
    outside = top / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("SECRET-WORD\n")
    for name in ("one", "two"):
        (top / name / ".git").mkdir(parents=True)
    one = open_memory(top / "one", home=top / "home")
    one.remember("Deploys happen on Tuesday", scope="project")
    one.remember("I like plums", scope="user")
    root = Path(one.workspace.memory_root(scope))
    put(root / place, what, outside)
    words = "trains run on time"
    if place not in ("user", "project"):  # a folder of topics that cannot be entered is in the way
        assert one.remember(f"The {words}", scope=scope).run
    use(one, words)
    one.close()

    again = open_memory(top / "one", home=top / "home")
    use(again, "plums")
    other = open_memory(top / "two", home=top / "home")
    if scope is Scope.PROJECT or place not in ("user", "project"):
        assert other.remember("The other project is blue", scope="user").run
        assert other.remember("Builds are green", scope="project").run
    use(other, "green builds")
    assert "SECRET-WORD" not in again.prompt().text
    assert (outside / "secret.md").read_text() == "SECRET-WORD\n"
    assert sorted(outside.iterdir()) == [outside / "secret.md"]
    again.close()
    other.close()


@pytest.mark.parametrize("what", [b"caf\xe9: my own line\n", "folder", "pipe", "link out"])
def test_a_catalog_that_cannot_be_used_is_kept_in_plain_sight_and_told(open_memory, tmp_path, what):
    memory = open_memory()
    root = Path(memory.workspace.project_memory)
    put(root / "MEMORY.md", what, tmp_path)
    done = memory.store.apply(
        [Change(f"{root}/user/t.md", "---\nname: T\ntype: user\n---\n\nx\n", None)],
        RunInfo(verb="test"),
    )
    [kept] = root.glob("MEMORY.md-*.unreadable")
    if isinstance(what, bytes):
        assert kept.read_bytes() == what
    assert "[T](user/t.md)" in (root / "MEMORY.md").read_text()
    assert any(kept.name in note for note in done.catalog_notes)
    assert memory.journal.pending_ids() == []
    told = [item for item in open_memory().doctor() if item.code == "catalog_set_aside"]
    assert [item.path for item in told] == [str(kept)]
    assert {item.code for item in memory.verify().problems} <= {"not_private"}


def interrupted(memory, path, text, monkeypatch):
    """Leave a run recorded and not carried out, as a killed process does."""

    def killed(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.store.apply([Change(str(path), text, None)], RunInfo(verb="test"))


def test_a_run_that_cannot_be_settled_waits_and_stops_no_other(open_memory, tmp_path, monkeypatch):
    (tmp_path / "two/.git").mkdir(parents=True)
    one, two = open_memory(), open_memory(tmp_path / "two")
    stuck = Path(one.workspace.project_memory, "deep", "stuck.md")
    fine = Path(one.workspace.project_memory, "fine.md")
    interrupted(one, stuck, "stuck\n", monkeypatch)
    stuck.parent.rename(tmp_path / "away")
    stuck.parent.symlink_to(tmp_path / "away")
    interrupted(two, Path(two.workspace.project_memory, "x.md"), "two\n", monkeypatch)
    again = open_memory(tmp_path / "two")
    codes = sorted(item.code for item in again.notices)
    assert codes == ["run_parked", "run_recovered"]
    [told] = [item for item in again.notices if item.code == "run_parked"]
    assert "waits" in told.message
    assert again.remember("Builds are green").run
    assert one.store.apply([Change(str(fine), "fine\n", None)], RunInfo(verb="test")).run
    assert [item.code for item in one.verify().problems if "parked" in item.code] == ["run_parked"]
    assert not (tmp_path / "away" / "stuck.md").exists()

    stuck.parent.unlink()
    (tmp_path / "away").rename(stuck.parent)
    assert len(one.store.recover()) == 1
    assert stuck.read_text() == "stuck\n"
    assert one.journal.pending_ids() == []


def test_an_interrupted_write_into_another_project_is_finished_from_anywhere(
    open_memory, tmp_path, project, monkeypatch
):
    (tmp_path / "two/.git").mkdir(parents=True)
    one = open_memory()
    interrupted(one, project / "AGENTS.md", "# Rules\n", monkeypatch)
    other = open_memory(tmp_path / "two")
    assert [item.code for item in other.notices] == ["run_recovered"]
    assert (project / "AGENTS.md").read_text() == "# Rules\n"


def test_an_interrupted_write_is_not_finished_through_a_link_put_there_since(
    open_memory, tmp_path, project, monkeypatch
):
    victim = tmp_path / "victim.md"
    victim.write_text("victim\n")
    one = open_memory()
    (project / "docs").mkdir()
    interrupted(one, project / "docs" / "note.md", "new\n", monkeypatch)
    (project / "docs/note.md").symlink_to(victim)
    assert "run_parked" in [item.code for item in open_memory().notices]
    (project / "docs/note.md").unlink()
    (project / "docs").rename(project / "old")
    (project / "docs").symlink_to(tmp_path)
    assert "run_parked" in [item.code for item in open_memory().notices]
    assert victim.read_text() == "victim\n"
    assert not (tmp_path / "note.md").exists()
