"""Reading and writing settings files; the only place that reads the environment for settings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reverie.config import SettingsSource, check_key, coerce, flatten, keys, resolve
from reverie.dialect import REVERIE, named
from reverie.errors import ConfigUnreadable
from reverie.local.disk import read_text, write_atomic
from reverie.local.paths import base_folder, find_project_root
from reverie.local.roots import own_path

if TYPE_CHECKING:
    from reverie.config import Resolved
    from reverie.dialect import Dialect

_LIMIT = 1024 * 1024
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
    project = (find_project_root(cwd) or cwd) / dialect.project_config
    sources = [SettingsSource(str(user), _read(user))]
    if project != user:
        sources.append(SettingsSource(str(project), _read(project), restricted=True))
    for key, (variable, value) in _environment(env).items():
        sources.append(SettingsSource(f"environment {variable}", {key: value}))
    if resolve(sources).settings.dialect != dialect.name:
        sources.append(SettingsSource("argument", {"dialect": dialect.name}))
    sources.append(SettingsSource("argument", arguments or {}))
    return resolve(sources)


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


def _read(path: Path) -> dict[str, Any]:
    text = read_text(path, limit=_LIMIT)
    return flatten(_parse(text, path)) if text else {}


def _parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigUnreadable(
            f"{path} is not valid TOML: {error}. Correct it, or move it aside; nothing was changed.",
            path=str(path),
        ) from None
