"""The SDK of the daemon: `Client`, `AsyncClient`, its events and their reading."""

from __future__ import annotations

# Not from `typing`, which is slow to import: a hook starts a process at every prompt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.client.aio import AsyncClient as AsyncClient
    from reverie.client.calls import FileWritten as FileWritten
    from reverie.client.calls import MemoryFile as MemoryFile
    from reverie.client.calls import MemoryFiles as MemoryFiles
    from reverie.client.calls import OpenedSession as OpenedSession
    from reverie.client.sse import DaemonEvent as DaemonEvent
    from reverie.client.sse import SseReader as SseReader
    from reverie.client.sse import normalise as normalise
    from reverie.client.sync import Client as Client

_HOMES = {
    "AsyncClient": "reverie.client.aio",
    "Client": "reverie.client.sync",
    "DaemonEvent": "reverie.client.sse",
    "FileWritten": "reverie.client.calls",
    "MemoryFile": "reverie.client.calls",
    "MemoryFiles": "reverie.client.calls",
    "OpenedSession": "reverie.client.calls",
    "SseReader": "reverie.client.sse",
    "normalise": "reverie.client.sse",
}

__all__ = [
    "AsyncClient",
    "Client",
    "DaemonEvent",
    "FileWritten",
    "MemoryFile",
    "MemoryFiles",
    "OpenedSession",
    "SseReader",
    "normalise",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: a hook that asks the socket needs none."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reverie.client' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
