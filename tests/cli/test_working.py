"""The line that says how far a command is, and the work that tells it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reverie import progress
from reverie.memory import Memory
from reverie.progress import Board, Following, Pace, Step, heard_by


def test_before_anything_is_known_the_line_says_how_long_it_took() -> None:
    assert Pace().line(now=7.2, began=4.0) == "working, 3 s"


def test_the_line_says_how_long_still_by_the_pace_so_far() -> None:
    pace = Pace()
    pace.heard(Step("reading", 100, 1000), now=10.0)
    assert pace.line(now=10.5, began=0.0) == "reading: 100 of 1,000"
    pace.heard(Step("reading", 400, 1000), now=13.0)
    assert pace.line(now=13.0, began=0.0) == "reading: 400 of 1,000, about 6 s left"


def test_what_took_long_before_does_not_slow_the_next_part() -> None:
    pace = Pace()
    pace.heard(Step("reading", 1, 10), now=0.0)
    pace.heard(Step("indexing", 0, 100), now=100.0)
    pace.heard(Step("indexing", 50, 100), now=105.0)
    assert pace.line(now=105.0, began=0.0) == "indexing: 50 of 100, about 5 s left"


def test_minutes_are_told_as_minutes_and_an_unknown_end_not_at_all() -> None:
    pace = Pace()
    pace.heard(Step("reading", 0, 1000), now=0.0)
    pace.heard(Step("reading", 10, 1000), now=10.0)
    assert pace.line(now=10.0, began=0.0).endswith("about 16 min left")
    pace.heard(Step("exporting", 1234, 0), now=11.0)
    assert pace.line(now=11.0, began=0.0) == "exporting: 1,234"


def test_the_first_recall_and_the_index_tell_how_far_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "memories" / "user"
    folder.mkdir(parents=True)
    for number in range(150):
        text = f"---\nname: note {number}\ndescription: d\ntype: user\n---\n\nThe lamp {number}\n"
        (folder / f"n{number}.md").write_text(text, encoding="utf-8")
    steps: list[Step] = []
    with Memory.open(tmp_path, home=tmp_path / "home", env={}) as memory, heard_by(steps.append):
        memory.recall("which lamp is it")
        memory.index()
    told = {step.what for step in steps}
    assert told == {"reading memories", "indexing files"}
    assert all(0 <= step.done <= step.total for step in steps)
    assert steps[-1].done == steps[-1].total


def test_nobody_hears_what_is_told_outside_the_block() -> None:
    steps: list[Step] = []
    with heard_by(steps.append):
        progress.tell("reading", 1, 2)
    progress.tell("reading", 2, 2)
    assert steps == [Step("reading", 1, 2)]


_SCRIPT = """
import sys, time
from reverie.cli import working
working.PATIENCE = 0.0
from reverie.cli.terminal import echo
from reverie.progress import tell
written, plain = [], working.overwrite
working.overwrite = lambda text, over: (written.append(text), plain(text, over))
with working.Working():
    tell("counting sheep", 3, 9)
    until = time.monotonic() + 60
    while "counting" not in "".join(written) and time.monotonic() < until:
        time.sleep(0.01)
    echo("done")
    tell("counting sheep", 4, 9)
echo("end")
"""


@pytest.mark.slow
def test_on_a_terminal_the_line_goes_before_anything_is_printed() -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], stdout=theirs, stderr=theirs, check=True, timeout=120
    )
    os.close(theirs)
    seen = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0
    line = "counting sheep: 3 of 9"
    before, gone, rest = seen.rpartition(f"\r{' ' * len(line)}\r")
    assert gone
    assert before.endswith(line)
    assert rest.split() == ["done", "end"]


def test_a_board_shows_what_told_something_as_long_as_it_runs() -> None:
    now = [0.0]
    board = Board(lambda: now[0])
    with board.shown(), board.shown():
        assert board.working() == []
        progress.tell("reading", 0, 100)
        now[0] = 5.0
        progress.tell("reading", 50, 100)
        assert board.working() == [(Step("reading", 50, 100), 5.0)]
    assert board.working() == []


def test_what_a_daemon_tells_is_heard_here_until_its_answer_is_there(monkeypatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    answers = iter(
        [{"working": []}, {"working": [{"what": "indexing files", "done": 3, "total": 9}]}]
    )
    steps: list[Step] = []
    heard = threading.Event()

    def hear(step: Step) -> None:
        steps.append(step)
        heard.set()

    with heard_by(hear), Following(lambda: next(answers, None)):
        assert heard.wait(60)
    assert steps == [Step("indexing files", 3, 9)]


def test_a_daemon_is_not_asked_how_far_it_is_where_nobody_listens() -> None:
    with Following(lambda: pytest.fail("nobody listens")) as following_nobody:
        assert following_nobody._thread is None
