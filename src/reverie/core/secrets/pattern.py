"""A pattern that is compiled when it is first used.

Most patterns of the scanner serve candidates, and most texts have none: a process that writes one note
should not pay for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


class Lazy:
    """A regular expression, compiled at its first use."""

    __slots__ = ("_made", "_source")

    def __init__(self, source: str) -> None:
        self._source = source
        self._made: re.Pattern[str] | None = None

    def compiled(self) -> re.Pattern[str]:
        made = self._made
        if made is None:
            made = self._made = re.compile(self._source)
        return made

    def search(self, text: str, start: int = 0, end: int = 2**62) -> re.Match[str] | None:
        """Find the first match."""
        return self.compiled().search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = 2**62) -> re.Match[str] | None:
        """Match at one place."""
        return self.compiled().match(text, start, end)

    def finditer(self, text: str, start: int = 0, end: int = 2**62) -> Iterator[re.Match[str]]:
        """Yield every match."""
        return self.compiled().finditer(text, start, end)
