"""What the three task kinds give back, in the document's shapes, from an outcome or from a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reverie.types import (
    Dreamed,
    FileDelta,
    Forgotten,
    Kind,
    Remembered,
    RunRecord,
    Scope,
    Skipped,
    TaskKind,
    Topic,
    Workspace,
)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result on the wire, and the scopes whose files changed."""

    wire: Mapping[str, Any]
    scopes: tuple[str, ...] = field(default=())


def of_outcome(outcome: Remembered | Forgotten | Dreamed | Skipped) -> TaskResult:
    """Shape what a verb returned."""
    match outcome:
        case Remembered():
            return _remember(outcome.summary, outcome.files_touched, outcome.touched_scopes)
        case Forgotten():
            removed = [
                {"topic": item.topic.value, "summary": item.summary, "filePath": item.file_path}
                for item in outcome.removed_entries
            ]
            return _forget(outcome.summary, removed, outcome.touched_topics, outcome.touched_scopes)
        case Dreamed():
            if outcome.status == "updated":
                summary = "Managed auto-memory dream completed."
            else:
                summary = "Managed auto-memory dream completed: there was nothing to consolidate."
            return _dream(summary, outcome.touched_topics, outcome.deduped_entries, outcome.scopes)
        case Skipped():
            summary = f"Nothing was done: {outcome.message or outcome.reason}."
            return _dream(summary, (), 0, ())


def of_run(
    kind: TaskKind, run: RunRecord, deltas: Sequence[FileDelta], workspace: Workspace
) -> TaskResult:
    """Shape what a task did before the daemon was killed, as the journal tells it."""
    scopes = [
        scope for scope in Scope if any(_below(_root(workspace, scope), path) for path in run.paths)
    ]
    pairs = [
        (_topic(delta.path, delta.before, workspace), _topic(delta.path, delta.after, workspace))
        for delta in deltas
    ]
    kinds = [Kind(topic.kind) for pair in pairs for topic in pair if topic]
    match kind:
        case TaskKind.REMEMBER:
            return _remember("Remembered.", run.paths, scopes)
        case TaskKind.FORGET:
            removed = [entry for before, after in pairs for entry in _removed(before, after)]
            count = len(removed)
            summary = f"Forgot {count} memory {'entry' if count == 1 else 'entries'}."
            return _forget(summary, removed, kinds, scopes)
        case TaskKind.DREAM:
            fewer = sum(_count(before) - _count(after) for before, after in pairs)
            return _dream("Managed auto-memory dream completed.", kinds, max(0, fewer), scopes)


def _remember(summary: str, files: Iterable[str], scopes: Iterable[Scope]) -> TaskResult:
    names = _names(scopes)
    return TaskResult(
        {"summary": summary, "filesTouched": list(files), "touchedScopes": list(names)}, names
    )


def _forget(
    summary: str, removed: list[dict[str, str]], kinds: Iterable[Kind], scopes: Iterable[Scope]
) -> TaskResult:
    names = _names(scopes)
    wire = {
        "summary": summary,
        "removedEntries": removed,
        "touchedTopics": list(_names(kinds)),
        "touchedScopes": list(names),
    }
    return TaskResult(wire, names)


def _dream(
    summary: str, kinds: Iterable[Kind], deduped: int, scopes: Iterable[Scope]
) -> TaskResult:
    wire = {"summary": summary, "touchedTopics": list(_names(kinds)), "dedupedEntries": deduped}
    return TaskResult(wire, _names(scopes))


def _names(values: Iterable[Scope | Kind]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value.value for value in values))


def _topic(path: str, text: str | None, workspace: Workspace) -> Topic | None:
    from reverie.core.topics.topic import parse_topic  # only after a crash

    for scope in Scope:
        root = _root(workspace, scope)
        if text is not None and _below(root, path):
            rel = os.path.relpath(path, root)
            return parse_topic(text, path=path, rel=rel, scope=scope)
    return None


def _removed(before: Topic | None, after: Topic | None) -> list[dict[str, str]]:
    if before is None:
        return []
    left = [entry.summary for entry in after.entries] if after else []
    removed = []
    for entry in before.entries:
        if entry.summary in left:
            left.remove(entry.summary)
        else:
            removed.append(
                {
                    "topic": before.kind.value,
                    "summary": entry.summary,
                    "filePath": before.path,
                }
            )
    return removed


def _count(topic: Topic | None) -> int:
    return len(topic.entries) if topic else 0


def _root(workspace: Workspace, scope: Scope) -> str:
    return os.path.realpath(workspace.memory_root(scope))  # as the journal names its files


def _below(root: str, path: str) -> bool:
    return path.startswith(root.rstrip("/") + "/")
