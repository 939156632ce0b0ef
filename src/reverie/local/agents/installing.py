"""Putting our hooks and our server into an agent's settings, and taking them out again.

Rules:

* Planning reads and changes nothing; what is planned can be shown as a diff before it is done.
* A person's own link to a settings file stays a link: its target is edited. In a project no link is
  followed, for a cloned repository may bring such. A file that is read-only is not edited.
* Before a file is changed its bytes are kept in our state. Taking our part out of a file that nobody
  touched since gives those bytes back; otherwise only what is ours goes, by span.
"""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.core.agents import json_edit, toml_edit
from reverie.core.agents.known import EVENTS, hook_entry, is_ours, server_entry, tool_entry
from reverie.core.text.plain import digest
from reverie.errors import ConfigUnreadable, PathEscape, ReadOnly, StaleBase
from reverie.local.agents.versions import takes_tools
from reverie.local.disk.files import make_folder, read_text, remove_file, write_atomic
from reverie.local.disk.locks import file_lock
from reverie.local.disk.os_errors import explained
from reverie.local.disk.rooted import folder_below
from reverie.local.store.control import read_json, write_json
from reverie.local.store.paths import find_program, user_home
from reverie.local.store.roots import own_path
from reverie.types import Scope

if TYPE_CHECKING:
    from reverie.core.agents.known import Agent, Place

SERVER = "reverie"
_LIMIT = 64 * 1024 * 1024
_RECORDS = "installs.json"


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One settings file before and after."""

    path: str
    """As the agent names it; a link is shown, its target is written."""
    before: str | None
    after: str | None
    made: tuple[tuple[str, ...], ...] = ()
    """Objects and lists that were not there before."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Host:
    """Where an agent's files are on this machine, and what they are to call."""

    agent: Agent
    scope: Scope
    project: str
    state: Path
    env: Mapping[str, str]
    program: Sequence[str] = ()
    """Our executable, by its absolute path."""
    options: Sequence[str] = field(default=())
    """Global options that go into every call, such as --home."""

    def where(self, template: str, shown: Callable[[str], str] = str) -> str:
        """Fill in a path of the agent's table, with each folder as `shown` writes it."""
        home = user_home(self.env)
        moved = self.env.get(self.agent.config_env) if self.agent.config_env else None
        config = Path(moved) if moved else home / self.agent.config
        beside = config / ".claude.json" if moved else home / ".claude.json"
        folders = {"config": config, "project": self.project, "state": beside}
        return template.format(**{name: shown(str(path)) for name, path in folders.items()})


def own_program() -> list[str]:
    """Return how this very program is called, whatever the PATH of an agent is."""
    script = Path(sys.executable).with_name("reverie")
    if script.is_file():
        return [str(script)]
    found = find_program("reverie", os.environ)
    return [found] if found else [sys.executable, "-P", "-m", "reverie"]


def plan_install(host: Host, *, lead: bool = False) -> list[FileEdit]:
    """Plan what has to be in the agent's files; a file that is right already has no changes.

    `lead` also switches off the memory that the agent keeps by itself.
    """
    agent, scope = host.agent, host.scope
    texts = _Texts(host)
    hooks = agent.hooks[scope]
    for key, value in agent.fixed:
        if key not in (texts.value(hooks) or {}):
            texts.put(hooks, (key,), value)
    # For one project it was not tried: there, an agent trusts less of what settings say.
    by_tool = agent.tool_events if scope is Scope.USER and takes_tools(agent, host.env) else {}
    for event in EVENTS:
        if event in by_tool:
            texts.hook(hooks, agent.events[event], tool_entry(agent, event))
        elif event in agent.events:
            words = [*host.program, "hook", event, "--agent", agent.name, *host.options]
            texts.hook(hooks, agent.events[event], hook_entry(agent, shlex.join(words)))
    texts.server(agent.servers[scope])
    for keys, off in agent.native.switches if lead and agent.native else ():
        if texts.value(hooks, keys) != off:
            texts.put(hooks, keys, off)
    return texts.edits()


def plan_uninstall(host: Host) -> list[FileEdit]:
    """Plan how our part goes out of the agent's files."""
    agent, scope = host.agent, host.scope
    records = _records(host.state)
    edits = []
    for file in {agent.hooks[scope].file: 0, agent.servers[scope].file: 0}:
        path = host.where(file)
        before = _read(host, path)
        if before is None:
            continue
        record = records.get(_key(host, path), {})
        made_by_us = bool(record) and record.get("backup") is None
        untouched = record.get("after") == digest(before)
        old = _backup(host.state, record) if untouched else None
        if untouched and made_by_us:
            edits.append(FileEdit(path, before, None))
        elif old is not None and _without_us(host, file, old, record) == old:
            edits.append(FileEdit(path, before, old))
        else:  # edited since, or the copy is gone, or it was taken when an older part of ours stood there
            after = _without_us(host, file, before, record)
            empty = not _content(path, after)
            edits.append(FileEdit(path, before, None if empty and made_by_us else after))
    return edits


def _without_us(host: Host, file: str, text: str, record: Mapping[str, Any]) -> str:
    texts = _Texts(host, {host.where(file): text})
    for place in (host.agent.hooks[host.scope], host.agent.servers[host.scope]):
        if place.file == file:
            texts.take_out(place, record)
    return texts.now[host.where(file)]


def apply_edits(
    host: Host, edits: Sequence[FileEdit], *, now: datetime, undo: bool = False
) -> None:
    """Write what was planned, with a copy of what was there; every file is checked first."""
    wanted = [edit for edit in edits if edit.changes]
    lock = host.state / "installs.lock"
    with file_lock(lock, wait=10.0, purpose=f"settings of {host.agent.title}"):
        for edit in wanted:
            _check(host, edit)
        records = _records(host.state)
        folders: list[Path] = []
        for edit in wanted:
            old = records.pop(_key(host, edit.path), {})
            if undo and old.get("folder"):
                folders.append(Path(edit.path).parent)
            if not undo:
                records[_key(host, edit.path)] = _recorded(host.state, edit, old, now)
        write_json(host.state / _RECORDS, records)
        for edit in wanted:
            _write(host, edit)
        for folder in folders:
            with suppress(OSError):  # something else is in it by now, or it is gone already
                folder.rmdir()


def is_installed(host: Host) -> bool:
    """Tell whether our hooks or our server are in the agent's files."""
    agent, scope = host.agent, host.scope
    texts = _Texts(host)
    try:
        events = texts.value(agent.hooks[scope], agent.hooks[scope].path)
        servers = texts.value(agent.servers[scope], agent.servers[scope].path)
    except (ConfigUnreadable, PathEscape):
        return False
    lists = list(events.values()) if isinstance(events, dict) else []
    hooked = any(
        is_ours(agent, item) for found in lists if isinstance(found, list) for item in found
    )
    return hooked or (isinstance(servers, dict) and SERVER in servers)


def settings_of(host: Host) -> Any:
    """Return what the agent's settings file with the hooks says; nothing when it cannot be read."""
    try:
        return _Texts(host).value(host.agent.hooks[host.scope])
    except (ConfigUnreadable, PathEscape):
        return None


def trusts_hooks(host: Host) -> bool:
    """Tell whether the person has trusted a hook of our file, where the agent asks for that."""
    agent = host.agent
    if not agent.trust:
        return True
    try:
        found = _Texts(host).value(agent.servers[host.scope], (agent.trust, "state"))
    except (ConfigUnreadable, PathEscape):
        return False
    file = host.where(agent.hooks[host.scope].file)
    return isinstance(found, dict) and any(
        key.startswith(file) and isinstance(state, dict) and state.get("trusted_hash")
        for key, state in found.items()
    )


class _Texts:
    """The files of an agent while they are planned."""

    def __init__(self, host: Host, known: Mapping[str, str] | None = None) -> None:
        self._host = host
        self._before: dict[str, str | None] = dict(known or {})
        self.now: dict[str, str] = dict(known or {})
        self._made: dict[str, list[tuple[str, ...]]] = {path: [] for path in self.now}

    def edits(self) -> list[FileEdit]:
        return [
            FileEdit(path, before, self.now[path], tuple(self._made[path]))
            for path, before in self._before.items()
        ]

    def value(self, place: Place, keys: tuple[str, ...] = ()) -> Any:
        """Return what stands at some keys of a file."""
        path, style = self._opened(place), place.style
        with _naming(path):
            found = (json_edit if style == "json" else toml_edit).read(self.now[path])
        for key in self._keys(keys):
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def put(self, place: Place, keys: tuple[str, ...], value: Any) -> None:
        keys = self._keys(keys)
        path = self._opened(place)
        for depth in range(1, len(keys)):
            if self.value(place, keys[:depth]) is None:
                self._note(path, keys[:depth])
        self._note(path, keys)
        with _naming(path):
            edit = json_edit.put if place.style == "json" else toml_edit.put
            self.now[path] = edit(self.now[path], keys, value)

    def hook(self, place: Place, event: str, entry: dict[str, Any]) -> None:
        """Put one hook into an event's list, in the place of an older one of ours."""
        path, keys = self._opened(place), (*place.path, event)
        found = self.value(place, keys)
        ours = (
            [item for item in found if is_ours(self._host.agent, item)]
            if isinstance(found, list)
            else []
        )
        if ours == [entry]:
            return
        with _naming(path):
            text = self.now[path]
            if ours:
                text = json_edit.discard(text, keys, lambda item: is_ours(self._host.agent, item))
            for depth in range(1, len(keys) + 1):
                if self.value(place, keys[:depth]) is None:
                    self._note(path, keys[:depth])
            self.now[path] = json_edit.append(text, keys, entry)

    def server(self, place: Place) -> None:
        """Put our server among the others; what a person added to its entry stays."""
        keys = (*place.path, SERVER)
        entry = server_entry(self._host.agent, list(self._host.program), list(self._host.options))
        found = self.value(place, keys)
        merged = {**found, **entry} if isinstance(found, dict) else entry
        if found != merged:
            self.put(place, keys, merged)

    def take_out(self, place: Place, record: Mapping[str, Any]) -> None:
        """Take our part out of a file that was edited since, and what was made only for it."""
        path, agent = self._opened(place), self._host.agent
        if place.style == "toml":
            with _naming(path):
                self.now[path] = toml_edit.remove(self.now[path], (*place.path, SERVER))
            return
        hooks = place == agent.hooks[self._host.scope]
        emptied: list[tuple[str, ...]] = []
        with _naming(path):
            for event in agent.events.values() if hooks else ():
                keys = self._keys((*place.path, event))
                if isinstance(self.value(place, keys), list):
                    self.now[path] = json_edit.discard(
                        self.now[path], keys, lambda item: is_ours(agent, item)
                    )
                    emptied.append(keys)
            if not hooks:
                keys = self._keys((*place.path, SERVER))
                self.now[path] = json_edit.remove(self.now[path], keys)
            emptied += [self._keys(place.path[:depth]) for depth in range(len(place.path), 0, -1)]
            made = {tuple(keys) for keys in record.get("made", ())} if record else None
            for keys, off in agent.native.switches if hooks and agent.native else ():
                if made and keys in made and self.value(place, keys) == off:
                    self.now[path] = json_edit.remove(self.now[path], keys)
                    emptied.append(keys[:-1])
            fixed = [(key,) for key, _ in agent.fixed] if hooks and made else []
            for keys in emptied:
                if self.value(place, keys) in ([], {}) and (made is None or keys in made):
                    self.now[path] = json_edit.remove(self.now[path], keys)
            left = self.value(place)
            for keys in fixed:
                if made and keys in made and isinstance(left, dict) and set(left) == set(keys):
                    self.now[path] = json_edit.remove(self.now[path], keys)

    def _opened(self, place: Place) -> str:
        path = self._host.where(place.file)
        if path not in self._before:
            self._before[path] = _read(self._host, path)
            self.now[path] = self._before[path] or ""
            self._made[path] = []
        return path

    def _note(self, path: str, keys: tuple[str, ...]) -> None:
        if keys not in self._made[path]:
            self._made[path].append(keys)

    def _keys(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._host.project if key == "{project}" else key for key in keys)


class _naming:  # noqa: N801  # used as a statement
    """Say in which file something is wrong."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ConfigUnreadable) and self._path not in str(error):
            raise ConfigUnreadable(
                f"{self._path}: {error}. Correct it, or move it aside; nothing was changed.",
                path=self._path,
            ) from None


def _content(path: str, text: str) -> Any:
    """Return what a settings file holds; nothing means that it may go."""
    return toml_edit.read(text) if path.endswith(".toml") else json_edit.read(text)


def _root(host: Host, path: str) -> Path | None:
    """Return the project, if a file of it is meant; the person's own settings have no such root."""
    inside = host.scope == Scope.PROJECT and path.startswith(f"{host.project}/")
    return Path(host.project) if inside else None


def _target(host: Host, path: str) -> Path:
    """Return the file that is edited: where a link of the person leads, else the path itself."""
    return Path(path) if _root(host, path) else Path(own_path(path))


def _read(host: Host, path: str) -> str | None:
    target, root = _target(host, path), _root(host, path)
    with folder_below(root or target.parent, target.parent) as folder:
        return folder.read_text(target.name, limit=_LIMIT)


def _check(host: Host, edit: FileEdit) -> None:
    if _read(host, edit.path) != edit.before:
        raise StaleBase(
            f"{edit.path} changed since it was read, so nothing was written; try again",
            path=edit.path,
        )
    target = _target(host, edit.path)
    with explained(target):
        if target.exists() and not target.stat().st_mode & stat.S_IWUSR:
            raise ReadOnly(
                f"{target} is read-only, so nothing was written. If a program makes this file, tell"
                " that program what to put there; else make it writable and try again.",
                path=str(target),
            )


def _write(host: Host, edit: FileEdit) -> None:
    target, root = _target(host, edit.path), _root(host, edit.path)
    if edit.after is None:
        remove_file(target, root)
    else:
        write_atomic(target, edit.after.encode("utf-8"), root)


def _recorded(state: Path, edit: FileEdit, old: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    made = [list(keys) for keys in edit.made]
    if old and edit.before is not None and old.get("after") == digest(edit.before):
        backup, made = old.get("backup"), [*old.get("made", []), *made]  # ours before us
    elif edit.before is None:
        backup = None
    else:
        backup = f"{digest(edit.before)[:24]}.bak"
        make_folder(state / "backups", private=True)
        write_atomic(state / "backups" / backup, edit.before.encode("utf-8"))
        made = [*old.get("made", []), *made]
    after = digest(edit.after or "")
    return {
        "path": edit.path,
        "at": now.isoformat(),
        "after": after,
        "backup": backup,
        "made": made,
        # An empty folder left behind would look as if the agent were there.
        "folder": bool(old.get("folder")) or not Path(edit.path).parent.exists(),
    }


def _backup(state: Path, record: Mapping[str, Any]) -> str | None:
    name = record.get("backup")
    return read_text(state / "backups" / str(name), limit=_LIMIT) if name else None


def _records(state: Path) -> dict[str, Any]:
    return read_json(state / _RECORDS, now=datetime.now().astimezone(), problems=[])


def _key(host: Host, path: str) -> str:
    return f"{host.agent.name}:{host.scope}:{path}"
