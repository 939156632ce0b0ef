"""Truth, measured: what memory decides about what people say, with baselines and intervals.

Rules
- Everything goes through the public face, `Memory`, at its defaults, with no model and in a fresh home.
- The data is what `scripts/truth_data.py` makes, one half at a time; nothing is chosen on the half `held`.
- A suite yields cases that passed or not, each with a kind; a figure is their share with a Wilson interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from bench.truth.figures import Figure, figures
from bench.truth.suites import BASELINES, GOALS, SUITES
from bench.truth.truth_sets import load
from reverie.cli import Session
from reverie.cli.terminal import echo


def truth(session: Session, folder: Path, names: Sequence[str], *, half: str, limit: int) -> None:
    """Run suites by their names, all of them without one, and show what they find."""
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        raise click.UsageError(f"there is no suite {unknown[0]!r}; choose from {', '.join(SUITES)}")
    data = load(folder, half=half)
    reports: dict[str, dict[str, Figure]] = {}
    for name in names or SUITES:
        echo(f"{name} ...", err=True)
        cases = list(SUITES[name](data, limit))
        reports[name] = figures(cases)
        for baseline, measured in BASELINES.get(name, {}).items():
            reports[name] |= {
                f"baseline {baseline}, {kind}": figure
                for kind, figure in figures(list(measured(data, limit))).items()
            }
        if not session.json:
            echo(_table(name, reports[name]))
    if session.json:
        session.emit({"half": half, "reports": reports}, "")


def year(session: Session, folder: Path, *, limit: int) -> None:
    """Replay the conversations of one project and show what became of them."""
    from bench.truth.year import replay

    told = replay(load(folder, half="all").days, limit=limit)
    lines = [f"| {name} | {value} |" for name, value in told.items()]
    session.emit(told, "\n".join(["| | |", "|---|---|", *lines]))


def _table(name: str, found: dict[str, Figure]) -> str:
    lines = [f"{name} (goal: {GOALS[name]})", "", "| | right | of | % |", "|---|---|---|---|"]
    for kind, figure in found.items():
        share = f"{figure.percent:.1f} ({figure.low:.1f} to {figure.high:.1f})"
        lines.append(f"| {kind} | {figure.right} | {figure.total} | {share} |")
    return "\n".join(lines) + "\n"
