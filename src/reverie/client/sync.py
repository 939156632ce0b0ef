"""The synchronous client of the daemon."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
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
    error_of,
    read_answer,
    take,
)
from reverie.client.nearby import reachable
from reverie.client.pace import Backoff, polling
from reverie.client.sse import DaemonEvent, SseReader
from reverie.errors import DaemonUnreachable, NotAllowed, ReverieError
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

DEFAULT_URL = "http://127.0.0.1:4170"
REQUEST_SECONDS = 30.0
SILENCE_SECONDS = 45.0
"""A stream that is silent for longer than three heartbeats is dead."""

Value = TypeVar("Value")


class Client:
    """Talks to a daemon. Use it as a context manager, or close it."""

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
            transport = httpx2.HTTPTransport(uds=path, verify=checked)
        self._http = httpx2.Client(
            base_url=base,
            transport=transport,
            verify=checked,
            timeout=timeout,
            trust_env=False,
            headers=UNPACKED,
        )

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

    @property
    def client_id(self) -> str:
        """The registered client id, empty before `register`."""
        return self._calls.client_id

    def register(self) -> OpenedSession:
        """Register a client id; tasks are this client's own from now on."""
        session = self._send(self._calls.open_session())
        self._calls = self._calls.as_client(session.client_id)
        return session

    # --- tasks ------------------------------------------------------------------------------------

    def remember(
        self,
        content: str,
        *,
        context_mode: ContextMode = "workspace",
        scope: Scope | None = None,
        key: str = "",
    ) -> Task:
        """Queue a fact; `wait` for the task to see what became of it."""
        return self._send(self._calls.remember(content, mode=context_mode, scope=scope, key=key))

    def forget(self, query: str, *, scope: Scope | None = None, key: str = "") -> Task:
        """Queue what is to be forgotten."""
        return self._send(self._calls.forget(query, scope=scope, key=key))

    def dream(self, *, key: str = "") -> Task:
        """Queue a dream."""
        return self._send(self._calls.dream(key=key))

    def task(self, task: Task | str) -> Task:
        """Return a task as it stands now."""
        return self._send(self._calls.task(task.id if isinstance(task, Task) else task))

    def tasks(self, *, limit: int = 100) -> tuple[Task, ...]:
        """List the tasks this client may see, newest first."""
        return self._send(self._calls.tasks(limit=limit))

    def cancel(self, task: Task | str) -> Task:
        """Take a task back before it writes."""
        return self._send(self._calls.cancel(task.id if isinstance(task, Task) else task))

    def wait(self, task: Task | str, *, timeout: float = 310.0) -> Task:
        """Poll until a task is over, and return it; raise `RequestTimeout` after `timeout` seconds."""
        for pause in polling(task, timeout=timeout, now=time.monotonic):
            current = self.task(task)
            if current.over:
                return current
            time.sleep(pause)
        raise AssertionError("polling ends by raising")

    # --- the rest ---------------------------------------------------------------------------------

    def files(self) -> MemoryFiles:
        """List the context files of the workspace."""
        return self._send(self._calls.files())

    def write(
        self,
        content: str,
        *,
        scope: Literal["workspace", "global"] = "workspace",
        mode: Literal["append", "replace"] = "append",
    ) -> FileWritten:
        """Append to or replace a context file."""
        return self._send(self._calls.write(content, scope=scope, mode=mode))

    def recall(self, query: str, *, limit: int | None = None) -> Recalled:
        """Bring back what matters for a turn."""
        return self._send(self._calls.recall(query, limit=limit))

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        source: Literal["all", "memory", "chat", "custom"] = "all",
    ) -> SearchOutcome:
        """Find what answers a query, with path and lines."""
        return self._send(
            self._calls.search(query, max_results=max_results, min_score=min_score, source=source)
        )

    def get(self, path: str, lines: str = "") -> Excerpt:
        """Read lines of a file that is searched."""
        return self._send(self._calls.get(path, lines=lines))

    def stats(self) -> IndexStats:
        """Count what is searched."""
        return self._send(self._calls.stats())

    def extract(
        self, messages: Sequence[Mapping[str, Any]], *, session: str
    ) -> Extracted | Skipped:
        """Learn from the new part of a conversation."""
        return self._send(self._calls.extract(messages, session=session))

    def prompt(self, query: str = "", *, replay: int | None = None) -> Prompt:
        """Assemble the layered system prompt."""
        return self._send(self._calls.prompt(query, replay=replay))

    def append(self, messages: Sequence[Mapping[str, Any]], *, session: str = "") -> int:
        """Append one exchange to the agent's history; return the turn's number."""
        return self._send(self._calls.append(messages, session=session))

    def context(self) -> Context:
        """Assemble the context files."""
        return self._send(self._calls.context())

    def log(self, *, limit: int = 50, path: str | None = None) -> tuple[RunRecord, ...]:
        """List what was written, newest first."""
        return self._send(self._calls.log(limit=limit, path=path))

    def undo(self, run: str) -> Applied:
        """Take a run back."""
        return self._send(self._calls.undo(run))

    def capabilities(self) -> dict[str, Any]:
        """Ask what the daemon can."""
        return self._send(self._calls.capabilities())

    def health(self) -> str:
        """Ask how the daemon is."""
        return self._send(self._calls.health())

    # --- events -----------------------------------------------------------------------------------

    def events(
        self, *, last_event_id: int | None = None, reconnect: bool = True
    ) -> Iterator[DaemonEvent]:
        """Yield events for ever; after a break, go on where it broke. The first try must succeed.

        With `last_event_id` 0 everything the daemon still remembers comes first.
        """
        import httpx2

        last, epoch, backoff, met = last_event_id, "", Backoff(), False
        while True:
            try:
                with self._stream(last, epoch) as response:
                    check_answer(response.status_code, response.headers)
                    if response.status_code >= 400:
                        content = bytearray()
                        for piece in response.iter_raw():
                            take(content, piece)
                        raise_for(response.status_code, bytes(content))
                    epoch = response.headers.get(self._calls.epoch_header, epoch)
                    backoff, met = Backoff(), True
                    reader = SseReader()
                    for piece in response.iter_raw():
                        for event in reader.feed(piece):
                            last = event.id if event.id is not None else last
                            yield event
            except (httpx2.TransportError, ReverieError) as error:
                if not (reconnect and met) or isinstance(error, NotAllowed):
                    raise unreachable(error) from error
            if not reconnect:
                return
            last = 0 if last is None else last
            time.sleep(backoff.next())

    def _stream(self, last: int | None, epoch: str) -> AbstractContextManager[httpx2.Response]:
        import httpx2

        call = self._calls.events(last_id=last, epoch=epoch)
        timeout = httpx2.Timeout(SILENCE_SECONDS)
        return self._http.stream(
            call.method, call.path, headers=dict(call.headers), timeout=timeout
        )

    def _send(self, call: Call[Value]) -> Value:
        import httpx2

        content = bytearray()
        try:
            with self._http.stream(
                call.method, call.path, content=call.content(), headers=dict(call.headers)
            ) as response:
                check_answer(response.status_code, response.headers)
                for piece in response.iter_raw():
                    take(content, piece)
        except httpx2.TransportError as error:
            raise unreachable(error) from error
        return read_answer(call, response.status_code, bytes(content))


def base_url(url: str | None) -> str:
    """Return where the daemon is: the address given, the one in the environment, or the usual one."""
    return (url or os.environ.get("REVERIE_SERVER_URL") or DEFAULT_URL).rstrip("/")


def needs_certificates(url: str) -> bool:
    """Say whether certificates are checked: always but for plain HTTP, where loading them is in vain."""
    return not url.lower().startswith("http:")


def token_or_environment(token: str | None) -> str:
    """Return the token given, or the one in the environment."""
    names = ("REVERIE_SERVER_TOKEN", "QWEN_SERVER_TOKEN")
    return token or next((os.environ[name] for name in names if os.environ.get(name)), "")


def raise_for(status: int, content: bytes) -> None:
    """Raise the error that an answer names."""
    try:
        wire = json.loads(content)
    except (ValueError, RecursionError):
        wire = None
    raise error_of(status, wire)


def unreachable(error: Exception) -> ReverieError:
    """Say that nobody answered; an error of ours stays what it is."""
    if isinstance(error, ReverieError):
        return error
    return DaemonUnreachable(f"no daemon answered: {error}. Start one with `reverie serve`.")
