"""Readers: processes that answer questions while many come at once."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from reverie.daemon.host import Host
from reverie.daemon.http.presence import CallerGone, Presence
from reverie.daemon.work.questions import Question
from reverie.daemon.work.readers import Readers, Shelf, wanted_readers
from reverie.errors import InvalidLines, ReaderLost
from reverie.memory import Memory
from reverie.types import Isolation
from tests.daemon.conftest import WAIT, Running
from tests.daemon.processes import Process

pytestmark = pytest.mark.slow

QUESTIONS = (
    ("POST", "/workspace/recall", {"query": "Which port does the harbour use?"}),
    ("POST", "/workspace/search", {"query": "harbour port"}),
    ("GET", "/workspace/stats", None),
    ("GET", "/workspace/context", None),
    ("POST", "/workspace/prompt", {"query": "harbour"}),
    ("GET", "/workspace/log", None),
    ("POST", "/workspace/get", {"path": "nowhere.md"}),
    ("GET", "/workspace/log?path=%00", None),
)


def eager(most: int) -> Callable[[Host], None]:
    """Start readers with the first question."""

    def change(host: Host) -> None:
        host.readers.most = most
        host.readers.crowd = host.readers.pressure_limit = 1

    return change


def until(true: Callable[[], bool]) -> None:
    """Wait for something that is about to happen."""
    end = time.monotonic() + 4 * WAIT  # readers are started, which takes long on a busy machine
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def at_once(ask: Callable[[], object], times: int = 3) -> bool:
    """Ask several times at once."""
    threads = [threading.Thread(target=ask) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return True


def with_readers(running: Running, count: int) -> None:
    """Ask until there are so many readers."""

    asked = partial(running.get, "/workspace/log")
    until(lambda: at_once(asked) and len(running.host.readers) == count)


def alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False


def test_a_reader_answers_what_the_daemon_answers(start):
    running = start(before=eager(1))
    running.remember("The harbour uses port 7070")
    running.host.readers.most = 0
    here = [running.ask(*question) for question in QUESTIONS]
    running.host.readers.most = 1
    with_readers(running, 1)
    before = running.host.readers.answered
    there = [running.ask(*question) for question in QUESTIONS]
    assert running.host.readers.answered >= before + len(QUESTIONS) - 1  # one is refused at once
    assert "7070" in there[0].text
    for one, other in zip(here, there, strict=True):
        assert one.status_code == other.status_code
        plain, again = one.json(), other.json()
        for body in (plain, again):
            body.pop("requestId", None)
            body.pop("indexedAt", None)
        assert plain.keys() == again.keys()
        assert plain.get("code") == again.get("code")


def test_what_was_acknowledged_is_in_the_next_answer(start):
    running = start(before=eager(2))
    running.remember("The lighthouse has keeper number 0")
    with_readers(running, 2)
    for number in range(1, 8):
        body = {
            "content": f"The lighthouse lamp {number} burns with oil of kind K{number}",
            "clean": True,
        }
        assert running.post("/workspace/remember", body).status_code == 200
        asked = {"query": f"What does the lighthouse lamp {number} burn with?"}
        for _ in range(2):  # whichever reader answers
            assert f"K{number}" in running.post("/workspace/recall", asked).text
            assert f"K{number}" in running.post("/workspace/search", asked).text
    (path,) = Path(running.host.primary.state).parent.rglob("*lamp-3*.md")
    path.write_text(path.read_text().replace("K3", "K3333"))
    asked = {"query": "What does the lighthouse lamp 3 burn with?"}
    for _ in range(2):
        assert "K3333" in running.post("/workspace/recall", asked).text
    assert running.host.readers.lost == 0


def test_a_reader_that_is_killed_is_replaced_and_nobody_notices(start):
    running = start(before=eager(2))
    running.remember("The harbour uses port 7070")
    with_readers(running, 2)
    stop = threading.Event()
    statuses: list[int] = []

    def ask() -> None:
        while not stop.is_set():
            asked = running.post("/workspace/recall", {"query": "Which port does the harbour use?"})
            right = asked.status_code == 503 or "7070" in asked.text
            statuses.append(asked.status_code if right else 0)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    killed = set()
    for _ in range(4):
        until(lambda: bool(set(running.host.readers.processes) - killed))
        (victim, *_) = set(running.host.readers.processes) - killed
        os.kill(victim, signal.SIGKILL)
        killed.add(victim)
        until(lambda victim=victim: victim not in running.host.readers.processes)
    until(lambda: bool(running.host.readers.processes))
    stop.set()
    for thread in threads:
        thread.join()
    assert set(statuses) <= {200, 503}  # 503: the same question met two that were killed
    assert statuses.count(200) > len(statuses) / 2
    assert running.host.readers.lost == 4


def test_readers_end_when_nobody_asks_and_with_the_daemon(start):
    running = start(before=eager(1))
    running.host.readers.idle_seconds = 0.2
    with_readers(running, 1)
    (pid,) = running.host.readers.processes
    until(lambda: not len(running.host.readers))
    until(lambda: not alive(pid))
    running.host.readers.idle_seconds = 1000.0
    with_readers(running, 1)
    (pid,) = running.host.readers.processes
    running.stop()
    assert not alive(pid)


def test_one_caller_alone_starts_none(start):
    running = start(before=lambda host: setattr(host.readers, "most", 2))
    for _ in range(80):
        assert running.get("/workspace/log").status_code == 200
    assert not len(running.host.readers)


# --- the pool alone -------------------------------------------------------------------------------


@pytest.fixture
def pool(project, tmp_path):
    readers = Readers(2)
    readers.crowd = readers.pressure_limit = 1
    shelf = Shelf("good", partial(Memory.open, project, home=tmp_path / "base"))

    def ask(chosen: Shelf = shelf, question: Question | None = None, caller=None) -> bytes:
        log = question or Question("log", {"limit": 1, "path": None})
        return readers.answer(chosen, log, here=lambda: b"here", caller=caller)

    until(lambda: ask() != b"here")
    yield readers, ask
    readers.stop()


def test_what_two_readers_did_not_survive_is_refused(pool):
    readers, ask = pool
    until(lambda: at_once(ask) and len(readers) == 2)
    readers.pressure_limit = 10**9  # none is started meanwhile
    for pid in readers.processes:
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(ReaderLost):
        ask()
    assert readers.lost == 2
    assert ask() == b"here"


def test_errors_come_back_as_they_are(pool):
    _, ask = pool
    with pytest.raises(InvalidLines) as told:
        ask(question=Question("get", {"path": "nowhere.md", "lines": "from here on"}))
    assert "from here on" in str(told.value)
    with pytest.raises(RuntimeError, match="TypeError"):
        ask(question=Question("log", {"nonsense": 1}))


def test_a_memory_that_holds_parts_of_this_process_is_read_here(pool):
    _, ask = pool
    assert ask(Shelf("own", lambda: None)) == b"here"
    assert ask(Shelf("own", partial(Memory.open, ".", model=object()))) == b"here"


def test_a_question_arrives_as_it_was_asked(pool):
    _, ask = pool
    seen = Isolation(allowed_paths=("notes", "half \udcff a character"), user_id="ann")
    asked = Question("search", {"query": "half \udcff a character", "isolation": seen})
    assert Question.of(json.loads(json.dumps(asked.plain()))) == asked
    assert json.loads(ask(question=asked))["results"] == []


def test_a_caller_who_hung_up_gets_no_reader(pool):
    readers, ask = pool
    gone = Presence()
    gone.leave()
    before = readers.answered
    with pytest.raises(CallerGone):
        ask(caller=gone)
    assert readers.answered == before


def test_readers_that_do_not_start_are_given_up(project, tmp_path):
    readers = Readers(1)
    readers.crowd = readers.pressure_limit = 1
    readers.program = (sys.executable, "-c", "raise SystemExit(3)")
    broken = Shelf("broken", partial(Memory.open, project, home=tmp_path / "base"))
    question = Question("log", {"limit": 1, "path": None})

    def failed() -> bool:
        assert readers.answer(broken, question, here=lambda: b"here", caller=None) == b"here"
        return readers.given_up

    until(failed)
    assert not len(readers)
    readers.stop()


@pytest.mark.parametrize(
    ("setting", "least", "most"), [(0, 0, 0), (1, 0, 1), (64, 0, os.cpu_count())]
)
def test_the_setting_says_how_many(setting, least, most):
    assert least <= wanted_readers(setting) <= most


EAGER = """
from reverie.daemon.work import readers
readers._CROWD = readers._PRESSURE = 1
from reverie.__main__ import main
main()
"""


def test_a_daemon_that_is_killed_leaves_no_readers(project, tmp_path):
    eagerly = Process(project, tmp_path, program=("-c", EAGER))
    with eagerly as daemon, daemon.client() as client:
        pids: list[int] = []

        def started() -> bool:
            at_once(partial(client.recall, "Which port does the harbour use?"))
            own = Path(f"/proc/{daemon.popen.pid}/task")
            pids[:] = [
                int(pid) for item in own.glob("*/children") for pid in item.read_text().split()
            ]
            return bool(pids)

        until(started)
        daemon.end(signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in pids))
