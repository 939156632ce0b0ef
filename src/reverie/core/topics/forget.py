"""Forget: which entries a request means, and files without them.

Rules:

* Every entry of every topic is a candidate. Entries that hold nearly all of the request's words are
  removed; the others that came near are shown and left alone.
* A number in the request must stand in the entry, and a "not" on one side only means another fact.
* Only the entry goes. A description or name that tells what was removed is rewritten from what stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.text.plain import digest, width
from reverie.core.text.synonyms import canonical
from reverie.core.text.values import value_signature
from reverie.core.text.words import containment, normalize, query_terms, terms, words
from reverie.core.topics.relevance import informs
from reverie.core.topics.remember import description_of, slug, title_of
from reverie.core.topics.topic import parse_topic, remove_entries, set_frontmatter
from reverie.types import Change, FileDelta, RemovedEntry

if TYPE_CHECKING:
    from reverie.types import Entry, Topic

THRESHOLD: Final = 0.6  # share of the request that an entry must hold
NEAR_BEST: Final = 0.9  # others go with the best only if they match nearly as well
SHOWN: Final = 0.34  # from here on an entry is worth showing
MIN_NEEDLE_COLUMNS: Final = 8
TOLD: Final = 0.6  # share of a description's words from which it tells the removed entry

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
    best = max((item.score for item in scored if _agrees(query, item.entry)), default=0.0)
    bar = max(THRESHOLD, best * NEAR_BEST)
    meant = [item for item in scored if item.score >= bar and _agrees(query, item.entry)]
    return meant, [item for item in scored if item not in meant]


def plan_removals(chosen: Sequence[Candidate], *, rename: bool = False) -> list[FileDelta]:
    """Return each touched file before and after; after is None where nothing is left.

    With `rename` a file whose name tells what was removed is moved to another name.
    """
    deltas: list[FileDelta] = []
    for topic in dict.fromkeys(item.topic for item in chosen):
        gone = [item.entry for item in chosen if item.topic is topic]
        text = remove_entries(topic, [entry.id for entry in gone])
        text = text if text is None else _untold(topic, text, gone)
        if text is not None and rename and _tells(_readable(topic.rel), gone):
            moved = _moved(topic, text)
            deltas += [FileDelta(topic.path, topic.text, None), FileDelta(moved, None, text)]
        else:
            deltas.append(FileDelta(topic.path, topic.text, text))
    return deltas


def changes_of(deltas: Sequence[FileDelta]) -> list[Change]:
    """Return the changes that bring the files from before to after."""
    return [
        Change(delta.path, delta.after, None if delta.before is None else digest(delta.before))
        for delta in deltas
    ]


def needles_of(chosen: Sequence[Candidate]) -> list[str]:
    """List the to_erase by which removed entries stand in older texts, longest first.

    A single short word is looked for only as a line of its own: other texts may use it rightly.
    """
    found: set[str] = set()
    for item in chosen:
        topic, entry = item.topic, item.entry
        lines = topic.text[entry.span.start : entry.span.end].splitlines()
        said = {entry.summary, entry.why, entry.how, *(line.strip(" \t-*+") for line in lines)}
        said |= {text for text in (topic.description, topic.name) if _tells(text, [entry])}
        if _tells(_readable(topic.rel), [entry]):
            said.add(topic.rel.rsplit("/", 1)[-1].removesuffix(".md"))  # as notes of runs name it
        found |= {
            text for text in said if len(words(text)) > 1 or width(text) >= MIN_NEEDLE_COLUMNS
        }
        found |= {f"\n{line}\n" for line in lines if line.strip()}
    return sorted(found, key=lambda text: (-len(text), text))


def phrases_of(chosen: Sequence[Candidate]) -> list[str]:
    """List what the removed entries say, and what names and descriptions say of them."""
    found: dict[str, None] = {}
    for item in chosen:
        topic, entry = item.topic, item.entry
        told = [text for text in (topic.description, topic.name) if _tells(text, [entry])]
        found |= dict.fromkeys(
            text for text in (entry.summary, entry.why, entry.how, *told) if text.strip()
        )
    return list(found)


def told_paths(chosen: Sequence[Candidate]) -> list[str]:
    """List the files whose own name tells what was removed."""
    return sorted(
        {item.topic.path for item in chosen if _tells(_readable(item.topic.rel), [item.entry])}
    )


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


def _tells(text: str, gone: Sequence[Entry]) -> bool:
    return bool(text) and any(
        containment(text, f"{e.summary} {e.why} {e.how}") >= TOLD for e in gone
    )


def _untold(topic: Topic, text: str, gone: Sequence[Entry]) -> str:
    """Rewrite a name and a description that still tell what was removed."""
    left = parse_topic(text, path=topic.path, rel=topic.rel, scope=topic.scope)
    first = left.entries[0].summary if left and left.entries else ""
    kept = first if normalize(first) != normalize(topic.description) else ""
    if _tells(topic.description, gone):
        text = set_frontmatter(text, "description", description_of(kept) if kept else "")
    if _tells(topic.name, gone):
        text = set_frontmatter(text, "name", title_of(kept) if kept else topic.kind.value)
    return text


def _readable(rel: str) -> str:
    return re.sub(r"[-_/]", " ", rel.rsplit("/", 1)[-1].removesuffix(".md"))


def _moved(topic: Topic, text: str) -> str:
    left = parse_topic(text, path=topic.path, rel=topic.rel, scope=topic.scope)
    name = (
        left.name if left and left.name != topic.name else f"{topic.kind.value}-{digest(text)[:8]}"
    )
    return f"{topic.path.rpartition('/')[0]}/{slug(name)}-{digest(text)[:4]}.md"
