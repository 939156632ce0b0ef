"""Tongue: the pieces that requests of one language are made of, as patterns.

Rules

* `{o}` behind a verb, or `{p}` before it, is where its object may stand if that is a pronoun:
  `keep{o} in mind`.
* A sure verb asks to remember whatever follows; a weak one (`save`) only with a pronoun, a colon or `that`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tongue:
    """What a request is made of in one language."""

    soft: str
    """Words before the verb that change nothing: `please`, `just`."""
    ask: str
    """How somebody is addressed: `could you`, `I want you to`."""
    sure: str
    weak: str
    asked: str
    """Forms of the verbs that need such an address before them."""
    it: str
    """Pronouns that stand for what is to be remembered."""
    that: str
    """Words that begin the clause of what is to be remembered."""
    label: str
    """Words that need no verb before a colon: `note to self`."""
    tail: str
    """What may stand behind the verb and adds nothing: `for later`, `will you`."""
    free: str
    """Words that begin such an addition of any length: `when I ask about food`."""
    thing: str
    """What stands for something that is said next: `the following`."""
