"""Two tenants with the same paths, ids and queries: nothing of one is ever seen by the other.

Three walls are tried, each alone: the verbs, the routes, and row-level security under raw statements
of the application's own role.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.daemon.http.app import ENDPOINTS
from reverie.errors import EngineUnsafe, ReverieError
from reverie.memory import Memory
from reverie.postgres.admin import TABLES
from reverie.postgres.database import Database
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.events import NewEvent
from reverie.postgres.place import Place
from reverie.postgres.store.rowstore import PgStore
from reverie.types import Change, RunInfo, TextPart, TurnMessage
from tests.mcpserver.talk import over_http
from tests.postgres.conftest import OPERATOR, Daemon, make_token, options_of
from tests.server import Server

SECRET = "quetzal"
"""A word that only the victim's memory has."""
INJECTIONS = [
    "' OR '1'='1",
    "'; DROP TABLE reverie.file; --",
    "x') UNION SELECT content::text FROM reverie.file --",
    "%' OR tenant <> '",
    "$$; SELECT set_config('reverie.tenant', 'victim', false); --",
    "%(tenant)s",
    "%s%s%s",
    "\\'; SELECT 1; --",
    "\x00",
    "\ud800",
    "reverie.tenant",
    "../../../projects/victim/memory/project/x.md",
    "*",
    "",
    " ",
]

CLOSED = ("token", "quota", "site", "residence")
"""Tables that the application may not ask, or that have no owner and project."""
pytestmark = pytest.mark.slow


@dataclass
class Pair:
    """An attacker and a victim whose memories have the same names."""

    victim: Memory
    attacker: Memory
    victim_place: Place
    attacker_place: Place


def fill(memory: Memory, word: str) -> None:
    """Put a word into everything a memory has."""
    memory.initialise()
    memory.remember(f"The launch code is {word}.", name="launch code", scope="project")
    memory.remember(f"My dog is called {word}.", name="dog", scope="user")
    memory.save(f"Say {word} at the door.", scope="project")
    memory.save(f"Whisper {word} at home.", scope="global")
    memory.layers.append(
        [
            TurnMessage("user", (TextPart(f"Did I tell you about {word}?"),)),
            TurnMessage("assistant", (TextPart(f"Yes, {word} it is."),)),
        ],
        session="s1",
    )
    memory.layers.add_note(f"A note on {word}", title="a note")
    memory.state.update_state("meta.json", lambda _: {"word": word})
    memory.event_log.add("event", {"word": word}, at=memory.clock())
    engine = memory.engine
    assert isinstance(engine, PostgresEngine)
    engine.events.append([NewEvent("memory_changed", {"word": word})])
    memory.search(word)


MARKS = (
    f"launch code is {SECRET}", f"dog is called {SECRET}", f"Say {SECRET}", f"Whisper {SECRET}",
    f"about {SECRET}?", f"{SECRET} it is", f"note on {SECRET}", f"'word': '{SECRET}'",
    f'"word":"{SECRET}"', f"Fresh news of {SECRET}",
)  # fmt: skip


def leaked(text: str) -> list[str]:
    """Return what of the victim's memory stands in a text; the bare word is also in our questions."""
    return [mark for mark in MARKS if mark in text]


@pytest.fixture(scope="module")
def open_once(
    server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Place], Memory]]:
    home = tmp_path_factory.mktemp("service")
    opened: list[Memory] = []

    def opener(place: Place) -> Memory:
        opened.append(Memory.open("/", home=home, settings=options_of(server, place)))
        return opened[-1]

    yield opener
    for memory in opened:
        memory.close()


@pytest.fixture(scope="module", params=["tenant", "user", "project"])
def pair(
    request: pytest.FixtureRequest, server: Server, open_once: Callable[[Place], Memory]
) -> Pair:
    """The two differ in the tenant, or only in the person, or only in the project."""
    open_at = open_once
    victim = Place(server.tenant(), "ann", "web")
    attacker = {
        "tenant": Place(server.tenant(), "ann", "web"),
        "user": Place(victim.tenant, "bob", "web"),
        "project": Place(victim.tenant, "ann", "shop"),
    }[request.param]
    one, two = open_at(victim), open_at(attacker)
    if request.param == "project":  # the person's own memory is shared among projects on purpose
        one.remember(f"The launch code is {SECRET}.", name="launch code", scope="project")
        one.save(f"Say {SECRET} at the door.", scope="project")
        one.state.update_state("meta.json", lambda _: {"word": SECRET})
        one.event_log.add("event", {"word": SECRET}, at=one.clock())
        one.search(SECRET)
        two.remember("The launch code is platypus.", name="launch code", scope="project")
    else:
        fill(one, SECRET)
        fill(two, "platypus")
    return Pair(one, two, victim, attacker)


def verbs(memory: Memory, text: str, victim: Memory) -> dict[str, Callable[[], Any]]:
    """Every verb with a hostile text in every string it takes."""
    once = text == INJECTIONS[0]  # the victim's own names say the same with every hostile text
    paths = [*(topic.path for topic in victim.store.topics() if once), text]
    runs = [run.id for run in victim.log(limit=6) if once]
    found: dict[str, Callable[[], Any]] = {
        "recall": lambda: memory.recall(f"{SECRET} {text}"),
        "search": lambda: memory.search(f"{SECRET} {text}", min_score=0),
        "stats": memory.stats,
        "log": lambda: memory.log(limit=1000),
        "log path": lambda: memory.log(path=f"x{text}"),
        "events": lambda: memory.events(limit=1000, name=text or None),
        "context": memory.context,
        "prompt": lambda: memory.prompt(f"{SECRET} {text}"),
        "forget": lambda: memory.forget(f"{text} {SECRET}", dry_run=True),
        "topics": memory.store.topics,
        "state": lambda: memory.state.read_state(text or "x"),
        "meta": lambda: memory.state.read_state("meta.json"),
        "history": lambda: memory.layers.history.latest(100),
        "turn": lambda: memory.layers.history.get(1),
        "notes": lambda: memory.layers.notes(folder=text, tag=text),
        "verify": memory.verify,
        "export": lambda: list(memory.engine.carrier(None).records(journal=True)),
        "undo": lambda: memory.undo(text),
        "diff": lambda: memory.diff(text),
        "get chat": lambda: memory.get(f"chat://s1/{text}"),
    }
    for number, path in enumerate(paths):
        found[f"get {number}"] = lambda path=path: memory.get(path)
        found[f"read {number}"] = lambda path=path: memory.store.read(path)
        found[f"blame {number}"] = lambda path=path: memory.blame(path)
    for number, run in enumerate(runs):
        found[f"diff {number}"] = lambda run=run: memory.diff(run)
        found[f"undo {number}"] = lambda run=run: memory.undo(run)
        found[f"deltas {number}"] = lambda run=run: memory.journal.deltas(run)
    return found


def shown(work: Callable[[], Any]) -> str:
    try:
        return repr(work())
    except (ReverieError, ValueError) as error:
        return repr(error)


def files_of(pair: Pair) -> dict[str, str | None]:
    """Return the victim's files; of the same person's projects, those of the victim's project."""
    space, one, other = pair.victim.workspace, pair.victim_place, pair.attacker_place
    same_person = (one.tenant, one.owner) == (other.tenant, other.owner)
    store = pair.victim.engine.store
    assert isinstance(store, PgStore)
    folder = space.project_state if same_person else space.home
    return {path: store.read(path) for path in store.paths(folder)}


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_verb_shows_anything_of_another_place(pair: Pair, text: str):
    before = files_of(pair)
    for name, work in verbs(pair.attacker, text, pair.victim).items():
        assert not leaked(shown(work)), name
    assert files_of(pair) == before, "the attacker changed the victim's memory"
    assert pair.victim.verify().ok


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
@given(text=st.text(min_size=1, max_size=60))
def test_whatever_is_written_stays_where_it_was_written(pair: Pair, text: str):
    known = {topic.path for topic in pair.victim.store.topics()}
    for work in (
        lambda: pair.attacker.remember(text, name=text, why=text, how=text, scope="project"),
        lambda: pair.attacker.save(text, scope="project"),
        lambda: pair.attacker.layers.add_note(text, title=text, tags=[text]),
        lambda: pair.attacker.forget(text),
        lambda: pair.attacker.state.update_state(text, lambda _: {text: text}),
        lambda: pair.attacker.layers.append([TurnMessage(text, (TextPart(text),))], session=text),
        lambda: pair.attacker.search(text),
        lambda: pair.attacker.recall(text),
        lambda: pair.attacker.log(path=text),
        lambda: pair.attacker.store.apply(
            [Change(f"{pair.attacker.workspace.project_memory}/project/{text}.md", text, None)],
            RunInfo(text, text, text, client=text, note=text, detail={text: text}),
        ),
    ):
        shown(work)
    assert {topic.path for topic in pair.victim.store.topics()} == known
    assert pair.victim.verify().ok


def test_the_marks_are_there_for_whom_they_belong_to(pair: Pair):
    """Without this, the tests above could pass because nothing was there to leak."""
    told = "".join(shown(work) for work in verbs(pair.victim, INJECTIONS[0], pair.victim).values())
    assert len(leaked(told)) >= 2


# --- routes -----------------------------------------------------------------------------------------

BODY = {
    "content": f"about {SECRET}", "query": SECRET, "path": "launch", "text": SECRET, "name": "launch",
    "messages": [{"role": "user", "content": SECRET}], "session": "s1", "lines": "1-9", "title": "x",
    "scope": "workspace", "run": "x",
}  # fmt: skip


@pytest.fixture
def two_tokens(server: Server, open_at: Callable[..., Memory]) -> tuple[str, str, Memory, Place]:
    victim, attacker = Place(server.tenant(), "ann", "web"), Place(server.tenant(), "ann", "web")
    memory = open_at(victim)
    fill(memory, SECRET)
    fill(open_at(attacker), "platypus")
    return make_token(server, victim), make_token(server, attacker), memory, victim


def addresses(memory: Memory) -> list[tuple[str, str]]:
    """Every route, with the victim's ids and paths where the route takes one."""
    run, topic = memory.log()[0].id, memory.store.topics()[0]
    values = {"task": "remember-x", "session": "s1", "run": run, "workspace": "web", "seq": "1",
              "id": run, "name": "launch code", "job": "x"}  # fmt: skip
    found = []
    for endpoint in ENDPOINTS:
        path = endpoint.path
        for name, value in values.items():
            path = path.replace(f"{{{name}}}", value)
        for more in ("", f"?path={topic.path}&run={run}&query={SECRET}&name=launch&id={run}"):
            found.append((endpoint.method, f"{path}{more}"))
            if endpoint.scoped:
                found.append(
                    (endpoint.method, f"/workspaces/web{path.removeprefix('/workspace')}{more}")
                )
    return found


def test_no_route_shows_anything_of_another_tenant(
    two_tokens: tuple[str, str, Memory, Place], start_daemon: Callable[..., Daemon]
):
    victim, attacker, memory, _ = two_tokens
    daemon = start_daemon()
    daemon.ask("POST", "/workspace/recall", {"query": SECRET}, token=victim)  # it is open, and warm
    tried = 0
    for method, path in addresses(memory):
        if path.partition("?")[0].endswith("/events"):
            continue  # never ends; tried below
        answer = daemon.ask(
            method, path, None if method in ("GET", "DELETE") else BODY, token=attacker
        )
        assert not leaked(answer.text), (method, path)
        tried += answer.status_code < 400
    assert tried > 30, "most routes must have answered, or nothing was tried"
    assert memory.verify().ok


def test_no_event_reaches_a_reader_of_another_tenant(
    two_tokens: tuple[str, str, Memory, Place], start_daemon: Callable[..., Daemon]
):
    import json

    victim, attacker, memory, _ = two_tokens
    daemon = start_daemon()
    daemon.ask("GET", "/capabilities", token=victim)
    memory.remember(f"Fresh news of {SECRET}.")
    headers = {"Authorization": f"Bearer {attacker}", "Last-Event-ID": "0"}
    with daemon.http.stream("GET", "/events", headers=headers) as stream:
        for line in stream.iter_lines():
            assert SECRET not in line
            if line.startswith("data: ") and json.loads(line[6:])["type"] == "replay_complete":
                break


def test_a_workspaces_name_cannot_leave_the_tenant(
    two_tokens: tuple[str, str, Memory, Place], start_daemon: Callable[..., Daemon]
):
    _, attacker, _, place = two_tokens
    daemon = start_daemon()
    for name in (
        f"{place.tenant}%2Fann%2Fweb", f"..%2F{place.tenant}", "web%00", "web'--", "%25", "a%1fb%1fc",
        f"%1f{place.tenant}%1fann%1fweb",
    ):  # fmt: skip
        answer = daemon.ask("POST", f"/workspaces/{name}/recall", {"query": SECRET}, token=attacker)
        assert answer.status_code in (400, 404), name
        assert "launch code is" not in answer.text


# --- row-level security alone -----------------------------------------------------------------------


def bound(db: psycopg.Connection, place: Place) -> None:
    for name, value in (
        ("tenant", place.tenant),
        ("owner", place.owner),
        ("project", place.project),
    ):
        db.execute("SELECT set_config(%s, %s, true)", (f"reverie.{name}", value))


def test_every_table_is_guarded_and_every_key_begins_with_the_tenant(server: Server):
    with server.as_owner() as db:
        tables = db.execute(
            "SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity FROM pg_class c JOIN"
            " pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'reverie'"
            " AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version'"
        ).fetchall()
        keys = dict(
            db.execute(
                "SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
                " JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON"
                " a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indisprimary"
                " AND n.nspname = 'reverie'"
            ).fetchall()
        )
    assert {name for name, _, _ in tables} == {*TABLES, "release", "server"}
    assert all(secured and forced for _, secured, forced in tables)
    assert {keys[name] for name in TABLES} == {"tenant"}


@pytest.mark.parametrize("table", [name for name in TABLES if name not in CLOSED])
def test_raw_statements_of_the_application_see_its_own_rows_only(
    pair: Pair, server: Server, table: str
):
    victim, attacker = pair.victim_place, pair.attacker_place
    apart = (
        "tenant = %(tenant)s AND owner = %(owner)s"
        + (" AND project = %(project)s" if attacker.owner == victim.owner
           and attacker.tenant == victim.tenant else "")
    )  # fmt: skip
    if table == "run":  # one that wrote the person's own memory is seen from all their projects
        apart += " AND NOT EXISTS (SELECT FROM change c WHERE c.run = run.id AND c.project = '')"
    with server.as_app() as db:
        bound(db, attacker)
        seen = db.execute(f"SELECT count(*) FROM {table} WHERE {apart}", victim.values).fetchone()
        assert seen == (0,)
        changed = db.execute(f"DELETE FROM {table} WHERE {apart}", victim.values)
        assert changed.rowcount == 0
        moved = db.execute(f"UPDATE {table} SET owner = owner WHERE {apart}", victim.values)
        assert moved.rowcount == 0


def test_rows_cannot_be_written_into_or_moved_to_another_tenant(pair: Pair, server: Server):
    victim, attacker = pair.victim_place, pair.attacker_place
    same_person = (victim.tenant, victim.owner) == (attacker.tenant, attacker.owner)
    for statement in (
        "INSERT INTO file (tenant, owner, project, path, content, hash, at, private) VALUES"
        " (%(tenant)s, %(owner)s, %(project)s, '/x', '', '', now(), true)",
        "INSERT INTO task (tenant, owner, project, id, kind, status, client, created, updated, payload,"
        " attempts, key, fingerprint) VALUES (%(tenant)s, %(owner)s, %(project)s, 'x', 'remember',"
        " 'queued', '', '', '', '{}', 0, '', '')",
        "UPDATE file SET tenant = %(tenant)s, owner = %(owner)s, project = %(project)s",
        "UPDATE run SET tenant = %(tenant)s, owner = %(owner)s",
    ):
        if same_person and statement.startswith("UPDATE run"):
            continue  # a person's run is the person's, whichever project it was made in
        with server.as_app() as db:
            bound(db, attacker)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(statement, victim.values)


def test_a_connection_bound_to_nobody_sees_nothing(pair: Pair, server: Server):
    with server.as_app() as db:
        for table in TABLES:
            if table not in CLOSED:
                assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
        bound(db, pair.victim_place)
        assert db.execute("SELECT count(*) FROM file").fetchone() != (0,)
        db.commit()
        # The setting ended with its transaction; what is left of it is empty and matches nobody.
        assert db.execute("SELECT count(*) FROM file").fetchone() == (0,)
        for name in ("tenant", "owner", "project"):
            db.execute("SELECT set_config(%s, '', true)", (f"reverie.{name}",))
        assert db.execute("SELECT count(*) FROM file").fetchone() == (0,)


def test_the_application_cannot_help_itself(server: Server):
    for statement in (
        "SET row_security = off; SELECT * FROM reverie.file",
        "ALTER TABLE reverie.file DISABLE ROW LEVEL SECURITY",
        "DROP POLICY own ON reverie.file",
        "SET ROLE postgres",
        "SET ROLE reverie_system",
        "SELECT * FROM reverie.token",
        "SELECT * FROM reverie.quota",
        "UPDATE reverie.quota SET memories = NULL",
        "TRUNCATE reverie.file",
        "CREATE TABLE reverie.mine (x int)",
        "SELECT * FROM reverie.alembic_version",
        "UPDATE reverie.release SET oldest = 99",
        "ALTER ROLE service BYPASSRLS",
    ):
        with server.as_app() as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(statement)


def test_the_tables_owner_is_held_by_the_policies_too(server: Server, pair: Pair):
    """FORCE: a migration role that is no superuser sees no rows either."""
    with server.as_owner() as db:
        db.execute("DROP ROLE IF EXISTS plain_owner")
        db.execute("CREATE ROLE plain_owner LOGIN")
        db.execute("GRANT USAGE ON SCHEMA reverie TO plain_owner")
        db.execute("ALTER TABLE reverie.file OWNER TO plain_owner")
    try:
        url = server.owner.replace("postgres:@", "plain_owner@")
        with psycopg.connect(url) as db:
            assert db.execute("SELECT count(*) FROM reverie.file").fetchone() == (0,)
    finally:
        with server.as_owner() as db:
            db.execute("ALTER TABLE reverie.file OWNER TO postgres")
            db.execute("REVOKE ALL ON SCHEMA reverie FROM plain_owner")
            db.execute("DROP ROLE plain_owner")


def test_a_role_that_could_pass_the_policies_by_is_refused(server: Server):
    from reverie.config import EngineSettings

    with pytest.raises(EngineUnsafe):
        Database(EngineSettings(url=server.owner))


def test_a_pooled_connection_carries_nothing_to_its_next_user(pair: Pair):
    engine = pair.victim.engine
    assert isinstance(engine, PostgresEngine)
    for _ in range(8):
        with engine.database.transaction(pair.victim_place) as db:
            assert db.execute("SELECT count(*) FROM file").fetchone() != (0,)
        with engine.database.unbound() as db:
            assert db.execute("SELECT count(*) FROM file").fetchone() == (0,)


# --- MCP --------------------------------------------------------------------------------------------


def test_no_mcp_tool_shows_anything_of_another_tenant(
    two_tokens: tuple[str, str, Memory, Place], start_daemon: Callable[..., Daemon]
):
    victim, attacker, _, _ = two_tokens
    daemon = start_daemon()

    async def talk(token: str) -> str:
        async with over_http(f"{daemon.url}/mcp?surface=full", token) as client:
            told = []
            for name, arguments in (
                ("recall", {"query": f"launch code {SECRET}"}),
                ("memory_search", {"query": f"launch code {SECRET}"}),
                ("memory_stats", {}),
            ):
                told.append(str(await client.call_tool(name, arguments)))
            for item in (await client.list_resources()).resources:
                told.append(str(await client.read_resource(item.uri)))
            return "".join(told)

    assert leaked(asyncio.run(talk(victim)))
    assert not leaked(asyncio.run(talk(attacker)))
    assert daemon.ask("POST", "/mcp", {}, token="rvt_wrong").status_code == 401
    assert daemon.ask("POST", "/mcp", {}, token=OPERATOR).status_code == 403
