"""Where the words of a memory come from, as far as a reader of it should know: was it imported?

Rules
- What an import wrote is imported, also after an agent or a dream has worked on it, until the person
  changes it: then it is theirs. Undoing goes back to what was before.
- Runs that came with an import say what happened elsewhere, so they vouch for nothing here; undoing one
  writes words of that import.
- A hook asks this, so nothing is imported here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Arrival = tuple[str, str, str, str, str, str | None, str]
    """A run that touched a file: id, origin, note, date, the run it undoes, hash it left, detail."""

ADOPTED = "adopted"
"""In the detail of a run that came from another journal."""
MARK = f'"{ADOPTED}": true'  # within a JSON string its quotes would be escaped


def adopted(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Return the detail of a run as it is kept when the run comes from another journal."""
    return {**detail, ADOPTED: True}


def is_adopted(detail: Mapping[str, Any]) -> bool:
    """Say whether a run came from another journal: what it tells of itself is not to be acted on."""
    return ADOPTED in detail


def imported(arrivals: Sequence[Arrival], key: str) -> str:
    """Tell from where and when a file's text was imported; empty when it was not.

    Args:
        arrivals: The runs that touched the file, newest first.
        key: The hash of the text that is there.
    """
    foreign = {run for run, *_, detail in arrivals if MARK in detail}
    undone: set[str] = set()
    newest = True
    for run, origin, note, date, undoes, after, _ in arrivals:
        if run in foreign:
            continue
        if newest and after != key:  # edited by hand since
            return ""
        newest = False
        if run in undone:
            continue
        if undoes in foreign:
            return f"an export on {date[:10]}"
        if undoes:
            undone.add(undoes)
        elif origin == "import":
            return f"{note.partition(':')[0].removeprefix('from ')} on {date[:10]}"
        elif origin == "owner":
            return ""
    return ""
