"""The asynchronous client of the daemon: the same calls, awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from reverie.client.calls import (
    Call,
    Calls,
    OpenedSession,
    check_answer,
    read_answer,
    shown_as,
    take,
)
from reverie.client.connection import (
    SILENCE_SECONDS,
    Connection,
    Listening,
    raise_for,
    unreachable,
)
from reverie.client.pace import polling
from reverie.client.sse import DaemonEvent
from reverie.errors import ReverieError
from reverie.types import Task

if TYPE_CHECKING:
    import httpx2

Given = ParamSpec("Given")
Value = TypeVar("Value")


def _sent(
    build: Callable[Concatenate[Calls, Given], Call[Value]],
) -> Callable[Concatenate[AsyncClient, Given], Coroutine[Any, Any, Value]]:
    """Make a method of a call in the table: it is sent, and its answer is awaited."""

    @wraps(build)
    async def method(client: AsyncClient, /, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        return await client._send(build(client._calls, *args, **kwargs))

    shown_as(method, build)
    return method


class AsyncClient(Connection):
    """Talks to a daemon. Use it as an asynchronous context manager, or close it."""

    remember = _sent(Calls.remember)
    forget = _sent(Calls.forget)
    update = _sent(Calls.update)
    move = _sent(Calls.move)
    dream = _sent(Calls.dream)
    task = _sent(Calls.task)
    tasks = _sent(Calls.tasks)
    cancel = _sent(Calls.cancel)
    files = _sent(Calls.files)
    write = _sent(Calls.write)
    recall = _sent(Calls.recall)
    search = _sent(Calls.search)
    get = _sent(Calls.get)
    stats = _sent(Calls.stats)
    extract = _sent(Calls.extract)
    heard = _sent(Calls.heard)
    keep_heard = _sent(Calls.keep_heard)
    drop_heard = _sent(Calls.drop_heard)
    prompt = _sent(Calls.prompt)
    append = _sent(Calls.append)
    context = _sent(Calls.context)
    log = _sent(Calls.log)
    undo = _sent(Calls.undo)
    capabilities = _sent(Calls.capabilities)
    health = _sent(Calls.health)

    def _connect(self, transport: dict[str, Any] | None, options: dict[str, Any]) -> None:
        import httpx2

        line = httpx2.AsyncHTTPTransport(**transport) if transport else None
        self._http = httpx2.AsyncClient(transport=line, **options)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()
        self._stack.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def register(self) -> OpenedSession:
        """Register a client id; tasks are this client's own from now on."""
        session = await self._send(self._calls.open_session())
        self._calls = self._calls.as_client(session.client_id)
        return session

    async def wait(self, task: Task | str, *, within: float = 310.0) -> Task:
        """Poll until a task is over, and return it; raise `RequestTimeout` after `within` seconds."""
        for pause in polling(task, timeout=within, now=time.monotonic):
            current = await self.task(task)
            if current.over:
                return current
            await asyncio.sleep(pause)
        raise AssertionError("polling ends by raising")

    async def events(
        self, *, last_event_id: int | None = None, reconnect: bool = True
    ) -> AsyncIterator[DaemonEvent]:
        """Yield events for ever; after a break, go on where it broke. The first try must succeed.

        With `last_event_id` 0 everything the daemon still remembers comes first.
        """
        import httpx2

        listening = Listening(self._calls, last_event_id, reconnect=reconnect)
        while True:
            try:
                async with self._open(listening.call(), seconds=SILENCE_SECONDS) as response:
                    if response.status_code >= 400:
                        raise_for(response.status_code, await _content(response))
                    listening.begin(response.headers)
                    async for piece in response.aiter_raw():
                        for event in listening.feed(piece):
                            yield event
            except (httpx2.TransportError, ReverieError) as error:
                listening.broke(error)
            if not reconnect:
                return
            await asyncio.sleep(listening.pause())

    async def _send(self, call: Call[Value]) -> Value:
        import httpx2

        try:
            async with self._open(call) as response:
                content = await _content(response)
        except httpx2.TransportError as error:
            raise unreachable(error) from error
        return read_answer(call, response.status_code, content)

    @asynccontextmanager
    async def _open(
        self, call: Call[Any], *, seconds: float | None = None
    ) -> AsyncIterator[httpx2.Response]:
        async with self._http.stream(
            call.method,
            call.path,
            content=call.content(),
            headers=dict(call.headers),
            timeout=seconds or self._timeout,
        ) as response:
            check_answer(response.status_code, response.headers)
            yield response


async def _content(response: httpx2.Response) -> bytes:
    content = bytearray()
    async for piece in response.aiter_raw():
        take(content, piece)
    return bytes(content)
