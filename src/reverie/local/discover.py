"""Context files on the disk: reading them safely, and noticing when one of them changes.

Rules
- A path is judged by its real form, every time: a link in a project that leads out of it is refused.
- A file in a folder that everybody may write to counts only if it is ours; anybody could have put
  another's there.
- One bad file never stops the others; it is left out, with the reason.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.core.context import (
    ContextOptions,
    Places,
    assemble,
    context_names,
    project_names,
)
from reverie.core.expand import Found, Refused
from reverie.errors import FileTooLarge, NotAFile, ReverieError
from reverie.local import trust
from reverie.local.disk import read_bytes
from reverie.local.paths import expand, user_home
from reverie.types import Diagnostic, Trust

if TYPE_CHECKING:
    from reverie.config import ContextSettings
    from reverie.dialect import Dialect
    from reverie.types import Context, Workspace


def load_context(
    workspace: Workspace,
    *,
    dialect: Dialect,
    settings: ContextSettings,
    env: Mapping[str, str],
    options: ContextOptions | None = None,
) -> Context:
    """Load everything that applies to the workspace's current folder."""
    options = options or ContextOptions()
    notes: list[Diagnostic] = []
    verdict = _trust(workspace, settings, options, notes)
    include = _absolute([*settings.include, *options.include], workspace, env)
    notes += [
        Diagnostic(folder, 0, "missing", "there is no such include folder")
        for folder in include
        if not os.path.isdir(folder)
    ]
    places = Places(
        workspace=workspace,
        names=context_names(settings, dialect),
        project_names=project_names(settings, dialect),
        config_dir=dialect.config_dir,
        user_home=os.path.realpath(user_home(env)),
        trusted=verdict.trusted,
        extensions=_absolute([*settings.extensions, *options.extensions], workspace, env),
        include=include,
        import_roots=_absolute(settings.import_roots, workspace, env),
    )
    return assemble(
        places,
        DiskReader(limit=settings.max_file_bytes, user=os.geteuid()),
        settings=settings,
        format=options.format or settings.format,
        notes=notes,
        depends=[str(trust.trust_file(workspace)), *include],
    )


@dataclass(slots=True)
class DiskReader:
    """Reads each file once and says of each why it may not be used."""

    limit: int
    user: int
    _folders: dict[str, str] = field(default_factory=dict)
    _roots: dict[Sequence[str], tuple[str, ...]] = field(default_factory=dict)
    _read: dict[str, Found | Refused] = field(default_factory=dict)
    _shared: dict[str, bool] = field(default_factory=dict)

    def exists(self, path: str) -> bool:
        """Say whether there is anything at all, if only a link that points nowhere."""
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, ValueError):
            return True  # reading it tells what is wrong
        return True

    def is_file(self, path: str) -> bool:
        """Say whether there is a regular file."""
        try:
            return stat.S_ISREG(os.stat(path).st_mode)
        except (OSError, ValueError):
            return False

    def read(self, path: str, *, roots: Sequence[str] | None) -> Found | Refused:
        """Return a text whose real path is inside one of the roots (None: anywhere)."""
        try:
            own = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            own = None
        except (OSError, ValueError) as error:
            return Refused("unreadable", f"{path} cannot be read: {error}")
        real = self._real(path, own)
        if roots is not None and not self._inside(real, roots):
            return Refused(
                "outside",
                f"{path} is outside the folders that may be read here; allow its folder with"
                " `reverie config set context.import_roots FOLDER`, or copy the file in",
            )
        if own is None:
            return Refused("missing", f"there is no file {path}")
        if self._planted(path, own):
            return Refused(
                "foreign",
                f"{path} belongs to another user and stands in a folder that everybody may write to",
            )
        if real not in self._read:
            self._read[real] = self._load(real)
        return self._read[real]

    def _load(self, real: str) -> Found | Refused:
        try:
            facts = os.stat(real)
            if stat.S_ISDIR(facts.st_mode):
                return Refused("directory", f"{real} is a folder, not a file")
            if self._planted(real, facts):
                return Refused(
                    "foreign",
                    f"{real} belongs to another user and stands in a folder that everybody may write to",
                )
            data = read_bytes(Path(real), limit=self.limit)
        except FileTooLarge:
            return Refused(
                "too_large",
                f"{real} has {facts.st_size:,} bytes, over context.max_file_bytes ({self.limit:,});"
                " split it, or raise the limit",
            )
        except NotAFile:
            return Refused("not_a_file", f"{real} is not a regular file")
        except FileNotFoundError:
            return Refused("missing", f"{real} is a link that points nowhere")
        except (ReverieError, OSError) as error:
            return Refused("unreadable", f"{real} cannot be read: {error}")
        if data is None:
            return Refused("missing", f"there is no file {real}")
        if b"\x00" in data:
            return Refused("binary", f"{real} is a binary file; only text is loaded")
        try:
            return Found(real, data.decode("utf-8"), len(data))
        except UnicodeDecodeError as error:
            return Refused("not_text", f"{real} is not UTF-8 text (byte {error.start}); convert it")

    def _real(self, path: str, own: os.stat_result | None) -> str:
        """Resolve a path; most files are no links, so their folder's answer is enough."""
        if own is not None and stat.S_ISLNK(own.st_mode):
            return os.path.realpath(path)
        folder, name = os.path.split(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)

    def _inside(self, real: str, roots: Sequence[str]) -> bool:
        if roots not in self._roots:
            self._roots[roots] = tuple(os.path.realpath(root).rstrip("/") for root in roots)
        return any(real == root or real.startswith(f"{root}/") for root in self._roots[roots])

    def _planted(self, path: str, facts: os.stat_result) -> bool:
        if facts.st_uid == self.user:
            return False
        folder = os.path.dirname(path)
        if folder not in self._shared:
            try:
                self._shared[folder] = bool(os.stat(folder).st_mode & stat.S_IWOTH)
            except OSError:
                self._shared[folder] = True
        return self._shared[folder]


@dataclass(frozen=True, slots=True)
class Signature:
    """What the files of a context looked like: time, size and identity of each, None if absent."""

    files: tuple[tuple[str, tuple[int, int, int] | None], ...]

    def changed(self) -> tuple[str, ...]:
        """Return the files that appeared, changed or went since; nothing is read for that."""
        return tuple(path for path, seen in self.files if _look(path) != seen)


def signature(context: Context) -> Signature:
    """Remember what every file a context depends on looks like now, absent ones included."""
    return Signature(tuple((path, _look(path)) for path in context.depends))


def _look(path: str) -> tuple[int, int, int] | None:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(facts.st_mode):  # a folder's own times change with every file in it
        return (0, 0, facts.st_ino)
    return (facts.st_mtime_ns, facts.st_size, facts.st_ino)


def _trust(
    workspace: Workspace,
    settings: ContextSettings,
    options: ContextOptions,
    notes: list[Diagnostic],
) -> Trust:
    """Decide about the folder, and say so when its files are not loaded."""
    folder = workspace.base
    if options.trusted is not None:
        verdict = Trust(folder, options.trusted, "argument")
    else:
        path = trust.trust_file(workspace)
        try:
            verdict = trust.decide(folder, trust.read_records(path), default=settings.folder_trust)
        except ReverieError as error:
            notes.append(Diagnostic(str(path), 0, "trust_unreadable", str(error)))
            verdict = Trust(folder, False, str(path))
    if not verdict.trusted:
        message = (
            "the folder is not trusted, so its context files were not loaded; `reverie trust` does"
        )
        notes.append(Diagnostic(folder, 0, "untrusted", message))
    return verdict


def _absolute(
    paths: Iterable[str], workspace: Workspace, env: Mapping[str, str]
) -> tuple[str, ...]:
    """Expand `~`, take relative paths from the current folder, drop repetitions."""
    full = (os.path.abspath(os.path.join(workspace.cwd, expand(path, env))) for path in paths)
    return tuple(dict.fromkeys(full))
