"""The bytes of stored words: in a file that is open, or put together here and not stored yet."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    _Given = ParamSpec("_Given")
    _Told = TypeVar("_Told")


class Torn(ValueError):
    """The stored words are not whole, or cannot be read."""

    def __init__(self) -> None:
        super().__init__("the word file is torn")


class InMemory:
    """Words that were put together here and are not stored."""

    __slots__ = ("_data", "size")

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self.size = len(data)

    def read(self, at: int, size: int) -> bytes:
        """Return so many bytes from a place on."""
        return bytes(self._data[at : at + size])


class OnDisk:
    """A stored file, open for as long as it is used: it is replaced as a whole and never written to."""

    __slots__ = ("_descriptor", "size")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    def read(self, at: int, size: int) -> bytes:
        """Return so many bytes from a place on; Torn when they are not to be had."""
        found = b""
        try:
            while len(found) < size:
                piece = os.pread(self._descriptor, size - len(found), at + len(found))
                if not piece:
                    raise Torn
                found = found + piece if found else piece
        except OSError as error:
            raise Torn from error
        return found

    def __del__(self) -> None:
        """Close it: nobody uses it any more."""
        os.close(self._descriptor)


def from_whole_words(once: Callable[_Given, _Told]) -> Callable[_Given, _Told]:
    """Do it again without the stored words if these turn out not to be whole."""

    def done(*given: _Given.args, **named: _Given.kwargs) -> _Told:
        try:
            return once(*given, **named)
        except Torn:
            index: Any = given[0]
            index._torn = True
            index.refresh()
            return once(*given, **named)

    return done


def encoded(text: str) -> bytes:
    """Return a text as it is stored, halves of characters too."""
    return text.encode("utf-8", "surrogatepass")


def decoded(data: bytes | memoryview) -> str:
    """Return what was stored as text."""
    return str(data, "utf-8", "surrogatepass")
