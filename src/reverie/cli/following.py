"""How far a daemon is with what it was asked, told here as if the work were done here.

Rules
- Only where somebody listens, and only after a moment: most answers are there before.
- A daemon that cannot say it, or does not in time, is not asked again; its answer is waited for all the same.
"""

from __future__ import annotations

import threading
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Final, Self

from reverie.client import quick
from reverie.progress import is_heard, tell

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Following"]

PATIENCE: Final = 0.8
_EVERY: Final = 0.25
_SECONDS: Final = 2.0


class Following:
    """Tells how far the work is, as long as the block runs."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        """Follow the work that `ask` tells of: the answer of `GET /workspace/progress`; None ends it."""
        self._ask = ask
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @classmethod
    def of(cls, place: str, project: str) -> Self:
        """Follow what the daemon behind a socket does for a project."""

        def asked() -> Any:
            try:
                status, wire = quick.exchange(
                    place, project, "/workspace/progress", None, timeout=_SECONDS
                )
            except quick.Unanswered:
                return None
            return wire if status == 200 else None

        return cls(asked)

    def __enter__(self) -> Self:
        if is_heard():
            run = copy_context().run  # the thread tells whoever listens here
            self._thread = threading.Thread(target=run, args=(self._run,), daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()

    def _run(self) -> None:
        wait = PATIENCE
        while not self._over.wait(wait):
            wait = _EVERY
            wire = self._ask()
            if not isinstance(wire, dict) or self._over.is_set():
                return
            for step in wire["working"][:1]:
                tell(step["what"], step["done"], step.get("total", 0))
