"""An endpoint as data: method, path, handler, and everything that is true about its answers.

The application, the OpenAPI description and the reference page are all made from these tables.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from reverie.core.search.isolation import ISOLATION_KEYS
from reverie.core.tasks.lane_rules import MAX_TEXT_BYTES
from reverie.core.wire import to_json
from reverie.daemon.http.presence import CallerGone
from reverie.daemon.work.questions import Question, waits_for_others
from reverie.errors import (
    BodyTooLarge,
    InvalidClientId,
    InvalidInput,
    InvalidJson,
    RequestTimeout,
    ReverieError,
)

if TYPE_CHECKING:
    from reverie.daemon.host import Host
    from reverie.daemon.hosted import Hosted
    from reverie.daemon.http.presence import Presence
    from reverie.memory import Memory

Schema: TypeAlias = Mapping[str, Any]
Value = TypeVar("Value")

_CLIENT_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}\Z")
_KEY = re.compile(r"[\x21-\x7e]{1,255}\Z")


@dataclass(frozen=True, slots=True)
class Param:
    """A query or header parameter."""

    name: str
    about: str
    schema: Schema
    where: str = "query"
    required: bool = False


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path."""

    method: str
    path: str
    handler: Callable[[Call], Awaitable[Response]]
    summary: str
    answer: Schema | None = None
    """Shape of the good answer; None: no body, or not JSON."""
    status: int = 200
    body: Schema | None = None
    """Shape of the request's body, if it takes one."""
    body_required: bool = True
    params: tuple[Param, ...] = ()
    errors: tuple[type[ReverieError], ...] = ()
    """What can go wrong besides what can go wrong everywhere."""
    scoped: bool = False
    """Also there for every workspace, below /workspaces/{workspace}."""
    bare: bool = False
    """About the daemon itself, not about a workspace."""
    open: bool = False
    """Answers without a token."""
    media: str = "application/json"
    verb: str = ""
    """Whose tasks it is about; some codes carry the name."""

    asks: bool = False
    """A POST that changes nothing: its body is a question."""
    tolerant: bool = False
    """Of somebody else's contract, whose clients send keys that it does not name."""

    def refuse_unknown(self, given: Iterable[str], *, body: bool) -> None:
        """Refuse keys that nothing is done with: a caller who sends one counts on it.

        Where others wrote the contract, only those that would have limited what is seen.
        """
        if body:
            known = set((self.body or {}).get("properties", ()))
        else:
            known = {param.name for param in self.params if param.where == "query"}
        for name in given:
            if name in known or (self.tolerant and name not in ISOLATION_KEYS):
                continue
            there = ", ".join(sorted(known)) or "none"
            what = "key" if body else "parameter"
            raise InvalidInput(f"there is no {what} {name!r} here; there are: {there}")

    @property
    def reads(self) -> bool:
        """Whether a token that only reads may call it."""
        return self.asks or self.method in ("GET", "HEAD")

    def codes(self, more: Sequence[type[ReverieError]] = ()) -> dict[int, list[str]]:
        """Return the codes of its errors by status."""
        found: dict[int, list[str]] = {}
        for error in (*self.errors, *more):
            code, known = error.code_for(self.verb), found.setdefault(error.status, [])
            if code not in known:
                known.append(code)
        return dict(sorted(found.items()))


@dataclass(slots=True)
class Call:
    """One request: where it goes, and what came with it."""

    request: Request
    host: Host
    hosted: Hosted
    qualified: bool
    """The workspace was named in the path."""
    endpoint: Endpoint

    @property
    def caller(self) -> Presence | None:
        """Whoever waits for the answer; None where no connection of ours carries it."""
        found: Presence | None = self.request.scope.get("state", {}).get("presence")
        return found

    async def verb(self, work: Callable[[Memory], Value], *, writes: bool = False) -> Value:
        """Run a verb of this workspace's memory in a worker thread.

        A caller that hangs up before its turn gets no work done.
        """

        caller = self.caller

        def lent() -> Value:
            with self.hosted.board.shown(), self.hosted.shared.lend() as memory:
                if caller is not None and caller.left():  # opening the memory may have taken long
                    raise CallerGone
                return work(memory)

        line = self.hosted.writes if writes else self.hosted.reads
        return await self.hosted.verbs.run(lent, line=line, caller=caller)

    async def read(self, verb: str, **arguments: Any) -> Response:
        """Answer a question about this workspace's memory, in a worker thread or in a reader."""
        question, hosted, caller = Question(verb, arguments), self.hosted, self.caller

        def answered() -> bytes:
            with hosted.board.shown(), hosted.shared.lend() as memory:
                if caller is not None and caller.left():  # opening the memory may have taken long
                    raise CallerGone
                here = partial(question.ask, memory)
                if waits_for_others(memory.settings):  # a reader would do nothing meanwhile
                    return here()
                return self.host.readers.answer(hosted.shelf, question, here=here, caller=caller)

        found = await hosted.verbs.run(answered, line=hosted.reads, caller=caller)
        return Response(found, media_type="application/json")

    async def bookkeeping(self, work: Callable[[], Value]) -> Value:
        """Do something quick with the queue in a worker thread."""
        return await self.hosted.bookkeeping.run(work, caller=self.caller)

    async def client(self) -> str:
        """Return the caller's client id, empty without one; raise unless it is registered."""
        given = self.request.headers.get(self.hosted.dialect.client_header)
        if given is None:
            return ""
        if not _CLIENT_ID.match(given) or not await self.bookkeeping(
            lambda: self.hosted.tasks.knows(given)
        ):
            raise InvalidClientId(
                f"{self.hosted.dialect.client_header} is not registered; `POST /session` registers"
                " one and returns it as clientId"
            )
        return given

    def declared_client(self) -> str:
        """Return the client id a caller wants to register, empty without one."""
        given = self.request.headers.get(self.hosted.dialect.client_header, "")
        if given and not _CLIENT_ID.match(given):
            raise InvalidClientId("a client id has 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
        return given

    def key(self) -> str:
        """Return the idempotency key, empty without one."""
        given = self.request.headers.get("Idempotency-Key", "")
        if given and not _KEY.match(given):
            raise InvalidInput("an idempotency key has 1 to 255 visible ASCII characters")
        return given

    async def body(self) -> Any:
        """Read the body as JSON, at most so large and at most so slow; nothing gives None."""
        limit = self.host.max_body_bytes
        declared = self.request.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            raise _too_large(limit)
        data = bytearray()
        try:
            async with asyncio.timeout(self.host.body_seconds):
                async for part in self.request.stream():
                    data += part
                    if len(data) > limit:
                        raise _too_large(limit)
        except TimeoutError:
            raise RequestTimeout(
                f"the request body did not arrive within {self.host.body_seconds:g} s"
            ) from None
        return read_json(bytes(data))

    async def fields(self) -> Fields:
        """Read the body as a JSON object; anything else counts as an object without keys."""
        body = await self.body()
        values = body if isinstance(body, dict) else {}
        self.endpoint.refuse_unknown(values, body=True)
        return Fields(values)


def read_json(data: bytes) -> Any:
    """Parse strict JSON, or raise `InvalidJson`; nothing gives None."""
    if not data.strip():
        return None
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise InvalidJson("the request body is not UTF-8") from None
    except RecursionError:
        raise InvalidJson("the request body is nested too deeply") from None
    except ValueError as error:
        raise InvalidJson(f"the request body is not JSON: {error}") from None


@dataclass(frozen=True, slots=True)
class Fields:
    """The keys of a JSON object, read one by one."""

    values: Mapping[str, Any]

    def text(
        self,
        name: str,
        error: type[InvalidInput],
        *,
        limit: int = MAX_TEXT_BYTES,
        trim: bool = True,
    ) -> str:
        """Return a text that is there and not empty, or raise the given error."""
        value = self.values.get(name)
        if not isinstance(value, str) or not value.strip():
            raise error(f"{name} is missing, or not a text that says something")
        value = value.strip() if trim else value
        size = len(encoded(value, name, error))
        if size > limit:
            raise error(f"{name} has {size:,} bytes in UTF-8, the limit is {limit:,}")
        return value

    def optional_text(self, name: str, error: type[InvalidInput] = InvalidInput) -> str | None:
        """Return a text, None when it is absent or null."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise error(f"{name} must be a text")
        encoded(value, name, error)
        return value

    def choice(self, name: str, options: tuple[str, ...], error: type[InvalidInput]) -> str | None:
        """Return one of the options, None when it is absent or null."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or value not in options:
            raise error(f"{name} must be one of: {', '.join(options)}")
        return value

    def number(self, name: str, *, low: float, high: float) -> float | None:
        """Return a number within bounds, None when it is absent or null."""
        value = self.values.get(name)
        if value is None:
            return None
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not low <= value <= high
        ):
            raise InvalidInput(f"{name} must be a number from {low:g} to {high:g}")
        return float(value)

    def whole(self, name: str, *, low: int, high: int) -> int | None:
        """Return a whole number within bounds, None when it is absent or null."""
        value = self.number(name, low=low, high=high)
        if value is not None and value != int(value):
            raise InvalidInput(f"{name} must be a whole number")
        return None if value is None else int(value)

    def flag(self, name: str) -> bool:
        """Return a truth value, False when it is absent or null."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, bool):
            raise InvalidInput(f"{name} must be true or false")
        return bool(value)


def encoded(text: str, name: str, error: type[ReverieError]) -> bytes:
    """Return a text as UTF-8; half a surrogate pair, which JSON allows, is refused."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise error(f"{name} holds half a character (an unpaired surrogate)") from None


def query_number(call: Call, name: str, *, default: int, low: int, high: int) -> int:
    """Return a whole number of the query string."""
    given = call.request.query_params.get(name)
    if given is None:
        return default
    if not re.fullmatch(r"[0-9]{1,9}", given) or not low <= int(given) <= high:
        raise InvalidInput(f"{name} must be a whole number from {low} to {high}")
    return int(given)


def query_choice(call: Call, name: str, options: tuple[str, ...]) -> str | None:
    """Return one of the options from the query string, None when it is absent."""
    given = call.request.query_params.get(name)
    if given is not None and given not in options:
        raise InvalidInput(f"{name} must be one of: {', '.join(options)}")
    return given


def answer(
    value: object, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with JSON."""
    return Response(
        to_json(value),
        status_code=status,
        media_type="application/json",
        headers=dict(headers or {}),
    )


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"the request body is over {limit:,} bytes")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
