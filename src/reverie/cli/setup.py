"""Commands for the first minutes: init and the guided demo."""

from __future__ import annotations

import os
from pathlib import Path

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.terminal import bold, cyan, echo


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would be created, create nothing.")
@json_option
@pass_session
def init(session: Session, dry_run: bool) -> None:
    """Create the home and the project's memory; say what was found."""
    memory = session.memory
    found = memory.initialise(dry_run=dry_run)

    def text() -> str:
        place = memory.workspace
        lines = [
            f"project   {place.base}" + ("" if place.project_root else "  (no git repository)"),
            f"memory    {place.project_memory}",
            f"yours     {place.user_memory}",
        ]
        lines += [f"{'would make' if dry_run else 'made':<10}{path}" for path in found.created]
        lines += [f"found     {path}" for path in found.found]
        return "\n".join(lines)

    session.emit(found, text)


@click.command()
def demo() -> None:
    """Play a short guided tour in a temporary home; nothing of yours is touched."""
    import tempfile

    from reverie.cli import run
    from reverie.client.resident import SWITCH

    os.environ[SWITCH] = "off"  # a home of a minute needs no daemon
    with tempfile.TemporaryDirectory(prefix="reverie-demo-") as folder:
        project = Path(folder) / "project"
        (project / ".git").mkdir(parents=True)
        base = ["--home", str(Path(folder) / "home"), "-C", str(project)]
        for explanation, arguments in TOUR:
            echo(bold(f"\n# {explanation}"))
            words = [_last_run(base) if word == LAST_RUN else word for word in arguments]
            shown = " ".join(f"'{word}'" if " " in word else word for word in words)
            echo(cyan(f"$ reverie {shown}"))
            status = run([*base, *words])
            if status:
                raise SystemExit(status)
    echo(bold("\nThat was a temporary home; it is gone. Start your own with `reverie init`."))


LAST_RUN = "<the last run>"
TOUR: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Remember something. It becomes a plain Markdown file.",
     ("remember", "I prefer short answers without a closing summary")),
    ("A decision of this project, with its reason.",
     ("remember", "We deploy only on Tuesdays. Why: the on-call rota changes on Wednesday",
      "--kind", "project")),
    ("Before a turn, an agent asks what matters for it.",
     ("recall", "when may I deploy this?")),
    ("Nothing relevant means nothing is injected.",
     ("recall", "how tall is the Eiffel tower?")),
    ("Everything written is in the journal...",
     ("log",)),
    ("...and can be taken back, byte for byte.",
     ("undo", LAST_RUN)),
    ("Journal, files and catalogs are checked together.",
     ("verify",)),
)  # fmt: skip


def _last_run(base: list[str]) -> str:
    from reverie.memory import Memory

    with Memory.open(base[3], home=base[1], env=os.environ) as memory:
        runs = memory.log(limit=1)
        return runs[0].id if runs else ""
