"""Kill the daemon at random while tasks are accepted: nothing acknowledged is ever lost.

`make test` runs a few rounds; `make torture` runs as many as REVERIE_TORTURE says.
"""

from __future__ import annotations

import random
import signal
import threading
import time

import pytest

from reverie.errors import DaemonUnreachable, QueueFull, ReverieError
from reverie.memory import Memory
from reverie.types import TaskStatus
from tests.daemon.processes import Process
from tests.torture.amount import SEED, rounds

ROUNDS = rounds(3, share=0.5)

pytestmark = [pytest.mark.slow, pytest.mark.torture]


class Sender(threading.Thread):
    """Sends tasks as fast as they are taken, until nobody answers any more."""

    def __init__(self, daemon: Process, name: str, dice: random.Random) -> None:
        super().__init__()
        self.daemon_process = daemon
        self.name_of_round = name
        self.dice = dice
        self.accepted: dict[str, str] = {}
        self.first = threading.Event()

    def run(self) -> None:
        with self.daemon_process.client() as client:
            number = 0
            while True:
                number += 1
                words = (
                    f"Fact {self.name_of_round} number {number} is {self.dice.getrandbits(64):x}"
                )
                try:
                    if self.dice.random() < 0.1:
                        self.accepted[client.dream().id] = ""
                    else:
                        self.accepted[client.remember(words, context_mode="clean").id] = words
                except QueueFull:
                    continue
                except DaemonUnreachable:
                    return
                finally:
                    if self.accepted:
                        self.first.set()


def settled(daemon: Process, accepted: dict[str, str], context: str) -> dict[str, str]:
    """Wait until every accepted task is over; return the words of those that were completed."""
    done = {}
    with daemon.client() as client:
        for identity, words in accepted.items():
            try:
                task = client.wait(identity, timeout=120)
            except ReverieError as error:
                raise AssertionError(f"{identity} is lost ({context}): {error}") from error
            if task.status is TaskStatus.FAILED:
                assert task.failure.code, context
                assert task.failure.message, context
            else:
                done[identity] = words
    return done


def test_every_accepted_task_ends_and_every_completed_one_is_in_the_files(project, tmp_path):
    home = tmp_path / "base"
    dice = random.Random(SEED)
    completed: dict[str, str] = {}
    open_tasks: dict[str, str] = {}
    total = 0
    for number in range(ROUNDS):
        context = f"seed {SEED}, round {number}"
        with Process(project, home) as daemon:
            completed |= settled(daemon, open_tasks, context)
            sender = Sender(daemon, f"{SEED}-{number}", random.Random(dice.random()))
            sender.start()
            assert sender.first.wait(60), context
            time.sleep(dice.random() * 0.3)  # the random moment itself, not synchronisation
            daemon.end(signal.SIGKILL)
            sender.join(60)
            open_tasks = sender.accepted
            total += len(open_tasks)
    context = f"seed {SEED}, {ROUNDS} rounds, {total} tasks"
    with Process(project, home) as daemon:
        completed |= settled(daemon, open_tasks, context)
        assert daemon.end(signal.SIGTERM)[0] == 0
    with Memory.open(project, home=home) as memory:
        text = "\n".join(topic.text for topic in memory.store.topics())
        for identity, words in completed.items():
            assert words in text, f"{identity} was completed and is not there ({context})"
        runs = memory.log(limit=100_000)
        by_task = [run.detail["task"] for run in runs if "task" in run.detail]
        assert len(by_task) == len(set(by_task)), f"a task was done twice ({context})"
        verified = memory.verify()
        assert verified.ok, f"{context}: {verified.problems[:3]}"
    print(f"{context}: {len(completed)} completed, {total - len(completed)} failed with a reason")
