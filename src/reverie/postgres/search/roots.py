"""What is searched in this engine: the parts of a place's memory, and what of each may be seen."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reverie.core.search.documents import REPOSITORY, RootKind, belongs
from reverie.core.search.isolation import Rule, rule_of
from reverie.errors import InvalidPath, PathEscape
from reverie.postgres.place import normal
from reverie.types import Source

if TYPE_CHECKING:
    from reverie.types import Isolation, Workspace


@dataclass(frozen=True, slots=True)
class Root:
    """One part of memory that is searched."""

    name: str
    folder: str
    kind: RootKind
    source: Source
    owner: Literal["user", "project", "extra"]
    project: str
    """Whose rows: the project's, or (empty) the person's."""

    @property
    def provenance(self) -> str:
        """Say that the project's own files come with the project."""
        return REPOSITORY if self.kind == "project" else ""

    def shown(self, rel: str, label: str) -> str:
        """Name a file as results do."""
        if label:
            return label
        return rel if self.kind == "project" else f"{self.folder}/{rel}"


def roots_of(workspace: Workspace) -> list[Root]:
    """List the roots of a workspace."""
    here, agent = workspace.project_id, workspace.agent
    layers = workspace.agent_root
    turns = f"{layers}/history/turns"
    return [
        Root("project", workspace.base, "project", Source.MEMORY, "project", here),
        Root("user", workspace.user_memory, "managed", Source.MEMORY, "user", ""),
        Root("managed", workspace.project_memory, "managed", Source.MEMORY, "project", here),
        Root(f"agent/{agent}", layers, "layers", Source.MEMORY, "user", ""),
        Root(f"turns/{agent}", turns, "turns", Source.CHAT, "user", ""),
    ]


def rule_for(root: Root, isolation: Isolation | None, workspace: Workspace) -> Rule:
    """Work out what of a root may be seen."""
    return rule_of(
        isolation,
        workspace,
        here=root.folder,
        kind=root.kind,
        owner=root.owner,
        real=lambda text: _resolved(workspace.base, text),
    )


def _resolved(base: str, text: str) -> str:
    try:
        return normal(posixpath.join(base, text))
    except InvalidPath:
        return ""


@dataclass(frozen=True, slots=True)
class Visible:
    """The visible part of the index as a condition on documents `d`."""

    roots: tuple[tuple[int, Root, Rule], ...]
    where: str
    values: dict[str, Any]

    @property
    def whole(self) -> bool:
        """Whether every root that may be seen at all may be seen as a whole."""
        return all(rule.everything and not rule.only_group for _, _, rule in self.roots)

    def number(self, project: str, name: str) -> int:
        """Return the number of a root."""
        return next(n for n, root, _ in self.roots if (root.project, root.name) == (project, name))

    def root(self, number: int) -> Root:
        """Return a root by its number."""
        return next(root for n, root, _ in self.roots if n == number)


def visible(
    roots: Sequence[Root],
    workspace: Workspace,
    *,
    source: Source | None,
    isolation: Isolation | None,
) -> Visible:
    """Turn scope and isolation into a condition of the search itself."""
    chosen: list[tuple[int, Root, Rule]] = []
    either: list[str] = []
    values: dict[str, Any] = {"shelves": []}
    for number, root in enumerate(roots):
        rule = rule_for(root, isolation, workspace)
        if (source is not None and root.source is not source) or not rule:
            continue
        chosen.append((number, root, rule))
        values["shelves"].append(root.name)
        values |= {f"root{number}": root.name, f"in{number}": root.project}
        condition = f"d.project = %(in{number})s AND d.root = %(root{number})s"
        either.append(f"({condition}{_narrowed(rule, number, values)})")
    return Visible(tuple(chosen), f"({' OR '.join(either) or 'false'})", values)


def _narrowed(rule: Rule, number: int, values: dict[str, Any]) -> str:
    text = ""
    if not rule.everything:
        some: list[str] = []
        for place, path in enumerate(rule.paths):
            name = f"path{number}x{place}"
            values |= {name: path, f"{name}low": f"{path}/", f"{name}high": f"{path}0"}
            some.append(
                f"d.path = %({name})s OR (d.path >= %({name}low)s AND d.path < %({name}high)s)"
            )
        if rule.groups:
            values[f"groups{number}"] = list(rule.groups)
            some.append(f"(d.grp = ANY(%(groups{number})s) AND d.grp <> '')")
        text += f" AND ({' OR '.join(some) or 'false'})"
    if rule.only_group:
        values[f"only{number}"] = rule.only_group
        text += f" AND d.grp = %(only{number})s"
    return text


@dataclass(frozen=True, slots=True)
class Named:
    """A file that may be read, by the root it belongs to."""

    root: Root
    rel: str
    path: str


def name_file(path: str, roots: Sequence[Root], workspace: Workspace) -> list[Named]:
    """Find the files that a path may mean, likeliest first: as results name it, or below a root."""
    if not path.strip() or "\0" in path:
        raise InvalidPath(f"{path!r} is not a usable path")
    files = [root for root in roots if root.kind != "turns"]
    found: list[Named] = []
    for start in dict.fromkeys((workspace.base, *(root.folder for root in roots))):
        real = normal(posixpath.join(start, path))
        for root in files:
            rel = real.removeprefix(f"{root.folder}/")
            catalog = root.kind == "managed" and rel.endswith(".md")
            if rel != real and (catalog or belongs(root.kind, rel)):
                found.append(Named(root, rel, real))
                break
    if not found:
        raise PathEscape(
            f"{path} is not among the files that are searched, so it is not read here", path=path
        )
    return found
