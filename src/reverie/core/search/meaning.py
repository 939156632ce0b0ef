"""What a sentence model says by itself, without any word.

Rules
- Only a measured sentence model is believed alone; static vectors never are.
- A remark says one thing, so what is near to it means it. A long passage says many, and is near to every
  question of its subject; what answers a question there mostly shares words with it. So of a passage in the
  language of the question less is believed the longer it is, and words have to say the rest. In another
  language no word could.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from reverie.core.search.confidence import above_mean
from reverie.core.search.indexing import meant
from reverie.core.text.languages import language_of
from reverie.core.text.words import estimate_tokens
from reverie.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from reverie.types.ranking import Candidate, Corpus, Query

__all__ = ["alone", "same_language"]

REMARK: Final = 50  # tokens, up to which a passage says one thing
PASSAGE: Final = 110  # from which on it says many
MANY_THINGS: Final = 1.2  # of log-odds are lost there
_HEAD: Final = 400  # characters by which a language is told
_LATIN: Final = 0x250
_EAST: Final = (0x2E80, 0xA000)
_OTHERS: Final = 128  # characters of a block


def alone(
    query: Query,
    candidates: Sequence[Candidate],
    corpus: Corpus,
    text: Callable[[str], str] | None,
) -> float | None:
    """Return the log-odds that the nearest chunk answers, by meaning alone; None where nothing can be told.

    Args:
        text: Returns the text of a candidate by its key; without it every chunk is taken for a remark.
    """
    profile = corpus.profile
    if profile is None or profile.centred or corpus.trust < 1:
        return None
    known = [(item.cosine, item.key) for item in candidates if item.cosine is not None]
    if not known:
        return None
    cosine, key = max(known)
    best = above_mean(cosine, mean=corpus.cosine_mean, chunks=corpus.chunks, profile=profile)
    odds = profile.log_odds(best, nearest=best, chunks=corpus.chunks)
    return odds - (_many_things(query, text(key)) if text else 0.0)


def _many_things(query: Query, passage: str) -> float:
    """Return what is lost because a passage says more than one thing."""
    said = meant(Chunk(passage, 1, 1, 0, len(passage), ""))
    length = math.log(max(estimate_tokens(said), 1) / REMARK) / math.log(PASSAGE / REMARK)
    share = min(max(length, 0.0), 1.0)
    return MANY_THINGS * share if share and same_language(query, said) else 0.0


def same_language(query: Query, passage: str) -> bool:
    """Tell whether a question and a passage may be in one language, by their scripts and small words."""
    head = passage[:_HEAD]
    scripts = _script(query.words), _script(head)
    if scripts[0] != scripts[1]:
        return False
    known = language_of(head) if scripts[1] == 0 else ""
    return not (known and query.language) or known == query.language


def _script(some: Iterable[str]) -> int:
    """Return a number for the script that most letters are of; 0 for Latin, and where there are none."""
    blocks = Counter(_block(ord(char)) for word in some for char in word if char.isalpha())
    return min(blocks, key=lambda block: (-blocks[block], block)) if blocks else 0


def _block(code: int) -> int:
    if code < _LATIN:
        return 0
    return 1 if _EAST[0] <= code < _EAST[1] else 2 + code // _OTHERS
