"""Remember: where a text goes, and whether it is new, says more, or is known already.

Rules:

* The words stay the user's own, line for line; only `Why:` and `How to apply:` are set apart.
* An entry is updated only by a text that says everything it says and more; a text whose numbers,
  names, words or negations differ is another fact and gets a place of its own.
* A new file never takes the name of an existing one. Pinned topics are read, never written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from reverie.core.markdown.entries import read_entries, split_fields
from reverie.core.text.plain import digest, width
from reverie.core.text.values import covers, differences, frame_similarity
from reverie.core.text.words import similarity
from reverie.core.topics.catalog import shorten
from reverie.core.topics.kinds import guess_kind, scope_of
from reverie.core.topics.topic import render_topic, replace_entry, set_frontmatter
from reverie.types import Change, Entry, FileDelta, Kind, Scope

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True)
class Plan:
    """What remembering would do."""

    action: Literal["added", "updated", "unchanged"]
    path: str
    entry: str
    name: str
    kind: Kind
    scope: Scope
    delta: FileDelta | None = None
    similar: tuple[str, ...] = ()

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
) -> Memo:
    """Read what somebody asked to remember: its parts, its kind and whose it is."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    content, said_why, said_how = split_fields(text.strip("\n"))
    chosen = kind or guess_kind(content) or (Kind.PROJECT if scope is Scope.PROJECT else Kind.USER)
    return Memo(
        content=content,
        why=(said_why if why is None else why).strip(),
        how=(said_how if how is None else how).strip(),
        kind=chosen,
        scope=scope or scope_of(chosen, content),
        name=" ".join((name or "").split()) or title_of(content),
    )


def plan(
    memo: Memo,
    topics: Sequence[Topic],
    *,
    workspace: Workspace,
    dialect: Dialect,
    taken: Callable[[str], bool],
    clean: bool = False,
) -> Plan:
    """Decide what to write. With `clean` nothing that is known already is looked at.

    `taken` tells whether there is a file at a path.
    """
    whole = None if clean else _known_whole(memo, topics)
    if whole is not None:
        return _known_already(whole)
    same, similar = (None, ()) if clean else _known(memo, topics)
    if same is None:
        return _added(memo, workspace, dialect, taken, similar)
    topic, entry = same
    text = topic.text if topic.pinned else _merged(memo, topic, entry, dialect)
    return Plan(
        action="unchanged" if text == topic.text else "updated",
        path=topic.path,
        entry=entry.id,
        name=topic.name,
        kind=topic.kind,
        scope=topic.scope,
        delta=FileDelta(topic.path, topic.text, text),
        similar=similar,
    )


def title_of(content: str) -> str:
    """Make a short name from the first words of a text."""
    first = next((line.strip() for line in content.split("\n") if line.strip()), "")
    head = first[: 20 * MAX_NAME_COLUMNS]  # more of it never shows, and trimming brackets is slow
    first = _trimmed(_SENTENCE_END.split(_MARKUP.sub("", head), maxsplit=1)[0])
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


def _known(
    memo: Memo, topics: Sequence[Topic]
) -> tuple[tuple[Topic, Entry] | None, tuple[str, ...]]:
    """Find the entry that says the same, and those that only sound like it."""
    alike: list[tuple[float, Topic, Entry]] = []
    several = len(read_entries(memo.content)) > 1
    for topic in topics:
        if topic.kind is not memo.kind or topic.scope is not memo.scope:
            continue
        if several and len(topic.entries) > 1:
            continue  # put in place of one entry, it would say the others twice
        for entry in topic.entries:
            near = similarity(memo.content, entry.summary)
            if near >= ALIKE or frame_similarity(memo.content, entry.summary) >= SAME_FRAME:
                alike.append((near, topic, entry))
    alike.sort(key=lambda found: (-found[0], found[1].pinned, found[1].path, found[2].id))
    same = next(
        (found for found in alike if found[0] >= ALIKE and not differences(memo.content, found[2].summary)
         and (not found[1].pinned or covers(found[2].summary, memo.content))),
        None,
    )  # fmt: skip
    others = tuple(entry.id for _, _, entry in alike if same is None or entry is not same[2])
    return ((same[1], same[2]) if same else None), others


def _known_whole(memo: Memo, topics: Sequence[Topic]) -> Topic | None:
    """Find the topic whose entries together say it: a text of several paragraphs or items."""
    for topic in topics:
        if topic.kind is memo.kind and topic.scope is memo.scope and len(topic.entries) > 1:
            told = f"{memo.content}\n{memo.why}\n{memo.how}"
            if similarity(topic.body, told) >= ALIKE and covers(topic.body, told):
                return topic
    return None


def _known_already(topic: Topic) -> Plan:
    return Plan("unchanged", topic.path, topic.rel, topic.name, topic.kind, topic.scope)


def _merged(memo: Memo, topic: Topic, entry: Entry, dialect: Dialect) -> str:
    """Update an entry: the fuller wording wins, a reason or use is added or, if fuller, replaced."""
    summary = None if covers(entry.summary, memo.content) else memo.content
    why, how = _fuller(memo.why, entry.why), _fuller(memo.how, entry.how)
    if summary is None and why is None and how is None:
        return topic.text
    text = replace_entry(topic, entry.id, summary=summary, why=why, how=how, dialect=dialect)
    derived = topic.description == description_of(entry.summary)
    if summary is not None and (derived or not topic.description) and len(topic.entries) == 1:
        text = set_frontmatter(text, "description", description_of(memo.content))
    return text


def _fuller(new: str, old: str) -> str | None:
    """Return what to write for a field, or None to leave it: nothing said earlier is dropped."""
    if not new or covers(old, new):
        return None
    return new if not old or covers(new, old) else f"{old}; {new}"


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
