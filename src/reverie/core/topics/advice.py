"""Governance: what a careful reader would tidy up in a memory, each with the command that does it.

Rules:

* It only reports. Every finding names the entry, says why, and gives one command, which loses nothing when
  somebody runs it without looking: it opens a file, moves one, dreams, or forgets what is said elsewhere.
* A conflict is two remarks about the same thing whose numbers, negations or opposites differ.
* A duplicate is what a dream would merge: one statement twice in one scope and kind, neither of them pinned.
  Across scopes nothing is one too many: the person's memory is read in every project.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from math import ceil
from typing import Final, TypeAlias

from reverie.core.secrets import scanner
from reverie.core.text.dates import find_relative
from reverie.core.text.plain import AnyCase
from reverie.core.text.synonyms import canonical
from reverie.core.text.values import differences, frame
from reverie.core.text.words import terms
from reverie.core.topics.catalog import shorten
from reverie.core.topics.kinds import scope_of
from reverie.core.topics.remember import ALIKE, SAME_FRAME
from reverie.core.topics.statement import says_same, statement_key
from reverie.types import Entry, Kind, Problem, Scope, Topic

DISAGREE: Final = frozenset({"numbers", "negation", "opposite"})
MAX_ENTRIES: Final = 60
BODIES: Final = 8  # so many times what recall shows of a topic is too much for one
UNTOUCHED_DAYS: Final = 365
UNRECALLED_DAYS: Final = 90
COMMON_TERM: Final = 200  # a word in more entries than this finds no pairs
_MARK_BITS: Final = 512
_ROUNDING: Final = 1e-9

_OLD_WORDS: Final = AnyCase(
    r"\b(?:deprecated|obsolete|no longer|outdated|superseded|legacy|veraltet|obsolète|obsoleto|устарел\w*)\b"
    r"|已废弃|已弃用|过时|不再|廃止|非推奨|더 이상"
)
_DATE: Final = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-/.年](0?[1-9]|1[0-2])[-/.月](0?[1-9]|[12]\d|3[01])(?!\d)"
)
_DUE: Final = AnyCase(
    r"\b(?:deadline|due|until|by|before|release|freeze|launch|milestone|ends?|expires?|frist|bis|échéance|avant"
    r"|plazo|hasta|до|срок|дедлайн)\b|截止|之前|为止|发布|冻结|まで|締め?切|期限|까지|마감|ภายใน|έως|προθεσμία"
)


_Item: TypeAlias = tuple[Topic, Entry]


def inspect_memory(
    topics: Sequence[Topic],
    *,
    now: datetime,
    body_chars: int,
    allow_secrets: Sequence[str] = (),
    recalls: Mapping[str, int] | None = None,
) -> list[Problem]:
    """Report duplicates, conflicts, outdated, misfiled, secret, never recalled and oversize memories.

    `recalls` counts how often each path was recalled; None when nobody counted.
    """
    found: list[Problem] = []
    for topic in topics:
        found += _secrets(topic, allow_secrets)
    found += _pairs(topics)
    for topic in topics:
        found += _outdated(topic, now)
        found += _misfiled(topic)
        found += _oversize(topic, body_chars)
        if recalls is not None:
            found += _never_recalled(topic, recalls, now)
    return found


def _pairs(topics: Sequence[Topic]) -> Iterator[Problem]:
    items = [(topic, entry) for topic in topics for entry in topic.entries]
    yield from _duplicates(items)
    apart: dict[tuple[int, int], list[str]] = {}
    for one, two in _alike([entry.summary for _, entry in items]):
        if not says_same(items[one][1].summary, items[two][1].summary):
            found = differences(items[one][1].summary, items[two][1].summary)
            if found:
                apart[one, two] = found
    rivals = Counter(
        number for pair, found in apart.items() if DISAGREE & set(found) for number in pair
    )
    for (one, two), found in apart.items():
        # Three and more of a kind are a list ("floor 1", "floor 2", ...), not a contradiction.
        if DISAGREE & set(found) and "order" not in found and max(rivals[one], rivals[two]) < 3:
            yield _conflict(*_by_age(items[one], items[two]), found)


def _duplicates(items: Sequence[_Item]) -> Iterator[Problem]:
    """Name what is said again on one shelf, each but the one that stays."""
    shelves: dict[tuple[Scope, Kind, str], list[_Item]] = defaultdict(list)
    for topic, entry in items:
        if not topic.pinned and (key := statement_key(entry.summary)):
            shelves[topic.scope, topic.kind, key].append((topic, entry))
    for first, *others in shelves.values():
        kept = first
        for other in others:
            problem, kept = _duplicate(*_by_age(kept, other))
            yield problem


def _by_age(one: _Item, two: _Item) -> tuple[_Item, _Item]:
    older, newer = sorted((one, two), key=lambda item: (_age(item[0]), item[1].id))
    return older, newer


def _duplicate(older: _Item, newer: _Item) -> tuple[Problem, _Item]:
    """Tell which of two that say the same can go, and which stays."""
    less, more = (newer, older) if _adds_nothing(newer[1], older[1]) else (older, newer)
    message = f"“{_quoted(less[1])}” is said again in {more[1].id}"
    fix = _forget(*less) if _adds_nothing(less[1], more[1]) else _open(less[0])
    return _problem("duplicate", message, *less, fix), more


def _adds_nothing(one: Entry, two: Entry) -> bool:
    """Tell whether an entry has no reason and no use that another lacks, so that it can go."""
    return all(
        not mine or says_same(mine, its) for mine, its in ((one.why, two.why), (one.how, two.how))
    )


def _conflict(older: _Item, newer: _Item, found: Sequence[str]) -> Problem:
    both = f"“{_quoted(older[1])}” and “{_quoted(newer[1])}” ({newer[1].id})"
    message = f"{both} do not agree: {', '.join(found)}"
    return _problem("conflict", message, *older, _open(older[0]))


def _alike(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of texts about the same thing, without comparing all pairs."""
    sets = [frozenset(canonical(term) for term in terms(text)) for text in texts]
    pairs = {*_joined(sets, ALIKE), *_joined([frame(text) for text in texts], SAME_FRAME)}
    yield from sorted(pairs)


def _joined(sets: Sequence[frozenset[str]], least: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs of sets that have at least this share of their words in common.

    Two such sets meet in their rarest words: of n words, all but `least * n` may be missing from
    the other, so one of that many and one more is in both. Most that meet share nothing else, which
    their marks tell sooner than the sets: a word whose bit the other lacks is not in the other.
    """
    held = Counter(term for words in sets for term in words)
    rank = {term: at for at, term in enumerate(sorted(held, key=lambda term: (held[term], term)))}
    bits = [1 << at for at in range(_MARK_BITS)]
    sizes = [len(words) for words in sets]
    marks: list[int] = []
    holders: dict[str, list[int]] = defaultdict(list)
    needed = least / (1 + least) - _ROUNDING  # of both sizes together
    for number, words in enumerate(sets):
        size, mark = sizes[number], 0
        for term in words:
            mark |= bits[rank[term] % _MARK_BITS]
        marks.append(mark)
        rarest = sorted(words, key=rank.__getitem__)
        met: set[int] = set()
        for term in rarest[: size - ceil(least * size) + 1]:
            if held[term] <= COMMON_TERM:
                met.update(holders[term])
                holders[term].append(number)
        hidden = size - mark.bit_count()
        for other in met:
            shared = (mark & marks[other]).bit_count() + hidden  # at most
            if shared >= needed * (size + sizes[other]) and _share(words, sets[other]) >= least:
                yield other, number


def _share(one: frozenset[str], two: frozenset[str]) -> float:
    shared = len(one & two)
    return shared / (len(one) + len(two) - shared)


def _outdated(topic: Topic, now: datetime) -> Iterator[Problem]:
    for entry in topic.entries:
        past = _past_date(entry, now.date())
        if past and _DUE.found_in(entry.summary):
            why = f"its date {past.isoformat()} has passed"
            yield _problem("outdated", why, topic, entry, _open(topic))
        elif _OLD_WORDS.found_in(entry.summary):
            why = f"“{_quoted(entry)}” itself says that it is old"
            yield _problem("outdated", why, topic, entry, _open(topic))
        elif find_relative(entry.summary, on=now.date()):
            why = f"“{_quoted(entry)}” depends on a day that it does not name"
            yield _problem("outdated", why, topic, entry, "reverie dream --force")
    if topic.updated and topic.kind is Kind.PROJECT and not topic.pinned:
        days = (now - topic.updated) // timedelta(days=1)
        if days > UNTOUCHED_DAYS:
            why = f"nothing in it has changed for {days} days"
            yield Problem("outdated", why, topic.path, 0, _open(topic))


def _past_date(entry: Entry, today: date) -> date | None:
    """Return the latest date an entry names, if even that lies behind us."""
    found: list[date] = []
    for match in _DATE.finditer(f"{entry.summary} {entry.why} {entry.how}"):
        try:
            found.append(date(int(match[1]), int(match[2]), int(match[3])))
        except ValueError:  # 31 February
            continue
    return max(found) if found and max(found) < today else None


def _misfiled(topic: Topic) -> Iterator[Problem]:
    """Name what lies in the other memory; what a person called it is not for us to doubt."""
    if topic.kind in (Kind.USER, Kind.PROJECT) and topic.scope is not scope_of(topic.kind):
        right = "person" if topic.kind is Kind.USER else "project"
        name = shlex.quote(f"{topic.scope.value}:{topic.rel}")
        yield Problem(
            "misfiled",
            f"a memory of kind {topic.kind.value} belongs to the {right}; move it, or change its type",
            topic.path,
            0,
            f"reverie move {name} --to {scope_of(topic.kind).value}",
        )


def _secrets(topic: Topic, allow: Sequence[str]) -> Iterator[Problem]:
    for item in scanner.scan(topic.text, allow=allow):
        yield Problem(
            "secret",
            f"line {item.line} holds something shaped like a secret ({item.rule}); take the value out, then"
            " `reverie forget --erase --everywhere` with it, for the journal has it, too",
            topic.path,
            item.line,
            _open(topic),
        )


def _oversize(topic: Topic, body_chars: int) -> Iterator[Problem]:
    size, count = len(topic.body), len(topic.entries)
    if size > BODIES * body_chars or count > MAX_ENTRIES:
        yield Problem(
            "oversize",
            f"it has {size} characters in {count} entries, too many for one subject; split it",
            topic.path,
            0,
            _open(topic),
        )


def _never_recalled(topic: Topic, recalls: Mapping[str, int], now: datetime) -> Iterator[Problem]:
    if recalls.get(topic.path, 0) or topic.pinned or not topic.updated:
        return
    days = (now - topic.updated) // timedelta(days=1)
    if days >= UNRECALLED_DAYS:
        yield Problem(
            "never_recalled",
            f"nothing has asked for it in {days} days",
            topic.path,
            0,
            _open(topic),
        )


def _problem(code: str, message: str, topic: Topic, entry: Entry, fix: str) -> Problem:
    line = topic.text.count("\n", 0, entry.span.start) + 1
    return Problem(code, message, topic.path, line, fix)


def _open(topic: Topic) -> str:
    """Return the fix that decides nothing: a person looks at the file."""
    return f"${{EDITOR:-vi}} {shlex.quote(topic.path)}"


def _forget(topic: Topic, entry: Entry) -> str:
    return f"reverie forget --id {shlex.quote(f'{topic.scope.value}:{entry.id}')}"


def _age(topic: Topic) -> float:
    return topic.updated.timestamp() if topic.updated else 0.0


def _quoted(entry: Entry) -> str:
    return shorten(entry.summary, 60)
