"""Which settings are in force, and where each value came from.

Rules
- Pure: `resolve` takes mappings that somebody else read, each with its origin.
- Order: defaults < user file < project file < environment < arguments.
- A project file comes with a clone, so it may set only what cannot redirect memory, models,
  credentials or the network (`PROJECT_MAY_SET`).
- An unknown key is an error that suggests the nearest one; a typo must not be a silent no-op.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeAlias, TypeGuard, Union, get_args, get_origin, get_type_hints

from reverie.config import settings as settings_module
from reverie.config.addresses import ADDRESS_KEYS
from reverie.config.settings import Settings
from reverie.errors import BadSetting, SettingNotAllowed, UnknownSetting

# A cloned repository must not point memory, models, keys or the network somewhere else, nor load
# files from outside itself, nor weaken what protects the user.
PROJECT_MAY_SET = frozenset(
    {
        "memory.enabled",
        "context.names",
        "context.format",
        "catalog.max_lines",
        "extract.enabled",
        "recall.enabled",
        "recall.limit",
        "recall.body_chars",
        "recall.scoring",
        "dream.enabled",
        "search.max_results",
        "search.min_score",
        "search.chunk_tokens",
        "search.chunk_overlap",
    }
)

# Where less would lock everybody out, or more could never be had.
BOUNDS: Mapping[str, tuple[float, float]] = {
    "daemon.max_connections": (8, 65_536),
    "daemon.socket_connections": (4, 65_536),
    "daemon.max_streams": (1, 65_536),
    "daemon.threads": (1, 1024),
    "daemon.max_waiting_reads": (0, 65_536),
    "daemon.max_waiting_writes": (0, 65_536),
    "daemon.head_seconds": (0.1, 3600),
    "daemon.body_seconds": (0.1, 3600),
    "daemon.stall_seconds": (0.1, 3600),
    "daemon.idle_seconds": (0.1, 3600),
}

Value: TypeAlias = str | int | float | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettingsSource:
    """Settings somebody read: flat dotted keys, and where they stood."""

    origin: str
    """Shown to the user: `default`, a file's path, `environment NAME`, `argument`."""
    values: Mapping[str, Any] = field(repr=False)
    """As they were read: an address among them may hold a password."""
    restricted: bool = False
    """True for a project file."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings in force and the origin of each value that is not a default."""

    settings: Settings
    origins: Mapping[str, str]

    def value(self, key: str) -> Value:
        """Return one value by its dotted key."""
        check_key(key)
        found: Any = self.settings
        for part in key.split("."):
            found = getattr(found, part)
        return found  # type: ignore[no-any-return]  # check_key made sure it is a leaf

    def origin(self, key: str) -> str:
        """Say where a value came from."""
        return self.origins.get(key, "default")


@cache
def keys() -> tuple[str, ...]:
    """Return every dotted key, in the order of the classes."""
    return tuple(_keys(Settings, ""))  # listed once: each value of each source is looked up here


def flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Turn nested tables into flat dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{key}."))
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def check_key(key: str, origin: str = "") -> None:
    """Raise `UnknownSetting`, with the nearest known key, unless there is such a setting."""
    known = keys()
    if key in known:
        return
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    if not near:
        tail = key.rsplit(".", 1)[-1]
        near = [name for name in known if name.rsplit(".", 1)[-1] == tail][:1]
    where = f" in {origin}" if origin else ""
    hint = f"; did you mean {near[0]!r}?" if near else "; `reverie config list` shows them all"
    raise UnknownSetting(f"there is no setting {key!r}{where}{hint}", key=key)


def resolve(sources: Sequence[SettingsSource]) -> Resolved:
    """Lay the sources over the defaults, in order, and remember where each value came from."""
    settings = Settings()
    origins: dict[str, str] = {}
    for source in sources:
        for key, raw in source.values.items():
            check_key(key, source.origin)
            if source.restricted and key not in PROJECT_MAY_SET:
                raise SettingNotAllowed(
                    f"{source.origin} sets {key!r}, which a project may not set: a cloned repository"
                    " must not redirect your memory. Put it into your own settings file, with"
                    f" `reverie config set {key} VALUE`.",
                    key=key,
                )
            settings = _with(settings, key, coerce(key, raw, source.origin))
            origins[key] = source.origin
    return Resolved(settings, origins)


def coerce(key: str, raw: object, origin: str = "") -> Value:
    """Read a value as the type its setting has; text from the environment or a command is parsed."""
    kind = _leaf_type(key)
    where = f" (from {origin})" if origin else ""

    def bad(expected: str) -> BadSetting:
        given = "" if key in ADDRESS_KEYS else f", not {raw!r}"
        return BadSetting(f"{key} must be {expected}{given}{where}", key=key)

    if get_origin(kind) is Literal:
        options = get_args(kind)
        if raw in options:
            return str(raw)
        raise bad("one of " + ", ".join(options))
    if kind is bool:
        if isinstance(raw, bool):
            return raw
        words = {"true": True, "1": True, "yes": True, "on": True}
        words |= {"false": False, "0": False, "no": False, "off": False}
        if isinstance(raw, str) and raw.strip().lower() in words:
            return words[raw.strip().lower()]
        raise bad("true or false")
    if kind in (int, float):
        if isinstance(raw, bool) or not isinstance(raw, int | float | str):
            raise bad("a number")
        try:
            number = int(raw) if kind is int and not isinstance(raw, float) else float(raw)
        except ValueError:
            raise bad("a whole number" if kind is int else "a number") from None
        if not 0 <= number < 2**53:  # also refuses nan and inf
            raise bad("a number of at least 0")
        if kind is int and number != int(number):
            raise bad("a whole number")
        low, high = BOUNDS.get(key, (0, 2**53))
        if not low <= number <= high:
            raise bad(f"from {low:g} to {high:g}")
        return int(number) if kind is int else float(number)
    if kind is str:
        if isinstance(raw, str):
            return raw
        raise bad("text")
    if isinstance(raw, str):
        return tuple(part.strip() for part in raw.split(",") if part.strip())
    if isinstance(raw, Sequence) and all(isinstance(item, str) for item in raw):
        return tuple(item.strip() for item in raw if item.strip())
    raise bad("a list of texts")


def describe(key: str) -> str:
    """Return the documentation of one setting (the text under its field)."""
    return _descriptions().get(key, "")


def _keys(section: type[Any], prefix: str) -> Iterator[str]:
    for item, kind in _fields(section):
        if _is_section(kind):
            yield from _keys(kind, f"{prefix}{item}.")
        else:
            yield f"{prefix}{item}"


def _fields(section: type[Any]) -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(section)
    for item in fields(section):
        yield item.name, hints[item.name]


def _is_section(kind: object) -> TypeGuard[type[Any]]:
    return isinstance(kind, type) and is_dataclass(kind)


def _leaf_type(key: str) -> Any:
    kind: Any = Settings
    for part in key.split("."):
        kind = get_type_hints(kind)[part]
    return get_args(kind)[0] if get_origin(kind) in (Union, UnionType) else kind


def _with(settings: Settings, key: str, value: Value) -> Settings:
    if "." not in key:
        return replace(settings, **{key: value})  # type: ignore[arg-type]  # coerce checked the type
    section, leaf = key.split(".", 1)
    return replace(settings, **{section: replace(getattr(settings, section), **{leaf: value})})


@cache
def _descriptions() -> Mapping[str, str]:
    # The text under a field is not kept at run time; our own source is read once, when somebody
    # asks for the list of settings.
    import ast
    import inspect

    tree = ast.parse(inspect.getsource(settings_module))
    sections = {kind.__name__: name for name, kind in _fields(Settings) if _is_section(kind)}
    found: dict[str, str] = {}
    for node in tree.body:
        if not isinstance(node, ast.ClassDef) or node.name not in {*sections, "Settings"}:
            continue
        prefix = f"{sections[node.name]}." if node.name in sections else ""
        for item, after in zip(node.body, node.body[1:], strict=False):
            if (
                isinstance(item, ast.AnnAssign)
                and isinstance(item.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                found[prefix + item.target.id] = " ".join(str(after.value.value).split())
    return found
