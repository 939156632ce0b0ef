"""Work that goes on after the hook has answered, in a process that outlives it.

Rules:

* The process has a session of its own and none of the agent's pipes, so the agent neither waits for
  it nor takes it down.
* What it is to do comes on its standard input, not on a command line that others can read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.hooks.quick import Call

# What the work needs to know; the words of the conversation are in the transcript.
_KEEP = ("session_id", "conversation_id", "sessionId", "transcript_path", "cwd", "workspace_roots",
         "hook_event_name")  # fmt: skip


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
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=os.path.abspath(os.sep),  # the project's folder may be removed meanwhile
    )
    pipe = process.stdin
    if pipe is not None:
        pipe.write(json.dumps(payload).encode())
        pipe.close()
    process.returncode = 0  # it is on its own: nobody waits for it, and that is no mistake
