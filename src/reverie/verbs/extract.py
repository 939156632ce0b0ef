"""Extract: learn from the new part of a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Final

from reverie.core.dreaming.gates import extract_gate
from reverie.core.dreaming.meta import META_FILE, after_extract
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

if TYPE_CHECKING:
    from reverie.config import SecretSettings, Settings
    from reverie.dialect import Dialect
    from reverie.ports import Model, StateFiles, Store
    from reverie.types import (
        Applied,
        Change,
        Kind,
        Patch,
        RunInfo,
        Topic,
        Workspace,
    )

STRATEGY: Final = "heuristic"


@dataclass(frozen=True, slots=True)
class _Target:
    """Where patches go."""

    store: Store
    workspace: Workspace
    dialect: Dialect
    secrets: SecretSettings
    now: datetime
    dry_run: bool


def extract(
    messages: Sequence[object],
    *,
    store: Store,
    state: StateFiles,
    settings: Settings,
    workspace: Workspace,
    dialect: Dialect,
    now: datetime,
    session: str,
    info: RunInfo,
    dry_run: bool = False,
    model: Model | None = None,
    instructions: Callable[[], str] = lambda: "",
    cancelled: Callable[[], bool] = lambda: False,
) -> Extracted | Skipped:
    """Read what is new in a conversation and store what is worth keeping.

    Args:
        instructions: Returns the text of the context files; asked only when something was found.

    The cursor moves last: whatever fails before leaves the messages unread, and storing them again
    changes nothing.
    """
    if skipped := extract_gate(settings):
        return skipped
    transcript = read_messages(messages)
    everything = transcript.messages
    record = state.read_state(cursors.CURSOR_FILE)
    cursor = cursors.read_cursor(record, session=session)
    part = cursors.next_slice(everything, cursor, limit=settings.extract.max_slice_messages)
    if not part.messages:
        return Skipped("no_new_messages", "everything in this conversation was read before")
    found = find_patches(
        part.messages,
        memory_roots=[workspace.memory_root(scope) for scope in Scope],
        cwd=workspace.cwd,
        now=now,
        min_width=settings.extract.min_width,
    )
    usage = Usage()
    strategy = STRATEGY
    if model is not None and found.spoken:
        from reverie.verbs.asking.propose import propose

        found, usage = propose(found, part.messages, store.topics(), model=model,
                               settings=settings, workspace=workspace, now=now)  # fmt: skip
        strategy = STRATEGY if usage.fallback else "model"
    if cancelled():
        return Skipped("cancelled", "the extraction was called off before anything was written")
    target = _Target(store, workspace, dialect, settings.secrets, now, dry_run)
    fresh, told = without_instructed(found.patches, instructions() if found.patches else "")
    patches, runs, dropped = _store(fresh, target, info)
    kinds = tuple(dict.fromkeys(patch.kind for patch in patches if patch.action != "known"))
    outcome = Extracted(
        patches=tuple(patches),
        dropped=(*(Dropped(item.message, "unreadable") for item in transcript.problems),
                 *found.dropped, *told, *dropped),
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
        _note(state, outcome, now)
        moved = cursors.advanced(cursor, everything, part, session=session, now=now)
        state.update_state(cursors.CURSOR_FILE, lambda kept: cursors.write_cursor(kept, moved))
    if not found.spoken and not patches:
        if found.handled:
            return Skipped("memory_tool", "the agent wrote memory itself in these turns")
        return Skipped("no_user_text", "nothing new was said by the user")
    return outcome


def _store(
    patches: Sequence[Patch], target: _Target, info: RunInfo
) -> tuple[list[Patch], list[Applied], list[Dropped]]:
    """Store patches, one run per turn, so that blame can name the turn."""
    stored: list[Patch] = []
    runs: list[Applied] = []
    dropped: list[Dropped] = []
    for turn, group in groupby(patches, key=lambda patch: patch.turn):
        about = replace(info, turn=turn)
        for batch in _batches(list(group), target, about, dropped):
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
    patches: Sequence[Patch], target: _Target, info: RunInfo, dropped: list[Dropped]
) -> list[_Batch]:
    try:
        return [_apply(patches, target, info)]
    except SecretRefused as refused:
        if len(patches) == 1:
            # The summary holds the secret, so it is not repeated here.
            dropped.append(Dropped(f"a statement of turn {info.turn}", f"secret: {refused}"))
            return []
    # One statement holds a secret; the others must not be lost with it.
    return [batch for patch in patches for batch in _batches([patch], target, info, dropped)]


def _apply(patches: Sequence[Patch], target: _Target, info: RunInfo) -> _Batch:
    return run(lambda: _planned(patches, target, info), store=target.store, dry_run=target.dry_run)


def _planned(patches: Sequence[Patch], target: _Target, info: RunInfo) -> Plan[_Batch]:
    topics = target.store.topics()
    changes: dict[str, Change] = {}
    stored: list[Patch] = []
    for patch in patches:
        # Before its words name a file.
        summary, why, how = (
            without_secrets(text, target.secrets)[0]
            for text in (patch.summary, patch.why, patch.how)
        )
        memo = rules.read_memo(
            summary, kind=patch.kind, scope=patch.scope, name=_name(summary), why=why, how=how
        )
        plan = rules.plan(
            memo,
            topics,
            workspace=target.workspace,
            dialect=target.dialect,
            taken=lambda path: path in changes or target.store.read(path) is not None,
            today=target.now.date(),
        )
        for change in plan.changes:
            first = changes.get(change.path)
            changes[change.path] = replace(change, base=first.base) if first else change
            topics = _with_change(topics, change, plan, target.workspace)
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
