"""Erasing everywhere: previewed, complete, and finished by the next call when it was killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reverie.adapters.records import Records
from reverie.core.erasing.erasing_store import ErasingStore
from reverie.core.erasing.everywhere import Tally
from reverie.core.erasing.occurrences import WordsToErase
from reverie.core.history.turns import said as said_in
from reverie.errors import InvalidInput, InvalidQuery, UndoConflict
from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.store.logs import keeper_of
from reverie.types import Applied, Change, ErasedPlace, RunInfo, TextPart, TurnMessage
from tests.server import Server
from tests.traces import KEPT, WORD, files_of, plant, rows_of, traces

EVERYWHERE = {"erase": True, "everywhere": True}
KINDS = {
    "memories", "context", "working", "semantic", "notes", "stores", "history", "cognition", "state",
    "tasks", "events", "index", "journal",
}  # fmt: skip


@pytest.fixture
def look(engine: str, memory: Memory, request: pytest.FixtureRequest) -> Callable[..., list[str]]:
    server: Server | None = request.getfixturevalue("server") if engine == "postgres" else None

    def found(word: str = WORD) -> list[str]:
        return traces(memory, word, server=server)

    return found


@pytest.fixture
def state(memory: Memory, request: pytest.FixtureRequest) -> Callable[[], object]:
    """Return everything that is kept, to the byte; locks say only who held them."""
    if isinstance(memory.engine, PostgresEngine):
        server: Server = request.getfixturevalue("server")
        engine = memory.engine

        def rows() -> object:
            keeper_of(engine.database).write()  # notes of what ran before come a moment later
            return rows_of(server, engine.place.tenant)

        return rows
    return lambda: files_of(Path(memory.workspace.home)) | files_of(Path(memory.workspace.base))


def counts(places: Sequence[ErasedPlace]) -> dict[str, int]:
    return {item.kind: item.holding for item in places}


def test_words_planted_everywhere_are_in_no_byte_afterwards(
    memory: Memory, look: Callable[..., list[str]]
):
    plant(memory)
    assert look()
    done = memory.forget(WORD, **EVERYWHERE)
    assert look() == []
    assert done.receipt is not None
    assert counts(done.receipt.places).keys() - {"leftovers"} == KINDS
    assert all(item.erased == item.holding for item in done.receipt.places)
    assert done.receipt.left == done.left == ()
    assert memory.verify().ok
    assert memory.verify_forgotten(done.receipt.id).ok
    assert memory.engine.find_receipt(done.receipt.id) == done.receipt
    with pytest.raises(UndoConflict):
        memory.undo(done.run)


def test_what_stays_can_still_be_read_found_and_written(memory: Memory):
    plant(memory)
    memory.forget(WORD, **EVERYWHERE)
    assert KEPT in memory.recall("what is the plant called?").block
    assert [item.title for item in memory.layers.notes().notes].count("Dates") == 1
    assert memory.layers.note("About erased").note.tags == ("erased", "launch")
    [record] = Records(memory, "langgraph").all()
    assert record.value == {"[erased]": "a\n[erased]\nb"}
    said = [text for turn in memory.layers.history.latest(9).turns for _, text in said_in(turn)]
    assert "What is [erased]? Remember to ask Bob about it." in said
    assert [hit.path for hit in memory.search("Remember to ask Bob").results]
    memory.layers.add_note("One more")
    memory.remember("The new codename is still open")
    assert memory.verify().ok


def test_a_preview_counts_and_changes_nothing(
    memory: Memory, look: Callable[..., list[str]], state: Callable[[], object]
):
    plant(memory)
    before, found = state(), look()
    shown = memory.forget(WORD, **EVERYWHERE, dry_run=True)
    assert (state(), look()) == (before, found)
    assert (shown.run, shown.receipt) == ("", None)
    assert counts(shown.places).keys() == KINDS
    assert not any(item.erased for item in shown.places)
    done = memory.forget(WORD, **EVERYWHERE)
    same = {"journal", "leftovers"}  # the erasure itself adds to these before it cleans them
    assert {kind: n for kind, n in counts(done.places).items() if kind not in same} == {
        kind: n for kind, n in counts(shown.places).items() if kind not in same
    }


def test_words_that_no_memory_holds_are_found_in_conversations(memory: Memory):
    memory.layers.append([TurnMessage("user", (TextPart("My PIN is plum seven"),))])
    done = memory.forget("PIN is plum seven", **EVERYWHERE)
    assert counts(done.places) == {"history": 1}
    assert done.receipt is not None
    assert memory.verify_forgotten(done.receipt.id).ok
    assert memory.forget("PIN is plum seven", **EVERYWHERE).receipt is None


def test_the_proof_finds_what_a_plain_erase_leaves_in_conversations(memory: Memory):
    memory.remember("I keep a marabou named Zanzibar")
    memory.layers.append([TurnMessage("user", (TextPart("I keep a marabou named Zanzibar"),))])
    done = memory.forget("marabou named Zanzibar", erase=True)
    assert done.receipt is not None
    [found] = memory.verify_forgotten(done.receipt).problems
    assert found.code == "trace_found"
    assert memory.forget("marabou named Zanzibar", **EVERYWHERE).receipt is not None
    assert memory.verify_forgotten(done.receipt).ok


def test_a_paraphrase_by_a_part_of_the_entry_is_found_too(
    memory: Memory, look: Callable[..., list[str]]
):
    memory.remember("The garden gate opens with the code plum seven every evening")
    words = "Bob said: the GARDEN gate\nopens with the code; more later"
    note = memory.layers.add_note(words, title="Talk")
    done = memory.forget("garden gate code", **EVERYWHERE)
    assert counts(done.places)["notes"] == 1
    assert look("garden gate") == []
    assert (memory.store.read(note.path) or "").endswith("Bob said: [erased]; more later\n")


def test_what_other_memories_say_rightly_stays(memory: Memory):
    memory.remember("We deploy the web shop on Tuesdays after lunch", kind="project")
    memory.remember("We deploy the web shop on Tuesdays before the rota meeting", kind="project")
    [one, two] = memory.store.topics()
    memory.forget(ids=[one.path], **EVERYWHERE)
    assert memory.store.read(two.path) == two.text


@pytest.mark.parametrize("words", ["project", "the", "abc"])
def test_a_word_that_says_too_little_is_not_looked_for_by_itself(memory: Memory, words: str):
    note = memory.layers.add_note(f"All about the project abc and {words}")
    done = memory.forget(words, **EVERYWHERE)
    assert [item.what for item in done.dropped] == [words]
    assert done.receipt is None
    assert words in (memory.store.read(note.path) or "")


def test_a_file_with_something_like_a_secret_in_it_can_be_renamed_too(
    opener: Callable[..., Memory],
):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    careless = opener(**{"secrets.policy": "off"})
    careless.layers.add_note(f"{WORD}: {token}", title=f"On {WORD}")
    careless.close()
    memory = opener()
    memory.forget(WORD, **EVERYWHERE)
    [note] = memory.layers.notes().notes
    assert note.title == "On erased"
    assert token in note.text


def test_everywhere_is_for_erasing_and_a_blank_request_stays_an_error(memory: Memory):
    with pytest.raises(InvalidInput):
        memory.forget(WORD, everywhere=True)
    with pytest.raises(InvalidQuery):
        memory.forget(erase=True)


# --- killed in the middle --------------------------------------------------------------------------

STEPS = ("written down", "in memory", "beside it", "in the index", "in the journal", "certified")


class Stopping:
    """The real store; before one step it says so and waits for its end."""

    def __init__(self, store: ErasingStore, step: str) -> None:
        self._store = store
        self._step = step

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def _reach(self, step: str) -> None:
        if step == self._step:
            sys.stdout.write("reached\n")
            sys.stdout.flush()
            sys.stdin.read()

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        self._reach("written down")
        applied = self._store.apply(changes, run)
        self._reach("in memory")
        return applied

    def sweep(
        self,
        to_erase: WordsToErase,
        *,
        erase: bool,
        beside: bool = False,
        purge: Callable[[], Sequence[str]] = tuple,
    ) -> Tally:
        def stop_first() -> Sequence[str]:
            self._reach("beside it")
            return purge()

        tally = self._store.sweep(to_erase, erase=erase, beside=beside, purge=stop_first)
        self._reach("in the index")
        return tally

    def erase(self, to_erase: WordsToErase, **more: Any) -> int:
        touched = self._store.erase(to_erase, **more)
        self._reach("in the journal")
        return touched

    def certify(self, run: str, info: RunInfo) -> str:
        name = self._store.certify(run, info)
        self._reach("certified")
        return name


def erase_until(step: str, project: str, settings: str) -> None:
    """Erase everywhere and stop at a step; run in a process of its own."""
    memory = Memory.open(project, settings=json.loads(settings))
    real = memory.engine.erasing()
    memory.engine.erasing = lambda: Stopping(real, step)  # type: ignore[method-assign]
    memory.forget(WORD, erase=True, everywhere=True)


CHILD = (
    "import sys; from tests.contract.test_erasing import erase_until; erase_until(*sys.argv[1:])"
)


@pytest.mark.slow
@pytest.mark.parametrize(("step", "again"), [*((step, WORD) for step in STEPS), ("in memory", "")])
def test_an_erasure_that_was_killed_is_finished_by_the_next_call(
    memory: Memory, project: Path, look: Callable[..., list[str]], step: str, again: str
):
    plant(memory)
    engine = memory.settings.engine
    settings: dict[str, Any] = {"embedder.provider": "none"}
    if engine.url:
        named = ("url", "tenant", "user", "lease_seconds")
        settings |= {f"engine.{name}": getattr(engine, name) for name in named}
        settings["engine.project"] = "web"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, step, str(project), json.dumps(settings)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "reached\n"
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert look(), "the note of what is being erased holds the words"
    assert [item.code for item in memory.verify().problems] == ["erasure_unfinished"]
    done = memory.forget(again, **EVERYWHERE)
    assert look() == []
    assert done.receipt is not None
    assert done.left == ()
    assert memory.verify_forgotten(done.receipt.id).ok
    assert memory.verify().ok
