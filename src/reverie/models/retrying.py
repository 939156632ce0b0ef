"""Retrying: try a request again where the library of a provider does not (Google's).

Rules
- "Too many requests", timeouts of the server and server errors are tried again; nothing else is.
- The server says when: `retry-after-ms`, `retry-after` (seconds or a date), or `retryDelay` in the
  body as Google writes it. A wait longer than the whole call may take is not begun.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx2

from reverie.models.outbound import OutboundClient
from reverie.models.routes import Route

_AGAIN: Final = {408, 429}
_FIRST_WAIT: Final = 0.5
_DURATION: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")


class RetryingClient(OutboundClient):
    """A client that asks again a few times, within the seconds of one call."""

    def __init__(self, route: Route, *, retries: int, seconds: float) -> None:
        super().__init__(route, seconds=seconds)
        self._retries = retries
        self._seconds = seconds

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request, and again if the server is busy."""
        for attempt in range(self._retries):
            response = await super().send(request, **options)
            if response.status_code < 500 and response.status_code not in _AGAIN:
                return response
            told = wait_told(response.headers, await response.aread(), now=datetime.now(UTC))
            wait = _FIRST_WAIT * 2**attempt if told is None else told
            if wait > self._seconds:
                return response
            await asyncio.sleep(wait)
        return await super().send(request, **options)


def wait_told(headers: httpx2.Headers, body: bytes, *, now: datetime) -> float | None:
    """Return how many seconds a server asks to wait, or None when it does not say."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        given = headers.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", given):
            return float(given) * unit
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return next(_delays(body), None)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _delays(body: bytes) -> Iterator[float]:
    try:
        error = json.loads(body).get("error", {})
        details = error.get("details") or []
        told = [str(item.get("retryDelay", "")) for item in details]
    except (ValueError, RecursionError, AttributeError, TypeError):
        return  # the body of an error is the server's business; only what is understood counts
    for text in told:
        if found := _DURATION.fullmatch(text):
            yield float(found[1])
