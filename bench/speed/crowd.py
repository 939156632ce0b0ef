"""What a verb costs on the shared engine, in numbers that are the same on every machine, and may fail.

Tenants have owners of their own and sizes that differ as in life: few are large, most are small. One
comes after the planner's last look at the tables, so that it knows nothing of it. For each verb: round
trips, statements, rows sent, and what the server itself touched (rows and buffers). Whatever is beyond
its limit makes the bench fail. Names the server as the bench `postgres` does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bench.speed.postgres import _QUERIES, _prepare, _server, _texts
from bench.speed.wire import Wire
from reverie.core.text.plain import digest
from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.store.logs import keeper_of
from reverie.types import Change, RunInfo, Scope

if TYPE_CHECKING:
    from reverie.postgres.database import Database

_MOST_TRIPS: Final = {"recall": 3, "search": 4, "remember": 5}
"""Round trips, whatever is found."""
_MOST_TOUCHED: Final = 3.0
"""How much more the server may touch for a tenant it does not know than for one as large it knows."""
_TOUCHED: Final = (
    "SELECT (SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)"
    " FROM pg_stat_user_tables WHERE schemaname = 'reverie'),"
    " (SELECT coalesce(sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0)"
    " + coalesce(idx_blks_hit, 0)), 0) FROM pg_statio_user_tables WHERE schemaname = 'reverie')"
)


def run(*, quick: bool, large: bool = False) -> Iterator[tuple[str, object]]:
    """Measure a small, the largest and an unknown tenant among many."""
    tenants, most = (20, 200) if quick else (1000 if large else 100, 2000)
    with tempfile.TemporaryDirectory() as folder, _server() as url:
        if url is None:
            yield "skipped", "no PostgreSQL: set REVERIE_BENCH_ENGINE to its owner's URL"
            return
        service = _prepare(url)
        texts = _texts(most)
        for number in range(1, tenants + 1):
            with _open(service, f"t{number}", folder) as memory:
                _fill(memory, texts[: max(most // number, 5)])
        _look(url)
        with _open(service, "unknown", folder) as memory:
            _fill(memory, texts)
        figures = {
            what: _measure(url, service, tenant, Path(folder))
            for what, tenant in (
                ("small", f"t{tenants}"),
                ("largest", "t1"),
                ("unknown", "unknown"),
            )
        }
    yield from figures.items()
    wrong = [*_beyond(figures)]
    if wrong:
        raise click.ClickException("; ".join(wrong))


def _beyond(figures: dict[str, dict[str, dict[str, int]]]) -> Iterator[str]:
    for who, verbs in figures.items():
        for verb, cost in verbs.items():
            if cost["trips"] > _MOST_TRIPS[verb]:
                yield f"{verb} ({who}): {cost['trips']} round trips, at most {_MOST_TRIPS[verb]}"
    for verb, cost in figures["unknown"].items():
        for what in ("rows_touched", "buffers"):
            known = max(figures["largest"][verb][what], 100)
            if cost[what] > known * _MOST_TOUCHED:
                yield f"{verb}: {cost[what]} {what} for an unknown tenant, {known} for a known one"


def _open(service: str, tenant: str, folder: str) -> Memory:
    settings = {
        "engine.url": service,
        "engine.tenant": f"crowd-{tenant}",
        "engine.user": f"person-{tenant}",
        "engine.project": f"project-{tenant}",
        "engine.pool": 2,
        "embedder.provider": "none",
    }
    return Memory.open("/", home=Path(folder, "service"), settings=settings, env={})


def _fill(memory: Memory, texts: list[tuple[str, str]]) -> None:
    root = memory.workspace.memory_root(Scope.USER)
    held = memory.store.read_all([f"{root}/{rel}" for rel, _ in texts])
    changes = [
        Change(path, text, digest(held[path]) if path in held else None)
        for path, text in ((f"{root}/{rel}", text) for rel, text in texts)
    ]
    memory.store.apply(changes, RunInfo(verb="bench"))
    memory.search(_QUERIES[0])
    memory.recall(_QUERIES[0])


def _look(url: str) -> None:
    """Let the planner look at the tables, as autovacuum does now and then."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as db:
        db.execute("VACUUM ANALYZE")


def _measure(url: str, service: str, tenant: str, folder: Path) -> dict[str, dict[str, int]]:
    with _open(service, tenant, str(folder)) as memory:
        memory.search(_QUERIES[0])
        memory.recall(_QUERIES[0])
        memory.remember("The wiki moved to the other building.", clean=True)
        memory.search(_QUERIES[0])
        memory.recall(_QUERIES[0])
        assert isinstance(memory.engine, PostgresEngine)  # noqa: S101  # as it was opened
        database = memory.engine.database
        traces = Path(tempfile.mkdtemp(dir=folder))
        wire = Wire(database, traces)
        verbs: dict[str, Callable[[], object]] = {
            "recall": lambda: memory.recall(_QUERIES[1]),
            "search": lambda: memory.search(_QUERIES[1]),
            "remember": lambda: memory.remember("Bicycles are parked in the yard.", clean=True),
        }
        found: dict[str, dict[str, int]] = {}
        for name, call in verbs.items():
            keeper_of(database).write()  # notes of what ran before are no part of it
            before = _touched(url, database)
            cost = asdict(wire.cost(call))
            after = _touched(url, database)
            names = ("rows_touched", "buffers")
            found[name] = cost | {
                what: now - then for what, now, then in zip(names, after, before, strict=True)
            }
        return found


def _touched(url: str, database: Database) -> tuple[int, int]:
    """Return how many rows and buffers the server has touched, once all connections told theirs."""
    import psycopg

    pool = database.pool
    for connection in [pool.getconn() for _ in range(pool.max_size)]:
        connection.execute("SELECT pg_stat_force_next_flush()")
        pool.putconn(connection)
    with psycopg.connect(url) as db:
        row: tuple[Any, ...] | None = db.execute(_TOUCHED).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)
