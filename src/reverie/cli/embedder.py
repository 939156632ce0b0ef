"""Commands about embedders: which there are, which is used, and changing it while the old one answers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reverie.cli import Session, counted, json_option, pass_session
from reverie.cli.terminal import echo

if TYPE_CHECKING:
    from reverie.types import Indexed


@click.group()
def embedder() -> None:
    """Choose where meaning comes from: which model turns text into vectors."""


@embedder.command("list", short_help="List the embedders there are.")
@json_option
@pass_session
def list_(session: Session) -> None:
    """List the embedders there are, what each is good for, and what it needs."""
    from reverie.models.choices import list_embedders

    rows = list_embedders(session.resolved.settings.embedder, os.environ)
    width = max(len(row.name) for row in rows)
    session.emit(
        {"embedders": rows},
        "\n".join(
            f"{'*' if row.in_use else ' '} {row.name:<{width}}  {row.about}"
            + (f"\n  {'':<{width}}  needs: {row.needs}" if row.needs else "")
            for row in rows
        ),
    )


@embedder.command(short_help="Say which embedder is used, and whether it is done.")
@json_option
@pass_session
def status(session: Session) -> None:
    """Say which embedder is used, and whether the index has all its vectors."""
    from reverie.models.embedders import chosen_provider

    settings = session.resolved.settings.embedder
    memory = session.memory
    found = memory.search_index.stats()
    filling = memory.search_index.is_filling()
    value: dict[str, Any] = {
        "provider": settings.provider,
        "inUse": chosen_provider(settings, os.environ),
        "identity": found.embedding_model,
        "files": found.total_files,
        "chunks": found.total_chunks,
        "complete": not filling,
    }
    state = "not all yet; `reverie index` makes the rest" if filling else "all"
    session.emit(
        value,
        f"embedder  {value['inUse']} (embedder.provider = {settings.provider})\n"
        f"vectors   {found.embedding_model or 'none; search goes by words'}\n"
        f"made for  {counted(found.total_chunks, 'chunk')} of {counted(found.total_files, 'file')}; {state}",
    )


@embedder.command(short_help="Use another embedder from now on.")
@click.argument("name")
@click.option("--model", default="", help="The model of a library or service.")
@click.option("--url", default="", help="Where a service is (ollama, openai).")
@click.option(
    "--install", is_flag=True, help="Install what is missing: one exact version, with its hash."
)
@click.option("--dry-run", is_flag=True, help="Try the embedder, change nothing.")
@json_option
@pass_session
def use(session: Session, name: str, model: str, url: str, install: bool, dry_run: bool) -> None:
    """Use another embedder from now on.

    It is tried first, then the vectors of this project and of your own memory are made. The setting changes
    only when all of them are there: until then the old embedder answers.
    """
    from reverie.local.settings import set_value
    from reverie.memory import Memory
    from reverie.models.choices import PINNED, choice_named
    from reverie.models.embedders import open_embedder

    settings = session.resolved.settings.embedder
    choice = choice_named(name, settings, os.environ)
    if install and choice.needs and name in PINNED and not dry_run:
        _install(PINNED[name])
    wanted = replace(settings, provider=name, model=model, url=url)
    opened = open_embedder(wanted, os.environ)
    identity, dimension = (opened.identity, len(opened.embed(["ready?"])[0])) if opened else ("", 0)
    changes = {"embedder.provider": name, "embedder.model": model, "embedder.url": url}
    done: Indexed | None = None
    if not dry_run:
        with Memory.open(
            session.options.get("workspace") or ".",
            home=session.options.get("home"),
            dialect=session.options.get("dialect"),
            settings=changes,
        ) as memory:
            done = memory.index(on_step=lambda step: _tell(step))
        for key, value in changes.items():
            if value or session.resolved.value(key):
                set_value(session.user_settings_file, key, value)
    told = f"{name}: {identity}, {dimension} numbers a text" if opened else f"{name}: no vectors"
    session.emit(
        {
            "provider": name,
            "identity": identity,
            "dimension": dimension,
            "dryRun": dry_run,
            "indexed": done,
        },
        f"{told}; it works, nothing was changed"
        if done is None
        else f"{told}; used from now on, {counted(done.embedded, 'chunk')} embedded. A running daemon"
        " takes it up when it starts again.",
    )


def _tell(step: Indexed) -> None:
    total = step.files + step.left
    echo(f"{step.files:,} of {total:,} files, {counted(step.embedded, 'chunk')} embedded", err=True)


def _install(line: str) -> None:
    """Install one pinned package with pip, which shows how far it is."""
    from reverie.errors import NotInstalled

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "requirements.txt")
        file.write_text(f"{line}\n", "utf-8")
        command = [sys.executable, "-P", "-m", "pip", "install", "--no-deps", "--require-hashes"]
        done = subprocess.run([*command, "-r", str(file)], stdout=sys.stderr, check=False)
    if done.returncode:
        raise NotInstalled(
            "pip could not install it (see above). Without a network, copy the wheel here and install it with"
            f" pip: {line.partition(' ')[0]}"
        )
