"""Context files read from rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import InvalidPath, NotText
from reverie.postgres.place import normal
from reverie.types.context import Found, Refused

if TYPE_CHECKING:
    from reverie.postgres.store.rowstore import PgStore
    from reverie.types.context import ImportRule


@dataclass(slots=True)
class RowReader:
    """Reads texts by their paths and says of each why it may not be used."""

    store: PgStore
    limit: int

    def exists(self, path: str) -> bool:
        """Say whether there is a file."""
        return self.is_file(path)

    def is_file(self, path: str) -> bool:
        """Say whether there is a file."""
        try:
            return self.store.read(path) is not None
        except (InvalidPath, NotText):
            return False

    def is_link(self, path: str) -> bool:  # noqa: ARG002
        """Say no: rows have one name."""
        return False

    def refuses(self, path: str, rule: ImportRule) -> Refused | None:  # noqa: ARG002
        """Refuse nothing: there is no repository, only what was written into this memory."""
        return None

    def rule_of(self, path: str, rule: ImportRule) -> ImportRule:  # noqa: ARG002
        """Return the same rule for whatever is imported."""
        return rule

    def read(self, path: str, *, roots: Sequence[str] | None) -> Found | Refused:
        """Return a text whose path is inside one of the roots (None: anywhere)."""
        try:
            real = normal(path)
            inside = roots is None or any(
                real == root or real.startswith(f"{root.rstrip('/')}/") for root in roots
            )
            if not inside:
                return Refused("outside", f"{path} is outside the folders that may be read here")
            text = self.store.read(real)
        except (InvalidPath, NotText) as error:
            return Refused("unreadable", f"{path} cannot be read: {error}")
        if text is None:
            return Refused("missing", f"there is no file {path}")
        size = len(text.encode("utf-8"))
        if size > self.limit:
            return Refused(
                "too_large",
                f"{real} has {size:,} bytes, over context.max_file_bytes ({self.limit:,})",
            )
        if "\x00" in text:
            return Refused("binary", f"{real} is a binary file; only text is loaded")
        return Found(real, text, size)
