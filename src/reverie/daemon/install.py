"""Starting the daemon at login: a systemd user unit, or a launchd agent on macOS.

Rules
- A word of the command stays one word, whatever it holds: no specifier, variable, quote or line break
  in a folder's name becomes more of the description. What a description cannot carry is refused.
- The program is called with -P, so that no folder it is started in can stand in for a module of it.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reverie.errors import InvalidInput
from reverie.local.disk.files import write_atomic
from reverie.local.disk.os_errors import explained
from reverie.local.store.paths import user_home

LABEL = "dev.reverie.daemon"
_PLAIN = re.compile(r"[\w/.,:=@+-]+", re.ASCII)
# Control characters, line ends of Unicode, what no XML has, and bytes that could not be decoded.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Installed:
    """Where the description of the service is, and what to do next."""

    path: str
    next_steps: tuple[str, ...]
    removed: bool = False
    """It was there and was taken away, or would be."""
    text: str = ""
    """The description that was written, or would be."""
    dry_run: bool = False


def install(
    arguments: Sequence[str],
    *,
    env: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    program: str = sys.executable,
    dry_run: bool = False,
) -> Installed:
    """Write the service's description; `arguments` are those of the `reverie` command."""
    command = [program, "-P", "-m", "reverie", *arguments]
    path = _place(env, platform)
    if platform == "darwin":
        text = launchd_plist(command, log=user_home(env) / "Library" / "Logs" / "reverie.log")
        steps: tuple[str, ...] = (
            f"launchctl bootstrap gui/{os.getuid()} {shlex.quote(str(path))}",
        )
    else:
        text = systemd_unit(command)
        steps = ("systemctl --user daemon-reload", "systemctl --user enable --now reverie")
    if not dry_run:
        write_atomic(path, text.encode(), private=False)
    return Installed(str(path), steps, text=text, dry_run=dry_run)


def uninstall(
    *,
    env: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    dry_run: bool = False,
) -> Installed:
    """Take the service's description away; it being gone already is fine."""
    path = _place(env, platform)
    there = path.exists()
    if not dry_run:
        with explained(path):
            path.unlink(missing_ok=True)
            # What `enable` made; left behind, it would be a link that points nowhere.
            if platform != "darwin":
                (path.parent / "default.target.wants" / path.name).unlink(missing_ok=True)
    if platform == "darwin":
        steps: tuple[str, ...] = (f"launchctl bootout gui/{os.getuid()}/{LABEL}",)
    else:
        steps = ("systemctl --user stop reverie", "systemctl --user daemon-reload")
    return Installed(str(path), steps if there else (), removed=there, dry_run=dry_run)


def _place(env: Mapping[str, str], platform: str) -> Path:
    home = user_home(env)
    if platform == "darwin":
        return home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    base = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    return base / "systemd" / "user" / "reverie.service"


def systemd_unit(command: Sequence[str]) -> str:
    """Write a systemd user unit."""
    _check(command)
    program, *arguments = command
    # systemd puts no variables into the program's own path, so a dollar sign stays alone there.
    words = [
        _systemd_word(program),
        *(_systemd_word(word.replace("$", "$$")) for word in arguments),
    ]
    return (
        "[Unit]\nDescription=Reverie, a memory for AI agents\n\n"
        f"[Service]\nExecStart={' '.join(words)}\nRestart=on-failure\nTimeoutStopSec=30\nUMask=0077\n"
        "NoNewPrivileges=true\n\n"
        "[Install]\nWantedBy=default.target\n"
    )


def launchd_plist(command: Sequence[str], *, log: Path) -> str:
    """Write a launchd agent."""
    import plistlib

    _check([*command, str(log)])
    facts = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "StandardErrorPath": str(log),
    }
    return plistlib.dumps(facts, sort_keys=False).decode()


def _check(words: Sequence[str]) -> None:
    for word in words:
        if _UNWRITABLE.search(word):
            raise InvalidInput(
                f"{word!r} holds a line break, a control character or a byte that is not text, which the"
                " description of a service cannot carry. Rename the folder, or start the daemon yourself."
            )


def _systemd_word(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    safe = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{safe}"'
