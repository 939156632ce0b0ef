"""Home files: everything that lies in a home, and what of it git, a link or a lock keeps apart.

Rules:

* Links are never followed; only the folders of the memory itself may be links.
* What git keeps for itself is not looked into, whether beside its files or as a bare repository.
* A folder that cannot be listed is remembered, for what lies in it was not seen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reverie.types import Workspace


class HomeFiles:
    """The files of one home; where an agent keeps its own beside them, only ours."""

    def __init__(self, workspace: Workspace, *, own_home: bool) -> None:
        self.space = _real(workspace)
        self._own_home = own_home
        self.closed: dict[str, str] = {}
        """Folders that could not be listed, each with the reason."""

    def roots(self) -> list[str]:
        """Return the folders that everything lies in, by their true names."""
        space = self.space
        ours = [space.user_memory, space.project_memory, space.state]
        ours += [space.home] if self._own_home else [f"{space.home}/{space.agents}"]
        real = sorted({os.path.realpath(root) for root in ours if os.path.isdir(root)})
        return [root for root in real if not any(root.startswith(f"{other}/") for other in real)]

    def files(self, folder: str = "") -> Iterator[str]:
        """Yield every file, or those below a folder; repositories are not looked into."""
        return self.entries(os.path.isfile, folder)

    def entries(self, wanted: Callable[[str], bool], folder: str = "") -> Iterator[str]:
        """Yield what lies there and is wanted; links are not followed."""
        for root in [folder] if folder else self.roots():
            for place, folders, names in os.walk(root, onerror=self._cannot_list):
                if _is_repository(place):
                    folders.clear()
                    continue
                folders[:] = sorted(name for name in folders if name != ".git")
                paths = (os.path.join(place, name) for name in sorted([*folders, *names]))
                yield from (path for path in paths if wanted(path) and not path.endswith("/.git"))

    def _cannot_list(self, error: OSError) -> None:
        self.closed[str(error.filename)] = f"it cannot be looked into ({error.strerror})"

    def repositories(self) -> list[str]:
        """Return where git keeps its own files."""
        found: list[str] = []
        for root in self.roots():
            for place, folders, names in os.walk(root):
                if ".git" in (*folders, *names):
                    found.append(os.path.join(place, ".git"))
                if _is_repository(place):
                    found += [place] if os.path.basename(place) != ".git" else []
                    folders.clear()
        return found


def _is_repository(folder: str) -> bool:
    """Tell whether git keeps its own files in a folder."""
    return all(os.path.exists(os.path.join(folder, name)) for name in ("HEAD", "objects", "refs"))


def _real(space: Workspace) -> Workspace:
    """Return the workspace with the true names of its folders, as the files are found by."""
    names = ("home", "user_memory", "project_memory", "project_state", "state", "cwd")
    true = {name: os.path.realpath(getattr(space, name)) for name in names}
    root = space.project_root and os.path.realpath(space.project_root)
    return replace(space, project_root=root, **true)
