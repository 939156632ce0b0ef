"""Reading and writing settings files; the only place that reads the environment for settings.

Rules
- A project's file counts once its folder is trusted, if it is the person's own file in their own
  folder. Otherwise it is not even read, and `Resolved.problems` says so.
- Nothing in a project's file stops the work there.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.config import SettingsSource, check_key, coerce, flatten, keys, resolve
from reverie.dialect import REVERIE, named
from reverie.errors import ConfigUnreadable, ReverieError
from reverie.local.context.trust import decide, read_records, records_in
from reverie.local.disk.files import read_text, write_atomic
from reverie.local.store.paths import base_folder, find_project_root
from reverie.local.store.roots import own_path
from reverie.types import Problem

if TYPE_CHECKING:
    from reverie.config import Resolved
    from reverie.dialect import Dialect
    from reverie.types import Workspace

SETTINGS_WAIT = "settings_wait"
"""A project's settings that wait until somebody trusts the project."""
SETTINGS_UNTRUSTED = "settings_untrusted"
"""A project's settings that its person does not want."""
_LIMIT = 1024 * 1024
_PROJECT_LIMIT = 16 * 1024
_ENV_PREFIX = "REVERIE_"
_ENGINE = "REVERIE_ENGINE"


def choose_dialect(name: str | None, *, home: Path | str | None, env: Mapping[str, str]) -> Dialect:
    """Find the dialect: argument, `REVERIE_DIALECT`, the user's own settings file, else ours."""
    if name is None:
        name = env.get("REVERIE_DIALECT")
    if name is None:
        path = base_folder(REVERIE, home=home, env=env) / REVERIE.config_file
        name = _read(path).get("dialect")
    return named(name) if name else REVERIE


def load_settings(
    cwd: Path,
    *,
    dialect: Dialect,
    home: Path | str | None,
    env: Mapping[str, str],
    arguments: Mapping[str, Any] | None = None,
) -> Resolved:
    """Resolve the settings in force for a folder."""
    user = user_file(dialect, home=home, env=env)
    own = [SettingsSource(str(user), _read(user))]
    above = [
        SettingsSource(f"environment {variable}", {key: value})
        for key, (variable, value) in _environment(env).items()
    ]
    if resolve([*own, *above]).settings.dialect != dialect.name:
        above.append(SettingsSource("argument", {"dialect": dialect.name}))
    above.append(SettingsSource("argument", arguments or {}))
    found = resolve([*own, *above])
    root = find_project_root(cwd) or cwd
    file = root / dialect.project_config
    if not os.path.lexists(file) or os.path.realpath(file) == os.path.realpath(user):
        return found
    problem = _refusal(
        file,
        root,
        records_file(dialect, home=home, env=env),
        folder_trust=found.settings.context.folder_trust,
    )
    if problem is None:
        try:
            values = _read(file, limit=_PROJECT_LIMIT)
        except ReverieError as error:
            problem = Problem(ConfigUnreadable.code, f"{error} It was ignored.", str(file))
    if problem is not None:
        return replace(found, problems=(problem,))
    return resolve([*own, SettingsSource(str(file), values, restricted=True), *above])


def records_file(dialect: Dialect, *, home: Path | str | None, env: Mapping[str, str]) -> Path:
    """Return where it is kept which folders are trusted, before any memory is opened."""
    return records_in(base_folder(dialect, home=home, env=env) / dialect.state_dir)


def project_file(workspace: Workspace, dialect: Dialect) -> Path:
    """Return where a project's own settings stand."""
    return Path(workspace.base) / dialect.project_config


def _refusal(file: Path, root: Path, records: Path, *, folder_trust: bool) -> Problem | None:
    """Say why a project's file does not count, if it does not."""
    try:
        verdict = decide(str(root), read_records(records), default=folder_trust).verdict
    except ReverieError as error:
        return Problem("trust_unreadable", f"{error} {file} was ignored.", str(records))
    if verdict == "untrusted":
        message = f"{file} is not applied: the folder is not trusted"
        return Problem(SETTINGS_UNTRUSTED, message, str(file), fix="reverie trust")
    if verdict == "unknown":
        message = (
            f"{file} is not applied until you trust the project: look at it, then `reverie trust`"
        )
        return Problem(SETTINGS_WAIT, message, str(file), fix="reverie trust")
    if (why := _not_ours(file, root)) is not None:
        message = f"{file} is not applied: {why}. Correct that, or delete the file."
        return Problem("settings_foreign", message, str(file))
    return None


def _not_ours(file: Path, root: Path) -> str | None:
    """Say why a file might be somebody else's: git keeps no owners, so the person owns what they cloned."""
    real, top = os.path.realpath(file), os.path.realpath(root)
    if not real.startswith(f"{top.rstrip('/')}/"):
        return "it leads out of the project"
    try:
        own, folder, above = os.stat(real), os.stat(os.path.dirname(real)), os.stat(top)
    except OSError as error:
        return f"it cannot be looked at ({error.strerror})"
    if not stat.S_ISREG(own.st_mode):
        return "it is not a regular file"
    if {own.st_uid, folder.st_uid} != {os.geteuid()}:
        return "the file or its folder belongs to another user"
    if (own.st_mode | folder.st_mode) & stat.S_IWOTH:
        return "everybody may write to the file or its folder"
    if above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX:
        return "everybody may write to the project's folder"
    return None


def user_file(dialect: Dialect, *, home: Path | str | None, env: Mapping[str, str]) -> Path:
    """Return where the user's own settings stand."""
    return base_folder(dialect, home=home, env=env) / dialect.config_file


def set_value(path: Path, key: str, value: str) -> None:
    """Set one value in a settings file, keeping its comments and order."""
    import tomlkit

    check_key(key)
    parsed = coerce(key, value, "argument")
    text = read_text(path, limit=_LIMIT) or ""
    _parse(text, path)
    document = tomlkit.parse(text)
    table: Any = document
    *sections, leaf = key.split(".")
    for section in sections:
        if section not in table:
            table[section] = tomlkit.table()
        table = table[section]
    table[leaf] = list(parsed) if isinstance(parsed, tuple) else parsed
    # A person's own link, as managers of dotfiles make them, stays one: its target is written.
    write_atomic(Path(own_path(str(path))), tomlkit.dumps(document).encode("utf-8"))


def _environment(env: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Read `REVERIE_SECTION__KEY`; other variables with our prefix have meanings of their own."""
    by_variable = {_ENV_PREFIX + key.upper().replace(".", "__"): key for key in keys()}
    found: dict[str, tuple[str, str]] = {}
    if env.get(_ENGINE):
        found["engine.url"] = (_ENGINE, env[_ENGINE])
    for variable, value in sorted(env.items()):
        if not variable.startswith(_ENV_PREFIX) or "__" not in variable:
            continue
        key = by_variable.get(variable)
        if key is None:
            key = variable.removeprefix(_ENV_PREFIX).lower().replace("__", ".")
            check_key(key, f"environment {variable}")
        found[key] = (variable, value)
    return found


def _read(path: Path, *, limit: int = _LIMIT) -> dict[str, Any]:
    text = read_text(path, limit=limit)
    return flatten(_parse(text, path)) if text else {}


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        why = "nested too deeply" if isinstance(error, RecursionError) else error
        raise ConfigUnreadable(
            f"{path} is not valid TOML: {why}. Correct it, or move it aside; nothing was changed.",
            path=str(path),
        ) from None
