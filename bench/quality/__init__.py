"""Quality, measured: suites that run the product on data and print figures with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.quality.dataset import load
from bench.quality.meaning import KINDS, SETS, evaluate_meaning
from bench.quality.retrieval import Figure, Report, evaluate
from reverie.cli import Session
from reverie.cli.terminal import echo


def retrieval(session: Session, datasets: Sequence[str], *, limit: int, embedder: str) -> None:
    """Search each dataset and show how much is found."""
    reports: list[Report] = []
    for name in datasets:
        dataset = load(Path(name))
        echo(f"{dataset.name}: {len(dataset.docs)} documents ...", err=True)
        reports.append(evaluate(dataset, limit=limit, embedder=embedder))
        if not session.json:
            echo(_table(reports[-1]))
    if session.json:
        session.emit({"reports": reports}, "")


def meaning(session: Session, *, embedder: str) -> None:
    """Ask the questions of both sets, and show how many were answered."""
    found = {
        path.stem: evaluate_meaning(path, embedder=embedder) for path in sorted(SETS.glob("*.json"))
    }
    lines = [f"| set | face | {' | '.join(KINDS)} | irrelevant a question |", "|---" * 7 + "|"]
    for name, reports in found.items():
        for face, report in reports.items():
            cells = ("{} of {}".format(*report.answered(kind)) for kind in KINDS)
            lines.append(f"| {name} | {face} | {' | '.join(cells)} | {report.irrelevant:.2f} |")
    session.emit({"sets": found}, "\n".join(lines))


def _table(report: Report) -> str:
    lines = [f"{report.dataset}: {report.documents} documents, {report.questions} questions", ""]
    names = list(report.methods["reverie"])
    lines.append(f"| | {' | '.join(names)} | ms |")
    lines.append("|---" * (len(names) + 2) + "|")
    for method, figures in report.methods.items():
        cells = " | ".join(_cell(figures[name]) for name in names)
        lines.append(f"| {method} | {cells} | {report.milliseconds[method]:.1f} |")
    if len(report.categories) > 1:
        for kind, figures in report.categories.items():
            cells = " | ".join(_cell(figures[name]) for name in names)
            lines.append(f"| reverie, {kind} | {cells} | |")
    return "\n".join(lines) + "\n"


def _cell(figure: Figure) -> str:
    return f"{figure.mean:.1f} ({figure.low:.1f} to {figure.high:.1f})"
