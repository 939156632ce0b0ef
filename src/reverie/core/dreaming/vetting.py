"""Vetting: an agent's draft becomes a plan only if nothing is lost by it and nothing invented.

Rules
- Each changed file still reads as a memory; hidden characters and tags that a model would obey are
  not written.
- An entry may go only if another of its scope says all it said (a merge), or carries it word for word
  as a note (superseded). No figure, date or negation of a changed file may be missing afterwards.
- A new entry brings no figure, address or name that its source does not hold, and is made of the
  source's words. In a dream the memory itself is the source, and a new entry must replace another.
- The probe gate: what could be recalled before must be recalled afterwards.
- One breach refuses the whole draft: half a thought is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.asking.answers import unfounded_values
from reverie.core.asking.draft import changes_of
from reverie.core.dreaming.operations import refs_of
from reverie.core.dreaming.probes import lost_probes, probes_for
from reverie.core.showing.marks import is_suspect
from reverie.core.text.values import covers, value_signature
from reverie.core.text.words import containment, normalize, terms
from reverie.core.topics.topic import parse_topic, why_no_topic
from reverie.types import (
    Dropped,
    EntryRef,
    MergeOp,
    Scope,
    SupersedeOp,
)

if TYPE_CHECKING:
    from reverie.config import RecallSettings
    from reverie.core.asking.draft import Draft
    from reverie.types import (
        Change,
        DreamOp,
        Entry,
        Topic,
    )

OWN_WORDS: Final = 0.5  # share of a new entry's words that must stand in its source


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry and the topic it stands in."""

    topic: Topic
    entry: Entry

    @property
    def text(self) -> str:
        """Everything the entry says."""
        return f"{self.entry.summary}\n{self.entry.why}\n{self.entry.how}"

    @property
    def ref(self) -> EntryRef:
        """The entry as operations name it."""
        return EntryRef(self.topic.path, self.entry.id, self.entry.summary)

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two entries of a scope the same."""
        return self.topic.scope.value, *(" ".join(part.split()) for part in self.text.split("\n"))


@dataclass(frozen=True, slots=True)
class Vetted:
    """A draft that was looked at; with anything in `refused`, nothing of it may be applied."""

    changes: tuple[Change, ...]
    topics: tuple[Topic, ...]
    """Memory as it would be."""
    ops: tuple[DreamOp, ...]
    gained: tuple[Placed, ...]
    """Entries that are new or read differently."""
    refused: tuple[Dropped, ...]


def vet(
    draft: Draft,
    before: Sequence[Topic],
    *,
    settings: RecallSettings,
    source: str | None = None,
    probes: int = 3,
) -> Vetted:
    """Judge a draft made over topics; `source` is what was said, None in a dream."""
    changed = {draft.absolute(path): path for path in draft.changed}
    refused: list[Dropped] = []
    old = [topic for topic in before if topic.path in changed]
    new = [
        topic
        for place, path in changed.items()
        if path in draft.files and (topic := _parsed(draft, path, place, old, refused))
    ]
    after = (*new, *(topic for topic in before if topic.path not in changed))
    had, has = _entries(old), _entries(new)
    known, stays = {item.key for item in had}, {item.key for item in has}
    gained = [item for item in has if item.key not in known]
    others = _entries(topic for topic in after if topic.path not in changed)
    ops: list[DreamOp] = []
    for item in had:
        if item.key not in stays:
            op = _explained(item, [*gained, *has, *others])
            if op is None:
                refused.append(Dropped(item.entry.summary, "no entry would say this any more"))
            else:
                ops.append(op)
    refused += _lost_values(old, [*new, *_keepers(ops, after)])
    refused += _unfounded(gained, old, before, source, {ref for op in ops for ref in refs_of(op)})
    if not refused:
        asked = probes_for((item.ref for item in had), count=probes)
        refused += [
            Dropped(probe.entry.summary, f"afterwards {probe.question!r} would no longer find it")
            for probe in lost_probes(asked, before, after, settings=settings)
        ]
    return Vetted(tuple(changes_of(draft)), after, tuple(ops), tuple(gained), tuple(refused))


def keeps(said: str, told: str) -> list[str]:
    """Name what of a saying is missing from how it is told: figures, names, a “not” on one side."""
    one, two = value_signature(said), value_signature(told)
    plain = normalize(told)
    missing = sorted(one.numbers - two.numbers)
    missing += sorted(name for name in one.names if normalize(name) not in plain)
    return [*missing, *(["not"] if bool(one.negations) != bool(two.negations) else [])]


def _parsed(
    draft: Draft, path: str, place: str, old: Iterable[Topic], refused: list[Dropped]
) -> Topic | None:
    text, before = draft.files[path], draft.base.get(path, "")
    first, _, rel = path.partition("/")
    topic = parse_topic(text, path=place, rel=rel, scope=Scope(first))
    was = next((item for item in old if item.path == place), None)
    if topic is None:
        refused.append(Dropped(path, f"it would be no memory: {why_no_topic(text)}"))
    elif not topic.entries or not topic.name or not topic.description:
        refused.append(Dropped(path, "it would lack a name, a description or any entry"))
    elif was is not None and was.kind is not topic.kind:
        refused.append(Dropped(path, "it would become another kind of memory"))
    elif _hidden(text) - _hidden(before):
        refused.append(Dropped(path, "it holds hidden characters or tags that would be obeyed"))
    else:
        return topic
    return None


def _hidden(text: str) -> set[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    return {line for line in lines if is_suspect(line)}


def _entries(topics: Iterable[Topic]) -> list[Placed]:
    return [Placed(topic, entry) for topic in topics for entry in topic.entries]


def _explained(gone: Placed, candidates: Sequence[Placed]) -> DreamOp | None:
    """Find the entry that says what another said."""
    more = set(terms(f"{gone.entry.why}\n{gone.entry.how}"))
    for kept in candidates:
        if kept.topic.scope is not gone.topic.scope:
            continue
        if covers(kept.entry.summary, gone.entry.summary) and more <= set(terms(kept.text)):
            return MergeOp(kept.ref, (gone.ref,))
        note = f"{kept.entry.why}\n{kept.entry.how}"
        if _plain(gone.entry.summary) in _plain(note) and more <= set(terms(note)):
            return SupersedeOp(kept.ref, gone.ref, " ".join(note.split()))
    return None


def _plain(text: str) -> str:
    return " ".join(normalize(text).split()).rstrip(" .;。")


def _keepers(ops: Iterable[DreamOp], after: Sequence[Topic]) -> list[Topic]:
    paths = {op.kept.path for op in ops if isinstance(op, MergeOp | SupersedeOp)}
    return [topic for topic in after if topic.path in paths]


def _lost_values(old: Sequence[Topic], new: Sequence[Topic]) -> list[Dropped]:
    had = value_signature("\n".join(topic.body for topic in old))
    has = value_signature("\n".join(topic.body for topic in new))
    lost = [*sorted(had.numbers - has.numbers), *sorted(set(had.negations) - set(has.negations))]
    return [Dropped(", ".join(lost), "a figure, date or negation would be lost")] if lost else []


def _unfounded(
    gained: Sequence[Placed],
    old: Sequence[Topic],
    before: Sequence[Topic],
    source: str | None,
    explained: set[EntryRef],
) -> list[Dropped]:
    found: list[Dropped] = []
    for item in gained:
        same = item.topic.scope
        if source is None and item.ref not in explained:
            found.append(Dropped(item.entry.summary, "no memory said this"))
            continue
        texts = _memory(before, same) if source is None else [source, *_memory(old, same)]
        ground = "\n".join(texts)
        # A title may be in capitals; only its figures, addresses and identifiers must have been said.
        head = f"{item.topic.name}\n{item.topic.description}".lower()
        invented = unfounded_values(item.text, ground) + unfounded_values(head, ground)
        if invented:
            found.append(Dropped(item.entry.summary, f"nobody said {', '.join(invented[:3])}"))
        elif (
            min(_share(text, ground) for text in (*item.text.split("\n"), item.topic.description))
            < OWN_WORDS
        ):
            found.append(Dropped(item.entry.summary, "these are not the words that were said"))
    return found


def _memory(topics: Sequence[Topic], scope: Scope) -> list[str]:
    return [topic.text for topic in topics if topic.scope is scope]


def _share(text: str, ground: str) -> float:
    return containment(text, ground) if terms(text) else 1.0


def refusal(vetted: Vetted) -> str:
    """Say in one line why a draft was refused."""
    first = vetted.refused[0]
    more = f" (and {len(vetted.refused) - 1} more)" if len(vetted.refused) > 1 else ""
    return f"{first.reason}{more}"
