"""Speed on this machine, as ratios to a baseline measured in the same run.

A bench yields each figure with its name as soon as it is known: some take half an hour.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from reverie.cli import Session
from reverie.cli.terminal import echo
from reverie.core.wire import to_wire

BENCHES: dict[str, str] = {
    "start": "bench.speed.start",
    "search": "bench.speed.search",
    "context": "bench.speed.context",
    "history": "bench.speed.history",
    "recall": "bench.speed.recall",
    "growth": "bench.speed.growth",
    "commands": "bench.speed.commands",
    "daemon": "bench.speed.daemon",
    "hooks": "bench.speed.hooks",
    "postgres": "bench.speed.postgres",
    "crowd": "bench.speed.crowd",
}
_HAVE_LARGE = frozenset({"growth", "search", "postgres", "crowd"})


def measure(
    session: Session, names: Sequence[str], *, quick: bool, large: bool, output: str | None
) -> None:
    """Run benches by their names, all of them without one, and show what they find."""
    chosen = list(BENCHES) if tuple(names) in ((), ("all",)) else list(names)
    unknown = [name for name in chosen if name not in BENCHES]
    if unknown:
        raise click.UsageError(
            f"there is no bench {unknown[0]!r}; choose from {', '.join(BENCHES)}"
        )
    figures: dict[str, dict[str, object]] = {}
    for name in chosen:
        echo(f"measuring {name} ...", err=True)
        more = {"large": True} if large and name in _HAVE_LARGE else {}
        figures[name] = {}
        for what, figure in import_module(BENCHES[name]).run(quick=quick, **more):
            figures[name][what] = figure
            echo("\n".join(_lines(what, figure)), err=session.json)
        if output:
            written = json.dumps(to_wire(figures), indent=2)
            Path(output).write_text(f"{written}\n", encoding="utf-8")
        if _alike(list(figures[name].values())) and not session.json:
            echo(f"\n{_table(figures[name])}\n")
    if session.json:
        session.emit(figures, "")


def _table(columns: Mapping[str, Any]) -> str:
    """Lay figures of several sizes side by side."""
    rows = [["", *columns], ["---"] * (1 + len(columns))]
    rows += [
        [key, *(_shown(column[key]) for column in columns.values())]
        for key in next(iter(columns.values()))
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _lines(name: str, value: object) -> list[str]:
    """Show a figure, or figures nested by their names, a line each."""
    if not isinstance(value, dict):
        return [f"  {name:<50} {_shown(value)}"]
    return [line for key, item in value.items() for line in _lines(f"{name}.{key}", item)]


def _alike(columns: Sequence[object]) -> bool:
    """Say whether these are columns of one table: the same names, and one figure for each."""
    if len(columns) < 2 or not all(isinstance(column, dict) and column for column in columns):
        return False
    names = [list(column) for column in columns if isinstance(column, dict)]
    figures = [value for column in columns if isinstance(column, dict) for value in column.values()]
    return all(some == names[0] for some in names) and not any(
        isinstance(value, dict | list) for value in figures
    )


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
