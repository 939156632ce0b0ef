"""What a verb costs on the shared engine, in numbers that are the same on every machine, and may fail.

Tenants have owners of their own and sizes that differ as in life: few are large, most are small. One
comes after the planner's last look at the tables, so that it knows nothing of it. For each verb: round
trips, statements, rows sent, and what the server itself touched (rows and buffers), which are the same on
every machine; and processor time in Python (the median over different questions, before anything is
traced), and the time by the clock when the server is 2 ms away. Then one and three daemons: how much they
remember and what each takes of the processors, here, in PostgreSQL and in those who call; whether first
searches of many at once are all answered, and how much memory 256 workspaces take. Whatever is beyond its
limit makes the bench fail. Names the server as the bench `postgres` does; the line of 2 ms needs one on a
Unix socket.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bench.speed import fleet
from bench.speed.delay import delayed
from bench.speed.postgres import _QUERIES, prepare, running_server, texts
from bench.speed.wire import Wire
from reverie.core.text.plain import digest
from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.place import Place
from reverie.postgres.store.logs import keeper_of
from reverie.types import Change, RunInfo, Scope

if TYPE_CHECKING:
    from reverie.postgres.database import Database

_MOST_TRIPS: Final = {"recall": 3, "search": 4, "remember": 5}
"""Round trips, whatever is found."""
_LINE_SECONDS: Final = 0.002
_FIRST_SEARCHES: Final = 30
_MANY_TOPICS: Final = 10_000
_TIMES: Final = 40
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
    with tempfile.TemporaryDirectory() as folder, running_server() as url:
        if url is None:
            yield "skipped", "no PostgreSQL: set REVERIE_BENCH_ENGINE to its owner's URL"
            return
        service = prepare(url)
        written = texts(most)
        for number in range(1, tenants + 1):
            with open_tenant(service, f"t{number}", folder) as memory:
                _fill(memory, written[: max(most // number, 5)])
        _look(url)
        with open_tenant(service, "unknown", folder) as memory:
            _fill(memory, written)
        largest = None if quick else "huge"
        if largest:
            with open_tenant(service, largest, folder) as memory:
                _fill(memory, texts(_MANY_TOPICS))
        yield "2 ms away", _far(service, folder)
        sent_away: list[str] = []
        for what, told in _daemons(url, service, Path(folder), quick=quick):
            yield what, told
            if told.get("refused"):
                sent_away.append(f"{what}: {told['refused']:.0f} were sent away")
        questions = [_question(text) for _, text in written[:: max(len(written) // _TIMES, 1)]]
        figures = {
            what: _measure(url, service, tenant, Path(folder), questions)
            for what, tenant in (
                ("small", f"t{tenants}"),
                ("largest", "t1"),
                ("unknown", "unknown"),
            )
        }
        if largest:
            figures[f"{_MANY_TOPICS} topics"] = _measure(
                url, service, largest, Path(folder), questions
            )
    yield from figures.items()
    wrong = [*_beyond(figures), *sent_away]
    if wrong:
        raise click.ClickException("; ".join(wrong))


def _beyond(figures: dict[str, dict[str, dict[str, float]]]) -> Iterator[str]:
    for who, verbs in figures.items():
        for verb, cost in verbs.items():
            if cost["trips"] > _MOST_TRIPS[verb]:
                yield f"{verb} ({who}): {cost['trips']} round trips, at most {_MOST_TRIPS[verb]}"
    for verb, cost in figures["unknown"].items():
        for what in ("rows_touched", "buffers"):
            known = max(figures["largest"][verb][what], 100)
            if cost[what] > known * _MOST_TOUCHED:
                yield f"{verb}: {cost[what]} {what} for an unknown tenant, {known} for a known one"


def open_tenant(service: str, tenant: str, folder: str) -> Memory:
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


def _question(text: str) -> str:
    """Ask for what a text says."""
    return " ".join(text.split("---")[-1].split()[:8])


def _measure(
    url: str, service: str, tenant: str, folder: Path, questions: Sequence[str]
) -> dict[str, dict[str, float]]:
    with open_tenant(service, tenant, str(folder)) as memory:
        memory.search(_QUERIES[0])
        memory.recall(_QUERIES[0])
        memory.remember("The wiki moved to the other building.", clean=True)
        memory.search(_QUERIES[0])
        memory.recall(_QUERIES[0])
        assert isinstance(memory.engine, PostgresEngine)  # noqa: S101  # as it was opened
        database = memory.engine.database
        verbs: dict[str, Callable[[str], object]] = {
            "recall": memory.recall,
            "search": memory.search,
            "remember": lambda _: memory.remember(f"Bicycle {time.time_ns()} is here.", clean=True),
        }
        # Before anything is traced: writing a trace takes longer than most of what it tells of.
        spent = {name: _processor_ms(call, questions) for name, call in verbs.items()}
        wire = Wire(database, Path(tempfile.mkdtemp(dir=folder)))
        found: dict[str, dict[str, float]] = {}
        for name, call in verbs.items():
            # What every tenant has: where little is found, words are taken for misspelt and asked again.
            ask = partial(call, questions[0])
            ask()
            keeper_of(database).write()  # notes of what ran before are no part of it
            before = _touched(url, database)
            cost = asdict(wire.cost(ask)) | {"processor_ms": round(spent[name], 1)}
            after = _touched(url, database)
            names = ("rows_touched", "buffers")
            found[name] = cost | {
                what: now - then for what, now, then in zip(names, after, before, strict=True)
            }
        return found


def _processor_ms(call: Callable[[str], object], questions: Sequence[str]) -> float:
    call(questions[0])
    taken: list[float] = []
    for question in questions:
        begin = time.process_time()
        call(question)
        taken.append((time.process_time() - begin) * 1000)
    return statistics.median(taken)


def _far(service: str, folder: str) -> dict[str, float] | str:
    """Measure the verbs of the largest tenant by the clock, with a round trip of 2 ms to the server."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    parts = conninfo_to_dict(service)
    host = str(parts.get("host") or "")
    if not host.startswith("/"):
        return "skipped: the server is not on a Unix socket of this machine"
    socket = f"{host}/.s.PGSQL.{parts.get('port') or 5432}"
    with delayed(socket, _LINE_SECONDS) as port:
        far = make_conninfo(service, host="127.0.0.1", port=port)
        with open_tenant(far, "t1", folder) as memory:
            return {
                "recall_ms": _median_ms(lambda: memory.recall(_QUERIES[1])),
                "search_ms": _median_ms(lambda: memory.search(_QUERIES[1])),
                "remember_ms": _median_ms(
                    lambda: memory.remember(f"Seen at {time.time_ns()}.", clean=True)
                ),
            }


def _median_ms(call: Callable[[], object]) -> float:
    call()
    taken: list[float] = []
    for _ in range(9):
        begin = time.perf_counter()
        call()
        taken.append((time.perf_counter() - begin) * 1000)
    return statistics.median(taken)


def _daemons(
    url: str, service: str, folder: Path, *, quick: bool
) -> Iterator[tuple[str, dict[str, float]]]:
    """Measure daemons as processes, at their default settings."""
    import psycopg

    from reverie.postgres.tokens import create_token

    with psycopg.connect(url) as db:
        places = [Place(f"fleet-{n}", f"person-{n}", "web") for n in range(_FIRST_SEARCHES)]
        tokens = [create_token(db, place).value for place in places]
        server = _first_process(db.info.backend_pid)
    seconds, spaces = (2.0, 16) if quick else (10.0, 256)
    for count in (1, 3):
        with fleet.daemons(service, folder / f"fleet{count}", count) as running:
            if count == 1:
                yield "first searches at once", fleet.first_searches(running[0], tokens)
                yield "open workspaces", fleet.opened(running[0], tokens[0], spaces)
            for clean in (True, False):
                what = f"remember{'' if clean else ' and compare'}, {count} daemons"
                yield what, fleet.remembered(running, tokens, seconds, clean=clean, server=server)


def _first_process(backend: int) -> int:
    """Return the process that a server's others come from; 0 where it runs on another machine."""
    try:
        status = Path(f"/proc/{backend}/status").read_text(encoding="ascii")
    except OSError:
        return 0
    about = dict(line.split(":\t", 1) for line in status.splitlines())
    return int(about["PPid"]) if about["Name"] == "postgres" else 0


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
