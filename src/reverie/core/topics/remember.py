"""Remember: where a text goes, and whether it is new, known already, or replaces something.

Rules:

* The words stay the user's own, line for line; only `Why:` and `How to apply:` are set apart.
* Nothing is replaced because something sounds alike. Known is the same statement but for case, spaces
  and punctuation; replaced is only what `updates` gives a reason for, or what somebody names. All
  else gets a place of its own, and what sounds like it is named.
* What is replaced stays in the file with the day until which it held.
* A new file never takes the name of an existing one. Pinned topics are read, never written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from reverie.core.claims.judgement import replaces
from reverie.core.claims.statement import says_same, statement_key
from reverie.core.markdown.entries import read_entries, split_fields
from reverie.core.text.plain import digest, ends_abbreviated, width
from reverie.core.text.values import frame_similarity
from reverie.core.text.words import similarity, words
from reverie.core.topics.catalog import shorten
from reverie.core.topics.kinds import guess_kind, scope_of
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
MAX_NAME_COLUMNS: Final = 60
MAX_DESCRIPTION_CHARS: Final = 150
MAX_SLUG_BYTES: Final = 80

_MARKUP: Final = re.compile(r"\A(?:#{1,6}\s+|[-*+•>]\s+|\d{1,3}[.)]\s+|\*\*|__|`)+")
_SENTENCE_END: Final = re.compile(r"(?<=[^\s.][.!?])\s|(?<=[。！？])")
_EDGES: Final = " \t.,;:!?。，；：！？、*_"
_PAIRS: Final = {
    "(": ")", "[": "]", "{": "}", "“": "”", "«": "»", "（": "）", "「": "」", "『": "』", "【": "】",
    '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_CLOSING: Final = {closing: opening for opening, closing in _PAIRS.items()}
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|memory)", re.I)


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
    near: Sequence[str] = (),
) -> Plan:
    """Decide what to write. With `clean` nothing that is known already is looked at.

    Args:
        taken: Tells whether there is a file at a path.
        replacing: Id of the entry whose place it takes, because somebody said so.
        near: Paths of topics that are near in meaning. They are named, never changed for that reason.
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
    alike = dict.fromkeys((*_alike(memo, ours), *_near(near, topics)))
    return _added(memo, workspace, dialect, taken, tuple(alike))


def title_of(content: str) -> str:
    """Make a short name from the first words of a text."""
    first = next((line.strip() for line in content.split("\n") if line.strip()), "")
    head = first[: 20 * MAX_NAME_COLUMNS]  # more of it never shows, and trimming brackets is slow
    first = _trimmed(_first_sentence(_MARKUP.sub("", head)))
    if width(first) <= MAX_NAME_COLUMNS:
        return first or "note"
    used, cut = 0, len(first)
    for at, char in enumerate(first):
        used += width(char)
        if used > MAX_NAME_COLUMNS:
            cut = at
            break
    space = first.rfind(" ", cut // 2, cut)
    return _trimmed(first[: space if space > 0 else cut])


def _first_sentence(text: str) -> str:
    for end in _SENTENCE_END.finditer(text):
        before = text[: end.start()]
        if not before.endswith(".") or not ends_abbreviated(before[:-1]):
            return before
    return text


def _trimmed(text: str) -> str:
    """Take punctuation off both ends, and brackets and quotes unless both of a pair stay."""
    while True:
        text = text.strip(_EDGES)
        first, last = text[:1], text[-1:]
        if len(text) > 1 and _PAIRS.get(first) == last and _encloses(text):
            text = text[1:-1]
        elif last in _CLOSING and _lone(text, _CLOSING[last], last):
            text = text[:-1]
        elif first in _PAIRS and _lone(text, first, _PAIRS[first]):
            text = text[1:]
        else:
            return text


def _lone(text: str, opening: str, closing: str) -> bool:
    """Say whether a pair is not complete."""
    if opening == closing:  # a mark between letters is an apostrophe
        return len(re.findall(rf"(?<!\w){opening}|{opening}(?!\w)", text)) % 2 == 1
    return text.count(opening) != text.count(closing)


def _encloses(text: str) -> bool:
    """Say whether the first and the last character are one pair around all the rest."""
    opening, closing = text[0], text[-1]
    if opening == closing:
        return text.count(opening) == 2
    depth = 0
    for char in text[:-1]:
        depth += (char == opening) - (char == closing)
        if depth == 0:
            return False
    return True


def description_of(content: str) -> str:
    """Make the one line that the catalog shows."""
    return shorten(" ".join(_MARKUP.sub("", content.strip()).split()), MAX_DESCRIPTION_CHARS)


def slug(name: str) -> str:
    """Make a readable file name of a title in any script."""
    folded = unicodedata.normalize("NFC", name[: 2 * MAX_SLUG_BYTES].lower())
    kept = "".join(
        char if char.isalnum() or unicodedata.category(char) in ("Mn", "Mc") else "-"
        for char in folded
    )
    kept = re.sub(r"-{2,}", "-", kept).strip("-")
    while len(kept.encode("utf-8", "surrogatepass")) > MAX_SLUG_BYTES:
        shorter = kept.rpartition("-")[0]
        kept = shorter if len(shorter) > len(kept) // 2 else kept[:-1]
    kept = kept.strip("-")
    return f"{kept or 'note'}-note" if _RESERVED.fullmatch(kept or "note") else kept or "note"


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
        " ".join(text.split()).rstrip(" .;") for text in (entry.why, entry.how) if text
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


def _alike(memo: Memo, topics: Sequence[Topic]) -> tuple[str, ...]:
    """Name the entries that sound like it; nothing happens to them."""
    alike: list[tuple[float, str]] = []
    for topic in topics:
        for entry in topic.entries:
            near = similarity(memo.content, entry.summary)
            if near >= ALIKE or frame_similarity(memo.content, entry.summary) >= SAME_FRAME:
                alike.append((-near, entry.id))
    return tuple(name for _, name in sorted(alike))


def _near(paths: Sequence[str], topics: Sequence[Topic]) -> Iterator[str]:
    """Name what holds now in the topics that are near in meaning, the nearest first."""
    known = {topic.path: topic for topic in topics}
    return (entry.id for path in paths if path in known for entry in known[path].entries[:1])


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
