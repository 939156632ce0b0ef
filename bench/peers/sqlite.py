"""A `sqlite3` that loads extensions, for peers that need one where Python was built without."""

from __future__ import annotations

import sqlite3
import sys


def use() -> None:
    """Let every later import of `sqlite3` get it, if this Python's own cannot load extensions."""
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        import pysqlite3

        sys.modules["sqlite3"] = pysqlite3
        sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
