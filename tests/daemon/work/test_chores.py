"""Chores: what is due runs by itself, in the lane, once, and can be switched off."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial

import pytest

from reverie.errors import TaskStopped
from reverie.memory import Memory
from reverie.types import RunInfo, Scope, TextPart, TurnMessage
from tests.daemon.conftest import WAIT

SOON = {"dream.min_sessions": 0, "dream.scan_interval_minutes": 0}


@pytest.fixture
def timed(start, clock):
    """Return a function that starts a daemon with a clock that stands still."""
    return partial(start, opener=partial(Memory.open, clock=clock))


def on_loop(daemon, coroutine):
    return asyncio.run_coroutine_threadsafe(coroutine, daemon.loop).result(WAIT)


def look(daemon):
    return on_loop(daemon, daemon.host.primary.chores.look())


def events(daemon):
    return [
        (event.type, event.frame.decode())
        for event in daemon.on_loop(lambda: list(daemon.host.primary.bus._ring))
    ]


def say_twice(project, home):
    with Memory.open(project, home=home) as memory:
        for words in ("The harbour opens at nine.", "The harbour opens at nine"):
            memory.remember(words, scope=Scope.PROJECT, clean=True)


def test_a_dream_that_is_due_runs_once_and_is_told(timed, project, tmp_path, clock):
    say_twice(project, tmp_path / "base")
    daemon = timed(settings=SOON)
    (dream,) = look(daemon)
    assert (dream.job, dream.status, dream.scopes) == ("dream", "done", ("project",))
    kinds = [kind for kind, _ in events(daemon)]
    assert kinds == ["background_run", "memory_changed"]
    assert f'"taskId":"{dream.run}"' in events(daemon)[1][1]
    clock.advance(hours=1)
    assert [chore.status for chore in look(daemon)] == ["skipped"]
    clock.advance(hours=100)
    assert [chore.status for chore in look(daemon)] == ["noop"], "overdue four times, run once"
    assert [chore.status for chore in look(daemon)] == ["skipped"]


def test_background_jobs_run_at_their_time_and_an_overdue_one_once(timed, project, tmp_path, clock):
    with Memory.open(project, home=tmp_path / "base", clock=clock) as memory:
        memory.layers.scaffold()
        for number in range(6):
            said = TextPart(f"We moved the harbour office to pier {number}.")
            memory.layers.append([TurnMessage("user", (said,)), TurnMessage("assistant", (said,))])
    daemon = timed(settings={"dream.enabled": False})

    def ran():
        return [(chore.job, chore.status) for chore in look(daemon) if chore.status != "skipped"]

    first = ran()
    assert first, "what runs at startup ran"
    assert ran() == []
    clock.advance(days=5)
    overdue = [job for job, _ in ran()]
    assert overdue
    assert len(overdue) == len(set(overdue))
    assert ran() == []
    told = [frame for kind, frame in events(daemon) if kind == "background_run"]
    assert len(told) == len(first) + len(overdue)


def test_an_agent_without_layers_gets_none_by_being_looked_after(timed, tmp_path):
    daemon = timed()
    assert {chore.job for chore in look(daemon)} == {"dream"}
    assert not (tmp_path / "base" / "agents").exists()


class Winder:
    """A pause that lasts until the test ends it."""

    def __init__(self):
        self.pauses: asyncio.Queue[float] = asyncio.Queue()
        self.ticks: asyncio.Queue[None] = asyncio.Queue()

    def wind(self, host):
        host.primary.chores.pause = self.pause

    async def pause(self, seconds):
        self.pauses.put_nowait(seconds)
        await self.ticks.get()

    async def tick(self):
        """End the pause that lasts, or the next one; return how long it was meant to be."""
        seconds = await self.pauses.get()
        self.ticks.put_nowait(None)
        return seconds


def test_the_timer_looks_after_every_pause(start):
    winder = Winder()
    daemon = start(before=winder.wind, settings={"daemon.background_seconds": 7})
    chores = daemon.host.primary.chores
    assert [on_loop(daemon, winder.tick()) for _ in range(3)] == [7, 7, 7]
    assert on_loop(daemon, winder.pauses.get()) == 7, "the third look is over"
    assert chores.looks == 3
    page = daemon.get("/metrics").text
    assert "reverie_background_looks_total{" in page
    assert 'job="dream",status="skipped"} 3' in page


def test_zero_switches_it_off_until_the_settings_say_otherwise(start, tmp_path):
    winder = Winder()
    config = tmp_path / "base" / "config.toml"
    config.parent.mkdir()
    config.write_text("[daemon]\nbackground_seconds = 0\n")
    daemon = start(before=winder.wind)
    assert on_loop(daemon, winder.tick()) == 60
    assert on_loop(daemon, winder.tick()) == 60
    assert daemon.host.primary.chores.looks == 0
    config.write_text("[daemon]\nbackground_seconds = 0.01\n")
    deadline = time.monotonic() + WAIT
    while (seconds := on_loop(daemon, winder.tick())) == 60:
        assert time.monotonic() < deadline, "the settings were not read again"
    assert seconds == 1, "not more often than that"


def test_an_untrusted_folder_is_left_alone(start, project, tmp_path):
    say_twice(project, tmp_path / "base")
    daemon = start(settings=SOON)
    with Memory.open(project, home=tmp_path / "base") as memory:
        memory.trust(trusted=False)
    assert [chore.status for chore in look(daemon)] == ["skipped"]


def test_a_chore_that_fails_is_told_and_the_next_look_comes(timed, project, tmp_path):
    say_twice(project, tmp_path / "base")
    daemon = timed(settings=SOON)
    lane = daemon.host.primary.lane

    def refuse(memory, stopped):
        raise TaskStopped("no room")

    async def broken():
        real, lane.between = lane.between, lambda _: real(refuse)
        try:
            return await daemon.host.primary.chores.look()
        finally:
            lane.between = real

    (failed,) = on_loop(daemon, broken())
    assert (failed.status, failed.summary) == ("failed", "no room")
    assert [chore.status for chore in look(daemon)] == ["done"]


def test_an_errand_never_runs_beside_a_task_and_tasks_go_first(daemon):
    lane = daemon.host.primary.lane
    begun, go = threading.Event(), threading.Event()
    order: list[str] = []

    def hold(memory, stopped):
        begun.set()
        assert go.wait(WAIT)

    def second(memory, stopped):
        order.append("errand")
        return memory.log(limit=1)[0].verb

    first = asyncio.run_coroutine_threadsafe(lane.between(hold), daemon.loop)
    assert begun.wait(WAIT)
    accepted = daemon.post(
        "/workspace/memory/remember", {"content": "Said while background work ran"}
    )
    other = asyncio.run_coroutine_threadsafe(lane.between(second), daemon.loop)
    task = accepted.json()["taskId"]
    assert daemon.get(f"/workspace/memory/remember/{task}").json()["status"] == "queued"
    assert order == []
    go.set()
    first.result(WAIT)
    assert other.result(WAIT) == "remember"
    assert daemon.over(accepted)["status"] == "completed"


def test_an_errand_that_takes_too_long_writes_no_more_and_is_left_behind(start, project):
    def hasty(host):
        host.primary.lane.backstop = 0.05

    daemon = start(settings={"daemon.task_seconds": 0.05}, before=hasty)
    lane = daemon.host.primary.lane
    go, refused = threading.Event(), threading.Event()

    def endless(memory, stopped):
        assert go.wait(WAIT)
        assert stopped()
        try:
            memory.remember("Said far too late")
        except TaskStopped:
            refused.set()

    waiting = asyncio.run_coroutine_threadsafe(lane.between(endless), daemon.loop)
    with pytest.raises(TaskStopped):
        waiting.result(WAIT)
    assert lane.abandoned == 1
    on_loop(daemon, lane.between(lambda memory, _: memory.log(limit=1)))
    go.set()
    assert refused.wait(WAIT)
    assert daemon.get("/workspace/log").json()["runs"] == []


def test_stopping_stops_an_errand_before_its_next_write(start, project, tmp_path):
    daemon = start()
    lane = daemon.host.primary.lane
    begun, seen = threading.Event(), []

    def patient(memory, stopped):
        begun.set()
        while not stopped():
            pass
        with pytest.raises(TaskStopped) as error:
            memory.store.endorse(RunInfo(verb="remember"))
        seen.append(str(error.value))

    asyncio.run_coroutine_threadsafe(lane.between(patient), daemon.loop)
    assert begun.wait(WAIT)
    daemon.stop()
    assert "will be done later" in seen[0]
