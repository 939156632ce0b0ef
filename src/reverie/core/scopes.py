"""Whose something is, by any of the words that people and programs use for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, overload

from reverie.errors import InvalidScope
from reverie.types import Scope

if TYPE_CHECKING:
    from reverie.types import SaveScope

__all__ = ["file_scope", "read_scope"]

_NAMES: Final = {
    "user": Scope.USER,
    "global": Scope.USER,
    "project": Scope.PROJECT,
    "workspace": Scope.PROJECT,
}


@overload
def read_scope(given: Scope | str) -> Scope: ...
@overload
def read_scope(given: Scope | str | None) -> Scope | None: ...
def read_scope(given: Scope | str | None) -> Scope | None:
    """Return the scope that a word means; None when none was given.

    >>> read_scope("global").value
    'user'
    """
    if given is None:
        return None
    found = _NAMES.get(given)
    if found is None:
        raise InvalidScope(
            f"there is no scope {given!r}; choose user (or global: every project) or project"
            " (or workspace: this one)"
        )
    return found


def file_scope(scope: Scope) -> SaveScope:
    """Return what the scope of a context file is called: there the user's own is global."""
    return "global" if scope is Scope.USER else "project"
