"""Any text can stand where a path is expected, and any bytes where a file system keeps a name."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie import Memory
from reverie.errors import InvalidContent, InvalidPath, NotAFile, ReverieError, TargetExists
from reverie.types import RunInfo, Scope
from tests.conftest import NO_MODEL
from tests.examples import examples

ODD = {
    "NUL": "a\0b.md",
    "half a character": "\ud800.md",
    "a byte that is no text": "\udcff.md",
    "a long name": "x" * 300 + ".md",
    "a long name of wide characters": "😀" * 80,
    "a long path": "a/" * 2500 + "x",
    "a long path from the root": "/" + "a/" * 2500,
    "a very long name": "x" * 200_000,
    "a link to itself": "loop",
    "below a link to itself": "loop/x.md",
    "below a file": "file/x.md",
    "a pipe": "pipe",
    "a turn that cannot be": "chat://" + "9" * 5000,
    "another person's home": "~nobody/x.md",
    "a device": "/dev/null",
    "nothing": "",
    "a blank": " ",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "loop").symlink_to("loop")
    (folder / "file").write_text("x")
    os.mkfifo(folder / "pipe")
    return folder


def _opened(project: Path) -> Memory:
    home = project.parent / "home"
    return Memory.open(project, home=home, env={**NO_MODEL, "HOME": str(project.parent)})


VERBS: dict[str, Callable[[Memory, str], object]] = {
    "log": lambda memory, text: memory.log(path=text),
    "blame": lambda memory, text: memory.blame(text),
    "get": lambda memory, text: memory.get(text),
    "lines of get": lambda memory, text: memory.get("MEMORY.md", text),
    "diff": lambda memory, text: memory.diff(text),
    "undo": lambda memory, text: memory.undo(text),
    "trust": lambda memory, text: memory.trust(text, trusted=None),
    "trusted": lambda memory, text: memory.trusted(text),
    "index": lambda memory, text: memory.index([text]) if text.strip() else None,
    "remove from the index": lambda memory, text: memory.index([text], remove=True),
    "include": lambda memory, text: memory.context(include=[text]) if text else None,
    "extension": lambda memory, text: memory.context(extensions=[text]) if text else None,
    "topic": lambda memory, text: memory.topic(Scope.USER, text),
    "edit": lambda memory, text: memory.edit(Scope.USER, text, "x", base=""),
    "a receipt": lambda memory, text: memory.verify_forgotten(text),
    "import": lambda memory, text: memory.import_(text, dry_run=True) if text.strip() else None,
    "approve": lambda memory, text: memory.approve(text),
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_text_where_a_path_is_expected_raises_anything_but_our_errors(
    project: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.chdir(project)
    with _opened(project) as memory:
        for text in ODD.values():
            try:
                VERBS[verb](memory, text)
            except ReverieError as error:
                assert str(error)


@pytest.mark.parametrize("text", list(ODD.values())[:8])
def test_what_no_file_can_be_called_is_named_and_refused(project: Path, text: str) -> None:
    with _opened(project) as memory, pytest.raises(InvalidPath) as refused:
        memory.log(path=text)
    assert len(str(refused.value)) < 700


@pytest.mark.parametrize(
    "text", [*list(ODD.values())[:8], "loop", "loop/x.md", "file/x.md", "pipe"]
)
def test_a_workspace_or_home_that_cannot_be_is_refused_in_words(
    project: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(project)
    with pytest.raises(ReverieError):
        Memory.open(
            text, home=project.parent / "home", env={**NO_MODEL, "HOME": str(project.parent)}
        )
    for env in ({"HOME": text}, {"HOME": "/nowhere", "REVERIE_HOME": text}):
        with pytest.raises(ReverieError):
            Memory.open(project, env=env).remember("The build uses ninja.")


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_text_can_be_typed_where_a_path_is_expected(project: Path, text: str) -> None:
    with _opened(project) as memory:
        for verb in ("log", "blame", "get", "diff", "trusted"):
            try:
                VERBS[verb](memory, text)
            except ReverieError as error:
                assert str(error)


def test_half_a_character_is_refused_as_text_and_written_out_in_notes(project: Path) -> None:
    with _opened(project) as memory:
        for text in ("The build uses \ud800 ninja.", "The build uses \udcff ninja."):
            with pytest.raises(InvalidContent, match="half a character"):
                memory.remember(text)
        memory.remember("The build uses ninja.", info=RunInfo("remember", session="a\ud800b"))
        assert memory.log()[0].session == "a\\ud800b"


# --- names that are bytes -------------------------------------------------------------------------


def _bytes(folder: Path, name: bytes) -> Path:
    return Path(os.fsdecode(os.fsencode(folder) + b"/" + name))


@pytest.mark.parametrize("place", ["repository", "own memory"])
def test_a_name_that_is_no_text_stops_no_search_and_is_told(project: Path, place: str) -> None:
    with _opened(project) as memory:
        root = project / "memory" if place == "repository" else Path(memory.workspace.user_memory)
        for folder in (root, _bytes(root, b"caf\xe9"), _bytes(root, b"caf\xe9.md")):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "topic.md").write_text("# Topic\n\nThe zebra crosses at noon.\n")
        _bytes(root, b"na\xefve.md").write_text("# Topic\n\nThe zebra is naive.\n")
        found = memory.search("zebra", min_score=0.0)
        assert [Path(hit.path).name for hit in found.results] == ["topic.md"]
        problems = memory.stats().problems
        assert len(problems) == 3
        assert all("not UTF-8" in item.message for item in problems)
        assert not memory.index().problems  # told once, and known from then on


def test_a_project_whose_folder_is_no_text_can_be_worked_in(tmp_path: Path) -> None:
    project = _bytes(tmp_path, b"caf\xe9")
    (project / ".git").mkdir(parents=True)
    (project / "memory").mkdir()
    (project / "memory/topic.md").write_text("# Topic\n\nThe zebra crosses at noon.\n")
    (project / "memory/bad.md").write_bytes(b"zebra \xff\n")
    (project / "AGENTS.md").write_text("Read this.\n")
    with _opened(project) as memory:
        memory.remember("The zebra likes grass.")
        assert "zebra" in memory.recall("zebra").block
        assert any(
            hit.path == "memory/topic.md" for hit in memory.search("zebra crosses noon").results
        )
        assert memory.stats().total_files
        assert "Read this." in memory.context().text
        memory.trust()
        with pytest.raises(InvalidPath, match="not UTF-8"):
            memory.save("a fact", scope="project")


# --- where an export goes -------------------------------------------------------------------------


@pytest.mark.parametrize("to", ["folder", "jsonl", "git"])
@pytest.mark.parametrize("there", [True, False])
def test_an_export_is_not_written_through_a_link_of_the_repository(
    project: Path, to: str, there: bool
) -> None:
    outside = project.parent / "outside"
    if there:
        outside.write_text("mine\n") if to == "jsonl" else outside.mkdir()
    (project / "backup").symlink_to(outside)
    with _opened(project) as memory, pytest.raises(TargetExists, match="is a link"):
        memory.export(project / "backup", to=to, force=True)  # type: ignore[arg-type]
    assert not there or to != "jsonl" or outside.read_text() == "mine\n"
    assert there or not outside.exists()


# --- bad names and halves in memory folders -------------------------------------------------------


def _plant(root: Path, kind: str) -> None:
    if kind == "bytes in a name":
        _bytes(root, b"caf\xe9.md").write_text("---\nname: a\n---\nThe zebra is here.\n")
    elif kind == "bytes in a folder":
        _bytes(root, b"caf\xe9").mkdir()
        (_bytes(root, b"caf\xe9") / "a.md").write_text("The zebra is here.\n")
    elif kind == "escaped halves":
        (root / "half.md").write_text(
            '---\nname: "\\ud800"\ndescription: "\\ude00 zebra"\ntype: user\n---\nA zebra.\n'
        )
    elif kind == "too deep":
        here = os.open(root, os.O_RDONLY)
        for _ in range(400):
            os.mkdir("d" * 12, dir_fd=here)
            below = os.open("d" * 12, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)
    else:
        (root / "MEMORY.md").unlink(missing_ok=True)
        (root / "MEMORY.md").symlink_to("/etc/passwd")


@pytest.mark.parametrize("scope", list(Scope))
@pytest.mark.parametrize(
    "kind",
    ["bytes in a name", "bytes in a folder", "escaped halves", "too deep", "a linked catalog"],
)
@pytest.mark.slow
def test_no_odd_file_in_a_memory_stops_a_verb_of_any_project(
    project: Path, tmp_path: Path, kind: str, scope: Scope
) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    with _opened(project) as memory:
        memory.initialise()
        _plant(Path(memory.workspace.memory_root(scope)), kind)
    for folder in (project, other):
        with _opened(folder) as memory:
            memory.prompt("zebra")
            memory.remember(f"The giraffe of {folder.name} likes leaves.")
            assert "giraffe" in memory.recall("giraffe").block
            assert memory.search("giraffe").results
            memory.stats()
            memory.doctor()
            memory.verify()
            memory.dream()
            memory.forget("zebra", dry_run=True)
            memory.export(tmp_path / f"export-{folder.name}")


def test_halves_that_were_escaped_one_by_one_are_one_character(project: Path) -> None:
    with _opened(project) as memory:
        memory.initialise()
        root = Path(memory.workspace.user_memory)
        (root / "smile.md").write_text(
            '---\nname: "zebra \\ud83d\\ude00"\ndescription: a\ntype: user\n---\nStripes.\n'
        )
        (root / "half.md").write_text(
            '---\nname: "zebra \\ud83d"\ndescription: a\ntype: user\n---\nStripes.\n'
        )
        names = {topic.name for topic in memory.store.topics()}
    assert names == {"zebra \N{GRINNING FACE}", "zebra \N{REPLACEMENT CHARACTER}"}


def test_a_socket_in_the_place_of_a_context_file_is_called_what_it_is(project: Path) -> None:
    folder = os.open(project, os.O_RDONLY)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{folder}/AGENTS.md")
    finally:
        os.close(folder)
    with _opened(project) as memory, pytest.raises(NotAFile):
        memory.save("a fact", scope="project")
