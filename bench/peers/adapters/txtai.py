"""txtai's Embeddings with content; its default model is MiniLM, which here comes as a function."""

from __future__ import annotations

from pathlib import Path

from bench.peers.minilm import MiniLM


class Peer:
    """One index."""

    def __init__(self, folder: Path) -> None:
        from txtai import Embeddings

        model = MiniLM()
        self._place = str(folder / "index")
        self._index = Embeddings(
            method="external",
            transform=lambda texts: model.embed(list(texts)),
            content=True,
        )
        if Path(self._place).exists():
            self._index.load(self._place)
            self._index.config["transform"] = lambda texts: model.embed(list(texts))
            self._index.model = self._index.loadvectors()

    def add(self, docs: list[dict[str, str]]) -> None:
        """Build the index and store it."""
        self._index.index([(doc["id"], doc["text"], None) for doc in docs])
        self._index.config.pop("transform", None)
        self._index.save(self._place)

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        return [row["id"] for row in self._index.search(text, k)]
