"""Context files: which are looked for, in which order, and how their texts become one.

Rules
- Folder by folder, from the general to the particular: the person's own, the project's root, the
  folders in between, the current folder, extension files, then include folders, which never change
  the order of the others.
- Within a folder: each name in turn, its `.local` sibling after it; at the root and in include folders
  the dot folder's file of that name follows.
- Each real file once. No folder above the project's root; without a root only the current folder.
- Equal input gives equal text, so that prompt caches hit.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reverie.config import is_plain_name
from reverie.core.context.expand import Expander
from reverie.core.showing.origin_lines import context_block, shown_path, without_markers
from reverie.core.text.plain import digest
from reverie.core.text.words import estimate_tokens
from reverie.core.wire import to_wire
from reverie.types import (
    Context,
    ContextFile,
    ContextImport,
    ContextSource,
    Diagnostic,
    Dropped,
)
from reverie.types.context import Found, ImportRule

if TYPE_CHECKING:
    from reverie.config import ContextSettings
    from reverie.core.context.expand import Clean
    from reverie.dialect import Dialect
    from reverie.ports import Reader
    from reverie.types import (
        ImportFormat,
        Verdict,
        Workspace,
    )

# Not left out, only worth knowing.
_WARNINGS = frozenset({"large", "untrusted", "bad_name", "trust_unreadable", "secret"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place where a context file may be."""

    path: str
    source: ContextSource
    inside: tuple[str, ...] | None
    """Where its real path must lie; None where its owner named it or its folder is theirs."""
    rule: ImportRule
    """What it may import, and what it may be a link to."""


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """What one load asks for on top of the settings."""

    include: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    trusted: bool | None = None
    """None: as recorded by `reverie trust`, else as the setting says."""
    format: ImportFormat | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Everything that decides where context files are looked for. Paths are absolute."""

    workspace: Workspace
    names: tuple[str, ...]
    config_dir: str
    user_home: str
    trusted: bool
    """Whether the project's files are loaded."""
    extensions: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    import_roots: tuple[str, ...] = ()
    project_names: tuple[str, ...] = ()
    """What is looked for in the project's folders instead of `names`."""
    verdict: Verdict = "trusted"
    """What is thought of the project's folder."""
    judged: frozenset[str] = frozenset()
    """The include folders that somebody trusts."""


def context_names(settings: ContextSettings, dialect: Dialect) -> tuple[str, ...]:
    """Return the file names looked for: trimmed, odd ones ignored; the first is written to."""
    return _plain(settings.names) or dialect.context_names


def project_names(settings: ContextSettings, dialect: Dialect) -> tuple[str, ...]:
    """Return the file names looked for in the project's folders, which the project may have set."""
    return _plain(settings.project_names) or context_names(settings, dialect)


def context_places(
    settings: ContextSettings, dialect: Dialect, *, home: str, base: str
) -> list[str]:
    """List where the person's and the project's own context files would stand."""
    mine, here = context_names(settings, dialect), project_names(settings, dialect)
    folders = [(home, mine), (base, here), (posixpath.join(base, dialect.config_dir), here)]
    return [posixpath.join(folder, name) for folder, names in folders for name in names]


def _plain(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in map(str.strip, names) if is_plain_name(name)))


def candidates(places: Places) -> list[Candidate]:
    """List where context files may be, in the order of their texts."""
    space = places.workspace
    base = space.base
    names, local_names = _plain(places.names), _plain(places.project_names or places.names)
    archive = posixpath.join(places.config_dir, "archive", "")
    own = ImportRule((space.home, places.user_home, *places.import_roots), own=True)
    project = (base, *places.import_roots)
    rule = ImportRule(
        project, careful=places.verdict != "trusted", tracked=(base,), archive=archive
    )
    found = [
        Candidate(path, ContextSource.GLOBAL, None, own) for path in _in_folder(space.home, names)
    ]
    if places.trusted:
        for folder in _chain(base, space.cwd):
            dot = places.config_dir if folder == base else ""
            paths = _in_folder(folder, local_names, dot)
            found += [Candidate(path, ContextSource.PROJECT, project, rule) for path in paths]
        for path in places.extensions:
            named = ImportRule((posixpath.dirname(path), *places.import_roots))
            found.append(Candidate(path, ContextSource.EXTENSION, None, named))
    for folder in places.include:
        roots = (folder, *(project if places.trusted else places.import_roots))
        rule = ImportRule(
            roots,
            careful=folder not in places.judged,
            tracked=(folder, *((base,) if places.trusted else ())),
            archive=archive,
        )
        paths = _in_folder(folder, names, places.config_dir)
        found += [Candidate(path, ContextSource.INCLUDE, roots, rule) for path in paths]
    return found


def assemble(
    places: Places,
    reader: Reader,
    *,
    settings: ContextSettings,
    format: ImportFormat,
    clean: Clean = lambda text: (text, ()),
    notes: Iterable[Diagnostic] = (),
    depends: Iterable[str] = (),
) -> Context:
    """Read, expand and join every context file there is; `clean` takes the secrets out of each."""
    expander = Expander(reader, settings, format, places.user_home, clean)
    for note in notes:
        expander.tell(note.path, note.line, note.reason, note.message, note.target)
    for name in (*places.names, *settings.names, *settings.project_names):
        if name.strip() and not is_plain_name(name.strip()):
            message = (
                f"{name!r} is not the plain name of a text file (no folder, not hidden, ending in .md,"
                " .markdown or .txt); it was not looked for"
            )
            expander.tell(name, 0, "bad_name", message)
    expander.depends.update(dict.fromkeys(depends))
    files: list[ContextFile] = []
    blocks: list[str] = []
    seen: set[str] = set()
    looked_for = candidates(places)
    context_paths = frozenset(item.path for item in looked_for)
    for candidate in looked_for:
        expander.depends[candidate.path] = None
        found = _admitted(candidate, reader, expander, seen, context_paths)
        if found is None:
            continue
        seen.add(found.path)
        body, imports = expander.expand(found, rule=candidate.rule)
        body = without_markers(body)
        shown = shown_path(candidate.path, cwd=places.workspace.cwd)
        tokens = estimate_tokens(body)
        _warn_if_large(candidate.path, tokens, expander)
        files.append(
            ContextFile(
                candidate.path, shown, candidate.source, tokens, digest(found.text), imports
            )
        )
        if body:
            blocks.append(context_block(shown, body))
    text = "\n\n".join(blocks)
    diagnostics = tuple(expander.diagnostics())
    return Context(
        text=text,
        files=tuple(files),
        diagnostics=diagnostics,
        dropped=tuple(
            Dropped(item.target or item.path, item.reason)
            for item in diagnostics
            if item.reason not in _WARNINGS
        ),
        format=format,
        trusted=places.trusted,
        tokens=estimate_tokens(text),
        file_count=len(files),
        depends=tuple(expander.depends),
        verdict=places.verdict,
    )


def to_json(context: Context) -> dict[str, Any]:
    """Return a context as JSON values, for a checkpoint; `from_json` restores it identically."""
    value = to_wire(context)
    return dict(value) if isinstance(value, dict) else {}


def from_json(value: Mapping[str, Any]) -> Context:
    """Restore a context."""
    files = tuple(
        ContextFile(
            path=item["path"],
            shown=item["shown"],
            source=ContextSource(item["source"]),
            tokens=item["tokens"],
            digest=item["digest"],
            imports=tuple(ContextImport(**found) for found in item["imports"]),
        )
        for item in value["files"]
    )
    return Context(
        text=value["text"],
        files=files,
        diagnostics=tuple(Diagnostic(**item) for item in value["diagnostics"]),
        dropped=tuple(Dropped(**item) for item in value["dropped"]),
        format=value["format"],
        trusted=value["trusted"],
        tokens=value["tokens"],
        file_count=value["fileCount"],
        depends=tuple(value["depends"]),
        verdict=value.get("verdict", "unknown"),
    )


def _admitted(
    candidate: Candidate,
    reader: Reader,
    expander: Expander,
    seen: set[str],
    context_paths: frozenset[str],
) -> Found | None:
    """Return the file at a place if it is there, allowed, new, and still fits."""
    if candidate.source is not ContextSource.EXTENSION and not reader.exists(candidate.path):
        return None
    result = reader.read(candidate.path, roots=candidate.inside)
    if (
        isinstance(result, Found)
        and result.path not in context_paths
        and reader.is_link(candidate.path)
    ):
        # A link brings a file under another name, as an import does.
        result = reader.refuses(candidate.path, candidate.rule) or result
    if not isinstance(result, Found):
        expander.tell(candidate.path, 0, result.reason, result.message)
        return None
    if result.path in seen or (expander.format == "flat" and result.path in expander.shown):
        return None
    limit = expander.settings.max_total_bytes
    if expander.bytes_used + result.size > limit:
        message = f"left out: with it the context is over {limit:,} bytes (context.max_total_bytes)"
        expander.tell(candidate.path, 0, "total_bytes", message)
        return None
    return result


def _warn_if_large(path: str, tokens: int, expander: Expander) -> None:
    if tokens <= expander.settings.large_file_tokens:
        return
    expander.tell(
        path,
        0,
        "large",
        f"about {tokens:,} tokens go into every prompt; split it with imports where it helps, keep"
        " only what matters, or move the old part aside with `reverie context archive`",
    )


def _in_folder(folder: str, names: Sequence[str], config_dir: str = "") -> list[str]:
    found: list[str] = []
    for name in names:
        stem, suffix = posixpath.splitext(name)
        for place in [folder, posixpath.join(folder, config_dir)] if config_dir else [folder]:
            found += [posixpath.join(place, name), posixpath.join(place, f"{stem}.local{suffix}")]
    return found


def _chain(base: str, cwd: str) -> list[str]:
    """Return the folders from the project's root down to the current one."""
    folders = [cwd]
    while folders[-1] != base and posixpath.dirname(folders[-1]) != folders[-1]:
        folders.append(posixpath.dirname(folders[-1]))
    return folders[::-1] if folders[-1] == base else [cwd]
