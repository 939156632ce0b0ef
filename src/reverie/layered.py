"""Layers: the opened layers of one agent; one short method per verb, as in `Memory`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core.layers.tree import WORKING, agent_root
from reverie.once import once
from reverie.types import Applied, Dropped, Origin, Problem, Prompt, Skipped, TurnMessage

if TYPE_CHECKING:
    from reverie.core.layers.notes import Review
    from reverie.core.layers.working import Action
    from reverie.ports import AgentTree, History, LayerEngine
    from reverie.types import Decided, Pending, SecretFinding, Turn
    from reverie.types.turns import Appended, Reading, Redact
    from reverie.verbs.layers.cognition import JobRun, JobStatus
    from reverie.verbs.layers.notes import Noted, NoteShown, NotesListed
    from reverie.verbs.layers.working import WorkingChanged
    from reverie.verbs.verb_context import LayerContext, VerbContext

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

    def __init__(self, ctx: VerbContext, *, engine: LayerEngine) -> None:
        self.workspace = ctx.workspace
        self.root = agent_root(ctx.workspace)
        self._verb_context = ctx
        self._engine = engine

    @once
    def _ctx(self) -> LayerContext:
        """What the verbs of the layers work with."""
        from reverie.verbs.verb_context import LayerContext, widened

        return widened(
            self._verb_context, LayerContext, tree=self.tree, history=lambda: self.history
        )

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
        policy = self._verb_context.settings.secrets
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
        return scaffold(self._ctx)

    # --- prompt -----------------------------------------------------------------------------------

    def prompt(self, *, context: str = "", recalled: str = "", replay: int | None = None) -> Prompt:
        """Assemble the layered system prompt."""
        from reverie.verbs.layers.prompt import prompt

        return prompt(
            self._ctx,
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

        wanted = self._verb_context.settings.layers.replay_turns if limit is None else limit
        if everything:
            return self.history.latest(wanted)
        return self.history.replay(wanted, checkpoint=consolidated(self.tree))

    def import_chat(self, text: str, *, dry_run: bool = False) -> Imported:
        """Bring the turns of a chat log into the history, each once."""
        from reverie.core.learning.chat_logs import read_chat

        log = read_chat(text, now=self._verb_context.clock())
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
        return self._verb_context.store.read(f"{self.root}/{WORKING}") or ""

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
        operation = Operation(action, heading_named(heading), text)
        return change(self._ctx, operation, origin=origin, dry_run=dry_run)

    def edit(self, rel: str, text: str, *, base: str | None) -> Applied:
        """Replace a core, working, semantic or note file, unless it changed since `base`."""
        from reverie.verbs.edit import edit_layer

        return edit_layer(self._ctx, rel, text, base=base)

    # --- notes ------------------------------------------------------------------------------------

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

        return notes.add(
            self._ctx, text, title=title, tags=tags, folder=folder, origin=origin, dry_run=dry_run
        )

    def notes(self, *, folder: str = "", tag: str = "") -> NotesListed:
        """List the notes, newest first."""
        from reverie.verbs.layers import notes

        return notes.listed(self._ctx, folder=folder, tag=tag)

    def note(self, name: str) -> NoteShown:
        """Return a note with its links and backlinks."""
        from reverie.verbs.layers import notes

        return notes.show(self._ctx, name)

    def link_notes(
        self, name: str, target: str, *, why: str = "", dry_run: bool = False
    ) -> Noted | Skipped:
        """Link one note to another."""
        from reverie.verbs.layers import notes

        return notes.link(self._ctx, name, target, why=why, dry_run=dry_run)

    def map_notes(
        self, title: str, names: Sequence[str] = (), *, dry_run: bool = False
    ) -> Noted | Skipped:
        """Put notes on a map, which is made when there is none of that name."""
        from reverie.verbs.layers import notes

        return notes.map_notes(self._ctx, title, names, dry_run=dry_run)

    def note_map(self, title: str) -> NoteShown:
        """Return a map with the notes on it."""
        from reverie.verbs.layers import notes

        return notes.show_map(self._ctx, title)

    def review_notes(self) -> Review:
        """Say what in the notebook wants a hand."""
        from reverie.verbs.layers import notes

        return notes.review(self._ctx)

    def accept_note(self, name: str, *, dry_run: bool = False) -> Noted | Skipped:
        """File a note from the inbox among the atomic notes."""
        from reverie.verbs.layers import notes

        return notes.accept(self._ctx, name, dry_run=dry_run)

    # --- what an import brought -------------------------------------------------------------------

    def pending(self) -> list[Pending]:
        """List imported core files that wait for approval."""
        from reverie.verbs.moving.pending import waiting

        return waiting(self._ctx)

    def decide(self, names: Collection[str], *, approve: bool, dry_run: bool = False) -> Decided:
        """Approve or discard imported core files: those named, or all that wait."""
        from reverie.verbs.moving.pending import decide

        return decide(self._ctx, names, approve=approve, dry_run=dry_run)

    # --- cognition --------------------------------------------------------------------------------

    def think(self, *, startup: bool = False) -> list[JobRun | Skipped]:
        """Run the background jobs that are due."""
        from reverie.verbs.layers import cognition

        return cognition.run_due(self._ctx, startup=startup)

    def run_job(self, name: str, *, dry_run: bool = False, again: bool = False) -> JobRun | Skipped:
        """Run one background job now, due or not; `again` reads the turns of its oldest undone run."""
        from reverie.verbs.layers import cognition

        return cognition.run_job(self._ctx, name, dry_run=dry_run, again=again)

    def notice_undone(self) -> None:
        """Take note that a run of a background job was undone."""
        from reverie.verbs.layers import undone_jobs

        with self.tree.try_lock("cognition") as held:
            if held:  # else a job runs just now, and the next one takes note
                undone_jobs.notice(self._ctx)

    def job_status(self) -> tuple[list[JobStatus], list[Problem]]:
        """Say how every background job stands."""
        from reverie.verbs.layers import cognition

        return cognition.status(self._ctx)


def _batches(items: Sequence[Turn], size: int) -> Iterable[Sequence[Turn]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
