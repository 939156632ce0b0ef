"""What a session was told already, so that nothing is said twice.

Rules:

* A plugin and an installation may both run a hook for the same event. One answer is given for each
  session, event and prompt: who makes the claim's file answers, the other changes nothing.
* A memory that stands in the conversation already, as it reads now, is not recalled into it again. A
  new start and a compaction forget what was shown.
* Two hooks are of one event when the second began before the first had answered: agents start them
  together. On a busy machine the hook of a plugin may begin after that of an installation has answered, or
  the other way round, so these have a moment more. The same words later are another event.
* What was shown is noted only for an agent that names its prompts, by an id or a time.
* All of this lies in `hooks` in the state folder, or in a folder of the person's own below the system's
  temporary one when that cannot be written. Where neither can, everything is said: rather twice than
  never.
* File names hold the session's id and a checksum, never words of a conversation.
"""

from __future__ import annotations

import os
import time
from zlib import crc32

from reverie.hooks.shapes import session_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from reverie.hooks.quick import Call

FOLDER = "hooks"
LONGEST_SECONDS = 30.0
"""No hook works longer; a claim of one that vanished is over after that."""
TOGETHER_SECONDS = 4.0
"""How long after the answer of a plugin's hook that of an installation may begin, or the reverse."""
HUNG_SECONDS = 60.0
"""How long a daemon that did not answer is not asked again."""
KEPT_SECONDS = 90 * 24 * 3600.0
_IDS = ("prompt_id", "turn_id", "generation_id", "timestamp")
_SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
_ID_CHARS = 80
_MAX_SHOWN = 256 * 1024
_SECTION = "\n\n### "


class Session:
    """The files about one session; every method works, or does nothing, on a disk of any kind."""

    def __init__(self, state: str, name: str, *, of_plugin: bool = False) -> None:
        self._state = state
        self._sign = b"plugin" if of_plugin else b""
        self._name = "".join(char if char in _SAFE else "-" for char in name[:_ID_CHARS]) or "none"
        self._claimed: list[str] = []

    def claim(self, what: str, *, since: float = 0.0) -> bool:
        """Say whether this process is the one that answers.

        Args:
            what: What is answered. Once in a session, unless `since` is given.
            since: When this process began; the claim of one that had answered by then is over.
        """
        for folder in folders(self._state):
            path = os.path.join(folder, f"{self._name}.{what}")
            try:
                _make(path, self._sign)
            except FileExistsError:
                if not since or not _taken_over(path, since, self._sign):
                    return False
            except OSError:
                continue
            self._claimed.append(path)
            return True
        return True

    def answered(self) -> None:
        """Note that the answer was given: what begins now is another event."""
        for path in self._claimed:
            try:
                os.utime(path)
            except OSError:
                continue

    def release(self) -> None:
        """Give the claims of this process back: it did not answer."""
        for path in self._claimed:
            _remove(path)
        self._claimed = []

    def show(self, block: str, prompt: str) -> str:
        """Return a recalled block without what the session knows from before this prompt."""
        if not block:
            return ""
        head, *sections = "\n".join(block.rstrip("\n").split("\n")[1:-1]).split(_SECTION)
        known = self._known(prompt)
        fresh = [section for section in sections if mark_of(_body(section)) not in known]
        self.note(map(_body, fresh), prompt)
        if len(fresh) == len(sections):
            return block
        if not fresh:
            return ""
        from reverie.core.showing.fence import fence

        return fence(_SECTION.join([head, *fresh]))

    def note(self, bodies: Iterable[str], prompt: str, *, anew: bool = False) -> None:
        """Note texts as shown with a prompt; `anew` forgets what was shown before."""
        lines = "".join(f"{mark_of(body)} {mark_of(prompt)}\n" for body in bodies)
        if not lines and not anew:
            return
        flags = os.O_CREAT | os.O_WRONLY | (os.O_TRUNC if anew else os.O_APPEND)
        for folder in folders(self._state):
            try:
                file = os.open(os.path.join(folder, f"{self._name}.shown"), flags, 0o600)
                os.write(file, lines.encode())
                os.close(file)
            except OSError:
                continue
            return

    def _known(self, prompt: str) -> set[str]:
        """Return marks of what was shown; what this very prompt was told may not have arrived."""
        for folder in folders(self._state):
            try:
                with open(os.path.join(folder, f"{self._name}.shown"), encoding="ascii") as file:
                    pairs = [line.split() for line in file.read(_MAX_SHOWN).splitlines()]
            except (OSError, ValueError):
                continue
            return {pair[0] for pair in pairs if len(pair) == 2 and pair[1] != mark_of(prompt)}
        return set()


def of(call: Call) -> Session:
    """Return the session that a hook is called for."""
    return Session(call.state(), session_of(call.payload), of_plugin=call.of_plugin)


def id_of(payload: dict[str, Any]) -> str:
    """Return what the agent itself calls one event, or when it happened; empty when it does not say."""
    return next((payload[key] for key in _IDS if isinstance(payload.get(key), str)), "")


def key_of(event: str, words: str) -> str:
    """Name one event of a session, without its words."""
    return f"{event}.{crc32(words.encode('utf-8', 'surrogatepass')):08x}"


def mark_of(body: str) -> str:
    """Stand for a text."""
    return f"{crc32(body.strip().encode('utf-8', 'surrogatepass')):08x}-{len(body.strip())}"


def folders(state: str) -> Iterable[str]:
    """Yield the folder to use, if there is one: it can be written and is the person's own."""
    person = os.geteuid()
    temporary = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108  # owner and mode are checked below
    instead = os.path.join(temporary, f"reverie-{person}-{mark_of(os.path.abspath(state))}")
    for folder in (os.path.join(state, FOLDER), instead):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            facts = os.lstat(folder)
        except OSError:
            continue
        if facts.st_uid == person and facts.st_mode & 0o170077 == 0o040000 and _is_writable(folder):
            yield folder
            return


def daemon_hangs(state: str, *, now: bool = False) -> bool:
    """Tell whether the daemon did not answer lately; `now` notes that it did not."""
    for folder in folders(state):
        path = os.path.join(folder, "daemon-hangs")
        try:
            if now:
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
                os.utime(path)
                return True
            return time.time() - os.stat(path).st_mtime < HUNG_SECONDS
        except OSError:
            continue
    return False


def tidy(state: str) -> None:
    """Remove what sessions of long ago have left."""
    before = time.time() - KEPT_SECONDS
    for folder in folders(state):
        for entry in os.scandir(folder):
            try:
                old = entry.stat(follow_symlinks=False).st_mtime < before
            except OSError:
                continue
            if old:
                _remove(entry.path)


def _make(path: str, sign: bytes) -> None:
    """Make the file of a claim; until the answer is given, its time lies ahead."""
    file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    os.write(file, sign)
    os.close(file)
    ahead = time.time() + LONGEST_SECONDS
    os.utime(path, (ahead, ahead))


def _taken_over(path: str, since: float, sign: bytes) -> bool:
    """Take over a claim that was over before; of several processes, one gets it."""
    mine = f"{path}.{os.getpid()}"
    try:
        if not _is_over(path, since, sign):
            return False
        os.rename(path, mine)
        over = _is_over(mine, since, sign)  # else somebody was faster, and this is their claim
        _remove(mine)
        if over:
            _make(path, sign)
    except OSError:
        return False
    return over


def _is_over(path: str, since: float, sign: bytes) -> bool:
    """Say whether a claim belongs to an earlier event than the one that began then."""
    of_same_kind = os.stat(path).st_size == len(sign)
    late = 0.0 if of_same_kind else TOGETHER_SECONDS
    return os.stat(path).st_mtime <= since - late


def _body(section: str) -> str:
    """Return the words of a memory in a recalled block, without its place and date."""
    return "\n".join(section.split("\n")[2:])


def _is_writable(folder: str) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
