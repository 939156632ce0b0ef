"""The look: which Markdown files a memory folder holds now, and which of them changed since the last time.

Rules
- An edit made before a look is seen by it. Where the kernel tells of every change (`watching`), a look asks
  the kernel; else, and whenever that is not certain, it is a walk over every file.
- One look for a folder in a process, whoever asks: the store, recall, the threads of a daemon. Each of them
  asks for what changed since the number it last saw.
- A process that looks once never watches: a walk is cheaper than to begin watching. Whoever is going to write
  looks three times, and says so.
- What the kernel does not tell is looked at each time: links (what they lead to lies elsewhere), files with
  several names, and whether each folder is still the same one. A few files in turn are looked at as well; a
  change among them that was not told means a walk.
- Two changes within one tick of the clock look like one. So what a walk finds young counts as changed in
  the next walk, too.
- Names of files that are gone are kept only for a while: whoever looked longer ago is told of every file, and
  of those of its own that are not there any more.
- A hook looks at every prompt in a fresh process, so this imports almost nothing.
"""

from __future__ import annotations

import os
import stat
from _thread import allocate_lock

from reverie.local.store.listing import is_no_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, MutableMapping
    from weakref import finalize

    from reverie.local.disk.watching import Watch

    Seen = tuple[int, int, int, int, bool]
    """A file as it was: time, size, inode, time of the inode; and whether that is behind a link."""

YOUNG_NS = 2_000_000_000
"""The coarsest clock of a file system in use has steps of two seconds."""
_SAMPLE = 24
MOST_GONE = 4096
"""Names of files that are gone; half of them are let go when there are more."""
_shared: MutableMapping[str, Look] | None = None
_sharing = allocate_lock()


class Look:
    """What a folder holds, and since which look."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.files: dict[str, Seen] = {}
        """By path in the folder, as of the last look."""
        self.walks = 0
        """How often every file was looked at."""
        self.again = False
        """Whether more looks are to follow: then the first one begins to watch."""
        self._number = 0
        self._changes: dict[str, int] = {}
        self._let_go = 0
        """The last change of a file that is gone and was let go."""
        self._folders: dict[str, tuple[int, int]] = {}
        self._suspects: set[str] = set()
        self._young: set[str] = set()
        self._youngest = 0
        self._watch: Watch | None = None
        self._finalizer: finalize[[], Look] | None = None
        self._sample: Iterator[str] = iter(())
        self._process = os.getpid()
        self._lock = allocate_lock()

    def changes(
        self, number: int, known: Callable[[], Iterable[str]] = tuple
    ) -> tuple[int, list[tuple[str, Seen | None]]]:
        """Look; return a new number, and the files that changed, came or went (None) after the old one.

        Begin with -1: then it is every file.

        Args:
            known: Names the files that the caller knows, which may be gone.
        """
        with self._lock:
            if not self._told():
                self._walk()
            if 0 <= number < self._let_go:
                gone: list[tuple[str, Seen | None]] = [
                    (rel, None) for rel in known() if rel not in self.files
                ]
                return self._number, [*self.files.items(), *gone]
            if number < 0:
                return self._number, list(reversed(self.files.items()))
            found: list[tuple[str, Seen | None]] = []
            for rel in reversed(self._changes):
                if self._changes[rel] <= number:
                    break
                found.append((rel, self.files.get(rel)))
            return self._number, found

    @property
    def has_links(self) -> bool:
        """Whether any file is a link or has several names, as of the last look."""
        return bool(self._suspects)

    # --- asking the kernel ------------------------------------------------------------------------

    def _told(self) -> bool:
        """Bring everything up to date by what the kernel tells; False when that is not enough."""
        news = self._watch.news() if self._watch is not None else None
        if news is None or not self._same_folders():
            return False
        told = {f"{prefix}{name}" for prefix, name in news if _is_memory(name)}
        for rel in told:
            self._look_at(rel, told=True)
        for rel in list(self._suspects - told):
            self._look_at(rel)  # one that is no link any more stays suspect: that does no harm
        before = self._number
        for rel in self._some_files():
            self._look_at(rel)
        return self._number == before

    def _same_folders(self) -> bool:
        """Say whether each name still leads to the folder that is watched."""
        try:
            return all(
                _identity(os.stat(f"{self.root}/{prefix}")) == known
                for prefix, known in self._folders.items()
            )
        except OSError:
            return False

    def _some_files(self) -> list[str]:
        """Choose a few files, others each time."""
        chosen: list[str] = []
        for rel in self._sample:
            if rel in self.files:
                chosen.append(rel)
            if len(chosen) == _SAMPLE:
                return chosen
        self._sample = iter(list(self.files))
        return chosen

    def _look_at(self, rel: str, *, told: bool = False) -> None:
        path = f"{self.root}/{rel}"
        try:
            facts = os.lstat(path)
            linked = stat.S_ISLNK(facts.st_mode)
            if linked:
                self._suspects.add(rel)
                facts = os.stat(path)
            elif stat.S_ISDIR(facts.st_mode):
                raise IsADirectoryError
            self._note(rel, facts, linked=linked, told=told)
        except OSError:  # gone, or a link that leads nowhere
            self._note_gone(rel)

    # --- walking ----------------------------------------------------------------------------------

    def _walk(self) -> None:
        from time import time_ns

        if self._watch is not None:
            self._end_watching(self._watch)
            self._watch = None
        if self._process != os.getpid():  # forked: what was watched is our parent's
            self._process, self.walks = os.getpid(), 0
        watch = self._begin_watching() if self.walks or self.again else None
        self.walks += 1
        self._folders, self._suspects = {}, set()
        began = time_ns()
        self._youngest = began - YOUNG_NS
        young, self._young = self._young, set()
        there: dict[str, Seen] = {}
        stack = [""]
        while stack:
            prefix = stack.pop()
            try:
                stack += self._walk_in(prefix, watch, there)
            except OSError as error:
                if not is_no_folder(error):
                    raise
        known = self.files
        if not self._number:  # nothing was ever seen here: all of it is new
            known = self.files = there
            self._changes = dict(zip(there, range(1, len(there) + 1), strict=True))
            self._number = len(there)
        else:
            for rel, seen in there.items():
                if known.get(rel) != seen or rel in young:
                    self._note_changed(rel, seen)
        for rel in [rel for rel in known if rel not in there]:
            self._note_gone(rel)
        ended = time_ns()
        # A date in the future is no sign of youth: the next edit will bring today's.
        self._young = {rel for rel in self._young if self.files[rel][0] <= ended}
        self._sample = iter(())
        if watch is not None and (watch.lost or not self._folders):
            self._end_watching(watch)  # a folder that is not there yet is looked for, each time
            watch = None
        self._watch = watch

    def _walk_in(self, prefix: str, watch: Watch | None, there: dict[str, Seen]) -> list[str]:
        """Look at the files of one folder; return the folders in it."""
        below: list[str] = []
        youngest = self._youngest
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (os.O_NOFOLLOW if prefix else 0)
        folder = os.open(f"{self.root}/{prefix}".rstrip("/"), flags)
        try:
            if watch is not None:
                watch.add(prefix, folder)  # first: what happens from now on is told
            self._folders[prefix] = _identity(os.fstat(folder))
            with os.scandir(folder) as listing:
                for item in listing:
                    # This is done for every file of a memory at every prompt.
                    name = item.name
                    if name[0] == ".":
                        continue
                    if name[-3:] == ".md" and not item.is_dir(follow_symlinks=False):
                        rel = prefix + name
                        linked = item.is_symlink()
                        if linked:
                            self._suspects.add(rel)
                        try:
                            facts = item.stat()
                        except OSError:  # a link that points nowhere, or a file just removed
                            continue
                        changed = facts.st_mtime_ns
                        there[rel] = changed, facts.st_size, facts.st_ino, facts.st_ctime_ns, linked
                        if facts.st_nlink > 1:
                            self._suspects.add(rel)
                        if changed > youngest:
                            self._young.add(rel)
                    elif item.is_dir(follow_symlinks=False):
                        below.append(f"{prefix}{name}/")
        finally:
            os.close(folder)
        return below

    def _begin_watching(self) -> Watch:
        from weakref import finalize

        from reverie.local.disk.watching import Watch

        watch = Watch()
        self._finalizer = finalize(self, watch.close_later)
        self._finalizer.atexit = False
        return watch

    def _end_watching(self, watch: Watch) -> None:
        watch.close()
        if self._finalizer is not None:
            self._finalizer.detach()  # it holds the watch for as long as this lives
            self._finalizer = None

    def _note(self, rel: str, facts: os.stat_result, *, linked: bool, told: bool) -> None:
        changed = facts.st_mtime_ns
        seen = changed, facts.st_size, facts.st_ino, facts.st_ctime_ns, linked
        if facts.st_nlink > 1:
            self._suspects.add(rel)
        if changed > self._youngest:
            self._young.add(rel)
        if told or self.files.get(rel) != seen:
            self._note_changed(rel, seen)

    def _note_changed(self, rel: str, seen: Seen) -> None:
        self.files[rel] = seen
        self._number += 1
        self._changes.pop(rel, None)
        self._changes[rel] = self._number

    def _note_gone(self, rel: str) -> None:
        if self.files.pop(rel, None) is not None:
            self._number += 1
            self._changes.pop(rel, None)
            self._changes[rel] = self._number
            if len(self._changes) - len(self.files) > MOST_GONE:
                self._let_go_of_names()

    def _let_go_of_names(self) -> None:
        """Forget half of the files that are gone, those that went first."""
        gone = [rel for rel in self._changes if rel not in self.files]
        for rel in gone[: len(gone) // 2]:
            self._let_go = self._changes.pop(rel)


def shared_look(root: str) -> Look:
    """Return the look of this process for a folder, by the name that it was given."""
    global _shared
    with _sharing:
        if _shared is None:
            from weakref import WeakValueDictionary

            _shared = WeakValueDictionary()
        found = _shared.get(root)
        if found is None:
            found = _shared[root] = Look(root)
        return found


def _identity(facts: os.stat_result) -> tuple[int, int]:
    return facts.st_dev, facts.st_ino


def _is_memory(name: str) -> bool:
    return name.endswith(".md") and not name.startswith(".")


def signature_of(seen: Seen) -> str:
    """Return what the journal notes of a file."""
    return f"{seen[0]}:{seen[1]}:{seen[2]}"
