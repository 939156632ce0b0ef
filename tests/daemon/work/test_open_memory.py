"""An opened memory: lent to threads, replaced with its settings, closed when the last gives it back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reverie.daemon.work.open_memory import OpenMemory
from reverie.errors import ConfigError
from reverie.local.settings import project_file, user_file
from reverie.memory import Memory


class Ledger:
    """Which memories were opened, and which of them were closed, in order."""

    def __init__(self, project: Path) -> None:
        self.opened: list[Memory] = []
        self.closed: list[Memory] = []
        self.broken = False
        ledger = self

        class Watched(Memory):
            def close(self) -> None:
                ledger.closed.append(self)
                super().close()

        self._open: Callable[[], Memory] = lambda: Watched.open(project)

    def open(self) -> Memory:
        if self.broken:
            raise ConfigError("a slip in the settings")
        self.opened.append(self._open())
        return self.opened[-1]


@pytest.fixture
def ledger(project: Path) -> Iterator[Ledger]:
    made = Ledger(project)
    yield made
    for memory in made.opened:
        memory.close()


@pytest.fixture
def change(ledger: Ledger) -> Callable[[], None]:
    """Change the settings of the project, by a time that no clock has to reach."""
    times = iter(range(1_000, 2_000))

    def write() -> None:
        memory = ledger.opened[-1]
        path = project_file(memory.workspace, memory.dialect)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}", encoding="utf-8")
        os.utime(path, (at := next(times), at))

    return write


def test_as_long_as_the_settings_stay_it_is_the_same_one(ledger: Ledger) -> None:
    lender = OpenMemory(ledger.open)
    with lender.lend() as one, lender.lend() as two:
        assert one is two
    with lender.lend() as again:
        assert again is one
    assert len(ledger.opened) == 1
    assert ledger.closed == []
    lender.close()
    assert ledger.closed == [one]


@pytest.mark.parametrize("opened_before", [False, True])
def test_settings_written_while_they_are_read_count_the_next_time(
    ledger: Ledger, change: Callable[[], None], opened_before: bool
) -> None:
    """Whoever writes a file empties it first, and for a moment that is what others read."""
    plain = ledger._open
    lender = OpenMemory(ledger.open)
    if opened_before:
        with lender.lend():
            change()

    def opening() -> Memory:
        memory = plain()
        ledger._open = plain
        path = user_file(memory.dialect, home=memory.workspace.home, env=memory.env)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[recall]\nlimit = 2\n", encoding="utf-8")
        return memory

    ledger._open = opening
    with lender.lend() as early:
        pass
    with lender.lend() as late:
        assert late is not early
        assert late.settings.recall.limit == 2
    lender.close()


def test_closed_while_somebody_has_it_it_is_closed_when_they_give_it_back(ledger: Ledger) -> None:
    lender = OpenMemory(ledger.open)
    with lender.lend() as memory, lender.lend():
        lender.close()
        assert ledger.closed == []
    assert ledger.closed == [memory]


def test_a_replaced_one_that_nobody_has_is_closed_at_once(
    ledger: Ledger, change: Callable[[], None]
) -> None:
    lender = OpenMemory(ledger.open)
    with lender.lend() as old:
        pass
    change()
    with lender.lend() as new:
        assert new is not old
        assert ledger.closed == [old]
    lender.close()
    assert ledger.closed == [old, new]


def test_a_replaced_one_is_closed_when_the_last_gives_it_back(
    ledger: Ledger, change: Callable[[], None]
) -> None:
    lender = OpenMemory(ledger.open)
    first, second = lender.lend(), lender.lend()
    old = first.__enter__()
    assert second.__enter__() is old
    change()
    with lender.lend() as new:
        assert new is not old
        first.__exit__(None, None, None)
        assert ledger.closed == []
        second.__exit__(None, None, None)
        assert ledger.closed == [old]
    assert ledger.closed == [old]
    lender.close()
    assert ledger.closed == [old, new]


def test_a_slip_in_the_settings_keeps_the_last_good_ones_and_is_said_once(
    ledger: Ledger, change: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    lender = OpenMemory(ledger.open)
    with lender.lend() as good:
        pass
    change()
    ledger.broken = True
    for _ in range(3):
        with lender.lend() as still:
            assert still is good
    assert caplog.text.count("the old ones stay") == 1
    ledger.broken = False
    change()
    with lender.lend() as new:
        assert new is not good
    lender.close()
    assert ledger.closed == [good, new]


def test_a_slip_at_the_first_opening_is_told(ledger: Ledger) -> None:
    ledger.broken = True
    with pytest.raises(ConfigError), OpenMemory(ledger.open).lend():
        raise AssertionError("nothing to lend")
