"""What a memory is opened on: everything of one workspace that an engine keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from threading import Event
from typing import TYPE_CHECKING, Literal, Protocol

from reverie.core.context.hierarchy import ContextOptions
from reverie.core.erasing.erasing_store import ErasingStore
from reverie.ports import (
    Carrier,
    EmbedderSlot,
    JournaledStore,
    JournalReader,
    LayerEngine,
    Ranker,
    Records,
    SearchPort,
    StateFiles,
    Store,
)
from reverie.types import (
    Context,
    Indexed,
    IndexStats,
    Isolation,
    Problem,
    Receipt,
    Source,
    Trust,
    Verified,
    Workspace,
)
from reverie.types.turns import Redact

if TYPE_CHECKING:
    from reverie.core.topics.advice import Scan


class Index(SearchPort, Protocol):
    """A search index that keeps itself up to date."""

    @property
    def searched(self) -> list[str]:
        """The folders and files that are searched."""
        ...

    def sync(
        self,
        *,
        wait: float,
        seconds: float | None = None,
        source: Source | None = None,
        rebuild: bool = False,
        purge: bool = False,
    ) -> Indexed:
        """Take in what changed."""
        ...

    def stats(
        self, *, source: Source | None = None, isolation: Isolation | None = None
    ) -> IndexStats: ...

    def drop_extras(self, kept: Sequence[str]) -> None: ...

    def is_filling(self) -> bool:
        """Say whether it is being made for the first time and lacks files yet."""
        ...

    def watch(self, on_sync: Callable[[Indexed], None], *, stop: Event | None = None) -> None:
        """Sync after every change until `stop` is set."""
        ...

    def close(self) -> None: ...


class Engine(LayerEngine, Protocol):
    """One workspace's memory, wherever it is kept."""

    name: Literal["local", "postgres"]
    workspace: Workspace
    notices: list[Problem]
    """What happened while opening that a person should know."""

    @property
    def store(self) -> JournaledStore: ...

    @property
    def journal(self) -> JournalReader: ...

    @property
    def state(self) -> StateFiles: ...

    @property
    def ranker(self) -> Ranker: ...

    def log(self, name: Literal["events", "usage", "recalls"]) -> Records: ...

    def context(self, options: ContextOptions) -> Context: ...

    def trust(self, path: str | None, *, trusted: bool | None) -> Trust: ...

    def trusted(self, path: str | None = None) -> Trust: ...

    def whence(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Tell for each path and text whence it came if the person did not say it here; else nothing."""
        ...

    def imported(self, paths: Sequence[str]) -> dict[str, str]:
        """Tell for each file as it is now from where it was imported; where nothing is known, nothing."""
        ...

    def is_file(self, path: str) -> bool: ...

    def make_folders(self, folders: Sequence[str], *, dry_run: bool) -> list[str]:
        """Make folders that are not there; return which those were."""
        ...

    def find(self, path: str) -> str:
        """Find a path as people name it."""
        ...

    def carrier(self, redact: Redact | None) -> Carrier:
        """Return what moves the whole memory, in and out."""
        ...

    def confined(self) -> Store:
        """Return the store for what an agent drafted: it writes below the memory folders only."""
        ...

    def erasing(self) -> ErasingStore: ...

    def indexed(self) -> bool:
        """Say whether there is a search index that may hold copies of erased words."""
        ...

    def sessions_since(self, since: datetime | None) -> set[str]: ...

    def verify(self) -> Verified: ...

    def looking_for_secrets(self) -> AbstractContextManager[Scan]:
        """Return what lists the secrets of a text; it may know texts again that held none."""
        ...

    def set_aside(self) -> list[Problem]:
        """Return what was set aside because it could not be read or believed."""
        ...

    def find_receipt(self, name: str) -> Receipt: ...

    def verify_forgotten(self, receipt: Receipt) -> Verified: ...

    def open_index(self, embedder: EmbedderSlot) -> Index: ...

    def name_paths(self, paths: Sequence[str], *, remove: bool) -> list[str]:
        """Name further paths to search, or take them back; return all that are named now."""
        ...

    def close(self) -> None: ...
