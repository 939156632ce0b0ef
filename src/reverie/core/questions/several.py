"""Take apart what asks more than one thing: "Where is it? And who pays for it?".

Rules
- Each question is one by itself: what answers the one shares little with the other.
- A question ends with a question mark, or before a conjunction that is followed by a word that asks ("...,
  and when does it start?").
- What is told before a question ("I am tired. Where ...?") is no question. It says what the question is
  about, or nothing, so the whole is asked as well.
- Of very many questions only the first few are told apart; who pastes a page asks for all of it.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MOST", "questions_in"]

MOST: Final = 4
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+")
_LEAST: Final = 2  # letters or digits
_ENDS: Final = re.compile(r"(?<=[?؟])[\"'”»)\]]?\s+|(?<=？)(?!\Z)")
# A stop after a short word or before a small letter mostly ends an abbreviation.
_TOLD: Final = re.compile(r"(?<=\w{4}[.!…])\s+(?=[^\Wa-zß-öø-ÿ_])|(?<=[!。！…])\s*(?=\w)|\n+")
_LEAST_TOLD: Final = 4  # words or, where none are told apart, characters
_AND_ASKS: Final = re.compile(
    r",?\s(?:and|und|et|y|e|en|och|og|oraz|i|и|ve)\s(?:also\s|auch\s|aussi\s|también\s|anche\s|também\s|ook\s)?"
    r"(?=(?:what|when|where|which|who|whom|whose|why|how"
    r"|was|wann|wo|wohin|woher|welche[rnsm]?|wer|wen|wem|wessen|warum|wieso|wie"
    r"|qui|quand|où|quel(?:le)?s?|pourquoi|comment|combien"
    r"|qué|cuándo|dónde|cuál(?:es)?|quién(?:es)?|cómo|cuánt[oa]s?"
    r"|chi|quando|dove|quale|quali|perché|come|quant[oaie]"
    r"|quem|onde|qual|quais|quant[oa]s?"
    r"|wat|wanneer|waar|welke?|wie|waarom|hoeveel"
    r"|vad|när|var|vilken|vilket|vilka|vem|varför|hvad|hvornår|hvor|hvilken|hvem|hvorfor"
    r"|co|kiedy|gdzie|jaki|jaka|który|która|kto|dlaczego|ile"
    r"|что|когда|где|какой|какая|какое|какие|кто|почему|сколько"
    r"|ne|nerede|hangi|kim|neden|kaç)\s)",
    re.IGNORECASE,
)


def questions_in(text: str) -> tuple[str, ...]:
    """Return the questions of a text that asks several, or that tells something besides; else none.

    >>> questions_in("Where do I park? And when does the office open, and who has the key?")
    ('Where do I park?', 'And when does the office open', 'who has the key?')
    >>> questions_in("Where do I park?")
    ()
    """
    found: list[str] = []
    for part in _ENDS.split(text.strip()):
        if not part or not part.rstrip("\"'”»)]").endswith(("?", "？", "؟")):
            continue
        *told, last = [piece for piece in _TOLD.split(part) if piece.strip()]
        aside = any(len(_WORD.findall(piece)) >= _LEAST_TOLD for piece in told)
        found += _AND_ASKS.split(last if aside else part)
    asked = [part.strip() for part in found if sum(map(str.isalnum, part)) >= _LEAST]
    if asked == [text.strip()] or len(asked) > MOST:
        return ()
    return tuple(asked)
