"""Lends an opened memory to threads, and opens it again when its settings change.

A memory can be read by several threads at once. One that was replaced is closed when the last of
them gives it back.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from reverie.errors import ConfigError
from reverie.local.context.trust import trust_file
from reverie.local.settings import project_file, user_file
from reverie.mcp import caller
from reverie.memory import Memory
from reverie.types import RunInfo

_log = logging.getLogger(__name__)
Signature = tuple[tuple[int, int] | None, ...]
_TICK_NS = 20_000_000
"""The time of a file may lag behind the clock by so much."""


def open_signed(opener: Callable[[], Memory], epoch: str) -> Memory:
    """Open a memory whose runs say that they came through a daemon, in this life of it."""
    memory = opener()
    memory.store.endorse = partial(signed, epoch)
    return memory


def signed(epoch: str, run: RunInfo) -> RunInfo:
    """Note in a run which life of the daemon wrote it, and who called over MCP."""
    run = caller.sign(run)
    return replace(run, detail={**run.detail, "daemon": epoch})


@dataclass(slots=True, eq=False)
class _Loan:
    memory: Memory
    signature: Signature | None
    """What the files were before they were read; None where they may have changed meanwhile."""
    users: int = 0


class OpenMemory:
    """One memory at a time, with the settings in force."""

    def __init__(self, opener: Callable[[], Memory]) -> None:
        self._opener = opener
        self._guard = threading.Lock()
        self._current: _Loan | None = None
        self._files: tuple[str, ...] = ()
        self._closed = False

    @contextmanager
    def lend(self) -> Iterator[Memory]:
        """Lend the memory."""
        with self._guard:
            loan = self._fresh()
            loan.users += 1
        try:
            yield loan.memory
        finally:
            with self._guard:
                loan.users -= 1
                if loan.users == 0 and (loan is not self._current or self._closed):
                    loan.memory.close()

    def close(self) -> None:
        """Close the memory, now or when it is given back."""
        with self._guard:
            self._closed = True
            if self._current is not None and self._current.users == 0:
                self._current.memory.close()

    def _fresh(self) -> _Loan:
        known = self._current
        seen: Signature | None = self._signature()
        if known is not None and known.signature == seen:
            return known
        young = time.time_ns() - _TICK_NS
        try:
            memory = self._opener()
        except ConfigError as error:
            if known is None:
                raise
            # A slip in a settings file must not stop the daemon: the last good settings stay.
            _log.warning("the new settings cannot be used, the old ones stay: %s", error)
            known.signature = seen
            return known
        if not self._files:
            files = (
                user_file(memory.dialect, home=memory.workspace.home, env=memory.env),
                project_file(memory.workspace, memory.dialect),
                trust_file(memory.workspace),  # says whether the project's settings count
            )
            self._files = tuple(map(str, files))
            now = self._signature()
            seen = None if any(facts and facts[0] >= young for facts in now) else now
        self._current = _Loan(memory, seen)
        if known is not None and known.users == 0:
            known.memory.close()
        return self._current

    def _signature(self) -> Signature:
        found: list[tuple[int, int] | None] = []
        for path in self._files:
            try:
                facts = os.stat(path)  # noqa: PTH116  # with every request; pathlib takes twice as long
            except OSError:
                found.append(None)
            else:
                found.append((facts.st_mtime_ns, facts.st_size))
        return tuple(found)
