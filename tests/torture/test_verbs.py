"""Every writing verb, killed at random moments, and a crowd of writers beside an editor.

`make test` runs a few rounds; `make torture` as many as REVERIE_TORTURE says. A seed reproduces a run:
REVERIE_TORTURE_SEED.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.types import Scope
from tests.torture.amount import LARGE, SEED, rounds

ROUNDS = rounds(4)
PATIENT = {"memory.lock_wait_seconds": 600}

pytestmark = [pytest.mark.slow, pytest.mark.torture]

WORKER = "import sys; from tests.torture.test_verbs import work; work(*sys.argv[1:])"
MEMBER = "import sys; from tests.torture.test_verbs import take_part; take_part(*sys.argv[1:])"
EDITOR = (
    "import sys; from tests.torture.test_verbs import edit_by_hand; edit_by_hand(*sys.argv[1:])"
)


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )


# --- what a worker does ---------------------------------------------------------------------------


def fact(token: str) -> str:
    return f"The gadget {token} hangs beside the door"


def said(token: str) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": f"Remember that the gadget {token} hangs beside the door."},
        {"role": "assistant", "content": "ok"},
    ]


def remember(memory: Memory, token: str) -> None:
    memory.remember(fact(token), clean=True)


def forget(memory: Memory, token: str) -> None:
    memory.forget(fact(token))


def erase(memory: Memory, token: str) -> None:
    memory.forget(fact(token), erase=True)


def save(memory: Memory, token: str) -> None:
    memory.save(fact(token), scope="project")


def undo(memory: Memory, token: str) -> None:
    memory.undo(memory.remember(fact(token), clean=True).run)


def extract(memory: Memory, token: str) -> None:
    memory.extract(said(token), session=token)


def dream(memory: Memory, _: str) -> None:
    memory.dream(force=True)


def note(memory: Memory, token: str) -> None:
    memory.layers.add_note(fact(token))


def pin(memory: Memory, token: str) -> None:
    path = Path(memory.remember(fact(token), clean=True).path)
    scope = next(s for s in Scope if path.is_relative_to(memory.workspace.memory_root(s)))
    memory.pin(scope, str(path.relative_to(memory.workspace.memory_root(scope))))


def archive(memory: Memory, token: str) -> None:
    memory.save(fact(token), scope="project")
    memory.archive_context()


# Each verb, and whether its words are there once it is acknowledged; None where rules decide that.
VERBS = {
    remember: True,
    forget: False,
    erase: False,
    save: True,
    undo: False,
    extract: None,
    dream: None,
    note: True,
    pin: True,
    archive: True,
}
NAMED = {verb.__name__: there for verb, there in VERBS.items()}


def work(project: str, home: str, seed: str) -> None:
    """Do one verb after the other and say before and after each which, until killed."""
    dice = random.Random(int(seed))
    memory = Memory.open(project, home=home)
    kept: list[str] = []
    for number in count():
        verb = dice.choice(list(VERBS))
        token = f"w{seed}n{number}z"  # no token is the beginning of another
        if verb in (forget, erase):
            if not kept:
                continue
            token = kept.pop(dice.randrange(len(kept)))
        print(f"begin {verb.__name__} {token}", flush=True)
        verb(memory, token)
        print(f"done {verb.__name__} {token}", flush=True)
        if verb is remember:
            kept.append(token)


def everything(home: Path, project: Path) -> str:
    """Return every word that memory and project hold now, the journal left aside."""
    files = [path for root in (home, project) for path in root.rglob("*.md") if path.is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def listen(lines: list[str], holds: dict[str, bool]) -> None:
    """Take in what a worker said: what is acknowledged holds, what was under way may or may not."""
    for line in lines:
        moment, verb, token = line.split()
        if moment == "begin":
            holds.pop(token, None)
        elif NAMED[verb] is not None:
            holds[token] = bool(NAMED[verb])


def test_after_every_kill_each_acknowledged_verb_holds_and_nothing_is_half_done(project, tmp_path):
    home = tmp_path / "base"
    dice = random.Random(SEED)
    holds: dict[str, bool] = {}
    for round_number in range(ROUNDS):
        worker = start(WORKER, project, home, dice.getrandbits(24))
        lines = [worker.stdout.readline() for _ in range(1 + dice.randrange(12))]
        time.sleep(dice.random() * 0.05)  # the random moment itself, not synchronisation
        worker.send_signal(signal.SIGKILL)
        rest, _ = worker.communicate()
        listen([line for line in "".join([*lines, rest]).split("\n")[:-1] if line], holds)

        context = f"seed {SEED}, round {round_number}"
        with Memory.open(project, home=home) as memory:
            verified = memory.verify()
            if [problem.code for problem in verified.problems] == ["erasure_unfinished"]:
                memory.forget(erase=True)  # what the problem says is to be done
                verified = memory.verify()
            assert verified.ok, f"{context}: {verified.problems}"
        words = everything(home, project)
        wrong = [token for token, there in holds.items() if (token in words) is not there]
        assert not wrong, f"{context}: {wrong}"
        assert not list(home.rglob("*.reverie-tmp")), context
    assert holds


# --- a crowd --------------------------------------------------------------------------------------


def take_part(project: str, home: str, name: str, steps: str, seed: str) -> None:
    """Write and forget beside others; whatever is refused ends the process with an error."""
    dice = random.Random(f"{seed} {name}")
    memory = Memory.open(project, home=home, settings=PATIENT)
    mine: list[str] = []
    for number in range(int(steps)):
        token = f"{name}n{number}z"
        verb = dice.choice([remember, save, note, forget, dream])
        if verb is forget and mine:
            token = mine.pop(dice.randrange(len(mine)))
        elif verb is forget:
            verb = remember
        verb(memory, token)
        print(f"done {verb.__name__} {token}", flush=True)
        if verb is remember:
            mine.append(token)
    memory.close()


def edit_by_hand(home: str, stop: str, seed: str) -> None:
    """Save files as an editor does: read one, write it anew beside it, rename it into place."""
    dice = random.Random(int(seed))
    for number in count():
        if Path(stop).exists():
            return
        topics = [path for path in Path(home).rglob("memory/**/*.md") if path.name != "MEMORY.md"]
        for path in dice.sample(topics, min(len(topics), 1)):
            fresh = path.with_name(f"{path.name}~{os.getpid()}")
            try:
                facts = path.stat()
                fresh.write_text(
                    f"{path.read_text(encoding='utf-8').rstrip()}\n\nby hand {number}\n"
                )
                fresh.chmod(0o600)
                if path.stat().st_mtime_ns == facts.st_mtime_ns:
                    fresh.replace(path)
            except FileNotFoundError:
                continue
            finally:
                fresh.unlink(missing_ok=True)
        time.sleep(dice.random() * 0.1)  # a person's pace, not synchronisation


def check_history(memory: Memory) -> None:
    """Prove from the journal that history is linear and that the files are its replay.

    Catalogs are generated, not recorded; that they fit the files is what `verify` checks.
    """
    memory.store.notice_edits()
    runs = memory.journal.log(limit=1_000_000)
    paths = {path for run in runs for path in run.paths if Path(path).name != "MEMORY.md"}
    assert paths
    by_hand = {path for run in runs if run.verb == "external-edit" for path in run.paths}
    assert not {path for path in by_hand if Path(path).name == "MEMORY.md"}, "nobody edited one"
    for path in paths:
        text: str | None = None
        for run, after in memory.journal.history(path):
            (delta,) = [item for item in memory.journal.deltas(run.id) if item.path == path]
            assert delta.before == text, f"{path}: run {run.id} was planned on another text"
            assert delta.after == after
            text = after
        assert memory.store.read(path) == text, f"{path} is not what the journal says"


def test_a_crowd_and_an_editor_lose_nothing_and_nobody_is_refused(project, tmp_path):
    home, stop = tmp_path / "base", tmp_path / "stop"
    size, steps = (16, 40) if LARGE else (3, 4)
    editor = start(EDITOR, home, stop, SEED)
    crowd = [start(MEMBER, project, home, f"p{number}", steps, SEED) for number in range(size)]
    holds: dict[str, bool] = {}
    for member in crowd:
        lines, _ = member.communicate()
        assert member.returncode == 0, f"somebody was refused, seed {SEED}"
        listen(lines.split("\n")[:-1], holds)
    stop.touch()
    editor.communicate()
    assert editor.returncode == 0
    with Memory.open(project, home=home, settings=PATIENT) as memory:
        check_history(memory)
        assert memory.verify().ok
    words = everything(home, project)
    wrong = [token for token, there in holds.items() if (token in words) is not there]
    assert not wrong, f"seed {SEED}: {wrong}"
