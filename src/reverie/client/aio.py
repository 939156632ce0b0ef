"""The asynchronous client of the daemon: the same calls, awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from reverie.client.calls import (
    UNPACKED,
    Call,
    Calls,
    ContextMode,
    FileWritten,
    MemoryFiles,
    OpenedSession,
    check_answer,
    read_answer,
    take,
)
from reverie.client.nearby import reachable
from reverie.client.pace import Backoff, polling
from reverie.client.sse import DaemonEvent, SseReader
from reverie.client.sync import (
    REQUEST_SECONDS,
    SILENCE_SECONDS,
    base_url,
    needs_certificates,
    raise_for,
    token_or_environment,
    unreachable,
)
from reverie.errors import NotAllowed, ReverieError
from reverie.types import (
    Applied,
    Context,
    Excerpt,
    Extracted,
    IndexStats,
    Prompt,
    Recalled,
    RunRecord,
    Scope,
    SearchOutcome,
    Skipped,
    Task,
)

if TYPE_CHECKING:
    import httpx2

Value = TypeVar("Value")


class AsyncClient:
    """Talks to a daemon. Use it as an asynchronous context manager, or close it."""

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        workspace: str = "",
        client_id: str = "",
        header_prefix: str = "X-Reverie",
        socket: str | Path | None = None,
        timeout: float = REQUEST_SECONDS,
    ) -> None:
        import httpx2

        self._calls = Calls(
            workspace=workspace,
            header_prefix=header_prefix,
            client_id=client_id,
            token=token_or_environment(token) if socket is None else "",
        )
        self._stack = ExitStack()
        base = base_url(url) if socket is None else "http://localhost"
        checked = needs_certificates(base)
        transport = None
        if socket is not None:
            path = reachable(socket, self._stack)
            transport = httpx2.AsyncHTTPTransport(uds=path, verify=checked)
        self._http = httpx2.AsyncClient(
            base_url=base,
            transport=transport,
            verify=checked,
            timeout=timeout,
            trust_env=False,
            headers=UNPACKED,
        )

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

    @property
    def client_id(self) -> str:
        """The registered client id, empty before `register`."""
        return self._calls.client_id

    async def register(self) -> OpenedSession:
        """Register a client id; tasks are this client's own from now on."""
        session = await self._send(self._calls.open_session())
        self._calls = self._calls.as_client(session.client_id)
        return session

    # --- tasks ------------------------------------------------------------------------------------

    async def remember(
        self,
        content: str,
        *,
        context_mode: ContextMode = "workspace",
        scope: Scope | None = None,
        key: str = "",
    ) -> Task:
        """Queue a fact; `wait` for the task to see what became of it."""
        return await self._send(
            self._calls.remember(content, mode=context_mode, scope=scope, key=key)
        )

    async def forget(self, query: str, *, scope: Scope | None = None, key: str = "") -> Task:
        """Queue what is to be forgotten."""
        return await self._send(self._calls.forget(query, scope=scope, key=key))

    async def dream(self, *, key: str = "") -> Task:
        """Queue a dream."""
        return await self._send(self._calls.dream(key=key))

    async def task(self, task: Task | str) -> Task:
        """Return a task as it stands now."""
        return await self._send(self._calls.task(task.id if isinstance(task, Task) else task))

    async def tasks(self, *, limit: int = 100) -> tuple[Task, ...]:
        """List the tasks this client may see, newest first."""
        return await self._send(self._calls.tasks(limit=limit))

    async def cancel(self, task: Task | str) -> Task:
        """Take a task back before it writes."""
        return await self._send(self._calls.cancel(task.id if isinstance(task, Task) else task))

    async def wait(self, task: Task | str, *, within: float = 310.0) -> Task:
        """Poll until a task is over, and return it; raise `RequestTimeout` after `within` seconds."""
        for pause in polling(task, timeout=within, now=time.monotonic):
            current = await self.task(task)
            if current.over:
                return current
            await asyncio.sleep(pause)
        raise AssertionError("polling ends by raising")

    # --- the rest ---------------------------------------------------------------------------------

    async def files(self) -> MemoryFiles:
        """List the context files of the workspace."""
        return await self._send(self._calls.files())

    async def write(
        self,
        content: str,
        *,
        scope: Literal["workspace", "global"] = "workspace",
        mode: Literal["append", "replace"] = "append",
    ) -> FileWritten:
        """Append to or replace a context file."""
        return await self._send(self._calls.write(content, scope=scope, mode=mode))

    async def recall(self, query: str, *, limit: int | None = None) -> Recalled:
        """Bring back what matters for a turn."""
        return await self._send(self._calls.recall(query, limit=limit))

    async def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        source: Literal["all", "memory", "chat", "custom"] = "all",
    ) -> SearchOutcome:
        """Find what answers a query, with path and lines."""
        return await self._send(
            self._calls.search(query, max_results=max_results, min_score=min_score, source=source)
        )

    async def get(self, path: str, lines: str = "") -> Excerpt:
        """Read lines of a file that is searched."""
        return await self._send(self._calls.get(path, lines=lines))

    async def stats(self) -> IndexStats:
        """Count what is searched."""
        return await self._send(self._calls.stats())

    async def extract(
        self, messages: Sequence[Mapping[str, Any]], *, session: str
    ) -> Extracted | Skipped:
        """Learn from the new part of a conversation."""
        return await self._send(self._calls.extract(messages, session=session))

    async def prompt(self, query: str = "", *, replay: int | None = None) -> Prompt:
        """Assemble the layered system prompt."""
        return await self._send(self._calls.prompt(query, replay=replay))

    async def append(self, messages: Sequence[Mapping[str, Any]], *, session: str = "") -> int:
        """Append one exchange to the agent's history; return the turn's number."""
        return await self._send(self._calls.append(messages, session=session))

    async def context(self) -> Context:
        """Assemble the context files."""
        return await self._send(self._calls.context())

    async def log(self, *, limit: int = 50, path: str | None = None) -> tuple[RunRecord, ...]:
        """List what was written, newest first."""
        return await self._send(self._calls.log(limit=limit, path=path))

    async def undo(self, run: str) -> Applied:
        """Take a run back."""
        return await self._send(self._calls.undo(run))

    async def capabilities(self) -> dict[str, Any]:
        """Ask what the daemon can."""
        return await self._send(self._calls.capabilities())

    async def health(self) -> str:
        """Ask how the daemon is."""
        return await self._send(self._calls.health())

    # --- events -----------------------------------------------------------------------------------

    async def events(
        self, *, last_event_id: int | None = None, reconnect: bool = True
    ) -> AsyncIterator[DaemonEvent]:
        """Yield events for ever; after a break, go on where it broke. The first try must succeed.

        With `last_event_id` 0 everything the daemon still remembers comes first.
        """
        import httpx2

        last, epoch, backoff, met = last_event_id, "", Backoff(), False
        while True:
            try:
                async with self._stream(last, epoch) as response:
                    check_answer(response.status_code, response.headers)
                    if response.status_code >= 400:
                        content = bytearray()
                        async for piece in response.aiter_raw():
                            take(content, piece)
                        raise_for(response.status_code, bytes(content))
                    epoch = response.headers.get(self._calls.epoch_header, epoch)
                    backoff, met = Backoff(), True
                    reader = SseReader()
                    async for piece in response.aiter_raw():
                        for event in reader.feed(piece):
                            last = event.id if event.id is not None else last
                            yield event
            except (httpx2.TransportError, ReverieError) as error:
                if not (reconnect and met) or isinstance(error, NotAllowed):
                    raise unreachable(error) from error
            if not reconnect:
                return
            last = 0 if last is None else last
            await asyncio.sleep(backoff.next())

    def _stream(self, last: int | None, epoch: str) -> AbstractAsyncContextManager[httpx2.Response]:
        import httpx2

        call = self._calls.events(last_id=last, epoch=epoch)
        timeout = httpx2.Timeout(SILENCE_SECONDS)
        return self._http.stream(
            call.method, call.path, headers=dict(call.headers), timeout=timeout
        )

    async def _send(self, call: Call[Value]) -> Value:
        import httpx2

        content = bytearray()
        try:
            async with self._http.stream(
                call.method, call.path, content=call.content(), headers=dict(call.headers)
            ) as response:
                check_answer(response.status_code, response.headers)
                async for piece in response.aiter_raw():
                    take(content, piece)
        except httpx2.TransportError as error:
            raise unreachable(error) from error
        return read_answer(call, response.status_code, bytes(content))
