"""MemPalace: one drawer a document; Chroma's MiniLM lies where it would have been downloaded to."""

from __future__ import annotations

from pathlib import Path

from bench.peers.minilm import put


class Peer:
    """One palace."""

    def __init__(self, folder: Path) -> None:
        put(Path.home() / ".cache" / "chroma" / "onnx_models" / "all-MiniLM-L6-v2" / "onnx")
        self._palace = str(folder / "palace")

    def add(self, docs: list[dict[str, str]]) -> None:
        """File every document."""
        from mempalace.palace import get_collection

        drawers = get_collection(self._palace, create=True)
        for at in range(0, len(docs), 100):
            part = docs[at : at + 100]
            drawers.upsert(
                ids=[f"drawer_{at + number}" for number in range(len(part))],
                documents=[doc["text"] for doc in part],
                metadatas=[
                    {"wing": "docs", "room": "all", "source_file": doc["id"], "chunk_index": 0}
                    for doc in part
                ],
            )

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        from mempalace.searcher import search_memories

        found = search_memories(text, self._palace, n_results=k)
        if "results" not in found:
            raise RuntimeError(str(found)[:300])
        return [item.get("source_path") or item["source_file"] for item in found["results"]]
