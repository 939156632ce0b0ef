"""Commands about agents: install, uninstall, status."""

from __future__ import annotations

import difflib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reverie.cli import Session, json_option, pass_session
from reverie.cli.judging import end_judging, judge_option, offer_judging
from reverie.cli.running import running_daemon, told_daemon
from reverie.cli.terminal import echo
from reverie.cli.trusting import told_trust, told_verdict
from reverie.core.agents.known import AGENTS, agent_named

if TYPE_CHECKING:
    from reverie.local.agents.installing import FileEdit, Host
    from reverie.local.agents.machine import MachineAgent, MachineMemory

_AGENT = click.argument("agent", metavar="AGENT", type=click.Choice(list(AGENTS)))
_SCOPE = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="For every project of yours, or for this one alone.",
)
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change, change nothing.")
_INSTALLED = {"user": "installed for all projects", "project": "installed for this project"}
_YES = click.option("--yes", is_flag=True, help="Do not ask.")


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of an installation."""

    agent: str
    scope: str
    files: tuple[str, ...]
    """Files that were changed, or would be."""
    diff: str
    applied: bool
    summary: str


@click.command()
@_AGENT
@_SCOPE
@click.option(
    "--lead",
    type=click.Choice(["agent", "reverie"]),
    default="agent",
    show_default=True,
    help="Which memory leads where the agent keeps one of its own; reverie switches that off.",
)
@_DRY_RUN
@_YES
@judge_option
@json_option
@pass_session
def install(
    session: Session,
    agent: str,
    scope: str,
    lead: str,
    dry_run: bool,
    yes: bool,
    judge: bool | None,
) -> None:
    """Put Reverie's hooks and its MCP server into AGENT's settings; shows the diff first.

    AGENT is claude-code, codex, gemini, qwen or cursor.
    """
    from reverie.local.agents.installing import plan_install

    host = make_host(session, agent, scope)
    edits = [edit for edit in plan_install(host, lead=lead == "reverie") if edit.changes]
    done = _carry_out(session, host, edits, dry_run=dry_run, yes=yes, undo=False)
    if done:
        words = f"Reverie is installed in {host.agent.title}. {host.agent.afterwards}"
        words += offer_judging(session, host, judge, ask=not yes)
        if scope == "project":
            words += " The files name this machine's paths; keep them out of version control."
    else:
        words = f"Nothing was changed in {host.agent.title}."
        words = words if edits else f"Reverie is installed in {host.agent.title} already."
        if judge is not None and not edits and not dry_run:
            words += offer_judging(session, host, judge, ask=False)
    if host.agent.native is not None and lead == "agent" and (done or not edits):
        words += f" {_leading(session, host)}"
    _report(session, host, edits, done, words)


@click.command()
@_AGENT
@_SCOPE
@_DRY_RUN
@_YES
@json_option
@pass_session
def uninstall(session: Session, agent: str, scope: str, dry_run: bool, yes: bool) -> None:
    """Take Reverie out of AGENT's settings; everything else in them stays.

    AGENT is claude-code, codex, gemini, qwen or cursor.
    """
    from reverie.local.agents.installing import plan_uninstall

    host = make_host(session, agent, scope)
    edits = [edit for edit in plan_uninstall(host) if edit.changes]
    done = _carry_out(session, host, edits, dry_run=dry_run, yes=yes, undo=True)
    words = f"Reverie is out of {host.agent.title}; your memory is untouched."
    if done:
        words += end_judging(session, host)
    else:
        words = f"Nothing was changed in {host.agent.title}."
        words = words if edits else f"Reverie is not installed in {host.agent.title}."
    _report(session, host, edits, done, words)


@click.command()
@json_option
@pass_session
def status(session: Session) -> None:
    """List every memory on this machine, and the agents that Reverie is installed in."""
    from reverie.local.agents.machine import agents_here, memories_here
    from reverie.local.agents.standing import standing as agents_standing

    memory = session.memory
    state = Path(memory.workspace.state)
    agents = agents_here(memory.workspace, state=state, env=os.environ)
    memories = memories_here(
        memory.workspace, state=state, env=os.environ, searched=memory.search_index.searched
    )
    trust = told_trust(memory)
    standing = agents_standing(memory.workspace, dialect=memory.dialect.name, env=os.environ)
    daemon = running_daemon(state)
    value = {
        "agents": agents,
        "memories": memories,
        "trust": trust,
        "problems": standing,
        "daemon": daemon,
    }
    session.emit(
        value,
        lambda: (
            f"{_status(agents, memories, now=memory.dialect.name)}\n\n"
            f"{told_verdict(trust)}\n{told_daemon(memory, daemon)}"
            + "".join(f"\n{item.message}" for item in standing)
        ),
    )


def _leading(session: Session, host: Host) -> str:
    """Say which memory leads, where the agent keeps one of its own."""
    from reverie.local.agents.installing import settings_of
    from reverie.local.agents.standing import leading
    from reverie.local.settings import choose_dialect

    native = host.agent.native
    if native is None or native.is_off(settings_of(host), os.environ):
        return "Its own memory is off, so Reverie's leads."
    home, given = session.options.get("home"), session.options.get("dialect")
    return leading(host.agent, choose_dialect(given, home=home, env=os.environ).name).message


def make_host(session: Session, agent: str, scope: str) -> Host:
    """Say where the settings of an agent are, and what they are to call."""
    from reverie.core.scopes import read_scope
    from reverie.local.agents.installing import Host, own_program
    from reverie.local.settings import choose_dialect
    from reverie.local.store.paths import base_folder, find_project_root, real_folder

    home, dialect = session.options.get("home"), session.options.get("dialect")
    names = choose_dialect(dialect, home=home, env=os.environ)
    base = base_folder(names, home=home, env=os.environ)
    here = real_folder(session.options.get("workspace") or ".")
    options = ["--home", str(base)] if home or os.environ.keys() & set(names.home_env) else []
    options += ["--dialect", names.name] if names.name != "reverie" else []
    return Host(
        agent_named(agent),
        read_scope(scope),
        str(find_project_root(here) or here),
        base / names.state_dir,
        os.environ,
        own_program(),
        options,
    )


def _carry_out(
    session: Session, host: Host, edits: list[FileEdit], *, dry_run: bool, yes: bool, undo: bool
) -> bool:
    """Show the changes, ask, and write them; return whether they were written."""
    from reverie.local.agents.installing import apply_edits

    if not session.json:
        echo(_diff(edits), nl=False)
    if not edits or dry_run:
        return False
    if not yes:
        if session.json or not sys.stdin.isatty():
            raise click.UsageError("nothing was changed; add --yes to write this")
        if not click.confirm(f"Change {host.agent.title}'s settings like this?", err=True):
            return False
    from datetime import UTC, datetime

    apply_edits(host, edits, now=datetime.now(UTC), undo=undo)
    return True


def _report(session: Session, host: Host, edits: list[FileEdit], done: bool, words: str) -> None:
    files = tuple(edit.path for edit in edits)
    outcome = _Outcome(host.agent.name, host.scope, files, _diff(edits), done, words)
    session.emit(outcome, words)


def _diff(edits: list[FileEdit]) -> str:
    lines: list[str] = []
    for edit in edits:
        before = "/dev/null" if edit.before is None else edit.path
        after = "/dev/null" if edit.after is None else edit.path
        lines += difflib.unified_diff(
            _lines(edit.before), _lines(edit.after), before, after, lineterm=""
        )
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str | None) -> list[str]:
    return (text or "").removeprefix("\ufeff").splitlines()


def _status(agents: list[MachineAgent], memories: list[MachineMemory], *, now: str) -> str:
    """Lay it out; the dialect that is used `now` need not be named."""
    lines = []
    for agent in agents:
        how = " and ".join(_INSTALLED[scope] for scope in agent.installed)
        how = how or (
            f"not installed; `reverie install {agent.name}` does it"
            if agent.present
            else "not found on this machine"
        )
        lines.append(f"{agent.title:<13} {how}")
    lines.append("")
    for item in memories:
        newest = item.newest.date().isoformat() if item.newest else "-"
        known = "searched" if item.searched else f"not searched; reverie index {item.path}"
        opened = f", opens with --dialect {item.dialect}" if item.dialect not in ("", now) else ""
        lines.append(f"{item.agent or 'any agent'}: {item.what}{opened}")
        lines.append(f"  {item.path}")
        count = "1 file" if item.files == 1 else f"{item.files} files"
        lines.append(f"  {count}, newest {newest}, {known}")
    if not memories:
        lines.append("No memory yet.")
    return "\n".join(lines)
