"""LlamaIndex's VectorStoreIndex, stored in its folder; its embedder is OpenAI's, so it gets MiniLM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.peers.minilm import MiniLM


def _embedder() -> Any:
    from llama_index.core.embeddings import BaseEmbedding

    model = MiniLM()

    class Embedder(BaseEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return model.embed([query])[0].tolist()

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return model.embed([text])[0].tolist()

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return model.embed(texts).tolist()

    return Embedder(embed_batch_size=32)


class Peer:
    """One index."""

    def __init__(self, folder: Path) -> None:
        from llama_index.core import StorageContext, load_index_from_storage

        self._folder, self._embedder, self._index = folder, _embedder(), None
        if (folder / "docstore.json").exists():
            context = StorageContext.from_defaults(persist_dir=str(folder))
            self._index = load_index_from_storage(context, embed_model=self._embedder)

    def add(self, docs: list[dict[str, str]]) -> None:
        """Build the index and store it."""
        from llama_index.core import Document, VectorStoreIndex

        made = [Document(text=doc["text"], doc_id=doc["id"]) for doc in docs]
        self._index = VectorStoreIndex.from_documents(made, embed_model=self._embedder)
        self._index.storage_context.persist(str(self._folder))

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        found = self._index.as_retriever(similarity_top_k=k).retrieve(text)
        return [item.node.ref_doc_id for item in found]
