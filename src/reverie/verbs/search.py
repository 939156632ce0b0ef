"""Search and read: find what answers a query, and bring back lines that were found.

Rules
- Any text is a query. What it means is decided in `core.query`, how hits are ordered in `core.rank`.
- The text of a hit is what stands on its lines, read from the file, so reading them brings it back.
- Hits that say nearly the same as a better one are left out, and the outcome lists them; short ones
  that touch are one hit.
- The outcome says what really ran (`method`) and how much was there before the cut (`total_found`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from reverie.core.markdown import frontmatter
from reverie.core.search.chunk import join_lines, split_lines
from reverie.core.search.expansion import lift_alike
from reverie.core.search.fading import faded
from reverie.core.search.query import read_query
from reverie.core.search.rank import rank
from reverie.core.text.values import differences
from reverie.core.text.words import estimate_tokens, terms
from reverie.errors import InvalidArgument, InvalidLines, InvalidQuery
from reverie.types import Dropped, Excerpt, Hit, SearchOutcome, SearchStats, Source

if TYPE_CHECKING:
    from reverie.core.search.fading import Fading
    from reverie.core.search.rank import Ranked
    from reverie.ports import Finding, SearchPort
    from reverie.types import Isolation

__all__ = ["SourceName", "get", "parse_lines", "ranked", "search"]

SourceName: TypeAlias = Literal["all", "memory", "chat", "custom"]
Method: TypeAlias = Literal["hybrid", "keyword", "vector", "none"]

_SAME: Final = 0.8  # share of words two hits have in common before they count as one
_JOINED_TOKENS: Final = 500  # hits that touch are shown as one while they are this short together
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
) -> SearchOutcome:
    """Find what answers a query.

    Args:
        isolation: What this conversation may see; None: everything of the workspace.
        context_tokens: Widen each hit by lines around it, up to this many tokens.
        fading: How daily notes count less as they grow old; None: they do not.
    """
    if max_results < 1:
        raise InvalidArgument(f"max_results must be at least 1, not {max_results}")
    if not 0 <= min_score <= 1:
        raise InvalidArgument(f"min_score must be between 0 and 1, not {min_score}")
    finding, hits = ranked(query, index=index, source=source, isolation=isolation, fading=fading)
    enough = [hit for hit in hits if hit.score >= min_score and hit.score > 0]
    results, dropped = _chosen(finding, enough, max_results, context_tokens)
    return SearchOutcome(
        query=query,
        results=tuple(results),
        total_found=len(enough),
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
) -> tuple[Finding, list[Ranked]]:
    """Return every candidate in order, best first, and what they were taken from."""
    if not query.strip():
        raise InvalidQuery("the query is empty; say what you are looking for")
    if source not in get_args(SourceName):
        known = ", ".join(get_args(SourceName))
        raise InvalidArgument(f"there is no source {source!r}; choose one of: {known}")
    read = read_query(query)
    only = None if source == "all" else Source(source)
    finding = index.find(query, read, source=only, isolation=isolation)
    hits = rank(read, finding.candidates, finding.corpus)

    def text(key: str) -> str:
        found = finding.read(key, context_tokens=0)
        return found[0] if found else ""

    hits = lift_alike(read, hits, finding.corpus, text=text, counts=finding.counts)
    if fading:
        hits = faded(read, hits, fading, path=lambda key: finding.about(key)[0])
    return finding, hits


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


def _chosen(
    finding: Finding, hits: Sequence[Ranked], limit: int, context_tokens: int
) -> tuple[list[Hit], list[Dropped]]:
    """Take the best hits whose text still stands there, each thing once."""
    kept: list[Hit] = []
    words: list[frozenset[str]] = []
    dropped: list[Dropped] = []
    for ranked_hit in hits:
        hit = _hit(finding, ranked_hit, context_tokens)
        if isinstance(hit, Dropped):
            dropped.append(hit)
            continue
        joined = _joined(finding, ranked_hit.candidate.key, kept, hit)
        if joined:
            at, whole = joined
            kept[at], words[at] = whole, frozenset(terms(whole.text))
            continue
        if len(kept) == limit:
            break
        own = frozenset(terms(hit.text))
        twin = next((n for n, w in enumerate(words) if _alike(own, w) >= _SAME
                     and not differences(_body(kept[n].text), _body(hit.text))), None)  # fmt: skip
        if twin is not None:
            # Two that agree are shown once, and the newer speaks for both.
            newer, older = sorted((kept[twin], hit), key=lambda one: one.date, reverse=True)
            kept[twin] = replace(newer, score=kept[twin].score)
            words[twin] = frozenset(terms(newer.text))
            reason = f"says nearly the same as {newer.path}, lines {newer.lines}"
            dropped.append(Dropped(f"{older.path}, lines {older.lines}", reason))
            continue
        kept.append(hit)
        words.append(own)
    return kept, dropped


def _hit(finding: Finding, hit: Ranked, context_tokens: int) -> Hit | Dropped:
    path, source, title = finding.about(hit.candidate.key)
    read = finding.read(hit.candidate.key, context_tokens=context_tokens)
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


def _joined(finding: Finding, key: str, kept: Sequence[Hit], hit: Hit) -> tuple[int, Hit] | None:
    """Join a hit to a better one that it touches, if both together are still short."""
    for at, other in enumerate(kept):
        if other.path != hit.path:
            continue
        (first, last), (start, stop) = parse_lines(other.lines), parse_lines(hit.lines)
        if first <= start and stop <= last:
            return at, other
        if start > last + 1 or first > stop + 1:
            continue
        first, last = min(first, start), max(last, stop)
        text = finding.lines(key, first, last)
        if text is not None and estimate_tokens(text) <= _JOINED_TOKENS:
            return at, replace(other, lines=f"{first}-{last}", text=text)
    return None


def _body(text: str) -> str:
    """Return what a hit says, without the head of its file: names differ where statements do not."""
    head = frontmatter.read(text)
    return text[head.body :] if head else text


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)
