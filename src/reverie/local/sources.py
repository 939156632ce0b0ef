"""Which files are searched: the roots of a workspace, what belongs to each, and how one is read.

Rules
- A root is one folder (or file) with one source; its index is its own, so two projects cannot touch
  each other's.
- Links that lead out of their root are refused and reported; linked folders are not entered.
- Hidden files, generated catalogs and files of another root are no part of a root.
- A conversation is found by turns. It is shown as text, so lines mean the same for it as for a file.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple
from urllib.parse import quote

from reverie.core import turns
from reverie.core.chunk import chunk_markdown, chunk_turn
from reverie.core.topics import is_topic_path
from reverie.errors import NotText, PathEscape
from reverie.local.disk import read_bytes
from reverie.local.paths import expand, inside
from reverie.types import Source

if TYPE_CHECKING:
    from reverie.core.chunk import ChunkSize
    from reverie.types import Chunk, Workspace

__all__ = [
    "CHAT",
    "Document",
    "Folder",
    "Found",
    "Root",
    "claims",
    "load",
    "roots_of",
    "scan",
    "scan_folders",
    "shown_path",
    "watched",
]

CHAT: Final = "chat://"
_LAYERS: Final = ("core", "working", "semantic", "notes")
_TEXT_NAMES: Final = (".md", ".markdown", ".txt")
_SEARCHED: Final = (*_TEXT_NAMES, ".json")
_SKIPPED: Final = frozenset({"node_modules", "__pycache__"})
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NUMBERED: Final = re.compile(r"[0-9]+")

RootKind = Literal["project", "managed", "layers", "turns", "extra"]


@dataclass(frozen=True, slots=True)
class Root:
    """One folder that is searched."""

    name: str
    path: Path
    kind: RootKind
    source: Source
    owner: Literal["user", "project", "extra"]
    """Whose namespace it is in."""
    given: str = ""
    """How an extra path was named."""
    others: frozenset[str] = frozenset()
    """Paths inside it that belong to another root."""


class Found(NamedTuple):
    """A file that belongs to a root; `problem` says why it cannot be searched."""

    rel: str
    path: str
    signature: str
    """Changes whenever the file does."""
    changed_ns: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it is searched."""

    text: str
    chunks: tuple[Chunk, ...]
    digest: str
    label: str = ""
    """Its name in results, where that is not its path."""
    group: str = ""
    """The conversation it is part of; empty: it stands for itself."""
    order: int = 0
    """Its place in the group."""


def roots_of(workspace: Workspace, extra: Sequence[str], *, env: Mapping[str, str]) -> list[Root]:
    """List the roots of a workspace; folders that do not exist yet are roots all the same."""
    base = Path(workspace.base)
    agent = Path(workspace.agent_root)
    user, project = Path(workspace.user_memory), Path(workspace.project_memory)
    turns_folder = agent / "history" / "turns"
    taken = [base / "MEMORY.md", base / "memory", user, project, agent, Path(workspace.state)]
    others = frozenset(os.path.realpath(path) for path in taken)
    roots = [
        Root("project", base, "project", Source.MEMORY, "project"),
        Root("user", user, "managed", Source.MEMORY, "user"),
        Root("managed", project, "managed", Source.MEMORY, "project"),
        Root("agent", agent, "layers", Source.MEMORY, "user"),
        Root("chat", turns_folder, "turns", Source.CHAT, "user"),
    ]
    seen = set(others)
    for text in extra:
        path = Path(os.path.abspath(base / expand(text, env)))
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            roots.append(Root("custom", Path(real), "extra", Source.CUSTOM, "extra", text, others))
    return roots


def claims(root: Root, rel: str) -> bool:
    """Say whether a path below a root belongs to it, by its name alone."""
    if rel.startswith(".") or "/." in rel:
        return False
    match root.kind:
        case "project":
            return rel == "MEMORY.md" or (rel.startswith("memory/") and rel.endswith(".md"))
        case "managed":
            return is_topic_path(rel)
        case "layers":
            first, below, _ = rel.partition("/")
            return first in _LAYERS and bool(below) and rel.endswith(".md")
        case "turns":
            return rel.endswith(".json")
        case "extra":
            return rel.endswith(_TEXT_NAMES)


def watched(root: Root) -> list[Path]:
    """List the folders of a root that are looked through from top to bottom."""
    match root.kind:
        case "project":
            return [root.path / "memory"]
        case "layers":
            return [root.path / name for name in _LAYERS]
        case _:
            return [root.path]


def shown_path(root: Root, rel: str, label: str) -> str:
    """Name a file as results do."""
    if label:
        return label
    return rel if root.kind == "project" else str(root.path / rel if rel else root.path)


# --- finding --------------------------------------------------------------------------------------


def scan(root: Root) -> Iterator[Found]:
    """Find every file of a root by looking through its folders."""
    if root.kind == "extra":
        facts = _facts(root.path)
        if facts and stat.S_ISREG(facts.st_mode):
            yield _found("", str(root.path), facts)
            return
    starts = {"project": ("MEMORY.md", "memory"), "layers": _LAYERS}.get(root.kind, ("",))
    for start in starts:
        path = root.path / start if start else root.path
        facts = _facts(path, follow=not start)
        if facts is None:
            continue
        if stat.S_ISDIR(facts.st_mode):
            yield from _walk(root, path, f"{start}/" if start else "")
        elif claims(root, start):
            yield from _file(root, start, str(path), linked=stat.S_ISLNK(facts.st_mode))


def _walk(root: Root, folder: Path, prefix: str) -> Iterator[Found]:
    by_name = root.kind in ("project", "layers")  # below their start every Markdown file is one
    ends = (".md",) if by_name else _SEARCHED
    stack = [(str(folder), prefix)]
    while stack:
        here, before = stack.pop()
        try:
            with os.scandir(here) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError:
            continue  # gone, no folder, or not ours to read: nothing in it can be searched
        for item in items:
            name = item.name
            if name.startswith(".") or name in _SKIPPED:
                continue
            if item.path in root.others:  # both are real: the root is, and no link is entered
                continue
            rel = before + name
            if name.endswith(ends) and (by_name or claims(root, rel)):
                # The first case is the usual one, which a search goes through for every file there is.
                if item.is_file(follow_symlinks=False) and name.isascii():
                    facts = _facts(item.path)
                    if facts:
                        yield _found(rel, item.path, facts)
                    continue
                if not item.is_dir(follow_symlinks=False):
                    yield from _file(root, rel, item.path, linked=item.is_symlink())
                    continue
            if item.is_dir(follow_symlinks=False):
                stack.append((item.path, f"{rel}/"))


def _file(root: Root, rel: str, path: str, *, linked: bool) -> Iterator[Found]:
    if not rel.isascii() and _SURROGATE.search(rel):
        return  # the name is no text, so no result could name it
    if linked:
        try:
            real = inside(root.path, path)
        except PathEscape as error:
            yield Found(rel, path, "link", 0, problem=str(error))
            return
        target = real.relative_to(os.path.realpath(root.path)).as_posix()
        if claims(root, target):
            return  # found under its own name
    facts = _facts(path)
    if facts is None:
        return
    if not stat.S_ISREG(facts.st_mode):
        yield Found(rel, path, "odd", 0, problem=f"{path} is not a regular file")
        return
    yield _found(rel, path, facts)


def _found(rel: str, path: str, facts: os.stat_result) -> Found:
    mark = f"{facts.st_mtime_ns}:{facts.st_ctime_ns}:{facts.st_size}:{facts.st_ino}"
    return Found(rel, path, mark, max(facts.st_mtime_ns, facts.st_ctime_ns))


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a root whose files are only ever added, replaced or removed, never edited."""

    rel: str
    changed_ns: int
    files: tuple[Found, ...] | None
    """None: the folder did not change, so its files did not either."""


def scan_folders(root: Root, known: Mapping[str, int]) -> Iterator[Folder]:
    """Look only into the folders whose time is not the known one; all of them are yielded."""
    below: dict[str, list[str]] = {}
    for rel in known:
        if rel:
            below.setdefault(rel.rpartition("/")[0], []).append(rel)
    stack = [""]
    while stack:
        rel = stack.pop()
        path = root.path / rel if rel else root.path
        facts = _facts(path)
        if facts is None or not stat.S_ISDIR(facts.st_mode):
            continue
        if known.get(rel) == facts.st_mtime_ns:
            stack += below.get(rel, [])
            yield Folder(rel, facts.st_mtime_ns, None)
            continue
        files: list[Found] = []
        try:
            with os.scandir(path) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError:
            continue
        for item in items:
            child = f"{rel}/{item.name}" if rel else item.name
            if item.is_dir(follow_symlinks=False):
                stack.append(child)
            elif claims(root, child):
                files += _file(root, child, item.path, linked=item.is_symlink())
        yield Folder(rel, facts.st_mtime_ns, tuple(files))


def _facts(path: Path | str, *, follow: bool = True) -> os.stat_result | None:
    try:
        return os.stat(path, follow_symlinks=follow)
    except OSError:
        return None


# --- reading --------------------------------------------------------------------------------------


def load(root: Root, rel: str, *, size: ChunkSize, limit: int) -> Document | None:
    """Read a file and cut it; None when it is gone."""
    path = root.path / rel if rel else root.path
    data = read_bytes(path, limit=limit)
    if data is None:
        return None
    digest = hashlib.sha256(data).hexdigest()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not UTF-8 text (byte {error.start})", path=str(path)) from None
    if root.kind != "turns":
        name = rel or path.name
        return Document(text, tuple(chunk_markdown(text, name=name, size=size)), digest)
    stem = path.stem
    number = int(stem) if stem.isascii() and _NUMBERED.fullmatch(stem) else None
    turn = turns.decode(text, seq=number).turn
    shown, chunks = chunk_turn(turn, size=size)
    group = turn.session.encode("utf-8", "replace").decode("utf-8") or "history"
    label = f"{CHAT}{quote(group, safe='')}/{turn.seq}"
    return Document(shown, tuple(chunks), digest, label, group, turn.seq)
