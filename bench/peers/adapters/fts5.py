"""SQLite FTS5 with Porter stems: any word of the question, the best by BM25 first."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path


class Peer:
    """One table."""

    def __init__(self, folder: Path) -> None:
        self._base = sqlite3.connect(folder / "index.db")
        self._base.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS docs USING"
            " fts5(text, id UNINDEXED, tokenize='porter unicode61')"
        )

    def add(self, docs: list[dict[str, str]]) -> None:
        """Fill the table."""
        rows = [(doc["text"], doc["id"]) for doc in docs]
        with self._base:
            self._base.executemany("INSERT INTO docs VALUES (?, ?)", rows)

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        words = sorted({word.lower() for word in re.findall(r"\w+", text)})
        if not words:
            return []
        query = " OR ".join(f'"{word}"' for word in words)
        asked = "SELECT id FROM docs WHERE docs MATCH ? ORDER BY bm25(docs) LIMIT ?"
        return [row[0] for row in self._base.execute(asked, (query, k))]
