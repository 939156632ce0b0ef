"""`python -m bench.peers DATASET... [--peer NAME] [--scopes N] [--questions N]`: peers side by side."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.peers.known import PEERS
from bench.peers.measure import Row, as_json, measure, read, table


def main() -> int:
    """Measure and print, table by table."""
    names = [peer.name for peer in PEERS]
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers",
        description="Other memories and simple methods beside Reverie, each in an environment of its own.",
    )
    parser.add_argument(
        "datasets", nargs="+", type=Path, help="folders with docs.jsonl and queries.jsonl"
    )
    parser.add_argument(
        "--peer", action="append", choices=names, help="only this one; may be repeated"
    )
    parser.add_argument(
        "--scopes", type=int, default=0, help="the first N conversations or persons; 0: all"
    )
    parser.add_argument("--questions", type=int, default=250, help="so many, evenly spread; 0: all")
    parser.add_argument("--seconds", type=float, default=900.0, help="longest time of one step")
    parser.add_argument(
        "--python", default=sys.executable, help="makes the environments: 3.12 or newer"
    )
    parser.add_argument("--output", type=Path, help="also write the figures as JSON")
    given = parser.parse_args()
    chosen = [peer for peer in PEERS if not given.peer or peer.name in given.peer]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="reverie-peers-") as work:
        for folder in given.datasets:
            data = read(folder, scopes=given.scopes, questions=given.questions)
            found = []
            for peer in chosen:
                row = measure(
                    peer, data, work=Path(work), python=given.python, seconds=given.seconds
                )
                print(
                    f"{data.name}: {peer.name} done {row.failed}".rstrip(),
                    file=sys.stderr,
                    flush=True,
                )
                found.append(row)
                if given.output:
                    given.output.write_text(as_json([*rows, *found]), encoding="utf-8")
            rows += found
            print(table(found, data), end="\n\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
