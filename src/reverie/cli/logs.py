"""What goes to the log of a server: standard error, without secrets.

An error may quote what it was given, and a trace what a library was; a log is kept by whoever started
the server, and read by others.
"""

from __future__ import annotations

import logging
import sys


class Masking(logging.Formatter):
    """Writes a record, and its trace, with placeholders for secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record."""
        from reverie.core.secrets import redact

        return redact(super().format(record))[0]


def to_standard_error(level: str) -> None:
    """Send what is logged from this level on to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Masking("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])
