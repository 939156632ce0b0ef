"""Extract: learn from the new part of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

from reverie.core.dreaming.gates import extract_gate
from reverie.core.dreaming.meta import META_FILE, after_extract
from reverie.core.erasing.receipts import is_gone, receipts_of
from reverie.core.learning import cursor as cursors
from reverie.core.learning.extraction import find_patches, without_instructed
from reverie.core.learning.transcripts import read_messages
from reverie.core.runs.planning import without_secrets
from reverie.core.topics import remember as rules
from reverie.core.topics.topic import parse_topic
from reverie.errors import SecretRefused
from reverie.types import (
    Dropped,
    Extracted,
    Plan,
    Scope,
    Skipped,
    Usage,
)
from reverie.verbs.run import run
from reverie.verbs.undone import is_undone, runs_of

if TYPE_CHECKING:
    from reverie.ports import StateFiles
    from reverie.types import (
        Applied,
        Change,
        Kind,
        Message,
        Patch,
        RunInfo,
        Topic,
        Workspace,
    )
    from reverie.verbs.verb_context import VerbContext

STRATEGY: Final = "heuristic"


def extract(
    ctx: VerbContext,
    messages: Sequence[object],
    *,
    session: str,
    info: RunInfo,
    dry_run: bool = False,
    instructions: Callable[[], str] = lambda: "",
    cancelled: Callable[[], bool] = lambda: False,
    place: str = "",
) -> Extracted | Skipped:
    """Read what is new in a conversation and store what is worth keeping.

    Args:
        place: Under which name it is kept how far was read; the session's own, if it is not read twice.
        instructions: Returns the text of the context files; asked only when something was found.

    The cursor moves last: whatever fails before leaves the messages unread, and storing them again
    changes nothing.
    """
    settings, workspace, now = ctx.settings, ctx.workspace, ctx.clock()
    if skipped := extract_gate(settings):
        return skipped
    transcript = read_messages(messages)
    everything = transcript.messages
    record = ctx.state().read_state(cursors.CURSOR_FILE)
    place = place or session
    cursor = cursors.read_cursor(record, session=place)
    part = cursors.next_slice(everything, cursor, limit=settings.extract.max_slice_messages)
    if not part.messages:
        return Skipped("no_new_messages", "everything in this conversation has been read before")
    found = find_patches(
        part.messages,
        memory_roots=[workspace.memory_root(scope) for scope in Scope],
        cwd=workspace.cwd,
        now=now,
        min_width=settings.extract.min_width,
    )
    usage = Usage()
    strategy = STRATEGY
    model = ctx.model_for("extract")
    if model is not None and found.spoken:
        from reverie.verbs.asking.propose import propose

        found, usage = propose(ctx, found, part.messages, ctx.store.topics(), model=model)
        strategy = STRATEGY if usage.fallback else "model"
    if cancelled():
        return Skipped("cancelled", "the extraction was cancelled before anything was written")
    fresh, told = without_instructed(found.patches, instructions() if found.patches else "")
    fresh, gone = _without_forgotten(ctx, fresh, part.messages)
    patches, runs, dropped = _store(ctx, fresh, info, dry_run=dry_run)
    kinds = tuple(dict.fromkeys(patch.kind for patch in patches if patch.action != "known"))
    outcome = Extracted(
        patches=tuple(patches),
        dropped=(*(Dropped(item.message, "unreadable") for item in transcript.problems),
                 *found.dropped, *told, *gone, *dropped),
        runs=tuple(run.run for run in runs),
        touched_topics=kinds,
        paths=tuple(dict.fromkeys(path for run in runs for path in run.paths)),
        session=session,
        processed_offset=part.end,
        read_messages=len(part.messages),
        remaining=part.remaining,
        strategy=strategy,
        dry_run=dry_run,
        usage=usage,
    )  # fmt: skip
    if not dry_run:
        _note(ctx.state(), outcome, now)
        moved = cursors.advanced(cursor, everything, part, session=place, now=now)
        ctx.state().update_state(
            cursors.CURSOR_FILE, lambda kept: cursors.write_cursor(kept, moved)
        )
    if not found.spoken and not patches:
        if found.handled:
            return Skipped("memory_tool", "the agent wrote memory itself in these turns")
        return Skipped("no_user_text", "nothing new was said by the user")
    return outcome


def _without_forgotten(
    ctx: VerbContext, patches: Sequence[Patch], messages: Sequence[Message]
) -> tuple[list[Patch], list[Dropped]]:
    """Leave out what somebody had forgotten after it was said: reading it again must not bring it back."""
    if not patches:
        return [], []
    removed = [run for run in runs_of(ctx.journal, "forget") if not is_undone(ctx.journal, run)]
    receipts = list(receipts_of(removed))
    said = {message.id: message.at for message in messages}

    def is_old(patch: Patch) -> bool:
        at = said.get(patch.turn)
        return any((at is None or at <= one.at) and is_gone(patch.summary, one) for one in receipts)

    kept = [patch for patch in patches if not is_old(patch)]
    count = len(patches) - len(kept)
    # Its words are not repeated: they were to be forgotten.
    return kept, [Dropped("a statement that was forgotten", "forgotten")] * count


def _store(
    ctx: VerbContext, patches: Sequence[Patch], info: RunInfo, *, dry_run: bool
) -> tuple[list[Patch], list[Applied], list[Dropped]]:
    """Store patches, one run per turn, so that blame can name the turn."""
    stored: list[Patch] = []
    runs: list[Applied] = []
    dropped: list[Dropped] = []
    for turn, group in groupby(patches, key=lambda patch: patch.turn):
        about = replace(info, turn=turn)
        for batch in _batches(ctx, list(group), about, dropped, dry_run=dry_run):
            stored.extend(batch.patches)
            if batch.applied.run:
                runs.append(batch.applied)
    return stored, runs, dropped


@dataclass(frozen=True, slots=True)
class _Batch:
    """Patches that were stored together."""

    patches: Sequence[Patch]
    applied: Applied


def _batches(
    ctx: VerbContext,
    patches: Sequence[Patch],
    info: RunInfo,
    dropped: list[Dropped],
    *,
    dry_run: bool,
) -> list[_Batch]:
    try:
        return [run(lambda: _planned(ctx, patches, info), store=ctx.store, dry_run=dry_run)]
    except SecretRefused as refused:
        if len(patches) == 1:
            # The summary holds the secret, so it is not repeated here.
            dropped.append(Dropped(f"a statement of turn {info.turn}", f"secret: {refused}"))
            return []
    # One statement holds a secret; the others must not be lost with it.
    return [
        batch
        for patch in patches
        for batch in _batches(ctx, [patch], info, dropped, dry_run=dry_run)
    ]


def _planned(ctx: VerbContext, patches: Sequence[Patch], info: RunInfo) -> Plan[_Batch]:
    topics = ctx.store.topics()
    changes: dict[str, Change] = {}
    stored: list[Patch] = []
    for patch in patches:
        # Before its words name a file.
        summary, why, how = (
            without_secrets(text, ctx.settings.secrets)[0]
            for text in (patch.summary, patch.why, patch.how)
        )
        memo = rules.read_memo(
            summary,
            kind=patch.kind,
            scope=patch.scope,
            name=_name(summary),
            why=why,
            how=how,
            in_project=ctx.workspace.in_project,
        )
        plan = rules.plan(
            memo,
            topics,
            workspace=ctx.workspace,
            dialect=ctx.dialect,
            taken=lambda path: path in changes or ctx.store.read(path) is not None,
            today=ctx.clock().date(),
        )
        for change in plan.changes:
            first = changes.get(change.path)
            changes[change.path] = replace(change, base=first.base) if first else change
            topics = _with_change(topics, change, plan, ctx.workspace)
        kept = replace(patch, summary=summary, why=why, how=how, scope=plan.scope)
        stored.append(replace(kept, path=plan.path, action=plan.action))
    return Plan(tuple(changes.values()), info, lambda applied: _Batch(stored, applied))


def _name(summary: str) -> str:
    """Make a title; one that ends with a date in brackets keeps both brackets."""
    title = rules.title_of(summary)
    return f"{title})" if title.count("(") > title.count(")") else title


def _with_change(
    topics: Sequence[Topic], change: Change, plan: rules.Plan, workspace: Workspace
) -> list[Topic]:
    """Show the next patch what this one will have written."""
    rel = change.path.removeprefix(workspace.memory_root(plan.scope) + "/")
    topic = parse_topic(change.text or "", path=change.path, rel=rel, scope=plan.scope)
    others = [item for item in topics if item.path != change.path]
    return [topic, *others] if topic else others


def _note(state: StateFiles, outcome: Extracted, now: datetime) -> None:
    kinds: Sequence[Kind] = outcome.touched_topics
    state.update_state(
        META_FILE,
        lambda meta: after_extract(
            meta, now=now, session=outcome.session, kinds=kinds, status=outcome.status
        ),
    )
