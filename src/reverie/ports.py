"""The seams: what an engine, a model or an embedder must offer. Two engines pass the same tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from reverie.errors import EmbedderFailed
from reverie.types import (
    Applied,
    Change,
    Counts,
    Dropped,
    FileDelta,
    PortableFile,
    PortableHeader,
    PortableRecord,
    PortableRun,
    PortableState,
    PortableText,
    Problem,
    RunInfo,
    RunRecord,
    Scope,
    Topic,
    Turn,
    TurnsKept,
    Usage,
    Workspace,
)


class Clock(Protocol):
    """Where time comes from; tests bring their own."""

    def __call__(self) -> datetime: ...


class Store(Protocol):
    """The memory itself. `apply` is the only way anything is written."""

    def topics(self, scope: Scope | None = None) -> list[Topic]:
        """Read every topic of managed memory, newest first."""
        ...

    def read(self, path: str) -> str | None:
        """Return a file's text, or None when there is no file."""
        ...

    def apply(self, changes: Sequence[Change], run: RunInfo) -> Applied:
        """Write all changes as one run, or none of them."""
        ...

    def writing(self, purpose: str) -> AbstractContextManager[None]:
        """Keep every other writer waiting, so that what is read stays true until it is applied."""
        ...


class JournalReader(Protocol):
    """What was done: runs, their files before and after, and which run left which text."""

    def log(self, *, limit: int = 50, path: str | None = None) -> list[RunRecord]: ...

    def since(self, run: str, *, limit: int) -> list[RunRecord]: ...

    def record(self, run: str) -> RunRecord: ...

    def resolve(self, run: str) -> str:
        """Return the full id of a run given by its id or an unambiguous beginning or end of it."""
        ...

    def deltas(self, run: str) -> list[FileDelta]: ...

    def history(self, path: str) -> list[tuple[RunRecord, str | None]]:
        """Return the runs that touched a path, oldest first, each with the text it left."""
        ...

    def imported(self, path: str, text: str) -> str:
        """Tell from where and when a file's text was imported; empty when it was not."""
        ...

    def counts(self) -> tuple[int, int]:
        """Return how many runs and files the journal knows."""
        ...

    def contains(self, predicate: Callable[[str], bool]) -> list[str]:
        """Return the hashes of stored texts for which the predicate is true."""
        ...


class JournaledStore(Store, Protocol):
    """A store with its journal; what looking back and the daemon need beyond the verbs."""

    workspace: Workspace
    endorse: Callable[[RunInfo], RunInfo]
    """Asked just before a run is recorded: may sign it, or raise so that nothing is written."""

    @property
    def journal(self) -> JournalReader: ...

    @property
    def unreadable(self) -> list[Problem]:
        """Memory files the last `topics()` could not use, each with the reason."""
        ...

    def real(self, path: str) -> str:
        """Return the true name of a path, by which the journal knows its file."""
        ...

    def edits(self) -> list[FileDelta]:
        """Return what was changed by hand and not recorded yet; nothing is written."""
        ...

    def notice_edits(self) -> list[str]:
        """Record every file that was changed by hand; return their paths."""
        ...

    def rebuild_catalogs(self) -> list[str]:
        """Write the catalogs of both scopes anew; return what did not fit."""
        ...

    def apply(
        self, changes: Sequence[Change], run: RunInfo, *, undoes: str = "", scan: bool = True
    ) -> Applied:
        """Write all changes as one run; `scan=False` is for undo and erasing, which add nothing."""
        ...


class Records(Protocol):
    """A log of small records: what happened, in numbers and names."""

    damaged: int
    """How many records the last reading could not use."""

    def add(self, name: str, data: Mapping[str, Any], *, at: datetime) -> None: ...

    def read(self, *, limit: int = 50, name: str | None = None) -> list[dict[str, Any]]:
        """Return the newest records first."""
        ...


class StateFiles(Protocol):
    """Small bookkeeping files beside the memory: meta, cursor, the dream lock."""

    def read_state(self, name: str) -> dict[str, Any]:
        """Return a state file, empty when there is none."""
        ...

    def update_state(
        self, name: str, change: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Read, change and replace a state file as one step; return what it now holds."""
        ...

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Own a lock for as long as the block runs, or yield False when another owns it."""
        ...


class AgentTree(Protocol):
    """The folder of one agent's layers: what lies in it, and the small files that steer its jobs."""

    root: str

    def markdown(self, folder: str) -> list[str]:
        """Return the Markdown files below a folder, as paths relative to the tree, sorted."""
        ...

    def read_control(self, name: str) -> dict[str, Any]:
        """Return a control file, empty when there is none."""
        ...

    def write_control(self, name: str, value: dict[str, Any]) -> None: ...

    def controls(self, folder: str) -> list[str]:
        """Return the control files below a folder, relative to the tree, sorted."""
        ...

    def try_lock(self, name: str) -> AbstractContextManager[bool]:
        """Hold a lock for as long as the block runs, or yield False when another holds it."""
        ...


class TurnLog(Protocol):
    """The history of one agent, read."""

    def head(self) -> int:
        """Return the highest number ever given."""
        ...

    def take(self, seq: int, *, limit: int, own: bool = False) -> Sequence[Turn]:
        """Return the first turns above a number, oldest first; `own` leaves out imported ones."""
        ...

    def recent(self, limit: int, *, checkpoint: int) -> Sequence[Turn]:
        """Return the last own turns above a checkpoint, oldest first."""
        ...


class Carrier(Protocol):
    """A whole memory as records that name no machine: what export reads and import puts back."""

    dropped: list[Dropped]
    """What the last reading could not take along, each with the reason."""

    def records(self, *, journal: bool) -> Iterator[PortableRecord]:
        """Read everything, a record at a time: runs first (oldest first), then files, states, turns."""
        ...

    def files(self) -> Iterator[PortableFile]:
        """Read the files alone."""
        ...

    def path(self, at: str) -> str:
        """Return the path that `Store.apply` takes for an address; raise where none may be written."""
        ...

    def date(self, files: Sequence[PortableFile]) -> None:
        """Remember since when files have had their content, before they are written."""
        ...

    def adopt(self, texts: Sequence[PortableText], runs: Sequence[PortableRun]) -> set[str]:
        """Take runs into the journal as they are; return the ids of those that were new."""
        ...

    def keep_state(self, state: PortableState, *, dry_run: bool = False) -> bool:
        """Put a state file in place where there is none; say whether there was none."""
        ...

    def keep_turns(self, turns: Sequence[Turn], *, dry_run: bool = False) -> TurnsKept:
        """Put turns into the history: numbered ones under their numbers, others at its end."""
        ...

    def close(self) -> None:
        """Close what was opened to read and write."""
        ...


class Bundle(Protocol):
    """What somebody wants to import, as named files; reading one never leads out of it."""

    root: str
    """The name of the file or folder it is."""

    @property
    def names(self) -> Sequence[str]: ...

    @property
    def dropped(self) -> list[Dropped]:
        """What is in it but cannot be read, each with the reason."""
        ...

    def text(self, name: str) -> str | None:
        """Return a file's text, or None when it cannot be read; the reason is in `dropped`."""
        ...

    def lines(self, name: str) -> Iterator[str]:
        """Read a file line by line."""
        ...

    def modified(self, name: str) -> datetime | None:
        """Return when a file was last written, where that is known."""
        ...

    def close(self) -> None:
        """Close what was opened to read it."""
        ...


class Target(Protocol):
    """Where an export goes; nothing is there until it is finished."""

    wants_runs: bool
    """Whether it needs the journal's runs even when they are not asked for."""
    dropped: list[Dropped]
    """What it could not take, each with the reason."""

    def put(self, record: PortableRecord) -> None: ...

    def finish(self, counts: Counts) -> None:
        """Put the export in place."""
        ...

    def discard(self) -> None:
        """Leave nothing behind."""
        ...

    def open(self, header: PortableHeader) -> None:
        """Begin; raises when something is in the way."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors. `identity` changes whenever the vectors would."""

    @property
    def identity(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Iterable[str]) -> Sequence[Sequence[float]]: ...


class EmbedderSlot(Protocol):
    """Where an index gets its embedder from, as long as there is one that works."""

    failure: str
    """Why the embedder is left alone, for the user; empty when it is not."""

    def get(self) -> Embedder | None:
        """Return the embedder, opened at the first call; None without one or after a failure."""
        ...

    def failed(self, error: EmbedderFailed) -> None:
        """Leave the embedder alone for a while."""
        ...


# --- chat models ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model wants to use; the arguments are JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to or from a chat model."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    """What an assistant's message asks for."""
    call: ToolCall | None = None
    """Which call a tool's message answers."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may use."""

    name: str
    about: str
    parameters: Mapping[str, Any]
    """JSON schema of its arguments."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's structured answer, not yet believed: the caller checks it against the question."""

    value: object
    usage: Usage


@dataclass(frozen=True, slots=True)
class Reply:
    """One step of an agent: tools it wants to use, or its last words."""

    text: str
    calls: tuple[ToolCall, ...]
    usage: Usage


class Model(Protocol):
    """A chat model. Whatever goes wrong is a `ModelError`, after at most so many seconds."""

    name: str

    @property
    def warm(self) -> bool:
        """True when a call can start at once, without loading anything first."""
        ...

    def ask(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any],
        seconds: float,
        fast: bool = False,
    ) -> Answer:
        """Ask one question at temperature 0; `fast` prefers the small model."""
        ...

    def step(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[ToolSpec], seconds: float
    ) -> Reply:
        """Let an agent think once."""
        ...
