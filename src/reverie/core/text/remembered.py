"""What was read of a text is remembered for a while, and can be given up by a process that stays.

A memory is compared pair by pair, so what each text says is read once and kept. A command ends soon after;
a daemon does not, and the texts that it compares keep changing: what it remembers of old ones is let go.
"""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False  # not from `typing`: a hook reads this
if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import _lru_cache_wrapper
    from typing import TypeVar

    Value = TypeVar("Value")

_every: list[_lru_cache_wrapper[object]] = []


def remembered(most: int) -> Callable[[Callable[..., Value]], _lru_cache_wrapper[Value]]:
    """Remember what a function said of the last `most` texts."""

    def wrap(function: Callable[..., Value]) -> _lru_cache_wrapper[Value]:
        wrapped = lru_cache(maxsize=most)(function)
        _every.append(wrapped)
        return wrapped

    return wrap


def forget_remembered() -> int:
    """Give up what is remembered of texts; return of how many."""
    held = sum(item.cache_info().currsize for item in _every)
    for item in _every:
        item.cache_clear()
    return held
