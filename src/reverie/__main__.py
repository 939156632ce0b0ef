"""The `reverie` command. Starts before anything heavy is imported.

`python -m reverie` puts the current folder before everything that is installed, and so does an empty
entry of PYTHONPATH; that folder may be a stranger's repository. So it is taken out again before
anything else is imported. With `python -m` a folder `reverie` there is already loaded by then: use the
command `reverie`, or `python -P -m reverie`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType


def main() -> None:
    """Run the command line; a version and a hook are answered without importing it."""
    _leave_the_current_folder_out()
    if sys.argv[1:] in (["--version"], ["-V"]):
        from reverie import __version__

        sys.stdout.write(f"reverie {__version__}\n")
        return
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        from reverie.hooks.quick import main as hook

        # All is said and written; taking the interpreter apart would only keep the agent waiting.
        os._exit(hook(sys.argv[2:]))
    from reverie.cli import run

    sys.excepthook = _show
    sys.exit(run(sys.argv[1:]))


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
