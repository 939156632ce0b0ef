"""What context files are read with, and what is shown of a topic in a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from reverie.types.context import Found, ImportRule, Refused


class Reader(Protocol):
    """Where texts come from: the disk, or a dictionary in a test."""

    def exists(self, path: str) -> bool:
        """Say whether there is anything at all."""
        ...

    def is_file(self, path: str) -> bool:
        """Say whether there is a regular file."""
        ...

    def read(self, path: str, *, roots: Sequence[str] | None) -> Found | Refused:
        """Return a text whose real path is inside one of the roots (None: anywhere)."""
        ...

    def is_link(self, path: str) -> bool:
        """Say whether a path is another name of a file."""
        ...

    def refuses(self, path: str, rule: ImportRule) -> Refused | None:
        """Say why a rule keeps a file from being imported, if it does; nothing of it is read for that."""
        ...

    def rule_of(self, path: str, rule: ImportRule) -> ImportRule:
        """Return what a file may import that was itself imported under a rule."""
        ...


class Shown(Protocol):
    """What is shown of one topic."""

    @property
    def rel(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def lines(self) -> str: ...
    @property
    def updated(self) -> datetime | None: ...
    @property
    def truncated(self) -> bool: ...
    @property
    def imported(self) -> str: ...
    @property
    def named_before(self) -> bool: ...
