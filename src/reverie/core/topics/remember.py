"""Remember: where a text goes, and whether it is new, known already, or replaces something.

Rules:

* The words stay the user's own, line for line; only `Why:` and `How to apply:` are set apart.
* Nothing is replaced because something sounds alike. Known is the same statement but for case, spaces
  and punctuation; replaced is only what `updates` gives a reason for, or what somebody names. All
  else gets a place of its own, and what sounds like it is named.
* What is near it in meaning gets its company, and stays as it is (`beside`).
* What is replaced stays in the file with the day until which it held.
* A new file never takes the name of an existing one. Pinned topics are read, never written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from reverie.core.claims.judgement import replaces
from reverie.core.claims.statement import says_same, statement_key
from reverie.core.markdown.entries import read_entries, split_fields
from reverie.core.text.plain import digest
from reverie.core.text.values import frame_similarity
from reverie.core.text.words import similarity, words
from reverie.core.topics.beside import company, put_above, without_note
from reverie.core.topics.kinds import guess_kind, scope_of
from reverie.core.topics.titles import description_of, slug, title_of
from reverie.core.topics.topic import (
    render_topic,
    replace_entry,
    rewrite_entry,
    set_frontmatter,
)
from reverie.errors import InvalidInput, NotAllowed, TopicNotFound
from reverie.types import Change, Entry, FileDelta, Kind, Scope

if TYPE_CHECKING:
    from datetime import date

    from reverie.dialect import Dialect
    from reverie.types import Topic, Workspace

ALIKE: Final = 0.5  # share of words in common from which two remarks are about the same thing
SAME_FRAME: Final = 0.8  # the same, leaving numbers and dates aside


@dataclass(frozen=True, slots=True)
class Memo:
    """A text to remember, read."""

    content: str
    why: str
    how: str
    kind: Kind
    scope: Scope
    name: str
    scope_named: bool = False
    """Somebody said whose memory it is; else it was judged by the words."""
    named: bool = False
    """Somebody gave it a name, so it gets a file of that name; else its words give one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What remembering would do."""

    action: Literal["added", "known", "superseded"]
    path: str
    entry: str
    name: str
    kind: Kind
    scope: Scope
    delta: FileDelta | None = None
    similar: tuple[str, ...] = ()
    replaced: str = ""
    beside: str = ""
    """The statement that it was put above, because it may concern that."""

    @property
    def changes(self) -> list[Change]:
        """The change to apply, if any."""
        if self.delta is None or self.delta.before == self.delta.after:
            return []
        before = self.delta.before
        return [Change(self.path, self.delta.after, None if before is None else digest(before))]


def read_memo(
    text: str,
    *,
    kind: Kind | None = None,
    scope: Scope | None = None,
    name: str | None = None,
    why: str | None = None,
    how: str | None = None,
    in_project: bool = True,
) -> Memo:
    """Read what somebody asked to remember: its parts, its kind and whose it is."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    content, said_why, said_how = split_fields(text.strip("\n"))
    ours = in_project if scope is None else scope is Scope.PROJECT
    chosen = kind or guess_kind(content) or (Kind.PROJECT if ours else Kind.USER)
    return Memo(
        content=content,
        why=(said_why if why is None else why).strip(),
        how=(said_how if how is None else how).strip(),
        kind=chosen,
        scope=scope or scope_of(chosen, content, in_project=in_project),
        name=" ".join((name or "").split()) or title_of(content),
        scope_named=scope is not None,
        named=bool(name and name.strip()),
    )


def plan(
    memo: Memo,
    topics: Sequence[Topic],
    *,
    workspace: Workspace,
    dialect: Dialect,
    taken: Callable[[str], bool],
    today: date,
    clean: bool = False,
    replacing: str = "",
    near: Mapping[str, float] = MappingProxyType({}),
) -> Plan:
    """Decide what to write. With `clean` nothing that is known already is looked at.

    Args:
        taken: Tells whether there is a file at a path.
        replacing: Id of the entry whose place it takes, because somebody said so.
        near: Paths of topics that are near in meaning, and how near. They are named, never changed for that
            reason.
    """
    if replacing:
        topic, entry = named_entry(replacing, topics)
        if topic.pinned:
            raise NotAllowed(f"{replacing} is pinned, so nothing replaces it; unpin it first")
        if says_same(memo.content, entry.summary):
            return _known_plan(memo, topic, entry, dialect=dialect)
        return _superseded(memo, topic, entry, today=today, dialect=dialect)
    if clean:
        return _added(memo, workspace, dialect, taken, ())
    ours = [topic for topic in topics if topic.scope is memo.scope]
    known = _known(memo, ours)
    if known is not None:
        return _known_plan(memo, *known, dialect=dialect)
    outdated = _outdated(memo, ours)
    if outdated is None and not memo.scope_named:  # a change goes where the old statement is
        outdated = _outdated(memo, [topic for topic in topics if topic.scope is not memo.scope])
    if outdated is not None:
        return _superseded(memo, *outdated, today=today, dialect=dialect)
    alike, meant = _alike(memo, ours), dict(_near(near, topics))
    similar = tuple(dict.fromkeys((*alike, *meant)))
    beside = company(memo.content, near=meant, alike=alike, topics=ours)
    if beside is not None and not memo.named:
        return _beside(memo, *beside, today=today, dialect=dialect, similar=similar)
    return _added(memo, workspace, dialect, taken, similar)


def _known(memo: Memo, topics: Sequence[Topic]) -> tuple[Topic, Entry | None] | None:
    """Find the entry that is the same statement, or the topic that holds every part of a longer text."""
    parts = {statement_key(part.summary) for part in read_entries(memo.content)}
    for topic in topics:
        entry = next((e for e in topic.entries if says_same(e.summary, memo.content)), None)
        if entry is not None and not (topic.pinned and (memo.why or memo.how)):
            return topic, entry
        told = {statement_key(text) for e in topic.entries for text in (e.summary, e.why, e.how)}
        reasons = {statement_key(memo.why), statement_key(memo.how)} - {""}
        if len(parts) > 1 and parts | reasons <= told:
            return topic, None
    return None


def _known_plan(memo: Memo, topic: Topic, entry: Entry | None, *, dialect: Dialect) -> Plan:
    """Leave what is known as it is, but for a reason or a use that is new."""
    text = topic.text
    if entry is not None:
        why, how = _joined(entry.why, memo.why), _joined(entry.how, memo.how)
        if why is not None or how is not None:
            text = replace_entry(topic, entry.id, why=why, how=how, dialect=dialect)
    return Plan(
        action="known",
        path=topic.path,
        entry=entry.id if entry else topic.rel,
        name=topic.name,
        kind=topic.kind,
        scope=topic.scope,
        delta=FileDelta(topic.path, topic.text, text),
    )


def _joined(old: str, new: str) -> str | None:
    """Return what to write for a field, or None to leave it: nothing said earlier is dropped."""
    if not new or statement_key(new) in map(statement_key, old.split("; ")) or says_same(old, new):
        return None
    return f"{old}; {new}" if old else new


def _outdated(memo: Memo, topics: Sequence[Topic]) -> tuple[Topic, Entry] | None:
    """Find the one entry that this statement replaces; of several none, for nobody knows which."""
    found = [
        (topic, entry)
        for topic in topics
        if not topic.pinned
        for entry in topic.entries
        if _fits_a_line(entry) and replaces(memo.content, entry.summary)
    ]
    return found[0] if len(found) == 1 else None


def named_entry(name: str, topics: Sequence[Topic]) -> tuple[Topic, Entry]:
    """Find the one entry that somebody names: by its id, by `scope:id`, or by its file."""
    found = [
        (topic, entry)
        for topic in topics
        for entry in topic.entries
        if name in (entry.id, f"{topic.scope.value}:{entry.id}", topic.rel, topic.path)
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise TopicNotFound(
            f"there is no entry {name!r}; `reverie forget --dry-run WORDS` lists ids", ids=[name]
        )
    ids = [f"{topic.scope.value}:{entry.id}" for topic, entry in found]
    raise InvalidInput(f"{name} could be {len(found)} entries; name one of: {', '.join(ids[:10])}")


def _fits_a_line(entry: Entry) -> bool:
    return "```" not in entry.summary and "~~~" not in entry.summary


def _superseded(memo: Memo, topic: Topic, entry: Entry, *, today: date, dialect: Dialect) -> Plan:
    """Put a statement in the place of another, which stays below it with the day until which it held."""
    former = " ".join(entry.summary.split()).rstrip(" .;")
    more = "; ".join(
        " ".join(text.split()).rstrip(" .;")
        for text in (entry.why, without_note(entry.how))
        if text
    )
    until = f"Until {today.isoformat()}: {former}" + (f" ({more})" if more else "")
    text = rewrite_entry(
        topic,
        entry.id,
        memo.content,
        why=f"{memo.why.rstrip(' ;')}; {until}" if memo.why else until,
        how=memo.how,
        dialect=dialect,
    )
    # Title and description tell what holds now: what only the old statement says goes from them.
    others = " ".join(item.summary for item in topic.entries if item is not entry)
    outdated = set(words(entry.summary)) - set(words(f"{memo.content} {others}"))
    first = memo.content if entry is topic.entries[0] else topic.entries[0].summary
    name = topic.name
    # A title that is the old statement follows the new one, which may only deny it: `no longer ...`.
    if name == title_of(former) or not outdated.isdisjoint(words(name)):
        name = memo.name if first is memo.content else title_of(first)
        text = set_frontmatter(text, "name", name)
    said = topic.description
    if not said or not outdated.isdisjoint(words(said)) or said == description_of(entry.summary):
        text = set_frontmatter(text, "description", description_of(first))
    return Plan(
        action="superseded",
        path=topic.path,
        entry=entry.id,
        name=name,
        kind=topic.kind,
        scope=topic.scope,
        delta=FileDelta(topic.path, topic.text, text),
        replaced=former,
    )


def _beside(
    memo: Memo,
    topic: Topic,
    entry: Entry,
    *,
    today: date,
    dialect: Dialect,
    similar: tuple[str, ...],
) -> Plan:
    """Put a statement above the one it may concern; title and description tell the newer one first."""
    text = put_above(
        topic, entry, memo.content, why=memo.why, how=memo.how, today=today, dialect=dialect
    )
    first = entry is topic.entries[0]
    name = topic.name
    if first and name == title_of(entry.summary):
        name = memo.name
        text = set_frontmatter(text, "name", name)
    if first and topic.description in ("", description_of(entry.summary)):
        both = f"{memo.content.rstrip(' .;')}; {entry.summary}"
        text = set_frontmatter(text, "description", description_of(both))
    at = topic.entries.index(entry) + 1
    return Plan(
        action="added",
        path=topic.path,
        entry=f"{topic.rel}:{at}",
        name=memo.name,
        kind=topic.kind,
        scope=topic.scope,
        delta=FileDelta(topic.path, topic.text, text),
        similar=tuple(dict.fromkeys(_moved_down(name, topic, at) for name in (entry.id, *similar))),
        beside=" ".join(entry.summary.split()).rstrip(" .;"),
    )


def _moved_down(name: str, topic: Topic, at: int) -> str:
    """Return the id that an entry has when another one stands above it."""
    ids = [entry.id for entry in topic.entries]
    if name not in ids:
        return name
    place = ids.index(name) + 1
    return f"{topic.rel}:{place + (place >= at)}"


def _alike(memo: Memo, topics: Sequence[Topic]) -> tuple[str, ...]:
    """Name the entries that sound like it; nothing happens to them."""
    alike: list[tuple[float, str]] = []
    for topic in topics:
        for entry in topic.entries:
            near = similarity(memo.content, entry.summary)
            if near >= ALIKE or frame_similarity(memo.content, entry.summary) >= SAME_FRAME:
                alike.append((-near, entry.id))
    return tuple(name for _, name in sorted(alike))


def _near(near: Mapping[str, float], topics: Sequence[Topic]) -> Iterator[tuple[str, float]]:
    """Name what holds now in the topics that are near in meaning, the nearest first."""
    known = {topic.path: topic for topic in topics}
    for path, cosine in near.items():
        if path in known:
            yield from ((entry.id, cosine) for entry in known[path].entries[:1])


def _added(
    memo: Memo,
    workspace: Workspace,
    dialect: Dialect,
    taken: Callable[[str], bool],
    similar: tuple[str, ...],
) -> Plan:
    root = workspace.memory_root(memo.scope)
    stem = f"{memo.kind.value}/{slug(memo.name)}"
    rel, number = f"{stem}.md", 1
    while taken(f"{root}/{rel}"):
        number += 1
        rel = f"{stem}-{number}.md"
    text = render_topic(
        memo.name,
        description=description_of(memo.content),
        kind=memo.kind,
        entries=[Entry("", memo.content, memo.why, memo.how)],
        dialect=dialect,
    )
    path = f"{root}/{rel}"
    return Plan(
        action="added",
        path=path,
        entry=rel,
        name=memo.name,
        kind=memo.kind,
        scope=memo.scope,
        delta=FileDelta(path, None, text),
        similar=similar,
    )
