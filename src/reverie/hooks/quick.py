"""`reverie hook EVENT`: the way in, which must start at once and can never get in the agent's way.

Rules:

* Whatever happens, the exit status is 0 and the answer is one JSON object in the agent's shape. An
  error is written to the event log, where `reverie doctor` finds it, and to standard error.
* There is a time limit. When it is over, the answer that changes nothing is given.
* At a prompt: a running daemon is asked; else the stored words are; else the memory is opened. A daemon
  that hangs leaves time for the rest, and is left alone for a while. Where none is, one is started for the
  next time, after the answer.
* What was asked is what the person typed: whatever programs put around it is taken off first.
* Learning and history happen in a process of their own, so that the agent does not wait.
* Nothing heavy is imported before it is known to be needed.
"""

from __future__ import annotations

import os
import sys
from time import monotonic, time

from reverie.client import plainjson
from reverie.client import quick as daemon
from reverie.hooks import session, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

PROMPT_SECONDS = 2.0
OTHER_SECONDS = 5.0
"""The limits as they are unless settings say otherwise; here, because reading settings takes time."""
DAEMON_SECONDS = 0.6
"""A daemon answers in a hundredth of that; the rest of the time is for doing without it."""
BRIEFING_SECONDS = 2.0
"""The same at the start of a session, where there is more time and more to read."""
CONTEXT_CHARS = 10_000
PLUGIN = "REVERIE_PLUGIN"
"""Set by what a plugin runs."""
alone = False
"""Whether this process answers one hook and nothing else."""
_OTHER = 421
"""The status of a resident that would answer something else than we."""
_MAX_INPUT = 16 * 1024 * 1024
_MAX_TOLD = 500
_OPTIONS = {"--agent": "agent", "--home": "home", "--dialect": "dialect", "-C": "workspace"}


class Call:
    """One call of a hook: what was said on the command line and on standard input."""

    __slots__ = (
        "agent", "answered", "began", "briefs", "dialect", "event", "home", "needed", "of_plugin", "payload",
        "release", "said", "session", "started", "work", "workspace",
    )  # fmt: skip

    def __init__(self) -> None:
        self.event = ""
        self.agent = ""
        self.home: str | None = None
        self.dialect: str | None = None
        self.workspace = ""
        self.payload: dict[str, Any] = {}
        self.briefs = False
        """Whether a prompt is answered as a start: there is more to read, and more time."""
        self.of_plugin = False
        """Whether a plugin called, beside which there may be an installation."""
        self.started = monotonic()
        self.began = time()
        self.said = False
        """Whether the answer was given; it is given once."""
        self.needed = False
        """Whether a memory is needed, which a daemon would have open."""
        self.answered: bool | None = None
        """Whether a daemon answered; None when none was asked."""
        self.work = 0
        """The process that goes on with it; whoever stays takes note of its end."""
        self.session: session.Session | None = None
        """What the session was told, where that matters."""
        self.release: Callable[[], None] | None = None
        """Ends a second watch over the time, where there is one."""

    def folder(self) -> str:
        """Return the folder whose memory is meant."""
        return self.workspace or shapes.folder_of(self.payload) or os.getcwd()

    def state(self) -> str:
        """Return the state folder."""
        return daemon.state_of(self.home, dialect=self.dialect, env=os.environ)


def main(arguments: Sequence[str]) -> int:
    """Answer one hook; always 0."""
    call = Call()
    call.of_plugin = bool(os.environ.get(PLUGIN))
    try:
        _read_arguments(call, arguments)
        _watch(call)
        _read_input(call)
        said = _answer(call)
    except Exception as error:  # noqa: BLE001  # a hook that fails must not stop the agent
        said = None
        _give_back(call)
        report(call, error)
    _say(call, said)
    if call.needed and not call.answered:
        from reverie.client.resident import wake

        wake(call.home, dialect=call.dialect, gone=call.answered is False)
    return 0


def answered_inside(call: Call) -> dict[str, Any]:
    """Answer inside a process that goes on: nothing is printed, and no time limit ends it."""
    call.said = True
    said = None
    try:
        said = _answer(call)
    except Exception as error:  # noqa: BLE001  # as above
        _give_back(call)
        report(call, error)
    if call.release is not None:
        call.release()
    if call.session is not None:
        call.session.answered()
    return said if said is not None else shapes.neutral(call.agent, call.event)


def _read_arguments(call: Call, arguments: Sequence[str]) -> None:
    words = read_options(call, arguments)
    known = ", ".join(shapes.EVENTS)
    if len(words) != 1:
        raise _mistake(f"name one event: {known}")
    call.event = shapes.event_named(words[0])
    if not call.event:
        raise _mistake(f"there is no hook {words[0]!r}; choose one of: {known}")


def read_options(call: Call, arguments: Sequence[str]) -> list[str]:
    """Take the options out of a command line; return the other words."""
    waiting, words = list(arguments), []
    while waiting:
        word = waiting.pop(0)
        name, equals, value = word.partition("=")
        if name not in _OPTIONS:
            words.append(word)
        elif equals or waiting:
            setattr(call, _OPTIONS[name], value if equals else waiting.pop(0))
        else:
            raise _mistake(f"{name} needs a value")
    if call.agent and call.agent not in shapes.AGENTS:
        known = ", ".join(shapes.AGENTS)
        raise _mistake(f"there is no agent {call.agent!r}; choose one of: {known}")
    return words


def _mistake(words: str) -> Exception:
    from reverie.errors import InvalidArgument

    return InvalidArgument(words)


def _read_input(call: Call) -> None:
    raw = sys.stdin.buffer.read(_MAX_INPUT)
    payload, wrong = None, "JSON, but no object"
    try:
        payload = plainjson.loads(raw) if raw.strip() else {}
    except (ValueError, RecursionError) as error:
        wrong = f"no JSON: {error}"
    if not isinstance(payload, dict):
        from reverie.errors import InvalidJson

        raise InvalidJson(f"standard input is {wrong}")
    call.payload = payload
    call.agent = call.agent or shapes.agent_of(payload)


def _answer(call: Call) -> dict[str, Any] | None:
    if shapes.is_asked_by_us(call.payload, os.environ):
        return None
    if shapes.is_subagent(call.payload) or call.event == shapes.SUBAGENT:
        return None
    if call.event == shapes.PROMPT:
        return shapes.answer(call.agent, call.event, _at_prompt(call), call.payload)
    if call.event == shapes.START:
        return shapes.answer(call.agent, call.event, _at_start(call), call.payload)
    if call.event == shapes.COMPACT and call.agent in shapes.COMPACT_IN_VAIN:
        return None  # every stop keeps the history
    if call.event == shapes.COMPACT and call.agent not in shapes.START_ANEW:
        session.of(call).note([], "", anew=True)  # the conversation is about to lose what was shown
    from reverie.hooks.background import detach

    call.needed = True
    detach(call)
    return None


def _at_start(call: Call) -> str:
    if call.agent in shapes.BRIEFED_AT_A_PROMPT:
        return ""
    source = call.payload.get("source")
    if source == "resume" and call.agent in shapes.KEEP_THE_START:
        return ""  # the conversation that goes on has it already
    if not _is_ours(call, str(source)):
        return ""
    return _briefing(call)


def _briefing(call: Call) -> str:
    body: dict[str, object] = {"agent": call.agent}
    seconds = DAEMON_SECONDS if call.event == shapes.PROMPT else BRIEFING_SECONDS
    told = _asked(call, "/workspace/hooks/briefing", body, seconds=seconds)
    if told is None:
        from reverie.hooks.work import briefing

        return briefing(call)
    if call.session is not None and told.get("told"):
        call.session.note(map(str, _listed(told.get("shown"))), "", anew=True)
    return str(told.get("text") or "")


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _is_ours(call: Call, words: str) -> session.Session | None:
    """Return the session if this process answers; a second hook of one event leaves it to the first."""
    call.session = session.of(call)
    key = session.key_of(call.event, words)
    call.needed = True
    return call.session if call.session.claim(key, since=call.began) else None


def _at_prompt(call: Call) -> str:
    from reverie.core.showing.injected import without_injected
    from reverie.core.topics.smalltalk import is_trivial, without_private

    query = without_private(without_injected(shapes.prompt_of(call.payload)))
    told = call.agent in shapes.BRIEFED_AT_A_PROMPT and bool(shapes.session_of(call.payload))
    asked = not is_trivial(query)
    if not told and not asked:
        return ""
    mine = _is_ours(call, query)
    if mine is None:
        return ""
    first = ""
    if told and mine.claim("briefed"):
        call.briefs = True
        if not call.said:
            set_timer(max(call.started + OTHER_SECONDS - monotonic(), 0.01))
        first = _briefing(call)
    if not asked:
        return first
    block, prompt = _recalled(call, query), session.id_of(call.payload)
    if prompt:
        block = mine.show(block, prompt)
    return first + _fitted(block, max(CONTEXT_CHARS - len(first), 0)) if first else block


def _recalled(call: Call, query: str) -> str:
    folder = call.folder()
    told = _asked(call, "/workspace/hooks/prompt", {"query": query}, seconds=DAEMON_SECONDS)
    if told is not None:
        room = told.get("room")
        return _fitted(
            str(told.get("block") or ""), room if isinstance(room, int) else CONTEXT_CHARS
        )
    if alone:
        from reverie.local.disk import patterns

        patterns.keep("hook")
    from reverie.local.recall.quick import quick_recall

    found = quick_recall(
        query, state=call.state(), project=daemon.project_of(folder), started=call.started
    )
    if found is not None:
        if found.index is not None:
            from reverie.hooks.background import keep_words

            keep_words(call)
        return _fitted(found.block, found.room)
    from reverie.hooks.work import recalled

    return recalled(call, query)


def _asked(
    call: Call, path: str, body: dict[str, object], *, seconds: float
) -> dict[str, object] | None:
    """Ask a running daemon; None means that it has to be done here."""
    place = daemon.socket_of(call.home, dialect=call.dialect, env=os.environ)
    if place is None:
        return None
    state, before = call.state(), monotonic()
    if session.daemon_hangs(state):
        return None
    try:
        status, told = daemon.exchange(
            place, daemon.project_of(call.folder()), path, body, timeout=seconds
        )
    except OSError:
        call.answered = False
        if monotonic() - before >= seconds:
            session.daemon_hangs(state, now=True)
        return None
    # Whoever is of another version makes room for us if it is older; all others know why they refuse.
    call.answered = status != _OTHER
    return told if status < 400 and isinstance(told, dict) else None


def _fitted(block: str, room: int) -> str:
    if len(block) <= room:
        return block
    from reverie.hooks.fitting import fitted

    return fitted(block, room)


def _watch(call: Call) -> None:
    """Give up when the time is over, whatever the process is doing."""
    import _signal as signal  # type: ignore[import-not-found]  # the rest is enumerations

    limit = PROMPT_SECONDS if call.event == shapes.PROMPT else OTHER_SECONDS
    signal.signal(signal.SIGALRM, lambda *_: give_up(call, monotonic() - call.started))
    set_timer(limit)


def set_timer(seconds: float) -> None:
    """Be told when so many seconds are over; 0 means never."""
    import _signal as signal

    signal.setitimer(signal.ITIMER_REAL, seconds)


def give_up(call: Call, seconds: float) -> None:
    """End the process with the answer that changes nothing, unless another was given already."""
    if call.said:
        return
    _give_back(call)
    report(call, TimeoutError(f"not done within {seconds:.1f} s"))
    _say(call, None)
    if call.event == shapes.PROMPT:
        from reverie.hooks.background import keep_words

        keep_words(call)  # most likely the words were never stored: do it where nobody waits
    os._exit(0)


def _give_back(call: Call) -> None:
    """Let another process answer, or the next prompt: this one did not."""
    if call.session is not None:
        call.session.release()


def report(call: Call, error: BaseException) -> None:
    """Write down what went wrong; that this fails too must not matter."""
    try:
        what, code = _told(error)
        if not isinstance(error, TimeoutError):
            from reverie.core.secrets.scanner import redact  # an error may quote what it was given

            what = redact(what)[0]
        name = f"reverie hook {call.event}".rstrip()
        shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in what)
        os.write(2, f"{name}: {shown} [{code}]\n".encode("utf-8", "backslashreplace"))
        from datetime import UTC, datetime

        from reverie.local.disk.appending import append_record

        record = {
            "at": datetime.now(UTC).isoformat(),
            "name": "hook.failed",
            "event": call.event,
            "agent": call.agent,
            "error": what,
            "code": code,
            "where": _where(error),
        }
        state = call.state()
        os.makedirs(state, mode=0o700, exist_ok=True)
        append_record(os.path.join(state, "events.jsonl"), plainjson.dumps(record))
    except (OSError, ValueError):
        return
    except (ImportError, AttributeError):
        if not isinstance(error, TimeoutError):
            raise
        # The time was over in the middle of an import: what is half there cannot be used to log it.


def _told(error: BaseException) -> tuple[str, str]:
    """Say what went wrong in words for a person, with a code; the event log says where, too."""
    if isinstance(error, TimeoutError):
        return str(error)[:_MAX_TOLD], "hook_timeout"
    from reverie.errors import FileFailed, ReverieError

    if isinstance(error, ReverieError):
        return str(error)[:_MAX_TOLD], error.code
    if isinstance(error, OSError):
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return what[:_MAX_TOLD], FileFailed.code
    what = f"an error of Reverie's own: {error}"[:_MAX_TOLD]
    return f"{what}; `reverie log --events` says where", "hook_error"


def _where(error: BaseException) -> str:
    """Name the class of an error and the line that raised it, for whoever mends it."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None:
        return type(error).__name__
    return f"{type(error).__name__} at {step.tb_frame.f_code.co_filename}:{step.tb_lineno}"


def _say(call: Call, said: dict[str, Any] | None) -> None:
    """Print the answer, once and whole; the reader may be gone."""
    if call.said:
        return
    call.said = True
    set_timer(0)
    if call.release is not None:
        call.release()
    text = plainjson.dumps(said if said is not None else shapes.neutral(call.agent, call.event))
    data = text.encode() + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        return
    if call.session is not None:
        call.session.answered()
