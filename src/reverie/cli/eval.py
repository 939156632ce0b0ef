"""`reverie eval`: quality, measured on data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.cli import LazyGroup, Session, json_option, pass_session
from reverie.cli.terminal import echo

if TYPE_CHECKING:
    from reverie.evals.retrieval import Figure, Report

# section: name: (module, function, one line for the help)
SUITES: dict[str, dict[str, tuple[str, str, str]]] = {
    "Commands": {
        "retrieval": (
            "reverie.cli.eval",
            "retrieval",
            "How well search finds what answers a question.",
        ),
    },
}


@click.group("eval", cls=LazyGroup, sections=SUITES)
def eval_() -> None:
    """Measure quality on data."""


@click.command()
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option(
    "--limit", default=0, help="Maximum number of questions from each dataset, evenly spread."
)
@click.option("--embedder", default="embedded", show_default=True, help="Where vectors come from.")
@json_option
@pass_session
def retrieval(session: Session, datasets: tuple[str, ...], limit: int, embedder: str) -> None:
    """Search each DATASET (a folder with docs.jsonl and queries.jsonl) and print how much is found."""
    from reverie.evals.dataset import load
    from reverie.evals.retrieval import evaluate

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
