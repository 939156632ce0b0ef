"""Counters of the daemon, and the page Prometheus reads."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.daemon.work.activity import Activity

if TYPE_CHECKING:
    from reverie.daemon.host import Host
    from reverie.daemon.shared.host import SharedHost

_BUCKETS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)
_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What was asked and how long it took."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.began = datetime.now(UTC)
        self.requests: dict[tuple[str, str, int], int] = {}
        self.seconds: dict[str, list[float]] = {}
        """Per path: a count for each bucket, then the number and the sum of all."""
        self.activity = Activity()
        self.connections = 0
        self.refused = 0

    def note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count one request; whatever callers think of as a method is counted as one other."""
        self.activity.note()
        key = (method if method in _METHODS else "other", path, status)
        self.requests[key] = self.requests.get(key, 0) + 1
        row = self.seconds.setdefault(path, [0.0] * (len(_BUCKETS) + 2))
        for place, bound in enumerate(_BUCKETS):
            row[place] += seconds <= bound
        row[-2] += 1
        row[-1] += seconds


def page(host: Host) -> str:
    """Write every metric in Prometheus' text format."""
    metrics = host.metrics
    out = _Page()
    out.add("reverie_uptime_seconds", "gauge", [({}, time.monotonic() - metrics.started)])
    out.add("reverie_resident_bytes", "gauge", [({}, resident_bytes())])
    out.add("reverie_connections", "gauge", [({}, metrics.connections)])
    out.add("reverie_connections_refused_total", "counter", [({}, metrics.refused)])
    out.add("reverie_http_requests_total", "counter", _requests(metrics))
    out.add("reverie_http_request_seconds", "histogram", _histogram(metrics))
    out.add(
        "reverie_tasks",
        "gauge",
        (
            ({"workspace": hosted.id, "status": status}, count)
            for hosted in host.workspaces
            for status, count in hosted.tasks.counts().items()
        ),
    )
    out.add(
        "reverie_tasks_finished_total",
        "counter",
        (
            ({"workspace": hosted.id, "kind": kind, "status": status}, count)
            for hosted in host.workspaces
            for (kind, status), count in hosted.lane.finished.items()
        ),
    )
    _background(out, host)
    lines = [
        ({"workspace": item.id, "kind": kind}, line)
        for item in host.workspaces
        for kind, line in (("reads", item.reads), ("writes", item.writes))
    ]
    for name, kind, read in (
        ("reverie_requests_inside", "gauge", "inside"),
        ("reverie_requests_shed_total", "counter", "refused"),
        ("reverie_requests_abandoned_total", "counter", "dropped"),
    ):
        out.add(name, kind, [(labels, getattr(line, read)) for labels, line in lines])
    for name, kind, read in (
        ("reverie_events_published_total", "counter", "published"),
        ("reverie_event_readers_evicted_total", "counter", "evictions"),
    ):
        values = [({"workspace": item.id}, getattr(item.bus, read)) for item in host.workspaces]
        out.add(name, kind, values)
    readers = [({"workspace": item.id}, len(item.bus)) for item in host.workspaces]
    out.add("reverie_event_readers", "gauge", readers)
    out.add("reverie_readers", "gauge", [({}, len(host.readers))])
    out.add("reverie_reader_answers_total", "counter", [({}, host.readers.answered)])
    out.add("reverie_readers_lost_total", "counter", [({}, host.readers.lost)])
    return "\n".join(out.lines) + "\n"


def _background(out: _Page, host: Host) -> None:
    spaces = [({"workspace": item.id}, item.chores) for item in host.workspaces]
    looks = [(labels, chores.looks) for labels, chores in spaces]
    out.add("reverie_background_looks_total", "counter", looks)
    out.add(
        "reverie_background_last_look_timestamp_seconds",
        "gauge",
        (
            (labels, chores.last_look.timestamp())
            for labels, chores in spaces
            if chores.last_look is not None
        ),
    )
    out.add(
        "reverie_background_runs_total",
        "counter",
        (
            ({**labels, "job": job, "status": status}, count)
            for labels, chores in spaces
            for (job, status), count in chores.counts.items()
        ),
    )


def add_engine(host: SharedHost) -> str:
    """Write what the operator of a shared database wants to know, by tenant."""
    out = _Page()
    rows = host.servers.ask_all("SELECT tenant, spaces, waiting, overdue FROM reverie.census()")
    for place, name in enumerate(("spaces", "lanes_waiting", "lanes_overdue"), start=1):
        values = [({"tenant": row[0]}, float(row[place])) for row in rows]
        out.add(f"reverie_tenant_{name}", "gauge", values)
    for name, value in host.database.pool_facts().items():
        out.add(f"reverie_engine_{name}", "gauge", [({}, value)])
    out.add("reverie_engine_refused_total", "counter", [({}, host.verbs.refused)])
    takeovers = sum(item.shared_lane.takeovers for item in host.open.values())
    out.add("reverie_lane_takeovers_total", "counter", [({}, takeovers)])
    out.add("reverie_workspaces_open", "gauge", [({}, len(host.open))])
    return "\n".join(out.lines) + "\n"


def resident_bytes() -> int:
    """Return how much memory the process has, now where the system tells, else at its peak."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return int(pages) * resource.getpagesize()


class _Page:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(
        self, name: str, kind: str, values: Iterable[tuple[Mapping[str, object], float]]
    ) -> None:
        self.lines.append(f"# TYPE {name} {kind}")
        for labels, value in values:
            suffix = str(labels.get("", ""))
            shown = ",".join(
                f'{key}="{_escaped(str(text))}"' for key, text in labels.items() if key
            )
            self.lines.append(f"{name}{suffix}{{{shown}}} {value:.10g}" if shown else
                              f"{name}{suffix} {value:.10g}")  # fmt: skip


def _requests(metrics: Metrics) -> Iterator[tuple[Mapping[str, object], float]]:
    for (method, path, status), count in sorted(metrics.requests.items()):
        yield {"method": method, "path": path, "status": status}, count


def _histogram(metrics: Metrics) -> Iterator[tuple[Mapping[str, object], float]]:
    for path, row in sorted(metrics.seconds.items()):
        for bound, count in zip((*_BUCKETS, "+Inf"), (*row[:-2], row[-2]), strict=True):
            yield {"": "_bucket", "path": path, "le": bound}, count
        yield {"": "_sum", "path": path}, row[-1]
        yield {"": "_count", "path": path}, row[-2]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
