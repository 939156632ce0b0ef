"""What a store must offer so that words can be taken out of everything kept beside the memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from reverie.ports import Store

if TYPE_CHECKING:
    from reverie.core.erasing.everywhere import Erasure, Held, Tally
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.types import RunInfo, Topic


class ErasingStore(Store, Protocol):
    """A store that can also take words out of everything kept beside the memory."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep other erasures of this memory waiting."""
        ...

    def write_down(self, erasure: Mapping[str, Any] | None) -> None:
        """Keep what is being erased where a crash leaves it, or strike it out."""
        ...

    def written_down(self) -> Mapping[str, Any] | None:
        """Return an erasure that was not finished."""
        ...

    def earlier(self) -> list[Topic]:
        """Return every text that the journal has of a memory of this workspace, read as a topic."""
        ...

    def held(self, erasure: Erasure, *, beside: bool = False) -> list[Held]:
        """Read the Markdown files of every layer that hold the words; `beside`: what was heard alone."""
        ...

    def sweep(
        self,
        to_erase: WordsToErase,
        *,
        erase: bool,
        beside: bool = False,
        purge: Callable[[], Sequence[str]] = tuple,
    ) -> Tally:
        """Count, and with `erase` clean, what holds the words and is neither Markdown nor journal.

        Args:
            beside: Leave alone what every erasure leaves alone that is not asked for everywhere.
            purge: Brings the search index up to date and says which folders it covers.
        """
        ...

    def erase_tasks(self, to_erase: WordsToErase) -> int:
        """Take the words out of tasks; return how many tasks held any."""
        ...

    def in_journal(self, to_erase: WordsToErase) -> int:
        """Count what of the journal holds the words."""
        ...

    def erase(self, to_erase: WordsToErase, *, paths: Sequence[str] = ()) -> int:
        """Take the words, the names of these files and other telling ones, out of the journal."""
        ...

    def certify(self, run: str, info: RunInfo) -> str:
        """Record what an erasure came to: in its run, or where no file changed in a new one."""
        ...
