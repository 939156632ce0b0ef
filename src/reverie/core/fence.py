"""The fence around recalled memory: it marks data as data, and no memory can forge its end.

Rules:

* The mark carries a nonce made from the fenced text, so the same block is the same bytes (caches of
  prompts stay warm) and no text can contain its own nonce.
* Inside, hidden characters are gone, and tags that a host or a model would obey are shown as text.
* `strip_recall_blocks` takes blocks out again wherever a transcript carries them, quoted, escaped or
  cut off, so that extract and dream never learn from what recall injected.
"""

from __future__ import annotations

import re
import unicodedata

from reverie.core.hashing import sha256

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from typing import Final

TAG: Final = "reverie-memory"
NONCE_CHARS: Final = 20  # 80 bits: finding a text that holds its own nonce is out of reach

_JOINERS: Final = "\u200c\u200d"
_OPENING: Final = r"(?:<|＜|&lt;|\\u003[cC])"
_CLOSING: Final = r"(?:>|＞|&gt;|\\u003[eE])"
_OPEN_TAG: Final = (
    rf"(?i)[^\S\n]{{0,40}}(?:>[^\S\n]{{0,4}}){{0,8}}"
    rf"{_OPENING}{TAG}:(?P<nonce>[0-9a-f]{{{NONCE_CHARS}}}){_CLOSING}"
)
# Tags with a meaning to hosts and models: ours, and the usual ones for roles, tools and reminders.
_OBEYED: Final = re.compile(
    rf"[<＜](?=\s*/?\s*(?:{TAG}|system|assistant|user|human|developer|tool|function|instructions?|antml|invoke"
    r"|memory|context)(?![A-Za-z0-9])|\s*/?\s*\|)",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(r"^( {0,3})(#{1,3})(?=[ \t])", re.MULTILINE)


def fence(content: str) -> str:
    """Put a text between two marks that it cannot contain."""
    nonce = _nonce(content)
    return f"<{TAG}:{nonce}>\n{content.rstrip()}\n</{TAG}:{nonce}>\n"


def harmless(text: str) -> str:
    """Show a text as data: no hidden characters, no tag or heading that could pass for ours."""
    return _HEADING.sub(r"\1####", disarmed(text))


def disarmed(text: str) -> str:
    """Show a text without hidden characters and tags that would be obeyed; its headings stay."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not (text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()):
        text = "".join(char for char in text if _is_visible(char))
    return _OBEYED.sub("‹", text)


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


def _is_visible(char: str) -> bool:
    if char in "\n\t" or char in _JOINERS:
        return True
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
