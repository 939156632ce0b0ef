"""Memory: the opened memory of one workspace.

One short method per verb; each calls a verb over this workspace's store. The command line, the
daemon, the MCP server and the hooks are faces of this class.
"""

from __future__ import annotations

from reverie.memory.editing import EditVerbs
from reverie.memory.hearing import HeardVerbs
from reverie.memory.lookback import JournalVerbs
from reverie.memory.managed import ManagedVerbs
from reverie.memory.moving import MovingVerbs

__all__ = ["Memory"]


class Memory(ManagedVerbs, HeardVerbs, EditVerbs, JournalVerbs, MovingVerbs):
    """An opened memory. Use it as a context manager, or close it."""
