"""Logs: the items of a conversation, in order, as Markdown files of one session's folder.

Rules
- Every addition is a file of its own, numbered: a long conversation costs no more per turn than a
  short one, in the files and in the journal.
- Taking the last item back removes it from its file; the file goes with its last item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reverie.adapters.records import file_name, from_text, to_text, write
from reverie.core.text.plain import digest
from reverie.errors import StoreError
from reverie.types import Change

if TYPE_CHECKING:
    from reverie.memory import Memory

_DIGITS = 8


class Log:
    """The items of one session."""

    def __init__(self, memory: Memory, name: str, session: str) -> None:
        self._memory = memory
        self._name = name
        self._session = session
        self._folder = f"stores/{name}/{file_name(session)}"

    def add(self, items: Sequence[Any]) -> None:
        """Append items, all or none."""
        if not items:
            return

        def plan() -> list[Change]:
            files = self._files()
            last = _number(files[-1]) if files else 0
            return [Change(self._path(last + 1), self._text(items, last + 1), None)]

        write(self._memory, plan, verb=self._name)

    def items(self, limit: int | None = None) -> list[Any]:
        """Return the items, oldest first; of many only the last ones."""
        if limit is not None and limit <= 0:
            return []
        found: list[Any] = []
        for path in reversed(self._files()):
            found = [*self._read(path)[1], *found]
            if limit is not None and len(found) >= limit:
                return found[-limit:]
        return found

    def pop(self) -> Any | None:
        """Remove the last item and return it; None when there is none."""
        popped: list[Any] = []

        def plan() -> list[Change]:
            popped.clear()
            for path in reversed(self._files()):
                text, items = self._read(path)
                if items:
                    popped.append(items[-1])
                    left = self._text(items[:-1], _number(path)) if items[:-1] else None
                    return [Change(path, left, digest(text))]
            return []

        write(self._memory, plan, verb=self._name)
        return popped[0] if popped else None

    def replace(self, items: Sequence[Any]) -> None:
        """Put these items in the place of all others, as one run."""

        def plan() -> list[Change]:
            files = self._files()
            changes = [Change(path, None, digest(self._read(path)[0])) for path in files]
            if items:
                last = _number(files[-1]) if files else 0
                changes.append(Change(self._path(last + 1), self._text(items, last + 1), None))
            return changes

        write(self._memory, plan, verb=self._name)

    def clear(self) -> None:
        """Remove every item of the session."""
        self.replace(())

    def _files(self) -> list[str]:
        found = self._memory.layers.tree.markdown(self._folder)
        return [
            f"{self._memory.layers.root}/{rel}"
            for rel in found
            if rel.rsplit("/", 1)[-1].removesuffix(".md").isdecimal()
        ]

    def _path(self, number: int) -> str:
        return f"{self._memory.layers.root}/{self._folder}/{number:0{_DIGITS}d}.md"

    def _text(self, items: Sequence[Any], number: int) -> str:
        return to_text(
            f"{self._session} / {number}", {"session": self._session, "items": list(items)}
        )

    def _read(self, path: str) -> tuple[str, list[Any]]:
        text = self._memory.store.read(path)
        if text is None:  # removed by another program between listing and reading
            return "", []
        try:
            items = from_text(text)["items"]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(
                f"{path} cannot be read as part of a conversation: {error}; put it right or move it"
                " away",
                path=path,
            ) from None
        if not isinstance(items, list):
            raise StoreError(f"{path}: items must be a list; correct it or move it away")
        return text, items


def _number(path: str) -> int:
    return int(path.rsplit("/", 1)[-1].removesuffix(".md"))
