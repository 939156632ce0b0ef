"""A new embedder whose vectors are still being made: another index answers meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from reverie.memory import searching
from reverie.memory.filling import Filling, anything_fills
from reverie.models import embedders

FILES = 600
FIRST = 32  # chunks that are embedded before anybody looks at the clock


class Slow:
    """An embedder that stops after its first batch until it is told to go on."""

    identity = "slow/1"
    dimension = 2

    def __init__(self) -> None:
        self.embedded = 0
        self.go_on = threading.Event()

    def embed(self, texts: Iterable[str]) -> list[list[float]]:
        wanted = list(texts)
        if self.embedded and len(wanted) > 1:
            assert self.go_on.wait(60)
        self.embedded += len(wanted)
        return [[float(len(text)), 1.0] for text in wanted]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, project: Path) -> Slow:
    embedder = Slow()
    monkeypatch.setattr(embedders, "open_embedder", lambda *_: embedder)
    monkeypatch.setattr(searching, "SLOW_SYNC_SECONDS", 0.0)
    (project / "memory").mkdir()
    for number in range(FILES):
        path = project / f"memory/note-{number:03}.md"
        path.write_text(f"# Note {number}\n\nThe heron {number} sleeps in a harbour.\n", "utf-8")
    return embedder


def test_a_search_does_not_wait_for_a_new_embedder_and_says_who_answered(open_memory, slow):
    memory = open_memory(settings={"embedder.provider": "ollama"})
    found = memory.search("heron 599 harbour")
    assert found.results[0].path == "memory/note-599.md"
    assert any("still being made" in warning for warning in found.warnings)
    assert slow.embedded < FILES
    assert anything_fills()

    slow.go_on.set()
    memory._filling._thread.join(60)
    assert not anything_fills()
    again = memory.search("heron 599 harbour")
    assert not again.warnings
    assert slow.embedded >= FILES
    assert memory.stats().embedding_model == "slow/1"


def test_while_vectors_are_made_nobody_waits_for_them_again(open_memory, slow, monkeypatch):
    memory = open_memory(settings={"embedder.provider": "ollama"})
    memory.search("heron 1 harbour")
    with monkeypatch.context() as during:
        during.setattr(memory, "_catch_up", lambda *_: pytest.fail("it waits for the vectors"))
        assert memory.search("heron 599 harbour").results[0].path == "memory/note-599.md"
        assert memory.remember("The heron of the harbour is called Gustav.").action == "added"
        assert memory.recall("How is the heron of the harbour called?").topics
    slow.go_on.set()
    memory._filling._thread.join(60)
    assert not memory.search("heron 599 harbour").warnings


def test_closing_stops_the_filling_and_the_next_one_goes_on_where_it_stopped(open_memory, slow):
    memory = open_memory(settings={"embedder.provider": "ollama"})
    memory.search("heron")
    slow.go_on.set()
    memory.close()
    assert not memory.__dict__.get("_filling")
    once = slow.embedded
    with open_memory(settings={"embedder.provider": "ollama"}) as other:
        other.index()
        assert not other.search_index.is_filling()
    assert slow.embedded <= FILES + 20  # nothing was embedded twice but single questions
    assert once >= FIRST  # of what was made before, nothing was lost


def test_an_index_that_is_whole_is_never_stood_in_for(open_memory, project, monkeypatch):
    monkeypatch.setattr(Filling, "instead", lambda _: pytest.fail("nobody has to wait"))
    monkeypatch.setattr(embedders, "open_embedder", lambda *_: Slow())
    (project / "memory").mkdir()
    (project / "memory/a.md").write_text("# A\n\nThe heron sleeps.\n", "utf-8")
    memory = open_memory(settings={"embedder.provider": "ollama"})
    assert memory.search("heron").results
    assert not memory.search_index.is_filling()


def test_indexing_tells_after_each_step_how_many_files_are_left(open_memory, slow):
    slow.go_on.set()
    memory = open_memory(settings={"embedder.provider": "ollama"})
    monkey = pytest.MonkeyPatch()
    monkey.setattr(searching, "_STEP_SECONDS", 0.0)
    left: list[int] = []
    try:
        done = memory.index(on_step=lambda step: left.append(step.left))
    finally:
        monkey.undo()
    assert left
    assert left == sorted(left, reverse=True)
    assert done.files == FILES
    assert done.left == 0
    assert done.current
