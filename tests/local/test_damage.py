"""Whatever happens to a file that is derived from the memory, the answers are those that the files give."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.memory import Memory
from tests.damage import Letters, ask, damage, fill, overwrite

Open = Callable[..., Memory]


@pytest.fixture
def filled(open_memory: Open, project: Path) -> Memory:
    """Return a closed memory with everything in every index."""
    memory = open_memory(embedder=Letters())
    fill(memory, project)
    ask(memory)
    memory.close()
    shutil.rmtree(Path(memory.workspace.state) / "index")  # so that every index is a fresh one
    return memory


def derived(memory: Memory) -> list[Path]:
    """Return the files that are made from the memory."""
    state = Path(memory.workspace.state)
    found = [
        *state.glob("index/**/*"),
        *state.glob("recall/*"),
        *state.glob("agents/**/history.db"),
    ]
    return sorted(path for path in found if path.is_file() and path.suffix != ".lock")


def check_damaged(
    memory: Memory, open_memory: Open, spare: Path, *, seed: int, trials: int, running: bool
) -> None:
    """Damage one file or several at a time; what is answered stays the same, and the index too."""
    state = Path(memory.workspace.state)
    first = open_again(open_memory)
    expected = ask(first)
    first.close()
    files = derived(memory)
    assert {path.suffix for path in files} >= {".seg", ".db", ".words"}
    shutil.copytree(state, spare)
    rng = random.Random(seed)
    for trial in range(trials):
        opened = open_again(open_memory)
        if running:
            ask(opened)
        told = [damage(rng, files, path) for path in rng.sample(files, rng.choice((1, 1, 3)))]
        assert ask(opened) == expected, (seed, trial, told)
        opened.close()
        assert ask(open_again(open_memory)) == expected, (seed, trial, told, "afterwards")
        restore(spare, state)


def open_again(open_memory: Open) -> Memory:
    return open_memory(embedder=Letters())


def restore(spare: Path, state: Path) -> None:
    for folder in ("index", "recall", "agents"):
        shutil.rmtree(state / folder)
        shutil.copytree(spare / folder, state / folder)


@pytest.mark.slow
@pytest.mark.parametrize("running", [False, True], ids=["opened", "running"])
def test_damage_never_changes_an_answer(filled, open_memory, tmp_path, running):
    check_damaged(filled, open_memory, tmp_path / "spare", seed=7, trials=8, running=running)


def test_a_segment_cut_short_under_a_running_process_does_not_kill_it(
    open_memory, project, monkeypatch
):
    monkeypatch.setattr("reverie.local.blocks._LARGE", 0)  # read as needed, as a large one is
    memory = open_memory(embedder=Letters())
    fill(memory, project)
    expected = ask(memory)
    memory.close()
    again = open_memory(embedder=Letters())
    again.stats()
    for path in Path(memory.workspace.state).rglob("*.seg"):
        overwrite(path, path.read_bytes()[:300])
    assert ask(again) == expected


def test_a_damaged_index_is_told_once(filled, open_memory):
    open_memory(embedder=Letters()).search("heron")
    for path in derived(filled):
        if path.suffix == ".seg":
            overwrite(path, path.read_bytes()[:-1] + b"?")
    memory = open_memory(embedder=Letters())
    outcome = memory.search("heron")
    assert any("made anew" in warning for warning in outcome.warnings)
    assert not memory.search("heron").warnings
