"""Running one of several daemons on one database.

The daemon keeps nothing on its machine but the operator's token, so it can be started, stopped and
killed anywhere, any time.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie import __version__
from reverie.core.showing.printable import printable
from reverie.daemon.http.auth import gate_for, load_token
from reverie.daemon.serve import fit_to_files, listen, run, server_for, warn_of_any_name
from reverie.daemon.shared.host import SharedHost
from reverie.local.settings import choose_dialect, load_settings
from reverie.local.store.paths import base_folder
from reverie.memory import Memory

if TYPE_CHECKING:
    from reverie.daemon.http.auth import Token
    from reverie.daemon.serve import ServeOptions
    from reverie.postgres.place import Place

_NOWHERE = "/"
"""The folder the daemon is at home in: none, for what it serves is in the database."""


def serve_shared(options: ServeOptions, *, env: Mapping[str, str] = os.environ) -> None:
    """Serve until told to stop."""
    dialect = choose_dialect(options.dialect, home=options.home, env=env)
    resolved = load_settings(
        Path(_NOWHERE),
        dialect=dialect,
        home=options.home,
        env=env,
        arguments={"engine.url": options.engine},
    )
    settings = resolved.settings
    state = base_folder(dialect, home=options.home, env=env) / dialect.state_dir

    def opener(place: Place) -> Memory:
        return Memory.open(
            _NOWHERE,
            home=options.home,
            dialect=dialect.name,
            env=env,
            settings={
                "engine.url": settings.engine.url,
                "engine.tenant": place.tenant,
                "engine.user": place.owner,
                "engine.project": place.project,
            },
        )

    with ExitStack() as stack:
        port = settings.daemon.port if options.port is None else options.port
        listener = listen(options.host or settings.daemon.host, port, (), or_any=options.or_any)
        stack.callback(listener.close)
        address, port = listener.getsockname()[:2]
        url = f"http://{f'[{address}]' if ':' in address else address}:{port}"
        token = load_token(state, dialect=dialect, env=env)
        allowed = settings.daemon.allowed_hosts
        gate = gate_for(token.value, host=address, port=port, allowed=allowed)
        warn_of_any_name(gate)
        host = SharedHost(opener, settings, dialect=dialect, gate=gate, operator=token.value)
        fit_to_files(host)
        facts: dict[str, Any] = {
            "url": url,
            "pid": os.getpid(),
            "version": __version__,
            "dialect": dialect.name,
            "engine": "postgresql",
            "socket": None,
            "tokenSource": token.source,
            "workspaces": [],
        }
        server = server_for(host, ready=partial(_say_ready, facts, token))
        asyncio.run(run(host, server, [listener]))


def _say_ready(facts: Mapping[str, Any], token: Token) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()
    lines = [f"Reverie listens on {facts['url']} for every tenant of its database."]
    if token.fresh:
        lines += ["The operator's token was made. It is shown only once:", f"  {token.value}"]
    lines += [
        f"The operator's token ({token.source}) reads /metrics; callers use tokens of their tenants:",
        "  reverie postgres token create --tenant NAME --user NAME --project NAME",
        "Stop it with Ctrl-C; other daemons go on with its work.",
    ]
    sys.stderr.write(printable("\n".join(lines)) + "\n")
    sys.stderr.flush()
