"""Pipes, folders, link loops and noise in the place of every file and folder that a home keeps.

Each thing stops at most what needs it: whatever a person or an agent does then works, or is refused with a
code and words, and nothing waits for ever. Memory that does not stand there is untouched.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reverie.cli import run
from reverie.daemon.http.auth import load_token
from reverie.errors import ReverieError
from reverie.hooks import quick
from reverie.memory import Memory
from reverie.types import TaskKind, TextPart, TurnMessage
from tests.damage import Letters, ask, fill
from tests.local.search.test_damage import ACTIONS, queue
from tests.local.store.test_bad_files import put
from tests.torture.amount import LARGE, SEED

pytestmark = [pytest.mark.slow, pytest.mark.torture]

KINDS = ["folder", "full folder", "pipe", "socket", "link out", "link to nothing", "link to itself",
         "link to a folder", b"\xff\xfe\x00caf\xe9", b"", b"[" * 5000]  # fmt: skip
FEW = 25
WAIT = 120
"""Seconds after which something waits for ever, on a machine however busy."""
SAID = TurnMessage("user", (TextPart("The ferry leaves at nine"),))


def use_everything(memory: Memory) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what people and agents do, by name."""
    for name, act in ACTIONS.items():
        yield name, lambda act=act: act(memory)
    yield "token", lambda: load_token(Path(memory.workspace.state), dialect=memory.dialect, env={})
    yield "remember", lambda: memory.remember("The stork sleeps in harbour 9", kind="project")
    yield "undo", lambda: [memory.undo(item.id) for item in memory.log(limit=1)]
    yield "save", lambda: memory.save("The stork is white", scope="project")
    yield "append", lambda: memory.layers.append([SAID], session="s")
    yield "working", lambda: memory.layers.change_working("add", "Active Tasks", "Feed the stork")
    yield (
        "extract",
        lambda: memory.extract(
            [{"role": "user", "content": "I prefer storks over herons."}], session="s"
        ),
    )
    yield "forget", lambda: memory.forget("badger 2", erase=True, everywhere=True)
    yield "stats", memory.stats
    yield "trust", memory.trust


COMMANDS = [
    ["recall", "heron"], ["search", "heron"], ["log"], ["doctor"], ["verify"], ["config", "list"],
    ["remember", "The crane stands"], ["history", "list"], ["stats"], ["init"],
]  # fmt: skip


@contextmanager
def alarm(what: object) -> Iterator[None]:
    """Fail where something never ends."""

    def ring(*_: object) -> None:
        raise AssertionError(("waits for ever", what))

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(WAIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def lived_in(open_memory, project: Path) -> Path:
    """Return a home in which everything was used once."""
    memory = open_memory(embedder=Letters())
    memory.initialise()
    fill(memory, project)
    ask(memory)
    home, state = Path(memory.workspace.home), Path(memory.workspace.state)
    memory.usage_log.add("model", {"tokens": 3}, at=memory.clock())
    tasks = queue(memory)
    tasks.accept(TaskKind.REMEMBER, {"content": "x"})
    tasks.close()
    for name, act in use_everything(memory):
        assert act() is not None, name
    memory.dream(force=True)
    memory.close()
    (home / "config.toml").write_text("[recall]\nlimit = 4\n")
    (state / "daemon.json").write_text("{}")
    return home


def words(home: Path) -> dict[str, bytes]:
    """Return every topic, by its path."""
    return {
        str(path): path.read_bytes()
        for path in home.rglob("*.md")
        if path.is_file() and path.name != "MEMORY.md" and "memory" in path.parts
    }


def test_whatever_stands_in_the_place_of_a_file_is_told_and_nothing_waits(
    open_memory, project, tmp_path, capsys, monkeypatch
):
    # A process of its own would go on in the home of the next case.
    monkeypatch.setattr("reverie.hooks.background._start", lambda *_: None)
    home = lived_in(open_memory, project)
    spare, outside = tmp_path / "spare", tmp_path / "outside"
    shutil.copytree(home, spare, symlinks=True)
    places = sorted(path.relative_to(home).as_posix() for path in home.rglob("*"))
    cases = [(place, what) for place in places for what in KINDS]
    if not LARGE:
        cases = random.Random(SEED).sample(cases, FEW)
    failures = []
    for place, what in cases:
        shutil.rmtree(home)
        shutil.copytree(spare, home, symlinks=True)
        shutil.rmtree(outside, ignore_errors=True)
        outside.mkdir()
        (outside / "secret.md").write_text("SECRET-WORD\n")
        put(home / place, what, outside)
        try:
            with alarm((place, what)):
                check(home, project, open_memory, capsys, monkeypatch)
            assert (outside / "secret.md").read_text() == "SECRET-WORD\n"
        except Exception as error:  # noqa: BLE001  # the other cases are tried all the same
            failures.append((place, what, repr(error)[:300], repr(error.__cause__)[:300]))
    assert not failures, "\n".join(map(str, failures))


def check(home, project, open_memory, capsys, monkeypatch) -> None:
    """Do everything once; only errors with a code may come back."""
    try:
        memory = open_memory(embedder=Letters())
    except ReverieError as error:
        assert str(error)
    else:
        for name, act in use_everything(memory):
            try:
                act()
            except ReverieError as error:
                assert str(error), name
            except Exception as error:
                raise AssertionError(name) from error
        memory.close()
    asked = json.dumps({"prompt": "heron", "cwd": str(project), "session_id": "s"})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(asked.encode())))
    assert quick.main(["prompt", "-C", str(project)]) == 0
    for command in COMMANDS:
        status = run(["-C", str(project), *command])
        shown = capsys.readouterr()
        assert "Traceback" not in shown.err, (command, shown.err[-400:])
        assert status == 0 or shown.err or shown.out, command
