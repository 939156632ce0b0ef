"""Texts that were looked through for secrets and hold none, known again by their digests.

Rules:

* A verdict counts for the very text and the very rules: the digest is also of everything that the rules are
  written in, of the rules that are allowed, and of the interpreter. Where it cannot be read, nothing is kept.
* Only that nothing was found is kept. What holds a secret is looked through each time.
* It lies beside the stored words, and goes with them when something is forgotten.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from reverie import core
from reverie.core.secrets import scanner
from reverie.local.disk.regular import regular_bytes
from reverie.local.recall import word_file

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import TracebackType

    from reverie.core.topics.advice import Scan
    from reverie.types import SecretFinding

NAME = f"{word_file.CLEAN}.topics"
_DIGEST = 16


class CleanTexts:
    """Looks through texts for secrets, and leaves out those that held none the last time."""

    def __init__(
        self, state: str, allow: Collection[str] = (), *, rules: str = next(iter(core.__path__))
    ) -> None:
        """Open what is known.

        Args:
            state: The state folder.
            allow: Rules whose findings are left out.
            rules: The folder of all that the rules are written in.
        """
        self.scanned = 0
        """How many texts were looked through."""
        self._path = os.path.join(state, word_file.FOLDER, NAME)
        self._rules = _digest_of(rules, allow)
        self._known = self._load()
        self._clean: set[bytes] = set()

    def scan(self, text: str, *, allow: Collection[str] = ()) -> list[SecretFinding]:
        """List the secrets in a text, as `scanner.scan` does."""
        rules = self._rules or b""
        mark = sha256(rules + text.encode("utf-8", "surrogatepass")).digest()[:_DIGEST]
        if mark not in self._known:
            self.scanned += 1
            if found := scanner.scan(text, allow=allow):
                return found
        self._clean.add(mark)
        return []

    def __enter__(self) -> Scan:
        return self.scan

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Keep what was clean among the texts of this time, and no others."""
        if kind is None and self._rules is not None and self._clean != self._known:
            with suppress(OSError):  # it only saves time
                word_file.store(self._path, self._rules + b"".join(sorted(self._clean)))

    def _load(self) -> set[bytes]:
        try:
            data = regular_bytes(self._path) if self._rules is not None else b""
        except OSError:
            return set()
        if self._rules is None or not data.startswith(self._rules):
            return set()
        begin = len(self._rules)
        return {data[at : at + _DIGEST] for at in range(begin, len(data), _DIGEST)}


def _digest_of(folder: str, allow: Collection[str]) -> bytes | None:
    """Return a digest of all that decides what a secret is; None when that cannot be read."""
    rules = sha256(f"{sys.version}\n{sorted(allow)}\n".encode())
    try:
        for path in sorted(Path(folder).rglob("*.py")):
            rules.update(path.read_bytes() + b"\0")
    except OSError:
        return None
    return rules.digest()
