"""The files of a run: each put in place of exactly the text it was planned on, and settled after a crash.

Rules
- A run whose process died is finished, or taken back when somebody edited one of its files meanwhile.
- What a hand saved in the moment of a rename, and lies under a temporary name since the process died in that
  moment, goes back where it was saved.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reverie.errors import FileTooLarge, NotAFile, NotText, ReverieError, StaleBase
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import Folders
from reverie.local.disk.swapping import put, remove
from reverie.local.store.listing import signature
from reverie.types import Problem

if TYPE_CHECKING:
    from reverie.local.disk.rooted import Staged
    from reverie.local.journal.journal import PendingRun
    from reverie.local.store.roots import Place, Roots
    from reverie.types.writing import Planned, State


class Carried(NamedTuple):
    """A run whose files are in place, and that is done when its catalogs are, or the next run is recorded."""

    run: str
    states: Sequence[State]
    catalogs: Sequence[tuple[str, str]]

    def holds(self, items: Iterable[Planned]) -> bool:
        """Say whether it has written one of these files, of which nothing is noted yet."""
        return not {path for path, *_ in self.states}.isdisjoint(item.path for item in items)


def replace_text(
    place: Place, folders: Folders, delta: Planned, staged: Staged | None = None
) -> os.stat_result | None:
    """Put a text in the place of another, or take it away; return the facts of the new file.

    Raises:
        StaleBase: Another text stands there; it still does.
    """
    folder = place.folder_in(folders)
    if delta.after is None:
        remove(folder, place.name, delta.before)
        return None
    staged = staged or folder.stage(place.name, delta.after.encode("utf-8"), private=delta.private)
    try:
        put(staged, delta.before)
    except BaseException:
        staged.discard()
        raise
    return staged.facts


def state_of(place: Place, text: str | None, facts: os.stat_result | None) -> State:
    """Return a file's path, text and signature as the journal notes them.

    The facts are those from before the text was read, or those of the file that was put in place. So an edit
    that came meanwhile has others, and is found.
    """
    return place.path, text if facts else None, signature(facts) if facts else ""


def settle(run: PendingRun, roots: Roots, *, limit: int) -> list[State] | None:
    """Finish the files of an interrupted run, or take them back; return their states, or None."""
    with Folders() as folders:
        places = {delta.path: roots.recorded(delta.path) for delta in run.deltas}
        _restore_displaced(run.deltas, places, folders, limit=limit)
        now: dict[str, str | None] = {}
        facts: dict[str, os.stat_result | None] = {}
        undisturbed = True
        for delta in run.deltas:
            place = places[delta.path]
            try:
                facts[delta.path] = place.folder_in(folders).facts(place.name)
                now[delta.path] = place.folder_in(folders).read_text(place.name, limit=limit)
                undisturbed &= now[delta.path] in (delta.before, delta.after)
            except (NotText, NotAFile, FileTooLarge):  # somebody put something else there
                undisturbed = False
        for delta in run.deltas:
            place = places[delta.path]
            folder = place.folder_in(folders)
            with explained(Path(folder.path)):
                folder.clear_strays()
            wanted = delta.after if undisturbed else delta.before
            if delta.path not in now or now[delta.path] == wanted:
                continue
            if not undisturbed and now[delta.path] != delta.after:
                continue
            step = replace(delta, before=now[delta.path], after=wanted)
            try:
                facts[delta.path] = replace_text(place, folders, step)
            except StaleBase:  # a hand came in this very moment, and its text stays
                if undisturbed:
                    return settle(run, roots, limit=limit)
        if not undisturbed:
            return None
        return [state_of(places[item.path], item.after, facts[item.path]) for item in run.deltas]


def _restore_displaced(
    deltas: Iterable[Planned], places: Mapping[str, Place], folders: Folders, *, limit: int
) -> None:
    known = {text for delta in deltas for text in (delta.before, delta.after)}
    for delta in deltas:
        place = places[delta.path]
        folder = place.folder_in(folders)
        with explained(Path(folder.path)):
            strays = folder.strays_of(place.name)
        for stray in strays:
            try:
                if folder.read_text(stray, limit=limit) in known:
                    continue
                now = folder.read_text(place.name, limit=limit)
            except ReverieError:
                continue
            if now == delta.after:  # ours, which took its place
                folder.replace(stray, place.name)


def parked(run: str, error: ReverieError) -> Problem:
    """Tell of a run that cannot be settled yet."""
    return Problem(
        "run_parked",
        f"run {run} was interrupted and cannot be settled yet, so it waits: {error}",
        str(error.evidence.get("path", "")),
        fix="reverie verify",
    )


def sweep(roots: Roots, *, places: Iterable[str], below: Iterable[str]) -> None:
    """Remove texts that were never put in place from some folders, and from all folders below others."""
    found = list(places)
    for top in below:
        for place, inner, _ in os.walk(roots.recorded(top).path):
            inner[:] = [name for name in inner if not os.path.islink(f"{place}/{name}")]
            found.append(place)
    for place in found:
        where = roots.recorded(place)
        with Folders() as folders, suppress(ReverieError), explained(Path(place)):
            folders.below(where.root, where.rel).clear_strays()
