"""What is erased is gone, whatever became of it before; what stands beside it stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reverie.core.erasing.places import TABLES, place_of
from reverie.core.learning.heard import heard_path
from reverie.errors import UndoConflict
from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.types import Scope
from tests.server import Server
from tests.traces import plant, traces

STATEMENT = "The staging host is called zebrawood"


@pytest.fixture
def look(engine: str, memory: Memory, request: pytest.FixtureRequest) -> Callable[[str], list[str]]:
    server: Server | None = request.getfixturevalue("server") if engine == "postgres" else None
    return lambda word: traces(memory, word, server=server)


def said(memory: Memory) -> list[str]:
    return [entry.summary for topic in memory.store.topics() for entry in topic.entries]


def talk(memory: Memory, text: str, session: str) -> None:
    memory.extract([{"role": "user", "content": text, "id": f"{session}-1"}], session=session)


def test_a_memory_that_was_moved_can_be_erased(memory: Memory, look: Callable[[str], list[str]]):
    made = memory.remember(STATEMENT)
    moved = memory.move(made.entry, to="user")
    back = memory.move(moved.entry, to="project")
    done = memory.forget(back.entry, erase=True)
    assert look("zebrawood") == []
    assert done.left == ()
    assert memory.verify_forgotten(done.receipt).ok


@pytest.mark.parametrize("by", ["words", "part", "receipt", "id"])
def test_what_was_forgotten_before_can_be_erased(
    memory: Memory, look: Callable[[str], list[str]], by: str
):
    memory.remember("Our build machine stands in baobab hall", why="it is big")
    memory.remember(STATEMENT, why="it has zebrawood doors")
    retired = memory.forget(STATEMENT)
    assert retired.receipt.id in next(
        item.reason for item in retired.left if item.kind == "journal"
    )
    [past] = memory.forget(STATEMENT, erase=True, dry_run=True).removed_entries
    words = {"words": STATEMENT, "part": "zebrawood staging", "id": past.id}
    query = retired.receipt.id if by == "receipt" else words[by]
    shown = memory.forget(query, erase=True, dry_run=True)
    assert [item.summary for item in shown.removed_entries] == [STATEMENT]
    assert shown.left == ()
    assert look("zebrawood")
    done = memory.forget(query, erase=True)
    assert look("zebrawood") == []
    assert said(memory) == ["Our build machine stands in baobab hall"]
    assert memory.verify_forgotten(done.receipt).ok
    assert memory.verify().ok
    again = memory.forget(query, erase=True)
    assert (again.removed_entries, [item for item in again.candidates if "[" in item.summary]) == (
        (),
        [],
    )
    with pytest.raises(UndoConflict):
        memory.undo(retired.run)


def test_what_was_undone_can_be_erased(memory: Memory, look: Callable[[str], list[str]]):
    made = memory.remember(STATEMENT)
    memory.undo(made.run)
    memory.forget(STATEMENT, erase=True)
    assert look("zebrawood") == []


def test_an_erasure_reaches_what_was_heard(memory: Memory, look: Callable[[str], list[str]]):
    talk(memory, "The parser lives in zebrawood/parse.rs. The lexer lives in baobab/lex.rs.", "s1")
    waiting = {item.summary for item in memory.heard()}
    assert len(waiting) == 2
    statement = next(text for text in waiting if "zebrawood" in text)
    memory.remember(statement)
    done = memory.forget(statement, erase=True)
    assert look("zebrawood") == []
    assert {item.summary for item in memory.heard()} == waiting - {statement}
    assert "[erased]" not in (memory.store.read(heard_path(memory.workspace, Scope.PROJECT)) or "")
    assert {item.kind for item in done.places} >= {"memories", "heard", "journal"}


def test_a_former_value_goes_alone(memory: Memory, look: Callable[[str], list[str]]):
    memory.remember("I live in Quokkastadt", scope="user")
    memory.remember("I now live in Zebraville", scope="user")
    assert memory.remember("I now live in Xylanderburg", scope="user").action == "superseded"
    memory.forget("I live in Quokkastadt", erase=True)
    assert look("quokkastadt") == []
    assert said(memory) == ["I now live in Xylanderburg"]
    memory.forget("Zebraville", erase=True)
    assert look("zebraville") == []
    (topic,) = memory.store.topics()
    assert topic.entries[0].why == ""
    assert "xylanderburg" in topic.rel
    assert topic.name == topic.description == "I now live in Xylanderburg"


def test_a_former_value_that_is_retired_comes_back_with_an_undo(memory: Memory):
    memory.remember("I live in Quokkastadt", scope="user")
    memory.remember("I now live in Zebraville", scope="user", why="The rent is lower")
    before = memory.store.topics()[0].text
    done = memory.forget("I live in Quokkastadt")
    (topic,) = memory.store.topics()
    assert (topic.entries[0].summary, topic.entries[0].why) == (
        "I now live in Zebraville",
        "The rent is lower",
    )
    memory.undo(done.run)
    assert memory.store.topics()[0].text == before


def test_what_an_erased_memory_links_to_is_no_trace_of_it(memory: Memory):
    guide = memory.remember(
        "Deployment guide for the northern region", name="Northern deployment guide"
    )
    link = guide.entry.removesuffix(".md")
    made = memory.remember(f"Read [[{link}]] before zebrawood", name="Zebrawood")
    before = memory.store.read(guide.path)
    done = memory.forget(made.entry, erase=True)
    assert done.left == ()
    assert memory.verify_forgotten(done.receipt).ok
    assert memory.store.read(guide.path) == before


def test_a_neighbour_that_says_more_keeps_its_history(
    memory: Memory, look: Callable[[str], list[str]]
):
    longer = memory.remember("I like quokka tea with milk", scope="user")
    memory.remember("I like quokka tea", scope="user")
    memory.forget("I like quokka tea", erase=True)
    assert said(memory) == ["I like quokka tea with milk"]
    assert "I like quokka tea with milk" in "".join(memory.diff(longer.run))
    memory.undo(longer.run)
    assert said(memory) == []


def test_the_inventory_knows_every_place(memory: Memory, request: pytest.FixtureRequest):
    plant(memory)
    memory.move(memory.remember(STATEMENT).entry, to="user")
    talk(memory, "The parser lives in zebrawood/parse.rs.", "s1")
    memory.dream(force=True)
    if isinstance(memory.engine, PostgresEngine):
        server: Server = request.getfixturevalue("server")
        with server.as_owner() as db:
            rows = db.execute(
                "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                " WHERE n.nspname = 'reverie' AND relkind IN ('r', 'p') AND NOT relispartition"
            ).fetchall()
        assert {name for (name,) in rows} - {"release", "alembic_version"} == TABLES.keys()
        return
    home = Path(memory.workspace.home)
    strange = [
        str(path.relative_to(home))
        for path in home.rglob("*")
        if path.is_file() and not place_of(str(path), memory.workspace).known
    ]
    assert strange == []
