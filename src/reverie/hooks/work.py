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
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from reverie.client import quick as daemon
from reverie.core.learning.agent_logs import read_records
from reverie.core.showing.fence import fence, strip_recall_blocks
from reverie.core.topics.smalltalk import scrubbed
from reverie.errors import FileTooLarge, PathNotFound
from reverie.hooks import quick, shapes
from reverie.hooks.fitting import cut, fitted
from reverie.local.disk.locks import file_lock
from reverie.local.engine import LocalEngine
from reverie.local.settings import SETTINGS_WAIT
from reverie.memory import Memory
from reverie.types import Extracted, RunInfo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reverie.hooks.quick import Call

MAX_TRANSCRIPT: Final = 256 * 1024 * 1024
MAX_REQUEST: Final = 8 * 1024 * 1024
"""Longer conversations are read here: the daemon takes no larger request."""
ENDLESS: Final = ("codex",)
"""Agents that do not tell when a session ends: their history is kept at every stop."""
DAEMON_SECONDS: Final = 60.0
WAIT_SECONDS: Final = 120.0
"""How long the work of one hook waits for that of another on the same conversation."""


def recalled(call: Call, query: str) -> str:
    """Recall with the memory opened; the words are stored elsewhere, so that nobody waits for that."""
    with _opened(call) as memory:
        hooks = memory.settings.hooks
        if not hooks.enabled:
            return ""
        _limit(call, hooks.prompt_seconds)
        block = memory.recall(query, meaning=False).block
        if isinstance(memory.engine, LocalEngine) and "ranker" in memory.engine.__dict__:
            from reverie.hooks.background import keep_words

            memory.engine.ranker.keep = False
            keep_words(call)
    return fitted(block, hooks.context_chars)


def briefing(call: Call) -> str:
    """Say what a session should know from its beginning: core, working memory and the catalog."""
    if call.payload.get("source") == "resume":
        return ""  # the conversation that goes on has it already
    with _opened(call) as memory:
        settings = memory.settings
        if not settings.hooks.enabled or not settings.memory.enabled:
            return ""
        _limit(call, settings.hooks.start_seconds)
        room = settings.hooks.context_chars
        tokens = min(settings.layers.prompt_tokens, room // 4)
        layers = replace(settings.layers, prompt_tokens=tokens)
        memory.resolved = replace(memory.resolved, settings=replace(settings, layers=layers))
        made = memory.prompt(context=False, replay=0)
        said = _waiting(memory) + (made.text if made.parts else "")
    if not said:
        return ""
    text = fence(said)  # so that nothing is learned from it later
    return text if len(text) <= room else fence(cut(said, room - len(fence("x"))))


def _waiting(memory: Memory) -> str:
    """Say in one line that something of the project waits until its person trusts it."""
    if not any(item.code == SETTINGS_WAIT for item in memory.resolved.problems):
        return ""
    return (
        "Reverie: this project has settings for memory that are not applied; the person may look at"
        f" {memory.dialect.project_config} and run `reverie trust` (or `reverie trust --no`).\n"
    )


def learn(call: Call) -> None:
    """Read the transcript: extract after every stop, and history before compaction and at the end."""
    records = transcript(call)
    session = shapes.session_of(call.payload)
    if not records or not session:
        return
    state = Path(call.state())
    with file_lock(state / "locks" / "hooks.lock", wait=WAIT_SECONDS, purpose="learning"):
        handed = call.event != shapes.COMPACT and _handed_over(call, session, records)
        with _opened(call) as memory:
            hooks = memory.settings.hooks
            if not hooks.enabled:
                return
            if hooks.learn and not handed and call.event != shapes.COMPACT:
                _extract(memory, records, session=session, agent=call.agent)
            if hooks.history and (call.event != shapes.STOP or call.agent in ENDLESS):
                memory.layers.import_chat("\n".join(map(json.dumps, records)))
            _look(memory)


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
    text = file.read_bytes().decode("utf-8", "replace")
    records: list[dict[str, Any]] = scrubbed(
        read_records(text, session=shapes.session_of(call.payload)), also=strip_recall_blocks
    )
    return records


def _extract(memory: Memory, records: Sequence[object], *, session: str, agent: str) -> None:
    info = RunInfo(verb="extract", session=session, client=agent)
    while True:
        outcome = memory.extract(records, session=session, info=info)
        if not isinstance(outcome, Extracted) or not outcome.remaining or not outcome.read_messages:
            return


def _handed_over(call: Call, session: str, records: Sequence[object]) -> bool:
    """Let a running daemon extract, which has everything open and its own model."""
    body = {"session": session, "messages": list(records)}
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


def _opened(call: Call) -> Memory:
    return Memory.open(call.folder(), home=call.home, dialect=call.dialect)


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
