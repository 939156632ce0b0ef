"""What the name of a memory file says of it, before anybody opens it."""

from __future__ import annotations

from typing import Final

CATALOG_NAME: Final = "MEMORY.md"


def is_topic_path(rel: str) -> bool:
    """Tell whether a file of a memory folder may be a topic, by its name alone."""
    parts = rel.split("/")
    name = parts[-1].lower()
    hidden = any(part.startswith(".") for part in parts)
    return name.endswith(".md") and name != CATALOG_NAME.lower() and not hidden
