"""The resident as a whole: one process for all workspaces of a home, each opened when it is asked for.

Rules
- Its owner asks through the Unix socket and names a folder. Which settings count there, and whether it is
  trusted, is decided as in any process that opens that folder.
- Nobody waits while a memory is opened and read for the first time: it goes on in the background, and
  the caller does it itself meanwhile.
- It answers only what the caller would find itself. Of another version, with another embedder, or where a
  model or a service elsewhere is asked by a key that only the caller has, it refuses.
- What is quiet is closed when many are open. When nothing was asked for a while, it ends; until then no
  timer of its own ticks.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import reverie
from reverie.client.quick import CALLER_HEADER, caller_of
from reverie.daemon.host import Host
from reverie.daemon.hosted import Hosted
from reverie.daemon.http.metrics import page
from reverie.daemon.serve import lane_file
from reverie.daemon.work.questions import waits_for_others
from reverie.daemon.work.readers import Readers
from reverie.daemon.work.workers import Workers
from reverie.errors import (
    Locked,
    OtherProcess,
    ReadOnly,
    ReverieError,
    StillOpening,
    WorkspaceNotFound,
)
from reverie.local.disk.locks import file_lock

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.daemon.http.auth import Gate
    from reverie.dialect import Dialect
    from reverie.memory import Memory

_log = logging.getLogger(__name__)
MOST_OPEN: Final = 16
OPENING_SECONDS: Final = 0.2
"""How long a caller waits for a memory that is being opened; a hook has more time than that."""
_FOLDER: Final = "folder-"


class ResidentHost(Host):
    """Everything the routes need."""

    resident = True

    def __init__(
        self,
        opener: Callable[[str], Memory],
        settings: Settings,
        *,
        dialect: Dialect,
        gate: Gate,
        env: Mapping[str, str],
    ) -> None:
        super().__init__((), gate=gate)
        self._opener = opener
        self._dialect = dialect
        self._caller = caller_of(env)
        self.take_limits(settings.daemon)
        self.readers = Readers(self.most_readers)
        self.idle_minutes = settings.daemon.resident_minutes
        self.most_open = MOST_OPEN
        self.opening_seconds = OPENING_SECONDS
        self._bookkeeping = Workers("resident", size=1)
        self._open: dict[str, tuple[Hosted, ExitStack]] = {}
        self._ids: dict[str, str] = {}
        """The workspace of a folder that was asked for."""
        self._opening: dict[str, asyncio.Task[str]] = {}
        self._ending: asyncio.Task[None] | None = None
        self._draining = False
        self._code = _code_mark()

    # --- who asks ---------------------------------------------------------------------------------

    def check_caller(self, headers: Mapping[str, str]) -> None:
        """Refuse a caller that would answer otherwise itself; make room when our code was replaced."""
        caller = unquote(headers.get(CALLER_HEADER.lower(), ""))
        if caller and caller != self._caller:
            raise OtherProcess(f"the resident daemon is {self._caller!r}, not {caller!r}")
        if _code_mark() != self._code:
            self.leave()
            raise OtherProcess("Reverie was installed anew; the resident daemon makes room")

    # --- workspaces -------------------------------------------------------------------------------

    def resolve(self, selector: str) -> str:
        """Return the id of a workspace, or a name for a folder that is not open."""
        if not selector.startswith("/"):
            return selector
        return self._ids.get(selector) or f"{_FOLDER}{os.fsencode(selector).hex()}"

    async def hosted(self, selector: str | None) -> Hosted:
        """Return the workspace of an id or a folder, which is opened when it is not."""
        if selector in self._open:
            self._open[selector] = self._open.pop(selector)  # the longest unused stand first
            return self._open[selector][0]
        if selector is None or not selector.startswith(_FOLDER):
            raise WorkspaceNotFound("name the folder: a resident daemon serves many")
        if self._draining:
            raise OtherProcess("the resident daemon is about to end")
        folder = os.fsdecode(bytes.fromhex(selector.removeprefix(_FOLDER)))
        task = self._opening.get(folder)
        if task is None:
            task = self._opening[folder] = asyncio.create_task(self._opened(folder))
            task.add_done_callback(partial(self._no_longer_opening, folder))
        done, _ = await asyncio.wait({task}, timeout=self.opening_seconds)
        if not done:
            raise StillOpening(f"the memory of {folder} is being opened")
        return self._open[task.result()][0]

    def _no_longer_opening(self, folder: str, task: asyncio.Task[str]) -> None:
        self._opening.pop(folder, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.log(
                logging.INFO if isinstance(error, ReverieError) else logging.ERROR,
                "%s is not served: %s",
                folder,
                error,
            )

    async def _opened(self, folder: str) -> str:
        hosted, locks = await asyncio.to_thread(self._make, folder)
        known = self._open.get(hosted.id)
        if known is not None:
            hosted.close()
            locks.close()
        else:
            await self._make_room()
            hosted.chores.pause = self._pause
            await hosted.start()
            await hosted.verbs.run(partial(_read, hosted))
            hosted.prepare()
            self._open[hosted.id] = hosted, locks
            self.workspaces = [item for item, _ in self._open.values()]
        self._ids[folder] = hosted.id
        return hosted.id

    def _make(self, folder: str) -> tuple[Hosted, ExitStack]:
        """Open a workspace in a thread, or raise when it is not for us."""
        hosted = Hosted(partial(self._opener, folder), primary=True, epoch=self.epoch)
        with ExitStack() as stack:
            stack.callback(hosted.close)
            with hosted.shared.lend() as memory:
                if memory.settings.engine.url or waits_for_others(memory.settings):
                    raise WorkspaceNotFound("a model or a service elsewhere is asked here")
                lock = lane_file(memory)
            if hosted.id in self._open:
                return hosted, _kept(stack)
            locks = ExitStack()
            try:
                locks.enter_context(file_lock(lock, wait=0.0, purpose="resident"))
            except (Locked, ReadOnly) as error:
                raise WorkspaceNotFound(f"another daemon serves it, or none can: {error}") from None
            stack.pop_all()
        return hosted, locks

    async def _make_room(self) -> None:
        while len(self._open) >= self.most_open:
            quiet = next((name for name, (item, _) in self._open.items() if item.quiet), None)
            if quiet is None:
                return
            await self._close(quiet)

    async def _close(self, name: str) -> None:
        hosted, locks = self._open.pop(name)
        self._ids = {folder: known for folder, known in self._ids.items() if known != name}
        self.workspaces = [item for item, _ in self._open.values()]
        with locks:
            await hosted.stop(grace=self.grace_seconds)

    # --- time -------------------------------------------------------------------------------------

    async def _pause(self, seconds: float) -> None:
        """Wait until something is asked, and then a while: what is due is done, and then all is still."""
        await self.metrics.activity.next()
        await asyncio.sleep(seconds)

    async def _end_when_idle(self) -> None:
        seconds = self.idle_minutes * 60
        while True:
            quiet = time.monotonic() - self.metrics.activity.last
            busy = (
                self.metrics.connections
                or self._opening
                or not all(item.quiet and not item.preparing for item in self.workspaces)
            )
            if quiet >= seconds and not busy:
                _log.info("nothing was asked for %g minutes", self.idle_minutes)
                self.leave()
                return
            await asyncio.sleep(seconds if busy else seconds - quiet)

    # --- life -------------------------------------------------------------------------------------

    @property
    def dialect(self) -> Dialect:
        """Whose names are used."""
        return self._dialect

    @property
    def shapes(self) -> tuple[str, ...]:
        """Which further ways of asking are offered: none."""
        return ()

    @property
    def draining(self) -> bool:
        """True while it stops."""
        return self._draining

    async def metrics_page(self) -> str:
        """Write what Prometheus reads."""
        return await self._bookkeeping.run(partial(page, self))

    async def start(self) -> None:
        """Begin to count the time; workspaces are opened when they are asked for."""
        self._ending = asyncio.create_task(self._end_when_idle(), name="idle-end")

    def end_streams(self) -> None:
        """Let event streams finish, so that their connections can close."""
        self._draining = True
        super().end_streams()

    async def stop(self) -> None:
        """Stop every lane and close every file."""
        self._draining = True
        if self._ending is not None:
            self._ending.cancel()
        if self._opening:
            await asyncio.wait(set(self._opening.values()), timeout=self.grace_seconds)
        await self.mcp.stop()
        await asyncio.to_thread(self.readers.stop)
        for name in list(self._open):
            await self._close(name)
        self._bookkeeping.stop()


def _kept(stack: ExitStack) -> ExitStack:
    """Call off what a stack would have undone."""
    stack.pop_all()
    return ExitStack()


def _read(hosted: Hosted) -> None:
    """Read the topics once, so that the first question does not wait for that."""
    with hosted.shared.lend() as memory:
        memory.engine.ranker.ranked("memory")


def _code_mark() -> tuple[int, int]:
    """Return the mark of our own code: installing it anew writes this file again."""
    try:
        facts = Path(reverie.__file__).stat()
    except OSError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_ino
