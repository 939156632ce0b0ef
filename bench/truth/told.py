"""Changes as people tell them: what a prompt gets after something was told, and something else later.

    python -m bench.truth.told FILE.tsv [--show]

Rows: kind (`change` or `beside`), language, what was said first, what is said later, a question, a mark of
the later value, a mark of the earlier one. Each pair is told to a memory with some other statements, the
later one on the next day.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.truth.suites import NOON, fresh
from reverie.errors import SecretRefused
from reverie.testing import StandingClock

OTHERS: Final = 12
"""So many statements stand beside each pair."""


@dataclass(frozen=True, slots=True)
class Told:
    """A pair of statements, and a question about them."""

    kind: str
    language: str
    old: str
    new: str
    question: str
    current: str
    former: str


def read(path: Path) -> list[Told]:
    """Read the pairs of a file."""
    with path.open(encoding="utf-8", newline="") as rows:
        return [Told(*row) for row in csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)]


def outcomes(told: Sequence[Told]) -> Iterator[tuple[Told, str]]:
    """Tell each pair to a fresh memory, ask, and say what came of it."""
    for place, row in enumerate(told):
        others = [told[(place + step * 7) % len(told)].old for step in range(1, OTHERS + 1)]
        clock = StandingClock(NOON)
        with fresh(clock) as memory:
            for text in dict.fromkeys(others):
                if text != row.old:
                    with suppress(SecretRefused):
                        memory.remember(text)
            try:
                memory.remember(row.old)
            except SecretRefused:
                yield row, "refused as a secret"
                continue
            clock.advance(days=1)
            memory.prepare()  # by now a resident has the model
            done = memory.remember(row.new)
            lines = memory.recall(row.question).block.splitlines()
            said = [line for line in lines if not line.startswith("### ")]  # a file keeps its name
            yield row, _outcome(row, done.action, "\n".join(said))


def _outcome(row: Told, action: str, block: str) -> str:
    ended = "ended" if action == "superseded" else "both stay"
    was = block.rfind(row.former)
    if row.kind == "beside":
        return f"{ended}, {'shown' if was >= 0 else 'not shown'}"
    now = block.find(row.current)
    if now < 0:
        return f"{ended}, {'the old one alone' if was >= 0 else 'nothing shown'}"
    return f"{ended}, " + (
        "the new one alone"
        if was < 0
        else "the new one first"
        if now < was
        else "the old one first"
    )


def main() -> None:
    """Measure a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--show", action="store_true", help="print each row that is not as it should be"
    )
    chosen = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for row, outcome in outcomes(read(chosen.file)):
        counts[row.kind, outcome] += 1
        wrong = outcome.endswith(("old one alone", "old one first", "nothing shown"))
        if chosen.show and (wrong or (row.kind == "beside" and outcome.startswith("ended"))):
            print(f"{outcome}\t{row.language}\t{row.old}\t{row.new}\t{row.question}")
    for (kind, outcome), count in sorted(counts.items()):
        print(f"{kind:8}{outcome:36}{count:4}")


if __name__ == "__main__":
    main()
