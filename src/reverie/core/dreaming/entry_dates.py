"""Since when entries are so, as it is kept beside the memory: no name of a file and no word of an entry."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.dreaming.meta import stamp
from reverie.core.history.turns import read_time
from reverie.core.text.plain import digest

if TYPE_CHECKING:
    from reverie.types import Scope, Topic

DATES_FILE: Final = "entry-dates.json"
_LENGTH: Final = 16


def dates_key(scope: Scope, rel: str) -> str:
    """Name a file: the same on every machine, and without its words."""
    return digest(f"{scope.value}:{rel}")[:_LENGTH]


def entry_key(summary: str) -> str:
    """Name an entry without its words."""
    return digest(summary)[:_LENGTH]


def dated_entries(known: Mapping[str, datetime | None]) -> dict[str, str]:
    """Write down since when entries are so, without their words."""
    return {entry_key(summary): stamp(at) for summary, at in known.items() if at is not None}


def noted_date(kept: Mapping[str, Any], topic: Topic, summary: str) -> datetime | None:
    """Return since when an entry is so, if that was noted; earlier releases named files by their path."""
    for name in (dates_key(topic.scope, topic.rel), topic.path):
        noted = kept.get(name)
        if isinstance(noted, dict) and entry_key(summary) in noted:
            return read_time(noted[entry_key(summary)])
    return None


def of_living(kept: Mapping[str, Any], topics: Iterable[Topic]) -> dict[str, Any]:
    """Return what is kept of files that are there, each under its key."""
    found: dict[str, Any] = {}
    for topic in topics:
        for name in (topic.path, dates_key(topic.scope, topic.rel)):
            if isinstance(kept.get(name), dict):
                found[dates_key(topic.scope, topic.rel)] = kept[name]
    return found


def without_entries(kept: Mapping[str, Any], summaries: Collection[str]) -> dict[str, Any]:
    """Return what is kept, but for these entries."""
    gone = {entry_key(summary) for summary in summaries}
    left = {
        name: {key: at for key, at in dates.items() if key not in gone}
        for name, dates in kept.items()
        if isinstance(dates, dict)
    }
    return {name: dates for name, dates in left.items() if dates}
