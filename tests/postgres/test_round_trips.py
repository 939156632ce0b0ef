"""What a call costs is how often it waits for the server: that is the same on every machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from bench.speed.wire import Traffic, Wire
from reverie.errors import StoreError
from reverie.memory import Memory
from reverie.postgres.place import Place
from reverie.postgres.store import logs

pytestmark = pytest.mark.slow


@pytest.fixture
def memory(open_at: Callable[..., Memory], place: Place, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setattr(logs, "_MOMENT", 600.0)  # notes are written beside what is counted here
    opened = open_at(place, **{"engine.pool": 2})
    for number in range(8):
        opened.remember(f"Deploys of service {number} happen on day {number} in room {number}.")
    opened.search("deploys of service 3")
    opened.recall("when do deploys of service 3 happen?")
    return opened


@pytest.fixture
def cost(memory: Memory, tmp_path: Path) -> Callable[[Callable[[], object]], Traffic]:
    return Wire(memory.engine.database, tmp_path).cost


def test_a_recall_waits_seldom_however_much_it_finds(
    memory: Memory, cost: Callable[[Callable[[], object]], Traffic]
) -> None:
    one = cost(lambda: memory.recall("when do deploys of service 3 happen?", limit=1))
    many = cost(lambda: memory.recall("when do deploys of service 3 happen?", limit=5))

    assert one.trips == many.trips <= 3


def test_remembering_waits_seldom(
    memory: Memory, cost: Callable[[Callable[[], object]], Traffic]
) -> None:
    new = cost(lambda: memory.remember("The wiki moved to another building yesterday evening."))

    assert new.trips <= 5


def test_a_search_waits_seldom(
    memory: Memory, cost: Callable[[Callable[[], object]], Traffic]
) -> None:
    assert cost(lambda: memory.search("deploys of service 3", max_results=1)).trips <= 4
    assert cost(lambda: memory.search("deploys of service 3", max_results=8)).trips <= 4


def test_one_question_is_one_round_trip(
    memory: Memory, cost: Callable[[Callable[[], object]], Traffic]
) -> None:
    database, place = memory.engine.database, memory.engine.place

    found = cost(lambda: database.rows(place, "SELECT 1"))
    assert (found.trips, found.statements) == (1, len(["bind", "1"]))


def test_one_question_sees_the_rows_of_its_place_and_the_next_one_of_its_own(
    memory: Memory,
) -> None:
    database, place = memory.engine.database, memory.engine.place
    count = "SELECT count(*) FROM file"  # row-level security alone says whose

    assert database.rows(place, count)[0][0] > 0
    assert database.rows(Place(place.tenant, "somebody-else", place.project), count) == [(0,)]
    with database.unbound() as nobody:
        assert nobody.execute(count).fetchall() == [(0,)]


def test_a_question_that_fails_leaves_its_connection_fit_for_the_next(memory: Memory) -> None:
    database, place = memory.engine.database, memory.engine.place

    for _ in range(3):
        with pytest.raises(StoreError):
            database.rows(place, "SELECT 1 / 0")
        assert database.rows(place, "SELECT 1") == [(1,)]


def test_reading_inside_a_transaction_sends_nothing_but_the_question(
    memory: Memory, cost: Callable[[Callable[[], object]], Traffic]
) -> None:
    database, place = memory.engine.database, memory.engine.place

    def nested() -> None:
        with database.transaction(place):
            for _ in range(3):
                database.rows(place, "SELECT 1")

    assert cost(nested).statements == len(["BEGIN", "bind", "1", "1", "1", "COMMIT"])


def test_a_part_that_fails_undoes_only_itself(memory: Memory) -> None:
    database, place, state = memory.engine.database, memory.engine.place, memory.engine.state

    def fail() -> None:
        with database.transaction(place) as db:
            state.update_state("within.json", lambda _: {"kept": False})
            db.execute("SELECT 1 / 0")

    with database.transaction(place):
        state.update_state("before.json", lambda _: {"kept": True})
        with pytest.raises(StoreError):
            fail()
        state.update_state("after.json", lambda _: {"kept": True})

    assert state.read_state("before.json") == {"kept": True}
    assert state.read_state("within.json") == {}
    assert state.read_state("after.json") == {"kept": True}


def test_an_error_that_somebody_swallowed_is_told_at_the_end(memory: Memory) -> None:
    database, place, state = memory.engine.database, memory.engine.place, memory.engine.state

    def swallow() -> None:
        with database.transaction(place) as db:
            state.update_state("lost.json", lambda _: {"kept": True})
            with suppress(psycopg.Error):
                db.execute("SELECT 1 / 0").fetchall()

    with pytest.raises(StoreError):
        swallow()
    assert state.read_state("lost.json") == {}
