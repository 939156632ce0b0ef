"""From files to the database and back: the same memory, its journal and its history included."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.errors import RunNotFound
from reverie.memory import Memory
from reverie.postgres.place import Place
from reverie.types import PortableFile
from tests.conftest import NO_MODEL, FakeClock
from tests.contract.test_carrying import export_with, run_on
from tests.verbs.test_moving import furnished, held

pytestmark = pytest.mark.slow


def log_of(memory: Memory) -> list[tuple[object, ...]]:
    return [
        (run.id, run.at, run.verb, run.status, run.undoes, run.undone_by)
        for run in memory.log(limit=200)
        if run.verb != "import"
    ]


def texts_of(memory: Memory) -> dict[str, list[tuple[str | None, str | None]]]:
    return {
        run.id: [(item.before, item.after) for item in memory.journal.deltas(run.id)]
        for run in memory.log(limit=200)
        if run.verb != "import"
    }


def dated(files: dict[str, PortableFile]) -> dict[str, tuple[str, datetime | None]]:
    return {at: (item.text, item.updated) for at, item in files.items()}


def opened(root: Path, clock: FakeClock) -> Memory:
    (root / "project").mkdir(parents=True)
    return Memory.open(root / "project", home=root / "home", env=NO_MODEL, clock=clock)


@pytest.mark.parametrize("to", ["jsonl", "folder"])
def test_a_memory_goes_to_the_database_and_comes_home_unchanged(tmp_path, open_at, place, to):
    clock = FakeClock(datetime(2026, 5, 1, 12, 0, tzinfo=UTC))
    with opened(tmp_path / "one", clock) as here:
        kept, _ = furnished(here, clock)
        here.export(tmp_path / "out", to=to, with_journal=True)
        files, log, texts = dated(held(here)), log_of(here), texts_of(here)
        turns = here.layers.history.latest(10).turns

    service = open_at(place)
    brought = service.import_(tmp_path / "out", allow=["context", "history", "state"])
    assert (brought.held, brought.waiting) == ((), ())
    assert (brought.dropped, brought.refused, brought.problems) == ((), (), ())
    assert dated(held(service)) == files
    assert (log_of(service), texts_of(service)) == (log, texts)
    assert service.layers.history.latest(10).turns == turns
    assert service.state.read_state("meta.json")["n"] == 3
    again = service.import_(tmp_path / "out")
    assert (again.runs, again.known) == ((), brought.counts)
    service.export(tmp_path / "back", to=to, with_journal=True)

    with opened(tmp_path / "two", clock) as there:
        assert there.import_(tmp_path / "back", allow=["context", "history", "state"]).dropped == ()
        assert dated(held(there)) == files
        assert (log_of(there), texts_of(there)) == (log, texts)
        assert there.layers.history.latest(10).turns == turns
        topic = there.store.topics()[0]
        assert {line.run for line in there.blame(topic.path)} == {kept}
        there.undo(kept)
        assert not there.store.topics()
    service.undo(kept)
    assert not service.store.topics()


def test_an_import_into_one_project_reaches_no_journal_of_another(tmp_path, open_at, place):
    """A run in another project's journal could be undone there, which would write its text."""
    other = open_at(Place(place.tenant, place.owner, "another"))
    at = "home/projects/another/memory/project/evil.md"
    open_at(place).import_(export_with(tmp_path / "evil.jsonl", *run_on(at)))
    with pytest.raises(RunNotFound):
        other.undo("20260501-120000-deadbeef")
    assert other.log() == []
    assert other.store.topics() == []
