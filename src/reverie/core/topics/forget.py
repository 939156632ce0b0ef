"""Forget: which entries a request means.

Rules:

* Every entry of every topic is a candidate, and so is every former value that an entry keeps with its last
  day. Those that hold nearly all of the request's words are removed; the others that came near are shown
  and left alone.
* A former value is meant by its own words only, and what holds now by its own: who wants to forget where they
  lived does not forget where they live. With an entry go the former values below it.
* A number or a name in the request must stand in the entry, and a "not" on one side only means another fact.
  So does a statement that is the same but for one stretch: the one that was named is not here.
* What cannot be taken back must hold every word of the request that tells something (`strict`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from reverie.core.claims.statement import statement_key, tokens
from reverie.core.text.plain import digest
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.synonyms import canonical, similar_terms
from reverie.core.text.termfilter import term_filter
from reverie.core.text.values import value_signature
from reverie.core.text.words import normalize, query_terms, terms
from reverie.core.topics.former import may_have_former, segments, without
from reverie.core.topics.relevance import informs
from reverie.types import Entry, RemovedEntry, Span

if TYPE_CHECKING:
    from reverie.types import Topic

THRESHOLD: Final = 0.6  # share of the request that an entry must hold
NEAR_BEST: Final = 0.9  # others go with the best only if they match nearly as well
TELLING: Final = 0.4  # a word that says at least so much must not be missing from what is erased
SHOWN: Final = 0.34  # from here on an entry is worth showing
_REASON: Final = re.compile(r" \(([^()]{1,2000})\)\Z")
"""What stands behind a former value: its reason and its use."""

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
    former: bool = False
    """Whether it is a former value, kept below the entry that took its place."""
    retired: bool = False
    """Whether only the journal has it any more."""

    @property
    def id(self) -> str:
        """By what it can be named: what only the journal has needs a name that no living entry has."""
        if not self.retired:
            return self.entry.id
        return f"past-{digest(f'{self.topic.path} {statement_key(self.entry.summary)}')[:12]}"

    def as_removed(self) -> RemovedEntry:
        """Return it in the shape that outcomes carry."""
        return RemovedEntry(
            id=self.id,
            topic=self.topic.kind,
            scope=self.topic.scope,
            summary=self.entry.summary,
            file_path=self.topic.path,
            score=round(self.score, 4),
        )


def all_candidates(topics: Sequence[Topic]) -> list[Candidate]:
    """List every entry of every topic, each followed by its former values."""
    found: list[Candidate] = []
    for topic in topics:
        told = may_have_former(topic.text)  # most do not
        for entry in topic.entries:
            found.append(Candidate(topic, entry))
            former = former_values(topic, entry) if told else ()
            found += [Candidate(topic, item, former=True) for item in former]
    return found


def retired(known: Sequence[Candidate], earlier: Sequence[Topic]) -> list[Candidate]:
    """List what files said earlier and no memory says any more, each statement of a file once."""
    said = {statement_key(item.entry.summary) for item in known}
    found: dict[tuple[str, str], Candidate] = {}
    for item in all_candidates(earlier):
        key = statement_key(item.entry.summary)
        if key and key not in said:
            found.setdefault((item.topic.path, key), replace(item, retired=True))
    return list(found.values())


# --- former values --------------------------------------------------------------------------------


def former_values(topic: Topic, entry: Entry) -> list[Entry]:
    """Return the former values that an entry keeps, as entries of their own: `id@1`, `id@2`, ..."""
    found: list[Entry] = []
    start = entry.span.start
    for line in topic.text[start : entry.span.end].splitlines(keepends=True):
        for first, last, statement in segments(line):
            name, reason = f"{entry.id}@{len(found) + 1}", _REASON.search(statement)
            said = statement[: reason.start()] if reason else statement
            why = reason[1] if reason else ""
            found.append(Entry(name, said, why, span=Span(start + first, start + last)))
        start += len(line)
    return found


def without_former(topic: Topic, gone: Sequence[Entry]) -> str:
    """Return a topic's text without these former values; what stood beside them stays."""
    spans = {(entry.span.start, entry.span.end) for entry in gone}
    return without(topic.text, lambda first, last, _: (first, last) in spans)


def own_words(entry: Entry) -> str:
    """Return what an entry says of what holds now: without the former values below it."""
    fields = []
    for text in (entry.summary, entry.why, entry.how):
        lines = text.splitlines()
        firsts = ((line, segments(line)) for line in lines)
        fields.append("\n".join(line[: found[0][0]] if found else line for line, found in firsts))
    return "\n".join(fields)


def by_id(candidates: Sequence[Candidate], ids: Collection[str]) -> list[Candidate]:
    """Choose the entries named by id, by `scope:id`, or by the path of their file."""
    wanted = set(ids)

    def is_named(item: Candidate) -> bool:
        name, topic = item.id, item.topic
        if name in wanted or f"{topic.scope}:{name}" in wanted:
            return True
        # A former value goes with its entry.
        whole = not item.former and not item.retired
        return whole and (topic.rel in wanted or topic.path in wanted)

    return [item for item in candidates if is_named(item)]


def choose(
    query: str, candidates: Sequence[Candidate], *, strict: bool = False
) -> tuple[list[Candidate], list[Candidate]]:
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
    fitting = [
        item for item in scored if _agrees(query, item) and not (strict and _misses(query, item))
    ]
    best = max((item.score for item in fitting), default=0.0)
    bar = max(THRESHOLD, best * NEAR_BEST)
    meant = [item for item in fitting if item.score >= bar]
    return meant, [item for item in scored if item not in meant]


def said_whole(query: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the entries whose statement a request repeats: who says all of it means no other one."""
    asked = {statement_key(query), statement_key(meant_words(query))}
    return [item for item in candidates if statement_key(item.entry.summary) in asked]


def _scored(query: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    asked = list(dict.fromkeys(canonical(term) for term in query_terms(meant_words(query))))
    may_hold = term_filter(same for term in asked for same in (term, *similar_terms(term)))
    texts = [_words(item) if may_hold(_told(item)) else {} for item in candidates]
    frequency = Counter(term for found in texts for term in set(asked) & found.keys())
    weight = {term: informs(term) * _rarity(frequency[term], len(candidates)) for term in asked}
    total = sum(weight.values())
    if not total:
        return []
    return [
        replace(item, score=sum(weight[term] * found.get(term, 0.0) for term in asked) / total)
        for item, found in zip(candidates, texts, strict=True)
        if found
    ]


def meant_words(query: str) -> str:
    """Take the request's own words off: "please forget that I like tabs" means "I like tabs"."""
    rest = _REQUEST_END.sub("", _REQUEST.sub("", query.strip(), count=1)).strip()
    return rest if rest.strip(" .!?。！？") else query.strip()


def _words(item: Candidate) -> Mapping[str, float]:
    """Return the terms of an entry and how much each counts: its own fully, its topic's less."""
    entry, topic = item.entry, item.topic
    # A topic is named after what holds now.
    own = 0.0 if item.former else 1.0 if len(topic.entries) == 1 else 0.5
    found = {canonical(term): own for term in terms(f"{topic.name} {topic.description}")}
    for term in terms(own_words(entry)):
        found[canonical(term)] = 1.0
    return found


def _told(item: Candidate) -> str:
    """Return every text that `_words` takes words from."""
    topic, entry = item.topic, item.entry
    return "\n".join((topic.name, topic.description, entry.summary, entry.why, entry.how))


def _rarity(frequency: int, size: int) -> float:
    """Words of one entry tell more than words of all; a word of none still counts as missing."""
    return 1.0 + (size - frequency) / size if size else 1.0


def _agrees(query: str, item: Candidate) -> bool:
    words_asked, own = meant_words(query), own_words(item.entry)
    asked, said = value_signature(words_asked), value_signature(own)
    # "the one about tabs" counts nothing; figures and names of days do.
    figures = {number for number in asked.numbers if number in query or " " in number}
    if not figures <= said.numbers:
        return False
    if bool(asked.negations) != bool(value_signature(item.entry.summary).negations):
        return False
    there = normalize(f"{item.topic.name} {item.topic.description} {own}")
    named = all(normalize(name) in there for name in asked.names)
    return named and not _is_another(words_asked, item.entry.summary)


def _is_another(asked: str, said: str) -> bool:
    """Tell whether two statements are the same, most of them word for word, but for one stretch."""
    one, two = tokens(statement_key(asked)), tokens(statement_key(said))
    shortest = min(len(one), len(two))
    first = next((at for at in range(shortest) if one[at] != two[at]), shortest)
    rest = shortest - first
    last = next((at for at in range(rest) if one[-1 - at] != two[-1 - at]), rest)
    here, there = one[first : len(one) - last], two[first : len(two) - last]
    if 2 * (first + last) < max(len(one), len(two)):
        return False
    return bool(_canonical(here) - _canonical(two)) and bool(_canonical(there) - _canonical(one))


def _canonical(found: Sequence[str]) -> set[str]:
    joint = "" if any(len(word) == 1 and not word.isascii() for word in found) else " "
    telling = (word for word in found if word not in STOP_WORDS)
    return {canonical(term) for term in terms(joint.join(telling)) if informs(term) >= TELLING}


def _misses(query: str, item: Candidate) -> bool:
    """Tell whether a request has a word that tells something and that the entry does not have."""
    found = _words(item)
    asked = {canonical(term) for term in query_terms(meant_words(query))}
    return any(informs(term) >= TELLING and not found.get(term) for term in asked)
