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

if TYPE_CHECKING:
    from reverie.types import Entry

ENOUGH: Final = 32
"""So many topics are looked at, besides those that hold the statement itself."""
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
