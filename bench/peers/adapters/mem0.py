"""mem0 with its Qdrant on the disk and `infer=False`: no LLM is asked, every document is one memory.

Its embedder is OpenAI's by default, so it gets MiniLM. Words count there only with the extra `nlp`, whose
spaCy model is downloaded; that is left out.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bench.peers.minilm import DIMENSIONS, MiniLM


class Peer:
    """One memory of one user."""

    def __init__(self, folder: Path) -> None:
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(folder / "mem0")
        os.environ.setdefault("OPENAI_API_KEY", "none")
        from mem0 import Memory

        model = MiniLM()
        store = {
            "path": str(folder / "qdrant"),
            "on_disk": True,
            "embedding_model_dims": DIMENSIONS,
        }
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(folder / "history.db"),
            }
        )

        class Embedder:
            config = self._memory.embedding_model.config

            def embed(self, text: str, _action: Any = None) -> list[float]:
                return model.embed([text])[0].tolist()

            def embed_batch(self, texts: list[str], _action: Any = None) -> list[list[float]]:
                return model.embed(texts).tolist()

        self._memory.embedding_model = Embedder()

    def add(self, docs: list[dict[str, str]]) -> None:
        """Add every document."""
        for doc in docs:
            self._memory.add(doc["text"], user_id="u", metadata={"doc": doc["id"]}, infer=False)

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        found = self._memory.search(text, top_k=k, filters={"user_id": "u"})["results"]
        return [item["metadata"]["doc"] for item in found]
