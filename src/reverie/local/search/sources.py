"""Which files are searched: the roots of a workspace, what belongs to each, and how one is read.

Rules
- A root is one folder (or file) with one source; its index is its own, so two projects cannot touch
  each other's.
- A path that a person's settings name from the project's folder is what this project has there: it
  comes with the repository, and may not lead out of it.
- Links that lead out of their root are refused and reported; linked folders are not entered. A link of
  a repository to another file of it counts as an import of that: hidden and untracked ones are not shown.
- Hidden files, generated catalogs and files of another root are no part of a root.
- A name that is no UTF-8 text, of a file or a folder, is reported and left: no result could name it.
- A conversation is found by turns. It is shown as text, so lines mean the same for it as for a file.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from reverie.core.context.git_index import is_hidden, is_text_name
from reverie.core.search.documents import (
    CHAT,
    LAYERS,
    REPOSITORY,
    TEXT_NAMES,
    RootKind,
    belongs,
    markdown_document,
    turn_document,
)
from reverie.core.text.plain import storable
from reverie.errors import NotText, PathEscape
from reverie.local.context.git_files import listing
from reverie.local.disk.files import read_bytes
from reverie.local.store.paths import expand, inside
from reverie.types import Problem, Source

if TYPE_CHECKING:
    from reverie.core.search.chunk import ChunkSize
    from reverie.core.search.documents import Document
    from reverie.types import Workspace

__all__ = [
    "CHAT",
    "Folder",
    "Found",
    "Root",
    "claims",
    "folders_changed",
    "links_out",
    "load",
    "path_of",
    "places",
    "roots_of",
    "scan",
    "scan_folders",
    "shown_path",
    "watched",
]

_SEARCHED: Final = (*TEXT_NAMES, ".json")
_SKIPPED: Final = frozenset({"node_modules", "__pycache__"})
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NUMBERED: Final = re.compile(r"[0-9]+")


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
    provenance: str = ""
    """`repository`: its files come with the project's folder."""


class Found(NamedTuple):
    """A file that belongs to a root; `problem` says why it cannot be searched."""

    rel: str
    path: str
    signature: str
    """Changes whenever the file does."""
    changed_ns: int
    problem: str = ""
    size: int = 0


def roots_of(workspace: Workspace, extra: Sequence[str], *, env: Mapping[str, str]) -> list[Root]:
    """List the roots of a workspace; folders that do not exist yet are roots all the same."""
    base = Path(workspace.base)
    agent = Path(workspace.agent_root)
    user, project = Path(workspace.user_memory), Path(workspace.project_memory)
    turns_folder = agent / "history" / "turns"
    taken = [base / "MEMORY.md", base / "memory", user, project, agent, Path(workspace.state)]
    others = frozenset(os.path.realpath(path) for path in taken)
    # Where a person keeps the project's memory inside the project, it comes with the folder, too.
    local = REPOSITORY if workspace.keeps_memory_in_project else ""
    roots = [
        Root("project", base, "project", Source.MEMORY, "project", provenance=REPOSITORY),
        Root("user", user, "managed", Source.MEMORY, "user"),
        Root("managed", project, "managed", Source.MEMORY, "project", provenance=local),
        Root("agent", agent, "layers", Source.MEMORY, "user"),
        Root("chat", turns_folder, "turns", Source.CHAT, "user"),
    ]
    seen = set(others)
    for text in extra:
        path, real = _extra(workspace, text, env)
        if real not in seen and not _leads_out(workspace, path, real):
            seen.add(real)
            # Named from the project's folder, it is whatever this project has there.
            relative = not os.path.isabs(expand(text, env))
            came = REPOSITORY if relative and f"{real}/".startswith(f"{base}/") else ""
            roots.append(
                Root("custom", Path(real), "extra", Source.CUSTOM, "extra", text, others, came)
            )
    return roots


def links_out(
    workspace: Workspace, extra: Sequence[str], *, env: Mapping[str, str]
) -> list[Problem]:
    """Tell of extra paths that are not searched, because the project put a link in their place."""
    found: list[Problem] = []
    for text in extra:
        path, real = _extra(workspace, text, env)
        if _leads_out(workspace, path, real):
            why = f"{path} is a link, or lies behind one, and leads out of the project"
            found.append(Problem(PathEscape.code, f"{why}, so it is not searched", path=path))
    return found


def _extra(workspace: Workspace, text: str, env: Mapping[str, str]) -> tuple[str, str]:
    """Return an extra path as it is named and where it leads."""
    path = os.path.abspath(os.path.join(workspace.base, expand(text, env)))
    return path, os.path.realpath(path)


def _leads_out(workspace: Workspace, path: str, real: str) -> bool:
    inside_project = f"{workspace.base.rstrip('/')}/"
    return path.startswith(inside_project) and not f"{real}/".startswith(inside_project)


def claims(root: Root, rel: str) -> bool:
    """Say whether a path below a root belongs to it, by its name alone."""
    return belongs(root.kind, rel)


def places(root: Root) -> list[Path]:
    """List the files and folders of a root that are searched."""
    return [root.path / start if start else root.path for start in _starts(root)]


def _starts(root: Root) -> tuple[str, ...]:
    match root.kind:
        case "project":
            return ("MEMORY.md", "memory")
        case "layers":
            return LAYERS
        case _:
            return ("",)


def watched(root: Root) -> list[Path]:
    """List the folders of a root that are looked through from top to bottom."""
    match root.kind:
        case "project":
            return [root.path / "memory"]
        case "layers":
            return [root.path / name for name in LAYERS]
        case _:
            return [root.path]


def shown_path(root: Root, rel: str, label: str) -> str:
    """Name a file as results do."""
    if label:
        return label
    return rel if root.kind == "project" else path_of(root, rel)


def path_of(root: Root, rel: str) -> str:
    """Return the path of a file of a root; as text, because a search names many and opens few."""
    return f"{root.path}/{rel}" if rel else str(root.path)


# --- finding --------------------------------------------------------------------------------------


def scan(root: Root, known: dict[str, str] | None = None) -> Iterator[Found]:
    """Find every file of a root by looking through its folders.

    Args:
        known: Signatures by name. A file that still has its own is not yielded, and whatever was found
            is taken out, so what is left in the end is gone.
    """
    for found in _scan(root, known or {}):
        if known:
            known.pop(found.rel, None)
        yield found


def _scan(root: Root, known: dict[str, str]) -> Iterator[Found]:
    if root.kind == "extra":
        facts = _facts(root.path)
        if facts and stat.S_ISREG(facts.st_mode):
            yield from _unless_known(_found("", str(root.path), facts), known)
            return
    for start in _starts(root):
        path = root.path / start if start else root.path
        facts = _facts(path, follow=not start)
        if facts is None:
            continue
        if stat.S_ISDIR(facts.st_mode):
            yield from _walk(root, path, f"{start}/" if start else "", known)
        elif claims(root, start):
            for found in _file(root, start, str(path), linked=stat.S_ISLNK(facts.st_mode)):
                yield from _unless_known(found, known)


def _unless_known(found: Found, known: dict[str, str]) -> Iterator[Found]:
    if known.get(found.rel) == found.signature:
        del known[found.rel]
    else:
        yield found


def _walk(root: Root, folder: Path, prefix: str, known: dict[str, str]) -> Iterator[Found]:
    stack = [(str(folder), prefix)]
    while stack:
        here, before = stack.pop()
        try:
            descriptor = os.open(here, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue  # gone, no folder, or not ours to read: nothing in it can be searched
        try:
            found = _listed(root, here, before, descriptor, stack, known)
        finally:
            os.close(descriptor)
        yield from found


def _listed(
    root: Root,
    here: str,
    before: str,
    descriptor: int,
    stack: list[tuple[str, str]],
    known: dict[str, str],
) -> list[Found]:
    """List the files of one open folder that are not known; the folders in it are put on the stack."""
    by_name = root.kind in ("project", "layers")  # below their start every Markdown file is one
    ends = (".md",) if by_name else _SEARCHED
    found: list[Found] = []
    with os.scandir(descriptor) as listing:
        items = sorted(listing, key=_name)
    for item in items:
        name = item.name
        if name[0] == "." or name in _SKIPPED:
            continue
        if root.others and f"{here}/{name}" in root.others:  # both are real: no link is entered
            continue
        rel = before + name
        if not name.isascii() and _SURROGATE.search(name):
            found += _unless_known(_unnamed(rel, f"{here}/{name}"), known)
            continue
        if name.endswith(ends) and (by_name or claims(root, rel)):
            # The first case is the usual one, which a search goes through for every file there is:
            # asked for by its name in an open folder, a file is found without walking its whole path.
            if name.isascii() and item.is_file(follow_symlinks=False):
                try:
                    facts = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                except OSError:
                    continue
                if known.get(rel) == _mark(facts):
                    del known[rel]
                else:
                    found.append(_found(rel, f"{here}/{name}", facts))
                continue
            if not item.is_dir(follow_symlinks=False):
                for odd in _file(root, rel, f"{here}/{name}", linked=item.is_symlink()):
                    found += _unless_known(odd, known)
                continue
        if item.is_dir(follow_symlinks=False):
            stack.append((f"{here}/{name}", f"{rel}/"))
    return found


def _name(item: os.DirEntry[str]) -> str:
    return item.name


def _file(root: Root, rel: str, path: str, *, linked: bool) -> Iterator[Found]:
    if linked:
        try:
            real = inside(root.path, path)
        except PathEscape as error:
            yield Found(rel, path, "link", 0, problem=str(error))
            return
        target = real.relative_to(os.path.realpath(root.path)).as_posix()
        if claims(root, target):
            return  # found under its own name
        if why := _hides(root, target, str(real)):
            yield Found(rel, path, "link", 0, problem=f"{path} is a link to a file that {why}")
            return
    facts = _facts(path)
    if facts is None:
        return
    if not stat.S_ISREG(facts.st_mode):
        yield Found(rel, path, "odd", 0, problem=f"{path} is not a regular file")
        return
    yield _found(rel, path, facts)


def _hides(root: Root, target: str, real: str) -> str:
    """Say why a link of a repository does not show another file of it, if it does not."""
    if not root.provenance and root.kind != "extra":
        return ""  # the person's own folder, so the person's own link
    if is_hidden(target):
        return "is hidden, so it is not searched"
    if not is_text_name(target):
        return "is no Markdown or plain text, so it is not searched"
    return (
        "" if listing(str(root.path)).holds(real) else "git does not track, so it is not searched"
    )


def _unnamed(rel: str, path: str) -> Found:
    shown = storable(path)
    why = f"the name {shown} is not UTF-8 text, so no result could name it; rename it"
    return Found(storable(rel), shown, "name", 0, problem=why)


def _found(rel: str, path: str, facts: os.stat_result) -> Found:
    changed = max(facts.st_mtime_ns, facts.st_ctime_ns)
    return Found(rel, path, _mark(facts), changed, size=facts.st_size)


def _mark(facts: os.stat_result) -> str:
    return f"{facts.st_mtime_ns}:{facts.st_ctime_ns}:{facts.st_size}:{facts.st_ino}"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a root whose files are only ever added, replaced or removed, never edited."""

    rel: str
    changed_ns: int
    files: tuple[Found, ...]
    """Those that are new or not what they were."""
    removed: tuple[str, ...]
    looked_into: bool = False
    """False: the folder did not change, so its files did not either."""


def folders_changed(root: Root, known: Mapping[str, int]) -> bool:
    """Say whether the time of any folder is not the known one; a new folder changes the one above it."""
    if not known:
        return _time(root, "") is not None
    return any(_time(root, rel) != changed for rel, changed in known.items())


def _time(root: Root, rel: str) -> int | None:
    facts = _facts(f"{root.path}/{rel}")
    return facts.st_mtime_ns if facts and stat.S_ISDIR(facts.st_mode) else None


def scan_folders(
    root: Root, known: Mapping[str, int], signatures: Callable[[str], dict[str, str]]
) -> Iterator[Folder]:
    """Look only into the folders whose time is not the known one; all of them are yielded.

    Args:
        known: The time of each folder when it was last looked into.
        signatures: Tells those of the files of a folder.
    """
    below: dict[str, list[str]] = {}
    for rel in known:
        if rel:
            below.setdefault(rel.rpartition("/")[0], []).append(rel)
    stack = [""]
    while stack:
        rel = stack.pop()
        changed = _time(root, rel)
        if changed is None:
            continue
        if known.get(rel) == changed:
            stack += below.get(rel, [])
            yield Folder(rel, changed, (), ())
            continue
        marks = signatures(rel)
        files: list[Found] = []
        try:
            with os.scandir(root.path / rel) as listing:
                items = sorted(listing, key=_name)
        except OSError:
            continue
        for item in items:
            child = f"{rel}/{item.name}" if rel else item.name
            if _SURROGATE.search(child):
                if marks.pop(storable(child), None) is None:
                    files.append(_unnamed(child, item.path))
                continue
            if item.is_dir(follow_symlinks=False):
                stack.append(child)
            elif claims(root, child):
                found = _file(root, child, item.path, linked=item.is_symlink())
                files += [one for one in found if marks.pop(child, None) != one.signature]
        yield Folder(rel, changed, tuple(files), tuple(marks), looked_into=True)


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
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not UTF-8 text (byte {error.start})", path=str(path)) from None
    if root.kind != "turns":
        return markdown_document(text, name=rel or path.name, size=size)
    stem = path.stem
    number = int(stem) if stem.isascii() and _NUMBERED.fullmatch(stem) else None
    return turn_document(text, seq=number, size=size)
