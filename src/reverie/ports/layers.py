"""The layers of one agent: its folder and its history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from reverie.types import (
        Scope,
        Turn,
        TurnMessage,
    )
    from reverie.types.turns import Appended, Reading, Redact


class AgentTree(Protocol):
    """The folder of one agent's layers: what lies in it, and the small files that steer its jobs."""

    root: str

    def markdown(self, folder: str) -> list[str]:
        """Return the Markdown files below a folder, as paths relative to the tree, sorted."""
        ...

    def read_control(self, name: str) -> dict[str, Any]:
        """Return a control file, empty when there is none."""
        ...

    def write_control(self, name: str, value: dict[str, Any]) -> None: ...

    def controls(self, folder: str) -> list[str]:
        """Return the control files below a folder, relative to the tree, sorted."""
        ...

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Hold a lock for as long as the block runs, or yield False when another holds it."""
        ...

    def make_folders(self) -> None:
        """Make the folders of the tree, where an engine has folders."""
        ...


class TurnLog(Protocol):
    """The history of one agent, read."""

    def head(self) -> int:
        """Return the highest number ever given."""
        ...

    def take(self, seq: int, *, limit: int, own: bool = False) -> Sequence[Turn]:
        """Return the first turns above a number, oldest first; `own` leaves out imported ones."""
        ...

    def recent(self, limit: int, *, checkpoint: int) -> Sequence[Turn]:
        """Return the last own turns above a checkpoint, oldest first."""
        ...


class History(TurnLog, Protocol):
    """The history of one agent, read and appended to."""

    def append(
        self, messages: Sequence[TurnMessage], *, session: str = "", at: datetime | None = None
    ) -> Appended: ...

    def append_all(self, drafts: Iterable[Turn]) -> Appended: ...

    def count(self) -> int: ...

    def get(self, seq: int) -> Turn | None: ...

    def latest(self, limit: int, *, before: int | None = None, own: bool = False) -> Reading: ...

    def since(self, seq: int, *, limit: int, own: bool = False) -> Reading: ...

    def replay(self, limit: int, *, checkpoint: int) -> Reading: ...

    def close(self) -> None: ...


class LayerEngine(Protocol):
    """Where the layers are kept."""

    def tree(self) -> AgentTree: ...

    def history(self, redact: Redact | None) -> History: ...

    def closed_scopes(self) -> tuple[Scope, ...]:
        """Name the memories that came with a project nobody trusts: nothing of them enters a prompt."""
        ...


class Turns(Protocol):
    """A history that gives its turns and takes turns back."""

    def since(self, seq: int, *, limit: int, own: bool = False) -> Reading: ...

    def holds(self, turn: Turn) -> bool: ...

    def restore(self, given: Iterable[Turn]) -> Appended: ...

    def append_all(self, drafts: Iterable[Turn]) -> Appended: ...

    def close(self) -> None: ...
