"""Wiping: words out of every file of the home that is neither Markdown of the memory nor the journal.

Rules:

* Every file is looked at, not a list of places where words are expected. What cannot be read, or is
  not ours to change, is told with the reason.
* What can be made anew from the memory (indexes, stored words) is thrown away and not edited.
* Where an agent keeps files of its own in the same folder, only ours are looked at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reverie.core.erasing import everywhere as rules
from reverie.core.erasing import places
from reverie.core.erasing.everywhere import Held, Tally
from reverie.core.history.sealing import resealed
from reverie.core.learning.heard import heard_path
from reverie.core.tasks.rows import clean_column
from reverie.errors import FileTooLarge, NotText, ReadOnly, ReverieError, StoreError
from reverie.local.disk.appending import append_line
from reverie.local.disk.files import (
    TEMP_SUFFIX,
    abandoned_temps,
    read_bytes,
    read_text,
    remove_file,
    sync_folder,
    write_atomic,
)
from reverie.local.disk.locks import file_lock
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import folder_below
from reverie.local.disk.snapshot import read_rows
from reverie.local.erasing.cleaning import cleaned, guessed
from reverie.local.erasing.home_files import HomeFiles
from reverie.local.recall.word_file import purge as purge_words
from reverie.local.tasks import task_file
from reverie.types import Scope

if TYPE_CHECKING:
    from reverie.core.erasing.everywhere import Erasure
    from reverie.core.erasing.occurrences import WordsToErase
    from reverie.local.store.filestore import FileStore

_MAX_BYTES: Final = 256 * 1024 * 1024
_READ_ONLY: Final = "its folder cannot be written to; change its permissions and erase again"
_HARD_LINK: Final = "it has another name outside the home, where the old text stays"
# What the first bytes of packed files look like: words in them cannot be found by reading.
_PACKED: Final = (
    b"%PDF", b"\x1f\x8b", b"PK\x03\x04", b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf",
    b"SQLite format 3",
)  # fmt: skip


class EverywhereEraser:
    """Everything of one home that can hold words."""

    def __init__(self, store: FileStore, *, own_home: bool, context: Sequence[str]) -> None:
        self._store = store
        self._home = HomeFiles(store.workspace, own_home=own_home)
        self.space = self._home.space
        self._state = self.space.state
        self._context = context
        """Places where context files are looked for besides those the journal knows."""
        self._limit = store.settings.memory.max_file_bytes
        self._unread = Tally()
        self._linked = Tally()

    # --- Markdown of the memory -------------------------------------------------------------------

    def held(self, erasure: Erasure, *, beside: bool = False) -> list[Held]:
        """Read the Markdown files that hold the words; what cannot be read is left for `sweep`."""
        found: list[Held] = []
        to_erase = erasure.living
        self._unread = Tally()
        for path in self._heard() if beside else self._markdown():
            kind, root = places.kind_of(path, self.space)
            try:
                text = read_text(Path(path), limit=self._limit) or ""
            except ReverieError as error:
                self._cannot_read(kind, path, error, to_erase)
                continue
            file = Held(kind, path, root, text)
            named = rules.name_holds(file.rel, to_erase)
            if not named and not to_erase.holds(text) and file.cleaned(erasure) == text:
                continue
            if not os.access(os.path.dirname(path), os.W_OK | os.X_OK):
                self._unread.leave(kind, path, ReadOnly.code, _READ_ONLY)
                continue
            self._hard_links(kind, path)
            found.append(file)
        return found

    def _hard_links(self, kind: str, path: str) -> None:
        """A file that has another name outside of the home stays under that one as it was."""
        facts = os.stat(path)
        if facts.st_nlink > 1:
            same = [
                other for other in self._home.files() if os.path.samestat(os.lstat(other), facts)
            ]
            if len(same) < facts.st_nlink:
                self._linked.leave(kind, path, "hard_link", _HARD_LINK)

    def _cannot_read(
        self, kind: str, path: str, error: ReverieError, to_erase: WordsToErase
    ) -> None:
        if isinstance(error, NotText):
            data = read_bytes(Path(path), limit=self._limit) or b""
            if not to_erase.holds(guessed(data)):
                return
        self._unread.leave(kind, path, error.code, str(error))

    def _markdown(self) -> Iterator[str]:
        seen: set[str] = set()
        for path in [*self._home.files(), *self._heard(), *self._outside()]:
            real = os.path.realpath(path)
            if real not in seen and self._is_memory(path) and real == path:
                seen.add(real)
                yield path

    def _heard(self) -> Iterator[str]:
        """Yield the files of what was heard in this workspace."""
        paths = (os.path.realpath(heard_path(self.space, scope)) for scope in Scope)
        yield from (path for path in dict.fromkeys(paths) if os.path.isfile(path))

    def _project_state(self) -> Iterator[str]:
        """Yield the state files of this project, which may lie in an agent's own folder."""
        paths = (f"{self.space.project_state}/{name}" for name in places.PROJECT_STATE)
        yield from filter(os.path.isfile, paths)

    def _is_memory(self, path: str) -> bool:
        if not path.endswith(".md") or path.startswith(f"{self._state}/"):
            return False
        kind = places.kind_of(path, self.space)[0]
        return kind not in (places.EXPORTS, places.STATE, places.HISTORY, places.COGNITION)

    def _outside(self) -> Iterator[str]:
        """Context files of the project: those we look for, and those we wrote."""
        base = f"{self.space.base}/"
        known = [path for path in self._store.journal.file_states(base) if path.endswith(".md")]
        for path in (*self._context, *known):
            real = os.path.realpath(path)
            if os.path.isfile(real) and real.startswith((base, f"{self.space.home}/")):
                yield real

    def other_projects(self, paths: Sequence[str]) -> list[str]:
        """Return the memory folders of other projects in which these files lie."""
        ours = (self.space.user_memory, self.space.project_memory)
        found = {places.kind_of(path, self.space) for path in paths}
        return sorted(root for kind, root in found if kind == places.MEMORIES and root not in ours)

    # --- the rest ---------------------------------------------------------------------------------

    def sweep(
        self,
        to_erase: WordsToErase,
        *,
        erase: bool,
        beside: bool,
        purge: Callable[[], Sequence[str]],
    ) -> Tally:
        """Count, and with `erase` clean, everything else that holds the words, or what is `beside` alone."""
        tally = Tally()
        for path in dict.fromkeys([*self._home.files(), *self._project_state()]):
            if not self._is_memory(path) and (not beside or self._is_beside(path)):
                self._one(path, to_erase, tally, erase=erase)
        self._tasks(to_erase, tally, erase=erase)
        if not beside:
            self._around(to_erase, tally, erase=erase)
        named = self._derived(to_erase)
        if erase:
            purge_words(self._state)
            searched = {os.path.realpath(root) for root in purge()}
            self._discard({*self._foreign(searched), *self._derived(to_erase)})
        tally.found(places.INDEX, len(named), erased=erase)
        return tally

    def _is_beside(self, path: str) -> bool:
        """Tell whether a file is ours about this workspace's memories; other projects keep their state."""
        place = places.place_of(path, self.space)
        if path.endswith(TEMP_SUFFIX):
            return True
        ours = place.root in (self.space.project_state, self.space.home, self._state)
        return place.kind in places.BESIDE and ours

    def _around(self, to_erase: WordsToErase, tally: Tally, *, erase: bool) -> None:
        """Look at names of folders, at links, and at what cannot be looked into."""
        self._folders(to_erase, tally, erase=erase)
        self._links(to_erase, tally)
        for folder, reason in self._home.closed.items():
            tally.leave(places.kind_of(f"{folder}/x", self.space)[0], folder, ReadOnly.code, reason)
        tally.left = list(dict.fromkeys([*self._unread.left, *self._linked.left, *tally.left]))
        for path in self._home.repositories():
            reason = "past commits are not rewritten; remove the repository, or rewrite it with git"
            tally.leave(places.EXPORTS, path, "git_history", reason)

    def _one(self, path: str, to_erase: WordsToErase, tally: Tally, *, erase: bool) -> None:
        name = os.path.basename(path)
        kind, root = places.kind_of(path, self.space)
        if name.endswith(TEMP_SUFFIX) and not os.path.islink(path):
            self._temp(path, to_erase, tally, erase=erase)
            return
        if not kind or name.endswith(".lock") or os.path.islink(path):
            return  # what a link leads to is looked at where it lies, if that is ours
        text = self._text(kind, path, to_erase, tally)
        named = rules.part_holds(name, to_erase)
        telling = named and kind == places.EXPORTS
        clean = text if text is None else cleaned(name, text, to_erase)
        if named and not telling:
            tally.leave(kind, path, "file_name", rules.NAME_KEPT)
        if clean == text and not telling:
            if text is not None and to_erase.holds(text):
                tally.leave(kind, f"in {kind}", "structure", rules.STRUCTURE)
            return
        if kind == places.SETTINGS:
            reason = "settings are not rewritten; remove the words yourself"
            tally.leave(places.SETTINGS, path, "settings_file", reason)
            return
        self._hard_links(kind, path)
        try:
            if erase:
                with self._lock_of(kind, path):
                    self._replace(path, Path(root), kind, to_erase)
        except ReverieError as error:
            tally.leave(kind, path, error.code, str(error))
            tally.found(kind, erased=False)
            return
        tally.found(kind, erased=erase)

    def _text(self, kind: str, path: str, to_erase: WordsToErase, tally: Tally) -> str | None:
        """Return a file's text; None, and told if it may matter, where it has none."""
        try:
            data = read_bytes(Path(path), limit=_MAX_BYTES)
        except StoreError as error:
            tally.leave(kind, path, error.code, str(error))
            return None
        except FileTooLarge as error:
            tally.leave(kind, path, error.code, f"{error}; it was not searched")
            return None
        if data is None:
            return None
        if data.startswith(_PACKED) or kind == places.JOURNAL:
            reason = "it is compressed, so it was not searched; remove it unless you need it"
            tally.leave(kind, path, "not_searchable", reason)
            return None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            if to_erase.holds(guessed(data)):
                reason = "it is not UTF-8 text; remove the words yourself, or remove the file"
                tally.leave(kind, path, NotText.code, reason)
            return None

    def _replace(self, path: str, root: Path, kind: str, to_erase: WordsToErase) -> None:
        target = Path(path)
        text = read_text(target, limit=_MAX_BYTES)  # once more: it may have changed before the lock
        if text is None:
            return
        clean = cleaned(target.name, text, to_erase)
        if clean != text:
            if kind == places.HISTORY:
                clean = resealed(clean, before=text)
            with _followed(target, len(text.encode())) if kind == places.EVENTS else nullcontext():
                write_atomic(target, clean.encode("utf-8", "surrogatepass"), root)
        if kind == places.EXPORTS and to_erase.holds(target.name):
            self._rename(target, to_erase)

    def _rename(self, path: Path, to_erase: WordsToErase) -> None:
        wanted = str(path.with_name(rules.redact_name(path.name, to_erase, salt="")))
        free = os.path.basename(rules.free_name(wanted, os.path.lexists))
        with folder_below(path.parent, path.parent) as folder:
            folder.move(path.name, folder, free)

    def _temp(self, path: str, to_erase: WordsToErase, tally: Tally, *, erase: bool) -> None:
        """A text that a killed process never put in place."""
        if Path(path) not in set(abandoned_temps(Path(path).parent)):
            return
        data = read_bytes(Path(path), limit=_MAX_BYTES) or b""
        if to_erase.holds(data.decode("utf-8", "ignore")) or to_erase.holds(os.path.basename(path)):
            if erase:
                remove_file(Path(path))
            tally.found(places.LEFTOVERS, erased=erase)

    def _lock_of(self, kind: str, path: str) -> AbstractContextManager[None]:
        if kind == places.HISTORY:
            lock = Path(path.partition("/history/")[0], "history", "state", "history.lock")
        elif kind == places.STATE:
            folder, name = os.path.split(path)
            lock = Path(self._state, "locks", os.path.basename(folder), f"{name}.lock")
        else:
            return nullcontext()
        wait = self._store.settings.memory.lock_wait_seconds
        return file_lock(lock, wait=wait, purpose="erasing")

    def _tasks(self, to_erase: WordsToErase, tally: Tally, *, erase: bool) -> None:
        path = Path(self._state, "tasks.db")
        held = task_file.holding(path, lambda column: clean_column(column, to_erase) != column)
        count = len(held)
        if erase and count:
            count = task_file.erase(path, to_erase)
        tally.found(places.TASKS, count, erased=erase)

    # --- what is derived --------------------------------------------------------------------------

    def _derived(self, to_erase: WordsToErase) -> list[Path]:
        """Return the indexes that name the words."""
        indexes = Path(self._state, "index").glob("*/*/index.db")
        histories = Path(self._state, "agents").glob("*/history.db")
        return [
            *(path for path in sorted(indexes) if _hold(read_rows(path, _INDEXED), to_erase)),
            *(path for path in sorted(histories) if _hold(read_rows(path, _HISTORY), to_erase)),
        ]

    def _foreign(self, searched: Collection[str]) -> list[Path]:
        """Return the indexes of folders that nobody has just brought up to date."""
        found = []
        for path in Path(self._state, "index").glob("*/*/index.db"):
            rows = read_rows(path, ("SELECT value FROM meta WHERE key = 'identity'",)) or [""]
            if rows[0].rpartition("; ")[2].partition(" ")[2] not in searched:
                found.append(path)
        return found

    def _discard(self, paths: Iterable[Path]) -> None:
        """Throw indexes away; they are made anew from the files."""
        wait = self._store.settings.memory.lock_wait_seconds
        for path in paths:
            if path.name != "index.db":
                with explained(path):
                    for suffix in ("", "-wal", "-shm"):
                        Path(f"{path}{suffix}").unlink(missing_ok=True)
                continue
            folder = path.parent
            lock = folder.with_name(f"{folder.name}.lock")
            with file_lock(lock, wait=wait, purpose="erasing"), explained(folder):
                shutil.rmtree(folder)

    # --- folders ----------------------------------------------------------------------------------

    def _folders(self, to_erase: WordsToErase, tally: Tally, *, erase: bool) -> None:
        """Take telling names from folders; one that a project is known by keeps its name."""
        for folder in self._telling(to_erase):
            kind, root = places.kind_of(f"{folder}/x", self.space)
            if not any(folder.iterdir()):
                if erase:
                    folder.rmdir()
                    sync_folder(folder.parent)
                tally.found(places.LEFTOVERS, erased=erase)
            elif kind == places.EXPORTS:
                try:
                    if erase:
                        self._rename(folder, to_erase)
                except ReverieError as error:
                    tally.leave(kind, str(folder), error.code, str(error))
                    tally.found(kind, erased=False)
                    continue
                tally.found(kind, erased=erase)
            elif not str(folder).startswith(f"{root}/"):
                reason = "a project or an agent is known by this folder, so it keeps its name"
                tally.leave(kind, str(folder), "folder_name", reason)
            elif any(not self._is_memory(path) for path in self._home.files(str(folder))):
                reason = (
                    "it contains files other than memory, which were not moved; rename it yourself"
                )
                tally.leave(kind, str(folder), "folder_name", reason)

    def _telling(self, to_erase: WordsToErase) -> list[Path]:
        found: list[Path] = []
        for root in self._home.roots():
            for place, folders, _ in os.walk(root, topdown=False):
                found += [
                    Path(place, name)
                    for name in sorted(folders)
                    if rules.part_holds(name, to_erase)
                    and not os.path.islink(os.path.join(place, name))
                ]
        kept = (f"{self._state}/", *(f"{root}/" for root in self._home.repositories()))
        return [folder for folder in found if not f"{folder}/".startswith(kept)]

    def _links(self, to_erase: WordsToErase, tally: Tally) -> None:
        """Tell of links with a telling name, and of those that lead out of the home to the words."""
        for path in self._home.entries(os.path.islink):
            kind = places.kind_of(path, self.space)[0]
            real = os.path.realpath(path)
            inside = real.startswith(tuple(f"{root}/" for root in self._home.roots()))
            if to_erase.holds(os.path.basename(path)) or to_erase.holds(os.readlink(path)):
                tally.leave(kind, path, "file_name", "it is a link; rename or remove it yourself")
            elif not inside and (os.path.isdir(real) or self._says(real, to_erase)):
                reason = "it leads out of the home, so what it leads to was not changed"
                tally.leave(kind, path, "link_outside", reason)

    def _says(self, path: str, to_erase: WordsToErase) -> bool:
        try:
            return to_erase.holds(guessed(read_bytes(Path(path), limit=_MAX_BYTES) or b""))
        except ReverieError:
            return True


@contextmanager
def _followed(path: Path, size: int) -> Iterator[None]:
    """Carry over what others append to a log while it is replaced."""
    with path.open("rb") as before:
        yield
        before.seek(size)
        if late := before.read():
            append_line(str(path), late.decode("utf-8", "replace"))


_INDEXED: Final = (
    "SELECT path, title, label, grp, problem FROM file",
    "SELECT DISTINCT speaker FROM chunk",
    "SELECT path FROM folder",
)
_HISTORY: Final = ("SELECT DISTINCT session, source FROM turn",)


def _hold(texts: Iterable[str] | None, to_erase: WordsToErase) -> bool:
    """Tell whether a database of ours holds the words; one that cannot be read is not trusted."""
    return texts is None or any(to_erase.holds(text) for text in texts)
