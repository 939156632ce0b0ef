"""Mechanical consolidation: a plan of typed operations over the topics of both scopes.

Rules

* Entries of one scope and kind that are one statement, but for case, spaces and punctuation, become one;
  reasons and uses are all kept.
* An entry that a newer one replaces, by the judgement that `remember` uses as well, becomes a dated note of
  that. When it is not known which is newer, both stay.
* Relative dates get their date, counted from the day the entry is from.
* Order is kept. Pinned topics are not touched, nor used. What a guard stops is listed.
* Planning goes on until nothing is left to do, so dreaming twice is dreaming once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from reverie.core.claims.claim import compared_words
from reverie.core.claims.judgement import replaces
from reverie.core.claims.statement import statement_key
from reverie.core.dreaming.operations import describe, op_key, paths_of
from reverie.core.dreaming.revisions import (
    Place,
    Refused,
    check_values,
    revision_of,
    rewritten,
    with_fields,
    without,
)
from reverie.core.text.dates import find_relative, make_absolute
from reverie.core.text.plain import digest
from reverie.core.text.remembered import remembered
from reverie.core.text.words import normalize
from reverie.core.topics.topic import set_frontmatter
from reverie.types import (
    Change,
    DreamPlan,
    Dropped,
    EntryRef,
    MergeOp,
    RedateOp,
    SupersedeOp,
    Topic,
)

if TYPE_CHECKING:
    from reverie.core.dreaming.revisions import (
        Revision,
    )
    from reverie.dialect import Dialect
    from reverie.types import (
        DreamOp,
    )

_ANY_DAY: Final = date(2000, 1, 3)
MAX_PASSES: Final = 1000  # far more than any file has operations; a bound, not a limit
MIN_PASSES: Final = 10  # so many a memory of any size gets
MAX_LOOKS: Final = (
    50_000  # at entries: one file of thousands that replace each other would take hours
)
_TRIED: Final = 100  # so many entries of one group are tried one by one in a pass

When: TypeAlias = Callable[[Topic, int], datetime | None]
"""Tells when an entry of a topic, by its number, came to be; asked only where it matters."""

WINDOW: Final = 12  # of many entries with one pattern, each is compared with as many neighbours


@dataclass(slots=True)
class _Work:
    """The revisions, what was done to them, and what was not."""

    topics: dict[str, Topic]
    revisions: dict[str, Revision | None]
    when: When
    dialect: Dialect
    barred: frozenset[str]
    ops: list[DreamOp] = field(default_factory=list)
    refused: dict[str, Dropped] = field(default_factory=dict)
    repeats: dict[tuple[str, int], list[tuple[str, int]]] = field(default_factory=dict)
    """For an entry, by file and number, those that said it again: the last of them dates it."""
    busy: set[str] = field(default_factory=set)
    """Files already edited in this pass: their places have moved."""

    def live(self) -> list[Revision]:
        return [revision for revision in self.revisions.values() if revision is not None]

    def places(self) -> Iterator[Place]:
        for revision in self.live():
            yield from (Place(revision, index) for index in range(len(revision.origins)))

    def at(self, place: Place) -> datetime | None:
        same = [(place.path, place.origin), *self.repeats.get((place.path, place.origin), ())]
        moments = [self.when(self.topics[path], number) for path, number in same]
        return max((moment for moment in moments if moment is not None), default=None)

    def may(self, op: DreamOp) -> bool:
        key = op_key(op)
        return key not in self.barred and key not in self.refused

    def free(self, op: DreamOp) -> bool:
        return self.busy.isdisjoint(paths_of(op))

    def edited(self, edit: Callable[[], dict[str, Revision | None]]) -> dict[str, Revision | None]:
        """Make an edit and check it; raises `Refused`."""
        after = edit()
        check_values([self.revisions[path] for path in after], list(after.values()))
        return after

    def do(self, op: DreamOp, edit: Callable[[], dict[str, Revision | None]]) -> bool:
        """Carry out one operation, or note why not."""
        try:
            after = self.edited(edit)
        except Refused as refused:
            self.refused[op_key(op)] = Dropped(describe(op), str(refused))
            return False
        self.revisions.update(after)
        self.busy.update(after)
        self.ops.append(op)
        return True


def plan_dream(
    topics: Sequence[Topic], *, when: When, dialect: Dialect, barred: Collection[str] = ()
) -> DreamPlan:
    """Plan the consolidation of a memory; `barred` are keys of operations that must not be done."""
    # Without the ending, `tabs` comes before `tabs-2`: of two that say the same, the first stays.
    ordered = sorted((t for t in topics if not t.pinned), key=lambda t: t.path.removesuffix(".md"))
    work = _Work(
        topics={topic.path: topic for topic in ordered},
        revisions={topic.path: revision_of(topic) for topic in ordered},
        when=when,
        dialect=dialect,
        barred=frozenset(barred),
    )
    entries = sum(len(topic.entries) for topic in ordered)
    passes = min(MAX_PASSES, max(MIN_PASSES, MAX_LOOKS // max(entries, 1)))
    for _ in range(passes):
        work.busy.clear()
        work.refused.clear()  # what could not be done may be possible after what was
        if not sum((_redate(work), _merge(work), _supersede(work))):
            break
    else:
        why = "there is more to tidy than one dream does; the next one goes on"
        work.refused[why] = Dropped("the rest", why)
    changes = tuple(
        Change(topic.path, revision.topic.text if revision else None, digest(topic.text))
        for topic in ordered
        if (revision := work.revisions[topic.path]) is None or revision.topic.text != topic.text
    )
    pinned = tuple(topic for topic in topics if topic.pinned)
    after = (*(revision.topic for revision in work.live()), *pinned)
    touched = {change.path for change in changes}
    dates: dict[str, dict[str, datetime | None]] = defaultdict(dict)
    for place in work.places():
        if place.path in touched:
            dates[place.path][place.entry.summary] = work.at(place)
    return DreamPlan(tuple(work.ops), changes, tuple(work.refused.values()), after, dates)


# --- relative dates -------------------------------------------------------------------------------


def _redate(work: _Work) -> int:
    done = 0
    for revision in work.live():
        for index in range(len(revision.origins)):
            now = work.revisions[revision.topic.path]
            done += _redate_one(work, Place(now, index)) if now else 0
    return done


def _redate_one(work: _Work, place: Place) -> int:
    text = place.revision.topic.text[place.entry.span.start : place.entry.span.end]
    if not _is_relative(text) or (at := work.at(place)) is None:
        return 0
    phrases = find_relative(text, on=at.date())
    op = RedateOp(_ref(place), tuple(f"{item.text} ({item.value})" for item in phrases))
    return int(bool(phrases) and work.may(op) and work.do(op, partial(_dated, place, at)))


@remembered(32768)
def _is_relative(text: str) -> bool:
    return bool(find_relative(text, on=_ANY_DAY))


def _dated(place: Place, at: datetime) -> dict[str, Revision | None]:
    topic, span = place.revision.topic, place.entry.span
    text = topic.text[: span.start]
    text += make_absolute(topic.text[span.start : span.end], on=at.date())
    text += topic.text[span.end :]
    if len(topic.entries) == 1 and topic.description:
        # The catalog shows the description; there too the day must be told.
        description = make_absolute(topic.description, on=at.date())
        if description != topic.description:
            text = set_frontmatter(text, "description", description)
    return {place.path: rewritten(place.revision, text)}


# --- the same, said twice -------------------------------------------------------------------------


def _merge(work: _Work) -> int:
    groups: dict[Hashable, list[Place]] = defaultdict(list)
    for place in work.places():
        if key := statement_key(place.entry.summary):
            groups[(*_shelf(place), key)].append(place)
    done = 0
    for kept, *same in groups.values():
        if same and work.busy.isdisjoint(place.path for place in (kept, *same)):
            done += _merge_one(work, kept, same)
    return done


def _merge_one(work: _Work, kept: Place, same: list[Place]) -> int:
    """Merge a group; a member that cannot go is left out, and noted."""
    movable = [place for place in same if work.may(MergeOp(_ref(kept), (_ref(place),)))]
    try:
        if movable:
            work.edited(partial(_merged, kept, movable, work.dialect))
    except Refused:  # some of them cannot go: which, shows when each is tried
        movable = [place for place in movable[:_TRIED] if _can_go(work, kept, place)]
    op = MergeOp(_ref(kept), tuple(map(_ref, movable)))
    if not movable or not work.may(op):
        return 0
    if not work.do(op, partial(_merged, kept, movable, work.dialect)):
        return 0
    again = work.repeats.setdefault((kept.path, kept.origin), [])
    for place in movable:
        again += [(place.path, place.origin), *work.repeats.get((place.path, place.origin), ())]
    return 1


def _can_go(work: _Work, kept: Place, place: Place) -> bool:
    """Tell whether an entry can be merged into another; if not, note why."""
    try:
        work.edited(partial(_merged, kept, [place], work.dialect))
    except Refused as refused:
        op = MergeOp(_ref(kept), (_ref(place),))
        work.refused[op_key(op)] = Dropped(describe(op), str(refused))
        return False
    return True


def _merged(kept: Place, same: Sequence[Place], dialect: Dialect) -> dict[str, Revision | None]:
    why, how = kept.entry.why, kept.entry.how
    for place in same:
        why = _joined(why, place.entry.why)
        how = _joined(how, place.entry.how)
    return _moved(kept, same, why=why, how=how, dialect=dialect)


def _joined(one: str, two: str) -> str:
    """Put two reasons together without saying anything twice."""
    left, right = (" ".join(normalize(text).split()).rstrip(".。") for text in (one, two))
    if right in left:
        return one
    return two if left in right else f"{one.rstrip(' ;')}; {two}"


# --- the same but for a value ---------------------------------------------------------------------


def _supersede(work: _Work) -> int:
    done = 0
    for one, two in _rivals(work):
        older, newer, known = _in_time(work, one, two)
        if not replaces(newer.entry.summary, older.entry.summary) and (
            known or not replaces(older.entry.summary, newer.entry.summary)
        ):
            continue
        if not known:
            both = f"{older.entry.summary} | {newer.entry.summary}"
            work.refused[both] = Dropped(both, "they differ, and which is newer is not known")
            continue
        note = _note(older, work.at(newer))
        op = SupersedeOp(_ref(newer), _ref(older), note)
        if work.free(op) and work.may(op):
            done += work.do(op, partial(_noted, older, newer, note, work.dialect))
    return done


def _rivals(work: _Work) -> list[tuple[Place, Place]]:
    """Find pairs of which one may replace the other: they begin or end alike, but for words of change.

    In the order of their words, those that have most in common stand side by side.
    """
    buckets: dict[Hashable, list[tuple[list[str], Place]]] = defaultdict(list)
    for place in work.places():
        found = compared_words(place.entry.summary)
        for end, said in (("first", found), ("last", found[::-1])):
            if len(said) > 1:
                buckets[(*_shelf(place), end, *said[:2])].append((said, place))
    pairs: dict[tuple[str, int, str, int], tuple[Place, Place]] = {}
    for bucket in buckets.values():
        ordered = [place for _, place in sorted(bucket, key=lambda item: item[0])]
        for number, one in enumerate(ordered):
            for two in ordered[number + 1 : number + 1 + WINDOW]:
                # Of two in one file, the first is the one that was written first.
                first, second = sorted((one, two), key=lambda place: (place.path, place.index))
                key = (first.path, first.index, second.path, second.index)
                pairs.setdefault(key, (first, second))
    return list(pairs.values())


def _in_time(work: _Work, one: Place, two: Place) -> tuple[Place, Place, bool]:
    """Put two entries in order of time, and tell whether it is known."""
    first, second = work.at(one), work.at(two)
    if first is not None and second is not None and first != second:
        return (one, two, True) if first < second else (two, one, True)
    # In one file entries are added at the end.
    return one, two, one.path == two.path


def _note(older: Place, since: datetime | None) -> str:
    entry = older.entry
    more = "; ".join(filter(None, (entry.why, entry.how)))
    when = f"Until {since.date().isoformat()}" if since else "Before"
    return f"{when}: {entry.summary.rstrip(' .;')}" + (f" ({more})" if more else "")


def _noted(older: Place, newer: Place, note: str, dialect: Dialect) -> dict[str, Revision | None]:
    if "```" in note or "~~~" in note:
        raise Refused("it holds a block of code")
    why = _joined(newer.entry.why, note)
    return _moved(newer, [older], why=why, how=newer.entry.how, dialect=dialect)


# --- common ---------------------------------------------------------------------------------------


def _moved(
    kept: Place, gone: Sequence[Place], *, why: str, how: str, dialect: Dialect
) -> dict[str, Revision | None]:
    """Give one entry its new fields and take the others out of their files."""
    revisions: dict[str, Revision | None] = {
        kept.path: with_fields(kept, why=why, how=how, dialect=dialect)
    }
    by_path: dict[str, list[int]] = defaultdict(list)
    sources = {kept.path: revisions[kept.path]}
    for place in gone:
        by_path[place.path].append(place.index)
        sources.setdefault(place.path, place.revision)
    for path, indexes in by_path.items():
        source = sources[path]
        if source is not None:
            revisions[path] = without(source, indexes)
    return revisions


def _shelf(place: Place) -> tuple[Hashable, ...]:
    topic = place.revision.topic
    return topic.scope, topic.kind


def _ref(place: Place) -> EntryRef:
    return EntryRef(place.path, place.entry.id, place.entry.summary)
