"""OpenAI Agents: a `Session` whose items are Markdown files of this memory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from agents.memory import SessionABC, SessionSettings

from reverie.adapters.logs import Log
from reverie.errors import InvalidArgument

if TYPE_CHECKING:
    from agents.items import TResponseInputItem

    from reverie.memory import Memory


class ReverieSession(SessionABC):
    """One conversation. Sessions of different ids see nothing of each other."""

    def __init__(
        self,
        session_id: str,
        memory: Memory,
        *,
        session_settings: SessionSettings | None = None,
    ) -> None:
        if not session_id:
            raise InvalidArgument("a session needs an id that is not empty")
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._log = Log(memory, "openai-agents", session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, oldest first; with a limit the latest ones."""
        most = limit if limit is not None else self._default_limit()
        return cast("list[Any]", await asyncio.to_thread(self._log.items, most))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items, all or none."""
        await asyncio.to_thread(self._log.add, [dict(item) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the latest item and return it."""
        return cast("TResponseInputItem | None", await asyncio.to_thread(self._log.pop))

    async def clear_session(self) -> None:
        """Remove every item."""
        await asyncio.to_thread(self._log.clear)

    def _default_limit(self) -> int | None:
        return self.session_settings.limit if self.session_settings else None
