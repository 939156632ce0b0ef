"""Which text files a git index lists, read without git: a repository's configuration can run programs.

Rules
- The bytes may be anybody's. What is damaged, in parts somewhere else (a split or sparse index) or of
  a kind unknown here gives None: then nobody can say what is tracked.
- A file that git was told not to look at any more (assume-unchanged, skip-worktree), or that is only
  meant to be added, counts as not listed: people keep private text in such files.
- Only what could be imported is kept, so that a large index costs little and a hostile one no more.

The format: https://git-scm.com/docs/index-format
"""

from __future__ import annotations

import hashlib
from typing import Final

__all__ = ["TEXT_ENDINGS", "is_git_internal", "is_hidden", "is_text_name", "tracked_texts"]

TEXT_ENDINGS: Final = (".md", ".markdown", ".txt")

_ENDINGS: Final = tuple(ending.encode() for ending in TEXT_ENDINGS)
_HEADER: Final = 12
_FACTS: Final = 40  # of a file: times, device, inode, mode, owner, size
_MODE: Final = 24  # where its mode stands among them
_TRAILERS: Final = {20: hashlib.sha1, 32: hashlib.sha256}
_LONGEST_NAME: Final = 4096
_MOST_KEPT: Final = 32 * 1024 * 1024
_REGULAR, _FOLDER = 0o10, 0o04
_ASSUMED, _EXTENDED = 0x8000, 0x4000
_SKIPPED, _INTENDED = 0x4000, 0x2000
_LONG_NAME: Final = 0x0FFF
# Characters that some file systems leave out of a name, so that `.g\u200cit` is `.git` there.
_IGNORED: Final = dict.fromkeys(
    [0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070)]
)


def is_text_name(name: str) -> bool:
    """Say whether a file's name is that of plain text or Markdown."""
    return name.lower().endswith(TEXT_ENDINGS)


def is_hidden(rel: str) -> bool:
    """Say whether any part of a relative path begins with a dot."""
    return any(part.startswith(".") for part in rel.translate(_IGNORED).split("/"))


def is_git_internal(rel: str) -> bool:
    """Say whether a path leads into git's own folder, on whatever file system."""
    parts = rel.translate(_IGNORED).casefold().split("/")
    return any(part.rstrip(" .") in (".git", "git~1") for part in parts)


def tracked_texts(data: bytes) -> frozenset[bytes] | None:
    """Return the visible text files that an index lists; None when it cannot be told."""
    try:
        return _tracked(data)
    except (IndexError, ValueError):
        return None


def _tracked(data: bytes) -> frozenset[bytes]:
    version, count = _number(data, 4), _number(data, 8)
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index that is known here")
    hash_size = _hash_size(data)
    end = len(data) - hash_size
    if count > end // (_FACTS + hash_size + 2):
        raise ValueError("more files than there is room for")
    at, kept = _HEADER, 0
    name = b""
    found: list[bytes] = []
    for _ in range(count):
        start = at
        at += _FACTS + hash_size
        flags = int.from_bytes(data[at : at + 2], "big")
        at += 2
        extended = 0
        if flags & _EXTENDED:
            if version == 2:
                raise ValueError("version 2 has no more flags")
            extended = int.from_bytes(data[at : at + 2], "big")
            at += 2
        if version == 4:
            strip, at = _offset(data, at)
            stop = data.index(0, at, end)
            if strip > len(name):
                raise ValueError("a name shorter than nothing")
            name = name[: len(name) - strip] + data[at:stop]
            at = stop + 1
        else:
            size = flags & _LONG_NAME
            stop = at + size if size < _LONG_NAME else data.index(0, at, end)
            name = data[at:stop]
            at = start + ((stop - start) // 8 + 1) * 8
        if at > end or not 0 < len(name) <= _LONGEST_NAME or 0 in name:
            raise ValueError("a name that cannot be")
        kind = _number(data, start + _MODE) >> 12
        if kind == _FOLDER:
            raise ValueError("a sparse index lists whole folders")
        there = not flags & _ASSUMED and not extended & (_SKIPPED | _INTENDED)
        if kind == _REGULAR and there and name.lower().endswith(_ENDINGS):
            kept += len(name)
            if kept > _MOST_KEPT:
                raise ValueError("more names than anybody needs")
            found.append(name)
    _check_extensions(data, at, end)
    return frozenset(found)


def _check_extensions(data: bytes, at: int, end: int) -> None:
    """Refuse what must be understood: without it (a split index) the list is not the whole one."""
    while at < end:
        if end - at < 8 or not data[at : at + 1].isupper():
            raise ValueError("an extension that is not known here")
        at += 8 + _number(data, at + 4)
    if at != end:
        raise ValueError("an extension that is cut off")


def _hash_size(data: bytes) -> int:
    """Find out which hashes an index has by the one of itself at its end, which git may leave out."""
    for size, algorithm in _TRAILERS.items():
        if algorithm(data[:-size], usedforsecurity=False).digest() == data[-size:]:
            return size
    if data[-20:] == bytes(20):
        return 32 if data[-32:] == bytes(32) else 20
    raise ValueError("damaged")


def _offset(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of variable length; return it and where the next thing stands."""
    byte = data[at]
    value = byte & 0x7F
    for _ in range(4):
        at += 1
        if not byte & 0x80:
            return value, at
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
    raise ValueError("a number without end")


def _number(data: bytes, at: int) -> int:
    if at + 4 > len(data):
        raise ValueError("cut off")
    return int.from_bytes(data[at : at + 4], "big")
