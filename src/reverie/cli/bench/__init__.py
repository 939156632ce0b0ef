"""`reverie bench`: speed on this machine, as ratios to a baseline measured in the same run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from reverie.cli import Session, json_option, pass_session
from reverie.core.wire import to_wire

BENCHES: dict[str, str] = {
    "start": "reverie.cli.bench.start",
    "search": "reverie.cli.bench.search",
    "context": "reverie.cli.bench.context",
    "history": "reverie.cli.bench.history",
    "recall": "reverie.cli.bench.recall",
    "daemon": "reverie.cli.bench.daemon",
    "hooks": "reverie.cli.bench.hooks",
    "postgres": "reverie.cli.bench.postgres",
}
_HAVE_LARGE = frozenset({"search", "postgres"})


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--quick", is_flag=True, help="Small sizes only.")
@click.option(
    "--large", is_flag=True, help="A million chunks, and a thousand tenants: half an hour."
)
@click.option("--output", metavar="FILE", help="Also write the figures as JSON.")
@json_option
@pass_session
def bench(
    session: Session, names: tuple[str, ...], quick: bool, large: bool, output: str | None
) -> None:
    """Measure speed, as ratios to a baseline of the same run.

    NAME is start, search, context, history, recall, daemon, hooks or postgres; without one, or with
    `all`, everything is measured: half an hour or more, some minutes with --quick.
    """
    chosen = list(BENCHES) if names in ((), ("all",)) else list(names)
    unknown = [name for name in chosen if name not in BENCHES]
    if unknown:
        raise click.UsageError(
            f"there is no bench {unknown[0]!r}; choose from {', '.join(BENCHES)}"
        )
    figures: dict[str, object] = {}
    for name in chosen:
        click.echo(f"measuring {name} ...", err=True)
        more = {"large": True} if large and name in _HAVE_LARGE else {}
        figures[name] = import_module(BENCHES[name]).run(quick=quick, **more)
    if output:
        Path(output).write_text(json.dumps(to_wire(figures), indent=2) + "\n", encoding="utf-8")
    session.emit(figures, lambda: "\n\n".join(_table(name, figures[name]) for name in figures))


def _table(title: str, figures: object) -> str:
    """Lay figures out: a column for each size where all have the same, else lines, nested by names."""
    if isinstance(figures, dict) and _alike(list(figures.values())):
        rows = [["", *figures], ["---"] * (1 + len(figures))]
        rows += [
            [key, *(_shown(column[key]) for column in figures.values())]
            for key in next(iter(figures.values()))
        ]
        return f"{title}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)
    lines: list[str] = []

    def walk(prefix: str, value: object) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                walk(f"{prefix}{'.' if prefix else ''}{key}", item)
        else:
            lines.append(f"  {prefix:<50} {_shown(value)}")

    walk("", figures)
    return f"{title}\n" + "\n".join(lines)


def _alike(columns: Sequence[object]) -> bool:
    """Say whether these are columns of one table: the same names, and one figure for each."""
    if not columns or not all(isinstance(column, dict) and column for column in columns):
        return False
    names = [list(column) for column in columns if isinstance(column, dict)]
    figures = [value for column in columns if isinstance(column, dict) for value in column.values()]
    return all(some == names[0] for some in names) and not any(
        isinstance(value, dict | list) for value in figures
    )


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
