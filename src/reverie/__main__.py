"""The `reverie` command. Starts before anything heavy is imported."""

import os
import sys


def main() -> None:
    """Run the command line; a version and a hook are answered without importing it."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from reverie import __version__

        sys.stdout.write(f"reverie {__version__}\n")
        return
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        from reverie.hooks.quick import main as hook

        # All is said and written; taking the interpreter apart would only keep the agent waiting.
        os._exit(hook(sys.argv[2:]))
    from reverie.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
