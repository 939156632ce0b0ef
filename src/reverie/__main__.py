"""The `reverie` command. Starts before anything heavy is imported."""

import sys


def main() -> None:
    """Run the command line; the version is answered without importing anything."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from reverie import __version__

        sys.stdout.write(f"reverie {__version__}\n")
        return
    from reverie.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
