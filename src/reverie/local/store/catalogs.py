"""Writing the catalogs of a memory folder: generated, so that nothing about one is ever fatal.

Rules
- A `MEMORY.md` that cannot be read as text, or is a link, a folder or anything else, gets another name
  in plain sight and is made anew. A sub-catalog that cannot be read is not ours and is left alone.
- What could not be written is told; the memories themselves are kept, and other folders go on.
- A catalog that somebody else wrote is recorded before it is replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.core.text.plain import digest
from reverie.core.topics.topic import CATALOG_NAME
from reverie.errors import DiskFull, ReverieError, StaleBase
from reverie.local.disk.rooted import Folders
from reverie.local.store.control import free_name
from reverie.local.store.settling import replace_text, state_of
from reverie.types import Problem
from reverie.types.writing import Planned

if TYPE_CHECKING:
    from pathlib import Path

    from reverie.local.disk.rooted import Folder
    from reverie.local.store.filestore import FileStore
    from reverie.local.store.managed import ManagedFolder
    from reverie.local.store.roots import Place

_ASIDE = ".unreadable"
_LOOKS = 20


def rebuild_catalogs(
    memory: ManagedFolder, store: FileStore, *, adopt: Callable[[str], None]
) -> list[str]:
    """Write the catalogs of one folder anew; return what a person should know about them.

    Args:
        adopt: Records what stands at a path before it is replaced.
    """
    notes: list[str] = []
    try:
        with Folders() as folders:
            _rebuild(memory, store, folders, adopt, notes)
    except DiskFull:
        raise
    except ReverieError as error:
        notes.append(f"the catalog of {memory.root} was not brought up to date: {error}")
    return notes


def _rebuild(
    memory: ManagedFolder,
    store: FileStore,
    folders: Folders,
    adopt: Callable[[str], None],
    notes: list[str],
) -> None:
    top = store.roots.recorded(str(memory.root))
    limit = store.settings.memory.max_file_bytes

    def place_of(rel: str) -> Place:
        return replace(top, rel=f"{top.rel}/{rel}" if top.rel else rel)

    there: dict[str, str | None] = {}

    def read(rel: str) -> str | None:
        there[rel] = memory.catalog_texts[rel] if rel in memory.catalog_texts else read_anew(rel)
        return there[rel]

    def read_anew(rel: str) -> str | None:
        place = place_of(rel)
        folder = place.folder_in(folders)
        try:
            text = folder.read_text(place.name, limit=limit)
            if text is not None:
                memory.catalog_texts[rel] = text
            return text
        except DiskFull:
            raise
        except ReverieError as error:
            if "/" in rel:
                return ""  # told, if the list needs the place
            notes.append(_set_aside(folder, place.name, error, store))
            return None

    files, more = memory.catalogs(read)
    notes.extend(more)
    for rel, text in files.items():
        place = place_of(rel)
        for last in range(_LOOKS, 0, -1):
            try:
                _write(place, there[rel], text, store, folders, adopt)
                break
            except StaleBase:  # somebody saved it in this very moment, which is recorded first
                if last == 1:
                    raise
                there[rel] = read_anew(rel)


def _write(
    place: Place,
    now: str | None,
    text: str | None,
    store: FileStore,
    folders: Folders,
    adopt: Callable[[str], None],
) -> None:
    if now == text:
        known = store.journal.file_state(place.path)
        if text is None or (known and known.hash == digest(text)):
            return
        # Written by a process that died, or had no room, before it could say so. Its facts are not known
        # to be those of this text, so it is looked at once more the next time.
        store.journal.note_files([(place.path, text, "")], at=store.clock())
        return
    adopt(place.path)
    facts = replace_text(place, folders, Planned(place.path, now, text))
    store.journal.note_files([state_of(place, text, facts)], at=store.clock())


def _set_aside(folder: Folder, name: str, error: ReverieError, store: FileStore) -> str:
    taken = set(folder.names())
    if name not in taken:  # it is gone again, or the folder itself is in the way
        raise error
    kept = free_name(f"{name}{_ASIDE}", now=store.clock(), taken=taken.__contains__)
    folder.move(name, folder, kept)
    return (
        f"{folder.path}/{name} was generated again, because what was there could not be used; it is"
        f" kept as {kept} ({error})"
    )


def kept_aside(root: Path) -> list[Problem]:
    """Tell of catalogs that were put aside and still lie there."""
    return [
        Problem(
            "catalog_set_aside",
            f"{path} was where the generated catalog belongs and could not be used; take what you need"
            " from it, and remove it",
            str(path),
        )
        for path in sorted(root.glob(f"{CATALOG_NAME}-*{_ASIDE}"))
    ]
