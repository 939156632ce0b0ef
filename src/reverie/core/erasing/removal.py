"""Removal: files without entries, and by which texts those entries stand elsewhere.

Rules:

* Only the entry goes, and all of it; of a former value, that value alone. No word of it stays in a name, a
  description, another value of the frontmatter, a file name or a link to it, unless it stands in what is
  left: they are made of that.
* Older texts are searched for what was removed as it stood there. What a neighbour says rightly is not
  looked for inside of longer lines: the neighbour keeps its history.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.markdown import frontmatter
from reverie.core.text.plain import digest, width
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.words import normalize, words
from reverie.core.topics.beside import left_alone
from reverie.core.topics.forget import former_values, without_former
from reverie.core.topics.links import GONE, has_links, relinked
from reverie.core.topics.titles import description_of, slug, title_of
from reverie.core.topics.topic import PINNED, parse_topic, remove_entries, set_frontmatter
from reverie.types import Change, FileDelta, Kind, Scope

if TYPE_CHECKING:
    from reverie.core.topics.forget import Candidate
    from reverie.types import Entry, Topic

MIN_NEEDLE_COLUMNS: Final = 8
MIN_FORMER_COLUMNS: Final = 12  # what is shorter may stand rightly in the history of another memory
_LIST_MARKS: Final = " \t-*+"
_PIECES: Final = re.compile(r"[();]")
_OUR_FOLDERS: Final = frozenset({PINNED, *(kind.value for kind in Kind)})
_OWN_KEYS: Final = frozenset({"name", "title", "description", "type"})
_KEY: Final = re.compile(r"^([\w-]+)[ \t]*:", re.M)


@dataclass(frozen=True, slots=True)
class _Removal:
    """What becomes of a topic without some of its entries."""

    topic: Topic
    gone: list[Entry]
    rest: str | None
    """The text without them, its head as it was; None where nothing is left."""
    told: frozenset[str]
    """The words that were removed and stand in nothing that is left."""
    said: tuple[str, ...] = ()
    """The words of each removed statement, in their order, where nothing that is left says the same."""
    left: str = ""
    """The words that are left, in their order."""
    retired: bool = False
    """Whether the topic is a text of the past, which says nothing of what the file says now."""

    def is_all_of(self, text: str) -> bool:
        """Tell whether a text says all of what was removed, or nothing else."""
        said = _spellings(text) - STOP_WORDS
        return bool(said) and (self.told <= said or said <= self.told)

    def tells(self, text: str) -> bool:
        """Tell whether a text says a word of what was removed, or all of it, or how it begins."""
        if not self.told.isdisjoint(_spellings(text)):
            return True
        return any(
            f" {one} " in f" {line} "
            or (" " in line and one.startswith(line) and f" {line} " not in self.left)
            for line in _lines(text)
            for one in self.said
        )

    @property
    def named(self) -> bool:
        """Tell whether the name of the file does, or that of a folder that somebody gave it."""
        return any(self.names(part) for part in self.topic.rel.split("/"))

    def names(self, part: str) -> bool:
        """Tell whether a part of the path does; our own folders are no words of anybody."""
        return part not in _OUR_FOLDERS and self.tells(_readable(part))


def _lines(text: str) -> list[str]:
    """Return the words of a text in their order: as capitals part them, and as file names have them."""
    return list(dict.fromkeys((" ".join(words(text)), " ".join(words(text.lower())))))


def _spellings(text: str) -> frozenset[str]:
    """Return the words of a text: `McAllister` as two, and as the one that a file name has."""
    return frozenset(words(text)) | frozenset(words(text.lower()))


def _removals(chosen: Sequence[Candidate]) -> Iterator[_Removal]:
    for topic in dict.fromkeys(item.topic for item in chosen):
        items = [item for item in chosen if item.topic is topic]
        gone = [item.entry for item in items]
        rest = _rest(topic, items)
        plain = _unlinked(topic, rest or "")
        head = frontmatter.read(plain)
        body = plain[head.body if head else 0 :]
        parts = [part for entry in gone for part in (entry.summary, entry.why, entry.how)]
        told = _spellings(" ".join(parts)) - _spellings(body) - STOP_WORDS
        still = f" {'  '.join(_lines(body))} "
        said = (line for part in parts for line in _lines(part))
        whole = tuple(one for one in said if one and f" {one} " not in still)
        yield _Removal(topic, gone, rest, told, whole, still, retired=items[0].retired)


def _rest(topic: Topic, chosen: Sequence[Candidate]) -> str | None:
    """Return a topic's text without what was chosen of it."""
    whole = [item.entry.id for item in chosen if not item.former]
    text = without_former(topic, [item.entry for item in chosen if item.former])
    if text == topic.text:
        rest = remove_entries(topic, whole)
    else:
        left = parse_topic(text, path=topic.path, rel=topic.rel, scope=topic.scope)
        rest = text if left is None else remove_entries(left, whole)
    if rest is None or not whole:
        return rest
    left = parse_topic(rest, path=topic.path, rel=topic.rel, scope=topic.scope)
    return left_alone(rest) if left and len(left.entries) == 1 else rest


def plan_removals(chosen: Sequence[Candidate], topics: Sequence[Topic] = ()) -> list[FileDelta]:
    """Return each touched file before and after; after is None where nothing is left.

    A file whose name tells what was removed gets another one. The links of other `topics` follow.
    """
    chosen = [item for item in chosen if not item.retired]
    deltas: list[FileDelta] = []
    moved: dict[Scope, dict[str, str | None]] = {scope: {} for scope in Scope}
    for item in _removals(chosen):
        topic, text = item.topic, item.rest
        text = text if text is None else _untold(item, text)
        if text is None:
            moved[topic.scope][topic.rel] = None
        elif item.named:
            moved[topic.scope][topic.rel] = rel = _new_name(item, text)
            path = topic.path.removesuffix(topic.rel) + rel
            deltas += [FileDelta(topic.path, topic.text, None), FileDelta(path, None, text)]
            continue
        deltas.append(FileDelta(topic.path, topic.text, text))
    return _with_links(deltas, topics, moved)


def _with_links(
    deltas: Sequence[FileDelta],
    topics: Sequence[Topic],
    moved: Mapping[Scope, Mapping[str, str | None]],
) -> list[FileDelta]:
    """Let every link of a memory lead to where its files are now, or to nothing."""
    known = {delta.path for delta in deltas}
    every = [
        *deltas,
        *(
            FileDelta(topic.path, topic.text, topic.text)
            for topic in topics
            if has_links(topic.text) and topic.path not in known
        ),
    ]
    root = {topic.scope: topic.path.removesuffix(topic.rel) for topic in topics}
    found: list[FileDelta] = []
    for delta in every:
        after = delta.after
        for scope, start in root.items():
            if after is not None and moved[scope] and delta.path.startswith(start):
                after = relinked(after, delta.path.removeprefix(start), moved[scope])
        if delta.path in known or after != delta.after:
            found.append(FileDelta(delta.path, delta.before, after))
    return found


def changes_of(deltas: Sequence[FileDelta]) -> list[Change]:
    """Return the changes that bring the files from before to after."""
    return [
        Change(delta.path, delta.after, None if delta.before is None else digest(delta.before))
        for delta in deltas
    ]


def needles_of(chosen: Sequence[Candidate], *, remaining: Sequence[str] = ()) -> list[str]:
    """List the texts by which removed entries stand in older texts, longest first.

    A single short word, and what stands in a text that stays, is looked for only as a line or a value of
    its own: other texts may use it rightly.
    """
    found: set[str] = set()
    for item in _removals(chosen):
        spans = [entry.span for entry in item.gone]
        lines = [line for at in spans for line in item.topic.text[at.start : at.end].splitlines()]
        said = {part for entry in item.gone for part in (entry.summary, entry.why, entry.how)}
        said |= {part for entry in item.gone for part in _former(item, entry)}
        said |= {line.strip(_LIST_MARKS) for line in lines} | set(_told_heads(item))
        if item.named:
            said.add(item.topic.rel.rsplit("/", 1)[-1].removesuffix(".md"))  # as notes name it
        free = {
            text
            for text in said
            if len(words(text)) > 1 or width(text) >= MIN_NEEDLE_COLUMNS
            if not any(text in other for other in remaining)
        }
        found |= free
        found |= {f"\n{line}\n" for line in lines if line.strip()}
        found |= {form for text in said - free if text for form in _as_a_whole(text, item)}
    return sorted(found, key=lambda text: (-len(text), text))


def _as_a_whole(text: str, item: _Removal) -> Iterator[str]:
    """Yield the forms in which a text is all that is said: a line, an item, a value, a catalog's title."""
    yield from (f"\n{mark}{text}\n" for mark in ("", "- ", "* "))
    for key in ("name", "title", "description"):
        yield from {f"\n{key}: {text}\n", f"\n{key}: {frontmatter.quote(text)}\n"}
    if item.rest is None:
        yield f"[{text}]({item.topic.rel}) — {text}\n"
        yield f"[{text}]({item.topic.rel})"


def former_needles(
    chosen: Sequence[Candidate],
    former: Callable[[Topic], Iterable[str]],
    *,
    remaining: Sequence[str],
) -> list[str]:
    """List what the files of removed entries said and were called earlier, longest first.

    Of a file that is gone all of it goes, of another one what tells of the entries.

    Args:
        former: Returns the texts that a topic had before.
        remaining: Texts that stay; what stands in one of them is not to go.
    """
    found: set[str] = set()
    for item in _removals(chosen):
        meant: Callable[[str], bool] = item.is_all_of if item.retired else item.tells
        if item.rest is None and not item.retired:
            meant = bool
        for text in former(item.topic):
            head = frontmatter.read(text)
            lines = text[head.body if head else 0 :].splitlines()
            named = (
                [head.values.get(key, "") for key in ("name", "title", "description")]
                if head
                else []
            )
            said = {line.strip(_LIST_MARKS) for line in lines if not line.startswith("#")} | {
                *named
            }
            found |= {part for part in said if width(part) >= MIN_FORMER_COLUMNS and meant(part)}
    kept = (part for part in found if not any(part in text for text in remaining))
    return sorted(kept, key=lambda text: (-len(text), text))


def phrases_of(chosen: Sequence[Candidate]) -> list[str]:
    """List what the removed entries say, and what names and descriptions say of them."""
    found: dict[str, None] = {}
    for item in _removals(chosen):
        said = [part for e in item.gone for part in (e.summary, e.why, e.how, *_former(item, e))]
        found |= dict.fromkeys(text for text in (*said, *_told_heads(item)) if text.strip())
    return list(found)


def _former(item: _Removal, entry: Entry) -> Iterator[str]:
    """Yield what former values below an entry say, each statement and reason by itself."""
    for value in former_values(item.topic, entry):
        part = item.topic.text[value.span.start : value.span.end].partition(": ")[2]
        yield value.summary
        yield from (
            text
            for piece in _PIECES.split(part)
            if width(text := piece.strip()) >= MIN_FORMER_COLUMNS
        )


def told_paths(chosen: Sequence[Candidate]) -> list[str]:
    """List the files whose own name tells what was removed."""
    return sorted(item.topic.path for item in _removals(chosen) if item.named)


def _told_heads(item: _Removal) -> list[str]:
    """Return the values of a topic's frontmatter that tell what was removed."""
    head = frontmatter.read(item.topic.text)
    values = [item.topic.name, *(head.values.values() if head else ())]
    return [" ".join(value.split()) for value in values if item.tells(value)]


def _untold(item: _Removal, text: str) -> str:
    """Rewrite what the frontmatter still tells of what was removed."""
    topic = item.topic
    first = _first_said(topic, text)
    kept = first if normalize(first) != normalize(topic.description) else ""
    fresh = {"description": description_of(kept) if kept else ""}
    fresh |= dict.fromkeys(("name", "title"), title_of(kept) if kept else topic.kind.value)
    head = frontmatter.read(text)
    for key, value in fresh.items():
        if head and item.tells(head.values.get(key, "")):
            text = set_frontmatter(text, key, value)
    return _without_telling_keys(item, text)


def _first_said(topic: Topic, text: str) -> str:
    """Return the first statement that is left, without links to the file itself."""
    plain = _unlinked(topic, text)
    left = parse_topic(plain, path=topic.path, rel=topic.rel, scope=topic.scope)
    return left.entries[0].summary if left and left.entries else ""


def _unlinked(topic: Topic, text: str) -> str:
    """Take links to the file itself out: they are made of its name, and say nothing of what is left."""
    return relinked(text, topic.rel, {topic.rel: None}).replace(GONE, "")


def _without_telling_keys(item: _Removal, text: str) -> str:
    """Take out further keys of the frontmatter, such as tags, that tell what was removed."""
    head = frontmatter.read(text)
    if head is None:
        return text
    inner = text[head.inner.start : head.inner.end]
    starts = [match.start() for match in _KEY.finditer(inner)]
    for start, end in reversed([*zip(starts, [*starts[1:], len(inner)], strict=True)]):
        key = inner[start:end].partition(":")[0].strip()
        if key not in _OWN_KEYS and item.tells(inner[start:end]):
            inner = inner[:start] + inner[end:]
    return text[: head.inner.start] + inner + text[head.inner.end :]


def _readable(name: str) -> str:
    return re.sub(r"[-_]", " ", name.removesuffix(".md"))


def _new_name(item: _Removal, text: str) -> str:
    """Return a name below the root for a file whose own tells too much."""
    topic = item.topic
    key = digest(text)
    first = _first_said(topic, text)
    folders = [part for part in topic.rel.split("/")[:-1] if not item.names(part)]
    name = f"{slug(title_of(first))}-{key[:4]}" if first else f"{topic.kind.value}-{key[:8]}"
    return "/".join([*folders, f"{name}.md"])
