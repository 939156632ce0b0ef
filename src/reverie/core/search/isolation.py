"""What one conversation may see of each root.

Rules
- Nothing is visible until it is named: an empty list of paths shows nothing.
- Paths are compared by whole components of their real form: `memory/a` does not show `memory/ab`.
- The rule becomes a condition of the search itself, so what is hidden takes no place among the best
  and leaves no trace in frequencies and counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import unquote

from reverie.core.search.documents import CHAT
from reverie.errors import InvalidArgument, IsolationBlocked
from reverie.types import Isolation

if TYPE_CHECKING:
    from reverie.core.search.documents import RootKind
    from reverie.types import Workspace

EVERYWHERE: Final = ("/", CHAT)
"""Paths that allow every file and every conversation."""
ISOLATION_KEYS: Final = ("isolation", "allowedPaths", "userId", "projectId", "conversationId")
"""What a caller over a wire names; all but the first may also stand inside it."""
_MOST_PATHS: Final = 200  # more would be too much for one condition of the search
_MOST_CHARS: Final = 4096


def isolation_of(given: Mapping[str, object]) -> Isolation | None:
    """Read what a caller may see from the keys of a request; None: nothing is said, so everything.

    Without `allowedPaths` every path is allowed that the ids allow; with an empty list, none is.
    """
    said = {name: given[name] for name in ISOLATION_KEYS[1:] if given.get(name) is not None}
    inner = given.get("isolation")
    if inner is not None:
        if not isinstance(inner, Mapping):
            raise InvalidArgument(f"isolation must be an object, not {inner!r}")
        for name, value in inner.items():
            if name not in ISOLATION_KEYS[1:]:
                takes = ", ".join(ISOLATION_KEYS[1:])
                raise InvalidArgument(f"isolation has no key {name!r}; it takes {takes}")
            if value is not None and said.setdefault(name, value) != value:
                raise InvalidArgument(f"{name} is given twice, and differently; give it once")
    if not said and inner is None:
        return None
    paths = said.get("allowedPaths", EVERYWHERE)
    if isinstance(paths, str) or not isinstance(paths, Sequence) or len(paths) > _MOST_PATHS:
        raise InvalidArgument(f"allowedPaths must be a list of at most {_MOST_PATHS} paths")
    ids = {name: _id(name, said.get(name, "")) for name in ISOLATION_KEYS[2:]}
    return Isolation(
        allowed_paths=tuple(_id("allowedPaths", path) for path in paths),
        user_id=ids["userId"],
        project_id=ids["projectId"],
        conversation_id=ids["conversationId"],
    )


def _id(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > _MOST_CHARS:
        raise InvalidArgument(f"{name} must be text of at most {_MOST_CHARS} characters")
    return value


@dataclass(frozen=True, slots=True)
class Rule:
    """Which files of a root may be seen."""

    everything: bool = False
    paths: tuple[str, ...] = ()
    """Below the root."""
    groups: tuple[str, ...] = ()
    """Conversations."""
    only_group: str = ""

    def __bool__(self) -> bool:
        return self.everything or bool(self.paths or self.groups)

    def permits(self, rel: str, group: str) -> bool:
        """Say whether one file may be seen."""
        if self.only_group and group != self.only_group:
            return False
        if self.everything or group in self.groups:
            return True
        return any(rel == path or rel.startswith(f"{path}/") for path in self.paths)

    def check(self, rel: str, group: str, *, path: str) -> None:
        """Raise unless one file may be seen; `path` is how it was asked for."""
        if not self.permits(rel, group):
            raise IsolationBlocked(f"this conversation may not see {path}", path=path)


def rule_of(
    isolation: Isolation | None,
    workspace: Workspace,
    *,
    here: str,
    kind: RootKind,
    owner: Literal["user", "project", "extra"],
    real: Callable[[str], str],
) -> Rule:
    """Work out what of a root may be seen.

    Args:
        here: The real path of the root.
        real: Gives the real form of a path that is named from the project's root.
    """
    if isolation is None:
        return Rule(everything=True)
    if owner == "user" and isolation.user_id not in ("", workspace.user):
        return Rule()
    if owner == "project" and isolation.project_id not in ("", workspace.project_id):
        return Rule()
    only = isolation.conversation_id if kind == "turns" else ""
    paths: list[str] = []
    groups: list[str] = []
    for text in isolation.allowed_paths:
        if not text or "\0" in text:
            continue
        if text.startswith(CHAT):
            group = unquote(text[len(CHAT) :].split("/")[0])
            if kind == "turns":
                if not group:
                    return Rule(everything=True, only_group=only)
                groups.append(group)
            continue
        path = real(text)
        if path == here or _below(path, here):
            return Rule(everything=True, only_group=only)
        if _below(here, path):
            paths.append(path[len(here.rstrip("/")) + 1 :])
    return Rule(paths=tuple(paths), groups=tuple(groups), only_group=only)


def _below(folder: str, path: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")
