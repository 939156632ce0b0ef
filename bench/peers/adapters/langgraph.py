"""LangGraph's SqliteStore with an index of vectors; it has no embedder of its own, so it gets MiniLM."""

from __future__ import annotations

from pathlib import Path

from bench.peers import sqlite
from bench.peers.minilm import DIMENSIONS, MiniLM


class Peer:
    """One store."""

    def __init__(self, folder: Path) -> None:
        sqlite.use()
        from langgraph.store.sqlite import SqliteStore

        model = MiniLM()
        index = {
            "dims": DIMENSIONS,
            "embed": lambda texts: model.embed(list(texts)).tolist(),
            "fields": ["text"],
        }
        self._context = SqliteStore.from_conn_string(str(folder / "store.db"), index=index)
        self._store = self._context.__enter__()
        self._store.setup()

    def add(self, docs: list[dict[str, str]]) -> None:
        """Put every document."""
        from langgraph.store.base import PutOp

        puts = [PutOp(("docs",), doc["id"], {"text": doc["text"]}) for doc in docs]
        for at in range(0, len(puts), 100):
            self._store.batch(puts[at : at + 100])

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        return [item.key for item in self._store.search(("docs",), query=text, limit=k)]

    def close(self) -> None:
        """End."""
        self._context.__exit__(None, None, None)
