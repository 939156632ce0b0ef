"""Quality, measured: suites that run the product on data and print figures with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.quality.dataset import load
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
