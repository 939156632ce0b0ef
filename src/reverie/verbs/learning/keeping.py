"""Keeping: statements that were found, or that a person chose, become memories as one plan.

Rules
- Their words lose secrets before they name a file.
- What is kept waits no longer among the things that were heard; both change in one run, so that undoing it
  brings both back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.core.learning.heard import Inbox, heard_id, heard_path, read_inbox
from reverie.core.runs.planning import without_secrets
from reverie.core.text.plain import digest
from reverie.core.topics import remember as rules
from reverie.core.topics.titles import title_of
from reverie.core.topics.topic import parse_topic
from reverie.types import Change, Plan, Scope
from reverie.verbs.remember import concerned

if TYPE_CHECKING:
    from reverie.types import Applied, Patch, RunInfo, Topic, Workspace
    from reverie.verbs.verb_context import VerbContext


@dataclass(frozen=True, slots=True)
class Kept:
    """Patches that were stored together."""

    patches: Sequence[Patch]
    applied: Applied


def plan_kept(ctx: VerbContext, patches: Sequence[Patch], info: RunInfo) -> Plan[Kept]:
    """Plan how statements become memories, each as `remember` would have it."""
    written: list[Topic] = []
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
        there = [topic for topic in concerned(ctx, memo) if topic.path not in changes]
        plan = rules.plan(
            memo,
            [*written, *there],
            workspace=ctx.workspace,
            dialect=ctx.dialect,
            taken=lambda path: path in changes or ctx.store.read(path) is not None,
            today=ctx.clock().date(),
        )
        for change in plan.changes:
            first = changes.get(change.path)
            changes[change.path] = replace(change, base=first.base) if first else change
            written = _with_change(written, change, plan, ctx.workspace)
        kept = replace(patch, summary=summary, why=why, how=how, scope=plan.scope)
        stored.append(replace(kept, path=plan.path, action=plan.action))
    gone = {heard_id(patch.summary) for patch in patches} | {patch.heard for patch in patches}
    waiting = inbox_changes(ctx, [inbox.without(gone) for inbox in inboxes(ctx)])
    return Plan((*changes.values(), *waiting), info, lambda applied: Kept(stored, applied))


def inboxes(ctx: VerbContext) -> list[Inbox]:
    """Read what was heard, the person's and the project's."""
    return [
        read_inbox(ctx.store.read(heard_path(ctx.workspace, scope)), scope, now=ctx.clock())
        for scope in Scope
    ]


def inbox_changes(ctx: VerbContext, wanted: Sequence[Inbox]) -> tuple[Change, ...]:
    """Return the changes after which this waits."""
    return tuple(
        Change(path, inbox.text(), None if inbox.source is None else digest(inbox.source))
        for inbox in wanted
        for path in [heard_path(ctx.workspace, inbox.scope)]
        if inbox.text() != inbox.source
    )


def _name(summary: str) -> str:
    """Make a title; one that ends with a date in brackets keeps both brackets."""
    title = title_of(summary)
    return f"{title})" if title.count("(") > title.count(")") else title


def _with_change(
    topics: Sequence[Topic], change: Change, plan: rules.Plan, workspace: Workspace
) -> list[Topic]:
    """Show the next patch what this one will have written."""
    rel = change.path.removeprefix(workspace.memory_root(plan.scope) + "/")
    topic = parse_topic(change.text or "", path=change.path, rel=rel, scope=plan.scope)
    others = [item for item in topics if item.path != change.path]
    return [topic, *others] if topic else others
