"""Batches prepared by other processes: what is made is the same, whoever made it and whatever fails."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from reverie.local.search import batches
from reverie.local.search.preparing import receive, send
from reverie.memory import Memory
from reverie.models.embedded import EmbeddedEmbedder
from tests.local.search.test_index import say, segments, write

ANIMALS = ("heron", "lynx", "otter", "猫", "marten")


class Lengths:
    """An embedder that must stay where it is: it counts what it is given."""

    identity = "lengths/1"
    dimension = 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]:
        given = list(texts)
        self.texts += given
        return [[1.0, float(len(text))] for text in given]


def fill(memory: Memory, project: Path) -> None:
    """Write files of every kind: with many parts, with none, without text, and turns."""
    for number in range(40):
        animal = ANIMALS[number % len(ANIMALS)]
        parts = [f"# Part {k}\n\nThe {animal} {number} ate {k} fish." for k in range(6)]
        write(project, {f"memory/{number:03d}.md": "\n\n".join(parts)})
        say(memory, number + 1, f"Where is the {animal} number {number}?", "In the reeds.")
    write(project, {"memory/empty.md": ""})
    (project / "memory" / "bytes.md").write_bytes(b"\xff\xfe\x00 no text")


def state(memory: Memory) -> object:
    """Return everything the bookkeeping says, but for what is drawn or depends on the moment."""
    found = []
    for root in memory.search_index.roots:
        index = memory.search_index._index(root, memory.search_index._embedder.get())
        if not index.exists():
            continue
        with index.reading() as snapshot:
            db = snapshot.db.db
            files = db.execute("SELECT * FROM file ORDER BY path").fetchall()
            chunks = db.execute("SELECT * FROM chunk ORDER BY id").fetchall()
            words = [
                (list(part.ids), list(part.lengths), list(part.terms), bytes(part.vectors))
                for part in snapshot.segments
            ]
            found.append((root.name, [(*row[:2], *row[3:]) for row in files], chunks, words))
    return found


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have any work prepared by two processes, in several batches, of which all are joined in the end."""
    monkeypatch.setattr(batches, "_MUCH", 0)
    monkeypatch.setattr(batches, "_FIRST_BYTES", 8_000)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


def indexed(
    open_memory: Callable[..., Memory], tmp_path: Path, name: str, **options: object
) -> Memory:
    memory = open_memory(home=tmp_path / name, **options)
    fill(memory, Path(memory.workspace.base))
    done = memory.index()
    assert [problem.code for problem in done.problems] == ["not_searched"]
    return memory


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["none", "embedded"])
def test_processes_make_the_index_that_one_would_have_made(
    open_memory, tmp_path, at_once, monkeypatch, provider
):
    options = {"settings": {"embedder.provider": provider}}
    asked: list[bool] = []
    ask = batches.Crew._ask
    monkeypatch.setattr(batches.Crew, "_ask", lambda crew, files: _noted(ask(crew, files), asked))
    by_many = indexed(open_memory, tmp_path, "many", **options)
    assert len(asked) > 2
    assert all(asked), "none of it was prepared here"
    monkeypatch.setattr(batches, "_processes", lambda: 0)
    by_one = indexed(open_memory, tmp_path, "one", **options)
    assert state(by_many) == state(by_one)
    found = [memory.search("where is the lynx number 11").results for memory in (by_many, by_one)]
    assert found[0]
    assert [hit.path for hit in found[0]] == [hit.path for hit in found[1]]


def _noted(made: object, asked: list[bool]) -> object:
    asked.append(made is not None)
    return made


@pytest.mark.slow
def test_an_embedder_that_cannot_be_copied_is_asked_here(open_memory, tmp_path, at_once):
    embedder = Lengths()
    memory = indexed(open_memory, tmp_path, "home", embedder=embedder)
    with memory.search_index._index(memory.search_index.roots[0], embedder).reading() as snapshot:
        assert all(part.dimension == 2 for part in snapshot.segments)
    assert len(embedder.texts) >= 40 * 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        [sys.executable, "-c", "raise SystemExit(1)"],
        [sys.executable, "-c", "import os, sys; os.close(int(sys.argv[1])); os._exit(0)"],
        # It answers once, with nothing, and is gone.
        [
            sys.executable,
            "-P",
            "-c",
            "import socket, sys\n"
            "from reverie.local.search.preparing import receive, send\n"
            "line = socket.socket(fileno=int(sys.argv[1]))\n"
            "receive(line), receive(line), send(line, None)",
        ],
        ["/nowhere/python"],
    ],
)
def test_processes_that_fail_cost_time_and_nothing_else(
    open_memory, tmp_path, at_once, monkeypatch, program
):
    monkeypatch.setattr(batches, "_PROGRAM", program)
    memory = indexed(open_memory, tmp_path, "home", settings={"embedder.provider": "none"})
    assert memory.stats().total_files == 81
    assert memory.search("otter").results
    assert segments(memory)


@pytest.mark.slow
def test_another_version_of_the_program_prepares_nothing(
    open_memory, tmp_path, at_once, monkeypatch
):
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text("")
    monkeypatch.setattr("reverie.__file__", str(elsewhere))
    made: list[bool] = []
    ask = batches.Crew._ask
    monkeypatch.setattr(batches.Crew, "_ask", lambda crew, files: _noted(ask(crew, files), made))
    memory = indexed(open_memory, tmp_path, "home", settings={"embedder.provider": "none"})
    assert made
    assert not any(made)
    assert memory.stats().total_files == 81


def test_a_copy_of_an_embedder_gives_the_same_vectors():
    embedder = EmbeddedEmbedder()
    here, there = socket.socketpair()
    with here, there:
        send(here, embedder)
        copy = receive(there)
    assert copy.portable
    texts = ["The heron stands in the reeds.", "", "猫"]
    assert [list(vector) for vector in copy.embed(texts)] == [
        list(vector) for vector in embedder.embed(texts)
    ]


@pytest.mark.slow
def test_what_is_new_beside_an_index_goes_to_processes_and_what_changed_keeps_its_vectors(
    open_memory, project, tmp_path, at_once
):
    embedder = Lengths()
    memory = indexed(open_memory, tmp_path, "home", embedder=embedder)
    before = len(embedder.texts)
    write(project, {f"memory/new-{number}.md": f"The stork {number}." for number in range(30)})
    path = project / "memory" / "000.md"
    path.write_text(
        f"{path.read_text(encoding='utf-8')}\n\n# More\n\nA crane came.", encoding="utf-8"
    )
    done = memory.index()
    assert done.files == 31
    assert len(embedder.texts) - before == 31, "of the changed file only the part that is new"
    assert memory.search("crane").results
    assert memory.search("stork 17").results[0].path == "memory/new-17.md"
