"""Telemetry: the document's extract, dream and recall events, in numbers and names only.

Rules
- No text of a memory, a query or a path ever goes into an event.
- OpenTelemetry is touched only when the host uses it (`wanted`), and only through its API: without
  an SDK nothing is exported, and a hook that runs at every prompt does not pay for the import.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from reverie.types import Dreamed, Extracted, Recalled

Trigger = Literal["auto", "manual"]
_SCOPE = "reverie"


@dataclass(frozen=True, slots=True)
class TelemetryEvent:
    """One thing that ran: its name, what it counted and how long it took."""

    name: str
    attributes: Mapping[str, Any]
    duration_ms: int

    def as_record(self) -> dict[str, Any]:
        """Return it as the event log stores it."""
        return {**self.attributes, "duration_ms": self.duration_ms}


def extract_event(outcome: Extracted | None, *, duration_ms: int) -> TelemetryEvent:
    """Describe an extraction; no outcome means that it failed."""
    patches = outcome.patches if outcome else ()
    attributes = {
        "trigger": "auto",
        "status": "completed" if outcome else "failed",
        "patches_count": len(patches),
        "touched_topics": [kind.value for kind in outcome.touched_topics] if outcome else [],
    }
    return TelemetryEvent("memory.extract", attributes, duration_ms)


def dream_event(
    outcome: Dreamed | None, *, duration_ms: int, trigger: Trigger = "auto"
) -> TelemetryEvent:
    """Describe a dream; no outcome means that it failed."""
    attributes = {
        "trigger": trigger,
        "status": outcome.status if outcome else "failed",
        "deduped_entries": outcome.deduped_entries if outcome else 0,
        "touched_topics": [kind.value for kind in outcome.touched_topics] if outcome else [],
    }
    return TelemetryEvent("memory.dream", attributes, duration_ms)


def recall_event(query: str, outcome: Recalled, *, duration_ms: int) -> TelemetryEvent:
    """Describe a recall; of the query only its length is told."""
    attributes = {
        "query_length": len(query),
        "docs_scanned": outcome.scanned,
        "docs_selected": len(outcome.topics),
        "strategy": outcome.strategy,
    }
    return TelemetryEvent("memory.recall", attributes, duration_ms)


def wanted(modules: Container[str], environment: Mapping[str, str]) -> bool:
    """Tell whether the host uses OpenTelemetry: it imported it, or its variables are set."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return "opentelemetry" in modules or any(
        name.startswith("OTEL_") and value for name, value in environment.items()
    )


def emit(event: TelemetryEvent, *, now_ns: Callable[[], int]) -> None:
    """Hand an event to OpenTelemetry as a span that has just ended, a count and a duration."""
    from opentelemetry import trace

    name = f"{_SCOPE}.{event.name}"
    end = now_ns()
    span = trace.get_tracer(_SCOPE).start_span(
        name, start_time=end - event.duration_ms * 1_000_000, attributes=dict(event.attributes)
    )
    span.end(end_time=end)
    # Counts are told apart by closed sets only; a length as a label would make a series per query.
    labels = {
        key: value
        for key, value in event.attributes.items()
        if key in ("trigger", "status", "strategy")
    }
    count, duration = _instruments(name)
    count.add(1, labels)
    duration.record(event.duration_ms, labels)


@cache
def _instruments(name: str) -> tuple[Any, Any]:
    from opentelemetry import metrics

    meter = metrics.get_meter(_SCOPE)
    return (
        meter.create_counter(f"{name}.count", unit="1"),
        meter.create_histogram(f"{name}.duration", unit="ms"),
    )
