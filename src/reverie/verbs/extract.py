"""Extract: learn from the new part of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

from reverie.core.dreaming.gates import extract_gate
from reverie.core.dreaming.meta import META_FILE, after_extract
from reverie.core.learning import cursor as cursors
from reverie.core.learning.extraction import find_patches, without_instructed, without_refused
from reverie.core.learning.transcripts import read_messages
from reverie.errors import SecretRefused
from reverie.types import (
    Dropped,
    Extracted,
    Scope,
    Skipped,
    Usage,
)
from reverie.verbs.learning.heard import FORGOTTEN, listen, unjudged, write_heard
from reverie.verbs.learning.keeping import Kept, plan_kept
from reverie.verbs.run import run
from reverie.verbs.undone import forgotten

if TYPE_CHECKING:
    from reverie.ports import StateFiles
    from reverie.types import (
        Applied,
        Kind,
        Message,
        Patch,
        RunInfo,
    )
    from reverie.verbs.verb_context import VerbContext

STRATEGY: Final = "heuristic"
MAX_JUDGED: Final = 20
"""Things heard that a model is shown with one conversation."""


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
    read, refused = without_refused(part.messages)
    found = find_patches(
        read,
        memory_roots=[workspace.memory_root(scope) for scope in Scope],
        cwd=workspace.cwd,
        now=now,
        min_width=settings.extract.min_width,
    )
    usage = Usage()
    strategy = STRATEGY
    judged: Sequence[str] = ()
    model = ctx.model_for("extract")
    if model is not None and found.spoken:
        from reverie.verbs.asking.propose import propose

        asked = unjudged(ctx, most=MAX_JUDGED)
        found, usage = propose(ctx, found, read, ctx.store.topics(), asked, model=model)
        strategy = STRATEGY if usage.fallback else "model"
        judged = [] if usage.fallback else [item.id for item in asked]
    if cancelled():
        return Skipped("cancelled", "the extraction was cancelled before anything was written")
    told_before = instructions() if found.patches or found.heard else ""
    unclear, _ = without_instructed(found.heard, told_before)
    listened = listen(ctx, unclear, part.messages, session=session, judged=strategy == "model")
    clear, told = without_instructed((*found.patches, *listened.again), told_before)
    clear, gone = _without_forgotten(ctx, clear, part.messages)
    patches, runs, dropped = _store(ctx, clear, info, dry_run=dry_run)
    expired = [] if dry_run else write_heard(ctx, listened.heard, info, judged=judged)
    kinds = tuple(dict.fromkeys(patch.kind for patch in patches if patch.action != "known"))
    outcome = Extracted(
        patches=tuple(patches),
        heard=listened.heard,
        dropped=(*(Dropped(item.message, "unreadable") for item in transcript.problems),
                 *refused, *found.dropped, *told, *gone, *dropped, *listened.dropped, *expired),
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
    if not (found.spoken or refused or patches or listened.heard):
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
    gone = forgotten(ctx.journal)
    said = {message.id: message.at for message in messages}
    kept = [item for item in patches if not gone.bars(item.summary, said=said.get(item.turn))]
    return kept, [FORGOTTEN] * (len(patches) - len(kept))


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


def _batches(
    ctx: VerbContext,
    patches: Sequence[Patch],
    info: RunInfo,
    dropped: list[Dropped],
    *,
    dry_run: bool,
) -> list[Kept]:
    try:
        return [run(lambda: plan_kept(ctx, patches, info), store=ctx.store, dry_run=dry_run)]
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


def _note(state: StateFiles, outcome: Extracted, now: datetime) -> None:
    kinds: Sequence[Kind] = outcome.touched_topics
    state.update_state(
        META_FILE,
        lambda meta: after_extract(
            meta, now=now, session=outcome.session, kinds=kinds, status=outcome.status
        ),
    )
