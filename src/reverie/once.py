"""Parts that are opened when first used, and once even when several threads ask first."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, Self, TypeVar, overload

Value = TypeVar("Value")


class once(Generic[Value]):  # noqa: N801  # used as a decorator
    """Like `functools.cached_property`, which since Python 3.12 may open a part twice and lose one."""

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: object, kind: type) -> Value: ...

    def __get__(self, owner: object | None, kind: type) -> Self | Value:
        if owner is None:
            return self
        parts = owner.__dict__
        # Python looks into the instance first, so the lock is taken only while a part is missing.
        with parts.setdefault("_opening", RLock()):
            if self._name not in parts:
                parts[self._name] = self._make(owner)
            found: Value = parts[self._name]
        return found
