"""Draft: an overlay over the memory folders' files that an agent edits; its difference is Changes.

Rules
- A draft holds texts under paths that begin with `user/` or `project/`, and nothing else. There is no
  disk behind it, so no path, link or trick can lead anywhere; an attempt is `RememberPathEscape`.
- `pinned/`, catalogs, hidden files and whatever is not Markdown can be named and not written.
- Every tool is a pure function: draft in, draft and text out. Searching is by plain words, because a
  pattern that a model wrote could take for ever.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from reverie.core.showing.marks import as_written
from reverie.core.text.plain import digest, newline_of
from reverie.core.text.words import normalize
from reverie.core.topics.topic import is_pinned, is_topic_path
from reverie.errors import (
    InvalidArgument,
    InvalidPath,
    PathNotFound,
    PinnedFile,
    RememberPathEscape,
)
from reverie.ports import ToolSpec
from reverie.types import Change, Scope

if TYPE_CHECKING:
    from reverie.types import Topic, Workspace

MAX_FILE_CHARS: Final = 65_536
MAX_FILES_CHANGED: Final = 50
MAX_SHOWN_CHARS: Final = 20_000
MAX_SHOWN_LINES: Final = 200
MAX_PATH_BYTES: Final = 240
_ELSEWHERE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|~|\\|%[A-Za-z]+%|\$[A-Za-z{]")


@dataclass(frozen=True, slots=True)
class Draft:
    """Files by their path below `user/` or `project/`, as they were read and as they are now."""

    roots: Mapping[str, str]
    base: Mapping[str, str]
    files: Mapping[str, str]
    taken: frozenset[str] = frozenset()
    """Paths of files that exist and are not shown; they can be neither read nor written."""

    @property
    def changed(self) -> list[str]:
        """The paths that differ, sorted."""
        every = {*self.base, *self.files}
        return sorted(path for path in every if self.base.get(path) != self.files.get(path))

    def absolute(self, path: str) -> str:
        """Return where a path of the draft lies in the store."""
        first, _, rest = path.partition("/")
        return f"{self.roots[first]}/{rest}"


def draft_of(topics: Sequence[Topic], workspace: Workspace, *, clean: bool = False) -> Draft:
    """Lay an overlay over topics; a clean one shows nothing of them."""
    texts = {f"{topic.scope.value}/{topic.rel}": topic.text for topic in topics}
    roots = {scope.value: workspace.memory_root(scope) for scope in Scope}
    if clean:
        return Draft(roots, {}, {}, frozenset(texts))
    return Draft(roots, texts, texts)


def changes_of(draft: Draft) -> list[Change]:
    """Return what the draft changes."""
    return [
        Change(
            draft.absolute(path),
            draft.files.get(path),
            digest(draft.base[path]) if path in draft.base else None,
        )
        for path in draft.changed
    ]


def resolve(draft: Draft, path: str) -> str:
    """Return a path of the draft, or raise: `RememberPathEscape` if it leads anywhere else."""
    given = path.strip()
    for scope, root in draft.roots.items():
        if given == root or given.startswith(f"{root}/"):
            given = scope + given[len(root) :]
    plain = unicodedata.normalize("NFKC", given)
    parts = [part for part in given.split("/") if part not in ("", ".")]
    dotted = any(
        part.strip(". ") == "" for part in re.split(r"[/\\]", plain) if part not in ("", ".")
    )
    if plain.startswith("/") or _ELSEWHERE.match(plain) or "\\" in plain or dotted:
        raise RememberPathEscape(
            f"{path[:200]!r} leads outside managed memory; nothing was read or written there",
            path=path[:200],
        )
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in given):
        raise InvalidPath(f"{path[:200]!r} holds control characters")
    if not parts:
        return ""
    if parts[0] not in draft.roots:
        raise InvalidPath(f"{path[:200]!r}: paths begin with user/ or project/")
    if len(given.encode("utf-8")) > MAX_PATH_BYTES:
        raise InvalidPath(f"a path may have {MAX_PATH_BYTES} bytes")
    if any(part.startswith(".") or part != part.strip(" .") for part in parts[1:]):
        raise InvalidPath(f"{path[:200]!r}: names may not begin or end with a dot or a space")
    return "/".join(parts)


# --- tools ----------------------------------------------------------------------------------------


def read_file(draft: Draft, path: str, *, offset: int = 0, limit: int = MAX_SHOWN_LINES) -> str:
    """Return lines of a file."""
    text = _existing(draft, resolve(draft, path))
    lines = text.splitlines()
    part = lines[max(offset, 0) :][: max(limit, 0)]
    shown = "\n".join(part)
    if len(shown) > MAX_SHOWN_CHARS:
        return shown[:MAX_SHOWN_CHARS] + "\n(cut; read on with offset and limit)"
    left = len(lines) - max(offset, 0) - len(part)
    return shown + (f"\n({left} more lines; read on with offset)" if left > 0 else "")


def grep(draft: Draft, pattern: str, *, path: str = "") -> str:
    """Return the lines that hold a text, whatever the case."""
    below, wanted = resolve(draft, path), normalize(pattern).strip()
    if not wanted:
        raise InvalidArgument("the pattern is empty")
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in _below(draft, below)
        for number, line in enumerate(draft.files[name].splitlines(), 1)
        if wanted in normalize(line)
    ]
    return _listed(found, "no line holds this")


def ls(draft: Draft, path: str = "") -> str:
    """List the files below a path."""
    return _listed(_below(draft, resolve(draft, path)), "there are no files")


def write_file(draft: Draft, path: str, content: str) -> Draft:
    """Write a whole file; empty content removes it."""
    name = _writable(draft, path)
    if not content.strip():
        _existing(draft, name)
        return _with(draft, name, None)
    end = newline_of(draft.base.get(name, ""))
    text = _as_written(draft, content.replace("\r\n", "\n"))
    return _with(draft, name, text.replace("\n", end))


def edit(
    draft: Draft, path: str, old_string: str, new_string: str, *, replace_all: bool = False
) -> Draft:
    """Replace a piece of a file; it must stand there once, unless all are meant."""
    name = _writable(draft, path)
    text = _existing(draft, name)
    end = newline_of(text)
    old, new = (
        _as_written(draft, piece.replace("\r\n", "\n")).replace("\n", end)
        for piece in (old_string, new_string)
    )
    count = text.count(old) if old else 0
    if count == 0:
        raise InvalidArgument(f"old_string is not in {name}; read the file again")
    if count > 1 and not replace_all:
        raise InvalidArgument(f"old_string occurs {count} times in {name}; give more of it")
    return _with(draft, name, text.replace(old, new) or None)


def _as_written(draft: Draft, text: str) -> str:
    """Put back what an agent was shown otherwise than it is stored."""
    return as_written(text, "\n".join((*draft.base.values(), *draft.files.values())))


def use_tool(draft: Draft, name: str, arguments: str) -> tuple[Draft, str]:
    """Use a tool by its name with JSON arguments; return the draft and what the model is told."""
    spec = next((tool for tool in TOOLS if tool.name == name), None)
    if spec is None:
        raise InvalidArgument(f"there is no tool {name[:60]!r}; there are " + ", ".join(_NAMES))
    given = _arguments(spec, arguments)
    match name:
        case "read_file":
            return draft, read_file(draft, **given)
        case "grep":
            return draft, grep(draft, **given)
        case "ls":
            return draft, ls(draft, **given)
        case "write_file":
            return write_file(draft, **given), "done"
        case _:
            return edit(draft, **given), "done"


def _text(about: str) -> dict[str, str]:
    return {"type": "string", "description": about}


def _spec(name: str, about: str, required: Sequence[str], **properties: object) -> ToolSpec:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return ToolSpec(
        name, about, {**schema, "required": list(required), "additionalProperties": False}
    )


_PATH: Final = _text("Path of a memory file, e.g. project/feedback/style.md")
_COUNT: Final = {"type": "integer", "minimum": 0}
TOOLS: Final = (
    _spec("read_file", "Read lines of a file.", ["path"], path=_PATH, offset=_COUNT, limit=_COUNT),
    _spec("grep", "Find lines that contain a text.", ["pattern"], pattern=_text("Plain text"), path=_PATH),
    _spec("ls", "List files.", [], path=_text("Folder to list; all when empty")),
    _spec("write_file", "Write a whole file; empty content removes it.", ["path", "content"],
          path=_PATH, content=_text("The whole text")),
    _spec("edit", "Replace a piece of a file.", ["path", "old_string", "new_string"], path=_PATH,
          old_string=_text("The current text, exactly"), new_string=_text("What takes its place"),
          replace_all={"type": "boolean"}),
)  # fmt: skip
_NAMES: Final = [tool.name for tool in TOOLS]
WRITING: Final = frozenset({"write_file", "edit"})
_PYTHON: Final = {"string": str, "integer": int, "boolean": bool}


def _arguments(spec: ToolSpec, text: str) -> dict[str, Any]:
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError):
        raise InvalidArgument(f"the arguments of {spec.name} are not JSON") from None
    if not isinstance(given, dict):
        raise InvalidArgument(f"the arguments of {spec.name} are not an object")
    known = spec.parameters["properties"]
    for name, value in given.items():
        if name not in known:
            raise InvalidArgument(f"{spec.name} has no argument {name[:60]!r}")
        kind = _PYTHON[known[name]["type"]]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise InvalidArgument(f"{name} must be of type {known[name]['type']}")
    missing = [name for name in spec.parameters["required"] if name not in given]
    if missing:
        raise InvalidArgument(f"{spec.name} needs {missing[0]}")
    return given


def _existing(draft: Draft, name: str) -> str:
    if name not in draft.files:
        raise PathNotFound(f"there is no file {name or 'of that name'}; ls shows what there is")
    return draft.files[name]


def _writable(draft: Draft, path: str) -> str:
    name = resolve(draft, path)
    rel = name.partition("/")[2]
    if not rel or not is_topic_path(rel):
        raise InvalidPath(f"{name or path[:200]} is not a memory file: NAME.md, and not MEMORY.md")
    if is_pinned(rel):
        raise PinnedFile(f"{name} is pinned by its owner; leave it as it is")
    if name in draft.taken:
        raise InvalidPath(f"{name} is taken; choose another name")
    return name


def _with(draft: Draft, name: str, text: str | None) -> Draft:
    if text is not None and len(text) > MAX_FILE_CHARS:
        raise InvalidArgument(f"a memory file may have {MAX_FILE_CHARS} characters")
    files = {path: kept for path, kept in draft.files.items() if path != name}
    after = replace(draft, files=files if text is None else {**files, name: text})
    if len(after.changed) > MAX_FILES_CHANGED:
        raise InvalidArgument(f"one run may change {MAX_FILES_CHANGED} files")
    return after


def _below(draft: Draft, folder: str) -> list[str]:
    return sorted(
        name
        for name in draft.files
        if not folder or name == folder or name.startswith(f"{folder}/")
    )


def _listed(lines: Sequence[str], nothing: str) -> str:
    shown = "\n".join(lines[:MAX_SHOWN_LINES])[:MAX_SHOWN_CHARS]
    more = len(lines) - MAX_SHOWN_LINES
    return (shown + (f"\n({more} more)" if more > 0 else "")) if lines else nothing
