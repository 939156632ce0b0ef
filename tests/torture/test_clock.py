"""A clock that jumps, back by years or ahead by decades: nothing is lost or told in a wrong order."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from reverie.memory import Memory
from tests.daemon.conftest import start
from tests.torture.amount import SEED, rounds

ROUNDS = rounds(5)
__all__ = ["start"]

MOMENTS = [
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2026, 3, 29, 1, 0, tzinfo=UTC),  # when clocks change
    datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
    datetime(2100, 2, 28, tzinfo=UTC),
]

pytestmark = [pytest.mark.slow, pytest.mark.torture]


class Jumping:
    """A clock that is somewhere else each time it is looked at."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice

    def __call__(self) -> datetime:
        return self.dice.choice(MOMENTS) + timedelta(seconds=self.dice.randrange(10**6))


def test_whatever_the_clock_says_memory_is_kept_in_the_order_it_was_written(project, tmp_path):
    dice = random.Random(SEED)
    runs: list[str] = []
    for number in range(ROUNDS):
        with Memory.open(project, home=tmp_path / "base", clock=Jumping(dice)) as memory:
            kept = memory.remember(f"Crate {number} stands in hall {number * 7}", clean=True)
            runs.append(kept.run)
            memory.dream()
            memory.dream(force=True)
            memory.layers.add_note(f"note {number}")
            memory.recall(f"where is crate {number}?")
            memory.search(f"crate {number}")
            memory.doctor()
            assert memory.verify().ok
    with Memory.open(project, home=tmp_path / "base", clock=Jumping(dice)) as memory:
        told = [run.id for run in memory.log(limit=10_000) if run.verb == "remember"]
        assert told == runs[::-1], f"seed {SEED}"
        words = "\n".join(topic.text for topic in memory.store.topics())
        assert all(f"Crate {number} stands" in words for number in range(ROUNDS))
        memory.undo(runs[0])
        gone = [topic for topic in memory.store.topics() if "Crate 0 stands" in topic.text]
        assert not gone
        assert Path(memory.workspace.state, "journal.db").exists()


def test_a_daemon_whose_clock_jumps_does_every_task_in_order_and_keeps_its_clients(start, project):
    dice = random.Random(SEED)
    known = ""
    for life in range(2):
        daemon = start(opener=partial(Memory.open, clock=Jumping(dice)))
        with daemon.client(client_id=known) as client:
            known = known or client.register().client_id
            tasks = []
            for number in range(ROUNDS):
                words = f"Crate {life}-{number} stands in hall {number * 7}"
                tasks.append(client.remember(words, context_mode="clean"))
                client.recall(words)
                if number % 12 == 11:  # no more may wait than the queue takes
                    client.wait(tasks[-1], timeout=60)
            for task in tasks:
                done = client.wait(task, timeout=60)
                assert done.status.value == "completed", (SEED, done)
            assert client.health()
        daemon.stop()
    with Memory.open(project, home=daemon.host.primary.state.parent) as memory:
        runs = [run for run in memory.log(limit=10_000) if run.verb == "remember"][::-1]
        words = [memory.diff(run.id) for run in runs]
        wanted = [f"Crate {life}-{number} stands" for life in range(2) for number in range(ROUNDS)]
        assert all(text in found for text, found in zip(wanted, words, strict=True)), SEED
        assert memory.verify().ok
