"""The memory of a server that serves one client: opened at the first call, and lent to its threads."""

from __future__ import annotations

import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from reverie.memory import Memory

    Value = TypeVar("Value")

GRACE_SECONDS = 30.0


class LateRunner:
    """A memory of this process that is opened when it is first asked for something."""

    def __init__(self, opened: Callable[[], Memory]) -> None:
        self.session = f"mcp-{os.urandom(8).hex()}"
        self._opened = opened
        self._memory: Memory | None = None
        self._opening = threading.Lock()
        self._busy = 0
        self._idle = threading.Condition()

    @property
    def is_open(self) -> bool:
        """Whether the memory is open, so that asking it costs little."""
        return self._memory is not None

    def lend(self, work: Callable[[Memory], Value]) -> Value:
        """Run a function over the memory; it raises what opening the memory raises."""
        self._count(+1)
        try:
            return work(self._lent())
        finally:
            self._count(-1)

    async def run(self, work: Callable[[Memory], Value], *, writes: bool) -> Value:  # noqa: ARG002
        """Run a function over the memory in a worker thread."""
        import anyio.to_thread

        return await anyio.to_thread.run_sync(lambda: self.lend(work), abandon_on_cancel=True)

    def settle(self, seconds: float = GRACE_SECONDS) -> None:
        """Wait for threads whose client is gone: a write that began is finished."""
        with self._idle:
            self._idle.wait_for(lambda: self._busy <= 0, timeout=seconds)

    def _lent(self) -> Memory:
        with self._opening:
            if self._memory is None:
                from reverie.mcp.caller import sign_all

                memory = self._opened()
                sign_all(memory.store)
                self._memory = memory
            return self._memory

    def _count(self, change: int) -> None:
        with self._idle:
            self._busy += change
            self._idle.notify_all()


class OwnRunner(LateRunner):
    """A memory of this process that is open already, for a program that embeds the server."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(lambda: memory)
        self._lent()
