"""What Python compiles anew in each process, as it was compiled before: patterns, and methods of dataclasses.

Python keeps the code of modules; but of each pattern in them, and of each method that `dataclass` writes, it
makes the code again whenever a process begins, which was 150 of the 420 ms of a `remember`.

Rules:

* What comes from here is what Python would make: kept is what the compiler of `re` handed to its engine,
  found by the whole text and the flags, for just this Python; and code, found by its whole text. Whatever is
  wrong with the file, or other in another Python, means that all is compiled as ever.
* Only what stands in code is kept: patterns that are made outside of functions, and by functions that say so
  (`Lazy`, `constant`). A pattern made from what somebody said is never written anywhere.
* The file lies beside our bytecode and is trusted as that is. Where Python writes none, neither do we.
* Only our own commands do this, not a program that imports us.
"""

from __future__ import annotations

import marshal
import os
import sys
from array import array
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from types import CodeType, FrameType
    from typing import Any, TypeAlias

    Made: TypeAlias = "tuple[Any, ...]"
    """Text and flags; then, of a pattern, flags, code, groups, their names, and names by number, as the
    engine gets them; or the code itself."""

MOST_BYTES = 8_000_000
_MAGIC = b"reverie-compiled 1\n"
_SUM = 4
_IN_A_FUNCTION = 0x1  # CO_OPTIMIZED
_DEBUG = 128
_CODE_BYTES = 4
_CODE = -1
"""In the place of flags: this is no pattern."""
_ALLOWED = {
    ("reverie.core.text.plain", "Lazy.compiled"),
    ("reverie.core.text.plain", "constant"),
}
"""Functions that are given patterns of our code alone."""
_kept: Compiled | None = None


def keep(kind: str = "command") -> None:
    """From now on take what was compiled before, in this process.

    Args:
        kind: Which file: a hook reads one that holds little, and makes no classes.
    """
    global _kept
    import re  # noqa: F401  # before its parts are looked for

    compiler: Any = sys.modules.get("re._compiler")
    engine: Any = sys.modules.get("_sre")
    cached = __spec__.cached if __spec__ is not None else None  # type: ignore[redundant-expr]
    known = engine is not None and getattr(compiler, "_sre", None) is engine
    if _kept is not None or not known or not cached or engine.CODESIZE != _CODE_BYTES:
        return
    path = f"{os.path.dirname(cached)}/compiled.{sys.implementation.cache_tag}.{kind}"
    _kept = Compiled(path, compiler, engine, sys.version)
    compiler.compile = _kept.compile
    if kind == "command":
        import dataclasses

        dataclasses.exec = _kept.execute  # type: ignore[attr-defined]


def store() -> None:
    """Keep what had to be compiled for the next process; that it cannot be written does no harm."""
    if _kept is not None and not sys.dont_write_bytecode:
        with suppress(OSError, ValueError):
            _kept.store()


class Compiled:
    """What one file keeps."""

    def __init__(self, path: str, compiler: Any, engine: Any, version: str) -> None:
        self._path = path
        self._compiler = compiler
        self._compile = compiler.compile
        self._engine = engine
        self._for = version
        self._data = b""
        self._places: dict[tuple[int, int], tuple[int, int]] | None = None
        """By checksum of the text, and flags: where it begins and ends in the data."""
        self.fresh: dict[tuple[str, int], Made] = {}
        """What is not in the file yet."""

    def compile(self, pattern: Any, flags: int = 0) -> re.Pattern[str]:
        """Return a pattern, compiled before or now."""
        if type(pattern) is not str or flags & _DEBUG:
            return self._compile(pattern, flags)  # type: ignore[no-any-return]
        made = self._known(pattern, int(flags))
        if made is not None:
            _, _, all_flags, code, groups, names, numbers = made
            with suppress(
                RuntimeError, ValueError, TypeError
            ):  # the engine checks what it is given
                return self._engine.compile(  # type: ignore[no-any-return]
                    pattern, all_flags, array("I", code).tolist(), groups, names, numbers
                )
        if not _stands_in_code(sys._getframe(1)):
            return self._compile(pattern, flags)  # type: ignore[no-any-return]
        return self._made(pattern, flags)

    def execute(self, text: Any, names: dict[str, Any], own: Any = None) -> None:
        """Run what `dataclass` wrote: a few definitions, made of names of fields."""
        if type(text) is str:
            made = self._known(text, _CODE)
            if made is None:
                code: CodeType = compile(text, "<string>", "exec")
                made = self.fresh[text, _CODE] = (text, _CODE, code)
            text = made[2]
        exec(text, names, own)  # noqa: S102  # just as `dataclasses` does

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
                    pattern, int(flags), int(all_flags), words, groups, dict(names), numbers,
                )  # fmt: skip
        return made

    def _known(self, text: str, flags: int) -> Made | None:
        if self._places is None:
            self._places = self._loaded()
        place = self._places.get((_sum_of(text), flags))
        if place is None:
            return None
        made: Made = marshal.loads(memoryview(self._data)[slice(*place)])  # noqa: S302  # as bytecode is
        return made if made[:2] == (text, flags) else None

    def _loaded(self) -> dict[tuple[int, int], tuple[int, int]]:
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
        made_for, places, entries = marshal.loads(body)  # noqa: S302  # as bytecode is
        if made_for != self._for:
            return {}
        self._data = entries
        return places  # type: ignore[no-any-return]

    def store(self) -> None:
        """Write what is in the file by now, and what was compiled here."""
        from zlib import crc32

        if not self.fresh:
            return
        places = self._loaded()  # others may have written meanwhile
        held = {key: self._data[begin:end] for key, (begin, end) in places.items()}
        fresh = {(_sum_of(made[0]), made[1]): marshal.dumps(made) for made in self.fresh.values()}
        self.fresh, self._places = {}, None
        if sum(map(len, held.values())) > MOST_BYTES // 2:
            held = {}  # most of it from earlier versions of ours
        held |= fresh
        at, found = 0, {}
        for key, entry in held.items():
            found[key] = (at, at + len(entry))
            at += len(entry)
        body = marshal.dumps((self._for, found, b"".join(held.values())))
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


def _sum_of(text: str) -> int:
    from zlib import crc32

    return crc32(text.encode("utf-8", "surrogatepass"))


def _stands_in_code(frame: FrameType | None) -> bool:
    """Say whether a pattern is made outside of functions, or by who makes none of what somebody said."""
    while frame is not None and frame.f_globals.get("__name__") == "re":
        frame = frame.f_back
    while frame is not None and frame.f_code.co_name in ("<listcomp>", "<dictcomp>", "<setcomp>"):
        frame = frame.f_back
    if frame is None:
        return False
    code = frame.f_code
    return not code.co_flags & _IN_A_FUNCTION or (
        (frame.f_globals.get("__name__", ""), code.co_qualname) in _ALLOWED
    )
