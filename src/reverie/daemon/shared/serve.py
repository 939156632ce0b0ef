"""Running one of several daemons on one database.

The daemon keeps nothing on its machine but the operator's token, so it can be started, stopped and
killed anywhere, any time.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.daemon.http.auth import load_token
from reverie.daemon.serve import facts_of, fit_to_files, gate_of, listen, run, server_for, url_of
from reverie.daemon.shared.host import SharedHost
from reverie.daemon.shared.readiness import load_verbs
from reverie.daemon.welcome import say_ready
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

    opening = partial(
        _opening, settings.engine.url, home=options.home, dialect=dialect.name, env=dict(env)
    )
    with ExitStack() as stack:
        port = settings.daemon.port if options.port is None else options.port
        listener = listen(options.host or settings.daemon.host, port, (), or_any=options.or_any)
        stack.callback(listener.close)
        token = load_token(state, dialect=dialect, env=env)
        gate = gate_of(listener, token, settings.daemon)
        host = SharedHost(opening, settings, dialect=dialect, gate=gate, operator=token.value)
        fit_to_files(host)
        load_verbs()
        facts = facts_of(
            url_of(listener), token, dialect, engine="postgresql", socket=None, workspaces=[]
        )
        server = server_for(host, ready=partial(say_ready, facts, _welcome(facts, token)))
        asyncio.run(run(host, server, [listener]))


def _opening(
    url: str, place: Place, *, home: str | None, dialect: str, env: Mapping[str, str]
) -> Callable[[], Memory]:
    """Return what opens the memory of a place; of plain values, so that readers can open it, too."""
    return partial(
        Memory.open,
        _NOWHERE,
        home=home,
        dialect=dialect,
        env=env,
        settings={
            "engine.url": url,
            "engine.tenant": place.tenant,
            "engine.user": place.owner,
            "engine.project": place.project,
        },
    )


def _welcome(facts: Mapping[str, Any], token: Token) -> str:
    lines = [f"Reverie listens on {facts['url']} for every tenant of its database."]
    if token.fresh:
        lines += ["The operator's token was made. It is shown only once:", f"  {token.value}"]
    lines += [
        f"The operator's token ({token.source}) reads /metrics; callers use tokens of their tenants:",
        "  reverie postgres token create --tenant NAME --user NAME --project NAME",
        "Stop it with Ctrl-C; other daemons go on with its work.",
    ]
    return "\n".join(lines) + "\n"
