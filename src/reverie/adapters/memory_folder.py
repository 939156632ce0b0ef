"""A folder of managed memory as `/memories`, with the commands of Anthropic's memory tool.

Rules
- Every path begins with `/memories` and has plain names only: no `..`, nothing hidden, no link that
  leads out. Files are Markdown.
- The catalog `MEMORY.md` is generated, and what is pinned belongs to the person: both are read only.
- Every command that changes something is one run of the journal, so it can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from reverie.adapters.records import write
from reverie.core.runs.planning import without_secrets
from reverie.core.scopes import read_scope
from reverie.core.text.plain import digest
from reverie.core.topics.topic import CATALOG_NAME, is_pinned
from reverie.errors import (
    InvalidArgument,
    NotAFile,
    PathEscape,
    PathNotFound,
    PathTaken,
    PinnedFile,
    ReverieError,
    SecretRefused,
)
from reverie.types import Applied, Change, Scope

if TYPE_CHECKING:
    from reverie.memory import Memory

ROOT = "/memories"
_DEPTH = 2
_NAME_BYTES = 200
_AROUND = 2


class MemoryFolder:
    """The files of one scope; what each command did is told in words, as the tool wants it."""

    def __init__(self, memory: Memory, *, scope: Scope | str = Scope.PROJECT) -> None:
        self._memory = memory
        self._scope = read_scope(scope)
        self._root = memory.workspace.memory_root(self._scope)
        self.applied = Applied(run="")
        """The run of the last command that changed something."""

    # --- the six commands -------------------------------------------------------------------------

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Show a folder's files with their sizes, or a file's lines with their numbers."""
        rel = _rel(path)
        if self._is_folder(rel):
            return self._listing(path.rstrip("/"), rel)
        lines = self._text(path, rel).split("\n")
        first, last = 1, len(lines)
        if view_range and len(view_range) == 2:
            first = max(1, view_range[0])
            last = len(lines) if view_range[1] == -1 else view_range[1]
        return f"{path}, with line numbers:\n" + _numbered(lines, first, last)

    def create(self, path: str, file_text: str) -> str:
        """Make a new file."""
        rel = self._nameable(self._writable(path))

        def plan() -> list[Change]:
            if self._read(rel) is not None:
                raise PathTaken(f"{path} exists already; edit it or choose another name.")
            return [Change(self._path(rel), file_text, None)]

        self._write(plan)
        return f"Created {path}."

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """Replace a passage that stands in the file exactly once."""
        rel = self._writable(path)
        shown: list[str] = []

        def plan() -> list[Change]:
            before = self._text(path, rel)
            places = _places(before, old_str)
            if not places:
                raise InvalidArgument(f"Nothing replaced: old_str is not in {path}.")
            if len(places) > 1:
                numbers = ", ".join(str(before.count("\n", 0, at) + 1) for at in places)
                raise InvalidArgument(
                    f"Nothing replaced: old_str is in {path} {len(places)} times, in"
                    f" lines {numbers}; include more of the surrounding text."
                )
            at = places[0]
            after = before[:at] + new_str + before[at + len(old_str) :]
            line = before.count("\n", 0, at) + 1
            lines = after.split("\n")
            shown[:] = [_numbered(lines, max(1, line - _AROUND), line + _AROUND)]
            return [Change(self._path(rel), after, digest(before))]

        self._write(plan)
        return f"Edited {path}; around the change it now reads:\n{shown[0]}"

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Put text after a line; 0 is before the first."""
        rel = self._writable(path)

        def plan() -> list[Change]:
            before = self._text(path, rel)
            after = _inserted(before, insert_line, insert_text)
            return [Change(self._path(rel), after, digest(before))]

        self._write(plan)
        return f"Edited {path}."

    def delete(self, path: str) -> str:
        """Remove a file, or a folder with everything in it."""
        rel = self._writable(path, folder=True)

        def plan() -> list[Change]:
            found = self._below(rel, path)
            return [Change(self._path(name), None, digest(text)) for name, text in found.items()]

        self._write(plan)
        return f"Deleted {path}."

    def rename(self, old_path: str, new_path: str) -> str:
        """Move a file or a folder."""
        old = self._writable(old_path, folder=True)
        folder = self._is_folder(old)
        new = self._nameable(self._writable(new_path, folder=folder))

        def plan() -> list[Change]:
            moved = self._below(old, old_path)
            if self._read(new) is not None or self._is_folder(new):
                raise PathTaken(f"{new_path} exists already.")
            changes = []
            for name, text in moved.items():
                changes.append(Change(self._path(name), None, digest(text)))
                changes.append(Change(self._path(new + name.removeprefix(old)), text, None))
            return changes

        self._write(plan)
        return f"Moved {old_path} to {new_path}."

    def clear(self) -> str:
        """Remove every file that is not pinned."""

        def plan() -> list[Change]:
            return [
                Change(self._path(name), None, digest(text))
                for name in self._names()
                if not _kept(name) and (text := self._read(name)) is not None
            ]

        self._write(plan)
        return "All memory was cleared; pinned files stay."

    # --- files ------------------------------------------------------------------------------------

    def _write(self, plan: Callable[[], list[Change]]) -> None:
        store = self._memory.engine.confined()
        self.applied = write(self._memory, plan, verb="anthropic-memory", store=store)

    def _names(self) -> list[str]:
        """Return every file of the folder, relative to it, the catalog too."""
        store = self._memory.store
        topics = [item.rel for item in store.topics(self._scope)]
        others = [
            item.path.removeprefix(f"{self._root}/")
            for item in store.unreadable
            if item.path.startswith(f"{self._root}/")
        ]
        return sorted({*topics, *others, *self._catalog()})

    def _catalog(self) -> list[str]:
        try:
            return [CATALOG_NAME] if self._read(CATALOG_NAME) is not None else []
        except ReverieError:  # it is generated: the next write makes it anew
            return []

    def _path(self, rel: str) -> str:
        return f"{self._root}/{rel}"

    def _read(self, rel: str) -> str | None:
        """Return a file's text; a link that leads out of the folder is no file of it."""
        store = self._memory.store
        try:
            if not rel.endswith(".md") or store.real(self._path(rel)) != self._real(rel):
                return None
            return store.read(self._path(rel))
        except (NotAFile, PathEscape):  # a folder, below a file, or a link that leads out
            return None

    def _bytes(self, rel: str) -> int:
        try:
            return len((self._read(rel) or "").encode("utf-8"))
        except ReverieError:  # no text: listed all the same, and named when it is asked for
            return 0

    def _real(self, rel: str) -> str:
        return f"{self._memory.store.real(self._root)}/{rel}"

    def _text(self, path: str, rel: str) -> str:
        text = self._read(rel) if rel else None
        if text is None:
            raise PathNotFound(f"There is no file {path}; view {ROOT} shows what there is.")
        return text

    def _is_folder(self, rel: str) -> bool:
        return not rel or any(name.startswith(f"{rel}/") for name in self._names())

    def _below(self, rel: str, path: str) -> dict[str, str]:
        """Return the files that a path means, with their texts."""
        names = [name for name in self._names() if name.startswith(f"{rel}/")] or [rel]
        if any(_kept(name) for name in names):
            raise PinnedFile(f"{path} contains generated or pinned files, so it stays.")
        return {name: self._text(path, name) for name in names}

    def _writable(self, path: str, *, folder: bool = False) -> str:
        rel = _rel(path)
        if not rel:
            raise InvalidArgument(f"{ROOT} itself cannot be changed; name a file in it.")
        if _kept(rel):
            raise PinnedFile(f"{path} is generated or pinned; it can be viewed, not changed.")
        if not folder and not rel.endswith(".md"):
            raise InvalidArgument(
                f"{path}: memories are Markdown files; use a name that ends in .md."
            )
        return rel

    def _nameable(self, rel: str) -> str:
        """Return a new name, or raise: below a file, or with a secret that no placeholder can stand for."""
        for at, char in enumerate(rel):
            if char == "/" and self._read(rel[:at]) is not None:
                raise PathTaken(f"{ROOT}/{rel[:at]} is a file, so nothing can be in it.")
        _, found = without_secrets(rel, self._memory.settings.secrets)
        if found:
            raise SecretRefused(f"this name looks like a secret ({found[0].rule}); choose another")
        return rel

    def _listing(self, shown: str, rel: str) -> str:
        prefix = f"{rel}/" if rel else ""
        sizes: dict[str, int] = {}
        for name in self._names():
            if not name.startswith(prefix):
                continue
            size = self._bytes(name)
            parts = name.removeprefix(prefix).split("/")
            for depth in range(1, min(len(parts), _DEPTH) + 1):
                part = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
                sizes[part] = sizes.get(part, 0) + size
        lines = [f"{_size(size)}\t{shown}/{name}" for name, size in sorted(sizes.items())]
        total = sum(size for name, size in sizes.items() if name.rstrip("/").count("/") == 0)
        head = f"Files and folders in {shown}, two levels deep:"
        return "\n".join([head, f"{_size(total)}\t{shown}", *lines])


def _rel(path: str) -> str:
    """Return a path relative to the folder, or raise `InvalidArgument`."""
    if path.rstrip("/") == ROOT:
        return ""
    if not path.startswith(f"{ROOT}/"):
        raise InvalidArgument(f"A path must begin with {ROOT}/, unlike {path!r}.")
    parts = path.removeprefix(f"{ROOT}/").rstrip("/").split("/")
    for part in parts:
        plain = part.isprintable() and "\\" not in part and not part.startswith(".")
        if not part or not plain or len(part.encode("utf-8", "replace")) > _NAME_BYTES:
            raise InvalidArgument(
                f"{path!r} is not a path of memory: names are printable, not hidden, without '..' or a"
                f" backslash, and at most {_NAME_BYTES} bytes long."
            )
    return "/".join(parts)


def _kept(rel: str) -> bool:
    return rel.rsplit("/", 1)[-1].lower() == CATALOG_NAME.lower() or is_pinned(rel + "/")


def _places(text: str, wanted: str) -> list[int]:
    found: list[int] = []
    at = text.find(wanted) if wanted else -1
    while at != -1:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _inserted(text: str, line: int, added: str) -> str:
    ends = [at + 1 for at, char in enumerate(text) if char == "\n"]
    if text and not text.endswith("\n"):
        ends.append(len(text))
    if not 0 <= line <= len(ends):
        raise InvalidArgument(f"insert_line must be from 0 to {len(ends)}, not {line}.")
    at = ends[line - 1] if line else 0
    glue = "\n" if at and text[at - 1] != "\n" else ""
    end = "" if added.endswith("\n") else "\n"
    return f"{text[:at]}{glue}{added}{end}{text[at:]}"


def _numbered(lines: list[str], first: int, last: int) -> str:
    return "\n".join(
        f"{number:6}\t{line}" for number, line in enumerate(lines, 1) if first <= number <= last
    )


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "K", "M"):
        if size < 1024:
            return f"{size:.1f}".removesuffix(".0") + unit
        size /= 1024
    return f"{size:.1f}G"
