"""The seams: what an engine, a model or an embedder must offer. Two engines pass the same tests.

Every Protocol is here, by noun, but five whose words belong to a higher ring: `verbs.erase.ErasingStore`
and `core.erasing.journal_eraser.ErasableJournal` (words to erase are found by the rules of the text),
`memory.engine.Engine` and `Index` (an engine hands out the former; an index is watched until a thread's
event), and `mcp.server.Runner` (it runs a `Memory`).

A name is imported from its module when it is first used, as in `reverie.types`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.ports.context import Reader as Reader
    from reverie.ports.context import Shown as Shown
    from reverie.ports.layers import AgentTree as AgentTree
    from reverie.ports.layers import History as History
    from reverie.ports.layers import LayerEngine as LayerEngine
    from reverie.ports.layers import TurnLog as TurnLog
    from reverie.ports.layers import Turns as Turns
    from reverie.ports.models import Answer as Answer
    from reverie.ports.models import ChatMessage as ChatMessage
    from reverie.ports.models import Model as Model
    from reverie.ports.models import Reply as Reply
    from reverie.ports.models import ToolCall as ToolCall
    from reverie.ports.models import ToolSpec as ToolSpec
    from reverie.ports.moving import Bundle as Bundle
    from reverie.ports.moving import Carrier as Carrier
    from reverie.ports.moving import Target as Target
    from reverie.ports.search import Embedder as Embedder
    from reverie.ports.search import EmbedderSlot as EmbedderSlot
    from reverie.ports.search import Finding as Finding
    from reverie.ports.search import Ranker as Ranker
    from reverie.ports.search import Rows as Rows
    from reverie.ports.search import SearchedRoot as SearchedRoot
    from reverie.ports.search import SearchPort as SearchPort
    from reverie.ports.store import Clock as Clock
    from reverie.ports.store import JournaledStore as JournaledStore
    from reverie.ports.store import JournalReader as JournalReader
    from reverie.ports.store import Records as Records
    from reverie.ports.store import Runs as Runs
    from reverie.ports.store import StateFiles as StateFiles
    from reverie.ports.store import Store as Store
    from reverie.ports.tasks import Learner as Learner
    from reverie.ports.tasks import Queue as Queue

_MODULES = {
    "context": "Reader Shown",
    "layers": "AgentTree History LayerEngine TurnLog Turns",
    "models": "Answer ChatMessage Model Reply ToolCall ToolSpec",
    "moving": "Bundle Carrier Target",
    "search": "Embedder EmbedderSlot Finding Ranker Rows SearchPort SearchedRoot",
    "store": "Clock JournalReader JournaledStore Records Runs StateFiles Store",
    "tasks": "Learner Queue",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import a port's module when the port is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reverie.ports' has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"reverie.ports.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
