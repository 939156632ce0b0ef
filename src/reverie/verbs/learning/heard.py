"""Heard: what was said and not kept waits, is kept when it is said again, and is a person's to decide.

Rules
- Nothing is heard that is known, was forgotten after it was said, was dropped before, or holds a secret.
- Said again in another conversation means: the same statement, and not a copy of the same turn.
- Every step is a run: it is logged, and can be undone.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from reverie.core.claims.statement import says_same
from reverie.core.erasing.occurrences import PLACEHOLDER
from reverie.core.learning import heard as rules
from reverie.core.runs.planning import without_secrets
from reverie.core.topics.remember import read_memo
from reverie.errors import HeardNotFound, InvalidInput, SecretRefused
from reverie.types import Dropped, HeardDecided, Patch, Plan, RunInfo, Scope
from reverie.verbs.learning.keeping import Kept, inbox_changes, inboxes, plan_kept
from reverie.verbs.run import run
from reverie.verbs.undone import forgotten

if TYPE_CHECKING:
    from reverie.types import Heard, Message
    from reverie.verbs.verb_context import VerbContext

HEARD: Final = "heard"
"""The verb of runs that change only what was heard."""
FORGOTTEN: Final = Dropped("a statement that was forgotten", "forgotten")
"""Its words are not repeated: they were to be forgotten."""


@dataclass(frozen=True, slots=True)
class Listened:
    """What became of the statements of one conversation that are not clear enough to keep."""

    heard: tuple[Heard, ...] = ()
    again: tuple[Patch, ...] = ()
    """Said before in another conversation: these are kept."""
    dropped: tuple[Dropped, ...] = ()


def waiting(ctx: VerbContext) -> list[Heard]:
    """List what was heard, the oldest first."""
    gone = forgotten(ctx.journal)
    found = [item for inbox in inboxes(ctx) for item in inbox.items]
    living = [
        item
        for item in found
        if PLACEHOLDER not in item.summary and not gone.bars(item.summary, said=item.said)
    ]
    return rules.dated(living, days=ctx.settings.extract.heard_days, on=ctx.clock().date())


def listen(
    ctx: VerbContext,
    patches: Sequence[Patch],
    messages: Sequence[Message],
    *,
    session: str,
    judged: bool = False,
) -> Listened:
    """Decide what is heard, and what is kept because it was said before; nothing is written."""
    settings, now = ctx.settings, ctx.clock()
    if not settings.extract.heard_limit or not patches:
        return Listened()
    turns = {message.id: message for message in messages}
    boxes = inboxes(ctx)
    gone = forgotten(ctx.journal)
    heard: dict[str, Heard] = {}
    again: list[Patch] = []
    dropped: list[Dropped] = []
    for patch in patches:
        message = turns.get(patch.turn)
        said = message.at if message else None
        if gone.bars(patch.summary, said=said):
            dropped.append(FORGOTTEN)
            continue
        if any(box.was_dropped(patch.summary) for box in boxes):
            dropped.append(Dropped(patch.summary, "heard_dropped"))
            continue
        if _is_kept(ctx, patch.summary):
            continue
        before = next(filter(None, (box.find(patch.summary) for box in boxes)), None)
        if before is not None:
            alone = message is None or says_same(message.text, patch.summary)
            if rules.in_another_conversation(
                before, session=session, turn=patch.turn, said=said, alone=alone
            ):
                again.append(replace(patch, scope=before.scope, heard=before.id))
            continue
        try:
            clean = _without_secrets(ctx, patch)
        except SecretRefused as refused:
            dropped.append(Dropped(f"a statement of turn {patch.turn}", f"secret: {refused}"))
            continue
        memo = read_memo(clean.summary, kind=patch.kind, in_project=ctx.workspace.in_project)
        item = rules.heard_from(
            clean, scope=memo.scope, said=said or now, now=now, session=session, judged=judged
        )
        heard.setdefault(item.id, item)
    return Listened(tuple(heard.values()), tuple(again), tuple(dropped))


def _is_kept(ctx: VerbContext, summary: str) -> bool:
    """Tell whether a memory says the same."""
    return any(
        says_same(entry.summary, summary)
        for scope in Scope
        for topic in ctx.concerned(summary, scope)
        for entry in topic.entries
    )


def write_heard(
    ctx: VerbContext, items: Sequence[Heard], info: RunInfo, *, judged: Collection[str] = ()
) -> list[Dropped]:
    """Add what was heard, and let go of what is too old or too much; return that.

    Args:
        judged: Ids of what a model has seen and did not want.
    """
    settings, today = ctx.settings.extract, ctx.clock().date()

    def plan() -> Plan[list[Dropped]]:
        after, gone = list[rules.Inbox](), list[Dropped]()
        for box in inboxes(ctx):
            seen = [replace(one, judged=True) for one in box.items if one.id in judged]
            more = [one for one in items if one.scope is box.scope and not box.find(one.summary)]
            full, went = (
                box.adding(seen)
                .adding(more)
                .settled(on=today, days=settings.heard_days, limit=settings.heard_limit)
            )
            after.append(full)
            gone += went
        return Plan(inbox_changes(ctx, after), replace(info, verb=HEARD), lambda _: gone)

    return run(plan, store=ctx.store)


def unjudged(ctx: VerbContext, *, most: int) -> list[Heard]:
    """Return what no model has seen yet, the newest so many."""
    return [item for item in waiting(ctx) if not item.judged][-most:]


def decide(
    ctx: VerbContext,
    names: Collection[str],
    *,
    action: Literal["keep", "drop"],
    dry_run: bool = False,
) -> HeardDecided:
    """Keep or drop what was heard, by its ids, or by its numbers in the list."""
    if not names:
        raise InvalidInput(f"say what to {action}: the ids or numbers that `reverie heard` shows")
    chosen = _chosen(names, waiting(ctx))
    return _keep(ctx, chosen, dry_run=dry_run) if action == "keep" else _drop(ctx, chosen, dry_run)


def _keep(ctx: VerbContext, chosen: Mapping[str, Heard], *, dry_run: bool) -> HeardDecided:
    items, dropped = list(chosen.values()), list[Dropped]()
    for item in items:
        try:
            _without_secrets(ctx, _patch(item))
        except SecretRefused as refused:
            dropped.append(Dropped(item.id, f"secret: {refused}"))
    secret = {one.what for one in dropped}
    kept = [item for item in items if item.id not in secret]
    info = RunInfo(verb="keep", note=", ".join(item.id for item in kept))

    def plan() -> Plan[Kept]:
        return plan_kept(ctx, [_patch(item) for item in kept], info)

    done = run(plan, store=ctx.store, dry_run=dry_run)
    return HeardDecided(
        "keep", tuple(kept), tuple(done.patches), tuple(dropped), done.applied.run, dry_run
    )


def _drop(ctx: VerbContext, chosen: Mapping[str, Heard], dry_run: bool) -> HeardDecided:
    salt = secrets.token_hex(8)
    info = RunInfo(verb="drop", note=", ".join(chosen))

    def plan() -> Plan[HeardDecided]:
        left = [
            box.dropping([item for item in box.items if item.id in chosen], salt=salt)
            for box in inboxes(ctx)
        ]
        return Plan(
            inbox_changes(ctx, left),
            info,
            lambda applied: HeardDecided(
                "drop", tuple(chosen.values()), run=applied.run, dry_run=dry_run
            ),
        )

    return run(plan, store=ctx.store, dry_run=dry_run)


def _chosen(names: Collection[str], items: Sequence[Heard]) -> dict[str, Heard]:
    known = {str(number): item for number, item in enumerate(items, start=1)}
    known |= {item.id: item for item in items}
    for name in names:
        if name not in known:
            raise HeardNotFound(
                f"nothing that was heard has the id or number {name!r}; `reverie heard` lists it",
                ids=[name],
            )
    return {known[name].id: known[name] for name in names}


def _patch(item: Heard) -> Patch:
    return Patch(
        item.kind, item.summary, item.why, item.how, item.turn, item.form, item.scope, heard=item.id
    )


def _without_secrets(ctx: VerbContext, patch: Patch) -> Patch:
    summary, why, how = (
        without_secrets(text, ctx.settings.secrets)[0]
        for text in (patch.summary, patch.why, patch.how)
    )
    return replace(patch, summary=summary, why=why, how=how)
