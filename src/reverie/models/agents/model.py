"""The agent that a person already runs, asked as a model: once, in a jail, held to limits.

Rules
- It can never call itself: its own switches start no hook and no server, a mark in the environment makes
  every hook of ours and every such model do nothing, and what happened in the jail is never learned from.
- One question at a time on a machine; who finds it busy goes on without it.
- Answers are believed as little as those of any other model.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from reverie.core.agents.naming import MARK, PREFIX
from reverie.errors import AgentRefused, BadAnswer, BadSetting, ModelError, ModelTimeout
from reverie.models.agents.commands import (
    HEADLESS,
    Headless,
    Order,
    Question,
    Result,
    checked,
    failure_of,
)
from reverie.models.agents.process import Ran, run_group
from reverie.ports import Answer, ChatMessage, Reply, ToolCall, ToolSpec
from reverie.types import Usage

_MAX_FILE: Final = 1024 * 1024
_FEATURE_SECONDS: Final = 10.0

STEP_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "calls": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "arguments": {"type": "string"}},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["text", "calls"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Site:
    """Where on this machine an agent is asked."""

    jail: Path
    find: Callable[[str], str | None]
    """Finds a program."""
    alone: Callable[[], AbstractContextManager[object]]
    """Held while an agent is asked; raises `AgentBusy` when another one is."""
    env: Mapping[str, str]
    home: Path


def agent_model(name: str, site: Site) -> AgentModel:
    """Return the model that a name means: `agent:claude-code`, `agent:codex:gpt-5-mini`."""
    agent, _, model = name.strip().removeprefix(PREFIX).partition(":")
    if agent not in HEADLESS:
        raise BadSetting(
            f"model.name is {name!r}: the agents that can be asked are {', '.join(HEADLESS)}",
            key="model.name",
        )
    return AgentModel(HEADLESS[agent], site, model.strip())


class AgentModel:
    """One agent as a model."""

    warm = False

    def __init__(self, agent: Headless, site: Site, model: str = "") -> None:
        self.agent = agent
        self.name = f"{PREFIX}{agent.name}" + (f":{model}" if model else "")
        self._site = site
        self._model = model

    def ask(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any],
        seconds: float,
        fast: bool = False,  # noqa: ARG002  # it always asks the small one
    ) -> Answer:
        """Ask one question, in a process of its own."""
        if self._site.env.get(MARK):
            raise ModelError("an agent that was asked by Reverie does not ask an agent again")
        program = self._site.find(self.agent.program)
        if not program:
            raise ModelError(
                f"there is no program {self.agent.program!r} on the PATH, so {self.name} cannot be asked"
            )
        started = time.monotonic()
        system = "\n\n".join(item.text for item in messages if item.role == "system")
        told = "\n\n".join(item.text for item in messages if item.role != "system")
        with self._site.alone():
            question = Question(system, schema, seconds, self._model)
            try:
                result = self._asked(program, question, told)
            finally:
                self._emptied()
        spent = Usage(
            model=self.name,
            tokens_in=result.tokens_in,
            tokens_out=result.tokens_out,
            duration_ms=round((time.monotonic() - started) * 1000),
        )
        try:
            return Answer(checked(result.value, schema), spent)
        except BadAnswer as error:
            error.evidence["usage"] = spent
            raise

    def step(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[ToolSpec], seconds: float
    ) -> Reply:
        """Let it think once: it answers with the calls it wants, which are ours to make."""
        offered = [
            {"name": tool.name, "about": tool.about, "parameters": tool.parameters}
            for tool in tools
        ]
        manner = (
            "You work by calls that are made for you, not by tools of your own. Answer with `calls`, each"
            " with the name of a call and its arguments as JSON text; their results come with the next"
            " message. When you are done, answer with no calls and your last words in `text`.\n\n"
            f"Calls:\n{json.dumps(offered, ensure_ascii=False)}"
        )
        talk = [ChatMessage("system", manner), *map(_told, messages)]
        answer = self.ask(talk, schema=STEP_SCHEMA, seconds=seconds)
        value = answer.value if isinstance(answer.value, Mapping) else {}
        wanted = value.get("calls")
        calls = tuple(
            ToolCall(f"call_{at}", str(item.get("name", "")), _arguments(item.get("arguments")))
            for at, item in enumerate(wanted if isinstance(wanted, list) else ())
            if isinstance(item, Mapping)
        )
        return Reply(str(value.get("text") or ""), calls, answer.usage)

    def _asked(self, program: str, question: Question, told: str) -> Result:
        jail = self._site.jail
        self._emptied()
        jail.mkdir(parents=True, exist_ok=True, mode=0o700)
        order = self._order(program, question)
        for name, text in order.files.items():
            file = jail / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        if order.schema_in_prompt:
            schema = json.dumps(question.schema, ensure_ascii=False)
            told = (
                f"{told}\n\nAnswer with one JSON object of this schema and nothing else:\n{schema}"
            )
        try:
            ran = self._run([program, *order.words], order, told, question.seconds, self._folder())
            return self._heard(ran, order, question.seconds)
        finally:
            self._removed(order)

    def _heard(self, ran: Ran, order: Order, seconds: float) -> Result:
        if ran.late:
            wrong = failure_of(ran.code, ran.err)
            if isinstance(wrong, AgentRefused):  # it kept trying all the time
                raise wrong
            raise ModelTimeout(f"{self.name} did not answer within {seconds:g} seconds")
        try:
            return self._read(ran.out, order)
        except ModelError as error:
            if ran.code and not isinstance(error, BadAnswer):
                said = error.evidence.get("said", error)
                raise failure_of(ran.code, f"{said} {ran.err}") from None
            raise

    def _order(self, program: str, question: Question) -> Order:
        """Build the call."""
        return self.agent.order(question, str(self._site.jail), self._features(program))

    def _read(self, out: str, order: Order) -> Result:
        """Read what became of it."""
        return self.agent.read(out, self._written(order))

    def _folder(self) -> str:
        """Say where it works."""
        return str(self._site.jail)

    def _run(
        self, words: Sequence[str], order: Order, told: str, seconds: float, cwd: str = ""
    ) -> Ran:
        env = {**self._site.env, **order.environment, MARK: "1"}
        cwd = cwd or str(self._site.jail)
        try:
            return run_group(words, cwd=cwd, env=env, given=told, seconds=seconds)
        except OSError as error:
            raise ModelError(f"{self.name} cannot be started: {error.strerror or error}") from None

    def _features(self, program: str) -> list[str]:
        """Ask a program which switches it knows, and name the servers it would start."""
        if not self.agent.features:
            return []
        ran = self._run([program, *self.agent.features], Order(()), "", _FEATURE_SECONDS)
        listed = self._run([program, "mcp", "list", "--json"], Order(()), "", _FEATURE_SECONDS)
        servers: list[str] = []
        with suppress(ValueError, RecursionError, TypeError, AttributeError):
            servers = [f"server {item['name']}" for item in json.loads(listed.out or "[]")]
        return [*ran.out.splitlines(), *servers]

    def _written(self, order: Order) -> dict[str, str]:
        """Return the files that the agent wrote into the jail."""
        found = {}
        for path in self._site.jail.iterdir():
            if path.name not in order.files and path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    found[path.name] = file.read(_MAX_FILE).decode("utf-8", "replace")
        return found

    def _removed(self, order: Order) -> None:
        for pattern in order.left:
            for path in self._site.home.glob(pattern.format(jail=self._site.jail.name)):
                with suppress(OSError):
                    path.unlink()

    def _emptied(self) -> None:
        """Leave nothing of a question in the jail."""
        import shutil

        shutil.rmtree(self._site.jail, ignore_errors=True)


def _told(message: ChatMessage) -> ChatMessage:
    """Write one message of a talk so that it can stand in a text with the others."""
    if message.role == "system":
        return message
    text = message.text
    if message.calls:
        calls = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
        text = f"{text}\nYour calls: {json.dumps(calls, ensure_ascii=False)}".strip()
    if message.call is not None:
        text = f"Result of {message.call.name}:\n{text}"
    return replace(message, text=f"[{message.role}]\n{text}", calls=(), call=None)


def _arguments(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value if value is not None else {})
