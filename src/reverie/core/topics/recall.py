"""Recall: choose the topics for a turn, and of each the passage that matters.

Rules:

* At most `limit` topics, at most `body_chars` characters of each: the passage that matters.
* Of two that are shown, one that tells of a change stands above the older one.
* How they are written as one block of dated, fenced data stands in `recallblock`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final

from reverie.core.search.passage import best_passage, line_range
from reverie.core.showing.fence import strip_recall_blocks as strip_recall_blocks
from reverie.core.topics.former import names_former, what_holds
from reverie.core.topics.recall_block import GUIDANCE as GUIDANCE
from reverie.core.topics.recall_block import HEADING as HEADING
from reverie.core.topics.recall_block import TRUNCATED as TRUNCATED
from reverie.core.topics.recall_block import freshness as freshness
from reverie.core.topics.recall_block import render_block as render_block
from reverie.core.topics.relevance import document_scores, rank
from reverie.types import Dropped, RecalledTopic

if TYPE_CHECKING:
    from reverie.config import RecallSettings
    from reverie.core.topics.relevance import Counts
    from reverie.types import Topic
    from reverie.types.ranking import Scored

MOST_READ: Final = 400
"""So much of the first line of a memory is read for a word of change."""


def select(
    query: str,
    topics: Sequence[Topic],
    *,
    scoring: str,
    counts: Callable[[Topic], Counts] | None = None,
) -> list[Scored]:
    """Rank the topics by the chosen rule, best first; `counts` as for `rank`."""
    if scoring == "document":
        return document_scores(query, topics)
    return rank(query, topics, counts=counts)


def without(topics: Sequence[Topic], exclude: Collection[str]) -> list[Topic]:
    """Leave out topics that were shown or written already, named by path or relative path."""
    return [topic for topic in topics if topic.path not in exclude and topic.rel not in exclude]


def recalled(item: Scored, *, settings: RecallSettings, query: str | None = None) -> RecalledTopic:
    """Take the passage of one topic that goes into the block; for a query, what holds now."""
    topic = item.topic
    passage = best_passage(topic.body, matched=item.matched, limit=settings.body_chars)
    offset = len(topic.text) - len(topic.body)
    text = passage.text if query is None else what_holds(passage.text, query)
    return RecalledTopic(
        path=topic.path,
        rel=topic.rel,
        scope=topic.scope,
        kind=topic.kind,
        name=topic.name,
        description=topic.description,
        text=text,
        lines=line_range(topic.text, offset + passage.start, offset + passage.end),
        score=round(item.score, 4),
        updated=topic.updated,
        truncated=passage.truncated,
        named_before=names_former(topic.rel, topic.text, text),
    )


def limited(found: Sequence[Scored], limit: int) -> tuple[list[Scored], list[Dropped]]:
    """Keep the best ones and say which were left out."""
    why = f"over the limit of {limit} topics"
    return list(found[:limit]), [Dropped(item.path, why) for item in found[limit:]]


def later_first(found: Sequence[Scored]) -> list[Scored]:
    """Put a memory that tells of a change above older ones that are shown with it."""
    if len(found) < 2:  # else nothing has to be read
        return list(found)
    placed: list[Scored] = []
    for item in found:
        said = item.topic.updated
        at = len(placed)
        first = item.topic.body.strip().partition("\n")[0]
        if said and first and _tells_of_change(first[:MOST_READ]):
            times = [other.topic.updated for other in placed]
            at = next((at for at, time in enumerate(times) if time and time < said), at)
        placed.insert(at, item)
    return placed


def _tells_of_change(said: str) -> bool:
    """Tell whether a statement has a word for a change; which one it ended is not asked here."""
    # A hook that shows one memory does without these tables.
    from reverie.core.claims.cues import CORRECTED, NOW, SINCE
    from reverie.core.claims.statement import statement_key
    from reverie.core.phrases.gist_words import TURNED

    key = statement_key(said)
    return any(cue.search(key) for cue in (CORRECTED, NOW, SINCE, TURNED))
