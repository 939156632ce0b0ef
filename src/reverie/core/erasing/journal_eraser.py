"""Taking words out of a journal: which names are hidden, what is counted, in every engine alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from reverie.core.erasing.everywhere import hidden_paths
from reverie.core.erasing.occurrences import PLACEHOLDER, WordsToErase
from reverie.core.erasing.redaction import redact_markdown
from reverie.core.runs.views import AnyStore, StoreView
from reverie.core.topics.topic import CATALOG_NAME, parse_topic
from reverie.types import Scope

if TYPE_CHECKING:
    from reverie.types import RunInfo, Topic, Workspace


class ErasableJournal(Protocol):
    """A journal out of which words can be taken."""

    def contains(self, predicate: Callable[[str], bool]) -> list[str]: ...

    def runs_holding(self, to_erase: WordsToErase) -> int: ...

    def names(self) -> list[str]: ...

    def stored_texts(self) -> Iterable[tuple[str, str]]: ...

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
    def erase_tasks(self, to_erase: WordsToErase) -> int:
        """Take the words out of tasks; return how many tasks held any."""

    def earlier(self) -> list[Topic]:
        """Return every text that the journal has of a memory of this workspace, read as a topic."""
        roots = {scope: self._space.memory_root(scope) for scope in Scope}
        found: list[Topic] = []
        for path, text in self._journal.stored_texts():
            for scope, root in roots.items():
                rel = path.removeprefix(f"{root}/")
                if rel != path and not rel.endswith(CATALOG_NAME):
                    topic = parse_topic(text, path=path, rel=rel, scope=scope)
                    found += [topic] if topic else []
        return found

    def in_journal(self, to_erase: WordsToErase) -> int:
        """Count what of the journal holds the words: texts, runs and names."""
        kept = self._journal.contains(lambda text: redact_markdown(text, to_erase) != text)
        return len(kept) + self._journal.runs_holding(to_erase) + len(self._hidden(to_erase))

    def erase(self, to_erase: WordsToErase, *, paths: Sequence[str] = ()) -> int:
        """Take the words, and the names of these files, out of the journal."""
        told = {path: f"{path.rpartition('/')[0]}/{PLACEHOLDER}" for path in self._named(paths)}
        told = self._hidden(WordsToErase(to_erase.runs)) | told
        return self._journal.erase(to_erase, names=told) + len(told)

    def certify(self, run: str, info: RunInfo) -> str:
        """Record what an erasure came to: in its run, or where no file changed in a new one."""
        return self._journal.certify(run, info)

    def _hidden(self, to_erase: WordsToErase) -> dict[str, str]:
        return hidden_paths(self._journal.names(), self._space, to_erase, living=self._living())
