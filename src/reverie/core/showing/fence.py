"""The fence around recalled memory: it marks data as data, and no memory can forge its end.

Rules:

* The mark carries a nonce made from the fenced text, so the same block is the same bytes (caches of
  prompts stay warm) and no text can contain its own nonce.
* What goes inside is shown as data first, see `marks`.
* `strip_recall_blocks` takes blocks out again wherever a transcript carries them, quoted, escaped or
  cut off, so that extract and dream never learn from what recall injected.
"""

from __future__ import annotations

import re
from hashlib import sha256

from reverie.core.showing.mark_table import TAG as TAG
from reverie.core.showing.marks import disarmed

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from typing import Final

NONCE_CHARS: Final = 20  # 80 bits: finding a text that holds its own nonce is out of reach

_OPENING: Final = r"(?:<|＜|&lt;|\\u003[cC])"
_CLOSING: Final = r"(?:>|＞|&gt;|\\u003[eE])"
_OPEN_TAG: Final = (
    rf"(?i)[^\S\n]{{0,40}}(?:>[^\S\n]{{0,4}}){{0,8}}"
    rf"{_OPENING}{TAG}:(?P<nonce>[0-9a-f]{{{NONCE_CHARS}}}){_CLOSING}"
)


def fence(content: str) -> str:
    """Put a text between two marks that it cannot contain."""
    nonce = _nonce(content)
    return f"<{TAG}:{nonce}>\n{content.rstrip()}\n</{TAG}:{nonce}>\n"


def shown(text: str) -> str:
    """Disarm a text that comes from memory, unless it is a block of ours, whose inside was disarmed."""
    first, _, rest = text.rstrip("\n").partition("\n")
    inside = rest.rpartition("\n")[0]
    if first.startswith(f"<{TAG}:") and text == fence(inside) and disarmed(inside) == inside:
        return text
    return disarmed(text)


def strip_recall_blocks(text: str) -> str:
    """Take every recalled block out of a text; one whose end is missing goes to the end."""
    if TAG not in text.lower():
        return text
    kept: list[str] = []
    at = 0
    opening = re.compile(_OPEN_TAG)
    while match := opening.search(text, at):
        kept.append(text[at : match.start()])
        end = re.compile(
            rf"{_OPENING}\\?/{TAG}:{match['nonce']}{_CLOSING}(?:[^\S\n]*\n)?", re.IGNORECASE
        ).search(text, match.end())
        at = end.end() if end else len(text)
    kept.append(text[at:])
    return "".join(kept)


def _nonce(content: str) -> str:
    seed = content.encode("utf-8", "surrogatepass")
    nonce = sha256(seed).hexdigest()[:NONCE_CHARS]
    while nonce in content:  # it would take 2^80 tries to get here; then the next one
        nonce = sha256(nonce.encode() + seed).hexdigest()[:NONCE_CHARS]
    return nonce
