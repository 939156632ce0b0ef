"""Anthropic's memory tool over a folder of managed memory: `/memories` is that folder.

The rules are those of `memory_folder`; here is only what the SDK asks for.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    ToolError,
)

from reverie.adapters.memory_folder import MemoryFolder
from reverie.errors import ReverieError
from reverie.types import Scope

if TYPE_CHECKING:
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from reverie.memory import Memory


class ReverieMemoryTool(BetaAbstractMemoryTool):
    """Claude's memory tool; its files are memories like all others."""

    def __init__(self, memory: Memory, *, scope: Scope | str = Scope.PROJECT) -> None:
        super().__init__()
        self._folder = MemoryFolder(memory, scope=scope)

    def execute(self, command: Any) -> Any:
        """Carry out a command; whatever is wrong with it is told to the model."""
        try:
            return super().execute(command)
        except ReverieError as error:
            raise ToolError(f"{error} [{error.code}]") from error

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a folder's files with their sizes, or a file's lines with their numbers."""
        return self._folder.view(command.path, command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Make a new file."""
        return self._folder.create(command.path, command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a passage that stands in the file exactly once."""
        return self._folder.str_replace(command.path, command.old_str, command.new_str)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put text after a line; 0 is before the first."""
        return self._folder.insert(command.path, command.insert_line, command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a file, or a folder with everything in it."""
        return self._folder.delete(command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder."""
        return self._folder.rename(command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        """Remove every file that is not pinned."""
        return self._folder.clear()


class AsyncReverieMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same tool for the asynchronous client; it works in a thread."""

    def __init__(self, memory: Memory, *, scope: Scope | str = Scope.PROJECT) -> None:
        super().__init__()
        self._tool = ReverieMemoryTool(memory, scope=scope)

    async def execute(self, command: Any) -> Any:
        """Carry out a command."""
        return await asyncio.to_thread(self._tool.execute, command)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> Any:
        """Show a folder or a file."""
        return await self.execute(command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> Any:
        """Make a new file."""
        return await self.execute(command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Any:
        """Replace a passage."""
        return await self.execute(command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Any:
        """Put text after a line."""
        return await self.execute(command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Any:
        """Remove a file or a folder."""
        return await self.execute(command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Any:
        """Move a file or a folder."""
        return await self.execute(command)

    async def clear_all_memory(self) -> Any:
        """Remove every file that is not pinned."""
        return await asyncio.to_thread(self._tool.clear_all_memory)
