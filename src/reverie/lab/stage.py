"""A home and a project of their own, in which an agent is run with Reverie installed.

Rules
- Everything is below one folder that whoever made the stage removes again.
- Reverie is installed and called as a person does it; only the agent's model is ours.
- Nothing of the person is copied but the switches that could keep us from being heard.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from reverie.client import resident
from reverie.core.agents import json_edit
from reverie.core.agents.known import agent_named
from reverie.errors import ConfigUnreadable
from reverie.lab.drivers import DRIVERS, environment, find_agent, prepare, run_agent
from reverie.lab.loopback import Loopback
from reverie.lab.wires import Asked, Reply
from reverie.local.agents.installing import (
    Host,
    apply_edits,
    own_program,
    plan_install,
    plan_uninstall,
)
from reverie.memory import Memory
from reverie.types import Scope

if TYPE_CHECKING:
    from reverie.lab.drivers import Driver
    from reverie.models.agents.process import Ran
    from reverie.types import Topic

ANSWER: Final = "Understood."
_THREAD: Final = re.compile(r'"thread_id":"([0-9a-f-]{36})"')
_STEP: Final = 0.1


class Stage:
    """One agent on its stage; used as a context, in which its model listens."""

    def __init__(
        self,
        agent: str,
        root: Path,
        *,
        env: Mapping[str, str],
        program: Sequence[str] = (),
    ) -> None:
        self.driver: Driver = DRIVERS[agent]
        self.agent_program = find_agent(self.driver, env)
        self.home, self.project = root / "home", root / "project"
        self._env = env
        self._reverie = list(program) or own_program()
        self.model = Loopback(self._script)
        self.tool: tuple[str, Mapping[str, Any]] | None = None
        """The tool that the model asks for, once, as soon as it is offered."""
        self.answer = ANSWER
        self.session = ""
        (self.project / ".git").mkdir(parents=True)
        self.home.mkdir()
        prepare(self.driver, self.home)

    def __enter__(self) -> Stage:
        self.model.__enter__()
        return self

    def __exit__(self, *ended: Any) -> None:
        resident.end(str(self.home / ".reverie" / "state"))
        self.model.__exit__(*ended)

    @property
    def env(self) -> dict[str, str]:
        """The environment of the agent and of everything it starts."""
        return environment(self.driver, home=self.home, url=self.model.url, env=self._env)

    def host(self) -> Host:
        """Return where the agent's settings are on this stage."""
        agent, state = agent_named(self.driver.agent), self.home / ".reverie" / "state"
        return Host(agent, Scope.USER, str(self.project), state, self.env, self._reverie)

    def install(self) -> None:
        """Put Reverie into the agent's settings."""
        apply_edits(self.host(), plan_install(self.host()), now=datetime.now(UTC))

    def uninstall(self) -> None:
        """Take Reverie out of them again."""
        host = self.host()
        apply_edits(host, plan_uninstall(host), now=datetime.now(UTC), undo=True)

    def take_switches(self, home: Path) -> None:
        """Copy from a person's settings what could keep us from being heard, and nothing else."""
        name, keys = self.driver.switches
        file = home / name
        if not name or not file.is_file():
            return
        try:
            theirs = json_edit.read(file.read_text(encoding="utf-8"))
        except (ConfigUnreadable, ValueError, OSError):
            return
        mine = self.home / name
        value = json.loads(mine.read_text(encoding="utf-8")) if mine.exists() else {}
        for key in keys:
            _copy(theirs, value, key.split("."))
        mine.parent.mkdir(parents=True, exist_ok=True)
        mine.write_text(json.dumps(value, indent=2), encoding="utf-8")

    def memory(self) -> Memory:
        """Open the memory of the stage."""
        env = {name: value for name, value in self.env.items() if name != "OPENAI_MODEL"}
        return Memory.open(self.project, env=env, home=self.home / ".reverie")

    def remember(self, text: str) -> None:
        """Keep one thing, as a person does."""
        with self.memory() as memory:
            memory.remember(text, scope=Scope.PROJECT)

    def topics(self) -> list[Topic]:
        """Return everything that is kept."""
        with self.memory() as memory:
            return list(memory.store.topics())

    def learns(self, words: str, *, seconds: float = 60.0) -> bool:
        """Wait until something with these words is kept: learning goes on after the agent has answered."""
        return self.waits(
            lambda: any(words in topic.text for topic in self.topics()), seconds=seconds
        )

    def waits(self, found: Callable[[], bool], *, seconds: float) -> bool:
        """Wait until something is so; say whether it is."""
        deadline = time.monotonic() + seconds
        while not found():
            if time.monotonic() > deadline:
                return False
            time.sleep(_STEP)
        return True

    def ask(
        self,
        prompt: str,
        *,
        resume: bool = False,
        options: Sequence[str] = (),
        before: Sequence[str] = (),
        seconds: float = 180.0,
    ) -> tuple[Ran, list[Asked]]:
        """Say something to the agent; return its run, and what its model was asked meanwhile."""
        known = len(self.model.asked)
        if not resume:
            self.session = str(uuid.uuid4()) if self.driver.named else ""
        ran = run_agent(
            self.driver,
            prompt,
            program=self.agent_program,
            home=self.home,
            project=self.project,
            url=self.model.url,
            env=self._env,
            session=self.session,
            resume=resume,
            options=options,
            before=before,
            seconds=seconds,
        )
        if found := _THREAD.search(ran.out):
            self.session = found[1]
        return ran, self.model.asked[known:]

    def _script(self, asked: Asked) -> Reply:
        if self.tool is not None and asked.last.role != "tool":
            call = asked.use(*self.tool)
            if call is not None:
                self.tool = None
                return call
        return Reply(self.answer)


def conversation(asked: Sequence[Asked]) -> list[Asked]:
    """Return the questions of the conversation itself: agents ask their models other things, too."""
    return [item for item in asked if item.tools]


def _copy(theirs: Any, mine: dict[str, Any], keys: Sequence[str]) -> None:
    first, *rest = keys
    if not isinstance(theirs, dict) or first not in theirs:
        return
    if not rest:
        mine[first] = theirs[first]
        return
    part = mine.setdefault(first, {})
    _copy(theirs[first], part, rest)
    if not part:
        mine.pop(first)
