"""Layers: the opened layers of one agent; one short method per verb, as in `Memory`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core.layers.tree import WORKING, agent_root
from reverie.once import once
from reverie.types import Applied, Dropped, Origin, Problem, Prompt, Skipped, TurnMessage, Workspace

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.core.layers.notes import Review
    from reverie.core.layers.working import Action
    from reverie.ports import AgentTree, History, JournaledStore, LayerEngine, Model
    from reverie.types import SecretFinding, Turn
    from reverie.types.turns import Appended, Reading, Redact
    from reverie.verbs.layers.cognition import CognitionDesk, JobRun, JobStatus
    from reverie.verbs.layers.notes import Noted, NotesDesk, NoteShown, NotesListed
    from reverie.verbs.layers.working import WorkingChanged

BATCH = 200
"""Turns appended in one go by an import: a killed import loses at most the batch it was at."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of reading a chat log."""

    appended: int
    known: int
    """Turns that an earlier import brought already."""
    unfinished: int
    left_out: int
    """Records of sub-agents and of branches that were given up."""
    first_seq: int = 0
    last_seq: int = 0
    redactions: tuple[SecretFinding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    problems: tuple[Problem, ...] = ()


class Layers:
    """The layers of the workspace's agent."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        store: JournaledStore,
        settings: Settings,
        clock: Callable[[], datetime],
        engine: LayerEngine,
        model: Callable[[], Model | None] = lambda: None,
    ) -> None:
        self.workspace = workspace
        self.root = agent_root(workspace)
        self._store = store
        self._settings = settings
        self._clock = clock
        self._engine = engine
        self._model = model

    @once
    def tree(self) -> AgentTree:
        """The folder of the agent."""
        return self._engine.tree()

    @once
    def history(self) -> History:
        """The history of the agent; opening it upgrades and heals it."""
        return self._engine.history(self.redact())

    def redact(self) -> Redact | None:
        """Return what takes secrets out of turns, None when the settings want none taken out."""
        policy = self._settings.secrets
        if policy.policy == "off":
            return None
        from reverie.core.secrets.scanner import redact

        return lambda text: redact(text, allow=policy.allow)

    def close(self) -> None:
        """Close the history, if it was opened."""
        if "history" in self.__dict__:
            self.history.close()

    def scaffold(self) -> Applied:
        """Make the folders and files of the tree, once; what is there stays."""
        from reverie.verbs.layers.scaffold import scaffold

        self.tree.make_folders()
        return scaffold(
            self.workspace.agent,
            store=self._store,
            tree=self.tree,
            settings=self._settings.layers,
            clock=self._clock,
        )

    # --- prompt -----------------------------------------------------------------------------------

    def prompt(self, *, context: str = "", recalled: str = "", replay: int | None = None) -> Prompt:
        """Assemble the layered system prompt."""
        from reverie.verbs.layers.prompt import prompt

        return prompt(
            store=self._store,
            tree=self.tree,
            history=self.history,
            workspace=self.workspace,
            settings=self._settings,
            closed=self._engine.closed_scopes(),
            context=context,
            recalled=recalled,
            replay=replay,
        )

    # --- history ----------------------------------------------------------------------------------

    def append(
        self, messages: Sequence[TurnMessage], *, session: str = "", at: datetime | None = None
    ) -> Appended:
        """Add one finished exchange to the history."""
        return self.history.append(messages, session=session, at=at)

    def replay(self, limit: int | None = None, *, everything: bool = False) -> Reading:
        """Return the last turns that working memory does not cover yet, or the last of all."""
        from reverie.verbs.layers.prompt import consolidated

        wanted = self._settings.layers.replay_turns if limit is None else limit
        if everything:
            return self.history.latest(wanted)
        return self.history.replay(wanted, checkpoint=consolidated(self.tree))

    def import_chat(self, text: str, *, dry_run: bool = False) -> Imported:
        """Bring the turns of a chat log into the history, each once."""
        from reverie.core.learning.chat_logs import read_chat

        log = read_chat(text, now=self._clock())
        if dry_run:
            return Imported(len(log.turns), 0, log.unfinished, log.left_out, problems=log.problems)
        done = [self.history.append_all(batch) for batch in _batches(log.turns, BATCH)]
        numbers = [turn.seq for one in done for turn in one.turns]
        return Imported(
            appended=len(numbers),
            known=sum(one.known for one in done),
            unfinished=log.unfinished,
            left_out=log.left_out,
            first_seq=min(numbers, default=0),
            last_seq=max(numbers, default=0),
            redactions=tuple(item for one in done for item in one.redactions),
            dropped=tuple(item for one in done for item in one.dropped),
            problems=log.problems,
        )

    # --- working memory ---------------------------------------------------------------------------

    def working(self) -> str:
        """Return working memory as it stands."""
        return self._store.read(f"{self.root}/{WORKING}") or ""

    def change_working(
        self,
        action: Action,
        heading: str,
        text: str,
        *,
        origin: Origin = Origin.OWNER,
        dry_run: bool = False,
    ) -> WorkingChanged | Skipped:
        """Add, close or drop one item of working memory."""
        from reverie.core.layers.working import Operation, heading_named
        from reverie.verbs.layers.working import change

        if not dry_run:
            self.scaffold()
        return change(
            Operation(action, heading_named(heading), text),
            store=self._store,
            tree=self.tree,
            settings=self._settings.layers,
            clock=self._clock,
            origin=origin,
            dry_run=dry_run,
        )

    def edit(self, rel: str, text: str, *, base: str | None) -> Applied:
        """Replace a core, working, semantic or note file, unless it changed since `base`."""
        from reverie.verbs.edit import edit_layer

        return edit_layer(rel, text, base=base, root=self.root, store=self._store)

    # --- notes ------------------------------------------------------------------------------------

    def _notes(self, *, dry_run: bool = False, origin: Origin = Origin.OWNER) -> NotesDesk:
        from reverie.verbs.layers.notes import NotesDesk

        return NotesDesk(
            self._store, self.tree, self._clock, self._settings.secrets, origin, dry_run
        )

    def add_note(
        self,
        text: str,
        *,
        title: str = "",
        tags: Sequence[str] = (),
        folder: str = "inbox",
        origin: Origin = Origin.OWNER,
        dry_run: bool = False,
    ) -> Noted:
        """Write a new note, into the inbox unless told otherwise."""
        from reverie.verbs.layers import notes

        desk = self._notes(dry_run=dry_run, origin=origin)
        return notes.add(desk, text, title=title, tags=tags, folder=folder)

    def notes(self, *, folder: str = "", tag: str = "") -> NotesListed:
        """List the notes, newest first."""
        from reverie.verbs.layers import notes

        return notes.listed(self._notes(), folder=folder, tag=tag)

    def note(self, name: str) -> NoteShown:
        """Return a note with its links and backlinks."""
        from reverie.verbs.layers import notes

        return notes.show(self._notes(), name)

    def link_notes(
        self, name: str, target: str, *, why: str = "", dry_run: bool = False
    ) -> Noted | Skipped:
        """Link one note to another."""
        from reverie.verbs.layers import notes

        return notes.link(self._notes(dry_run=dry_run), name, target, why=why)

    def map_notes(
        self, title: str, names: Sequence[str] = (), *, dry_run: bool = False
    ) -> Noted | Skipped:
        """Put notes on a map, which is made when there is none of that name."""
        from reverie.verbs.layers import notes

        return notes.map_notes(self._notes(dry_run=dry_run), title, names)

    def note_map(self, title: str) -> NoteShown:
        """Return a map with the notes on it."""
        from reverie.verbs.layers import notes

        return notes.show_map(self._notes(), title)

    def review_notes(self) -> Review:
        """Say what in the notebook wants a hand."""
        from reverie.verbs.layers import notes

        return notes.review(self._notes())

    def accept_note(self, name: str, *, dry_run: bool = False) -> Noted | Skipped:
        """File a note from the inbox among the atomic notes."""
        from reverie.verbs.layers import notes

        return notes.accept(self._notes(dry_run=dry_run), name)

    # --- cognition --------------------------------------------------------------------------------

    def _cognition(self, *, asking: bool = True) -> CognitionDesk:
        from reverie.verbs.layers.cognition import CognitionDesk
        from reverie.verbs.layers.job_agent import proposer

        model = self._model() if asking else None
        propose = (
            proposer(model, settings=self._settings.model, clock=self._clock) if model else None
        )
        return CognitionDesk(
            self._store,
            self.tree,
            self.history,
            self._settings,
            self._clock,
            propose,
            self._store.journal,
        )

    def think(self, *, startup: bool = False) -> list[JobRun | Skipped]:
        """Run the background jobs that are due."""
        from reverie.verbs.layers import cognition

        return cognition.run_due(self._cognition(), startup=startup)

    def run_job(self, name: str, *, dry_run: bool = False, again: bool = False) -> JobRun | Skipped:
        """Run one background job now, due or not; `again` reads the turns of its oldest undone run."""
        from reverie.verbs.layers import cognition

        return cognition.run_job(self._cognition(), name, dry_run=dry_run, again=again)

    def notice_undone(self) -> None:
        """Take note that a run of a background job was undone."""
        from reverie.verbs.layers import undone_jobs

        with self.tree.try_lock("cognition") as held:
            if held:  # else a job runs just now, and the next one takes note
                undone_jobs.notice(self._store.journal, self.tree)

    def job_status(self) -> tuple[list[JobStatus], list[Problem]]:
        """Say how every background job stands."""
        from reverie.verbs.layers import cognition

        return cognition.status(self._cognition(asking=False))


def _batches(items: Sequence[Turn], size: int) -> Iterable[Sequence[Turn]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
