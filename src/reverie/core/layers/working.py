"""Working memory: small edits of one bounded file with six headings.

Rules
- Each operation changes one item; every other byte of the file stays.
- Priorities stand with the newest first, everything else in the order it came. Progress carries its
  date.
- Over its bound, items move to the archive: progress first, then temporary context, checks, threads,
  tasks and priorities; of each the oldest. What was just written stays, and what moved is listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from reverie.core.layers.tree import ARCHIVE, WORKING_HEADINGS, parse_layer_file
from reverie.core.markdown.bullets import (
    add_bullet,
    bullets,
    clean_item,
    remove_bullet,
    section_of,
)
from reverie.core.markdown.sections import same_fact
from reverie.core.text.words import containment
from reverie.errors import ContentTooLarge, InvalidContent, InvalidQuery
from reverie.types import Skipped

if TYPE_CHECKING:
    from reverie.core.markdown.bullets import (
        Bullet,
    )

PRIORITIES, TASKS, THREADS, PROGRESS, CHECKS, CONTEXT = WORKING_HEADINGS

_GIVES_WAY: Final = (PROGRESS, CONTEXT, CHECKS, THREADS, TASKS, PRIORITIES)
_MIN_MATCH: Final = 0.5  # half of the words asked for must be in the item

Action: TypeAlias = Literal["add", "close", "drop"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One small change of working memory."""

    action: Action
    """`add` an item, `close` one (it becomes progress), or `drop` one."""
    heading: str
    text: str
    """What to add, or which item is meant: its number, its words, or some of them."""


@dataclass(frozen=True, slots=True)
class Moved:
    """An item that left working memory."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class WorkingPlan:
    """Working memory after an operation."""

    text: str
    item: str
    """What was added, closed or dropped, as it stands or stood in the file."""
    moved: tuple[Moved, ...] = ()
    over: int = 0
    """By how many characters it is still over its bound, when nothing more could be moved."""


def heading_named(name: str) -> str:
    """Return the heading a person means: its words, or the first of them, in any case."""
    wanted = " ".join(name.casefold().split())
    for heading in WORKING_HEADINGS:
        words = heading.casefold().split()
        # Four letters tell all of them apart, and "priority" is as good as "priorities".
        if wanted == " ".join(words) or (len(wanted) > 3 and wanted[:4] in [w[:4] for w in words]):
            return heading
    raise InvalidQuery(
        f"there is no section {name!r}; choose one of: {', '.join(WORKING_HEADINGS)}"
    )


def plan(text: str, operation: Operation, *, now: datetime, limit: int) -> WorkingPlan | Skipped:
    """Decide what an operation makes of working memory."""
    match operation.action:
        case "add":
            made = _add(text, operation.heading, operation.text, now, limit)
        case "close":
            made = _close(text, operation.heading, operation.text, now)
        case "drop":
            made = _drop(text, operation.heading, operation.text)
    if isinstance(made, Skipped):
        return made
    fitted, moved, over = fit(made.text, limit=limit, keep=made.item)
    return replace(made, text=fitted, moved=tuple(moved), over=over)


def _add(text: str, heading: str, words: str, now: datetime, limit: int) -> WorkingPlan | Skipped:
    item = checked(words, limit=limit)
    if heading == PROGRESS:
        item = dated(item, now)
    there = bullets(text, heading)
    same = next((it for it in there if same_fact(it.line, " ".join(item.split()))), None)
    if same and (heading != PRIORITIES or same is there[0]):
        return Skipped("already_there", f"{heading} has it already: {same.line}")
    if same:  # a priority set again comes first
        text = remove_bullet(text, heading, same)
    return WorkingPlan(_added(text, heading, item), item)


def _close(text: str, heading: str, query: str, now: datetime) -> WorkingPlan | Skipped:
    found = find_item(text, heading, query)
    if isinstance(found, Skipped):
        return found
    text = remove_bullet(text, heading, found)
    done = dated(f"Done: {found.text}", now)
    if not any(same_fact(it.line, " ".join(done.split())) for it in bullets(text, PROGRESS)):
        text = _added(text, PROGRESS, done)
    return WorkingPlan(text, found.text)


def _drop(text: str, heading: str, query: str) -> WorkingPlan | Skipped:
    found = find_item(text, heading, query)
    if isinstance(found, Skipped):
        return found
    return WorkingPlan(remove_bullet(text, heading, found), found.text)


def _added(text: str, heading: str, item: str) -> str:
    first = heading == PRIORITIES
    return add_bullet(text, heading, item, order=WORKING_HEADINGS, first=first)


def checked(words: str, *, limit: int) -> str:
    """Clean an item; nothing, a placeholder, and what alone fills the memory are refused."""
    item = clean_item(words)
    if not item or item.casefold() == "none":
        raise InvalidContent("there is nothing to write down; say what it is")
    if len(item) * 2 > limit:
        raise ContentTooLarge(
            f"this has {len(item):,} characters, more than half of the limit of working memory"
            f" ({limit:,}); put it into a note (`reverie notes add`) and name the note here"
        )
    return item


def dated(item: str, now: datetime) -> str:
    """Put the day in front of a line of progress."""
    return f"{now:%Y-%m-%d}: {item}"


def find_item(text: str, heading: str, query: str) -> Bullet | Skipped:
    """Find the one item a query means: by number, by its words, or by most of them."""
    there = bullets(text, heading)
    wanted = query.strip()
    if not wanted:
        raise InvalidQuery("say which item is meant: its number, or some of its words")
    number = wanted.removeprefix("#")
    if number.isascii() and number.isdigit():
        if 1 <= int(number) <= len(there):
            return there[int(number) - 1]
        return Skipped("no_match", f"{heading} has {len(there)} items, so there is no {wanted}")
    same = [item for item in there if same_fact(item.line, wanted)]
    if same:
        return same[0]
    scored = [(containment(wanted, item.line), item) for item in there]
    best = max((score for score, _ in scored), default=0.0)
    if best < _MIN_MATCH:
        return Skipped("no_match", f"nothing in {heading} is like {wanted!r}")
    likely = [item for score, item in scored if score == best]
    if len(likely) > 1:
        listed = "; ".join(f"{there.index(item) + 1}. {item.line}" for item in likely)
        raise InvalidQuery(
            f"{wanted!r} may mean several items of {heading}: {listed}. Give the number."
        )
    return likely[0]


# --- the bound ------------------------------------------------------------------------------------


def size(text: str) -> int:
    """Count the characters that stand in a prompt."""
    return len(parse_layer_file("", text, limit=1).body.strip("\r\n"))


def bound(text: str, *, limit: int) -> int:
    """Return the bound of a file: its own `limit` where it names a number, else the setting."""
    return parse_layer_file("", text, limit=limit).limit


def fit(text: str, *, limit: int, keep: str = "") -> tuple[str, list[Moved], int]:
    """Move the oldest items out until a text is within its bound; say by how much it is not."""
    limit = bound(text, limit=limit)
    moved: list[Moved] = []
    while size(text) > limit:
        found = _next_to_move(text, keep)
        if found is None:
            break
        heading, item = found
        text = remove_bullet(text, heading, item)
        moved.append(Moved(heading, item.text))
    return text, moved, max(0, size(text) - limit)


def _next_to_move(text: str, keep: str) -> tuple[str, Bullet] | None:
    kept = " ".join(keep.split())
    for heading in _GIVES_WAY:
        there = [item for item in bullets(text, heading) if item.line != kept]
        if there:
            return heading, there[-1 if heading == PRIORITIES else 0]
    return None


def archive_path(now: datetime) -> str:
    """Return where items that leave in this month go, relative to the tree."""
    return f"{ARCHIVE}/{now:%Y-%m}.md"


def archived(text: str | None, moved: Sequence[Moved], *, now: datetime) -> str:
    """Add items to the archive of a month, each with its day and the heading it stood under."""
    heading = f"Archive of working memory, {now:%Y-%m}"
    made = text if text else f"# {heading}\n"
    for item in moved:
        words = f"{now:%Y-%m-%d}, {item.heading}: {item.text}"
        if not any(it.line == " ".join(words.split()) for it in bullets(made, heading)):
            made = add_bullet(made, heading, words)
    return made


def open_items(text: str) -> dict[str, list[str]]:
    """Return what stands under each heading."""
    return {
        heading: [item.line for item in bullets(text, heading)]
        for heading in WORKING_HEADINGS
        if section_of(text, heading) is not None
    }
