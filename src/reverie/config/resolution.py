"""Which settings are in force, and where each value came from.

Rules
- Pure: `resolve` takes mappings that somebody else read, each with its origin.
- Order: defaults < user file < project file < environment < arguments.
- A project file comes with a clone, so it may set only what cannot redirect memory, models,
  credentials or the network (`PROJECT_MAY_SET`), and may switch things off, never on.
- An unknown key is an error that suggests the nearest one; a typo must not be a silent no-op. In a
  project's file, which the person did not write, it is a problem that is told and nothing more.
- Numbers have bounds, declared beside the setting (`Within`).
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
from reverie.config.settings import Settings, Within
from reverie.errors import BadSetting, ConfigError, SettingNotAllowed, UnknownSetting
from reverie.types import Problem

# A cloned repository must not point memory, models, keys or the network somewhere else, nor load
# files from outside itself, nor weaken what protects the person, nor decide how the person's own
# memory is cut, ranked, listed or shown.
PROJECT_MAY_SET = frozenset(
    {
        "memory.enabled",
        "context.names",
        "extract.enabled",
        "recall.enabled",
        "recall.limit",
        "recall.body_chars",
        "dream.enabled",
        "search.max_results",
        "search.min_score",
    }
)
_NAMES = "context.names"
_PROJECT_NAMES = "context.project_names"
_NAME_ENDINGS = (".md", ".markdown", ".txt")
_DEEPEST = 8
# Of one project's file: whoever wrote it can write more than anybody wants to read.
_MOST_PROBLEMS = 20
_SHOWN_CHARS = 80

Value: TypeAlias = str | int | float | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettingsSource:
    """Settings somebody read: flat dotted keys, and where they stood."""

    origin: str
    """Shown to the user: `default`, a file's path, `environment NAME`, `argument`."""
    values: Mapping[str, Any] = field(repr=False)
    """As they were read: an address among them may hold a password."""
    restricted: bool = False
    """True for a project file: what is wrong in it is left out and told, and raises nothing."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings in force and the origin of each value that is not a default."""

    settings: Settings
    origins: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    """What of a project's file was not applied, and why."""

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


def flatten(tree: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Turn nested tables into flat dotted keys; no setting is nested so deep that we stop."""
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, Mapping) and depth < _DEEPEST:
            flat.update(flatten(value, f"{prefix}{key}.", depth + 1))
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
    raise UnknownSetting(f"there is no setting {_shown(key)}{where}{hint}", key=key)


def is_plain_name(name: str) -> bool:
    """Say whether a name is that of a text file and nothing else: no folder, not hidden."""
    return (
        name.lower().endswith(_NAME_ENDINGS)
        and not name.startswith((".", "~"))
        and not any(char in "/\\" or not char.isprintable() for char in name)
    )


def resolve(sources: Sequence[SettingsSource]) -> Resolved:
    """Lay the sources over the defaults, in order, and remember where each value came from."""
    settings = Settings()
    origins: dict[str, str] = {}
    problems: list[Problem] = []
    for source in sources:
        for key, raw in source.values.items():
            try:
                check_key(key, source.origin)
                if source.restricted:
                    _check_allowed(key, source.origin)
                value = coerce(key, raw, source.origin)
                if source.restricted:
                    _check_harmless(key, value, settings, source.origin)
            except ConfigError as error:
                if not source.restricted:
                    raise
                problems.append(Problem(error.code, str(error), source.origin))
                if len(problems) == _MOST_PROBLEMS:
                    message = (
                        f"{source.origin}: the rest of it was not read; it has too many mistakes"
                    )
                    problems.append(Problem(error.code, message, source.origin))
                    break
                continue
            if key == _NAMES:
                # A project names files in its own folders only. Whoever comes after it names all.
                place = _PROJECT_NAMES if source.restricted else _NAMES
                settings = _with(_with(settings, _PROJECT_NAMES, ()), place, value)
                origins.pop(_PROJECT_NAMES, None)
                origins[place] = source.origin
                continue
            settings = _with(settings, key, value)
            origins[key] = source.origin
    return Resolved(settings, origins, tuple(problems))


def _check_allowed(key: str, origin: str) -> None:
    """Raise `SettingNotAllowed` for what is no business of a project's file."""
    if key not in PROJECT_MAY_SET:
        raise SettingNotAllowed(
            f"{origin} sets {key!r}, which a project may not set: a cloned repository must not redirect"
            " your memory. It was ignored. If you want it, put it into your own settings file, with"
            f" `reverie config set {key} VALUE`.",
            key=key,
        )


def _check_harmless(key: str, value: Value, settings: Settings, origin: str) -> None:
    """Raise what is wrong with a value of a project's file that its setting would take."""
    if value is True and not Resolved(settings, {}).value(key):
        raise SettingNotAllowed(
            f"{origin} switches on {key!r}, which you switched off; it stays off", key=key
        )
    names = value if key == _NAMES and isinstance(value, tuple) else ()
    bad = [name for name in names if not is_plain_name(name)]
    if bad:
        raise BadSetting(
            f"{origin} sets {key!r} to {_shown(bad)}: only plain names of text files are looked for"
            " (no folder, not hidden, ending in .md, .markdown or .txt); it was ignored",
            key=key,
        )


def coerce(key: str, raw: object, origin: str = "") -> Value:
    """Read a value as the type its setting has; text from the environment or a command is parsed."""
    kind = _leaf_type(key)
    where = f" (from {origin})" if origin else ""

    def bad(expected: str) -> BadSetting:
        given = "" if key in ADDRESS_KEYS else f", not {_shown(raw)}"
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
        except (ValueError, OverflowError):
            raise bad("a whole number" if kind is int else "a number") from None
        if not 0 <= number < 2**53:  # also refuses nan and inf
            raise bad("a number of at least 0")
        if kind is int and number != int(number):
            raise bad("a whole number")
        limits = limits_of(key)
        if limits and not limits.least <= number <= limits.most:
            raise bad(f"a number from {limits.least:,} to {limits.most:,}")
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


def _shown(raw: object) -> str:
    """Quote a value, shortened; it may be anything that a file can hold."""
    try:
        text = repr(raw)
    except ValueError:  # a number with more digits than Python writes
        return "a number too long to show"
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."


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


@cache
def _leaf_type(key: str) -> Any:
    kind: Any = Settings
    for part in key.split("."):
        kind = get_type_hints(kind)[part]
    return get_args(kind)[0] if get_origin(kind) in (Union, UnionType) else kind


@cache
def limits_of(key: str) -> Within | None:
    """Return the bounds declared beside a number."""
    kind: Any = Settings
    for part in key.split("."):
        kind = get_type_hints(kind, include_extras=True)[part]
    return next((item for item in get_args(kind) if isinstance(item, Within)), None)


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
