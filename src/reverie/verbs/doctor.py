"""Doctor: report what is off in the memory, worst first, and how to put it right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core.governance import inspect_memory

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.ports import Store
    from reverie.types import Problem

ORDER = (
    "secret", "not_a_topic", "conflict", "duplicate", "misfiled", "outdated", "oversize", "never_recalled",
)  # fmt: skip


def doctor(
    *,
    store: Store,
    settings: Settings,
    now: datetime,
    unreadable: Sequence[Problem] = (),
    recalls: Mapping[str, int] | None = None,
) -> list[Problem]:
    """Inspect every topic; `unreadable` are the files that the store could not read as topics."""
    found = inspect_memory(
        store.topics(),
        now=now,
        body_chars=settings.recall.body_chars,
        allow_secrets=settings.secrets.allow,
        recalls=recalls,
    )
    found += [
        replace(item, fix=item.fix or f"${{EDITOR:-vi}} '{item.path}'") if item.path else item
        for item in unreadable
    ]
    rank = {code: place for place, code in enumerate(ORDER)}
    return sorted(found, key=lambda item: (rank.get(item.code, 1), item.path, item.line))
