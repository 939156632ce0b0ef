"""Candidates: by which keys the topics are found that a new statement may concern, without reading all.

Rules

* The same statement, whole or as a part of a longer one, is found for certain: by its key.
* A statement that takes the place of another is the same but for a stretch. So it shares words with it, or
  how it begins, or how it ends; of the topics that share any, those count that share most.
* Who moved, or got a job, ends where they lived or worked, with no word in common, and `my boss is` answers
  what `I report to` does: words of such statements are looked for, too.
* What is found is only looked at. Whether it is the same, outdated or merely alike is decided elsewhere.
* The keys lie among the words of a topic, behind a sign that no word has.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from reverie.core.claims.statement import statement_key, tokens
from reverie.core.markdown.entries import read_entries
from reverie.core.text.words import terms
from reverie.core.topics.scoring import rarity

if TYPE_CHECKING:
    from reverie.types import Entry, Topic

ENOUGH: Final = 32
"""So many topics are looked at, besides those that hold the statement itself."""
MANY_HOLD: Final = 4096
"""What more topics hold than this tells nothing."""
_EDGE_WORDS: Final = 2
_EDGE_CHARS: Final = 48
_DIGEST_CHARS: Final = 16
_MOST_CHARS: Final = 400  # a longer text tells no single change


def entry_keys(entries: Iterable[Entry]) -> set[str]:
    """Return the keys by which a topic with these entries is found."""
    found: set[str] = set()
    for entry in entries:
        found.update(_exact(text) for text in (entry.summary, entry.why, entry.how) if text)
        found.update(_edges(entry.summary))
    return found - {""}


def exact_keys(statement: str) -> list[str]:
    """Return the keys of a statement and of its parts: whatever has one of them says the same."""
    parts = (part.summary for part in read_entries(statement))
    return [key for key in dict.fromkeys(map(_exact, (statement, *parts))) if key]


def near_keys(statement: str) -> list[str]:
    """Return what a statement shares with those that sound like it: its words, beginning and end."""
    from reverie.core.claims.gists import words_of_gists
    from reverie.core.claims.plain import words_to_find
    from reverie.core.phrases.lives import words_of_states  # a prompt asks for no near keys

    key = statement_key(statement) if len(statement) <= _MOST_CHARS else ""
    found = (words_of_states(key), words_to_find(statement), words_of_gists(statement))
    ended = terms(" ".join(found)) if key else []
    return list(dict.fromkeys((*terms(statement), *_edges(statement), *ended)))


def _exact(text: str) -> str:
    key = statement_key(text)
    return (
        f"\1={sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:_DIGEST_CHARS]}"
        if key
        else ""
    )


def _edges(text: str) -> list[str]:
    key = statement_key(text)
    if not key:
        return []
    # Two words are enough of it to be cut into words.
    first = " ".join(tokens(key[:_EDGE_CHARS])[:_EDGE_WORDS])
    last = " ".join(tokens(key[-_EDGE_CHARS:])[-_EDGE_WORDS:])
    return [f"\1^{first}", f"\1${last}"]


class Candidates:
    """Topics by what they hold, kept in memory while topics come and go."""

    def __init__(self, topics: Iterable[Topic] = ()) -> None:
        self._topics: dict[str, tuple[Topic, set[str]]] = {}
        """Each topic and its keys, by its path."""
        self._holding: dict[str, list[str]] = {}
        for topic in topics:
            self.put(topic)

    def put(self, topic: Topic) -> None:
        """Take in a topic as it is now."""
        self.drop(topic.path)
        words = (terms(text) for text in (topic.name, topic.description, topic.body))
        keys = {*entry_keys(topic.entries), *(term for some in words for term in some)}
        self._topics[topic.path] = topic, keys
        for key in keys:
            self._holding.setdefault(key, []).append(topic.path)

    def drop(self, path: str) -> None:
        """Forget a topic; one that is not there is no matter."""
        _, keys = self._topics.pop(path, (None, ()))
        for key in keys:
            holding = self._holding[key]
            holding.remove(path)
            if not holding:
                del self._holding[key]

    def concerned(self, statement: str) -> list[Topic]:
        """Return the topics that a new statement may concern: that say it, and that share most with it."""
        shared: dict[str, float] = {}
        holding = [self._holding.get(key, ()) for key in near_keys(statement)]
        for paths in sorted(holding, key=len):
            if len(paths) > MANY_HOLD:
                break
            weight = rarity(len(paths), len(self._topics))
            for path in paths:
                shared[path] = shared.get(path, 0.0) + weight
        near = sorted(
            shared, key=lambda path: (-shared[path], len(self._topics[path][0].text), path)
        )
        same = (path for key in exact_keys(statement) for path in self._holding.get(key, ()))
        return [self._topics[path][0] for path in dict.fromkeys((*near[:ENOUGH], *same))]
