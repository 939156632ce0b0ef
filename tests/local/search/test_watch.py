"""The watcher: whatever happens to files is in the index soon after, by events or by looking."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reverie.config import SearchSettings
from reverie.local.search.watch import watch
from reverie.memory import Memory
from reverie.types import Indexed

QUICK = SearchSettings(debounce_seconds=0.05)
PATIENCE = 20.0


class Watcher:
    """A watcher in a thread, and a way to wait for what it found."""

    def __init__(self, memory: Memory, *, poll: bool) -> None:
        self.stop = threading.Event()
        self._seen = threading.Condition()
        self.total = Indexed(0, 0, 0, 0)
        self.started = False
        index = memory.search_index
        self.thread = threading.Thread(
            target=lambda: watch(index, self._note, settings=QUICK, stop=self.stop, poll=poll)
        )
        self.thread.start()
        self.wait(lambda _: self.started)

    def _note(self, done: Indexed) -> None:
        with self._seen:
            self.started = True
            self.total = Indexed(
                self.total.files + done.files, self.total.removed + done.removed, 0, 0
            )
            self._seen.notify_all()

    def wait(self, enough: Callable[[Indexed], bool]) -> None:
        with self._seen:
            assert self._seen.wait_for(lambda: enough(self.total), PATIENCE), self.total

    def close(self) -> None:
        self.stop.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@pytest.fixture(params=["events", "polling"])
def watcher(request: pytest.FixtureRequest, memory: Memory) -> Iterator[Watcher]:
    watcher = Watcher(memory, poll=request.param == "polling")
    yield watcher
    watcher.close()


pytestmark = pytest.mark.slow


def texts(memory: Memory, query: str) -> list[str]:
    """What the index has, without looking at the files first."""
    from reverie.verbs.search import search

    return [hit.text for hit in search(query, index=memory.search_index).results]


def test_creating_editing_replacing_renaming_and_removing_are_taken_in(watcher, memory, project):
    folder = project / "memory"
    folder.mkdir()
    path = folder / "a.md"
    path.write_text("The fox is red.\n", encoding="utf-8")
    watcher.wait(lambda total: total.files >= 1)
    assert texts(memory, "fox") == ["The fox is red."]

    path.write_text("The owl is grey and old.\n", encoding="utf-8")
    watcher.wait(lambda total: total.files >= 2)
    assert texts(memory, "owl") == ["The owl is grey and old."]

    temp = folder / ".a.md.swp"
    temp.write_text("The elk is brown and large.\n", encoding="utf-8")
    temp.replace(path)
    watcher.wait(lambda total: total.files >= 3)
    assert texts(memory, "elk") == ["The elk is brown and large."]

    path.rename(folder / "b.md")
    watcher.wait(lambda total: total.removed >= 1)
    assert texts(memory, "elk") == ["The elk is brown and large."]

    (folder / "b.md").unlink()
    watcher.wait(lambda total: total.removed >= 2)
    assert texts(memory, "elk") == []


def test_thousands_of_files_in_new_folders_at_once_are_all_taken_in(watcher, memory, project):
    for number in range(1500):
        path = project / f"memory/{number % 7}/deep/{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"note {number}\n", encoding="utf-8")
    watcher.wait(lambda total: total.files >= 1500)
    assert memory.search_index.stats().total_files == 1500


def test_the_main_file_and_managed_memory_are_watched_too(watcher, memory, project):
    (project / "MEMORY.md").write_text("A fox.\n", encoding="utf-8")
    watcher.wait(lambda total: total.files >= 1)
    managed = Path(memory.workspace.user_memory) / "user"
    managed.mkdir(parents=True)
    (managed / "note.md").write_text("An owl.\n", encoding="utf-8")
    watcher.wait(lambda total: total.files >= 2)
    assert texts(memory, "owl") == ["An owl."]


def test_a_failure_is_told_and_watching_goes_on(memory, project, monkeypatch):
    from reverie.errors import DiskFull

    index = memory.search_index
    real, failures = index.sync, [DiskFull("no space left")]

    def sync(**options: object) -> Indexed:
        if failures:
            raise failures.pop()
        return real(**options)  # type: ignore[arg-type]

    monkeypatch.setattr(index, "sync", sync)
    told: list[Indexed] = []
    stop = threading.Event()

    def note(done: Indexed) -> None:
        told.append(done)
        if len(told) == 1:
            (project / "MEMORY.md").write_text("A fox.\n", encoding="utf-8")
        else:
            stop.set()

    watch(index, note, settings=QUICK, stop=stop, poll=True)
    assert (told[0].current, told[0].problems[0].code) == (False, "disk_full")
    assert told[1].files == 1
