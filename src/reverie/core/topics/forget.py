"""Forget: which entries a request means, and files without them.

Rules:

* Every entry of every topic is a candidate. Entries that hold nearly all of the request's words are
  removed; the others that came near are shown and left alone.
* A number in the request must stand in the entry, and a "not" on one side only means another fact.
* Only the entry goes, and all of it. No word of it stays in a name, a description, another value of the
  frontmatter, a file name or a link to it, unless it stands in what is left: they are made of that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.markdown import frontmatter
from reverie.core.text.plain import digest, width
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.synonyms import canonical
from reverie.core.text.values import value_signature
from reverie.core.text.words import normalize, query_terms, terms, words
from reverie.core.topics.links import relinked
from reverie.core.topics.relevance import informs
from reverie.core.topics.remember import description_of, slug, title_of
from reverie.core.topics.statement import statement_key
from reverie.core.topics.topic import PINNED, parse_topic, remove_entries, set_frontmatter
from reverie.types import Change, FileDelta, Kind, RemovedEntry, Scope

if TYPE_CHECKING:
    from reverie.types import Entry, Topic

THRESHOLD: Final = 0.6  # share of the request that an entry must hold
NEAR_BEST: Final = 0.9  # others go with the best only if they match nearly as well
SHOWN: Final = 0.34  # from here on an entry is worth showing
MIN_NEEDLE_COLUMNS: Final = 8
MIN_FORMER_COLUMNS: Final = 12  # what is shorter may stand rightly in the history of another memory
_LIST_MARKS: Final = " \t-*+"
_OUR_FOLDERS: Final = frozenset({PINNED, *(kind.value for kind in Kind)})
_OWN_KEYS: Final = frozenset({"name", "title", "description", "type"})
_KEY: Final = re.compile(r"^([\w-]+)[ \t]*:", re.M)

_REQUEST: Final = re.compile(
    r"\A\s*(?:please\s+|could you\s+|can you\s+)?(?:forget|delete|remove|erase|drop|unlearn)\b"
    r"(?:\s+(?:about|that|everything|anything|all|what|the (?:fact|note|notes)|(?:the )?memor(?:y|ies)|my))*"
    r"(?:\s+(?:about|that|on|of|regarding|concerning|i said))*"
    r"|\A\s*(?:请|請)?(?:忘记|忘掉|忘了|删除|删掉|移除|不要再记得)(?:关于)?(?:我)?"
    r"|\A\s*(?:забудь(?:те)?|удали(?:те)?)(?:,?\s+(?:что|про|о|об|всё|все))*\b"
    r"|\A\s*(?:oublie[zr]?|supprime[zr]?)(?:\s+(?:que|tout|ce que|sur|à propos de))*\b"
    r"|\A\s*(?:vergiss|lösche|vergessen sie)(?:,?\s+(?:dass|alles|über|was))*\b"
    r"|\A\s*(?:olvida|borra|elimina)(?:\s+(?:que|todo|lo que|sobre))*\b"
    r"|\A\s*(?:ξέχασε|διάγραψε)(?:\s+(?:ότι|πως))?"
    r"|\A\s*(?:ลืม|ลบ)(?:เรื่อง)?",
    re.I,
)
_REQUEST_END: Final = re.compile(
    r"(?:を|は|について|のことを?)?\s{0,4}(?:忘れて|削除して|消して)(?:ください)?[。.!！]{0,4}\Z"
    r"|(?:를|을|은|는|에 대해)?\s{0,4}(?:잊어|지워|삭제해)(?:줘|주세요)?[.!]{0,4}\Z"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that could be meant."""

    topic: Topic
    entry: Entry
    score: float = 1.0

    def as_removed(self) -> RemovedEntry:
        """Return it in the shape that outcomes carry."""
        return RemovedEntry(
            id=self.entry.id,
            topic=self.topic.kind,
            scope=self.topic.scope,
            summary=self.entry.summary,
            file_path=self.topic.path,
            score=round(self.score, 4),
        )


def all_candidates(topics: Sequence[Topic]) -> list[Candidate]:
    """List every entry of every topic."""
    return [Candidate(topic, entry) for topic in topics for entry in topic.entries]


def by_id(candidates: Sequence[Candidate], ids: Collection[str]) -> list[Candidate]:
    """Choose the entries named by id, by `scope:id`, or by the path of their file."""
    return [
        item
        for item in candidates
        if {item.entry.id, f"{item.topic.scope}:{item.entry.id}", item.topic.rel, item.topic.path}
        & set(ids)
    ]


def choose(query: str, candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Choose what a request means: the entries to remove, and those that only came near."""
    named = by_id(candidates, [query.strip()])
    if named:
        return named, []
    scored = sorted(
        (item for item in _scored(query, candidates) if item.score >= SHOWN),
        key=lambda item: (-item.score, item.topic.path, item.entry.span.start),
    )
    whole = said_whole(query, scored)
    if whole:
        return whole, [item for item in scored if item not in whole]
    best = max((item.score for item in scored if _agrees(query, item.entry)), default=0.0)
    bar = max(THRESHOLD, best * NEAR_BEST)
    meant = [item for item in scored if item.score >= bar and _agrees(query, item.entry)]
    return meant, [item for item in scored if item not in meant]


def said_whole(query: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the entries whose statement a request repeats: who says all of it means no other one."""
    asked = {statement_key(query), statement_key(meant_words(query))}
    return [item for item in candidates if statement_key(item.entry.summary) in asked]


@dataclass(frozen=True, slots=True)
class _Removal:
    """What becomes of a topic without some of its entries."""

    topic: Topic
    gone: list[Entry]
    rest: str | None
    """The text without them, its head as it was; None where nothing is left."""
    told: frozenset[str]
    """The words that were removed and stand in nothing that is left."""

    def tells(self, text: str) -> bool:
        """Tell whether a text says something of what was removed."""
        return not self.told.isdisjoint(words(text))

    @property
    def named(self) -> bool:
        """Tell whether the name of the file does, or that of a folder that somebody gave it."""
        return any(self.names(part) for part in self.topic.rel.split("/"))

    def names(self, part: str) -> bool:
        """Tell whether a part of the path does; our own folders are no words of anybody."""
        return part not in _OUR_FOLDERS and self.tells(_readable(part))


def _removals(chosen: Sequence[Candidate]) -> Iterator[_Removal]:
    for topic in dict.fromkeys(item.topic for item in chosen):
        gone = [item.entry for item in chosen if item.topic is topic]
        rest = remove_entries(topic, [entry.id for entry in gone])
        head = frontmatter.read(rest or "")
        left = set(words((rest or "")[head.body if head else 0 :]))
        said = words(" ".join(f"{entry.summary} {entry.why} {entry.how}" for entry in gone))
        yield _Removal(topic, gone, rest, frozenset(said) - left - STOP_WORDS)


def plan_removals(chosen: Sequence[Candidate], topics: Sequence[Topic] = ()) -> list[FileDelta]:
    """Return each touched file before and after; after is None where nothing is left.

    A file whose name tells what was removed gets another one. The links of other `topics` follow.
    """
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
    every = [*deltas, *(FileDelta(t.path, t.text, t.text) for t in topics if t.path not in known)]
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


def needles_of(chosen: Sequence[Candidate]) -> list[str]:
    """List the texts by which removed entries stand in older texts, longest first.

    A single short word is looked for only as a line of its own: other texts may use it rightly.
    """
    found: set[str] = set()
    for item in _removals(chosen):
        spans = [entry.span for entry in item.gone]
        lines = [line for at in spans for line in item.topic.text[at.start : at.end].splitlines()]
        said = {part for entry in item.gone for part in (entry.summary, entry.why, entry.how)}
        said |= {line.strip(_LIST_MARKS) for line in lines} | set(_told_heads(item))
        if item.named:
            said.add(item.topic.rel.rsplit("/", 1)[-1].removesuffix(".md"))  # as notes name it
        found |= {
            text for text in said if len(words(text)) > 1 or width(text) >= MIN_NEEDLE_COLUMNS
        }
        found |= {f"\n{line}\n" for line in lines if line.strip()}
    return sorted(found, key=lambda text: (-len(text), text))


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
            found |= {
                part
                for part in said
                if width(part) >= MIN_FORMER_COLUMNS and (item.rest is None or item.tells(part))
            }
    kept = (part for part in found if not any(part in text for text in remaining))
    return sorted(kept, key=lambda text: (-len(text), text))


def phrases_of(chosen: Sequence[Candidate]) -> list[str]:
    """List what the removed entries say, and what names and descriptions say of them."""
    found: dict[str, None] = {}
    for item in _removals(chosen):
        said = [part for e in item.gone for part in (e.summary, e.why, e.how)]
        found |= dict.fromkeys(text for text in (*said, *_told_heads(item)) if text.strip())
    return list(found)


def told_paths(chosen: Sequence[Candidate]) -> list[str]:
    """List the files whose own name tells what was removed."""
    return sorted(item.topic.path for item in _removals(chosen) if item.named)


def _scored(query: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    asked = list(dict.fromkeys(canonical(term) for term in query_terms(meant_words(query))))
    texts = [_words(item) for item in candidates]
    frequency = Counter(term for found in texts for term in set(asked) & found.keys())
    weight = {term: informs(term) * _rarity(frequency[term], len(candidates)) for term in asked}
    total = sum(weight.values())
    if not total:
        return []
    return [
        Candidate(
            item.topic,
            item.entry,
            sum(weight[term] * found.get(term, 0.0) for term in asked) / total,
        )
        for item, found in zip(candidates, texts, strict=True)
    ]


def meant_words(query: str) -> str:
    """Take the request's own words off: "please forget that I like tabs" means "I like tabs"."""
    rest = _REQUEST_END.sub("", _REQUEST.sub("", query.strip(), count=1)).strip()
    return rest if rest.strip(" .!?。！？") else query.strip()


def _words(item: Candidate) -> Mapping[str, float]:
    """Return the terms of an entry and how much each counts: its own fully, its topic's less."""
    entry, topic = item.entry, item.topic
    own = 1.0 if len(topic.entries) == 1 else 0.5
    found = {canonical(term): own for term in terms(f"{topic.name} {topic.description}")}
    for term in terms(f"{entry.summary}\n{entry.why}\n{entry.how}"):
        found[canonical(term)] = 1.0
    return found


def _rarity(frequency: int, size: int) -> float:
    """Words of one entry tell more than words of all; a word of none still counts as missing."""
    return 1.0 + (size - frequency) / size if size else 1.0


def _agrees(query: str, entry: Entry) -> bool:
    asked, said = (
        value_signature(meant_words(query)),
        value_signature(f"{entry.summary} {entry.why} {entry.how}"),
    )
    own = value_signature(entry.summary)
    # "the one about tabs" counts nothing; figures and names of days do.
    figures = {number for number in asked.numbers if number in query or " " in number}
    return figures <= said.numbers and bool(asked.negations) == bool(own.negations)


def _told_heads(item: _Removal) -> list[str]:
    """Return the values of a topic's frontmatter that tell what was removed."""
    head = frontmatter.read(item.topic.text)
    values = [item.topic.name, *(head.values.values() if head else ())]
    return [" ".join(value.split()) for value in values if item.tells(value)]


def _untold(item: _Removal, text: str) -> str:
    """Rewrite what the frontmatter still tells of what was removed."""
    topic = item.topic
    left = parse_topic(text, path=topic.path, rel=topic.rel, scope=topic.scope)
    first = left.entries[0].summary if left and left.entries else ""
    kept = first if normalize(first) != normalize(topic.description) else ""
    fresh = {"description": description_of(kept) if kept else ""}
    fresh |= dict.fromkeys(("name", "title"), title_of(kept) if kept else topic.kind.value)
    head = frontmatter.read(text)
    for key, value in fresh.items():
        if head and item.tells(head.values.get(key, "")):
            text = set_frontmatter(text, key, value)
    return _without_telling_keys(item, text)


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
    left = parse_topic(text, path=topic.path, rel=topic.rel, scope=topic.scope)
    key = digest(text)
    first = title_of(left.entries[0].summary) if left and left.entries else ""
    folders = [part for part in topic.rel.split("/")[:-1] if not item.names(part)]
    name = f"{slug(first)}-{key[:4]}" if first else f"{topic.kind.value}-{key[:8]}"
    return "/".join([*folders, f"{name}.md"])
