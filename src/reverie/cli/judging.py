"""Asking once whether an agent may judge what is worth keeping, and taking that back again."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from reverie.cli import Session
    from reverie.local.agents.installing import Host

_ANSWERS = "consents.json"
judge_option = click.option(
    "--judge/--no-judge",
    default=None,
    help="Let the agent judge what is worth keeping, or not; asked once if you say neither.",
)


def offer_judging(session: Session, host: Host, judge: bool | None, *, ask: bool) -> str:
    """Ask whether the agent may serve as the model; return what there is to say about it.

    Without a yes nothing is changed. A person is asked once, on a terminal; a model that is set already
    is left alone.
    """
    from reverie.core.agents.naming import PREFIX
    from reverie.models.agents.commands import HEADLESS

    agent = HEADLESS.get(host.agent.name)
    if agent is None or (judge is None and session.resolved.settings.model.name):
        return ""
    wanted = f"{PREFIX}{agent.name}"
    if judge is None:
        if not ask or session.json or not sys.stdin.isatty() or _was_asked(host):
            return ""
        daily = session.resolved.settings.model.agent_calls_a_day
        question = (
            f"May {host.agent.title} also judge what is worth keeping from your conversations? It would"
            " then be asked, without tools, at the end of a session, before a conversation is"
            f" shortened, in dreams and when you forget something: at most {daily} times a day, each"
            f" time some thousand tokens, paid from {agent.pool}. Everything works without it, too."
        )
        try:
            judge = click.confirm(question, default=False, err=True)
        except click.Abort:  # what was installed stays; the question comes again another time
            return ""
        _note_answer(host, judge)
    if not judge:
        return ""
    from reverie.local.settings import set_value

    set_value(session.user_settings_file, "model.name", wanted)
    return (
        f" It judges what is worth keeping (model.name = {wanted});"
        ' `reverie config set model.name ""` ends that.'
    )


def end_judging(session: Session, host: Host) -> str:
    """Take an agent that is uninstalled out of the settings as the model; return what to say of it."""
    from reverie.core.agents.naming import PREFIX
    from reverie.local.settings import set_value

    name = session.resolved.settings.model.name
    if name.partition(":")[2].partition(":")[0] != host.agent.name or not name.startswith(PREFIX):
        return ""
    set_value(session.user_settings_file, "model.name", "")
    return " It no longer judges what is worth keeping."


def _was_asked(host: Host) -> bool:
    from reverie.local.store.control import read_json

    answers = read_json(host.state / _ANSWERS, now=datetime.now(UTC), problems=[])
    return f"judge:{host.agent.name}" in answers


def _note_answer(host: Host, judge: bool) -> None:
    from reverie.local.store.control import read_json, write_json

    file, now = host.state / _ANSWERS, datetime.now(UTC)
    answers = read_json(file, now=now, problems=[])
    answer = {"answer": "yes" if judge else "no", "at": now.isoformat()}
    write_json(file, {**answers, f"judge:{host.agent.name}": answer})
