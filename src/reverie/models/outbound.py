"""The one way out: the HTTP client through which text of ours goes to models and embedders.

Rules
- A client has one route. A request to another scheme, host or port is not sent.
- No redirect is followed: it is an error that names where it led.
- Keys are added here, below every library: none of them ever holds, logs or raises one. Headers that
  a library took from the environment are not passed on.
- No proxy for this machine and its own network; elsewhere the usual variables count. Neither .netrc
  nor anything else adds credentials. Certificates are always checked.
- An answer is asked for unpacked, refused packed, and counted while it comes in: a flood costs its
  limit and no more. A deadline covers the whole call, not each read.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx2

from reverie.models.routes import Route, is_local

MAX_ANSWER: Final = 8 * 1024 * 1024
"""Bytes of one answer, unless the caller knows better."""
_GRACE: Final = 2.0  # seconds for a cancelled request to close its connection
_REFUSED: Final = 403  # no library asks again after it, nor in another form
_PASSED: Final = frozenset({
    "accept", "anthropic-beta", "anthropic-version", "content-length", "content-type",
    "transfer-encoding", "user-agent", "x-goog-api-client",
})  # fmt: skip
_PASSED_TO_OPENAI: Final = frozenset({"openai-organization", "openai-project"})
_KEPT_OF_ANSWERS: Final = frozenset({
    "content-type", "date", "request-id", "retry-after", "retry-after-ms", "x-request-id",
    "x-should-retry",
})  # fmt: skip

Result = TypeVar("Result")


class DeadlinePassed(Exception):
    """A call took longer than it may."""


class OutboundClient(httpx2.AsyncClient):
    """A client that goes one way; `refusal` says in words what it did not do, empty if all went well."""

    def __init__(self, route: Route, *, seconds: float, max_answer: int = MAX_ANSWER) -> None:
        self._guard = _Guard(route, max_answer)
        super().__init__(
            transport=self._guard, timeout=seconds, follow_redirects=False, trust_env=False
        )

    @property
    def refusal(self) -> str:
        """Say what was refused."""
        return self._guard.refusal


class _Guard(httpx2.AsyncBaseTransport):
    """Looks at every request and every answer."""

    def __init__(self, route: Route, max_answer: int) -> None:
        self.refusal = ""
        self._route = route
        self._max = max_answer
        self._origin = _origin(httpx2.URL(route.url))
        try:
            self._wire = httpx2.AsyncHTTPTransport(
                # Nothing but this scheme passes, and to load certificates takes a while.
                verify=route.scheme == "https",
                proxy=proxy_for(route),
            )
        except (ImportError, ValueError, TypeError, httpx2.InvalidURL):
            self._wire = httpx2.AsyncHTTPTransport(verify=False)
            self.refusal = (
                f"the proxy that the environment names for {route.name} cannot be used (http:// and"
                " https:// can; others need the package socksio); change it, or add the host to NO_PROXY"
            )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request if it may be sent; give back an answer that may be read."""
        if not self.refusal and _origin(request.url) != self._origin:
            self.refusal = f"a request for another host than {self._route.name} was not sent"
        if self.refusal:
            return self._refused(request)
        answer = await self._wire.handle_async_request(self._dressed(request))
        try:
            body = await self._read(answer)
        finally:
            await answer.aclose()
        if body is None:
            return self._refused(request)
        kept = [(n, v) for n, v in answer.headers.multi_items() if n.lower() in _KEPT_OF_ANSWERS]
        return httpx2.Response(answer.status_code, headers=kept, content=body, request=request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()

    def _dressed(self, request: httpx2.Request) -> httpx2.Request:
        """Return the request as it goes out: another object, so that none above has the key."""
        passed = _PASSED | (
            _PASSED_TO_OPENAI if self._route.host == "api.openai.com" else frozenset()
        )
        url = request.url
        headers = {"host": url.netloc.decode("ascii")}
        headers |= {n: v for n, v in request.headers.items() if n.lower() in passed}
        headers |= {"accept-encoding": "identity", **self._route.secrets}
        if self._route.query:
            url = url.copy_merge_params(self._route.query)
        return httpx2.Request(
            request.method,
            url,
            headers=headers,
            stream=request.stream,
            extensions=request.extensions,
        )

    async def _read(self, answer: httpx2.Response) -> bytes | None:
        """Return the body, or None and say why it is not read."""
        who = self._route.name
        if 300 <= answer.status_code < 400:
            self.refusal = (
                f"{who} answered with a redirect{_led(answer, self._route)}, which is not followed: a"
                " key and your text go to the address that is set and nowhere else. Set the address"
                " that answers itself"
            )
            return None
        packed = answer.headers.get("content-encoding", "identity").strip().lower()
        if packed not in ("identity", ""):
            self.refusal = (
                f"{who} sent a compressed answer, although an uncompressed one was requested"
            )
            return None
        body = bytearray()
        async for piece in answer.stream:  # type: ignore[union-attr]  # of an async transport
            body += piece
            if len(body) > self._max:
                self.refusal = f"{who} sent more than {self._max:,} bytes, and was cut off"
                return None
        return bytes(body)

    def _refused(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(_REFUSED, json={"error": {"message": "refused"}}, request=request)


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of a request."""

    status: int
    body: bytes


def post_json(
    route: Route, body: Mapping[str, Any], *, seconds: float, max_answer: int
) -> Posted | str:
    """Send JSON and return the answer, or a refusal in words.

    Raises `DeadlinePassed`, or `httpx2.HTTPError` when nobody answers properly.
    """

    async def work() -> Posted | str:
        async with OutboundClient(route, seconds=seconds, max_answer=max_answer) as client:
            response = await client.post(
                route.url,
                content=json.dumps(body).encode(),
                headers={"content-type": "application/json"},
            )
            return client.refusal or Posted(response.status_code, response.content)

    return in_time(work, seconds)


def in_time(work: Callable[[], Awaitable[Result]], seconds: float) -> Result:
    """Run a call in a thread and an event loop of its own; `DeadlinePassed` when the time is over."""
    slot = _Slot()

    def run() -> None:
        try:
            slot.value = asyncio.run(_limited(work, seconds))
        except BaseException as error:  # noqa: BLE001  # the caller's thread raises it
            slot.error = error
        finally:
            slot.done.set()

    threading.Thread(target=run, name="reverie-outbound", daemon=True).start()
    if not slot.done.wait(seconds + _GRACE) or isinstance(slot.error, TimeoutError):
        raise DeadlinePassed
    if slot.error is not None:
        raise slot.error
    return slot.value  # type: ignore[no-any-return]


def proxy_for(route: Route) -> httpx2.Proxy | None:
    """Return the proxy that the environment wants for a route, None for this machine and its network."""
    from urllib import request

    proxies = request.getproxies_environment()
    # The standard library has it on every system; its type descriptions do not.
    passes_by = request.proxy_bypass_environment  # type: ignore[attr-defined]
    if is_local(route.host) or passes_by(route.name, proxies):
        return None
    address = proxies.get(route.scheme) or proxies.get("all")
    if not address:
        return None
    return httpx2.Proxy(address if "://" in address else f"http://{address}")


@dataclass(slots=True)
class _Slot:
    value: Any = None
    error: BaseException | None = None
    done: threading.Event = field(default_factory=threading.Event)


async def _limited(work: Callable[[], Awaitable[Result]], seconds: float) -> Result:
    return await asyncio.wait_for(work(), seconds)


def _origin(url: httpx2.URL) -> tuple[str, bytes, int | None]:
    return url.scheme, url.raw_host.lower(), url.port


def _led(answer: httpx2.Response, route: Route) -> str:
    """Name the host of a redirect, in characters that do no harm on a terminal."""
    try:
        parts = urlsplit(answer.headers.get("location", ""))
        host, port = parts.hostname or route.host, parts.port
    except ValueError:
        return ""
    where = re.sub(r"[^\w.:-]", "", f"{host}:{port}" if port else host, flags=re.ASCII)[:100]
    return f" to {where}" if where else ""
