"""Whose memory: tenant, person and project, and the names that files have in this engine.

Rules
- Paths are names of rows, the same for everybody: whose row it is, the other columns say. So two
  tenants can have the same paths, and nothing in a path leads anywhere.
- What lies below a project's folder belongs to the project, everything else to the person.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from reverie.errors import InvalidArgument, InvalidPath, PathEscape
from reverie.types import Workspace

if TYPE_CHECKING:
    from reverie.dialect import Dialect

HOME: Final = "/reverie"
_NAME: Final = re.compile(r"[\w@+][\w.@+-]{0,127}\Z")
_BETWEEN: Final = "\x1f"
_PATH_BYTES: Final = 1024
_LOT_ROWS: Final = 1000
_LOT_BYTES: Final = 8_000_000
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Place:
    """What every transaction is bound to."""

    tenant: str
    owner: str
    project: str

    def __post_init__(self) -> None:
        for what, value in (
            ("tenant", self.tenant),
            ("user", self.owner),
            ("project", self.project),
        ):
            if not _NAME.match(value):
                raise InvalidArgument(
                    f"{value!r} cannot name a {what}: 1 to 128 letters, digits and _ . @ + -, not"
                    " beginning with . or -"
                )

    @property
    def values(self) -> dict[str, Any]:
        """The values of the conditions in every statement."""
        return {"tenant": self.tenant, "owner": self.owner, "project": self.project}

    @property
    def key(self) -> str:
        """The place as one text, for notifications."""
        return _BETWEEN.join((self.tenant, self.owner, self.project))

    @staticmethod
    @lru_cache(maxsize=4096)
    def of_key(key: str) -> Place | None:
        """Return the place that a notification names; None where it names none."""
        try:
            return Place(*key.split(_BETWEEN))
        except (InvalidArgument, TypeError):
            return None

    def project_of(self, path: str) -> str:
        """Return the project a path belongs to; empty: the person."""
        inside = path.startswith(f"{HOME}/projects/{self.project}/")
        return self.project if inside else ""


def workspace_of(place: Place, *, dialect: Dialect, agent: str) -> Workspace:
    """Lay out the paths of a place."""
    state = f"{HOME}/projects/{place.project}"
    return Workspace(
        cwd=f"{state}/root",
        project_root=None,
        project_id=place.project,
        home=HOME,
        user_memory=f"{HOME}/{dialect.user_memory}",
        project_memory=f"{state}/memory",
        project_state=state,
        state=f"{HOME}/{dialect.state_dir}",
        agent=agent,
        agents=dialect.agents_dir,
        user=place.owner,
        tenant=place.tenant,
    )


def normal(path: str) -> str:
    """Return a path without detours, or raise unless it can name a row."""
    if not path or "\x00" in path or not path.startswith("/"):
        raise InvalidPath(f"{path!r} is not a usable path")
    try:
        size = len(path.encode("utf-8"))
    except UnicodeEncodeError:
        raise InvalidPath(f"{path!r} is not a usable path") from None
    if size > _PATH_BYTES:
        raise InvalidPath(f"a path of {size} bytes is too long; the limit is {_PATH_BYTES}")
    clean = posixpath.normpath(path)
    return clean[1:] if clean.startswith("//") else clean


def within(root: str, path: str) -> bool:
    """Say whether a normal path lies below a folder."""
    return path.startswith(root.rstrip("/") + "/")


def guard(path: str, workspace: Workspace) -> str:
    """Return the normal form of a path that may be written, or raise."""
    real = normal(path)
    projects = f"{workspace.home}/projects"
    inside = within(workspace.home, real) and (
        not within(projects, real) or within(workspace.project_state, real)
    )
    if not inside:
        raise PathEscape(
            f"{path} is outside the memory and the project, so it is not written", path=path
        )
    if within(workspace.state, real):
        raise PathEscape(f"{path} belongs to Reverie's own state", path=path)
    if within(workspace.base, real) and not real.lower().endswith(".md"):
        raise PathEscape(f"{path}: in a project only Markdown files are written", path=path)
    return real


def plain(text: str) -> str:
    """Make a text storable as text: PostgreSQL knows neither NUL nor half a surrogate pair."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")


def pack(text: str) -> bytes:
    """Turn a user's text into the bytes that are kept."""
    return text.encode("utf-8", "surrogateescape")


def unpack(data: bytes | memoryview) -> str:
    """Turn kept bytes into the text."""
    return bytes(data).decode("utf-8", "surrogateescape")


def lots(items: Sequence[Item], *, weight: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Share rows out among statements, so that none of them is beyond what a server takes.

    >>> [len(lot) for lot in lots(range(2500), weight=lambda _: 8)]
    [1000, 1000, 500]
    """
    lot: list[Item] = []
    size = 0
    for item in items:
        if lot and (len(lot) >= _LOT_ROWS or size + weight(item) > _LOT_BYTES):
            yield lot
            lot, size = [], 0
        lot.append(item)
        size += weight(item)
    if lot:
        yield lot
