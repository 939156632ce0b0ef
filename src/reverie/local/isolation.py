"""What one conversation may see of each root.

Rules
- Nothing is visible until it is named: an empty list of paths shows nothing.
- Paths are compared by whole components of their real form: `memory/a` does not show `memory/ab`.
- The rule becomes a condition of the search itself, so what is hidden takes no place among the best
  and leaves no trace in frequencies and counts.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from reverie.local.rootindex import Filter
from reverie.local.sources import CHAT

if TYPE_CHECKING:
    from reverie.local.sources import Root
    from reverie.types import Isolation, Workspace

__all__ = ["Rule", "rule_for"]


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

    def filter(self) -> Filter | None:
        """Return the condition for the search; None when all may be seen."""
        if self.everything and not self.only_group:
            return None
        either: list[str] = ["1"] if self.everything else []
        values: list[object] = []
        for path in self.paths:
            either.append("path = ? OR (path >= ? AND path < ?)")
            values += [path, f"{path}/", f"{path}0"]  # `0` is the character after `/`
        for group in self.groups:
            either.append("(grp = ? AND grp != '')")
            values.append(group)
        where = f"({' OR '.join(either) or '0'})"
        if self.only_group:
            where += " AND grp = ?"
            values.append(self.only_group)
        return Filter(where, tuple(values))


def rule_for(root: Root, isolation: Isolation | None, workspace: Workspace) -> Rule:
    """Work out what of a root may be seen."""
    if isolation is None:
        return Rule(everything=True)
    if root.owner == "user" and isolation.user_id not in ("", workspace.user):
        return Rule()
    if root.owner == "project" and isolation.project_id not in ("", workspace.project_id):
        return Rule()
    only = isolation.conversation_id if root.kind == "turns" else ""
    here = Path(os.path.realpath(root.path))
    paths: list[str] = []
    groups: list[str] = []
    for text in isolation.allowed_paths:
        if not text or "\0" in text:
            continue
        if text.startswith(CHAT):
            group = unquote(text[len(CHAT) :].split("/")[0])
            if root.kind == "turns":
                if not group:
                    return Rule(everything=True, only_group=only)
                groups.append(group)
            continue
        path = Path(os.path.realpath(Path(workspace.base) / text))
        if path == here or path in here.parents:
            return Rule(everything=True, only_group=only)
        if here in path.parents:
            paths.append(path.relative_to(here).as_posix())
    return Rule(paths=tuple(paths), groups=tuple(groups), only_group=only)
