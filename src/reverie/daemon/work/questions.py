"""Questions that only read, by name: what a worker thread answers here, or a reader in its own process.

A question holds plain values, so that it can be sent to another process, and so does the way to open a
memory there. The answer is the JSON of the route, written once where it was found.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from reverie.core.wire import to_json
from reverie.memory import Memory
from reverie.types import Isolation, Skipped

if TYPE_CHECKING:
    from reverie.config import Settings


@dataclass(frozen=True, slots=True)
class Question:
    """A verb that reads, and what it is asked."""

    verb: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def ask(self, memory: Memory) -> bytes:
        """Ask a memory; return the answer as it goes to the caller."""
        return to_json(outcome(_VERBS[self.verb](memory, **self.arguments)))

    def plain(self) -> dict[str, Any]:
        """Return it as plain values."""
        seen = self.arguments.get("isolation")
        given = {"isolation": asdict(seen)} if seen is not None else {}
        return {"verb": self.verb, "arguments": {**self.arguments, **given}}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Question:
        """Make it from plain values again."""
        arguments = dict(plain["arguments"])
        if seen := arguments.get("isolation"):
            seen["allowed_paths"] = tuple(seen["allowed_paths"])
            arguments["isolation"] = Isolation(**seen)
        return cls(plain["verb"], arguments)


def plain_opening(opener: Callable[[], Memory]) -> dict[str, Any] | None:
    """Return how to open a memory elsewhere; None where it holds parts of this process."""
    if not isinstance(opener, partial) or opener.func != Memory.open or len(opener.args) != 1:
        return None
    given = {"workspace": opener.args[0], **opener.keywords}
    given = {name: os.fspath(v) if isinstance(v, os.PathLike) else v for name, v in given.items()}
    try:
        json.dumps(given)
    except TypeError:
        return None
    return given


def waits_for_others(settings: Settings) -> bool:
    """Say whether a model or an embedder elsewhere is asked, too: that takes time, but no processor."""
    return bool(settings.model.name) or settings.embedder.provider not in _OWN_EMBEDDERS


def outcome(value: object) -> Any:
    """Say what an outcome is to answer with; a skip says so instead of looking like an empty success."""
    if isinstance(value, Skipped):
        return {"status": "skipped", "reason": value.reason, "message": value.message}
    return value if is_dataclass(value) or isinstance(value, Mapping) else {"value": value}


def _log(memory: Memory, *, limit: int, path: str | None) -> object:
    return {"runs": memory.log(limit=limit, path=path)}


_OWN_EMBEDDERS: Final = ("auto", "none", "embedded", "multilingual")
_VERBS: Final[Mapping[str, Callable[..., object]]] = {
    "recall": lambda memory, **given: memory.recall(**given),
    "search": lambda memory, **given: memory.search(**given),
    "get": lambda memory, path, lines, **given: memory.get(path, lines, **given),
    "stats": lambda memory, **given: memory.stats(**given),
    "context": lambda memory, **given: memory.context(**given),
    "prompt": lambda memory, **given: memory.prompt(**given),
    "log": _log,
}
