"""Context files on the disk: reading them safely, and noticing when one of them changes.

Rules
- A path is judged by its real form, every time: a link in a project that leads out of it is refused.
- A file in a folder that everybody may write to counts only if it is ours; anybody could have put
  another's there.
- Files of a folder that nobody has judged import visible text that git tracks; the rest waits until
  somebody trusts the folder. Git's own folder is imported by nobody but the person's own file.
- One bad file never stops the others; it is left out, with the reason.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.config import SecretSettings
from reverie.core.context.git_index import is_git_internal, is_hidden, is_text_name
from reverie.core.context.hierarchy import (
    ContextOptions,
    Places,
    assemble,
    context_names,
    project_names,
)
from reverie.errors import FileTooLarge, NotAFile, ReverieError
from reverie.local.context import trust
from reverie.local.context.git_files import listing
from reverie.local.context.scanned import Scanned
from reverie.local.disk.files import read_bytes
from reverie.local.store.paths import expand, find_project_root, usable, user_home
from reverie.types import Diagnostic, Trust
from reverie.types.context import Found, ImportRule, Refused

if TYPE_CHECKING:
    from reverie.config import ContextSettings
    from reverie.dialect import Dialect
    from reverie.local.context.git_files import Listing
    from reverie.types import Context, Verdict, Workspace


def load_context(
    workspace: Workspace,
    *,
    dialect: Dialect,
    settings: ContextSettings,
    env: Mapping[str, str],
    options: ContextOptions | None = None,
    secrets: SecretSettings | None = None,
) -> Context:
    """Load everything that applies to the workspace's current folder."""
    options = options or ContextOptions()
    notes: list[Diagnostic] = []
    records = _records(workspace, notes)
    verdict = _trust(workspace, settings, options, records, notes)
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
        trusted=verdict.verdict != "untrusted",
        verdict=verdict.verdict,
        judged=frozenset(folder for folder in include if _judge(folder, records) == "trusted"),
        extensions=_absolute([*settings.extensions, *options.extensions], workspace, env),
        include=include,
        import_roots=_absolute(settings.import_roots, workspace, env),
    )
    reader = DiskReader(
        limit=settings.max_file_bytes,
        user=os.geteuid(),
        home=os.path.realpath(workspace.home),
        user_home=places.user_home,
        judge=lambda folder: _judge(folder, records),
    )
    scanned = Scanned(Path(workspace.state), secrets or SecretSettings())
    context = assemble(
        places,
        reader,
        settings=settings,
        format=options.format or settings.format,
        clean=scanned.clean,
        notes=notes,
        depends=[str(trust.trust_file(workspace)), *include],
    )
    scanned.keep()
    return replace(context, depends=(*context.depends, *reader.indexes()))


@dataclass(slots=True)
class DiskReader:
    """Reads each file once and says of each why it may not be used."""

    limit: int
    user: int
    home: str = ""
    """The person's base folder, whose files are theirs wherever they are imported."""
    user_home: str = ""
    judge: Callable[[str], Verdict] = lambda _: "unknown"
    """Tells what is thought of a folder."""
    _folders: dict[str, str] = field(default_factory=dict)
    _roots: dict[Sequence[str], tuple[str, ...]] = field(default_factory=dict)
    _read: dict[str, Found | Refused] = field(default_factory=dict)
    _shared: dict[str, bool] = field(default_factory=dict)
    _listings: dict[str, Listing] = field(default_factory=dict)
    _repositories: dict[str, str] = field(default_factory=dict)

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
                f"{path} belongs to another user and is in a folder that everybody may write to",
            )
        if real not in self._read:
            self._read[real] = self._load(real)
        return self._read[real]

    def is_link(self, path: str) -> bool:
        """Say whether a path is another name of a file."""
        try:
            return stat.S_ISLNK(os.lstat(path).st_mode)
        except (OSError, ValueError):
            return False

    def refuses(self, path: str, rule: ImportRule) -> Refused | None:
        """Say why a rule keeps a file from being imported, if it does; nothing of it is read for that."""
        if rule.own:
            return None
        try:
            real = self._real(path, os.lstat(path))
        except (OSError, ValueError):
            return None  # reading it tells what is wrong
        for root, top in zip(rule.roots, self._tops(rule.roots), strict=True):
            if not _below(real, top):
                continue
            rel = real[len(top) + 1 :]
            if is_git_internal(rel):
                return Refused(
                    "git_internal", f"{path} is git's own; no project file may import it"
                )
            why = self._waits(real, rel, root, rule) if rule.careful else ""
            if why:
                return Refused(
                    "needs_trust",
                    f"{path} {why}, and this folder has no verdict yet: look at it, then run"
                    " `reverie trust`",
                )
            return None
        return None

    def indexes(self) -> list[str]:
        """Name the files that said what git tracks."""
        return sorted({item.index for item in self._listings.values() if item.index})

    def _waits(self, real: str, rel: str, root: str, rule: ImportRule) -> str:
        if not is_text_name(rel):
            return "is not a Markdown or plain text file"
        if rule.archive and rel.startswith(rule.archive):
            return "is hidden" if is_hidden(rel[len(rule.archive) :]) else ""
        if is_hidden(rel):
            return "is hidden"
        if root not in rule.tracked:
            return ""
        if root not in self._listings:
            self._listings[root] = listing(root)
        return "" if self._listings[root].holds(real) else "is not tracked by git"

    def rule_of(self, path: str, rule: ImportRule) -> ImportRule:
        """Return what a file may import: one that a repository brought has no more rights than that."""
        if not rule.own or _below(path, self.home):
            return rule
        folder = os.path.dirname(path)
        if folder not in self._repositories:
            self._repositories[folder] = str(find_project_root(Path(folder)) or "")
        root = self._repositories[folder]
        if not root or root == self.user_home:
            return rule
        return ImportRule((root,), careful=self.judge(root) != "trusted", tracked=(root,))

    def _load(self, real: str) -> Found | Refused:
        try:
            facts = os.stat(real)
            if stat.S_ISDIR(facts.st_mode):
                return Refused("directory", f"{real} is a folder, not a file")
            if self._planted(real, facts):
                return Refused(
                    "foreign",
                    f"{real} belongs to another user and is in a folder that everybody may write to",
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
        return any(real == root or _below(real, root) for root in self._tops(roots))

    def _tops(self, roots: Sequence[str]) -> tuple[str, ...]:
        """Return the real paths of some roots."""
        if roots not in self._roots:
            self._roots[roots] = tuple(os.path.realpath(root).rstrip("/") for root in roots)
        return self._roots[roots]

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


def _below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def _records(workspace: Workspace, notes: list[Diagnostic]) -> Mapping[str, bool] | None:
    """Return what was decided about folders; None, and a note, if that cannot be read."""
    path = trust.trust_file(workspace)
    try:
        return trust.read_records(path)
    except ReverieError as error:
        notes.append(Diagnostic(str(path), 0, "trust_unreadable", str(error)))
        return None


def _judge(folder: str, records: Mapping[str, bool] | None) -> Verdict:
    return trust.decide(folder, records or {}, default=True).verdict


def _trust(
    workspace: Workspace,
    settings: ContextSettings,
    options: ContextOptions,
    records: Mapping[str, bool] | None,
    notes: list[Diagnostic],
) -> Trust:
    """Decide about the folder, and say so when its files are not loaded."""
    folder = workspace.base
    if options.trusted is not None:
        answer: Verdict = "trusted" if options.trusted else "untrusted"
        verdict = Trust(folder, options.trusted, "argument", answer)
    elif records is None:
        verdict = Trust(folder, False, str(trust.trust_file(workspace)), "untrusted")
    else:
        verdict = trust.decide(folder, records, default=settings.folder_trust)
    if not verdict.trusted:
        message = (
            "the folder is not trusted, so its context files were not loaded; see `reverie trust`"
        )
        notes.append(Diagnostic(folder, 0, "untrusted", message))
    return verdict


def _absolute(
    paths: Iterable[str], workspace: Workspace, env: Mapping[str, str]
) -> tuple[str, ...]:
    """Expand `~`, take relative paths from the current folder, drop repetitions."""
    full = (
        os.path.abspath(os.path.join(workspace.cwd, expand(usable(path), env))) for path in paths
    )
    return tuple(dict.fromkeys(full))
