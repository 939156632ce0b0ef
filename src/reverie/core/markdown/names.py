"""What the name of a memory file says of it, before anybody opens it."""

from __future__ import annotations

from typing import Final

CATALOG_NAME: Final = "MEMORY.md"
_CATALOG: Final = CATALOG_NAME.lower()


def is_topic_path(rel: str) -> bool:
    """Tell whether a file of a memory folder may be a topic, by its name alone."""
    name = rel[rel.rfind("/") + 1 :].lower()
    hidden = rel.startswith(".") or "/." in rel
    return name.endswith(".md") and name != _CATALOG and not hidden
