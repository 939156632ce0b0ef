"""A pattern that is compiled when it is first used.

Most patterns serve few texts, and a process that answers one prompt or writes one note should not pay for the
others: to compile one takes as long as to search a hundred texts.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # not from `typing`: a hook reads this
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Lazy:
    """A regular expression, compiled at its first use."""

    __slots__ = ("_flags", "_made", "_source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags
        self._made: re.Pattern[str] | None = None

    def compiled(self) -> re.Pattern[str]:
        """Return the pattern itself."""
        made = self._made
        if made is None:
            made = self._made = re.compile(self._source, self._flags)
        return made

    def search(self, text: str, start: int = 0, end: int = 2**62) -> re.Match[str] | None:
        """Find the first match."""
        return self.compiled().search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = 2**62) -> re.Match[str] | None:
        """Match at one place."""
        return self.compiled().match(text, start, end)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Match the whole of a text."""
        return self.compiled().fullmatch(text)

    def finditer(self, text: str, start: int = 0, end: int = 2**62) -> Iterator[re.Match[str]]:
        """Yield every match."""
        return self.compiled().finditer(text, start, end)

    def findall(self, text: str) -> list[Any]:
        """Return what every match says."""
        return self.compiled().findall(text)

    def sub(self, put: str, text: str) -> str:
        """Put something in the place of every match."""
        return self.compiled().sub(put, text)
