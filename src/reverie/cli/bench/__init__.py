"""`reverie bench`: speed on this machine, as ratios to a baseline measured in the same run."""

from __future__ import annotations

import json
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
}


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--quick", is_flag=True, help="Small sizes only.")
@click.option("--output", metavar="FILE", help="Also write the figures as JSON.")
@json_option
@pass_session
def bench(session: Session, names: tuple[str, ...], quick: bool, output: str | None) -> None:
    """Measure speed: `all`, or one or more of the benches."""
    chosen = list(BENCHES) if names in ((), ("all",)) else list(names)
    unknown = [name for name in chosen if name not in BENCHES]
    if unknown:
        raise click.UsageError(
            f"there is no bench {unknown[0]!r}; choose from {', '.join(BENCHES)}"
        )
    figures: dict[str, object] = {}
    for name in chosen:
        click.echo(f"measuring {name} ...", err=True)
        figures[name] = import_module(BENCHES[name]).run(quick=quick)
    if output:
        Path(output).write_text(json.dumps(to_wire(figures), indent=2) + "\n", encoding="utf-8")
    session.emit(figures, lambda: "\n\n".join(_table(name, figures[name]) for name in figures))


def _table(title: str, figures: object) -> str:
    """Lay figures out as lines of `name value`, nested by their names."""
    lines: list[str] = []

    def walk(prefix: str, value: object) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                walk(f"{prefix}{'.' if prefix else ''}{key}", item)
        else:
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            lines.append(f"  {prefix:<50} {shown}")

    walk("", figures)
    return f"{title}\n" + "\n".join(lines)
