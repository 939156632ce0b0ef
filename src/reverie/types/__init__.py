"""Values: what every other module passes around. Frozen, built valid, no behaviour beyond reading.

Paths are absolute POSIX strings (in the PostgreSQL engine they are virtual, of the same shape), so
that pure code never needs a file system. `rel` is a path relative to the root it belongs to.

A name is imported from its module when it is first used: making eighty frozen classes at every
start would cost a hook more than its whole recall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.types.context import Archived as Archived
    from reverie.types.context import Context as Context
    from reverie.types.context import ContextFile as ContextFile
    from reverie.types.context import ContextImport as ContextImport
    from reverie.types.context import ContextSource as ContextSource
    from reverie.types.context import ContextWritten as ContextWritten
    from reverie.types.context import Diagnostic as Diagnostic
    from reverie.types.context import ImportFormat as ImportFormat
    from reverie.types.context import Saved as Saved
    from reverie.types.context import SavePlace as SavePlace
    from reverie.types.context import SaveScope as SaveScope
    from reverie.types.context import Trust as Trust
    from reverie.types.context import Verdict as Verdict
    from reverie.types.layers import Note as Note
    from reverie.types.layers import Prompt as Prompt
    from reverie.types.layers import PromptPart as PromptPart
    from reverie.types.learning import CursorState as CursorState
    from reverie.types.learning import Dreamed as Dreamed
    from reverie.types.learning import DreamOp as DreamOp
    from reverie.types.learning import DreamPlan as DreamPlan
    from reverie.types.learning import EntryRef as EntryRef
    from reverie.types.learning import Extracted as Extracted
    from reverie.types.learning import Heard as Heard
    from reverie.types.learning import HeardDecided as HeardDecided
    from reverie.types.learning import MergeOp as MergeOp
    from reverie.types.learning import Patch as Patch
    from reverie.types.learning import PruneCatalogOp as PruneCatalogOp
    from reverie.types.learning import RedateOp as RedateOp
    from reverie.types.learning import StatementForm as StatementForm
    from reverie.types.learning import SupersedeOp as SupersedeOp
    from reverie.types.memories import Entry as Entry
    from reverie.types.memories import Span as Span
    from reverie.types.memories import Topic as Topic
    from reverie.types.outcomes import Dropped as Dropped
    from reverie.types.outcomes import ErasedPlace as ErasedPlace
    from reverie.types.outcomes import Forgotten as Forgotten
    from reverie.types.outcomes import Moment as Moment
    from reverie.types.outcomes import Moved as Moved
    from reverie.types.outcomes import NotErased as NotErased
    from reverie.types.outcomes import Recalled as Recalled
    from reverie.types.outcomes import RecalledTopic as RecalledTopic
    from reverie.types.outcomes import Receipt as Receipt
    from reverie.types.outcomes import Remembered as Remembered
    from reverie.types.outcomes import RemovedEntry as RemovedEntry
    from reverie.types.outcomes import Skipped as Skipped
    from reverie.types.outcomes import Strategy as Strategy
    from reverie.types.outcomes import Usage as Usage
    from reverie.types.places import Kind as Kind
    from reverie.types.places import Layer as Layer
    from reverie.types.places import Origin as Origin
    from reverie.types.places import Scope as Scope
    from reverie.types.places import Source as Source
    from reverie.types.places import Workspace as Workspace
    from reverie.types.portable import Brought as Brought
    from reverie.types.portable import Counts as Counts
    from reverie.types.portable import Decided as Decided
    from reverie.types.portable import Exported as Exported
    from reverie.types.portable import Held as Held
    from reverie.types.portable import Pending as Pending
    from reverie.types.portable import PortableDelta as PortableDelta
    from reverie.types.portable import PortableFile as PortableFile
    from reverie.types.portable import PortableHeader as PortableHeader
    from reverie.types.portable import PortableRecord as PortableRecord
    from reverie.types.portable import PortableRun as PortableRun
    from reverie.types.portable import PortableState as PortableState
    from reverie.types.portable import PortableText as PortableText
    from reverie.types.portable import TurnsKept as TurnsKept
    from reverie.types.search import Chunk as Chunk
    from reverie.types.search import Excerpt as Excerpt
    from reverie.types.search import Hit as Hit
    from reverie.types.search import Indexed as Indexed
    from reverie.types.search import IndexStats as IndexStats
    from reverie.types.search import Isolation as Isolation
    from reverie.types.search import Passage as Passage
    from reverie.types.search import SearchOutcome as SearchOutcome
    from reverie.types.search import SearchStats as SearchStats
    from reverie.types.tasks import Task as Task
    from reverie.types.tasks import TaskFailure as TaskFailure
    from reverie.types.tasks import TaskKind as TaskKind
    from reverie.types.tasks import TaskStatus as TaskStatus
    from reverie.types.turns import Message as Message
    from reverie.types.turns import OtherPart as OtherPart
    from reverie.types.turns import ReasoningPart as ReasoningPart
    from reverie.types.turns import TextPart as TextPart
    from reverie.types.turns import ToolCallPart as ToolCallPart
    from reverie.types.turns import ToolResultPart as ToolResultPart
    from reverie.types.turns import Turn as Turn
    from reverie.types.turns import TurnMessage as TurnMessage
    from reverie.types.turns import TurnPart as TurnPart
    from reverie.types.writing import Applied as Applied
    from reverie.types.writing import BlameLine as BlameLine
    from reverie.types.writing import Change as Change
    from reverie.types.writing import FileDelta as FileDelta
    from reverie.types.writing import Initialised as Initialised
    from reverie.types.writing import Plan as Plan
    from reverie.types.writing import Problem as Problem
    from reverie.types.writing import RunInfo as RunInfo
    from reverie.types.writing import RunRecord as RunRecord
    from reverie.types.writing import RunStatus as RunStatus
    from reverie.types.writing import SecretFinding as SecretFinding
    from reverie.types.writing import Verified as Verified

_MODULES = {
    "context": (
        "ContextSource ImportFormat ContextImport ContextFile Diagnostic Context SaveScope "
        "SavePlace Saved ContextWritten Archived Trust Verdict"
    ),
    "layers": "PromptPart Prompt Note",
    "learning": (
        "CursorState StatementForm Patch Heard HeardDecided Extracted EntryRef MergeOp "
        "SupersedeOp RedateOp PruneCatalogOp DreamOp DreamPlan Dreamed"
    ),
    "memories": "Span Entry Topic",
    "outcomes": (
        "Skipped Dropped Usage Moment Strategy Remembered Moved RecalledTopic Recalled RemovedEntry "
        "ErasedPlace NotErased Receipt Forgotten"
    ),
    "portable": (
        "PortableFile PortableState PortableText PortableDelta PortableRun PortableRecord "
        "PortableHeader Counts TurnsKept Exported Brought Held Pending Decided"
    ),
    "places": "Scope Kind Layer Origin Source Workspace",
    "search": "Chunk Isolation Hit Passage SearchStats SearchOutcome Excerpt IndexStats Indexed",
    "tasks": "TaskKind TaskStatus TaskFailure Task",
    "turns": (
        "Message TextPart ReasoningPart ToolCallPart ToolResultPart OtherPart TurnPart "
        "TurnMessage Turn"
    ),
    "writing": (
        "Change RunInfo Applied Plan SecretFinding RunStatus RunRecord FileDelta BlameLine Problem "
        "Verified Initialised"
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    """Import a value's module when the value is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reverie.types' has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"reverie.types.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
