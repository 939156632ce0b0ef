"""Reading one file for recall: its topic, the words in it, and the keys of its entries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.topics.candidates import entry_keys
from reverie.core.topics.catalog import sub_line
from reverie.core.topics.relevance import term_counts
from reverie.core.topics.scoring import text_length
from reverie.local.recall.overlay import Fresh
from reverie.local.recall.word_file import Doc
from reverie.local.store.managed import read_topic
from reverie.types import Scope, Topic

if TYPE_CHECKING:
    from reverie.local.recall.word_index import Age, Imported
    from reverie.local.store.look import Seen


def counted(
    root: str, number: int, rel: str, seen: Seen, *, age: Age, imported: Imported, limit: int
) -> Fresh:
    """Read a file of a memory folder, the person's (0) or the project's (1), and count its words."""
    mark = seen[:4]
    topic = read_topic(Path(root), list(Scope)[number], rel, seen, age, limit=limit)
    if not isinstance(topic, Topic):
        return Fresh(mark, None)
    try:
        real = os.path.realpath(topic.path)
    except FileNotFoundError:  # a folder above it went away while its path was followed
        return Fresh(mark, None)
    texts = (topic.name, topic.description, topic.body)
    counts = term_counts(texts)
    counts.update((key, [0, 0, 1]) for key in entry_keys(topic.entries))
    doc = Doc(
        number,
        rel,
        topic.kind.value,
        topic.name,
        topic.description,
        topic.updated.isoformat() if topic.updated else "",
        len(topic.text) - len(topic.body),
        topic.text,
        imported(real, topic.text),
    )
    return Fresh(
        mark,
        doc,
        topic.updated.timestamp() if topic.updated else 0.0,
        [text_length(text) for text in texts],
        counts,
        f"{topic.kind.value}\t{sub_line(rel, topic.kind, topic.name, topic.description)}",
    )
