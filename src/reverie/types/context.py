"""Context files, their imports, and facts saved into them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from reverie.types.outcomes import Dropped
from reverie.types.writing import FileDelta


class ContextSource(StrEnum):
    """Why a context file is loaded."""

    GLOBAL = "global"
    PROJECT = "project"
    """In a folder from the project's root down to the current one."""
    EXTENSION = "extension"
    INCLUDE = "include"


ImportFormat: TypeAlias = Literal["tree", "flat"]


@dataclass(frozen=True, slots=True)
class ContextImport:
    """A file that was put in place of an import."""

    path: str
    line: int
    """Where the import stands, in the file one level up."""
    depth: int
    """1 for an import of the context file itself, 2 for an import of that file, and so on."""


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A context file as it was loaded."""

    path: str
    shown: str
    """The path in its marker, relative to the current folder."""
    source: ContextSource
    tokens: int
    """Estimated, of its text with all imports."""
    digest: str
    """Of the file's own text, imports not expanded."""
    imports: tuple[ContextImport, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something about a context that its owner should know: where, why, and what to do."""

    path: str
    line: int
    """1-based; 0 where the file as a whole is meant."""
    reason: str
    """A stable code; docs/context.md lists them."""
    message: str
    target: str = ""
    """What the import points to, if it is about one."""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that was loaded for a folder, ready for a prompt; equal input gives equal text."""

    text: str
    files: tuple[ContextFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    dropped: tuple[Dropped, ...]
    format: ImportFormat
    trusted: bool
    tokens: int
    file_count: int
    depends: tuple[str, ...]
    """Every path whose appearance, change or removal could change this context."""
    verdict: Verdict = "unknown"
    """What was thought of the project's folder."""


Verdict: TypeAlias = Literal["trusted", "unknown", "untrusted"]
"""Of a folder: somebody trusts it, nobody judged it, or somebody does not."""


SaveScope: TypeAlias = Literal["global", "project"]


@dataclass(frozen=True, slots=True)
class SavePlace:
    """Where a fact could be saved, and what the file would look like then."""

    scope: SaveScope
    path: str
    item: str
    """The list item as it would stand in the file."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A fact that was written to a context file, or would be (`run` is empty then)."""

    scope: SaveScope
    path: str
    fact: str
    delta: FileDelta
    run: str = ""


@dataclass(frozen=True, slots=True)
class ContextWritten:
    """A context file that was appended to or replaced as a whole."""

    path: str
    mode: Literal["append", "replace"]
    bytes_written: int
    """Size of the file as it was written; 0 when nothing was."""
    changed: bool
    run: str = ""


@dataclass(frozen=True, slots=True)
class Archived:
    """A context file whose content was moved aside (`run` is empty when it only would be)."""

    path: str
    archive: str
    deltas: tuple[FileDelta, ...]
    run: str = ""


@dataclass(frozen=True, slots=True)
class Trust:
    """What may be used of a folder, and who says so."""

    path: str
    trusted: bool
    """Whether its context files are loaded; those of an unknown folder are, too."""
    decided_by: str
    """The folder whose record decides, or the name of the setting."""
    verdict: Verdict = "unknown"


@dataclass(frozen=True, slots=True)
class Found:
    """A file that may be used: its real path, its text and its size in bytes."""

    path: str
    text: str
    size: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that may not be used, or is not there."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class ImportRule:
    """What a context file may import."""

    roots: tuple[str, ...]
    """Where it must lie."""
    own: bool = False
    """It is the person's own file, which may import whatever lies there."""
    careful: bool = False
    """Nobody has judged the file's folder: only visible text files, the rest waits for trust."""
    tracked: tuple[str, ...] = ()
    """Those of the roots where, besides, git must track the file if there is a repository."""
    archive: str = ""
    """Where `context archive` puts a context file's text, which counts like the file itself."""
