"""The trial of an installed agent: it is run against the loopback model, and what arrived is reported.

Rules
- The person's own agent is run, on a stage of its own: their settings, memory and login are not touched.
- Each check says what was looked for and, when it was not found, what to do.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reverie.core.agents.known import AGENTS
from reverie.core.showing.fence import TAG
from reverie.errors import InvalidInput
from reverie.lab.drivers import DRIVERS
from reverie.lab.stage import Stage, conversation
from reverie.local.agents.installing import Host, is_installed, plan_install
from reverie.local.store.paths import user_home

if TYPE_CHECKING:
    from reverie.lab.wires import Asked

FACT: Final = "The staging server is called heron and listens on port 8471"
LATER: Final = "The invoices are archived on the volume called magpie"
HABIT: Final = "We always deploy on Thursdays."
FIRST: Final = f"Which port does the staging server use? {HABIT}"
SECOND: Final = "Where are the invoices archived?"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked for."""

    name: str
    ok: bool
    told: str


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a trial."""

    agent: str
    program: str
    version: str
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether everything arrived."""
        return all(check.ok for check in self.checks)


_LEARNING: Final = 60.0
_NO_HOOKS: Final = 3.0  # where no hook spoke at the start, none will have learned anything


def check_name(agent: str) -> None:
    """Refuse an agent that cannot be run without a person."""
    if agent not in DRIVERS:
        raise InvalidInput(
            f"{AGENTS[agent].title} cannot be run without a person; choose one of: {', '.join(DRIVERS)}"
            if agent in AGENTS
            else f"there is no agent {agent!r}; choose one of: {', '.join(DRIVERS)}"
        )


def try_agent(agent: str, *, host: Host, env: Mapping[str, str]) -> Trial:
    """Run an agent on a stage and report what arrived.

    Args:
        host: Where the person's own settings of the agent are; they are only read.
    """
    check_name(agent)
    root = Path(
        tempfile.mkdtemp(prefix="reverie-lab-")
    ).resolve()  # agents name sessions by real paths
    try:
        with Stage(agent, root, env=env) as stage:
            return _tried(stage, host, env)
    finally:
        remove_stage(root)


def remove_stage(root: Path, *, seconds: float = 20.0) -> None:
    """Remove a stage; what still runs behind its hooks may put a file there for a moment."""
    deadline = time.monotonic() + seconds
    while root.exists() and time.monotonic() < deadline:
        shutil.rmtree(root, ignore_errors=True)
        time.sleep(0.05)


def _tried(stage: Stage, host: Host, env: Mapping[str, str]) -> Trial:
    from reverie.models.agents.process import run_group

    program = stage.agent_program
    version = run_group(
        [program, "--version"], cwd=str(stage.project), env=stage.env, seconds=30
    ).out.strip()
    stage.take_switches(user_home(env))
    stage.install()
    stage.remember(FACT)
    stage.tool = ("memory_search", {"query": "staging server"})
    ran, asked = stage.ask(FIRST)
    talk = conversation(asked)
    checks = [
        _installed(host),
        Check("runs", ran.code == 0 and bool(talk), _told(ran.err, ran.code)),
    ]
    if talk:
        arrived = _arrived(talk)
        briefed = any(check.ok for check in arrived if check.name == "briefing")
        checks += [*arrived, _learned(stage, seconds=_LEARNING if briefed else _NO_HOOKS)]
        stage.remember(LATER)
        ran, asked = stage.ask(SECOND, resume=True)
        checks += _resumed(conversation(asked))
    lines = version.splitlines()
    return Trial(host.agent.name, program, lines[-1] if lines else "", tuple(checks))


def _installed(host: Host) -> Check:
    """Look at the person's own settings, without changing them."""
    if not is_installed(host):
        told = f"not in your settings; `reverie install {host.agent.name}` puts it there"
        return Check("installed", False, told)
    if any(edit.changes for edit in plan_install(host)):
        told = f"an older part of ours is there; `reverie install {host.agent.name}` renews it"
        return Check("installed", False, told)
    return Check("installed", True, "your settings hold what this version writes")


def _arrived(talk: list[Asked]) -> list[Check]:
    first = talk[0]
    fenced = TAG in first.text
    offered = first.use("memory_search", {}) is not None
    used = [item for item in talk if item.last.role == "tool"]
    answered = bool(used) and "8471" in used[0].last.text
    return [
        Check(
            "briefing",
            fenced and "heron" in first.text,
            "what is kept stands in the first request" if fenced else "nothing of ours is in it",
        ),
        Check(
            "tools at once",
            offered,
            "the first request offers our tools"
            if offered
            else "the first request has no tool of ours",
        ),
        Check(
            "tool round trip",
            answered,
            "a search through the tool answered" if answered else "no answer of the tool came back",
        ),
        _fenced(used[0]) if used else Check("fenced", False, "there was no answer to look at"),
        _once(first),
    ]


def _fenced(asked: Asked) -> Check:
    ok = TAG in asked.last.text
    told = (
        "the tool's answer is marked as data" if ok else "the tool's answer came without our marks"
    )
    return Check("fenced", ok, f"{told} ({len(asked.last.text)} characters)")


def _once(asked: Asked, fact: str = FACT) -> Check:
    count = asked.text.count(fact)
    often = "once" if count == 1 else f"{count} times"
    return Check("nothing twice", count <= 1, f"the memory stands in the request {often}")


def _learned(stage: Stage, *, seconds: float) -> Check:
    ok = stage.learns("Thursdays", seconds=seconds)
    told = "what you said was kept" if ok else "what you said was not kept; `reverie log --events`"
    return Check("learning", ok, told)


def _resumed(talk: list[Asked]) -> list[Check]:
    if not talk:
        return [Check("resume", False, "the session could not be gone on with")]
    text = talk[0].text
    return [
        Check(
            "recall",
            "magpie" in text,
            _found("the memory that the question needs", "magpie" in text),
        ),
        Check("resume", FIRST in text, _found("what you said first", FIRST in text)),
    ]


def _found(what: str, ok: bool) -> str:
    return f"{what} is in the request" if ok else f"{what} is not in the request"


def _told(err: str, code: int) -> str:
    lines = [line for line in err.splitlines() if line.strip()]
    return "it answered" if code == 0 else f"exit status {code}: {' '.join(lines[-2:])[:300]}"
