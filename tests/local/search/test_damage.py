"""Whatever happens to a file that is derived from the memory, the answers are those that the files give."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from reverie.daemon.http.auth import load_token
from reverie.errors import ReverieError
from reverie.local.tasks.queue_file import TaskDb
from reverie.memory import Memory
from reverie.types import TaskKind
from reverie.types.tasks import LaneLimits
from tests.damage import Letters, ask, damage, fill, overwrite

Open = Callable[..., Memory]


@pytest.fixture
def filled(open_memory: Open, project: Path) -> Memory:
    """Return a closed memory with everything in every index."""
    memory = open_memory(embedder=Letters())
    fill(memory, project)
    ask(memory)
    memory.close()
    shutil.rmtree(Path(memory.workspace.state) / "index")  # so that every index is a fresh one
    return memory


def derived(memory: Memory) -> list[Path]:
    """Return the files that are made from the memory."""
    state = Path(memory.workspace.state)
    found = [
        *state.glob("index/**/*"),
        *state.glob("recall/*"),
        *state.glob("agents/**/history.db"),
    ]
    return sorted(path for path in found if path.is_file() and path.suffix != ".lock")


def check_damaged(
    memory: Memory, open_memory: Open, spare: Path, *, seed: int, trials: int, running: bool
) -> None:
    """Damage one file or several at a time; what is answered stays the same, and the index too."""
    state = Path(memory.workspace.state)
    first = open_again(open_memory)
    expected = ask(first)
    first.close()
    files = derived(memory)
    assert {path.suffix for path in files} >= {".seg", ".db", ".words"}
    shutil.copytree(state, spare)
    rng = random.Random(seed)
    for trial in range(trials):
        opened = open_again(open_memory)
        if running:
            ask(opened)
        told = [damage(rng, files, path) for path in rng.sample(files, rng.choice((1, 1, 3)))]
        assert ask(opened) == expected, (seed, trial, told)
        opened.close()
        assert ask(open_again(open_memory)) == expected, (seed, trial, told, "afterwards")
        restore(spare, state)


def open_again(open_memory: Open) -> Memory:
    return open_memory(embedder=Letters())


def restore(spare: Path, state: Path) -> None:
    for folder in ("index", "recall", "agents"):
        shutil.rmtree(state / folder)
        shutil.copytree(spare / folder, state / folder)


@pytest.mark.slow
@pytest.mark.parametrize("running", [False, True], ids=["opened", "running"])
def test_damage_never_changes_an_answer(filled, open_memory, tmp_path, running):
    check_damaged(filled, open_memory, tmp_path / "spare", seed=7, trials=8, running=running)


def test_a_segment_cut_short_under_a_running_process_does_not_kill_it(
    open_memory, project, monkeypatch
):
    monkeypatch.setattr("reverie.local.disk.blocks._LARGE", 0)  # read as needed, as a large one is
    memory = open_memory(embedder=Letters())
    fill(memory, project)
    expected = ask(memory)
    memory.close()
    again = open_memory(embedder=Letters())
    again.stats()
    for path in Path(memory.workspace.state).rglob("*.seg"):
        overwrite(path, path.read_bytes()[:300])
    assert ask(again) == expected


def test_a_damaged_index_is_told_once(filled, open_memory):
    open_memory(embedder=Letters()).search("heron")
    for path in derived(filled):
        if path.suffix == ".seg":
            overwrite(path, path.read_bytes()[:-1] + b"?")
    memory = open_memory(embedder=Letters())
    outcome = memory.search("heron")
    assert any("rebuilt" in warning for warning in outcome.warnings)
    assert not memory.search("heron").warnings


# --- what is not derived: the journal, the logs, the files that steer -----------------------------


def recorded(memory: Memory) -> list[Path]:
    """Return the files that record what was done, and those that steer."""
    home = Path(memory.workspace.home)
    derived_too = set(derived(memory))
    names = (".db", ".db-wal", ".jsonl", ".json")
    found = [path for path in home.rglob("*") if path.name.endswith(names) and path.is_file()]
    return sorted(path for path in found if path not in derived_too and "turns" not in path.parts)


def texts(memory: Memory) -> dict[str, bytes]:
    """Return every memory file."""
    roots = (memory.workspace.home, memory.workspace.base)
    found = [path for root in roots for path in Path(root).rglob("*.md")]
    return {str(path): path.read_bytes() for path in found if path.name != "MEMORY.md"}


ACTIONS: dict[str, Callable[[Memory], object]] = {
    "log": lambda memory: memory.log(),
    "doctor": lambda memory: memory.doctor(),
    "verify": lambda memory: memory.verify(),
    "context": lambda memory: memory.context(),
    "recall": lambda memory: memory.recall("heron"),
    "search": lambda memory: memory.search("heron"),
    "usage": lambda memory: memory.usage(),
    "prompt": lambda memory: memory.layers.prompt(),
    "dream": lambda memory: memory.dream(dry_run=True),
    "tasks": lambda memory: queue(memory).tasks(),
}


def queue(memory: Memory) -> TaskDb:
    path = Path(memory.workspace.state) / "tasks.db"
    return TaskDb(path, workspace="w", clock=memory.clock, limits=LaneLimits())


def check_recorded(
    memory: Memory, open_memory: Open, spare: Path, *, seed: int, trials: int
) -> None:
    """Damage what records and steers: no memory is touched, and what is wrong is said in words."""
    home = Path(memory.workspace.home)
    first = open_again(open_memory)
    first.usage_log.add("model", {"tokens": 3}, at=first.clock())
    first.dream()
    first.trust()
    tasks = queue(first)
    tasks.accept(TaskKind.REMEMBER, {"content": "x"})
    tasks.close()
    first.close()
    shutil.copytree(home, spare)
    before = texts(memory)
    files = recorded(memory)
    assert {"journal.db", "tasks.db", "events.jsonl", "trust.json"} <= {file.name for file in files}
    rng = random.Random(seed)
    for trial in range(trials):
        told = [damage(rng, files, path) for path in rng.sample(files, rng.choice((1, 1, 2)))]
        for _ in range(2):
            opened = open_again(open_memory)
            for name, act in ACTIONS.items():
                try:
                    act(opened)
                except ReverieError as error:
                    assert str(error), (seed, trial, told, name)
                except Exception as error:
                    raise AssertionError((seed, trial, told, name)) from error
            opened.close()
        assert texts(memory) == before, (seed, trial, told)
        opened = open_again(open_memory)
        opened.remember(f"A fact of trial {trial}", kind="project")
        opened.close()
        shutil.rmtree(home)
        shutil.copytree(spare, home)


def check_turns_and_settings(
    memory: Memory, open_memory: Open, spare: Path, *, seed: int, trials: int
) -> None:
    """Damage turns, settings and the token: no turn says what nobody said, and what is wrong has a code."""
    home, state = Path(memory.workspace.home), Path(memory.workspace.state)
    (home / "config.toml").write_text("[recall]\nlimit = 4\nbody_chars = 900\n")
    first = open_again(open_memory)
    whole = {turn.seq: turn for turn in first.layers.history.latest(100).turns}
    token = load_token(state, dialect=first.dialect, env={}).value
    first.close()
    shutil.copytree(home, spare)
    turns = sorted(home.rglob("turns/**/*.json"))
    files = [*turns, home / "config.toml", state / "token"]
    assert len(turns) == len(whole) > 3
    rng = random.Random(seed)
    for trial in range(trials):
        told = [damage(rng, files, path) for path in rng.sample(files, rng.choice((1, 1, 2)))]
        for _ in range(2):
            try:
                opened = open_again(open_memory)
                verified = opened.verify()
                reading = opened.layers.history.latest(100)
                for act in ACTIONS.values():
                    act(opened)
                opened.close()
                assert load_token(state, dialect=opened.dialect, env={}).value or token
            except ReverieError as error:
                assert str(error), (seed, trial, told)
                continue
            except Exception as error:
                raise AssertionError((seed, trial, told)) from error
            there = {turn.seq: replace(turn, extra={}) for turn in reading.turns}
            assert there.items() <= whole.items(), (seed, trial, told)
            lost = whole.keys() - there.keys()
            assert not lost or verified.problems or reading.problems, (seed, trial, told)
        shutil.rmtree(home)
        shutil.copytree(spare, home)


@pytest.mark.slow
def test_damage_to_turns_and_settings_makes_nobody_say_what_was_not_said(
    filled, open_memory, tmp_path
):
    check_turns_and_settings(filled, open_memory, tmp_path / "spare", seed=3, trials=10)


KINDS_OF_VALUES = (None, 7, 2.5, b"\xff\x00", "", "x")


def check_rows(memory: Memory, open_memory: Open, *, seed: int, trials: int) -> None:
    """Put values of other kinds into rows, as a flipped bit in a row's head does."""
    first = open_again(open_memory)
    first.trust()
    tasks = queue(first)
    tasks.accept(TaskKind.REMEMBER, {"content": "x"})
    tasks.close()
    first.close()
    state = Path(memory.workspace.state)
    before = texts(memory)
    files = {name: (state / name).read_bytes() for name in ("journal.db", "tasks.db")}
    for name in files:
        loosen(state / name)
        files[name] = (state / name).read_bytes()
    places = [(name, *place) for name in files for place in columns(state / name)]
    rng = random.Random(seed)
    for trial in range(trials):
        name, table, column = rng.choice(places)
        value = rng.choice(KINDS_OF_VALUES)
        told = (seed, trial, name, table, column, value)
        with closing(sqlite3.connect(state / name, isolation_level=None)) as db:
            rows = rng.choice(("", " WHERE abs(random()) % 3 = 0"))
            with suppress(sqlite3.IntegrityError):  # a number of a row can be nothing else
                db.execute(  # the names are those of our tables
                    f"UPDATE OR IGNORE {table} SET {column} = ?{rows}",  # noqa: S608
                    (value,),
                )
        for _ in range(2):
            opened = open_again(open_memory)
            for act, do in (ACTIONS | MORE_ACTIONS).items():
                try:
                    do(opened)
                except ReverieError as error:
                    assert str(error), (*told, act)
                except Exception as error:
                    raise AssertionError((*told, act)) from error
            opened.close()
        now = texts(memory)
        assert all(now.get(path) == text for path, text in before.items()), told
        for file in state.glob("*.db*"):
            file.unlink()
        for name, data in files.items():
            (state / name).write_bytes(data)


def loosen(path: Path) -> None:
    """Take out of the tables what keeps a column to its kind."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA writable_schema = ON")
        for word in (" NOT NULL", " TEXT", " BLOB"):
            db.execute("UPDATE sqlite_master SET sql = replace(sql, ?, '')", (word,))


def columns(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return [
            (table, row[1])
            for (table,) in tables
            if not table.startswith("sqlite_")
            for row in db.execute(f"PRAGMA table_info({table})")
        ]


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("journal.db", "status"),
        ("journal.db", "path"),
        ("tasks.db", "status"),
        ("tasks.db", "payload"),
    ],
)
def test_a_table_that_is_not_ours_any_more_is_kept_aside_and_stops_nothing(
    filled, open_memory, name, column
):
    queue(open_again(open_memory)).close()
    state = Path(filled.workspace.state)
    with closing(sqlite3.connect(state / name, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema = ON")
        change = "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE type = 'table'"
        db.execute(change, (f" {column} ", f" {column[:-1]}_ "))
    for _ in range(2):
        opened = open_again(open_memory)
        for act in ("log", "doctor", "verify", "recall", "tasks"):
            with suppress(ReverieError):  # the first who comes upon it is told
                ACTIONS[act](opened)
        opened.close()
    opened = open_again(open_memory)
    for act in (*ACTIONS, "remember", "next task"):
        (ACTIONS | MORE_ACTIONS)[act](opened)
    assert list(state.glob(f"{name}.corrupt-*"))


def test_a_letter_that_is_none_any_more_spoils_its_own_row_alone(filled, open_memory):
    state = Path(filled.workspace.state)
    with closing(sqlite3.connect(state / "journal.db", isolation_level=None)) as db:
        (last,) = db.execute("SELECT max(seq) FROM run").fetchone()
        for column in ("at", "verb", "note", "detail"):
            db.execute(  # the names are those of our tables
                f"UPDATE run SET {column} = CAST(x'61ff62' AS TEXT) WHERE seq = ?",  # noqa: S608
                (last,),
            )
    opened = open_again(open_memory)
    told = opened.log(limit=1000)
    assert len(told) >= last - 1
    for act in ACTIONS.values():
        act(opened)


MORE_ACTIONS: dict[str, Callable[[Memory], object]] = {
    "blame": lambda memory: [memory.blame(topic.path) for topic in memory.store.topics()],
    "diff": lambda memory: [memory.diff(run.id) for run in memory.log()],
    "forget": lambda memory: memory.forget("heron", dry_run=True),
    "erase": lambda memory: memory.forget("heron", erase=True, everywhere=True, dry_run=True),
    "notice": lambda memory: memory.store.notice_edits(),
    "remember": lambda memory: memory.undo(memory.remember("The stork sleeps", clean=True).run),
    "next task": lambda memory: queue(memory).start_next(),
}


@pytest.mark.slow
def test_rows_of_another_kind_stop_nothing(filled, open_memory):
    check_rows(filled, open_memory, seed=5, trials=12)


@pytest.mark.slow
def test_damage_to_what_records_and_steers_touches_no_memory_and_stops_nothing(
    filled, open_memory, tmp_path
):
    check_recorded(filled, open_memory, tmp_path / "spare", seed=3, trials=10)
