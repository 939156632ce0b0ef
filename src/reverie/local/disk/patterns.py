"""Patterns as they were compiled before: Python keeps the code of modules, but no pattern that they compile.

That was 120 of the 410 ms of a `remember` in a process of its own.

Rules:

* A pattern from here is the one that `re` would make: kept is what its compiler handed to the engine,
  found by the whole text and the flags, for just this Python. The engine checks what it is given. What is
  wrong with the file, or other in another Python, only means that patterns are compiled as ever.
* Only what stands in code is kept: patterns that are made outside of functions, and those of `Lazy`.
  A pattern made from what somebody said is never written anywhere.
* The file lies beside our bytecode and is trusted as that is, but read as data only. Where Python writes no
  bytecode, neither do we write this.
* Only our own commands do this, not a program that imports us.
"""

from __future__ import annotations

import os
import sys
from array import array
from contextlib import suppress

from reverie.client import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from types import FrameType
    from typing import Any, TypeAlias

    Made: TypeAlias = "tuple[int, bytes, int, dict[str, int], list[str | None]]"
    """Flags, code, groups, their names, and names by number, as the engine gets them."""

MOST_BYTES = 8_000_000
_MAGIC = f"reverie-patterns 1 {sys.byteorder}\n".encode()
_SUM = 4
_IN_A_FUNCTION = 0x1  # CO_OPTIMIZED
_DEBUG = 128
_CODE_BYTES = 4
_LAZY = ("reverie.core.text.plain", "Lazy.compiled")
"""What is given patterns of our code alone."""
_kept: Patterns | None = None


def keep(kind: str = "command") -> None:
    """From now on take patterns as they were compiled before, in this process.

    Args:
        kind: Which file: a hook needs few patterns, and reads no others.
    """
    global _kept
    import re  # noqa: F401  # before its parts are looked for

    compiler: Any = sys.modules.get("re._compiler")
    engine: Any = sys.modules.get("_sre")
    cached = __spec__.cached if __spec__ is not None else None  # type: ignore[redundant-expr]
    known = engine is not None and getattr(compiler, "_sre", None) is engine
    if _kept is not None or not known or not cached or engine.CODESIZE != _CODE_BYTES:
        return
    path = f"{os.path.dirname(cached)}/patterns.{sys.implementation.cache_tag}.{kind}"
    _kept = Patterns(path, compiler, engine, sys.version)
    compiler.compile = _kept.compile


def store() -> None:
    """Keep what had to be compiled for the next process; that it cannot be written does no harm."""
    if _kept is not None and not sys.dont_write_bytecode:
        with suppress(OSError, ValueError):
            _kept.store()


class Patterns:
    """The patterns of one file."""

    def __init__(self, path: str, compiler: Any, engine: Any, version: str) -> None:
        self._path = path
        self._compiler = compiler
        self._compile = compiler.compile
        self._engine = engine
        self._for = version
        self._held: dict[tuple[str, int], Made] | None = None
        self.fresh: dict[tuple[str, int], Made] = {}
        """What is not in the file yet, by text and flags."""

    def compile(self, pattern: Any, flags: int = 0) -> re.Pattern[str]:
        """Return a pattern, compiled before or now."""
        if type(pattern) is not str or flags & _DEBUG:
            return self._compile(pattern, flags)  # type: ignore[no-any-return]
        if self._held is None:
            self._held = self.load()
        made = self._held.get((pattern, int(flags)))
        if made is not None:
            all_flags, code, groups, names, numbers = made
            with suppress(RuntimeError, ValueError, TypeError, OverflowError):
                return self._engine.compile(  # type: ignore[no-any-return]
                    pattern, all_flags, array("I", code).tolist(), groups, names, tuple(numbers)
                )
        if not _stands_in_code(sys._getframe(1)):
            return self._compile(pattern, flags)  # type: ignore[no-any-return]
        return self._made(pattern, flags)

    def _made(self, pattern: str, flags: int) -> re.Pattern[str]:
        tap = _Tap(self._engine)
        self._compiler._sre = tap
        try:
            made: re.Pattern[str] = self._compile(pattern, flags)
        finally:
            self._compiler._sre = self._engine
        for text, all_flags, code, groups, names, numbers in tap.given:
            if text == pattern:
                words = array("I", map(int, code)).tobytes()
                self.fresh[pattern, int(flags)] = (
                    int(all_flags), words, groups, dict(names), list(numbers),
                )  # fmt: skip
        return made

    def load(self) -> dict[tuple[str, int], Made]:
        """Read the file; what is no whole file of this Python counts as none."""
        from zlib import crc32

        try:
            with open(self._path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError:
            return {}
        begin = len(_MAGIC) + _SUM
        body = memoryview(data)[begin:]
        if (
            len(data) > MOST_BYTES
            or data[: len(_MAGIC)] != _MAGIC
            or crc32(body).to_bytes(_SUM, "little") != data[len(_MAGIC) : begin]
        ):
            return {}
        try:
            first = int.from_bytes(body[:_SUM], "little") + _SUM
            told = plainjson.loads(bytes(body[_SUM:first]))
            if told["for"] != self._for:
                return {}
            found: dict[tuple[str, int], Made] = {}
            for text, flags, all_flags, size, groups, names, numbers in told["patterns"]:
                code = bytes(body[first : first + size])
                found[text, flags] = (all_flags, code, groups, names, numbers)
                first += size
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return {}
        return found

    def store(self) -> None:
        """Write what is in the file by now, and what was compiled here."""
        from zlib import crc32

        if not self.fresh:
            return
        held = self.load()  # others may have written meanwhile
        if sum(len(made[1]) for made in held.values()) > MOST_BYTES // 2:
            held = {}  # most of it from earlier versions of ours
        held |= self.fresh
        self.fresh = {}
        rows = [
            [text, flags, all_flags, len(code), groups, names, numbers]
            for (text, flags), (all_flags, code, groups, names, numbers) in held.items()
        ]
        head = plainjson.dumps({"for": self._for, "patterns": rows}).encode()
        codes = (made[1] for made in held.values())
        body = b"".join((len(head).to_bytes(_SUM, "little"), head, *codes))
        data = b"".join((_MAGIC, crc32(body).to_bytes(_SUM, "little"), body))
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        temp = f"{self._path}.{os.getpid()}"
        try:
            descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.replace(temp, self._path)
        except OSError:
            with suppress(OSError):
                os.unlink(temp)
            raise


class _Tap:
    """The engine, and what its compiler hands to it."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.given: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        """Be the engine in everything else."""
        return getattr(self._engine, name)

    def compile(self, *given: Any) -> Any:
        """Note what is given."""
        self.given.append(given)
        return self._engine.compile(*given)


def _stands_in_code(frame: FrameType | None) -> bool:
    """Say whether a pattern is made outside of functions, or by who is given none that somebody said."""
    while frame is not None and frame.f_globals.get("__name__") == "re":
        frame = frame.f_back
    while frame is not None and frame.f_code.co_name in ("<listcomp>", "<dictcomp>", "<setcomp>"):
        frame = frame.f_back
    if frame is None:
        return False
    code = frame.f_code
    made_by = (frame.f_globals.get("__name__", ""), code.co_qualname)
    return not code.co_flags & _IN_A_FUNCTION or made_by == _LAZY
