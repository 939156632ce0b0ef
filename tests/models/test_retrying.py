"""When a server wants to be asked again."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.models.retrying import wait_told

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def told(body: bytes = b"", **headers: str) -> float | None:
    given_ = {name.replace("_", "-"): value for name, value in headers.items()}
    return wait_told(httpx2.Headers(given_), body, now=NOW)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, 0.25),
        ({"retry_after": "Tue, 10 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry_after": "Tue, 10 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry_after": "Tue, 10 Mar 2026 12:00:30 -0000"}, 30.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-5"}, None),
        ({"retry_after": "9" * 40}, None),
    ],
)
def test_headers_say_when(headers, seconds):
    assert told(**headers) == seconds


def test_the_body_says_when_as_google_does():
    details = [{"@type": "help"}, {"retryDelay": "12.5s"}]
    assert told(json.dumps({"error": {"details": details}}).encode()) == 12.5


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"3", b"\xff", b'{"error": 3}', b'{"error": {"details": 3}}',
        b'{"error": {"details": [3]}}', b'{"error": {"details": [{"retryDelay": "1e9s"}]}}',
        b'{"error": {"details": [{"retryDelay": null}]}}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_body_that_says_nothing_is_no_error(body):
    assert told(body) is None


@given(st.binary(max_size=60), st.text(st.characters(max_codepoint=126, min_codepoint=32)))
def test_no_answer_breaks_it(body, header):
    found = told(body, retry_after=header)
    assert found is None or found >= 0
