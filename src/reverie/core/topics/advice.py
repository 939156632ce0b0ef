"""Governance: what a careful reader would tidy up in a memory, each with the command that does it.

Rules:

* It only reports. Every finding names the entry, says why, and gives one command, which loses nothing when
  somebody runs it without looking: it opens a file, moves one, dreams, or forgets what is said elsewhere.
* A conflict is two statements that cannot both hold: one would replace the other by the judgement that
  `remember` and dreams use, or they are the same word for word but for a "not", for one of two opposites,
  or for what stands after "only" in both. Similar words are no conflict.
* A duplicate is what a dream would merge: one statement twice in one scope and kind, neither of them pinned.
  Across scopes nothing is one too many: the person's memory is read in every project.
* Misfiled is what both its kind and its own words put into the other memory; where somebody put it on
  purpose, it stays (the verb asks the journal).
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Final, TypeAlias

from reverie.core.claims.claim import compared_words
from reverie.core.claims.judgement import replaces
from reverie.core.claims.statement import says_same, statement_key
from reverie.core.secrets import scanner
from reverie.core.text.dates import find_relative
from reverie.core.text.plain import AnyCase
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.values import value_signature
from reverie.core.topics.catalog import shorten
from reverie.core.topics.kinds import scope_of
from reverie.core.topics.remember import read_memo
from reverie.types import Entry, Kind, Problem, Scope, SecretFinding, Topic

MAX_ENTRIES: Final = 60
BODIES: Final = 8  # so many times what recall shows of a topic is too much for one
UNTOUCHED_DAYS: Final = 365
UNRECALLED_DAYS: Final = 90
WINDOW: Final = 8  # so many neighbours of a statement are compared with it
MOST_EXCLUSIVE: Final = 2  # words that can take each other's place after "only"
_NOT_WORDS: Final = """
not never no cannot nicht nie niemals kein keine keinen keinem keiner ne n pas jamais nunca jamás não nao non
mai niet nooit geen не нет никогда nigdy inte aldrig ikke aldri δεν μην ποτέ 不 没 勿 别
"""
_NOT: Final = frozenset(_NOT_WORDS.split())
_WITHOUT_NOT: Final = {
    "cannot": "can", "can't": "can", "won't": "will", "don't": "", "doesn't": "", "didn't": "",
}  # fmt: skip
# What says nothing else than that a statement holds.
_FILLER_WORDS: Final = """
do does did always immer stets toujours siempre sempre altijd всегда zawsze alltid πάντα
"""
_FILLERS: Final = frozenset(_FILLER_WORDS.split())
_ONLY_WORDS: Final = """
only nur ausschließlich ausschliesslich seulement uniquement solo sólo solamente apenas soltanto alleen только
лишь tylko bara kun μόνο 只 仅
"""
_ONLY: Final = frozenset(_ONLY_WORDS.split())
_CONTRARY_WORDS: Final = """
allow:forbid allow:forbidden allow:prohibited enable:disable enabled:disabled public:private
require:optional mandatory:optional accept:reject accept:rejected like:hate love:hate like:dislike
tabs:spaces true:false on:off erlaubt:verboten aktiviert:deaktiviert öffentlich:privat pflicht:freiwillig
mag:hasse autorisé:interdit activé:désactivé public:privé obligatoire:facultatif aime:déteste
permitido:prohibido activado:desactivado público:privado obligatorio:opcional разрешено:запрещено
включён:выключен включен:выключен люблю:ненавижу 允许:禁止 启用:禁用 公开:私有 喜欢:讨厌
許可:禁止 有効:無効 公開:非公開
"""
_CONTRARY: Final = frozenset(frozenset(pair.split(":")) for pair in _CONTRARY_WORDS.split())

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


Scan: TypeAlias = Callable[..., list[SecretFinding]]
_Item: TypeAlias = tuple[Topic, Entry]


def inspect_memory(
    topics: Sequence[Topic],
    *,
    now: datetime,
    body_chars: int,
    allow_secrets: Sequence[str] = (),
    recalls: Mapping[str, int] | None = None,
    scan: Scan = scanner.scan,
    looked: Callable[[float], None] = lambda _: None,
) -> list[Problem]:
    """Report duplicates, conflicts, outdated, misfiled, secret, never recalled and oversize memories.

    Args:
        recalls: Counts how often each path was recalled; None when nobody counted.
        scan: Lists the secrets of a text.
        looked: Told how many topics were looked at; each is looked at twice, so that half of one counts.
    """
    found: list[Problem] = []
    for at, topic in enumerate(topics):
        found += _secrets(topic, scan(topic.text, allow=allow_secrets))
        looked(at / 2)
    found += _pairs(topics)
    for at, topic in enumerate(topics):
        looked((len(topics) + at) / 2)
        found += _outdated(topic, now)
        found += _misfiled(topic)
        found += _oversize(topic, body_chars)
        if recalls is not None:
            found += _never_recalled(topic, recalls, now)
    return found


def _pairs(topics: Sequence[Topic]) -> Iterator[Problem]:
    items = [(topic, entry) for topic in topics for entry in topic.entries]
    read = [(statement_key(entry.summary), _affirmed(entry.summary)[0]) for _, entry in items]
    yield from _duplicates(items, [key for key, _ in read])
    for older, newer in _rivals(items, [said for _, said in read]):
        why = disagreement(older[1].summary, newer[1].summary)
        if why:
            yield _conflict(older, newer, why)


def _duplicates(items: Sequence[_Item], keys: Sequence[str]) -> Iterator[Problem]:
    """Name what is said again on one shelf, each but the one that stays."""
    shelves: dict[tuple[Scope, Kind, str], list[_Item]] = defaultdict(list)
    for (topic, entry), key in zip(items, keys, strict=True):
        if key and not topic.pinned:
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


def _conflict(older: _Item, newer: _Item, why: str) -> Problem:
    both = f"“{_quoted(older[1])}” and “{_quoted(newer[1])}” ({newer[1].id}): {why}"
    return _problem("conflict", both, *older, _settled_by(older, newer))


def _settled_by(older: _Item, newer: _Item) -> str:
    """Return what settles a conflict: a dream, where it sees a change in it; else a person."""
    said, shelves = (older[1].summary, newer[1].summary), {_shelf(older), _shelf(newer)}
    changed = replaces(said[1], said[0]) or replaces(said[0], said[1])
    one_shelf = len(shelves) == 1 and not (older[0].pinned or newer[0].pinned)
    dreams = changed and one_shelf and _keeps_numbers(older, newer)
    return "reverie dream --force" if dreams else _open(older[0])


def _keeps_numbers(older: _Item, newer: _Item) -> bool:
    """Tell whether a dream may put one below the other: with the file goes what its name alone says."""
    topic, entry = older
    if len(topic.entries) > 1:
        return True
    stays = "\n".join((newer[0].text, entry.summary, entry.why, entry.how))
    return value_signature(topic.text).numbers <= value_signature(stays).numbers


def _shelf(item: _Item) -> tuple[Scope, Kind]:
    return item[0].scope, item[0].kind


def _rivals(
    items: Sequence[_Item], statements: Sequence[list[str]]
) -> Iterator[tuple[_Item, _Item]]:
    """Yield pairs that begin or end alike, but for words of change and negation; the older one first.

    In the order of their words, those that have most in common stand side by side.
    """
    buckets: dict[tuple[str, ...], list[tuple[list[str], int]]] = defaultdict(list)
    for number, said in enumerate(statements):
        for end, key in (("first", said[:2]), ("last", said[-2:]), ("both", said[:1] + said[-1:])):
            if said:
                buckets[(end, *key)].append((said[::-1] if end == "last" else said, number))
    pairs: set[tuple[int, int]] = set()
    for bucket in buckets.values():
        ordered = [number for _, number in sorted(bucket)]
        for at, one in enumerate(ordered):
            others = ordered[at + 1 : at + 1 + WINDOW]
            pairs |= {(min(one, two), max(one, two)) for two in others}
    for one, two in sorted(pairs):
        yield _by_age(items[one], items[two])


def disagreement(older: str, newer: str) -> str:
    """Say why two statements cannot both hold; empty when they can, or when the words do not tell."""
    if says_same(older, newer) or "?" in older + newer:
        return ""
    if replaces(newer, older) or replaces(older, newer):
        return "only one of them can hold"
    (one, denied), (two, refused) = _affirmed(older), _affirmed(newer)
    if one == two:
        return "one denies the other" if one and denied != refused else ""
    shared, here, there = _stretch(one, two)
    if denied != refused or not here or not there:
        return ""
    if frozenset((_joined(here), _joined(there))) in _CONTRARY:
        return "one says the opposite of the other"
    short = max(len(here), len(there)) <= MOST_EXCLUSIVE and not {*here, *there} & STOP_WORDS
    exclusive = short and any(word in _ONLY for word in shared[-3:])
    return "each says that it is the only one" if exclusive else ""


def _stretch(one: Sequence[str], two: Sequence[str]) -> tuple[Sequence[str], list[str], list[str]]:
    """Return the words that two statements begin with, and what differs before they go on alike."""
    shortest = min(len(one), len(two))
    first = next((at for at in range(shortest) if one[at] != two[at]), shortest)
    rest = shortest - first
    last = next((at for at in range(rest) if one[-1 - at] != two[-1 - at]), rest)
    return one[:first], list(one[first : len(one) - last]), list(two[first : len(two) - last])


def _joined(found: Sequence[str]) -> str:
    return "".join(found) if any(len(word) == 1 for word in found) else " ".join(found)


def _affirmed(text: str) -> tuple[list[str], bool]:
    """Return the words of a statement without those that deny it, and whether there were any."""
    words = compared_words(text)
    signs = " ".join(words)
    if "’" not in signs and "n't" not in signs and _NOT.isdisjoint(words):
        return [word for word in words if word and word not in _FILLERS], False
    said: list[str] = []
    denied = False
    for word in words:
        word = word.replace("’", "'")
        if word in _NOT or word.endswith("n't"):
            denied = True
            word = _WITHOUT_NOT.get(word, word.removesuffix("n't") if word.endswith("n't") else "")
        if word and word not in _FILLERS:
            said.append(word)
    return said, denied


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
    right_scope = scope_of(topic.kind)
    mistaken = topic.kind in (Kind.USER, Kind.PROJECT) and topic.scope is not right_scope
    if not mistaken or not topic.entries:
        return
    memos = (read_memo(entry.summary, name=topic.name, in_project=True) for entry in topic.entries)
    if all(memo.scope is right_scope for memo in memos):
        right = "person" if topic.kind is Kind.USER else "project"
        name = shlex.quote(f"{topic.scope.value}:{topic.rel}")
        yield Problem(
            "misfiled",
            f"a memory of kind {topic.kind.value} belongs to the {right}; move it, or change its type",
            topic.path,
            0,
            f"reverie move {name} --to {scope_of(topic.kind).value}",
        )


def _secrets(topic: Topic, found: Sequence[SecretFinding]) -> Iterator[Problem]:
    for item in found:
        yield Problem(
            "secret",
            f"line {item.line} holds something shaped like a secret ({item.rule}); `reverie forget --erase"
            " --everywhere -` with the value on standard input takes it out here, in the journal and"
            " elsewhere, and leaves the rest of the memory",
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
