"""What every engine's carrier does the same: roots, state files, runs as records, counts of turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from reverie.core.dreaming.meta import META_FILE
from reverie.core.learning.cursor import CURSOR_FILE
from reverie.core.moving.export_format import (
    AGENT,
    CONTEXT,
    HOME,
    PROJECT,
    USER,
    check_file_address,
    split_address,
)
from reverie.core.text.plain import digest
from reverie.errors import FileTooLarge, InvalidPath
from reverie.types import (
    Dropped,
    PortableDelta,
    PortableRun,
    PortableState,
    PortableText,
    TurnsKept,
)
from reverie.types.turns import Appended

if TYPE_CHECKING:
    from reverie.ports import AgentTree, StateFiles, Turns
    from reverie.types import RunRecord, Turn, Workspace

STATE_FILES: Final = (META_FILE, CURSOR_FILE, "entry-dates.json")


def roots_of(space: Workspace) -> dict[str, str]:
    """Return the folders that the beginnings of addresses mean."""
    return {
        USER: space.user_memory,
        PROJECT: space.project_memory,
        AGENT: space.agent_root,
        HOME: space.home,
        CONTEXT: space.base,
    }


def check_place(at: str, where: str | None, roots: Mapping[str, str]) -> None:
    """Raise `InvalidPath` unless a file at this address lies in the part of memory it names.

    Roots lie within each other, and links lead about: `where` is what the file's path is called.
    """
    if where is None:
        raise InvalidPath(
            f"{at!r} belongs to another project, to another agent or to our state", path=at
        )
    (root, _), (other, _) = split_address(at), split_address(where)
    if roots[root] != roots[other]:
        raise InvalidPath(f"{at!r} is not what {where!r} is called in an export", path=at)
    check_file_address(where)


def states(files: StateFiles, tree: AgentTree) -> Iterator[PortableState]:
    """Read the state files of the project and of the agent's jobs."""
    for name in STATE_FILES:
        value = files.read_state(name)
        if value:
            yield PortableState(f"{PROJECT}/{name}", value)
    for rel in tree.controls("cognition"):
        yield PortableState(f"{AGENT}/{rel}", tree.read_control(rel))


def keep_state(state: PortableState, *, files: StateFiles, tree: AgentTree, dry_run: bool) -> bool:
    """Put a state file in place where there is none; say whether there was none."""
    root, rel = split_address(state.at)
    if root == PROJECT and rel in STATE_FILES:
        fresh = not files.read_state(rel)
        if fresh and not dry_run:
            files.update_state(rel, lambda kept: kept or dict(state.value))
        return fresh
    if root != AGENT or not rel.startswith("cognition/") or not rel.endswith(".json"):
        raise InvalidPath(f"{state.at!r} is not a place for a state file", path=state.at)
    fresh = not tree.read_control(rel)
    if fresh and not dry_run:
        tree.write_control(rel, dict(state.value))
    return fresh


def as_records(
    record: RunRecord,
    deltas: Iterable[tuple[str, str | None, str | None, bool]],
    sent: set[str],
) -> Iterator[PortableText | PortableRun]:
    """Give a run as records: texts that were not `sent` yet, then the run that refers to them."""
    made: list[PortableDelta] = []
    for at, before, after, private in deltas:
        keys = [None if text is None else digest(text) for text in (before, after)]
        for key, text in zip(keys, (before, after), strict=True):
            if text is not None and key is not None and key not in sent:
                sent.add(key)
                yield PortableText(text)
        made.append(PortableDelta(at, keys[0], keys[1], private))
    if made:
        yield PortableRun(record, tuple(made))


def keep_turns(turns: Sequence[Turn], *, history: Turns, dry_run: bool) -> TurnsKept:
    """Put turns into a history: numbered ones under their numbers, others at its end."""
    if dry_run:
        known = sum(history.holds(turn) for turn in turns)
        return TurnsKept(len(turns) - known, known)
    both = (
        history.restore([turn for turn in turns if turn.seq]),
        _appended([turn for turn in turns if not turn.seq], history),
    )
    return TurnsKept(
        kept=sum(len(item.turns) for item in both),
        known=sum(item.known for item in both),
        redactions=tuple(found for item in both for found in item.redactions),
        dropped=tuple(found for item in both for found in item.dropped),
    )


def _appended(drafts: Sequence[Turn], history: Turns) -> Appended:
    """Put turns at the end of a history; one that is too large alone is left out as among others."""
    try:
        return history.append_all(drafts)
    except FileTooLarge as error:
        return Appended((), dropped=(Dropped(f"a turn of {drafts[0].source}", str(error)),))
