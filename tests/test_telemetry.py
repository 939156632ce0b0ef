"""Telemetry: the document's events, without any text of memories."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from reverie.telemetry import dream_event, extract_event, recall_event, wanted
from reverie.types import Dreamed, Extracted, Kind, Patch, Recalled


def test_the_extract_event_has_the_documents_fields():
    outcome = Extracted(patches=(Patch(Kind.USER, "secret words"),), touched_topics=(Kind.USER,))
    event = extract_event(outcome, duration_ms=12)
    assert event.name == "memory.extract"
    assert event.as_record() == {
        "trigger": "auto", "status": "completed", "patches_count": 1, "touched_topics": ["user"],
        "duration_ms": 12,
    }  # fmt: skip
    assert extract_event(None, duration_ms=1).attributes["status"] == "failed"


def test_the_dream_event_has_the_documents_fields():
    outcome = Dreamed(paths=("/a",), touched_topics=(Kind.PROJECT,), deduped_entries=3)
    assert dream_event(outcome, duration_ms=7, trigger="manual").as_record() == {
        "trigger": "manual", "status": "updated", "deduped_entries": 3, "touched_topics": ["project"],
        "duration_ms": 7,
    }  # fmt: skip
    assert dream_event(Dreamed(), duration_ms=1).attributes["status"] == "noop"
    assert dream_event(None, duration_ms=1).attributes["status"] == "failed"


def test_the_recall_event_tells_the_length_of_the_query_only():
    event = recall_event("what about tabs?", Recalled(strategy="none", scanned=4), duration_ms=2)
    assert event.as_record() == {
        "query_length": 16, "docs_scanned": 4, "docs_selected": 0, "strategy": "none", "duration_ms": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("modules", "environment", "expected"),
    [
        ((), {}, False),
        (("opentelemetry",), {}, True),
        ((), {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317"}, True),
        ((), {"OTEL_SERVICE_NAME": ""}, False),
        (("opentelemetry",), {"OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_it_speaks_only_where_the_host_listens(modules, environment, expected):
    assert wanted(modules, environment) is expected


def test_each_verb_leaves_an_event_without_memory_text(memory):
    said = {"role": "user", "content": "I prefer tabs over spaces in Go code."}
    memory.extract([said], session="s1")
    memory.extract([said], session="s1")
    memory.recall("tabs or spaces?")
    memory.dream(force=True)
    events = memory.events()
    assert [event["name"] for event in events] == [
        "memory.dream",
        "memory.recall",
        "memory.extract",
    ]
    assert "tabs" not in json.dumps(events)


def test_a_disk_that_takes_no_events_does_not_stop_recall(memory):
    memory.event_log.path.mkdir(parents=True)
    assert memory.recall("tabs").strategy == "none"


HOST = """
import json

from opentelemetry import metrics, trace

told = []

class Span(trace.NonRecordingSpan):
    def __init__(self, name, attributes, start):
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.facts = [name, dict(attributes), start]

    def end(self, end_time=None):
        told.append(["span", self.facts[0], self.facts[1], end_time - self.facts[2]])

class Tracer(trace.NoOpTracer):
    def start_span(self, name, context=None, kind=None, attributes=None, links=None,
                   start_time=None, **more):
        return Span(name, attributes, start_time)

class Tracers(trace.NoOpTracerProvider):
    def get_tracer(self, *args, **more):
        return Tracer()

class Instrument:
    def __init__(self, name):
        self.name = name

    def add(self, amount, attributes=None):
        told.append(["count", self.name, dict(attributes), amount])

    def record(self, amount, attributes=None):
        told.append(["duration", self.name, dict(attributes), amount])

class Meter(metrics.NoOpMeter):
    def create_counter(self, name, **more):
        return Instrument(name)

    def create_histogram(self, name, **more):
        return Instrument(name)

class Meters(metrics.NoOpMeterProvider):
    def get_meter(self, name, *args, **more):
        return Meter(name)

trace.set_tracer_provider(Tracers())
metrics.set_meter_provider(Meters())
from reverie.telemetry import TelemetryEvent, emit
emit(TelemetryEvent("memory.recall", {"query_length": 9, "strategy": "none"}, 5), now_ns=lambda: 10**9)
print(json.dumps(told))
"""


def test_a_host_with_opentelemetry_gets_a_span_a_count_and_a_duration():
    done = subprocess.run([sys.executable, "-c", HOST], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        ["span", "reverie.memory.recall", {"query_length": 9, "strategy": "none"}, 5_000_000],
        ["count", "reverie.memory.recall.count", {"strategy": "none"}, 1],
        ["duration", "reverie.memory.recall.duration", {"strategy": "none"}, 5],
    ]


def test_a_host_without_it_does_not_pay_for_the_import(project):
    script = (
        "import sys; from reverie.memory import Memory\n"
        "with Memory.open(sys.argv[1]) as memory: memory.recall('tabs')\n"
        "print('opentelemetry' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(project)], capture_output=True, text=True
    )
    assert done.stdout == "False\n", done.stderr
