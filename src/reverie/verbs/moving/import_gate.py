"""What an import works with: its context, its ledger, and the gate that lets in what is plain or allowed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reverie.core.erasing.receipts import Barred
from reverie.core.layers.tree import scaffold
from reverie.core.moving.export_format import AGENT
from reverie.core.moving.record_kinds import ABOUT, HIDDEN, MEMORY, NEVER, kind_of
from reverie.core.runs.planning import masked
from reverie.core.text.plain import digest
from reverie.errors import FileTooLarge, InvalidPath, NotAFile, NotAllowed, NotText
from reverie.types import Dropped, Held
from reverie.verbs.undone import forgotten
from reverie.verbs.verb_context import VerbContext

if TYPE_CHECKING:
    from reverie.ports import Carrier
    from reverie.types import PortableFile, SecretFinding

HALF = "it holds half a character (an unpaired surrogate)"
FORGOTTEN = "something in it was forgotten here; import it with --again to bring that back"
ONE_FILE = (InvalidPath, NotAllowed, NotAFile, NotText, FileTooLarge)
"""What is wrong with one address, or with what is there: the rest is written all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportContext(VerbContext):
    """What one import works with besides: where records go, and what was asked for."""

    carrier: Carrier
    format: str = "jsonl"
    allow: frozenset[str] = frozenset()
    """Kinds besides plain memory that may be written."""
    replace: bool = False
    again: bool = False
    dry_run: bool = False


@dataclass(slots=True)
class Ledger:
    """What has become of the records so far."""

    files: list[PortableFile] = field(default_factory=list)
    """What may be written, where nothing of it is there yet."""
    catalogs: list[PortableFile] = field(default_factory=list)
    states: list[bool] = field(default_factory=list)
    turns: int = 0
    held_turns: int = 0
    known_turns: int = 0
    runs: int = 0
    known_runs: int = 0
    held: list[Held] = field(default_factory=list)
    refused: list[Dropped] = field(default_factory=list)
    redactions: list[SecretFinding] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def shown(ctx: ImportContext, name: str) -> str:
    """Return a name as it may be shown: it can hold a secret as a text can."""
    return masked(name, ctx.settings.secrets)


class Gate:
    """Tells what is plain memory, what was allowed, and what is held back."""

    def __init__(self, ctx: ImportContext, ledger: Ledger) -> None:
        self._ctx = ctx
        self._ledger = ledger
        layers = ctx.settings.layers
        fresh = scaffold(
            ctx.workspace.agent, core_limit=layers.core_limit, working_limit=layers.working_limit
        )
        self.fresh = {f"{AGENT}/{rel}": digest(text) for rel, text in fresh.items()}
        """What `init` writes, by address."""
        self.gone = Barred() if ctx.again else forgotten(ctx.journal)
        """What was forgotten here, and only comes back when somebody says so."""

    def kind(self, at: str, *keys: str | None) -> str:
        """Return the kind of an address for texts of these digests."""
        fresh = self.fresh.get(at)
        if fresh and all(key in (None, fresh) for key in keys):
            return MEMORY
        return kind_of(at, loaded=self._ctx.settings.context.names)

    def passes(self, kind: str, what: str, *, why: str = "") -> bool:
        """Say whether a kind may be written; if not, note what was held back."""
        if kind == MEMORY or kind in self._ctx.allow:
            return True
        name = shown(self._ctx, what)
        if kind == HIDDEN:
            self._ledger.dropped.append(Dropped(name, why + NEVER))
        else:
            self._ledger.held.append(Held(kind, name, why + ABOUT[kind]))
        return False
