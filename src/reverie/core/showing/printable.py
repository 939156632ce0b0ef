"""One way to a terminal: text that a person reads and no terminal obeys.

Rules
- Whatever the command line or the daemon's log prints passes `printable`. Control characters are shown
  as their pictures (`␛` for escape), everything else that is invisible or turns text around as its
  number (`\\u202e`); line feeds and tabs stay.
- JSON passes `printable_json`: the same characters as JSON escapes, so the values stay what they are.
- Joiners stay after letters of scripts that need them and inside emoji.
"""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["printable", "printable_json"]

_KEPT: Final = frozenset("\n\t\u200c\u200d\ufe0e\ufe0f")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_PICTURES: Final = 0x2400
_DELETE: Final = "\x7f"


def printable(text: str) -> str:
    """Show what a terminal would obey or hide."""
    text = text.replace("\r\n", "\n")
    return text.translate({ord(char): _shown(char) for char in set(text) if _is_hidden(char)})


def printable_json(text: str) -> str:
    """Escape in a JSON text what a terminal would obey; it means the same."""
    return text.translate({ord(char): _escaped(char) for char in set(text) if _is_hidden(char)})


def _is_hidden(char: str) -> bool:
    return char not in _KEPT and unicodedata.category(char) in _HIDDEN


def _shown(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(_PICTURES + code)
    if char == _DELETE:
        return "␡"
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
