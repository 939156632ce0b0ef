"""Commands about search: search, get, stats, index, watch."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlencode

import click

from reverie.cli import Session, counted, json_option, pass_session
from reverie.cli.terminal import bold, echo
from reverie.core.search.isolation import isolation_of
from reverie.core.showing.fence import fence
from reverie.core.showing.marks import disarmed, one_line
from reverie.core.showing.passages import shown_once, without_head
from reverie.errors import PathNotFound
from reverie.types import Excerpt, Hit, Indexed, IndexStats, Isolation, SearchOutcome

Command = TypeVar("Command", bound=Callable[..., Any])

_NAMED = re.compile(r"(?P<path>.+):(?P<lines>\d+(?:-\d+)?)")
_SOURCES = ("all", "memory", "chat", "custom")


def _isolating(command: Command) -> Command:
    """Add the options that say what a command may see."""
    for option in (
        click.option("--conversation-id", help="Of the history, only this conversation."),
        click.option("--project-id", help="Hide the memory of any other project."),
        click.option("--user-id", help="Hide the memory of any other user."),
        click.option(
            "--allowed-path",
            "allowed_paths",
            multiple=True,
            metavar="PATH",
            help="Only this file or folder, or chat://SESSION; may be given several times.",
        ),
    ):
        command = option(command)
    return command


def _isolation(seen: dict[str, Any]) -> tuple[Isolation | None, dict[str, Any]]:
    """Return what may be seen, and the same as a daemon is told."""
    named = {
        "allowedPaths": list(seen["allowed_paths"]) or None,
        "userId": seen["user_id"],
        "projectId": seen["project_id"],
        "conversationId": seen["conversation_id"],
    }
    given = {name: value for name, value in named.items() if value is not None}
    return isolation_of(given), given


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--max-results", type=click.IntRange(1, 20), help="How many documents at most, 1 to 20 [6]."
)
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    help="Leave out what is less likely to answer than this [0.35].",
)
@click.option(
    "--source",
    type=click.Choice(_SOURCES),
    default="all",
    show_default=True,
    help="Where: memory, conversations (chat), or what `reverie index` was given (custom).",
)
@click.option(
    "--context", "context_tokens", default=0, help="Widen each hit by up to this many tokens."
)
@_isolating
@json_option
@pass_session
def search(
    session: Session,
    /,
    query: tuple[str, ...],
    max_results: int | None,
    min_score: float | None,
    source: str,
    context_tokens: int,
    **seen: Any,
) -> None:
    """Find the files and conversations that answer QUERY, each with the lines that do."""
    words, outcome = " ".join(query), None
    isolation, told = _isolation(seen)
    if not context_tokens:
        body = {"query": words, "maxResults": max_results, "minScore": min_score, "source": source}
        body |= told
        outcome = session.from_daemon("/workspace/search", body, SearchOutcome)
    outcome = outcome or session.memory.search(
        words,
        max_results=max_results,
        min_score=min_score,
        source=source,  # type: ignore[arg-type]  # one of the choices
        isolation=isolation,
        context_tokens=context_tokens,
    )
    for warning in outcome.warnings:
        echo(f"reverie: {warning}", err=True)

    def text() -> str:
        if not outcome.results:
            searched = f"{outcome.stats.total_chunks} chunks of {outcome.stats.total_files} files"
            return f"nothing found ({outcome.method}, {searched})"
        more = outcome.total_found - len(outcome.results)
        left = f"({more} more: --max-results)\n" if more > 0 else ""
        return "\n".join(map(_shown, outcome.results)) + left

    session.emit(outcome, text, data=bool(outcome.results))


def _shown(hit: Hit) -> str:
    """Show where a hit is, and its words as data: agents read what this prints, too."""
    came = "came with the repository" if hit.provenance else ""
    brought = f"imported from {hit.imported}" if hit.imported else ""
    title, words = shown_once(hit.title, hit.text)
    about = ", ".join(filter(None, (title, hit.date, came, brought)))
    place = one_line(f"{hit.path}:{hit.lines}")
    head = bold(place) if sys.stdout.isatty() else place
    told = f"({one_line(about)})\n" if about else ""
    more = "".join(
        f"\n\nalso {one_line(f'{item.path}:{item.lines}')}\n{disarmed(without_head(item.text))}"
        for item in hit.passages
    )
    return f"{head}  {hit.score:.2f}\n{fence(told + disarmed(words) + more)}"


@click.command()
@click.argument("path")
@click.option("--lines", default="", metavar="FIRST-LAST", help="Only these lines, e.g. 42-56.")
@_isolating
@json_option
@pass_session
def get(session: Session, /, path: str, lines: str, **seen: Any) -> None:
    """Read PATH, or some of its lines; PATH:42-56, as search prints it, will do."""
    if named := _NAMED.fullmatch(path):
        if lines:
            raise click.UsageError(f"the lines are given twice: in {path!r} and with --lines")
        path, lines = named["path"], named["lines"]
    isolation, told = _isolation(seen)
    body = {"path": path, "lines": lines, **told}
    excerpt = session.from_daemon("/workspace/get", body, Excerpt) or session.memory.get(
        path, lines, isolation=isolation
    )
    if not excerpt.found:
        session.absent(excerpt, f"there is no file {path}", PathNotFound.code)
    session.emit(excerpt, excerpt.text, data=True)


@click.command()
@_isolating
@json_option
@pass_session
def stats(session: Session, /, **seen: Any) -> None:
    """Say how much is indexed, when last, and from which sources."""
    isolation, told = _isolation(seen)
    route = f"/workspace/stats?{urlencode(told, doseq=True)}" if told else "/workspace/stats"
    found = session.from_daemon(route, None, IndexStats) or session.memory.stats(
        isolation=isolation
    )
    lines = [
        f"files         {found.total_files:,}",
        f"chunks        {found.total_chunks:,}",
        f"tokens        {found.total_tokens:,}",
        f"sources       {', '.join(found.sources) or 'none'}",
        f"last indexed  {found.last_indexed.isoformat() if found.last_indexed else 'never'}",
        f"vectors       {found.embedding_model or 'none; search goes by words'}",
        f"index size    {found.bytes_on_disk / 1e6:,.1f} MB",
    ]
    lines += [f"left out: {problem.message}" for problem in found.problems]
    session.emit(found, "\n".join(lines))


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--rebuild", is_flag=True, help="Read every file again.")
@click.option("--remove", is_flag=True, help="Stop searching the PATHs.")
@click.option("--purge", is_flag=True, help="Remove every trace of deleted texts from the index.")
@click.option("--dry-run", is_flag=True, help="Show what is searched, change nothing.")
@json_option
@pass_session
def index(
    session: Session,
    paths: tuple[str, ...],
    rebuild: bool,
    remove: bool,
    purge: bool,
    dry_run: bool,
) -> None:
    """Bring the search index up to date. PATHs (files or folders) are searched from now on, too."""
    if remove and not paths:
        raise click.UsageError("--remove needs the PATHs to remove")
    if dry_run:
        roots = session.memory.search_index.searched
        session.emit({"dryRun": True, "roots": roots, "paths": list(paths)}, "\n".join(roots))
        return
    done = session.memory.index(paths, rebuild=rebuild, remove=remove, purge=purge)
    session.emit(done, _told(done))


@click.command()
@json_option
@pass_session
def watch(session: Session) -> None:
    """Keep the search index up to date until interrupted."""
    echo("watching; stop with Ctrl-C", err=True)
    try:
        session.memory.watch(lambda done: session.emit(done, _told(done)))
    except KeyboardInterrupt:
        echo("stopped", err=True)


def _told(done: Indexed) -> str:
    if not done.current:
        reason = done.problems[0].message if done.problems else "another process is indexing"
        return f"not up to date: {reason}"
    changed = (
        f"{counted(done.files, 'file')} read, {done.removed} removed; {counted(done.chunks, 'chunk')},"
        f" {done.embedded} of them embedded"
    )
    lines = [changed if done.files or done.removed else "up to date: no file changed"]
    lines += [f"left out: {problem.message}" for problem in done.problems]
    return "\n".join(lines)
