"""Search and read: find what answers a query, and bring back lines that were found.

Rules
- Any text is a query. What it means is decided in `core.query`, how hits are ordered in `core.rank`.
- Where nothing is sure, a word that stands nowhere is also looked for as what says nearly the same and does
  (`authentication`: `auth`), else as the words one slip away that do.
- A result is a document: a file, or a conversation. Its text is its best passage, with a few more places
  where they may answer too; short passages that touch are one.
- The text of a passage is what stands on its lines, read from the file, so reading them brings it back.
  Of a conversation, what stands around it in the same turn is shown with it. Of a memory, former values
  are left out unless the query asks about the past or names one, as in recall.
- Documents that say nearly the same are shown once, by the newest, and the outcome lists the others. Where
  a number, a name or a "not" differs, they do not say the same; where only numbers do and both answer about
  as well, the newer one comes first.
- The outcome says what really ran (`method`) and how much was there before the cut (`total_found`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from reverie.core.markdown import frontmatter
from reverie.core.search.chunk import join_lines, split_lines
from reverie.core.search.documents import CHAT, UNNAMED
from reverie.core.search.expansion import best_of, lift_alike, lift_quoted
from reverie.core.search.fading import faded
from reverie.core.search.query import misspelt, queries_in, read_query, respelt
from reverie.core.search.rank import rank
from reverie.core.text.languages import slips
from reverie.core.text.stems import stem
from reverie.core.text.synonyms import similar_terms
from reverie.core.text.values import differences
from reverie.core.text.words import estimate_tokens, query_terms, terms
from reverie.core.topics.former import what_holds
from reverie.errors import InvalidArgument, InvalidLines, InvalidQuery
from reverie.types import Dropped, Excerpt, Hit, Passage, SearchOutcome, SearchStats, Source

if TYPE_CHECKING:
    from datetime import date

    from reverie.core.search.fading import Fading
    from reverie.core.search.rank import Ranked
    from reverie.ports import Finding, SearchPort
    from reverie.types import Isolation
    from reverie.types.ranking import Query

__all__ = ["SourceName", "document_of", "get", "parse_lines", "ranked", "search"]

SourceName: TypeAlias = Literal["all", "memory", "chat", "custom"]
Method: TypeAlias = Literal["hybrid", "keyword", "vector", "none"]

_SAME: Final = 0.8  # share of words two hits have in common before they count as one
_AS_GOOD: Final = 0.8  # of the score of an older one, and a newer one comes before it
_JOINED_TOKENS: Final = (
    500  # passages that touch are shown as one while they are this short together
)
_EXCHANGE_TOKENS: Final = 500  # what is shown around a passage of the turn it stands in
_MORE_PASSAGES: Final = 3
_SURE: Final = 0.8  # from this score on nobody looks for slips
_MOST_MEANT: Final = 3  # words that one misspelt word may have meant
_LINES: Final = re.compile(r"\s*([0-9]{1,9})\s*(?:[-–:]\s*([0-9]{1,9}))?\s*")


def search(
    query: str,
    *,
    index: SearchPort,
    max_results: int = 6,
    min_score: float = 0.35,
    source: SourceName = "all",
    isolation: Isolation | None = None,
    context_tokens: int = 0,
    fading: Fading | None = None,
    today: date | None = None,
) -> SearchOutcome:
    """Find what answers a query.

    Args:
        today: The day it is asked on, to know what `yesterday` means.
        isolation: What this conversation may see; None: everything of the workspace.
        context_tokens: Widen each hit by lines around it, up to this many tokens.
        fading: How daily notes count less as they grow old; None: they do not.
    """
    if max_results < 1:
        raise InvalidArgument(f"max_results must be at least 1, not {max_results}")
    if not 0 <= min_score <= 1:
        raise InvalidArgument(f"min_score must be between 0 and 1, not {min_score}")
    finding, hits = ranked(
        query, index=index, source=source, isolation=isolation, fading=fading, today=today
    )
    enough = [hit for hit in hits if hit.score >= min_score]
    documents = {document_of(finding, hit) for hit in enough}
    # Where there are fewer documents than were asked for, each may show more of itself.
    more = _MORE_PASSAGES + max(max_results - len(documents), 0)
    results, dropped = _Shown(finding, max_results, more, context_tokens).chosen(enough)
    return SearchOutcome(
        query=query,
        results=tuple(_what_holds(hit, query) for hit in results),
        total_found=len(documents),
        method=_method(finding),
        stats=SearchStats(finding.files, finding.corpus.chunks),
        dropped=tuple(dropped),
        warnings=finding.warnings,
    )


def ranked(
    query: str,
    *,
    index: SearchPort,
    source: SourceName = "all",
    isolation: Isolation | None = None,
    fading: Fading | None = None,
    today: date | None = None,
) -> tuple[Finding, list[Ranked]]:
    """Return every candidate in order, best first, and what they were taken from."""
    if not query.strip():
        raise InvalidQuery("the query is empty; say what you are looking for")
    if source not in get_args(SourceName):
        known = ", ".join(get_args(SourceName))
        raise InvalidArgument(f"there is no source {source!r}; choose one of: {known}")
    read = read_query(query, today=today)
    only = None if source == "all" else Source(source)
    finding = index.find(query, read, source=only, isolation=isolation)
    texts: dict[str, str] = {}

    def text(key: str) -> str:
        if key not in texts:
            found = finding.read(key, context_tokens=0)
            texts[key] = found[0] if found else ""
        return texts[key]

    hits = rank(read, finding.candidates, finding.corpus, text=text)
    unsure = not hits or hits[0].score < _SURE
    if unsure and (meant := _meant(read, finding)):
        read = respelt(read, meant)
        finding = index.find(query, read, source=only, isolation=isolation)
        hits = rank(read, finding.candidates, finding.corpus, text=text)
    hits = lift_alike(read, hits, finding.corpus, text=text, counts=finding.counts)
    if several := queries_in(query, read, today=today):
        each = [rank(one, finding.candidates, finding.corpus, text=text) for one in several]
        hits = best_of([hits, *each])
    hits = lift_quoted(read, hits, text=text)
    if fading:
        hits = faded(read, hits, fading, path=lambda key: finding.about(key)[0])
    return finding, hits


def _meant(query: Query, finding: Finding) -> dict[str, list[str]]:
    """Find the terms that stand for words of a query that stand nowhere: in other words, or spelt right."""
    meant: dict[str, list[str]] = {}
    for word in misspelt(query, finding.corpus):
        alike = [other for term in query_terms(word) for other in similar_terms(term)]
        near = list(dict.fromkeys((*alike, *map(stem, slips(word)))))
        often = finding.frequency(near)
        if any(map(often.get, alike)):
            near = alike
        known = sorted((term for term in near if often.get(term)), key=lambda term: -often[term])
        if known:
            meant[word] = known[:_MOST_MEANT]
    return meant


def get(
    path: str, lines: str = "", *, index: SearchPort, isolation: Isolation | None = None
) -> Excerpt:
    """Read lines of a file that is searched, e.g. `42-56`; without lines, all of it."""
    wanted = parse_lines(lines) if lines else None
    name, text, source, provenance = index.whole(path, isolation=isolation)
    if text is None:
        return Excerpt(name, lines, "", found=False, source=source, provenance=provenance)
    rows = split_lines(text)
    first, last = wanted or (1, len(rows))
    last = min(last, len(rows))
    shown = f"{first}-{last}" if first <= last else lines
    return Excerpt(
        name,
        shown,
        join_lines(rows, first, last),
        found=True,
        total_lines=len(rows),
        source=source,
        provenance=provenance,
    )


def parse_lines(lines: str) -> tuple[int, int]:
    """Read a line range as results write it: `42-56`, or `42` for one line."""
    match = _LINES.fullmatch(lines)
    first = int(match[1]) if match else 0
    last = int(match[2] or match[1]) if match else 0
    if not match or first < 1 or last < first:
        raise InvalidLines(f"{lines!r} is not a line range; write it like 42-56, counted from 1")
    return first, last


def _method(finding: Finding) -> Method:
    if finding.by_vectors:
        return "hybrid" if finding.by_words else "vector"
    return "keyword" if finding.by_words else "none"


def document_of(finding: Finding, hit: Ranked) -> str:
    """Say which document a hit is of; turns that belong to no conversation stand for themselves."""
    path, source, _ = finding.about(hit.candidate.key)
    loose = source is not Source.CHAT or path.startswith(f"{CHAT}{UNNAMED}/")
    return path if loose else hit.candidate.group


class _Shown:
    """The documents that a search shows, as they are chosen."""

    def __init__(self, finding: Finding, limit: int, more: int, context_tokens: int) -> None:
        self._finding = finding
        self._limit = limit
        self._more = more
        self._context_tokens = context_tokens
        self._kept: dict[str, Hit] = {}
        """By document, the best first."""
        self._twins: set[str] = set()
        """Documents that say what one of them says."""
        self._dropped: list[Dropped] = []
        self._words: dict[str, frozenset[str]] = {}
        self._bodies: dict[str, str] = {}
        """Of the texts that were compared: their words, and what follows the head of their file."""

    def chosen(self, hits: Sequence[Ranked]) -> tuple[list[Hit], list[Dropped]]:
        """Take the best documents whose text still stands there, each thing once."""
        for ranked_hit in hits:
            group = document_of(self._finding, ranked_hit)
            known = self._kept.get(group)
            full = (
                group in self._twins or len(self._kept) == self._limit
                if known is None
                else len(known.passages) == self._more
            )
            if full:
                continue
            hit = _hit(self._finding, ranked_hit, self._context_tokens)
            if isinstance(hit, Dropped):
                self._dropped.append(hit)
            elif known:
                self._kept[group] = _with_passage(self._finding, ranked_hit, known, hit)
            else:
                self._add(group, hit)
        return list(self._kept.values()), self._dropped

    def _add(self, group: str, hit: Hit) -> None:
        twin = next((name for name, kept in self._kept.items() if self._same(kept, hit)), None)
        if twin is None:
            self._before_older(group, hit)
            return
        speaks, silent = self._kept[twin], hit
        if hit.date > speaks.date:
            # It takes the place of the other, with the other's score: what it says is what was asked for.
            speaks, silent = replace(hit, score=speaks.score), speaks
            self._kept = {
                group if name == twin else name: speaks if name == twin else kept
                for name, kept in self._kept.items()
            }
        self._twins.add(twin if silent is not hit else group)
        reason = f"says nearly the same as {speaks.path}, lines {speaks.lines}"
        self._dropped.append(Dropped(f"{silent.path}, lines {silent.lines}", reason))

    def _before_older(self, group: str, hit: Hit) -> None:
        """Put a document before an older one that it may have taken the place of, else last."""
        older = next((name for name, kept in self._kept.items() if self._later(hit, kept)), None)
        if older is None:
            self._kept[group] = hit
            return
        kept = list(self._kept.items())
        at = [name for name, _ in kept].index(older)
        first = replace(hit, score=max(hit.score, self._kept[older].score))
        self._kept = dict([*kept[:at], (group, first), *kept[at:]])

    def _later(self, hit: Hit, kept: Hit) -> bool:
        """Tell whether one says of a later day what the other says, with other numbers, and as well as it."""
        if not kept.date < hit.date or hit.score < _AS_GOOD * kept.score:
            return False
        if 2 * len(self._terms(hit.text) & self._terms(kept.text)) < len(self._terms(hit.text)):
            return False
        left, right = (
            frozenset(term for term in self._terms(text) if not any(map(str.isdigit, term)))
            for text in (hit.text, kept.text)
        )
        return len(left & right) >= _SAME * len(left | right)

    def _same(self, one: Hit, other: Hit) -> bool:
        """Tell whether two documents say nearly the same, with the same numbers, names and negations."""
        left, right = self._terms(one.text), self._terms(other.text)
        if len(left & right) < _SAME * len(left | right):
            return False
        return not differences(self._body(one.text), self._body(other.text))

    def _terms(self, text: str) -> frozenset[str]:
        if text not in self._words:
            self._words[text] = frozenset(terms(text))
        return self._words[text]

    def _body(self, text: str) -> str:
        if text not in self._bodies:
            self._bodies[text] = _body(text)
        return self._bodies[text]


def _hit(finding: Finding, hit: Ranked, context_tokens: int) -> Hit | Dropped:
    path, source, title = finding.about(hit.candidate.key)
    around = max(context_tokens, _EXCHANGE_TOKENS if source is Source.CHAT else 0)
    read = finding.read(hit.candidate.key, context_tokens=around)
    if read is None:
        return Dropped(path, "the file changed while it was searched")
    text, first, last = read
    date = "{:04d}-{:02d}-{:02d}".format(*hit.candidate.date) if hit.candidate.date else ""
    return Hit(
        path,
        f"{first}-{last}",
        text,
        hit.score,
        source,
        title,
        date,
        hit.lexical,
        hit.vector,
        finding.provenance(hit.candidate.key),
    )


def _what_holds(hit: Hit, query: str) -> Hit:
    """Leave former values out of what a memory says, unless the query asks about the past or names one."""
    if hit.source is not Source.MEMORY:
        return hit
    places = (replace(place, text=what_holds(place.text, query)) for place in hit.passages)
    text = what_holds(hit.text, query)
    # A place that tells of the past only says so itself: `Until 2026-05-01: ...`.
    told = text if _body(text).strip() else hit.text
    return replace(hit, text=told, passages=tuple(place for place in places if place.text.strip()))


def _with_passage(finding: Finding, found: Ranked, known: Hit, more: Hit) -> Hit:
    """Add a place to a document: joined to one that it touches, else for itself."""
    places = [Passage(known.path, known.lines, known.text, known.score), *known.passages]
    for at, place in enumerate(places):
        joined = _joined(finding, found.candidate.key, place, more)
        if joined is None:
            continue
        if at == 0:
            return replace(known, lines=joined.lines, text=joined.text)
        places[at] = joined
        break
    else:
        places.append(Passage(more.path, more.lines, more.text, more.score))
    return replace(known, passages=tuple(places[1:]))


def _joined(finding: Finding, key: str, place: Passage, more: Hit) -> Passage | None:
    """Join a place to a better one that it touches, if both together are still short."""
    if place.path != more.path:
        return None
    (first, last), (start, stop) = parse_lines(place.lines), parse_lines(more.lines)
    if first <= start and stop <= last:
        return place
    if start > last + 1 or first > stop + 1:
        return None
    first, last = min(first, start), max(last, stop)
    text = finding.lines(key, first, last)
    if text is None or estimate_tokens(text) > _JOINED_TOKENS:
        return None
    return replace(place, lines=f"{first}-{last}", text=text)


def _body(text: str) -> str:
    """Return what a hit says, without the head of its file: names differ where statements do not."""
    head = frontmatter.read(text)
    return text[head.body :] if head else text
