"""mcp-memory-service with sqlite-vec; its ONNX MiniLM lies where it would have downloaded it to.

Near-duplicates are stored, too (`skip_semantic_dedup`), because each document of the data counts.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from bench.peers import sqlite
from bench.peers.minilm import put


class Peer:
    """One storage."""

    def __init__(self, folder: Path) -> None:
        sqlite.use()
        put(Path.home() / ".cache" / "mcp_memory" / "onnx_models" / "all-MiniLM-L6-v2" / "onnx")
        from mcp_memory_service.storage.sqlite_vec import SqliteVecMemoryStorage

        self._loop = asyncio.new_event_loop()
        self._storage = SqliteVecMemoryStorage(str(folder / "memory.db"))
        self._loop.run_until_complete(self._storage.initialize())

    def add(self, docs: list[dict[str, str]]) -> None:
        """Store every document."""
        from mcp_memory_service.models.memory import Memory
        from mcp_memory_service.utils.hashing import generate_content_hash

        async def store() -> None:
            for doc in docs:
                made = Memory(
                    doc["text"], generate_content_hash(doc["text"]), metadata={"doc": doc["id"]}
                )
                await self._storage.store(made, skip_semantic_dedup=True)

        self._loop.run_until_complete(store())

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        found = self._loop.run_until_complete(self._storage.retrieve(text, n_results=k))
        return [item.memory.metadata["doc"] for item in found]
