"""Work that goes on after the hook has answered, in a process that outlives it.

Rules:

* The process has a session of its own and none of the agent's pipes, so the agent neither waits for
  it nor takes it down.
* What it is to do comes on its standard input, not on a command line that others can read.
* An agent waits for the hook that starts it, so it is started by the system's own means: `subprocess` takes
  as long to import as Python to start.
"""

from __future__ import annotations

import os
import sys

from reverie.client import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.hooks.quick import Call

# What the work needs to know; the words of the conversation are in the transcript.
_KEEP = ("session_id", "conversation_id", "sessionId", "transcript_path", "cwd", "workspace_roots",
         "hook_event_name")  # fmt: skip
_PIPE_BYTES = 32_768
"""What a pipe takes on every system before anybody reads."""


def detach(call: Call) -> None:
    """Start the work of a stop, a compaction or an end."""
    payload = {key: call.payload[key] for key in _KEEP if key in call.payload}
    _start(call, call.event, payload)


def keep_words(call: Call) -> None:
    """Store the words of topics that changed, for the next prompt; a failure must not stop an answer."""
    try:
        _start(call, "words", {"cwd": call.folder()})
    except OSError:
        return  # they are only a copy: the next prompt reads the files


def _start(call: Call, task: str, payload: dict[str, object]) -> None:
    # -P: no folder that the process is started in stands in for a module.
    command = [sys.executable, "-P", "-m", "reverie.hooks.work", task]
    given = {"--agent": call.agent, "--home": call.home, "--dialect": call.dialect}
    given["-C"] = call.workspace
    command += [word for name, value in given.items() if value for word in (name, value)]
    data = plainjson.dumps(payload).encode()
    if len(data) > _PIPE_BYTES:
        raise OSError(f"the hook was given {len(data):,} bytes of names and paths")
    reading, writing = os.pipe()
    try:
        os.write(writing, data)
        call.work = _spawned(command, reading)
    finally:
        os.close(reading)
        os.close(writing)


def _spawned(command: list[str], reading: int) -> int:
    files = [
        (os.POSIX_SPAWN_DUP2, reading, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    program = command[0]
    try:
        return os.posix_spawn(program, command, os.environ, file_actions=files, setsid=True)
    except NotImplementedError:  # the process makes a session of its own as soon as it runs
        return os.posix_spawn(program, command, os.environ, file_actions=files)
