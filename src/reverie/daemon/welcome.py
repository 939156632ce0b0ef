"""What the daemon says when it is ready: one line for programs, a few for people.

Rules
- Standard output carries the JSON line and nothing else.
- The token is shown once, when it was made. Later its place is told, never its value: logs are kept.
- The page takes the token from the part of a link after `#`, which no browser sends to a server, and
  removes it from the address at once.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reverie.core.showing.printable import printable
from reverie.daemon.http.auth import NOWHERE, Token


def say_ready(facts: Mapping[str, Any], text: str) -> None:
    """Tell programs, and in words people, that the daemon answers."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()
    sys.stderr.write(printable(text))
    sys.stderr.flush()


def welcome(facts: Mapping[str, Any], token: Token) -> str:
    """Say where the page is and what to do next."""
    url, folder = facts["url"], facts["workspaces"][0]["cwd"]
    lines = [f"Reverie listens on {url} for {folder}."]
    if token.fresh:
        lines += [
            f"A new token was made. It is shown only once, and kept {_kept(token)}:",
            f"  {token.value}",
            "Open the page:",
            f"  {url}/#token={token.value}",
        ]
    else:
        lines += [
            f"Its page: {url}/",
            f"The page asks for the token, which comes from {token.source}. For a link that includes it:",
            f'  echo "{url}/#token={_secret(token)}"',
        ]
    program = _program()
    lines += [
        "Try, in another terminal:",
        f'  {program} remember "We deploy only on Tuesdays"',
        f'  {program} recall "when may I deploy?"',
        f"  {_curl(facts, token)}",
        "Stop it with Ctrl-C; what was accepted is kept.",
    ]
    return "\n".join(lines) + "\n"


def _kept(token: Token) -> str:
    return NOWHERE if token.source == NOWHERE else f"in {token.source}"


def _program() -> str:
    """Name this program as it can be called here: after `make run` it is on nobody's PATH."""
    own = Path(sys.executable).with_name("reverie")
    return "reverie" if shutil.which("reverie") or not own.exists() else shlex.quote(str(own))


def _curl(facts: Mapping[str, Any], token: Token) -> str:
    if facts["socket"]:  # needs no token, which would show in the list of processes
        return f"curl --unix-socket '{facts['socket']}' http://localhost/capabilities"
    return f'curl -H "Authorization: Bearer {_secret(token)}" {facts["url"]}/capabilities'


def _secret(token: Token) -> str:
    """Write the token for a shell without its value."""
    if token.source == NOWHERE:
        return "$TOKEN"
    variable = token.source.removeprefix("environment ")
    return f"${variable}" if variable != token.source else f"$(cat '{token.source}')"
