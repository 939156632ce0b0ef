"""Find Chromium for the tests of the page, or install Debian's; print where it is.

`make test` calls this first. Nothing is downloaded but the distribution's own package, and only where
this user may install packages (root, or sudo without a password).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HELP = (
    "The page is tested in Chromium, and there is none here. Install it"
    " (Debian, Ubuntu: apt-get install chromium; Fedora: dnf install chromium; macOS: brew install"
    " --cask chromium), or name one in REVERIE_CHROMIUM."
)


def find() -> str | None:
    """Return the path of a browser, or None."""
    named = os.environ.get("REVERIE_CHROMIUM", "")
    if named:
        return named if os.access(named, os.X_OK) else None
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def install() -> str | None:
    """Install Debian's package where that is possible without asking anybody."""
    if shutil.which("apt-get") is None:
        return None
    leader = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if leader and shutil.which("sudo") is None:
        return None
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = [*leader, "apt-get", "install", "-y", "--no-install-recommends", "chromium"]
    for attempt in (command, [*leader, "apt-get", "update"], command):
        done = subprocess.run(attempt, env=env, stdout=sys.stderr, check=False)
        if attempt is command and done.returncode == 0:
            return find()
    return None


def main() -> None:
    """Print the browser's path, or say what to install."""
    found = find() or install()
    if found is None:
        raise SystemExit(HELP)
    print(found)


if __name__ == "__main__":
    main()
