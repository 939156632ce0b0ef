"""Basic Memory over one note a document, by its text search: its semantic one wants a downloaded model."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path


class Peer:
    """One project of notes."""

    def __init__(self, folder: Path) -> None:
        self._notes = folder / "notes"
        self._notes.mkdir(exist_ok=True)
        os.environ |= {
            "BASIC_MEMORY_HOME": str(self._notes),
            "BASIC_MEMORY_CONFIG_DIR": str(folder / "config"),
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
        }
        self._loop = asyncio.new_event_loop()
        from loguru import logger

        logger.remove()

    def add(self, docs: list[dict[str, str]]) -> None:
        """Write the notes and index them."""
        for number, doc in enumerate(docs):
            name = f"{number:06d}-{doc['id'].replace('/', '~')}"
            text = f"---\ntitle: {name}\n---\n\n{doc['text']}\n"
            (self._notes / f"{name}.md").write_text(text, encoding="utf-8")
        program = str(Path(sys.executable).with_name("basic-memory"))
        subprocess.run([program, "reindex", "--full"], check=True, capture_output=True)

    def search(self, text: str, k: int) -> list[str]:
        """Return the ids of the best documents."""
        from basic_memory.mcp.tools import search_notes

        ask = getattr(search_notes, "fn", search_notes)
        found = self._loop.run_until_complete(
            ask(query=text, page_size=k, output_format="json", search_type="text")
        )
        names = [item["title"].partition("-")[2].replace("~", "/") for item in found["results"]]
        return list(dict.fromkeys(names))
