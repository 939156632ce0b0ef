"""Which root a path belongs to: the one decision before anything of a workspace is written.

Rules
- A path belongs to the most specific root that holds it as it is written: a memory folder, what lies
  beside it, the layers of the agents, the home, or the project. Where it really leads must lie in
  that same root; the roots are never united.
- Roots are resolved once, when the memory is opened. A root may be a link, or lie behind one, if the
  link is the person's own (or the machine's); a project's memory kept in the project may not.
- One exception leads out: a Markdown file directly in the home that is the person's own link to a
  Markdown file of the person, as managers of dotfiles make them. Then that file is written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reverie.errors import InvalidPath, PathEscape
from reverie.local.store.paths import usable

if TYPE_CHECKING:
    from reverie.local.disk.rooted import Folder, Folders
    from reverie.types import Workspace

_MAX_LINKS = 40


@dataclass(frozen=True, slots=True)
class Place:
    """A file as a root and the names below it; no name of them is a link."""

    root: str
    rel: str
    kind: str = ""
    """What the root is: `user`, `project`, `state`, `agents`, `home` or `base`; empty: none of ours."""

    @property
    def path(self) -> str:
        """The whole path; that of the root itself when there are no names below it."""
        return f"{self.root.rstrip('/')}/{self.rel}" if self.rel else self.root

    @property
    def folder(self) -> str:
        """The names of the folder below the root."""
        return self.rel.rpartition("/")[0]

    def folder_in(self, folders: Folders) -> Folder:
        """Return the open folder the file lies in."""
        return folders.below(self.root, self.folder)

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.rel.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class _Root:
    kind: str
    named: str
    real: str
    anchor: str
    """The folder from which everything of this root is opened, step by step."""


class Roots:
    """The roots of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        home, base = own_path(workspace.home), os.path.realpath(workspace.base)
        self._home = home
        found: list[_Root] = []
        for kind, named in (("user", workspace.user_memory), ("project", workspace.project_memory)):
            if kind == "project" and workspace.keeps_memory_in_project:
                # Kept in the project, where a stranger may have put links.
                real = base + named[len(workspace.base) :]
                found.append(_Root(kind, named, real, base))
            else:
                real = own_path(named)
                found.append(_Root(kind, named, real, home if _holds(home, real) else real))
        beside = [("agents", f"{workspace.home}/{workspace.agents}")]
        if _holds(workspace.home, workspace.project_state):
            beside.append(("state", workspace.project_state))
        for kind, named in beside:
            real = own_path(named)
            found.append(_Root(kind, named, real, home if _holds(home, real) else real))
        found.append(_Root("home", workspace.home, home, home))
        found.append(_Root("base", workspace.base, base, base))
        # The longest first: the most specific root decides.
        self._roots = sorted(found, key=lambda root: -len(root.real))

    def real(self, kind: str) -> str:
        """Return the real path of a root."""
        return next(root.real for root in self._roots if root.kind == kind)

    def holds(self, path: str) -> bool:
        """Say whether a path lies in a root as it is written."""
        return os.path.isabs(path) and self._named(os.path.abspath(path)) is not None

    def in_memory(self, path: str) -> bool:
        """Say whether a path lies in a folder of managed memory once links are followed."""
        try:
            return self.locate(path).kind in ("user", "project")
        except PathEscape:
            return False

    def locate(self, path: str) -> Place:
        """Find where a path leads, or raise `PathEscape` when that is not in the path's own root."""
        usable(path, text=True)
        found = self._named(os.path.abspath(path)) if os.path.isabs(path) else None
        if found is None:
            linked = self._target_of_own_link(path)
            if linked is not None:
                return linked
            raise PathEscape(
                f"{path} is outside the memory and the project, so it is not read or written",
                path=path,
            )
        root, rel = found
        named = f"{root.real}/{rel}" if rel else root.real
        real = _resolved(named)
        there = self._real(real)
        if there is not None and there is root and not _is_dangling(named):
            return Place(root.anchor, real[len(root.anchor.rstrip("/")) + 1 :], root.kind)
        if root.kind == "home" and os.path.dirname(named) == self._home:
            return own_link(named)
        if _is_dangling(named):
            raise PathEscape(
                f"{path} is a link that points nowhere, so it is not followed", path=path
            )
        raise PathEscape(
            f"{path} is a link, or lies behind one, and leads outside of {root.named}; nothing was"
            " read or written there",
            path=path,
            root=root.named,
        )

    def recorded(self, path: str) -> Place:
        """Find the place of a file or folder that the journal recorded; links are not resolved.

        It may be another project's: then its repository is the root.
        """
        if "\x00" in path or not os.path.isabs(path) or os.path.normpath(path) != path:
            raise InvalidPath(f"{path!r} is not a path that was ever recorded", path=path)
        found = self._named(path)
        if found is not None:
            root, rel = found
            whole = f"{root.real}/{rel}" if rel else root.real
            return Place(root.anchor, whole[len(root.anchor.rstrip("/")) + 1 :], root.kind)
        above = _repository(path) or os.path.dirname(os.path.dirname(path))
        return Place(above, path[len(above.rstrip("/")) + 1 :])

    def _named(self, path: str) -> tuple[_Root, str] | None:
        for root in self._roots:
            for folder in (root.named, root.real):
                if _holds(folder, path):
                    return root, path[len(folder.rstrip("/")) + 1 :]
        return None

    def _real(self, path: str) -> _Root | None:
        return next((root for root in self._roots if _holds(root.real, path)), None)

    def _target_of_own_link(self, path: str) -> Place | None:
        """Find a file by the link in the home that leads to it: the journal knows files by it."""
        try:
            names = os.listdir(self._home)
        except OSError:
            return None
        for link in (f"{self._home}/{name}" for name in names if _is_markdown(name)):
            if os.path.islink(link) and os.path.realpath(link) == path:
                return own_link(link)
        return None


def own_link(path: str) -> Place:
    """Return the Markdown file that a person's own link leads to, or raise `PathEscape`."""
    for link in links_on_the_way(path):
        if os.lstat(link).st_uid not in _trusted_owners():
            raise _refused(path, f"the link {link} belongs to somebody else")
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    for place in {os.path.dirname(path), folder}:
        if not _is_private(place):
            raise _refused(path, f"others may write to {place}")
    try:
        facts = os.lstat(target)
    except OSError:
        raise _refused(path, "it points nowhere") from None
    if ".git" in target.lower().split("/"):
        raise _refused(path, f"{target} belongs to git")
    if not stat.S_ISREG(facts.st_mode) or not (_is_markdown(path) and _is_markdown(target)):
        raise _refused(path, f"{target} is no Markdown file")
    if facts.st_uid != os.geteuid():
        raise _refused(path, f"{target} belongs to somebody else")
    return Place(folder, os.path.basename(target), "home")


def own_path(path: str) -> str:
    """Return where a path leads; links on the way must be the person's or the machine's."""
    real = os.path.realpath(path)
    if real != os.path.abspath(path):
        for link in links_on_the_way(path):
            if os.lstat(link).st_uid not in _trusted_owners():
                raise PathEscape(
                    f"{path} lies behind the link {link}, which belongs to somebody else; make it"
                    " your own, or name the real folder",
                    path=path,
                )
    return real


def links_on_the_way(path: str) -> Iterator[str]:
    """Yield every link that is followed from the root of the file system to a path."""
    waiting = os.path.abspath(path).split("/")[1:]
    here, left = "", _MAX_LINKS
    while waiting and left:
        name = waiting.pop(0)
        if name in ("", "."):
            continue
        if name == "..":
            here = os.path.dirname(here)
            continue
        step = f"{here}/{name}"
        try:
            target = os.readlink(step)
        except OSError:  # no link, or nothing there
            here = step
            continue
        yield step
        left -= 1
        here = "" if target.startswith("/") else here
        waiting = target.split("/") + waiting


def _resolved(path: str) -> str:
    """Return where a path leads; a link that goes away while it is read is looked at again."""
    for _ in range(_MAX_LINKS):
        with suppress(OSError):
            return os.path.realpath(path)
    raise PathEscape(f"{path} keeps being replaced, so it is not used", path=path)


def _refused(path: str, why: str) -> PathEscape:
    return PathEscape(
        f"{path} is a link that is not followed: {why}. Put a file in its place, or correct the link.",
        path=path,
    )


def _is_markdown(path: str) -> bool:
    return path.lower().endswith(".md")


def _is_dangling(path: str) -> bool:
    return os.path.islink(path) and not os.path.exists(path)


def _is_private(folder: str) -> bool:
    """Say whether only the person can change what is in a folder; a group of one's own is nobody."""
    try:
        facts = os.stat(folder)
    except OSError:
        return False
    others = facts.st_mode & 0o002 or (facts.st_mode & 0o020 and facts.st_gid != facts.st_uid)
    return facts.st_uid == os.geteuid() and not others


def _trusted_owners() -> tuple[int, int]:
    return os.geteuid(), 0


def _repository(path: str) -> str | None:
    """Return the nearest folder above a path that holds `.git`, by names alone."""
    above = os.path.dirname(path)
    while above != "/":
        if os.path.lexists(f"{above}/.git"):
            return above
        above = os.path.dirname(above)
    return None


def _holds(root: str, path: str) -> bool:
    return path == root or path.startswith(root if root.endswith("/") else root + "/")
