"""Doctor: report what is off in the memory, worst first, and how to put it right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reverie.core.secrets import scanner
from reverie.core.topics.advice import Scan, inspect_memory
from reverie.progress import tell
from reverie.types import Problem

if TYPE_CHECKING:
    from reverie.ports import Records
    from reverie.verbs.verb_context import VerbContext

ORDER = (
    "secret", "not_a_topic", "conflict", "duplicate", "misfiled", "outdated", "oversize", "never_recalled",
)  # fmt: skip


CHOSEN = frozenset({"remember", "update", "move", "keep", "extract", "edit", "import"})
"""Verbs by which somebody says whose memory something is."""
HOOK_FAILED = "hook.failed"
"""The event that a hook writes instead of stopping an agent."""


def hook_failures(events: Sequence[Mapping[str, Any]]) -> list[Problem]:
    """Report hooks that failed, newest first, each mistake once."""
    told: dict[tuple[str, str, str], list[str]] = {}
    for event in events:
        key = (str(event.get("event")), str(event.get("agent")), str(event.get("error")))
        told.setdefault(key, []).append(str(event.get("at", ""))[:16])
    return [
        Problem(
            "hook_failed",
            f"the hook {name or '(none)'} of {agent or 'an agent'} failed"
            f" {'once' if len(times) == 1 else f'{len(times)} times'}, last {times[0]}: {error}",
            fix=f"reverie hook {name} < /dev/null" if name else "reverie hook --help",
        )
        for (name, agent, error), times in told.items()
    ]


def damaged_lines(logs: Iterable[Records]) -> list[Problem]:
    """Report lines of the logs that were cut off or changed; they were passed over."""
    lines = sum(log.damaged for log in logs)
    if not lines:
        return []
    some = "a line" if lines == 1 else f"{lines} lines"
    return [
        Problem(
            "log_damaged",
            f"{some} of the logs could not be read and counts for nothing; memory is not affected",
        )
    ]


def doctor(
    ctx: VerbContext, *, recalls: Mapping[str, int] | None = None, scan: Scan = scanner.scan
) -> list[Problem]:
    """Inspect every topic, and name the files that could not be read as topics.

    Args:
        recalls: How often each path was recalled.
        scan: Lists the secrets of a text.
    """
    topics = ctx.store.topics()
    found = inspect_memory(
        topics,
        now=ctx.clock(),
        body_chars=ctx.settings.recall.body_chars,
        allow_secrets=ctx.settings.secrets.allow,
        recalls=recalls,
        scan=scan,
        looked=lambda done: tell("checking memories", int(done), len(topics)),
    )
    found = [
        item for item in found if item.code != "misfiled" or not _was_put_there(ctx, item.path)
    ]
    found += [
        replace(item, fix=item.fix or f"${{EDITOR:-vi}} '{item.path}'") if item.path else item
        for item in ctx.store.unreadable  # known once the topics were read
    ]
    rank = {code: place for place, code in enumerate(ORDER)}
    return sorted(found, key=lambda item: (rank.get(item.code, 1), item.path, item.line))


def _was_put_there(ctx: VerbContext, path: str) -> bool:
    """Tell whether somebody said whose memory this is, and did not only drop a file there."""
    return any(record.verb in CHOSEN for record, _ in ctx.journal.history(ctx.store.real(path)))
