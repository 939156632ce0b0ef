"""Tables in parts by tenant do what whole ones do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from reverie.config import EngineSettings
from reverie.errors import InvalidInput
from reverie.memory import Memory
from reverie.postgres import admin
from reverie.postgres.database import database_for, give_back
from reverie.postgres.place import Place
from reverie.postgres.tokens import granted
from tests.contract.test_search import Letters
from tests.postgres.conftest import make_token, options_of
from tests.server import Server

pytestmark = pytest.mark.slow
PARTS = 4


@pytest.fixture
def parted(server: Server) -> Iterator[Server]:
    """A database of its own on the same server."""
    name = server.tenant()
    with server.as_owner() as db:
        db.execute(f"CREATE DATABASE {name}")
    here = replace(
        server,
        owner=make_conninfo(server.owner, dbname=name),
        app=make_conninfo(server.app, dbname=name),
    )
    admin.migrate(here.owner, partitions=PARTS)
    yield here
    with server.as_owner() as db:
        db.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_tenants_in_different_parts_remember_find_and_forget(parted: Server, tmp_path: Path):
    places = [Place(f"tenant{n}", f"person{n}", "web") for n in range(6)]
    for number, place in enumerate(places):
        with Memory.open(
            tmp_path, home=tmp_path / "h", settings=options_of(parted, place)
        ) as memory:
            memory.embedder = Letters()
            memory.remember(f"Deploys of team {number} happen in room {number}.")
            assert memory.recall("Where do deploys happen?").topics
            (hit,) = memory.search("where do deploys happen").results
            assert f"room {number}" in hit.text
            memory.forget(f"Deploys of team {number} happen in room {number}.")
            assert not memory.search("where do deploys happen").results
            memory.remember(f"The wiki of team {number} moved.")
    with psycopg.connect(parted.owner) as db:
        found = db.execute("SELECT DISTINCT tableoid::regclass::text FROM reverie.space").fetchall()
    assert len(found) > 1
    assert all(name.startswith("reverie.space_p") for (name,) in found)


def test_a_token_is_found_by_its_hash_whatever_its_tenant(parted: Server):
    places = [Place(f"tenant{n}", "ann", "web") for n in range(5)]
    tokens = [make_token(parted, place) for place in places]
    settings = EngineSettings(url=parted.app)
    database = database_for(settings)
    try:
        assert [granted(database, token).place for token in tokens] == places
    finally:
        give_back(settings)


def test_a_large_workspace_gets_an_index_in_its_part(parted: Server, tmp_path: Path):
    place = Place("acme", "ann", "web")
    with Memory.open(tmp_path, home=tmp_path / "h", settings=options_of(parted, place)) as memory:
        memory.embedder = Letters()
        for number in range(4):
            memory.remember(f"Room {number} holds {number + 10} people.")
        assert memory.search("how many people does room 2 hold").results
    (made,) = admin.tune(parted.owner, above=2)
    with psycopg.connect(parted.owner) as db:
        row = db.execute("SELECT tablename FROM pg_indexes WHERE indexname = %s", (made.index,))
        assert row.fetchone()[0].startswith("vector_p")


def test_tables_that_are_whole_are_not_taken_apart(server: Server):
    with pytest.raises(InvalidInput, match="move the memories there"):
        admin.migrate(server.owner, partitions=PARTS)
