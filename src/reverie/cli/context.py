"""Commands about context files: context, context archive, save, trust."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.terminal import echo
from reverie.cli.trusting import VERDICTS, ask_trust
from reverie.local.context.trust import trust_file
from reverie.types import Context, ImportFormat, Skipped

if TYPE_CHECKING:
    from reverie.memory import Memory

_UNKNOWN = (
    "its context files are loaded; its settings and hidden or untracked imports wait for `reverie trust`,"
    " or `reverie trust --no`"
)


@click.group(invoke_without_command=True)
@click.option("--format", type=click.Choice(["tree", "flat"]), help="How imported text is shown.")
@click.option("--include", multiple=True, metavar="DIR", help="Load this folder's files too.")
@click.option("--extension", multiple=True, metavar="FILE", help="Load this context file too.")
@click.option("--trusted/--untrusted", default=None, help="Override the recorded trust.")
@click.option("--files", is_flag=True, help="List the files and their tokens instead of the text.")
@json_option
@click.pass_context
def context(
    click_context: click.Context,
    format: ImportFormat | None,
    include: tuple[str, ...],
    extension: tuple[str, ...],
    trusted: bool | None,
    files: bool,
) -> None:
    """Print the context files that apply here, in order, with their imports."""
    if click_context.invoked_subcommand:
        return
    session = click_context.find_object(Session)
    assert session is not None  # noqa: S101  # the root command always makes one

    def load() -> Context:
        return session.memory.context(
            include=include, extensions=extension, trusted=trusted, format=format
        )

    found = load()
    if trusted is None and _trusted_now(session, found):
        found = load()
    if found.text or files or session.json:
        session.emit(found, lambda: _listing(found) if files else found.text, data=not files)
    else:
        echo("reverie: no context files apply here", err=True)
    if not session.json:
        for item in found.diagnostics:
            where = f"{item.path}:{item.line}" if item.line else item.path
            echo(f"reverie: {where}: {item.message} [{item.reason}]", err=True)


@context.command(short_help="Move a context file's content into a dated archive.")
@click.option(
    "--scope", type=click.Choice(["project", "global"]), default="project", show_default=True
)
@click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
@json_option
@pass_session
def archive(session: Session, scope: str, dry_run: bool) -> None:
    """Move a context file's content into a dated archive and leave an import of it."""
    from reverie.verbs.lookback import unified_diff

    outcome = session.memory.archive_context(scope=scope, dry_run=dry_run)
    if isinstance(outcome, Skipped):
        session.emit(outcome, outcome.message)
        return
    diff = "".join(unified_diff(delta) for delta in outcome.deltas)
    session.emit(
        {
            "path": outcome.path,
            "archive": outcome.archive,
            "run": outcome.run,
            "dryRun": dry_run,
            "diff": diff,
        },
        diff
        if dry_run
        else f"moved to {outcome.archive}; {outcome.path} imports it (run {outcome.run})",
    )


# A fact may begin with a dash, so this command has no short options, not even -h.
@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})
@click.argument("fact")
@click.option("--scope", metavar="global|project", help="Whose file: yours, or the project's.")
@click.option("--edit", is_flag=True, help="Open the proposed text in an editor first.")
@click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
@json_option
@pass_session
def save(session: Session, fact: str, scope: str | None, edit: bool, dry_run: bool) -> None:
    """Write FACT into a context file (AGENTS.md), which agents read whole, every time.

    For what should come up only when it is relevant, use `reverie remember`.
    """
    from reverie.verbs.lookback import unified_diff

    memory = session.memory
    if scope is None and not session.json and sys.stdin.isatty():
        scope = _ask_scope(memory, fact)
    content = base = None
    if edit:
        content, base = _edited(memory, fact, scope)
    outcome = memory.save(
        fact,
        scope=scope,
        modified_by_user=content is not None,
        modified_content=content,
        base=base,
        dry_run=dry_run,
    )
    if isinstance(outcome, Skipped):
        session.emit(outcome, outcome.message)
        return
    diff = unified_diff(outcome.delta)
    session.emit(
        {
            "scope": outcome.scope,
            "path": outcome.path,
            "fact": outcome.fact,
            "run": outcome.run,
            "dryRun": dry_run,
            "diff": diff,
        },
        diff
        if dry_run
        else f"saved in {outcome.path}: {outcome.fact}\n  undo with: reverie undo {outcome.run}",
    )


@click.command()
@click.argument("path", required=False)
@click.option("--no", "refuse", is_flag=True, help="Mark the folder as not trusted.")
@click.option("--forget", is_flag=True, help="Remove the folder's record.")
@click.option("--show", is_flag=True, help="Only say whether it is trusted, and what decides that.")
@click.option("--dry-run", is_flag=True, help="The same as --show: change nothing.")
@json_option
@pass_session
def trust(
    session: Session, path: str | None, refuse: bool, forget: bool, show: bool, dry_run: bool
) -> None:
    """Trust PATH (the project by default) and all folders below.

    A project nobody has judged is unknown: its context files are loaded and its memory/ is found, but
    its settings wait, and so do imports of hidden files and of files that git does not track. With --no
    nothing of it is used.
    """
    if show or dry_run:
        found = session.memory.trusted(path)
    else:
        wanted = None if forget else not refuse
        session.memory.trust(path, trusted=wanted)
        if session.memory.engine.name != "local":
            session.trust_folder(
                wanted
            )  # the folder's settings are read from this disk all the same
        found = session.memory.trusted(path)
    word = VERDICTS[found.verdict]
    hint = "" if found.verdict != "unknown" else f"\n  {_UNKNOWN}"
    session.emit(found, f"{found.path} is {word} (decided by {found.decided_by}){hint}")


def _trusted_now(session: Session, found: Context) -> bool:
    """Ask a person about imports that wait for trust; say whether there are more of them now."""
    waiting = [item for item in found.diagnostics if item.reason == "needs_trust"]
    space = session.memory.workspace
    if not waiting or found.verdict != "unknown":
        return False
    return ask_trust(session, space.base, trust_file(space), waiting[0].message)


def _listing(found: Context) -> str:
    lines = []
    for item in found.files:
        lines.append(f"{item.tokens:>8}  {item.source.value:<9}  {item.shown}")
        lines += [f"{'':>21}{'  ' * part.depth}{part.path}" for part in item.imports]
    return "\n".join([*lines, f"{found.tokens:>8}  tokens in {found.file_count} files"])


def _ask_scope(memory: Memory, fact: str) -> str:
    """Ask a person, with both places and a preview in sight."""
    from reverie.local.store.paths import user_home
    from reverie.verbs.save import checked_fact, save_places, scope_question

    text = checked_fact(fact)
    places = save_places(memory.verb_context, text)
    echo(scope_question(text, places, user_home=str(user_home(memory.env))), err=True)
    echo(f"\nPreview:\n{memory.dialect.section}\n{places[0].item}\n", err=True)
    answer: str = click.prompt(
        "Scope", type=click.Choice(["global", "project"]), default="project", err=True
    )
    return answer


def _edited(memory: Memory, fact: str, scope: str | None) -> tuple[str | None, str | None]:
    """Let a person edit the proposed text; the file must not have moved on meanwhile."""
    from reverie.core.text.plain import digest

    proposed = memory.save(fact, scope=scope, dry_run=True)
    if isinstance(proposed, Skipped):
        return None, None
    before, after = proposed.delta.before, proposed.delta.after or ""
    edited = click.edit(after.encode(), extension=".md")  # as bytes: line ends stay as they are
    if edited is None:
        return None, None
    return edited.decode(), digest(before) if before is not None else ""
