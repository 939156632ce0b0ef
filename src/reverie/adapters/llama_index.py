"""LlamaIndex: a chat memory kept in files, and a memory block that recalls and learns."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory import BaseMemory, BaseMemoryBlock

from reverie.adapters.logs import Log
from reverie.core.text.plain import digest
from reverie.core.text.words import estimate_tokens
from reverie.errors import InvalidArgument

if TYPE_CHECKING:
    from reverie.memory import Memory

DEFAULT_TOKENS = 30_000
_ANSWERS = (MessageRole.ASSISTANT, MessageRole.TOOL, MessageRole.FUNCTION)


class ReverieMemory(BaseMemory):
    """The history of one conversation; `get` puts what memory knows about the input before it."""

    session_id: str = Field(description="Which conversation this is.")
    token_limit: int = Field(default=DEFAULT_TOKENS, gt=0)
    recall: bool = Field(default=True, description="Bring back memories with `get`.")
    _memory: Any = PrivateAttr()
    _log: Log = PrivateAttr()

    def __init__(self, memory: Memory, session_id: str, **fields: Any) -> None:
        if not session_id:
            raise InvalidArgument("a conversation needs an id that is not empty")
        super().__init__(**{"session_id": session_id, **fields})
        self._memory = memory
        self._log = Log(memory, "llama-index", session_id)

    @classmethod
    def class_name(cls) -> str:
        return "ReverieMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> ReverieMemory:
        """Make one; `memory` and `session_id` are needed."""
        return cls(**kwargs)

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:  # noqa: ARG002
        """Return the newest messages that fit, after what is recalled for the input."""
        block = self._memory.recall(input).block if self.recall and input and input.strip() else ""
        room = self.token_limit - estimate_tokens(block)
        kept = self.get_all()
        costs = [estimate_tokens(message.content or "") for message in kept]
        while kept and (sum(costs) > room or kept[0].role in _ANSWERS):
            kept, costs = kept[1:], costs[1:]
        recalled = [ChatMessage(role=MessageRole.SYSTEM, content=block)] if block else []
        return [*recalled, *kept]

    def get_all(self) -> list[ChatMessage]:
        """Return every message."""
        return [ChatMessage.model_validate(item) for item in self._log.items()]

    def put(self, message: ChatMessage) -> None:
        """Append a message."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Append messages as one run."""
        self._log.add([message.model_dump(mode="json") for message in messages])

    def set(self, messages: list[ChatMessage]) -> None:
        """Put these messages in the place of all others."""
        self._log.replace([message.model_dump(mode="json") for message in messages])

    def reset(self) -> None:
        """Remove every message."""
        self._log.clear()


class ReverieMemoryBlock(BaseMemoryBlock[str]):
    """Long-term memory for LlamaIndex's `Memory`: recalls for the last request, learns from the rest."""

    name: str = "reverie"
    _memory: Any = PrivateAttr()

    def __init__(self, memory: Memory, **fields: Any) -> None:
        super().__init__(**fields)
        self._memory = memory

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:  # noqa: ARG002
        asked = [item for item in messages or () if item.role == MessageRole.USER and item.content]
        if not asked:
            return ""
        found = await asyncio.to_thread(self._memory.recall, asked[-1].content)
        return str(found.block)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        said = [{"role": item.role.value, "content": item.content or ""} for item in messages]
        if said:
            # Each call brings other messages, so each is a conversation of its own to the cursor.
            session = f"llama-index-{digest(repr(said))[:16]}"
            await asyncio.to_thread(self._memory.extract, said, session=session)
