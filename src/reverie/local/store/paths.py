"""Where everything lives, and the one guard that keeps paths inside their roots.

Rules
- A path is judged by its real form: both sides resolved, compared component by component. So
  `..notes.md` is a fine name, and `memory-evil` beside `memory` is outside `memory`.
- A symlink that points nowhere is refused: writing through it would create a file wherever it says.
- Two projects never share memory by accident: the readable slug ends in a hash of the real path, and
  where an agent's own name is used instead, it is recorded whose folder that is (see `owners`).
- A folder is a worktree of another repository only if that repository says so too.
- A path from outside passes `usable` before the system is asked about it: what no file can be called
  is an answer to whoever typed it, not an error of ours.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reverie.errors import InvalidPath, NotAFile, PathEscape, PathNotFound, ReverieError
from reverie.local.disk.files import read_text
from reverie.local.store.owners import project_folder
from reverie.types import Workspace

if TYPE_CHECKING:
    from reverie.config import MemorySettings
    from reverie.dialect import Dialect

_SLUG_CHARS = 40
_HASH_CHARS = 10
_GIT_FILE_BYTES = 16 * 1024
_NAME_BYTES = 255
_PATH_BYTES = 4095
"""The bounds of Linux; other systems have lower ones, which they tell themselves."""
_SHOWN_CHARS = 80


def usable(path: Path | str, *, text: bool = False) -> str:
    """Return a path as it was given, or raise `InvalidPath` if nothing can have that name.

    Args:
        text: The name must be UTF-8, as all that the journal keeps; file systems allow any bytes.
    """
    given = os.fspath(path)
    why = _unusable(given, text=text)
    if why:
        shown = given if len(given) <= _SHOWN_CHARS else f"{given[:_SHOWN_CHARS]}..."
        raise InvalidPath(f"{shown!r} is not a usable path: {why}")
    return given


def _unusable(path: str, *, text: bool) -> str:
    if not path:
        return "it is empty"
    if "\0" in path:
        return "it has a NUL byte"
    try:
        data = path.encode("utf-8") if text else os.fsencode(path)
    except UnicodeEncodeError:
        return "it is not UTF-8 text"
    if len(data) > _PATH_BYTES:
        return f"it has {len(data):,} bytes; the limit is {_PATH_BYTES:,}"
    longest = max(map(len, data.split(b"/")))
    if longest > _NAME_BYTES:
        return f"a name in it has {longest:,} bytes; the limit is {_NAME_BYTES}"
    return ""


def real_folder(path: Path | str) -> Path:
    """Return where the folder that somebody named really is; it need not be there."""
    return Path(os.path.realpath(usable(os.path.abspath(usable(path)))))


def find_program(name: str, env: Mapping[str, str]) -> str | None:
    """Find a program by PATH; relative entries, which mean whatever folder this is, do not count."""
    import shutil  # with its archives it costs more than the rest of this file

    folders = env.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)) or os.devnull)


def inside(root: Path, path: Path | str) -> Path:
    """Return the real path of `path` (relative ones are taken from `root`), or raise `PathEscape`."""
    text = usable(path)
    real_root = os.path.realpath(root)
    candidate = os.path.abspath(os.path.join(real_root, text))
    real = os.path.realpath(candidate)
    if not _holds(real_root, real):
        raise PathEscape(f"{text} leads outside {root}", path=text, root=str(root))
    named = Path(candidate)
    if named.is_symlink() and not named.exists():
        raise PathEscape(f"{text} is a link that points nowhere, so it is not followed", path=text)
    return Path(real)


def _holds(root: str, path: str) -> bool:
    """Compare two real paths component by component, as text: each write asks this a dozen times."""
    return path == root or path.startswith(root if root == "/" else root + "/")


def find_project_root(start: Path) -> Path | None:
    """Return the nearest folder at or above `start` that holds `.git`, as a folder or a file."""
    current = Path(os.path.realpath(start))
    for folder in (current, *current.parents):
        try:
            mode = os.lstat(folder / ".git").st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
            return folder
    return None


def main_checkout(root: Path) -> Path:
    """Return the main checkout that a linked worktree belongs to, or the root itself.

    A worktree's `.git` file names its private git folder, whose `commondir` names the shared one. An
    unpacked archive can bring such a file, so it is believed only if the repository says the same: the
    private folder lies among the shared one's worktrees, names this very `.git` file, and all of it
    belongs to the person. A submodule's private folder has no `commondir`, so a submodule stays a
    project of its own.
    """
    claimed = claimed_checkout(root)
    return claimed[0] if claimed is not None and claimed[1] else root


def claimed_checkout(root: Path) -> tuple[Path, bool] | None:
    """Return the main checkout that a `.git` file claims, and whether that repository agrees."""
    marker = root / ".git"
    line = _git_line(marker)
    if line is None or not line.startswith("gitdir:"):
        return None
    private = Path(os.path.realpath(root / line.removeprefix("gitdir:").strip()))
    common = _git_line(private / "commondir")
    if not common:
        return None
    shared = Path(os.path.realpath(private / common))
    if shared.name != ".git":
        return None
    back = _git_line(private / "gitdir")
    agrees = (
        bool(back)
        and os.path.realpath(private / (back or "")) == os.path.realpath(marker)
        and private.parent == shared / "worktrees"
        and all(map(_is_own, (marker, private, private / "gitdir", private / "commondir", shared)))
    )
    return shared.parent, agrees


def _git_line(path: Path) -> str | None:
    """Read one of git's small files that hold a path; None when it is nothing of the kind."""
    try:
        text = read_text(path, limit=_GIT_FILE_BYTES)
    except ReverieError:
        return None
    return None if text is None or "\0" in text else text.strip()


def _is_own(path: Path) -> bool:
    try:
        return os.lstat(path).st_uid == os.geteuid()
    except OSError:
        return False


def project_slug(root: Path) -> str:
    """Make a folder name from a project's path: readable in any script, unique by its hash."""
    real = os.path.realpath(root)
    readable = re.sub(r"[^\w.]+", "-", "-".join(Path(real).parts[-2:]).strip("/"))
    readable = readable.strip("-._")[-_SLUG_CHARS:].strip("-._") or "root"
    short = hashlib.sha256(os.fsencode(real)).hexdigest()[:_HASH_CHARS]
    return f"{readable}-{short}"


def base_folder(dialect: Dialect, *, home: Path | str | None, env: Mapping[str, str]) -> Path:
    """Find the base folder: the argument, the dialect's variables, else the dot folder in HOME."""
    chosen = home or next((env[name] for name in dialect.home_env if env.get(name)), None)
    if chosen is None:
        chosen = user_home(env) / dialect.config_dir
    return Path(usable(os.path.abspath(expand(usable(str(chosen)), env)), text=True))


def user_home(env: Mapping[str, str]) -> Path:
    """Return the person's home folder."""
    return Path(env.get("HOME") or Path.home())


def expand(text: str, env: Mapping[str, str]) -> str:
    """Expand a leading `~` with the HOME of `env`."""
    if text == "~" or text.startswith("~/"):
        return str(user_home(env)) + text[1:]
    return text


def _refuse_links(*folders: Path) -> None:
    """Refuse folders in a project that are links: a cloned repository may bring such."""
    for folder in folders:
        if folder.is_symlink():
            raise PathEscape(
                f"{folder} is a link, so this project's memory is not kept there; remove the link, or"
                " keep the memory in your home",
                path=str(folder),
            )


def open_workspace(
    cwd: Path | str,
    *,
    dialect: Dialect,
    settings: MemorySettings,
    env: Mapping[str, str],
    home: Path | str | None = None,
) -> Workspace:
    """Find the project and lay out every root of this workspace.

    Creates nothing but a record of whose folder it is, where an agent's own name for it is ambiguous.
    """
    here = real_folder(cwd)
    if not here.exists():
        raise PathNotFound(f"there is no folder {cwd}; name the workspace's folder with -C DIR")
    if not here.is_dir():
        raise NotAFile(f"{cwd} is not a folder; name the workspace's folder with -C DIR")
    root = find_project_root(here)
    if env.get(dialect.scope_env, "").strip().lower() == "workspace":
        root = None
    base = base_folder(dialect, home=home, env=env)
    identity = root or here
    if root is not None and settings.worktrees == "shared":
        identity = main_checkout(root)
    projects, own_state = base / "projects", base / dialect.state_dir
    if dialect.slug == "hashed":
        slug = project_slug(identity)
    else:
        slug = project_folder(identity, projects=projects, state=own_state)
    state = projects / slug
    memory = state / "memory"
    if env.get(dialect.local_env) == "1":
        state = (root or here) / dialect.config_dir
        memory = state / "memory"
        if state != base:
            _refuse_links(state, memory)
    return Workspace(
        cwd=str(here),
        project_root=str(root) if root else None,
        project_id=slug,
        home=str(base),
        user_memory=str(base / dialect.user_memory),
        project_memory=str(memory),
        project_state=str(state),
        state=str(own_state),
        agent=settings.agent,
        agents=dialect.agents_dir,
    )


def existing(folder: Path) -> Path:
    """Return a folder, or the nearest one above it that is there."""
    while not folder.is_dir():
        folder = folder.parent
    return folder
