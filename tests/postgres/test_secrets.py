"""No table holds a secret that was refused or redacted, nor does the service's own folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from psycopg import sql

from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.postgres.place import Place
from tests.postgres.conftest import Daemon, make_token
from tests.server import Server
from tests.story.test_secrets_on_disk import BODY, KEY, ROUTES, SAID, VERBS, forms, texts, traces

pytestmark = pytest.mark.slow


def values(server: Server) -> Iterator[tuple[str, bytes]]:
    """Yield every value of every table, with the name of its table and column."""
    with server.as_owner() as db:
        tables = db.execute(
            "SELECT schemaname, tablename FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        assert len(tables) > 5
        for schema, table in tables:
            rows = db.execute(
                sql.SQL("SELECT * FROM {}").format(sql.Identifier(schema, table)), binary=False
            )
            names = [column.name for column in rows.description or ()]
            for row in rows:
                for name, value in zip(names, row, strict=True):
                    place = f"{schema}.{table}.{name}"
                    if isinstance(value, bytes):
                        yield place, value
                    elif value is not None:
                        shown = json.dumps(value, ensure_ascii=False, default=str)
                        yield place, shown.encode()


def held(server: Server) -> set[str]:
    """Name the columns that hold the secret, or half of it, in any form."""
    wanted = [form.lower() for form in forms(BODY)]
    return {
        place
        for place, value in values(server)
        if any(form in text.lower() for text in texts(value) for form in wanted)
    }


def test_the_search_sees_what_is_written(
    server: Server, place: Place, open_at: Callable[..., Memory]
):
    memory = open_at(place, **{"secrets.policy": "off"})
    memory.remember(SAID)
    assert held(server)
    memory.forget(SAID, erase=True, everywhere=True)
    assert held(server) == set()


@pytest.mark.parametrize("policy", ["refuse", "redact"])
def test_no_table_holds_what_a_daemon_was_told(
    server: Server, place: Place, start_daemon: Callable[..., Daemon], tmp_path: Path, policy: str
):
    daemon = start_daemon(**{"secrets.policy": policy})
    token = make_token(server, place)
    for path, body in ROUTES.values():
        for headers in (
            {"Idempotency_Key": path},
            {"Idempotency_Key": KEY},
            {"X_Reverie_Client_Id": KEY},
        ):
            answer = daemon.ask("POST", path, body, token=token, **headers)
            if answer.status_code == 202:
                daemon.finished(answer.headers["location"], token=token)
            elif answer.status_code >= 400:
                assert BODY not in answer.text
    done = daemon.ask(
        "POST", "/workspace/memory/remember", {"content": "Dana has a dog"}, token=token
    )
    assert daemon.finished(done.headers["location"], token=token)["status"] == "completed"
    assert any(b"Dana has a dog" in value for _, value in values(server))
    assert held(server) == set()
    assert traces(tmp_path) == []


@pytest.mark.parametrize("policy", ["refuse", "redact"])
def test_no_table_holds_what_a_library_was_told(
    server: Server, place: Place, open_at: Callable[..., Memory], tmp_path: Path, policy: str
):
    memory = open_at(place, **{"secrets.policy": policy})
    for verb in VERBS.values():
        with suppress(ReverieError):
            verb(memory)
    memory.remember("Dana has a cat")
    assert any(b"Dana has a cat" in value for _, value in values(server))
    assert held(server) == set()
    assert traces(tmp_path) == []
