"""Who calls: the client and session of a tool call, written into every run that the call makes.

Rules
- A run that came through MCP says so: origin `agent` (what the machine does itself stays `system`),
  the client's name and version, the session.
- A call that was cancelled before its write began writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.errors import TaskStopped
from reverie.types import Origin, RunInfo

if TYPE_CHECKING:
    from reverie.ports import JournaledStore

_STRANGE = re.compile(r"[^A-Za-z0-9._:@/+-]+")
_NAME_CHARS = 100


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Caller:
    """One call of one client."""

    client: str = "mcp"
    session: str = ""
    cancelled: Callable[[], bool] = _never

    def sign(self, run: RunInfo) -> RunInfo:
        """Say in a run who called; raise when the call was cancelled meanwhile."""
        if self.cancelled():
            raise TaskStopped("the call was cancelled before it wrote anything")
        return replace(
            run,
            client=run.client or self.client,
            session=run.session or self.session,
            origin=run.origin if run.origin is Origin.SYSTEM else Origin.AGENT,
            detail={**run.detail, "via": "mcp"},
        )


_CALLER: ContextVar[Caller | None] = ContextVar("reverie_mcp_caller", default=None)


@contextmanager
def calling(caller: Caller) -> Iterator[None]:
    """Let everything this thread writes in the block be signed by a caller."""
    token = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(token)


def sign(run: RunInfo) -> RunInfo:
    """Sign a run by the caller of this thread; without one it stays as it is."""
    caller = _CALLER.get()
    return caller.sign(run) if caller else run


def sign_all(store: JournaledStore) -> None:
    """Let a store sign its runs by their callers, besides what it does already."""
    before = store.endorse
    if not isinstance(before, _Signing):
        store.endorse = _Signing(before)


@dataclass(frozen=True, slots=True)
class _Signing:
    """What a store did with its runs before, after their callers have signed."""

    before: Callable[[RunInfo], RunInfo]

    def __call__(self, run: RunInfo) -> RunInfo:
        return self.before(sign(run))


def client_name(name: str, version: str) -> str:
    """Make a client id from what a client says about itself; it is a claim, not a proof."""
    said = f"{name}@{version}" if version else name
    return f"mcp:{_STRANGE.sub('-', said).strip('-')[:_NAME_CHARS]}"
