"""Requests as values: what to send and how to read the answer. The two clients only carry them.

Errors come back as the classes of `reverie.errors`, found by their code. What answers may be anything:
a redirect is not followed, since the token is for this daemon alone, and an answer has a bound.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from inspect import signature
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote, urlencode

from reverie.client.decode import decode, moment
from reverie.errors import DaemonUnreachable, ReverieError, all_errors
from reverie.types import (
    Applied,
    Context,
    Excerpt,
    Extracted,
    Heard,
    HeardDecided,
    IndexStats,
    Isolation,
    Moment,
    Moved,
    Prompt,
    Recalled,
    Remembered,
    RunRecord,
    Scope,
    SearchOutcome,
    Skipped,
    Task,
    TaskFailure,
    TaskKind,
    TaskStatus,
)

MAX_ANSWER = 64 * 1024 * 1024
"""Bytes of one answer."""
UNPACKED = {"accept-encoding": "identity"}
"""What every request asks for: a packed answer could be of any size."""

Value = TypeVar("Value")
ContextMode = Literal["workspace", "clean"]


@dataclass(frozen=True, slots=True)
class Call(Generic[Value]):
    """One request, and how its answer is read."""

    method: str
    path: str
    read: Callable[[Any], Value]
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def content(self) -> bytes | None:
        """Return the body as it is sent."""
        return None if self.body is None else json.dumps(self.body).encode()


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """An event channel and the client id that came with it."""

    session_id: str
    client_id: str
    workspace_cwd: str
    attached: bool
    event_epoch: str = ""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A context file that is loaded for the workspace."""

    path: str
    scope: Literal["workspace", "global"]
    bytes: int


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """The context files of a workspace."""

    workspace_cwd: str
    files: tuple[MemoryFile, ...]
    total_bytes: int
    file_count: int


@dataclass(frozen=True, slots=True)
class FileWritten:
    """What writing a context file did."""

    file_path: str
    bytes_written: int
    mode: Literal["append", "replace"]
    changed: bool = True


@dataclass(frozen=True, slots=True)
class Calls:
    """The table of calls for one workspace of a daemon: what each takes, sends and gives back.

    `Client` and `AsyncClient` are made from it: a call is written here and named in both.
    """

    workspace: str = ""
    """A workspace's id or folder; empty means the daemon's first."""
    header_prefix: str = "X-Reverie"
    client_id: str = ""
    token: str = ""

    def as_client(self, client_id: str) -> Calls:
        """Return the same, with a client id."""
        return replace(self, client_id=client_id)

    # --- tasks ------------------------------------------------------------------------------------

    def remember(
        self,
        content: str,
        *,
        context_mode: ContextMode = "workspace",
        scope: Scope | None = None,
        key: str = "",
    ) -> Call[Task]:
        """Queue a fact; `wait` for the task to see what became of it."""
        body = {"content": content, "contextMode": context_mode, **_scoped(scope)}
        return self._queue(TaskKind.REMEMBER, body, key)

    def forget(self, query: str, *, scope: Scope | None = None, key: str = "") -> Call[Task]:
        """Queue what is to be forgotten."""
        return self._queue(TaskKind.FORGET, {"query": query, **_scoped(scope)}, key)

    def dream(self, *, key: str = "") -> Call[Task]:
        """Queue a dream."""
        return self._queue(TaskKind.DREAM, {}, key)

    def task(self, task: Task | str) -> Call[Task]:
        """Return a task as it stands now."""
        return self._get(_task_path(task), read_task)

    def tasks(self, *, limit: int = 100) -> Call[tuple[Task, ...]]:
        """List the tasks this client may see, newest first."""
        path = f"/workspace/memory/tasks?limit={limit}"
        return self._get(path, lambda wire: tuple(map(read_task, wire["tasks"])))

    def cancel(self, task: Task | str) -> Call[Task]:
        """Take a task back before it writes."""
        return self._call("DELETE", _task_path(task), read_task)

    # --- context files ----------------------------------------------------------------------------

    def files(self) -> Call[MemoryFiles]:
        """List the context files of the workspace."""
        return self._get("/workspace/memory", _reader(MemoryFiles))

    def write(
        self,
        content: str,
        *,
        scope: Literal["workspace", "global"] = "workspace",
        mode: Literal["append", "replace"] = "append",
    ) -> Call[FileWritten]:
        """Append to or replace a context file."""
        body = {"content": content, "scope": scope, "mode": mode}
        return self._post("/workspace/memory", body, _reader(FileWritten))

    # --- verbs ------------------------------------------------------------------------------------

    def recall(self, query: str, *, limit: int | None = None) -> Call[Recalled]:
        """Bring back what matters for a turn."""
        body = {"query": query, "limit": limit}
        return self._post("/workspace/recall", body, _reader(Recalled))

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        source: Literal["all", "memory", "chat", "custom"] = "all",
        isolation: Isolation | None = None,
    ) -> Call[SearchOutcome]:
        """Find what answers a query, with path and lines."""
        body = {"query": query, "maxResults": max_results, "minScore": min_score, "source": source}
        return self._post("/workspace/search", body | _seen(isolation), _reader(SearchOutcome))

    def get(
        self, path: str, lines: str = "", *, isolation: Isolation | None = None
    ) -> Call[Excerpt]:
        """Read lines of a file that is searched."""
        body = {"path": path, "lines": lines}
        return self._post("/workspace/get", body | _seen(isolation), _reader(Excerpt))

    def stats(self, *, isolation: Isolation | None = None) -> Call[IndexStats]:
        """Count what is searched."""
        if isolation is None:
            return self._get("/workspace/stats", _reader(IndexStats))
        # An empty text allows nothing, and so does a list without any path.
        query = urlencode(
            {**_named(isolation), "allowedPaths": isolation.allowed_paths or ("",)}, doseq=True
        )
        return self._get(f"/workspace/stats?{query}", _reader(IndexStats))

    def extract(
        self, messages: Sequence[Mapping[str, Any]], *, session: str, moment: Moment = "asked"
    ) -> Call[Extracted | Skipped]:
        """Learn from the new part of a conversation; `moment` says why now."""
        body = {"session": session, "messages": list(messages), "moment": moment}
        return self._post("/workspace/extract", body, _read_extracted)

    def heard(self) -> Call[tuple[Heard, ...]]:
        """List what was said and not kept, the oldest first."""
        read = _reader(Heard)
        return self._get("/workspace/heard", lambda wire: tuple(map(read, wire["heard"])))

    def keep_heard(self, *ids: str) -> Call[HeardDecided]:
        """Make memories of what was heard, by ids."""
        return self._post("/workspace/heard/keep", {"ids": list(ids)}, _reader(HeardDecided))

    def drop_heard(self, *ids: str) -> Call[HeardDecided]:
        """Remove what was heard, by ids; it is not heard again."""
        return self._post("/workspace/heard/drop", {"ids": list(ids)}, _reader(HeardDecided))

    def prompt(self, query: str = "", *, replay: int | None = None) -> Call[Prompt]:
        """Assemble the layered system prompt."""
        return self._post("/workspace/prompt", {"query": query, "replay": replay}, _reader(Prompt))

    def append(self, messages: Sequence[Mapping[str, Any]], *, session: str = "") -> Call[int]:
        """Append one exchange to the agent's history; return the turn's number."""
        body = {"messages": list(messages), "session": session}
        return self._post("/workspace/history", body, _read_last_turn)

    def context(self) -> Call[Context]:
        """Assemble the context files."""
        return self._get("/workspace/context", _reader(Context))

    def log(self, *, limit: int = 50, path: str | None = None) -> Call[tuple[RunRecord, ...]]:
        """List what was written, newest first."""
        query = urlencode({"limit": limit, **({"path": path} if path else {})})
        read = _reader(RunRecord)
        return self._get(f"/workspace/log?{query}", lambda wire: tuple(map(read, wire["runs"])))

    def update(
        self, entry: str, content: str, *, why: str | None = None, how: str | None = None
    ) -> Call[Remembered]:
        """Put a new statement in the place of an entry, which is kept with its last day."""
        body = {"id": entry, "content": content, "why": why, "how": how}
        return self._post("/workspace/update", body, _reader(Remembered))

    def move(self, entry: str, *, to: Scope) -> Call[Moved | Skipped]:
        """Move a memory into the other scope, with its reason, dates, links and history."""
        return self._post("/workspace/move", {"id": entry, "to": to}, _read_moved)

    def undo(self, run: str) -> Call[Applied]:
        """Take a run back."""
        return self._post("/workspace/undo", {"run": run}, _reader(Applied))

    # --- the daemon -------------------------------------------------------------------------------

    def capabilities(self) -> Call[dict[str, Any]]:
        """Ask what the daemon can."""
        return self._get("/capabilities", dict)

    def health(self) -> Call[str]:
        """Ask how the daemon is."""
        return self._get("/health", lambda wire: str(wire["status"]))

    def open_session(self) -> Call[OpenedSession]:
        """Open an event channel and register a client id."""
        return self._post("/session", {}, _reader(OpenedSession))

    def events(self, *, last_id: int | None, epoch: str) -> Call[None]:
        """Open the stream of events."""
        headers = {"Accept": "text/event-stream"}
        if last_id is not None:
            headers["Last-Event-ID"] = str(last_id)
            if epoch:
                headers[self.epoch_header] = epoch
        return self._call("GET", "/events", lambda _: None, headers=headers)

    @property
    def epoch_header(self) -> str:
        """The header that names the life of the daemon an event belongs to."""
        return f"{self.header_prefix}-Event-Epoch"

    # --- how they are put together ----------------------------------------------------------------

    def _get(self, path: str, read: Callable[[Any], Value]) -> Call[Value]:
        return self._call("GET", path, read)

    def _post(
        self, path: str, body: Mapping[str, Any], read: Callable[[Any], Value]
    ) -> Call[Value]:
        return self._call("POST", path, read, body)

    def _queue(self, kind: TaskKind, body: Mapping[str, Any], key: str) -> Call[Task]:
        extra = {"Idempotency-Key": key} if key else {}
        return self._call("POST", f"/workspace/memory/{kind.value}", read_task, body, extra)

    def _call(
        self,
        method: str,
        path: str,
        read: Callable[[Any], Value],
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Call[Value]:
        if self.workspace and path not in ("/health", "/capabilities"):
            path = f"/workspaces/{quote(self.workspace, safe='')}" + path.removeprefix("/workspace")
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if self.client_id:
            sent[f"{self.header_prefix}-Client-Id"] = self.client_id
        if body is not None:
            sent["Content-Type"] = "application/json"
        return Call(method, path, read, body, {**sent, **(headers or {})})


def shown_as(method: Callable[..., Any], build: Callable[..., Call[Any]]) -> None:
    """Let `help` show a client's method as its call is written here, with the value it answers."""
    answer = build.__annotations__["return"].removeprefix("Call[").removesuffix("]")
    method.__annotations__ = {**build.__annotations__, "return": answer}
    method.__signature__ = signature(build).replace(  # type: ignore[attr-defined]  # see inspect
        return_annotation=answer
    )


def _scoped(scope: Scope | None) -> dict[str, str]:
    return {} if scope is None else {"scope": Scope(scope).value}


def _named(isolation: Isolation) -> dict[str, Any]:
    """Say on the wire whose memory may be seen; what is not said is not sent."""
    named = {
        "userId": isolation.user_id,
        "projectId": isolation.project_id,
        "conversationId": isolation.conversation_id,
    }
    return {name: value for name, value in named.items() if value}


def _seen(isolation: Isolation | None) -> dict[str, Any]:
    if isolation is None:
        return {}
    paths = list(isolation.allowed_paths)
    return {"isolation": {"allowedPaths": paths, **_named(isolation)}}


def _task_path(task: Task | str) -> str:
    name = task.id if isinstance(task, Task) else task
    kind = TaskKind(name.partition("-")[0])  # its id tells its kind
    return f"/workspace/memory/{kind.value}/{quote(name, safe='')}"


def _reader(kind: type[Value]) -> Callable[[Any], Value]:
    return partial(decode, kind)


def _read_moved(wire: Any) -> Moved | Skipped:
    if wire.get("status") == "skipped":
        return Skipped(wire["reason"], wire.get("message", ""))
    return decode(Moved, wire)


def _read_extracted(wire: Any) -> Extracted | Skipped:
    if wire.get("status") == "skipped":
        return Skipped(wire["reason"], wire.get("message", ""))
    return decode(Extracted, wire)


def _read_last_turn(wire: Any) -> int:
    return max((int(turn["seq"]) for turn in wire["turns"]), default=0)


def read_task(wire: Mapping[str, Any]) -> Task:
    """Read a task record; result and error may be null or missing."""
    error = wire.get("error")
    kept = {key: wire[key] for key in ("contextMode", "scope") if key in wire}
    return Task(
        id=wire["taskId"],
        kind=TaskKind(wire["taskId"].partition("-")[0]),
        status=TaskStatus(wire["status"]),
        created=moment(wire["createdAt"]),
        updated=moment(wire["updatedAt"]),
        payload=kept,
        result=wire.get("result"),
        failure=decode(TaskFailure, error) if error else None,
    )


def check_answer(status: int, headers: Mapping[str, str]) -> None:
    """Refuse what is not read at all; called before the body comes in."""
    if 300 <= status < 400:
        raise DaemonUnreachable(
            f"the answer ({status}) is a redirect, which is not followed: the token is only for the"
            " address that was given. Give the address of the daemon itself."
        )
    if headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
        raise DaemonUnreachable(
            "the answer is compressed, although an uncompressed one was requested"
        )


def take(content: bytearray, piece: bytes) -> None:
    """Add a piece of an answer, up to the bound."""
    content += piece
    if len(content) > MAX_ANSWER:
        raise DaemonUnreachable(f"the answer has more than {MAX_ANSWER:,} bytes; is this a daemon?")


def read_answer(call: Call[Value], status: int, content: bytes) -> Value:
    """Read an answer, or raise the error it names."""
    try:
        wire = json.loads(content) if content.strip() else None
    except (ValueError, RecursionError):
        raise DaemonUnreachable(f"the answer ({status}) is not JSON; is this a daemon?") from None
    if status < 400:
        try:
            return call.read(wire)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DaemonUnreachable(f"the answer is not what a daemon sends: {error!r}") from error
    raise error_of(status, wire)


def error_of(status: int, wire: object) -> ReverieError:
    """Make the error that an answer names."""
    facts = dict(wire) if isinstance(wire, Mapping) else {}
    code = str(facts.pop("code", ""))
    message = str(facts.pop("error", f"the daemon answered {status}"))
    found = _by_code().get(code, ReverieError)
    error = found(message)
    error.evidence = facts
    error.code = code or error.code  # codes such as remember_task_not_found
    error.status = status  # what was really answered
    return error


@cache
def _by_code() -> dict[str, type[ReverieError]]:
    verbs = ("", *(kind.value for kind in TaskKind))
    return {kind.code_for(verb): kind for kind in all_errors() for verb in verbs}
