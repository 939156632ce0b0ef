"""Which version of an agent is on this machine, where our part of its settings depends on that."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reverie.local.store.paths import find_program

if TYPE_CHECKING:
    from reverie.core.agents.known import Agent

_NUMBER: Final = re.compile(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_SECONDS: Final = 10.0


def takes_tools(agent: Agent, env: Mapping[str, str]) -> bool:
    """Tell whether an agent is known to call a tool of our server for an event.

    An older one would not only pass over such a hook: it may refuse the whole file. So a program that cannot
    be found, or does not say its version, gets commands.
    """
    program = find_program(agent.program, env) if agent.tool_since else None
    if not program:
        return False
    return _version(program, Path(program).stat().st_mtime_ns) >= agent.tool_since


@cache
def _version(program: str, _changed: int) -> tuple[int, ...]:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    found = _NUMBER.search(done.stdout)
    return tuple(map(int, found.groups())) if found else ()
