"""Reverie: a memory for AI agents, in plain Markdown files."""

from __future__ import annotations

# Not from `typing`, which is slow to import: a hook starts a process at every prompt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.errors import ReverieError as ReverieError
    from reverie.memory import Memory as Memory
    from reverie.memory.aio import AsyncMemory as AsyncMemory

__version__ = "0.1.0"

__all__ = ["AsyncMemory", "Memory", "ReverieError", "__version__"]

_HOMES = {
    "AsyncMemory": "reverie.memory.aio",
    "Memory": "reverie.memory",
    "ReverieError": "reverie.errors",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: `reverie --version` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reverie' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
