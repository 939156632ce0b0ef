"""What one conversation may see of each root on the disk, as a condition of the search."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from reverie.core.search.isolation import Rule, rule_of
from reverie.local.search.root_index import Filter

if TYPE_CHECKING:
    from reverie.local.search.sources import Root
    from reverie.types import Isolation, Workspace

__all__ = ["filter_of", "rule_for"]


def filter_of(rule: Rule) -> Filter | None:
    """Return the condition for the search; None when all may be seen."""
    if rule.everything and not rule.only_group:
        return None
    either: list[str] = ["1"] if rule.everything else []
    values: list[object] = []
    for path in rule.paths:
        either.append("path = ? OR (path >= ? AND path < ?)")
        values += [path, f"{path}/", f"{path}0"]  # `0` is the character after `/`
    for group in rule.groups:
        either.append("(grp = ? AND grp != '')")
        values.append(group)
    where = f"({' OR '.join(either) or '0'})"
    if rule.only_group:
        where += " AND grp = ?"
        values.append(rule.only_group)
    return Filter(where, tuple(values))


def rule_for(root: Root, isolation: Isolation | None, workspace: Workspace) -> Rule:
    """Work out what of a root may be seen."""
    if isolation is None:
        return Rule(everything=True)  # whatever the real path is
    return rule_of(
        isolation,
        workspace,
        here=os.path.realpath(root.path),
        kind=root.kind,
        owner=root.owner,
        real=lambda text: os.path.realpath(os.path.join(workspace.base, text)),
    )
