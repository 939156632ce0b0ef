"""Starting the daemon at login: a systemd user unit, or a launchd agent on macOS."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from reverie.local.disk import write_atomic
from reverie.local.oserrors import explained
from reverie.local.paths import user_home

LABEL = "dev.reverie.daemon"


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
    command = [program, "-m", "reverie", *arguments]
    path = _place(env, platform)
    if platform == "darwin":
        text = launchd_plist(command, log=user_home(env) / "Library" / "Logs" / "reverie.log")
        steps: tuple[str, ...] = (f"launchctl bootstrap gui/{os.getuid()} '{path}'",)
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
    quoted = " ".join(_systemd_word(word) for word in command)
    return (
        "[Unit]\nDescription=Reverie, a memory for AI agents\n\n"
        f"[Service]\nExecStart={quoted}\nRestart=on-failure\nTimeoutStopSec=30\nUMask=0077\n"
        "NoNewPrivileges=true\n\n"
        "[Install]\nWantedBy=default.target\n"
    )


def launchd_plist(command: Sequence[str], *, log: Path) -> str:
    """Write a launchd agent."""
    words = "\n".join(f"    <string>{escape(word)}</string>" for word in command)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"'
        ' "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n<dict>\n'
        f"  <key>Label</key>\n  <string>{LABEL}</string>\n"
        f"  <key>ProgramArguments</key>\n  <array>\n{words}\n  </array>\n"
        "  <key>RunAtLoad</key>\n  <true/>\n"
        "  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n"
        f"  <key>StandardErrorPath</key>\n  <string>{escape(str(log))}</string>\n"
        "</dict>\n</plist>\n"
    )


def _systemd_word(word: str) -> str:
    safe = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{safe}"' if safe != word or not word or set(word) & set(" \t;'#") else word
