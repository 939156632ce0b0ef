"""Files of any kind without words, as their names say how they are written."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from reverie.core.erasing import redaction
from reverie.core.erasing.occurrences import IN_NAMES
from reverie.local.disk.appending import unsealed

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import WordsToErase

_LOGS: Final = (".jsonl", ".jsonl.1")


def guessed(data: bytes) -> str:
    """Read bytes that are no UTF-8 as well as possible, to look for words in them."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "ignore")
    return data.decode("utf-8", "ignore")


def cleaned(name: str, text: str, to_erase: WordsToErase) -> str:
    """Take words out of a file in the way that its name says it is written."""
    change: Callable[[str, WordsToErase], str] = redaction.redact_markdown
    if name.endswith(_LOGS):
        change = _redact_log
    elif name.endswith(".json") or ".json." in name:
        change = redaction.redact_json
    elif name.endswith((".yaml", ".yml", ".toml")):
        return to_erase.redact(text, IN_NAMES)  # brackets would be a list
    return change(text, to_erase)


def _redact_log(text: str, to_erase: WordsToErase) -> str:
    """Take words out of a log; a line that changed loses its checksum with them."""
    lines = text.split("\n")
    cleaned = redaction.redact_lines(text, to_erase).split("\n")
    if len(lines) != len(cleaned):
        return "\n".join(cleaned)
    for at, (before, after) in enumerate(zip(lines, cleaned, strict=True)):
        plain = unsealed(before)
        if before != after and plain and plain != before:
            cleaned[at] = redaction.redact_lines(plain, to_erase)
    return "\n".join(cleaned)
