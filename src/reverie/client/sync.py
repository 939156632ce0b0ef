"""The synchronous client of the daemon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
) -> Callable[Concatenate[Client, Given], Value]:
    """Make a method of a call in the table: it is sent, and its answer is returned."""

    @wraps(build)
    def method(client: Client, /, *args: Given.args, **kwargs: Given.kwargs) -> Value:
        return client._send(build(client._calls, *args, **kwargs))

    shown_as(method, build)
    return method


class Client(Connection):
    """Talks to a daemon. Use it as a context manager, or close it."""

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

        line = httpx2.HTTPTransport(**transport) if transport else None
        self._http = httpx2.Client(transport=line, **options)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def register(self) -> OpenedSession:
        """Register a client id; tasks are this client's own from now on."""
        session = self._send(self._calls.open_session())
        self._calls = self._calls.as_client(session.client_id)
        return session

    def wait(self, task: Task | str, *, timeout: float = 310.0) -> Task:
        """Poll until a task is over, and return it; raise `RequestTimeout` after `timeout` seconds."""
        for pause in polling(task, timeout=timeout, now=time.monotonic):
            current = self.task(task)
            if current.over:
                return current
            time.sleep(pause)
        raise AssertionError("polling ends by raising")

    def events(
        self, *, last_event_id: int | None = None, reconnect: bool = True
    ) -> Iterator[DaemonEvent]:
        """Yield events for ever; after a break, go on where it broke. The first try must succeed.

        With `last_event_id` 0 everything the daemon still remembers comes first.
        """
        import httpx2

        listening = Listening(self._calls, last_event_id, reconnect=reconnect)
        while True:
            try:
                with self._open(listening.call(), seconds=SILENCE_SECONDS) as response:
                    if response.status_code >= 400:
                        raise_for(response.status_code, _content(response))
                    listening.begin(response.headers)
                    for piece in response.iter_raw():
                        yield from listening.feed(piece)
            except (httpx2.TransportError, ReverieError) as error:
                listening.broke(error)
            if not reconnect:
                return
            time.sleep(listening.pause())

    def _send(self, call: Call[Value]) -> Value:
        import httpx2

        try:
            with self._open(call) as response:
                content = _content(response)
        except httpx2.TransportError as error:
            raise unreachable(error) from error
        return read_answer(call, response.status_code, content)

    @contextmanager
    def _open(self, call: Call[Any], *, seconds: float | None = None) -> Iterator[httpx2.Response]:
        with self._http.stream(
            call.method,
            call.path,
            content=call.content(),
            headers=dict(call.headers),
            timeout=seconds or self._timeout,
        ) as response:
            check_answer(response.status_code, response.headers)
            yield response


def _content(response: httpx2.Response) -> bytes:
    content = bytearray()
    for piece in response.iter_raw():
        take(content, piece)
    return bytes(content)
