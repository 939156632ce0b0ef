"""An export as a git repository: the folder, and one commit for every run of the journal.

Rules
- Nothing of the user's git takes part: no global or system settings, no hooks, no templates, no
  attributes, no network.
- Texts stay byte for byte; line ends are never changed.
- What goes to `fast-import` is either counted (`data`), or one line without control characters, or a
  quoted path: no name and no note can become a command. A name that git cannot hold is left out, and
  told.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from reverie.core.text.plain import digest
from reverie.errors import GitFailed
from reverie.local.moving.targets import FolderTarget
from reverie.local.store.paths import find_program
from reverie.types import Dropped, PortableRun, PortableText

if TYPE_CHECKING:
    from reverie.types import PortableHeader, PortableRecord, RunRecord

BRANCH: Final = "refs/heads/main"
_SETTINGS: Final = (
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.protectNTFS=false",
    "core.protectHFS=false",
    "commit.gpgSign=false",
    "gc.auto=0",
)


class GitTarget(FolderTarget):
    """A folder that is a repository too."""

    wants_runs = True

    def __init__(self, target: Path, *, force: bool = False, journal: bool = False) -> None:
        super().__init__(target, force=force, journal=journal)
        self._git = find_program("git", os.environ) or ""
        self._marks: dict[str, int] = {}
        self._importer: subprocess.Popen[bytes] | None = None
        self._commits = 0
        self._at = 0

    def open(self, header: PortableHeader) -> None:
        """Begin the repository."""
        if not self._git:
            raise GitFailed("the git command is not installed; export to a folder or jsonl instead")
        super().open(header)
        self._at = max(0, int(header.exported_at.timestamp()))
        self._run("init", "-q", "-b", "main", "--template=", ".")
        self._run("config", "core.autocrlf", "false")
        self._importer = subprocess.Popen(
            [*self._command("fast-import"), "--quiet", "--date-format=raw"],
            cwd=self.temp,
            env=self._env(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def put(self, record: PortableRecord) -> None:
        """Write one record; a run becomes a commit."""
        if isinstance(record, PortableText):
            self._blob(record.text)
        elif isinstance(record, PortableRun) and record.record.status != "rolled_back":
            self._commit(record)
        super().put(record)

    def _blob(self, text: str) -> None:
        name = digest(text)
        if name in self._marks:
            return  # a mark that is given twice would mean another text
        mark = self._marks[name] = len(self._marks) + 1
        data = text.encode("utf-8", "surrogateescape")
        self._send(b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(data), data))

    def _commit(self, run: PortableRun) -> None:
        record = run.record
        lines = [b"commit " + BRANCH.encode(), *_people(record)]
        message = _message(record).encode("utf-8", "replace")
        lines += [b"data " + str(len(message)).encode(), message]
        for delta in run.deltas:
            name = _quoted(self.stored(delta.at))
            if name is None:
                about = f"{delta.at!r} in run {record.id}"
                self.dropped.append(Dropped(about, "git cannot store a file of this name"))
            elif delta.after is None:
                lines.append(b"D " + name)
            elif delta.after in self._marks:
                lines.append(b"M 100644 :" + str(self._marks[delta.after]).encode() + b" " + name)
            else:
                self.dropped.append(Dropped(f"{delta.at} in run {record.id}", "its text is lost"))
        self._send(b"\n".join(lines) + b"\n\n")
        self._commits += 1

    def _send(self, data: bytes) -> None:
        try:
            self._stream().write(data)
        except BrokenPipeError:
            raise self._failed() from None

    def _stream(self) -> IO[bytes]:
        assert self._importer is not None  # noqa: S101  # opened first
        assert self._importer.stdin is not None  # noqa: S101  # asked for
        return self._importer.stdin

    def _failed(self) -> GitFailed:
        assert self._importer is not None  # noqa: S101  # opened first
        _, said = self._importer.communicate()
        return GitFailed(f"git fast-import: {said.decode('utf-8', 'replace').strip()[:500]}")

    def _complete(self) -> None:
        """Commit what memory holds now: also what was never in a run."""
        assert self._importer is not None  # noqa: S101  # opened first
        self._stream().close()
        self._importer.stdin = None
        if self._importer.wait() != 0:
            raise self._failed()
        if self._importer.stderr:
            self._importer.stderr.close()
        if self._commits:
            self._run("reset", "-q")
        self._run("add", "--all", "--force", ".")
        self._run("commit", "-q", "--allow-empty", "--no-verify", "-m", "Export of the memory")

    def discard(self) -> None:
        """Leave nothing behind, no process either."""
        if self._importer is not None and self._importer.poll() is None:
            self._importer.kill()
            self._importer.communicate()
        super().discard()

    # --- calling git ------------------------------------------------------------------------------

    def _command(self, *words: str) -> list[str]:
        settings = [part for item in _SETTINGS for part in ("-c", item)]
        return [self._git, *settings, *words]

    def _env(self) -> dict[str, str]:
        moment = f"{self._at} +0000"
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.temp),
            "LC_ALL": "C",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_AUTHOR_NAME": "Reverie",
            "GIT_AUTHOR_EMAIL": "reverie@localhost",
            "GIT_AUTHOR_DATE": moment,
            "GIT_COMMITTER_NAME": "Reverie",
            "GIT_COMMITTER_EMAIL": "reverie@localhost",
            "GIT_COMMITTER_DATE": moment,
        }

    def _run(self, *words: str) -> None:
        done = subprocess.run(
            self._command(*words), cwd=self.temp, env=self._env(), capture_output=True, check=False
        )
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip()[:500]
            raise GitFailed(f"git {words[0]}: {said}")


def _people(record: RunRecord) -> list[bytes]:
    moment = f"{max(0, int(record.at.timestamp()))} +0000"
    author = f"{_name(record.client or record.origin.value)} <{record.origin.value}@reverie>"
    return [
        f"author {author} {moment}".encode("utf-8", "replace"),
        f"committer Reverie <reverie@localhost> {moment}".encode(),
    ]


def _name(text: str) -> str:
    return _line(text.replace("<", "").replace(">", ""))[:80].strip() or "-"


def _line(text: str) -> str:
    """Put a text on one line, without what git or a terminal would take for more than text."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable())


def _message(record: RunRecord) -> str:
    first = _line(record.note)[:100]
    count = len(record.paths)
    about = first or f"{count} file{'s' if count != 1 else ''}"
    facts = {"Run": record.id, "Session": record.session, "Undoes": record.undoes}
    told = [f"{key}: {_line(value)}" for key, value in facts.items() if value]
    return "\n".join([f"{_line(record.verb)}: {about}", "", *told]) + "\n"


def _quoted(path: str) -> bytes | None:
    """Write a path as `fast-import` reads it; None for one that no tree can hold."""
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/")):
        return None
    try:
        plain = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    if b"\0" in plain:
        return None
    # Octal for everything that could end a line or the quotes.
    odd = b'"\\'
    return b'"%b"' % b"".join(
        b"\\%03o" % byte if byte < 32 or byte == 127 or byte in odd else bytes((byte,))
        for byte in plain
    )
