"""The `reverie` command. Starts before anything heavy is imported.

`python -m reverie` puts the current folder before everything that is installed, and so does an empty
entry of PYTHONPATH; that folder may be a stranger's repository. So it is taken out again before
anything else is imported. With `python -m` a folder `reverie` there is already loaded by then: use the
command `reverie`, or `python -P -m reverie`.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from reverie.memory import Memory


def main() -> None:
    """Run the command line; a version and a hook are answered without importing it."""
    _leave_the_current_folder_out()
    # A question to a sentence model is a small product of matrices. With a thread for each core most of its
    # time goes into threads that wait for each other by turning in a loop: 160 ms instead of 6 beside other
    # load, and 100 instead of 39 for a passage that is indexed.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.argv[1:] in (["--version"], ["-V"]):
        from reverie import __version__

        sys.stdout.write(f"reverie {__version__}\n")
        return
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        from reverie.hooks import quick

        quick.alone = True
        status = quick.main(sys.argv[2:])
        _store_patterns()
        # All is said and written; taking the interpreter apart would only keep the agent waiting.
        os._exit(status)
    sys.excepthook = _show
    # A command makes much and ends: looking for what is left over cost a tenth of its time.
    gc.set_threshold(50_000, 50, 100)
    if "mcp" in sys.argv[1:] and _served_at_once(sys.argv[1:]):
        return
    from reverie.local.disk import patterns

    patterns.keep()
    from reverie.cli import run

    status = run(sys.argv[1:])
    patterns.store()
    sys.exit(status)


def _store_patterns() -> None:
    """Keep what a hook had to compile, if it began to."""
    kept = sys.modules.get("reverie.local.disk.patterns")
    if kept is not None:
        kept.store()


def _served_at_once(words: list[str]) -> bool:
    """Serve MCP without the command line's libraries, which the first call brings in; False: not asked."""
    place = words.index("mcp")
    before, after = words[:place], words[place + 1 :]
    names = {"--home": "home", "-C": "workspace", "--dialect": "dialect"}
    values = {
        "--surface": ("default", "full"),
        "--log-level": ("debug", "info", "warning", "error"),
    }
    if len(before) % 2 or len(after) % 2 or os.isatty(0) or not set(before[::2]) <= names.keys():
        return False
    chosen = dict(zip(after[::2], after[1::2], strict=True))
    if not all(value in values.get(name, ()) for name, value in chosen.items()):
        return False
    options = {names[name]: value for name, value in zip(before[::2], before[1::2], strict=True)}
    options |= chosen
    # Nothing that is imported is garbage; looking for it now took a tenth of the time a client waits.
    gc.disable()
    from reverie.client.handing import Daemon
    from reverie.hooks.inside import HookedWire
    from reverie.mcp.front import serve

    gc.freeze()
    gc.enable()
    serve(
        lambda: _opened(options),
        HookedWire(home=options.get("home"), dialect=options.get("dialect")),
        surface=options.get("--surface", "default"),
        prepare=lambda: _log(options.get("--log-level", "warning")),
        daemon=Daemon(**{name: options.get(name) for name in ("home", "dialect", "workspace")}),
    )
    return True


def _opened(options: dict[str, str]) -> Memory:
    """Open the memory as the command would, for the first call of a server."""
    from reverie.local.disk import patterns

    patterns.keep()
    from reverie.cli import Session
    from reverie.core.agents.environment import own_environment

    session = Session({name: options.get(name) for name in ("home", "workspace", "dialect")})
    session.env = own_environment(os.environ)
    return session.memory


def _log(level: str) -> None:
    from reverie.cli.terminal import log_to_stderr

    log_to_stderr(level.upper())


def _leave_the_current_folder_out() -> None:
    """Import nothing from where we were started, unless we live there."""
    try:
        here = os.getcwd()  # noqa: PTH109  # pathlib costs a hook milliseconds
    except OSError:  # it is gone, so nothing is imported from it
        return
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    sys.path[:] = [path for path in sys.path if path not in ("", ".", here) or path == home]


def _show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error nobody foresaw; its words may come from anywhere, so a terminal must not obey them."""
    from traceback import format_exception

    from reverie.core.showing.printable import printable

    sys.stderr.write(printable("".join(format_exception(kind, error, trace))))


if __name__ == "__main__":
    main()
