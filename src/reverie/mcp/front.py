"""The server on standard input and output: it answers at once, and brings in the rest when it is needed.

Rules
- An agent starts this for every session and waits for its list of tools. So greetings and lists are
  answered from a file made beforehand, without the SDK (a second of processor time) and without opening
  the memory. Calls are handed to a daemon of the same home, if one runs; else the first one opens it here.
- Calls are carried out in threads; one that is cancelled, or whose client is gone, writes nothing unless
  the write had begun.
- Whatever this does not know (subscriptions, older revisions of the protocol, messages that are not
  well formed) is left to the SDK's server, which takes the conversation over where it stands.
- Standard output carries the protocol and nothing else: what a library prints goes to standard error.
"""

from __future__ import annotations

import os
import threading
from functools import partial

from reverie.client import plainjson
from reverie.mcp import wire
from reverie.mcp.listing import Follower, listed
from reverie.mcp.wire import Wire, capabilities, error_of, key_of, lists_of, progress_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from reverie.client.handing import Daemon
    from reverie.mcp.caller import Caller
    from reverie.mcp.runner import LateRunner
    from reverie.mcp.tool import Tool
    from reverie.mcp.wire import JSON, Beat
    from reverie.memory import Memory

HANDSHAKES = ("2025-06-18", "2025-11-25")
"""Revisions with a greeting that are spoken here; older ones know less of what our lists hold."""
MODERN = "2026-07-28"
_WORKERS = 32
_BEAT_SECONDS = 1.0
_GRACE_SECONDS = 30.0
_FOLLOWING = "reverie-follows"


class Front:
    """One conversation with a client."""

    def __init__(
        self,
        line: Wire,
        runner: LateRunner,
        *,
        surface: str,
        prepare: Callable[[], None],
        daemon: Daemon | None = None,
    ) -> None:
        self._wire = line
        self._runner = runner
        self._surface = surface
        self._prepare = prepare
        self._daemon = daemon
        self._era = ""
        self._client = ""
        self._opening: list[bytes] = []
        """What the client said to begin with, for whoever takes over."""
        self._greeted: object = None
        self._calls: dict[object, threading.Event] = {}
        self._free = threading.Semaphore(_WORKERS)
        self._idle = threading.Condition()
        self._follower: Follower | None = None
        self._streams: dict[object, tuple[Any, bytes]] = {}
        """Requests to listen that are open, by their key: their id and the line they came in."""
        self._mark = ""
        """What stands for the list of resources as the client has it; empty: it has none."""

    def serve(self) -> None:
        """Serve until the client hangs up and what it asked before is answered."""
        for line in self._wire.lines():
            if line.strip() and not self._taken(line):
                self._hand_over(line)
                break
        with self._idle:
            self._idle.wait_for(lambda: not self._calls, timeout=_GRACE_SECONDS)
        if self._follower is not None:
            self._follower.stop()

    # --- what came --------------------------------------------------------------------------------

    def _taken(self, line: bytes) -> bool:
        """Deal with a message; False means that it is not for us."""
        try:
            message = plainjson.loads(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        method, params = message.get("method"), message.get("params", {})
        if not isinstance(method, str) or not isinstance(params, dict):
            return False
        if "id" not in message:
            return self._heard(method, params, line)
        name = message["id"]
        if not isinstance(name, str | int) or isinstance(name, bool) or key_of(name) in self._calls:
            return False
        if method == "initialize":
            return self._greet(name, params, line)
        if not self._is_of_this_era(params):
            return False
        if method == "subscriptions/listen":
            return self._listen(name, params, line)
        return self._asked(name, method, params)

    def _heard(self, method: str, params: JSON, line: bytes) -> bool:
        if method == "notifications/initialized" and self._era == "handshake":
            self._opening.append(line)
        elif method == "notifications/cancelled":
            key = key_of(params.get("requestId"))
            self._streams.pop(key, None)
            if key in self._calls:
                self._calls[key].set()
        return bool(self._era)

    def _greet(self, name: object, params: JSON, line: bytes) -> bool:
        version, client = params.get("protocolVersion"), params.get("clientInfo")
        if self._era or version not in HANDSHAKES or not self._is_client(client):
            return False
        if not isinstance(params.get("capabilities"), dict):
            return False
        self._era, self._greeted, self._opening = "handshake", name, [line]
        said = {"protocolVersion": version, "capabilities": capabilities(announced=False)}
        told = lists_of(self._surface)["instructions"]
        self._answer(name, {**said, "serverInfo": wire.SERVER, "instructions": told})
        return True

    def _is_of_this_era(self, params: JSON) -> bool:
        """Tell whether a request belongs to the conversation as it began."""
        meta = params.get("_meta", {})
        if not isinstance(meta, dict):
            return False
        if f"{wire.ENVELOPE}protocolVersion" not in meta:
            return self._era == "handshake"
        if self._era == "handshake" or meta[f"{wire.ENVELOPE}protocolVersion"] != MODERN:
            return False
        if not isinstance(meta.get(f"{wire.ENVELOPE}clientCapabilities"), dict):
            return False
        if not self._is_client(meta.get(f"{wire.ENVELOPE}clientInfo")):
            return False
        self._era = "modern"
        return True

    def _is_client(self, said: object) -> bool:
        if not isinstance(said, dict):
            return False
        name, version = said.get("name"), said.get("version")
        if not isinstance(name, str) or not isinstance(version, str):
            return False
        self._client = f"{name}\n{version}"
        return True

    def _listen(self, name: object, params: JSON, line: bytes) -> bool:
        """Open a stream of news; single resources are followed by the SDK."""
        wanted = params.get("notifications")
        if self._era != "modern" or not isinstance(wanted, dict) or not wanted.keys() <= wire.NEWS:
            return False
        if not all(isinstance(value, bool) for value in wanted.values()):
            return False
        honoured = {key: True for key, value in wanted.items() if value}
        self._streams[key_of(name)] = name, line
        told = {"notifications": honoured, "_meta": {wire.SUBSCRIPTION: name}}
        self._say({"method": wire.ACKNOWLEDGED, "params": told})
        if self._mark:
            self._follow()
        return True

    def _asked(self, name: object, method: str, params: JSON) -> bool:
        """Answer a request, at once or in a thread."""
        plain = not params.keys() - {"_meta"}
        if method == "ping" and self._era == "handshake" and plain:
            self._answer(name, {})
            return True
        if method == "server/discover" and self._era == "modern" and plain:
            found = {
                "supportedVersions": [MODERN],
                "capabilities": capabilities(announced=True),
                "instructions": lists_of(self._surface)["instructions"],
            }
            self._answer(name, {**found, **wire.FRESH})
            return True
        if method in wire.METHOD_LISTS and plain:
            key = wire.METHOD_LISTS[method]
            self._answer(name, {key: lists_of(self._surface)[key], **self._fresh()})
            if self._daemon is not None:
                self._daemon.wake_once()  # for the first call, after what the client waits for
            return True
        work = self._work(method, params)
        if work is None:
            return False
        cancelled = self._calls[key_of(name)] = threading.Event()
        beat = progress_of(method, params)
        tool = params["name"] if method == "tools/call" else ""
        handed = partial(self._handed, tool, params.get("arguments") or {}) if tool else None
        given = (name, work, cancelled, beat, handed)
        threading.Thread(target=self._run, args=given, daemon=True).start()
        return True

    def _work(self, method: str, params: JSON) -> Callable[[Callable[[], bool]], JSON] | None:
        """Return what carries out a request, given how to tell that it was cancelled."""
        given = {key: value for key, value in params.items() if key != "_meta"}
        texts = {key for key, value in given.items() if isinstance(value, str)}
        named = "name" in texts and given.keys() <= {"name", "arguments"}
        filled = given.get("arguments") or {}
        if method == "tools/call" and named and isinstance(filled, dict):
            return partial(self._call, given["name"], filled)
        if method == "resources/list" and given.keys() == texts <= {"cursor"}:
            return partial(self._list_resources, given.get("cursor"))
        if method == "resources/read" and given.keys() == texts == {"uri"}:
            return self._reading(method, given, "resource_text", given["uri"])
        plain = isinstance(filled, dict) and all(isinstance(item, str) for item in filled.values())
        if method == "prompts/get" and named and plain:
            return self._reading(method, given, "prompt_text", given["name"], filled)
        return None

    # --- what is done -----------------------------------------------------------------------------

    def _run(
        self,
        name: object,
        work: Callable[[Callable[[], bool]], JSON],
        cancelled: threading.Event,
        beat: Beat | None,
        handed: Callable[[Callable[[], bool]], JSON | None] | None,
    ) -> None:
        """Carry out a request and answer it, in a thread."""
        from contextlib import nullcontext

        done = threading.Event()
        try:
            elsewhere = self._daemon.progress if self._daemon else None
            with self._free, beat.hearing(elsewhere) if beat else nullcontext():
                if beat is not None:
                    threading.Thread(target=self._beat, args=(beat, done), daemon=True).start()
                found = handed(cancelled.is_set) if handed is not None else None
                said = self._done(work, cancelled) if found is None else {"result": found}
        finally:
            done.set()
        try:
            if not cancelled.is_set():
                self._say({"id": name, **said})
        except OSError:
            cancelled.set()  # the client is gone
        finally:
            with self._idle:
                self._calls.pop(key_of(name), None)
                self._idle.notify_all()

    def _done(self, work: Callable[[Callable[[], bool]], JSON], cancelled: threading.Event) -> JSON:
        """Carry out a request here."""
        try:
            return {"result": self._stamped(work(cancelled.is_set))}
        except Exception as error:  # noqa: BLE001  # the client gets an answer whatever happens
            from reverie.mcp import answers

            return error_of(*answers.gone_wrong(error))

    def _handed(self, name: str, arguments: object, cancelled: Callable[[], bool]) -> JSON | None:
        """Let a daemon carry out a tool call; None when it has to be done here."""
        tools = {item["name"]: item["annotations"] for item in lists_of(self._surface)["tools"]}
        if self._daemon is None or name not in tools:
            return None
        asked = {"surface": self._surface, "name": name, "arguments": arguments}
        asked |= {"client": self._client, "session": self._runner.session}
        writes = not tools[name]["readOnlyHint"]
        found = self._daemon.call(asked, writes=writes, cancelled=cancelled)
        return None if found is None else self._stamped(self._told(*found))

    def _told(self, answer: JSON, run: str) -> JSON:
        """Look at once whether a list changed, where a call changed memory."""
        if run and self._follower is not None:
            self._follower.hurry()
        return answer

    def _call(self, name: str, arguments: object, cancelled: Callable[[], bool]) -> JSON:
        from reverie.errors import ReverieError
        from reverie.mcp import answers
        from reverie.mcp.more import SURFACES

        tools: dict[str, Tool] = {tool.name: tool for tool in SURFACES[self._surface]}
        tool = tools.get(name)
        if tool is None:
            return answers.no_tool(name, tools)
        try:
            work = partial(
                answers.carried_out, tool, answers.given(tool, arguments), self._caller(cancelled)
            )
            return self._told(*self._runner.lend(work))
        except ReverieError as error:
            return answers.failed(error)
        except Exception:  # noqa: BLE001  # as above, and as a tool's answer
            return answers.broken(name)

    def _caller(self, cancelled: Callable[[], bool]) -> Caller:
        from reverie.mcp.caller import Caller, client_name

        client = client_name(*self._client.split("\n", 1))
        return Caller(client=client, session=self._runner.session, cancelled=cancelled)

    def _reading(
        self, method: str, given: JSON, what: str, *words: Any
    ) -> Callable[[Callable[[], bool]], JSON]:
        def read(_: Callable[[], bool]) -> JSON:
            fresh = self._fresh() if what == "resource_text" else {}
            if self._daemon is not None and not self._runner.is_open:
                told = self._daemon.read(method, given)
                if told is not None:
                    return {**told["answer"], **fresh}
            from reverie.mcp import answers

            make = getattr(answers, what)
            return {**self._runner.lend(lambda memory: make(memory, *words)), **fresh}

        return read

    def _list_resources(self, cursor: str | None, _: Callable[[], bool]) -> JSON:
        found, self._mark = listed(self._runner, self._daemon, cursor)
        if self._era == "handshake" or self._streams:
            self._follow()
        return {**found, **self._fresh()}

    def _follow(self) -> None:
        """Look out for changes of a list that the client has."""
        with self._idle:
            if self._follower is None:
                self._follower = Follower(self._runner, self._mark, self._tell_of_the_list)

    def _tell_of_the_list(self) -> None:
        method = "notifications/resources/list_changed"
        if self._era == "handshake":
            self._say({"method": method})
        for name, line in list(self._streams.values()):
            if plainjson.loads(line)["params"]["notifications"].get("resourcesListChanged"):
                self._say({"method": method, "params": {"_meta": {wire.SUBSCRIPTION: name}}})

    def _beat(self, made: Beat, done: threading.Event) -> None:
        """Report progress until done."""
        beats = 0
        while not done.is_set():
            try:
                self._say(made(beats))
            except OSError:
                return
            done.wait(_BEAT_SECONDS)
            beats += 1

    # --- what is said -----------------------------------------------------------------------------

    def _fresh(self) -> JSON:
        return wire.FRESH if self._era == "modern" else {}

    def _stamped(self, result: JSON) -> JSON:
        """Say what the newest revision wants said with every result."""
        if self._era != "modern":
            return result
        meta = {**result.get("_meta", {}), f"{wire.ENVELOPE}serverInfo": wire.SERVER}
        return {**result, "resultType": "complete", "_meta": meta}

    def _answer(self, name: object, result: JSON) -> None:
        self._say({"id": name, "result": self._stamped(result)})

    def _say(self, message: JSON) -> None:
        self._wire.say(plainjson.dumps({"jsonrpc": "2.0", **message}).encode())

    def _hand_over(self, line: bytes) -> None:
        """Let the SDK go on, after telling it how the conversation began."""
        self._prepare()
        from reverie.mcp.stdio import Conversation, take_over

        silent = [self._greeted] if self._opening else []
        before = list(self._opening)
        before += [said for _, said in self._streams.values()]
        heard = [name for name, _ in self._streams.values()]
        if self._follower is not None:
            self._follower.stop()
        if self._follower is not None and self._era == "handshake":
            asked = {"jsonrpc": "2.0", "id": _FOLLOWING, "method": "resources/list"}
            before.append(plainjson.dumps(asked).encode())
            silent.append(_FOLLOWING)
        talk = Conversation(self._wire, [*before, line], silent, heard, self._heard_aside)
        take_over(talk, self._runner, surface=self._surface)

    def _heard_aside(self, line: bytes) -> bool:
        """Take what is about a call that still runs here."""
        if b"cancelled" not in line or not self._calls:
            return False
        try:
            message = plainjson.loads(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(message, dict) or message.get("method") != "notifications/cancelled":
            return False
        params = message.get("params")
        call = (
            self._calls.get(key_of(params.get("requestId"))) if isinstance(params, dict) else None
        )
        if call is not None:
            call.set()
        return call is not None


def serve(
    opened: Callable[[], Memory],
    line: Wire,
    *,
    surface: str,
    prepare: Callable[[], None],
    daemon: Daemon | None = None,
) -> None:
    """Serve on standard input and output.

    Args:
        opened: Opens the memory, when it is first needed.
        line: The pipes to the client.
        surface: Which tools are offered.
        prepare: Makes the log ready, before a library is brought in that writes to it.
        daemon: Who may carry out calls instead, for a memory of this machine.
    """
    import _signal as signal  # type: ignore[import-not-found]  # the rest is enumerations

    from reverie.mcp.runner import LateRunner

    def ready() -> Memory:
        prepare()
        return opened()

    runner = LateRunner(ready)

    def leave(number: int, _: object) -> None:
        # The thread that reads standard input cannot be woken, so nothing else ends the process.
        runner.settle(5.0)
        os._exit(128 + number)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, leave)
    try:
        Front(line, runner, surface=surface, prepare=prepare, daemon=daemon).serve()
    except OSError:
        pass  # the client is gone
    finally:
        runner.settle()
