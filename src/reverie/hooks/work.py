"""What hooks do with the memory opened: the briefing, a recall the long way, learning and history.

Rules:

* Learning and history read the transcript that the agent names. What a person marked as private is
  taken out before anything else looks at it.
* Blocks that recall injected carry a mark and are taken out too, so nothing is learned from, or kept
  of, what memory itself said.
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
from typing import TYPE_CHECKING, Any, Final

from reverie.client import quick as daemon
from reverie.core.agents.environment import own_environment
from reverie.core.showing.injected import without_injected
from reverie.core.topics.smalltalk import scrubbed
from reverie.errors import FileTooLarge, PathNotFound
from reverie.hooks import quick, session, shapes
from reverie.hooks.fitting import fitted
from reverie.local.disk.locks import file_lock
from reverie.local.engine import LocalEngine
from reverie.memory import Memory
from reverie.memory.briefing import native_scopes, session_briefing
from reverie.types import Extracted, RunInfo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.hooks.quick import Call
    from reverie.types import Moment

MAX_TRANSCRIPT: Final = 256 * 1024 * 1024
MAX_REQUEST: Final = 8 * 1024 * 1024
"""Longer conversations are read here: the daemon takes no larger request."""
DAEMON_SECONDS: Final = 60.0
NICENESS: Final = 5
"""How far learning stands back behind the agent that goes on meanwhile."""
WAIT_SECONDS: Final = 120.0
"""How long the work of one hook waits for that of another on the same conversation."""


def recalled(call: Call, query: str) -> str:
    """Recall with the memory opened; the words are stored elsewhere, so that nobody waits for that."""
    with _opened(call) as memory:
        hooks = memory.settings.hooks
        if not hooks.enabled:
            return ""
        _limit(call, hooks.start_seconds if call.briefs else hooks.prompt_seconds)
        block = memory.recall(query, meaning=False).block
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
    lock = Path(call.state()) / "locks" / "hooks.lock"
    with file_lock(lock, wait=WAIT_SECONDS, purpose="learning"), _opened(call) as memory:
        hooks = memory.settings.hooks
        if not hooks.enabled:
            return
        learns = hooks.learn and not native_scopes(memory, agent=call.agent)
        asks = learns and memory.asks_an_agent()
        reflects = learns and hooks.reflect
        if learns and call.event != shapes.COMPACT and not _handed_over(call, name, records):
            _extract(memory, records, session=name, agent=call.agent)
        if asks and call.event != shapes.STOP:
            _extract(memory, records, session=name, agent=call.agent, moment="end")
        if hooks.history and (call.event != shapes.STOP or call.agent in shapes.ENDLESS):
            memory.layers.import_chat("\n".join(map(json.dumps, records)))
        _look(memory)
    over = call.event != shapes.STOP
    waits = hooks.idle_seconds if (asks or reflects) and not over else 0.0
    if waits and call.agent in shapes.ENDLESS and _stays_idle(call, waits):
        over = True
        with file_lock(lock, wait=WAIT_SECONDS, purpose="learning"), _opened(call) as memory:
            if asks:
                _extract(memory, records, session=name, agent=call.agent, moment="end")
    if reflects and over:
        from reverie.hooks.reflecting import reflect

        with _opened(call) as memory:
            reflect(call, memory, records)


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


def _extract(
    memory: Memory,
    records: Sequence[object],
    *,
    session: str,
    agent: str,
    moment: Moment = "turn",
) -> None:
    info = RunInfo(verb="extract", session=session, client=agent)
    while True:
        outcome = memory.extract(records, session=session, info=info, moment=moment)
        if not isinstance(outcome, Extracted) or not outcome.remaining or not outcome.read_messages:
            return


def _handed_over(call: Call, session: str, records: Sequence[object]) -> bool:
    """Let a running daemon extract, which has everything open and its own model."""
    body = {"session": session, "messages": list(records), "moment": "turn"}
    if len(json.dumps(body)) > MAX_REQUEST:
        return False
    while True:
        answer = daemon.ask(
            call.home,
            call.folder(),
            "/workspace/extract",
            body,
            timeout=DAEMON_SECONDS,
            dialect=call.dialect,
        )
        if answer is None or not (answer.get("remaining") and answer.get("readMessages")):
            return answer is not None


def _look(memory: Memory) -> None:
    if isinstance(memory.engine, LocalEngine):
        memory.engine.ranker.ranked("memory")
        memory.engine.ranker.thorough = True


def _opened(call: Call) -> Memory:
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
