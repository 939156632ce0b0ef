"""memsearch over one note a document, in Milvus Lite; its bge-m3 is a download, so it gets MiniLM."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bench.peers.minilm import DIMENSIONS, MiniLM


class Peer:
    """One folder of notes and its index."""

    def __init__(self, folder: Path) -> None:
        from memsearch import core

        model = MiniLM()

        class Embedder:
            model_name, dimension, batch_size = "all-MiniLM-L6-v2", DIMENSIONS, 32

            async def embed(self, texts: list[str]) -> list[list[float]]:
                return model.embed(texts).tolist()

        core.get_provider = lambda *_args, **_more: Embedder()
        self._notes = folder / "notes"
        self._notes.mkdir(exist_ok=True)
        self._search = core.MemSearch([self._notes], milvus_uri=str(folder / "milvus.db"))
        self._loop = asyncio.new_event_loop()

    def add(self, docs: list[dict[str, str]]) -> None:
        """Write the notes and index them."""
        for number, doc in enumerate(docs):
            name = f"{number:06d}-{doc['id'].replace('/', '~')}.md"
            (self._notes / name).write_text(doc["text"], encoding="utf-8")
        self._loop.run_until_complete(self._search.index())

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        found = self._loop.run_until_complete(self._search.search(text, top_k=k))
        names = [Path(item["source"]).stem.partition("-")[2] for item in found]
        return [name.replace("~", "/") for name in dict.fromkeys(names)]

    def close(self) -> None:
        """End."""
        self._search.close()
