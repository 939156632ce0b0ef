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
    root: str,
    number: int,
    rel: str,
    seen: Seen,
    *,
    age: Age,
    imported: Imported,
    limit: int,
    real_root: str = "",
) -> Fresh:
    """Read a file of a memory folder, the person's (0) or the project's (1), and count its words.

    `real_root` is the real path of `root`, from a caller who knows it.
    """
    mark = seen[:4]
    scope = list(Scope)[number]
    topic = read_topic(Path(root), scope, rel, seen, age, limit=limit, real_root=real_root)
    if not isinstance(topic, Topic):
        return Fresh(mark, None)
    try:
        known = real_root and not seen[4]  # only the file itself may be a link
        real = f"{real_root}/{rel}" if known else os.path.realpath(topic.path)
    except FileNotFoundError:  # a folder above it went away while its path was followed
        return Fresh(mark, None)
    texts = (topic.name, topic.description, topic.body)
    counts = term_counts(texts)
    counts.update((key, [0, 0, 1]) for key in entry_keys(topic.entries))
    # Tuples of numbers hold nothing that could lead back to them: the collector lets go of them at once. With
    # lists, looking through millions of them took a third of the first reading of a large memory.
    whole = {term: tuple(found) for term, found in counts.items()}
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
        tuple(text_length(text) for text in texts),
        whole,
        f"{topic.kind.value}\t{sub_line(rel, topic.kind, topic.name, topic.description)}",
    )
