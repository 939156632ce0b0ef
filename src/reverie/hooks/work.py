"""What hooks do with the memory opened: the briefing, a recall the long way, learning and history.

Rules:

* Learning and history read the transcript that the agent names. What a person marked as private is
  taken out before anything else looks at it.
* Blocks that recall injected carry a mark and are taken out too, so nothing is learned from, or kept
  of, what memory itself said.
* A daemon that runs does the learning; opening the memory here takes several times as long. So nothing of
  the memory is imported before it is known to be needed.
* `python -m reverie.hooks.work TASK` is the process behind a hook: its task's details come on standard
  input, and its errors go to the event log.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from reverie.client import quick as daemon
from reverie.core.agents.environment import own_environment
from reverie.core.showing.injected import without_injected
from reverie.core.topics.smalltalk import scrubbed
from reverie.errors import FileTooLarge, PathNotFound
from reverie.hooks import quick, session, shapes
from reverie.hooks.fitting import fitted
from reverie.local.disk.locks import file_lock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.hooks.quick import Call
    from reverie.memory import Memory

MAX_TRANSCRIPT: Final = 256 * 1024 * 1024
MAX_REQUEST: Final = 8 * 1024 * 1024
"""Longer conversations are read here: the daemon takes no larger request."""
DAEMON_SECONDS: Final = 60.0
NICENESS: Final = 5
"""How far learning stands back behind the agent that goes on meanwhile."""
WAIT_SECONDS: Final = 120.0
"""How long the work of one hook waits for that of another on the same conversation."""


class Left(NamedTuple):
    """What is left to do after a conversation was learned from."""

    asks: bool
    """Whether the person's agent may judge what was said."""
    reflects: bool
    """Whether it is to look back."""
    idle_seconds: float
    """After which silence a conversation is over."""


def recalled(call: Call, query: str) -> str:
    """Recall with the memory opened; the words are stored elsewhere, so that nobody waits for that."""
    with _opened(call) as memory:
        hooks = memory.settings.hooks
        if not hooks.enabled:
            return ""
        _limit(call, hooks.start_seconds if call.briefs else hooks.prompt_seconds)
        block = memory.recall(query, meaning=False).block
        from reverie.local.engine import LocalEngine

        if isinstance(memory.engine, LocalEngine) and "ranker" in memory.engine.__dict__:
            from reverie.hooks.background import keep_words

            memory.engine.ranker.keep = False
            keep_words(call)
    return fitted(block, hooks.context_chars)


def briefing(call: Call) -> str:
    """Say what a session should know from its beginning; see `core/layers/briefing.py`."""
    with _opened(call) as memory:
        if call.event == shapes.START or call.briefs:
            _limit(call, memory.settings.hooks.start_seconds)
        from reverie.memory.briefing import session_briefing

        made = session_briefing(memory, agent=call.agent)
    if made is None:
        return ""
    if call.session is not None:
        call.session.note(made.shown, "", anew=True)
    return made.text


def learn(call: Call) -> None:
    """Read the transcript: extract after every stop, and history before compaction and at the end."""
    session.tidy(call.state())
    records = transcript(call)
    name = shapes.session_of(call.payload)
    if not records or not name:
        return
    over = call.event != shapes.STOP
    lock = Path(call.state()) / "locks" / "hooks.lock"
    with file_lock(lock, wait=WAIT_SECONDS, purpose="learning"):
        left = _handed_over(call, name, records)
        if left is None or (over and left.asks):
            left = _done_here(call, name, records, left)
    waits = left.idle_seconds if (left.asks or left.reflects) and not over else 0.0
    if waits and call.agent in shapes.ENDLESS and _stays_idle(call, waits):
        over = True
        if left.asks:
            with file_lock(lock, wait=WAIT_SECONDS, purpose="learning"), _opened(call) as memory:
                _judge(call, memory, name, records)
    if left.reflects and over:
        from reverie.hooks.reflecting import reflect

        with _opened(call) as memory:
            reflect(call, memory, records)


def _handed_over(call: Call, session: str, records: Sequence[object]) -> Left | None:
    """Let a running daemon do it, which has everything open; None when it has to be done here."""
    body = {"session": session, "messages": list(records), "agent": call.agent, **_parts(call)}
    if len(json.dumps(body)) > MAX_REQUEST:
        return None
    while True:
        told = daemon.ask(
            call.home,
            call.folder(),
            "/workspace/hooks/learn",
            body,
            timeout=DAEMON_SECONDS,
            dialect=call.dialect,
        )
        if told is None or not told.get("done"):
            return None
        if not told.get("remaining"):
            idle = told.get("idleSeconds")
            seconds = float(idle) if isinstance(idle, int | float) else 0.0
            return Left(bool(told.get("asks")), bool(told.get("reflects")), seconds)


def _done_here(
    call: Call, session: str, records: Sequence[dict[str, Any]], left: Left | None
) -> Left:
    """Do with the memory opened here what no daemon did."""
    from reverie.memory.afterwards import afterwards
    from reverie.types import RunInfo

    with _opened(call) as memory:
        if left is None:
            info = RunInfo(verb="extract", session=session, client=call.agent)
            done = afterwards(
                memory, records, session=session, agent=call.agent, info=info, **_parts(call)
            )
            left = Left(done.asks, done.reflects, done.idle_seconds)
        if left.asks and call.event != shapes.STOP:
            _judge(call, memory, session, records)
        _look(memory)
    return left


def _judge(call: Call, memory: Memory, session: str, records: Sequence[dict[str, Any]]) -> None:
    """Let the person's agent judge what it has not read, at the end of a conversation."""
    from reverie.memory.afterwards import extracted
    from reverie.types import RunInfo

    info = RunInfo(verb="extract", session=session, client=call.agent)
    extracted(memory, records, session=session, moment="end", info=info)


def _parts(call: Call) -> dict[str, bool]:
    """Say what an event is an occasion for: to learn, and to keep the conversation."""
    return {
        "extracts": call.event != shapes.COMPACT,
        "keeps": call.event != shapes.STOP or call.agent in shapes.ENDLESS,
    }


def _stays_idle(call: Call, seconds: float) -> bool:
    """Wait, and tell whether nothing more was said: for agents that do not tell when a session ends."""
    file = Path(str(call.payload["transcript_path"])).expanduser()
    try:
        before = file.stat()
        sleep(seconds)
        after = file.stat()
    except OSError:  # the transcript is gone, and with it what could be read
        return False
    return (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)


def keep_words(call: Call) -> None:
    """Store the words of the topics, which closing the memory does."""
    with _opened(call) as memory:
        _look(memory)


def transcript(call: Call) -> list[dict[str, Any]]:
    """Return the records of the transcript that the agent named, without anything private."""
    path = call.payload.get("transcript_path")
    if not isinstance(path, str) or not path:
        return []
    file = Path(path).expanduser()
    if not file.is_file():
        raise PathNotFound(f"there is no transcript {path}")
    if file.stat().st_size > MAX_TRANSCRIPT:
        raise FileTooLarge(f"the transcript {path} is larger than {MAX_TRANSCRIPT:,} bytes")
    from reverie.core.learning.agent_logs import read_records

    text = file.read_bytes().decode("utf-8", "replace")
    records: list[dict[str, Any]] = scrubbed(
        read_records(text, session=shapes.session_of(call.payload)), also=without_injected
    )
    return records


def _look(memory: Memory) -> None:
    from reverie.local.engine import LocalEngine

    if isinstance(memory.engine, LocalEngine):
        memory.engine.ranker.ranked("memory")
        memory.engine.ranker.thorough = True


def _opened(call: Call) -> Memory:
    from reverie.memory import Memory

    env = own_environment(os.environ)
    return Memory.open(call.folder(), home=call.home, dialect=call.dialect, env=env)


def _limit(call: Call, seconds: float) -> None:
    """Keep to the limit of the settings, also where the process waits inside a library."""
    left = max(call.started + seconds - monotonic(), 0.01)
    quick.set_timer(left)
    done = Event()

    def watch() -> None:
        if not done.wait(left + 0.5):
            quick.give_up(call, seconds)

    Thread(target=watch, daemon=True).start()
    call.release = done.set


def _step_aside() -> None:
    """Leave the processor and the terminal to whoever waits for an answer, and the project's folder."""
    os.chdir(os.sep)  # it may be removed meanwhile
    if os.getsid(0) != os.getpid() and os.getpgrp() != os.getpid():
        os.setsid()
    os.nice(NICENESS)


def main(arguments: Sequence[str]) -> int:
    """Do the work behind a hook."""
    task, *options = arguments
    call = quick.Call()
    try:
        quick.read_options(call, options)
        call.event = task
        call.payload = json.loads(sys.stdin.buffer.read() or b"{}")
        call.agent = call.agent or shapes.agent_of(call.payload)
        (keep_words if task == "words" else learn)(call)
    except Exception as error:  # noqa: BLE001  # nobody sees what this process prints
        quick.report(call, error)
    return 0


if __name__ == "__main__":  # this process is the hook's own; whoever calls `main` keeps its place
    _step_aside()
    sys.exit(main(sys.argv[1:]))
