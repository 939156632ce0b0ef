"""What a store of any engine does around its writing: who signs a run, what came of it, who hears of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Generic, TypeVar

from reverie.core.runs.planning import masked_run
from reverie.types import Applied, RunInfo

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.types import Scope, SecretFinding, Workspace
    from reverie.types.writing import Planned

AnyJournal = TypeVar("AnyJournal")


class RunStore(Generic[AnyJournal]):
    """A store that writes runs; an engine adds where."""

    def __init__(
        self,
        workspace: Workspace,
        journal: AnyJournal,
        *,
        settings: Settings,
        clock: Callable[[], datetime],
    ) -> None:
        self.workspace = workspace
        self.journal = journal
        self.settings = settings
        self.clock = clock
        self.listeners: list[Callable[[Applied, RunInfo], None]] = []
        self.endorse: Callable[[RunInfo], RunInfo] = _as_it_is
        """Asked just before a run is recorded: may sign it, or raise so that nothing is written."""

    @contextmanager
    def together(self) -> Iterator[bool]:
        """Write several runs one after the other; an engine may do once what comes after each.

        Yields whether they are all written at the end, or none; else each is when it was applied.
        """
        yield False

    def _endorsed(self, run: RunInfo) -> RunInfo:
        """Return a run as it may be recorded: signed, and without secrets."""
        return masked_run(self.endorse(run), self.settings.secrets)

    def _announce(self, applied: Applied, run: RunInfo) -> None:
        """Tell listeners of a run, once it is durable."""
        for listener in self.listeners:
            listener(applied, run)


def applied_run(
    run: str,
    planned: Sequence[Planned],
    *,
    scopes: Sequence[Scope],
    redactions: Sequence[SecretFinding],
    notes: Sequence[str],
) -> Applied:
    """Say what came of a run."""
    return Applied(
        run=run,
        paths=tuple(item.path for item in planned),
        scopes=tuple(scopes),
        redactions=tuple(redactions),
        catalog_notes=tuple(notes),
    )


def _as_it_is(run: RunInfo) -> RunInfo:
    return run
