"""Looking through texts for secrets before they go into a prompt, each text once.

Rules
- What was found clean is remembered by its hash, with the rules it was looked through by. Nothing else
  is: neither a text nor what was found in it.
- Where nothing can be remembered, everything is looked through again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie import __version__
from reverie.core.secrets.scanner import RULES, redact
from reverie.core.text.plain import digest
from reverie.local.disk.appending import append_line
from reverie.local.disk.regular import regular

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.config import SecretSettings
    from reverie.types import SecretFinding

__all__ = ["Scanned"]

_MARK_CHARS = 32
_MOST_BYTES = 256 * 1024


class Scanned:
    """Texts that were looked through, as the settings say."""

    def __init__(self, state: Path, settings: SecretSettings) -> None:
        self._path = str(state / "clean-context")
        self._off = settings.policy == "off"
        self._allow = settings.allow
        self._rules = "\n".join((__version__, *RULES, "", *sorted(settings.allow), ""))
        self._known: set[str] | None = None
        self._fresh: list[str] = []

    def clean(self, text: str) -> tuple[str, Sequence[SecretFinding]]:
        """Return a text without its secrets, and where they stood."""
        if self._off:
            return text, ()
        mark = digest(self._rules + text)[:_MARK_CHARS]
        if mark in self._marks():
            return text, ()
        redacted, findings = redact(text, allow=self._allow)
        if not findings:
            self._fresh.append(mark)
        return redacted, findings

    def keep(self) -> None:
        """Remember what was found clean; a state folder that is not there is not made for that."""
        if self._fresh and os.path.isdir(os.path.dirname(self._path)):
            marks = "".join(f"{mark}\n" for mark in self._fresh[: _MOST_BYTES // 64])
            with suppress(OSError):
                append_line(self._path, marks, limit=_MOST_BYTES // 2)
        self._fresh.clear()

    def _marks(self) -> set[str]:
        if self._known is None:
            self._known = set()
            for path in (self._path, f"{self._path}.1"):
                with (
                    suppress(OSError, ValueError),
                    open(path, encoding="ascii", opener=regular) as file,
                ):
                    self._known |= set(file.read(_MOST_BYTES).split())
        return self._known
