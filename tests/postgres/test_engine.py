"""The engine as a whole: the same answers as the files', moving between them, backups, releases."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reverie.config import EngineSettings
from reverie.core.moving.record_kinds import ABOUT
from reverie.errors import EngineOutdated, EngineUnavailable, InvalidInput, Locked, TenantMoving
from reverie.local.settings import load_settings
from reverie.memory import Memory
from reverie.postgres.admin import (
    list_tenants,
    migrate,
    owner_connection,
    remove_tenant,
    tune,
)
from reverie.postgres.database import RELEASE, Database, bind
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.place import Place
from reverie.postgres.tokens import Grant, create_token, granted
from reverie.types import PortableFile, PortableRun, TextPart, TurnMessage
from tests.conftest import FakeClock
from tests.contract.test_search import Letters
from tests.postgres.conftest import make_token, options_of
from tests.server import Server

FACTS = (
    "Deploys happen on Tuesday mornings from the main branch.",
    "The staging database listens on port 5433 and is wiped on Sundays.",
    "Anna leads the billing team; Ben is her deputy.",
    "部署在每周二上午进行。",
    "Цветочный магазин открыт до восьми вечера.",
)
QUERIES = (
    "when do deploys happen",
    "port of staging",
    "who leads billing",
    "部署",
    "магазин",
    "nothing",
)

pytestmark = pytest.mark.slow


def fill(memory: Memory) -> None:
    for fact in FACTS:
        memory.remember(fact, scope="project", clean=True)
    memory.remember("I drink oolong tea.", scope="user")
    memory.save("Run the tests before every commit.", scope="project")
    memory.layers.append(
        [
            TurnMessage("user", (TextPart("My cat is called Biscuit."),)),
            TurnMessage("assistant", (TextPart("A fine name."),)),
        ],
        session="s1",
    )


def undated(text: str) -> str:
    """Leave out when a turn was: the two memories of a test have clocks of their own."""
    return re.sub(r"^(turn \d+), \S+", r"\1", text)


@pytest.mark.parametrize("embedder", [None, Letters()], ids=["words", "vectors"])
def test_both_engines_find_the_same_with_the_same_scores(
    open_memory: Callable[..., Memory], open_at: Callable[..., Memory], place: Place, embedder: Any
):
    local = open_memory(settings={"embedder.provider": "none"})
    shared = open_at(place)
    found = []
    for memory in (local, shared):
        memory.embedder = embedder
        fill(memory)
        found.append(
            [
                {undated(hit.text): hit.score for hit in memory.search(query, min_score=0).results}
                for query in (*QUERIES, "cat called Biscuit")
            ]
        )
    assert found[0][0]
    for one, other in zip(*found, strict=True):
        # Vectors are kept as bytes here and as half floats there, which differ a little; so may the order
        # of what is as good as equal.
        assert one == pytest.approx(other, abs=0.03 if embedder else 0.0001)
    topics = [[t.name for t in m.recall("when do deploys happen?").topics] for m in (local, shared)]
    assert topics[0] == topics[1] != []


# --- moving between engines -------------------------------------------------------------------------


def carried(memory: Memory) -> list[str]:
    """Everything that is carried, in an order of its own, without what names an engine's own paths."""

    def shown(record: Any) -> str:
        match record:
            case PortableRun():
                kept = record.record
                return repr((kept.id, kept.verb, kept.at, kept.status, kept.session, record.deltas))
            case PortableFile() if record.at.endswith("MEMORY.md"):  # made anew by each engine
                return repr((record.at, record.text))
        return repr(record)

    return sorted(shown(item) for item in memory.engine.carrier(None).records(journal=True))


def test_a_memory_moves_to_the_database_and_back_without_loss(
    open_memory: Callable[..., Memory],
    open_at: Callable[..., Memory],
    place: Place,
    tmp_path: Path,
    project: Path,
    clock: FakeClock,
):
    local = open_memory()
    fill(local)
    run = local.log()[0].id
    local.export(tmp_path / "there.jsonl", to="jsonl", with_journal=True)
    shared = open_at(place)
    shared.clock = clock
    shared.import_(tmp_path / "there.jsonl", allow=tuple(ABOUT))
    # The import is a run of its own, and nothing else may differ.
    assert set(carried(local)) <= set(carried(shared))
    assert shared.journal.record(run).id == run
    assert [t.name for t in shared.store.topics()] == [t.name for t in local.store.topics()]
    assert shared.verify().ok
    shared.export(tmp_path / "back.jsonl", to="jsonl", with_journal=True)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    home = tmp_path / "second-home"
    with Memory.open(other, home=home, clock=clock) as back:
        back.import_(tmp_path / "back.jsonl", allow=tuple(ABOUT))
        assert set(carried(shared)) <= set(carried(back))
        assert back.verify().ok


# --- operations -------------------------------------------------------------------------------------


def test_a_backup_restored_elsewhere_is_the_same_memory(
    server: Server, place: Place, open_at: Callable[..., Memory], tmp_path: Path
):
    memory = open_at(place)
    fill(memory)
    before = carried(memory)
    dump = tmp_path / "backup.dump"
    name = f"restored_{place.tenant}"
    with server.as_owner() as db:
        db.execute(f"CREATE DATABASE {name}")
    where = ["--host", str(server.folder), "--username", "postgres"]
    quiet = {"check": True, "capture_output": True, "env": {**os.environ, "PGPASSWORD": ""}}
    subprocess.run(
        [server.tool("pg_dump"), *where, "--format=custom", "--file", str(dump), "postgres"],
        **quiet,
    )
    subprocess.run([server.tool("pg_restore"), *where, "--dbname", name, str(dump)], **quiet)
    url = server.app.replace("/postgres?", f"/{name}?")
    with Memory.open(
        tmp_path, settings={**options_of(server, place), "engine.url": url}
    ) as restored:
        assert carried(restored) == before
        assert restored.verify().ok
        restored.remember("Life goes on after a restore.")
        assert "goes on" in restored.recall("life after a restore").block
    with server.as_owner() as db:
        db.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_this_release_runs_on_the_schema_of_the_next(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    """Expand, then contract: what the next release adds must not disturb the daemons of this one."""
    with server.as_owner() as db:
        db.execute("ALTER TABLE reverie.file ADD COLUMN kind text NOT NULL DEFAULT ''")
        db.execute(
            "CREATE TABLE reverie.later (tenant text NOT NULL, x int, PRIMARY KEY (tenant, x))"
        )
        db.execute("INSERT INTO reverie.release VALUES (%s, %s)", (RELEASE + 1, RELEASE))
    try:
        memory = open_at(place, **{"engine.pool": 3})
        fill(memory)
        assert memory.verify().ok
        assert memory.search("deploys").results
        with server.as_owner() as db:
            db.execute(
                "UPDATE reverie.release SET oldest = version WHERE version = %s", (RELEASE + 1,)
            )
        with pytest.raises(EngineOutdated, match="upgrade Reverie"):
            Database(EngineSettings(url=server.app))
    finally:
        with server.as_owner() as db:
            db.execute("ALTER TABLE reverie.file DROP COLUMN kind")
            db.execute("DROP TABLE reverie.later")
            db.execute("DELETE FROM reverie.release WHERE version > %s", (RELEASE,))


def test_migrating_again_changes_nothing(server: Server):
    done = migrate(server.owner)
    assert (done.before, done.after) == ("0005", "0005")


def test_a_database_without_our_tables_is_refused_with_what_to_do(server: Server):
    with server.as_owner() as db:
        db.execute("CREATE DATABASE empty_one")
    try:
        url = server.app.replace("/postgres?", "/empty_one?")
        with pytest.raises(EngineOutdated, match="reverie postgres migrate"):
            Database(EngineSettings(url=url))
    finally:
        with server.as_owner() as db:
            db.execute("DROP DATABASE empty_one WITH (FORCE)")


def test_a_database_that_is_away_is_named_so(tmp_path: Path):
    settings = EngineSettings(url=f"postgresql:///x?host={tmp_path}", pool_wait_seconds=0.2)
    with pytest.raises(EngineUnavailable):
        Database(settings)


def test_a_full_pool_tells_callers_to_come_back(place: Place, open_at: Callable[..., Memory]):
    memory = open_at(place, **{"engine.pool": 2, "engine.pool_wait_seconds": 0.1})
    engine = memory.engine
    assert isinstance(engine, PostgresEngine)
    with (
        engine.database.transaction(Place(place.tenant, "ben", "web")),
        engine.database.transaction(Place(place.tenant, "cleo", "web")),
        pytest.raises(EngineUnavailable, match="in use"),
    ):
        memory.store.topics()
    assert memory.store.topics() == []


def test_a_refused_question_spoils_no_later_one(server: Server, place: Place):
    """The driver prepares what is often asked; the server passes over what comes behind an error."""
    gone = Place(f"{place.tenant}-gone", place.owner, place.project)
    with server.as_owner() as owner:
        owner.execute(
            "INSERT INTO reverie.residence (tenant, state) VALUES (%s, 'gone')", (gone.tenant,)
        )
    database = Database(EngineSettings(url=server.app))
    try:
        for _ in range(12):
            for _ in range(2):
                assert database.rows(place, "SELECT %(tenant)s") == [(place.tenant,)]
            with pytest.raises(TenantMoving):
                database.rows(gone, "SELECT %(tenant)s")
    finally:
        database.close()
        with server.as_owner() as owner:
            owner.execute("DELETE FROM reverie.residence WHERE tenant = %s", (gone.tenant,))


def test_a_writer_does_not_wait_for_ever(
    place: Place, open_at: Callable[..., Memory], server: Server
):
    memory = open_at(place, **{"memory.lock_wait_seconds": 0.1})
    memory.remember("First.")
    with server.as_app() as db:
        bind(db, place)
        db.execute(
            "SELECT 1 FROM space WHERE tenant = %(tenant)s AND owner = %(owner)s FOR UPDATE",
            place.values,
        )
        with pytest.raises(Locked):
            memory.remember("Second.")


def test_a_large_workspace_gets_a_vector_index_of_its_own_which_is_used(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    memory = open_at(place, **{"search.approximate_above": 3})
    memory.embedder = Letters()
    fill(memory)
    exact = memory.search("zebra deploys Tuesday", min_score=0).results
    (made, *_) = [item for item in tune(server.owner, above=3) if item.tenant == place.tenant]
    engine = memory.engine
    assert isinstance(engine, PostgresEngine)
    with engine.database.transaction(place) as db:
        db.execute("SET LOCAL enable_seqscan = off")
        db.execute("SET LOCAL enable_sort = off")
        plan = db.execute(
            "EXPLAIN SELECT v.chunk FROM vector v WHERE v.tenant = %(tenant)s AND v.owner = %(owner)s"
            " AND v.project = %(project)s ORDER BY v.embedding::halfvec(26) <#>"
            f" '[{','.join('1' * 26)}]'::halfvec(26) LIMIT 5",
            place.values,
            prepare=False,
        ).fetchall()
    assert made.index in str(plan)
    assert memory.search("zebra deploys Tuesday", min_score=0).results[0].path == exact[0].path


def test_a_vector_index_whose_making_was_cut_off_is_made_anew(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    """PostgreSQL leaves it there, keeps it up to date and never reads it."""
    memory = open_at(place)
    memory.embedder = Letters()
    fill(memory)
    memory.search("zebra")
    made = {item.index for item in tune(server.owner, above=3) if item.tenant == place.tenant}
    fit = "FROM pg_index WHERE indexrelid = ANY(%s::regclass[])"
    names = [[f"reverie.{name}" for name in made]]
    with server.as_owner() as db:
        db.execute(f"UPDATE pg_index SET indisvalid = false {fit.removeprefix('FROM pg_index ')}",
                   names)  # fmt: skip
    again = {item.index for item in tune(server.owner, above=3) if item.tenant == place.tenant}
    with server.as_owner() as db:
        assert again == made
        assert set(db.execute(f"SELECT indisvalid {fit}", names)) == {(True,)}


def test_a_tenant_is_listed_and_removed_with_all_it_has(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    memory = open_at(place)
    fill(memory)
    make_token(server, place)
    with psycopg.connect(server.owner) as db:
        db.execute("SET search_path = reverie, public")
        (info,) = [item for item in list_tenants(db) if item.tenant == place.tenant]
        assert (info.users, info.projects, info.tokens) == (1, 1, 1)
        assert remove_tenant([db], place.tenant) > 20
        assert place.tenant not in {item.tenant for item in list_tenants(db)}
    assert open_at(place).store.topics() == []


def test_the_owner_need_not_be_a_superuser(server: Server, tmp_path: Path):
    """Managed databases give nobody such rights: everything is done with what they give."""
    with server.as_owner() as db:
        db.execute("CREATE ROLE modest LOGIN CREATEROLE")
        db.execute("GRANT reverie_app, reverie_system TO modest WITH ADMIN OPTION")
        db.execute("CREATE DATABASE modest_one OWNER modest")
    with psycopg.connect(server.owner.replace("/postgres?", "/modest_one?"), autocommit=True) as db:
        db.execute("CREATE EXTENSION vector")  # what a provider's console does
    owner = server.owner.replace("postgres:@", "modest@").replace("/postgres?", "/modest_one?")
    app = server.app.replace("/postgres?", "/modest_one?")
    place = Place("acme", "ann", "web")
    try:
        migrate(owner)
        token = ""
        with psycopg.connect(owner) as db:
            token = create_token(db, place).value
        settings = {**options_of(server, place), "engine.url": app}
        with Memory.open(tmp_path, settings=settings) as memory:
            fill(memory)
            engine = memory.engine
            assert isinstance(engine, PostgresEngine)
            assert granted(engine.database, token) == Grant(place)
        with owner_connection(owner) as db:
            assert [item.tenant for item in list_tenants(db)] == ["acme"]
            assert db.execute("SELECT count(*) FROM file").fetchone() == (0,)
            assert remove_tenant([db], "acme") > 20
            assert list_tenants(db) == []
        assert tune(owner, above=1) == []
    finally:
        with server.as_owner() as db:
            db.execute("DROP DATABASE modest_one WITH (FORCE)")
            db.execute("DROP OWNED BY modest")
            db.execute("DROP ROLE modest")


# --- settings ---------------------------------------------------------------------------------------


def test_the_engine_is_named_by_a_variable_of_its_own(tmp_path: Path):
    from reverie.dialect import REVERIE

    resolved = load_settings(
        tmp_path, dialect=REVERIE, home=tmp_path, env={"REVERIE_ENGINE": "postgresql://x"}
    )
    assert resolved.settings.engine.url == "postgresql://x"
    assert resolved.origin("engine.url") == "environment REVERIE_ENGINE"


def test_a_password_on_the_command_line_is_refused():
    from reverie.cli.serve import shared_engine

    with pytest.raises(InvalidInput, match="PGPASSWORD"):
        shared_engine("postgresql://ann:secret@db/reverie")
    assert shared_engine("postgresql://ann@db/reverie") == "postgresql://ann@db/reverie"


@pytest.mark.parametrize(
    "name", ["", "-x", ".x", "a b", "a/b", "a\x1fb", "a\x00", "x" * 129, "a'b"]
)
def test_a_name_that_could_mean_something_else_is_refused(name: str):
    from reverie.errors import InvalidArgument

    for values in ((name, "ann", "web"), ("t", name, "web"), ("t", "ann", name)):
        with pytest.raises(InvalidArgument):
            Place(*values)


def test_further_paths_of_a_machine_are_refused(place: Place, open_at: Callable[..., Memory]):
    with pytest.raises(InvalidInput, match="reverie import"):
        open_at(place).index(["/etc"])
