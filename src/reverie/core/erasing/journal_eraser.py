"""Taking words out of a journal: which names are hidden, what is counted, in every engine alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from reverie.core.erasing.everywhere import hidden_paths
from reverie.core.erasing.occurrences import PLACEHOLDER
from reverie.core.erasing.redaction import redact_markdown
from reverie.core.runs.views import AnyStore, StoreView

if TYPE_CHECKING:
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.types import RunInfo, Workspace


class ErasableJournal(Protocol):
    """A journal out of which words can be taken."""

    def contains(self, predicate: Callable[[str], bool]) -> list[str]: ...

    def runs_holding(self, to_erase: WordsToErase) -> int: ...

    def names(self) -> list[str]: ...

    def erase(self, to_erase: WordsToErase, *, names: Mapping[str, str] | None = None) -> int: ...

    def certify(self, run: str, info: RunInfo) -> str: ...


class JournalEraser(StoreView[AnyStore], ABC):
    """A store that takes words out of its journal; an engine adds everything beside it."""

    def __init__(self, store: AnyStore, *, journal: ErasableJournal, space: Workspace) -> None:
        super().__init__(store)
        self._journal = journal
        self._space = space

    @abstractmethod
    def _named(self, paths: Sequence[str]) -> list[str]:
        """Return the true names of files, and where files of these names were before they were moved."""

    @abstractmethod
    def _living(self) -> Callable[[str], bool]:
        """Return what says whether a file is still there, under a name that it keeps."""

    @abstractmethod
    def _erase_tasks(self, to_erase: WordsToErase) -> int:
        """Take the words out of tasks; return how many tasks held any."""

    def in_journal(self, to_erase: WordsToErase) -> int:
        """Count what of the journal holds the words: texts, runs and names."""
        kept = self._journal.contains(lambda text: redact_markdown(text, to_erase) != text)
        return len(kept) + self._journal.runs_holding(to_erase) + len(self._hidden(to_erase))

    def erase(
        self, to_erase: WordsToErase, *, paths: Sequence[str] = (), everywhere: bool = False
    ) -> int:
        """Take the words, and the names of these files, out of journal and tasks."""
        told = {path: f"{path.rpartition('/')[0]}/{PLACEHOLDER}" for path in self._named(paths)}
        if everywhere:
            told = self._hidden(to_erase) | told
        touched = self._journal.erase(to_erase, names=told)
        if everywhere:
            return touched + len(told)
        return touched + self._erase_tasks(to_erase)

    def certify(self, run: str, info: RunInfo) -> str:
        """Record what an erasure came to: in its run, or where no file changed in a new one."""
        return self._journal.certify(run, info)

    def _hidden(self, to_erase: WordsToErase) -> dict[str, str]:
        return hidden_paths(self._journal.names(), self._space, to_erase, living=self._living())
