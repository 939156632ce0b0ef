"""`reverie bench` and `reverie eval`: what they run is in a clone's folder `bench`, not in the package."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from reverie.cli import LazyGroup, Session, json_option, pass_session
from reverie.errors import NotInstalled

CLONE = Path(__file__).resolve().parents[3]
"""Where the package lies when it is used from a clone."""
# section: name: (module, function, one line for the help)
SUITES: dict[str, dict[str, tuple[str, str, str]]] = {
    "Commands": {
        "retrieval": (
            "reverie.cli.measuring",
            "retrieval",
            "How well search finds what answers a question.",
        ),
        "truth": (
            "reverie.cli.measuring",
            "truth",
            "How well memory keeps, replaces, recalls and forgets.",
        ),
        "year": (
            "reverie.cli.measuring",
            "year",
            "Live through a year of one project's conversations.",
        ),
        "meaning": (
            "reverie.cli.measuring",
            "meaning",
            "Whether a question in other words or another language is answered.",
        ),
    },
}


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

    NAME is start, search, context, history, recall, growth, commands, daemon, hooks, postgres or crowd;
    without one, or with `all`, everything is measured: half an hour or more, some minutes with --quick.
    Each figure is shown as soon as it is known.
    """
    _measuring("speed").measure(session, names, quick=quick, large=large, output=output)


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
    _measuring("quality").retrieval(session, datasets, limit=limit, embedder=embedder)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option(
    "--half",
    type=click.Choice(["dev", "held", "all"]),
    default="dev",
    show_default=True,
    help="Which half of the data; rules are chosen on dev.",
)
@click.option("--limit", default=0, help="Maximum number of cases of each kind.")
@json_option
@pass_session
def truth(session: Session, folder: Path, suites: tuple[str, ...], half: str, limit: int) -> None:
    """Measure what memory decides on the data in FOLDER, which scripts/truth_data.py makes.

    SUITE is update, coexistence, extraction, scope, dates, poisoning, irrelevant, own-words, questions or
    forgetting; without one, all of them.
    """
    _measuring("truth").truth(session, folder, suites, half=half, limit=limit)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@click.option("--limit", default=0, help="Maximum number of conversations, the first ones.")
@json_option
@pass_session
def year(session: Session, folder: Path, limit: int) -> None:
    """Replay the conversations in FOLDER/days.jsonl day by day, and print what memory came to."""
    _measuring("truth").year(session, folder, limit=limit)


@click.command()
@click.option("--embedder", default="auto", show_default=True, help="Where vectors come from.")
@json_option
@pass_session
def meaning(session: Session, embedder: str) -> None:
    """Ask 40 questions of 60 memories, twice: by search and by recall, both at their defaults."""
    _measuring("quality").meaning(session, embedder=embedder)


def _measuring(room: str) -> Any:
    """Import a part of `bench`, or raise `NotInstalled` where the package came without it."""
    if not Path(CLONE, "bench", room, "__init__.py").is_file():
        raise NotInstalled(
            "benches and evaluations are not part of the installed package. Get a clone of Reverie,"
            " run `make bench` there, and then use its .venv/bin/reverie for this command"
        )
    if str(CLONE) not in sys.path:
        sys.path.insert(0, str(CLONE))  # before any other library that is called `bench`
    return import_module(f"bench.{room}")
