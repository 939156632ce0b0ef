"""Small facts about text that several rules need: its hash, its width, its line ends, what is in it."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from hashlib import sha256

TYPE_CHECKING = False  # not from `typing`: a hook reads this
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Lazy:
    """A regular expression, compiled at its first use.

    Most patterns serve few texts, and a process that answers one prompt or writes one note should not pay for
    the others: to compile one takes as long as to search a hundred texts. It is made of our own words alone,
    never of what somebody said: a command may keep it for the next one.
    """

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


_ABBREVIATION = Lazy(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|mr|mrs|ms|dr|prof|st|no|nr|cf|z\.b|d\.h|bzw|usw|p\.ej|ej|т\.е|"
    r"т\.д|т\.п)|\b[A-Za-z])\Z",
    re.I,
)
_LONGEST_ABBREVIATION = 12


def ends_abbreviated(before: str) -> bool:
    """Say whether a full stop after a text belongs to an abbreviation, so that it ends no sentence."""
    return _ABBREVIATION.search(before[-_LONGEST_ABBREVIATION:]) is not None


def digest(text: str) -> str:
    """Return the content hash by which changes are planned on a text.

    Surrogates (bytes that were not UTF-8, kept by `surrogateescape`) are hashed as those bytes.
    """
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def is_text(text: str) -> bool:
    """Say whether a text can be written as UTF-8: it holds no half of a character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def rejoined(text: str) -> str:
    """Join halves of characters that were escaped one by one; a half that is alone is replaced.

    A file of proper UTF-8 can bring such halves by escapes of JSON and YAML.
    """
    if is_text(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable(text: str) -> str:
    """Write what is half a character as an escape, so that a name or a note can be kept and shown."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def width(text: str) -> int:
    """Count columns: wide East Asian characters count two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def newline_of(text: str) -> str:
    """Return the line end a file uses, so that added lines look like its own."""
    crlf = text.count("\r\n")
    return "\r\n" if crlf and crlf * 2 >= text.count("\n") else "\n"


def has_digit(text: str) -> bool:
    """Tell whether a digit of any script is in a text; most words are nothing but letters."""
    return not text.isalpha() and any(map(str.isdigit, text))


class AnyCase:
    """A pattern in small letters, looked for in texts of any case.

    Python tries every branch of a pattern at every character when it has to ignore the case. ASCII text
    is made small instead, which is up to three times as quick and finds the same.
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def found_in(self, text: str) -> bool:
        """Tell whether a text has the pattern anywhere."""
        if text.isascii():
            return bool(self._small.search(text.lower()))
        return bool(self._any.search(text))

    @cached_property
    def _small(self) -> re.Pattern[str]:
        return Lazy(self._pattern).compiled()

    @cached_property
    def _any(self) -> re.Pattern[str]:
        return Lazy(self._pattern, re.I).compiled()
