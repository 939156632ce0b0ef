"""Remember: keep one thing that somebody asked to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from reverie.config import Settings
from reverie.core import remember as rules
from reverie.core.fence import strip_recall_blocks
from reverie.core.remember import Memo, Plan
from reverie.dialect import Dialect
from reverie.errors import ContentTooLarge, InvalidContent, MemoryUnavailable, StaleBase
from reverie.ports import Store
from reverie.types import Kind, Remembered, RunInfo, Scope, Workspace

MAX_CONTENT_BYTES: Final = 65_536  # the daemon's document allows as much

Choose: TypeAlias = Callable[[Memo], Memo]
"""Asks somebody wiser for a better kind, scope or name; the words stay."""


def remember(
    text: str,
    *,
    store: Store,
    settings: Settings,
    workspace: Workspace,
    dialect: Dialect,
    scope: Scope | None = None,
    kind: Kind | None = None,
    name: str | None = None,
    why: str | None = None,
    how: str | None = None,
    clean: bool = False,
    info: RunInfo | None = None,
    dry_run: bool = False,
    choose: Choose | None = None,
) -> Remembered:
    """Add a memory, or update the one that says the same; `clean` adds without looking."""
    if not settings.memory.enabled:
        raise MemoryUnavailable(
            "managed memory is switched off here; `reverie config set memory.enabled true` turns it on"
        )
    text = strip_recall_blocks(text)
    if not text.strip():
        raise InvalidContent("there is nothing to remember: the text is empty")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_CONTENT_BYTES:
        raise ContentTooLarge(
            f"the text has {size} bytes; one memory may have {MAX_CONTENT_BYTES}. Split it up."
        )
    memo = rules.read_memo(text, kind=kind, scope=scope, name=name, why=why, how=how)
    if choose is not None:
        memo = choose(memo)
    run = info or RunInfo(verb="remember")
    try:
        return _applied(
            memo, store, workspace, dialect, run, clean=clean, dry_run=dry_run, asked=choose
        )
    except StaleBase:  # somebody wrote meanwhile: look again, once
        return _applied(
            memo, store, workspace, dialect, run, clean=clean, dry_run=dry_run, asked=choose
        )


def _applied(
    memo: Memo,
    store: Store,
    workspace: Workspace,
    dialect: Dialect,
    run: RunInfo,
    *,
    clean: bool,
    dry_run: bool,
    asked: Choose | None,
) -> Remembered:
    plan = rules.plan(
        memo,
        store.topics(),
        workspace=workspace,
        dialect=dialect,
        taken=lambda path: store.read(path) is not None,
        clean=clean,
    )
    applied = None if dry_run or not plan.changes else store.apply(plan.changes, run)
    return Remembered(
        summary=_sentence(plan, dry_run=dry_run),
        action=plan.action,
        path=plan.path,
        entry=plan.entry,
        scope=plan.scope,
        kind=plan.kind,
        name=plan.name,
        run=applied.run if applied else "",
        files_touched=applied.paths if applied else (),
        touched_scopes=applied.scopes if applied else (),
        similar=plan.similar,
        redactions=applied.redactions if applied else (),
        delta=plan.delta,
        strategy="model" if asked else "heuristic",
        dry_run=dry_run,
    )


def _sentence(plan: Plan, *, dry_run: bool) -> str:
    whose = "your" if plan.scope is Scope.USER else "the project's"
    match plan.action:
        case "added":
            did = "Would remember" if dry_run else "Remembered"
            return f"{did} “{plan.name}” in {whose} memory ({plan.kind.value})."
        case "updated":
            did = "Would update" if dry_run else "Updated"
            return f"{did} “{plan.name}” in {whose} memory ({plan.kind.value})."
        case "unchanged":
            return f"Already known: “{plan.name}” in {whose} memory ({plan.kind.value})."
