"""`doctor --agent`: the proof that Reverie reaches an installed agent, on this machine and today."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import click

from reverie.cli.install import make_host
from reverie.cli.terminal import echo
from reverie.core.agents.known import agent_named

if TYPE_CHECKING:
    from reverie.cli import Session
    from reverie.lab.trial import Trial


def show_trial(session: Session, agent: str) -> None:
    """Run the trial and print it; something that did not arrive makes the exit status 1."""
    from reverie.lab.trial import check_name, try_agent

    check_name(agent)
    if not session.json:
        echo(
            "Running the agent twice against a model on this machine; that takes a moment.",
            err=True,
        )
    trial = try_agent(agent, host=make_host(session, agent, "user"), env=os.environ)
    value = {"agent": trial.agent, "program": trial.program, "version": trial.version, "ok": trial.ok,
             "checks": trial.checks}  # fmt: skip
    session.emit(value, lambda: _told(trial))
    if not trial.ok:
        click.get_current_context().exit(1)


def _told(trial: Trial) -> str:
    width = max(len(check.name) for check in trial.checks)
    title = agent_named(trial.agent).title
    number = re.search(r"\d{1,9}(?:\.\d{1,9})+", trial.version)
    lines = [f"{title} {number[0] if number else trial.version} ({trial.program})"]
    lines += [
        f"  {'yes' if check.ok else 'NO '}  {check.name:<{width}}  {check.told}"
        for check in trial.checks
    ]
    held = sum(check.ok for check in trial.checks)
    lines.append(
        f"{held} of {len(trial.checks)} hold. Your own settings and memory were not touched."
    )
    return "\n".join(lines)
