"""Settings: every number of the documents, once, and where each value came from.

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
from types import UnionType
from typing import Any, Literal, TypeAlias, TypeGuard, Union, get_args, get_origin, get_type_hints

from reverie.errors import BadSetting, SettingNotAllowed, UnknownSetting


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Managed memory as a whole."""

    enabled: bool = True
    """Managed memory on or off; off means nothing is recalled, extracted or dreamt."""
    worktrees: Literal["shared", "separate"] = "shared"
    """Whether linked git worktrees share one project memory."""
    agent: str = "default"
    """Which agent's layers are used."""
    lock_wait_seconds: float = 10.0
    """How long a writer waits for another one before it reports who holds the lock."""
    max_file_bytes: int = 16 * 1024 * 1024
    """Larger files are neither read nor written."""


@dataclass(frozen=True, slots=True)
class SecretSettings:
    """What happens to text that holds a secret."""

    policy: Literal["refuse", "redact", "off"] = "refuse"
    """`refuse` writes nothing and says why; `redact` stores a visible placeholder."""
    allow: tuple[str, ...] = ()
    """Rule ids that are not applied."""


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Context files and their imports."""

    names: tuple[str, ...] = ()
    """File names looked for, in order; empty means the dialect's own."""
    include: tuple[str, ...] = ()
    """Further folders whose context files are loaded."""
    extensions: tuple[str, ...] = ()
    """Context files that extensions provide."""
    format: Literal["tree", "flat"] = "tree"
    """How imported text is shown."""
    max_depth: int = 5
    """How deep imports may nest."""
    max_imports: int = 500
    """How many imports one context may expand."""
    max_file_bytes: int = 1024 * 1024
    """A larger context file or import is left out and reported."""
    max_total_bytes: int = 8 * 1024 * 1024
    """Everything together; what no longer fits is reported."""
    import_roots: tuple[str, ...] = ()
    """Folders outside the project from which imports are allowed."""
    folder_trust: bool = True
    """Whether folders that `reverie trust` says nothing about are trusted."""
    large_file_tokens: int = 10_000
    """A context file above this gets a warning with a suggestion."""


@dataclass(frozen=True, slots=True)
class CatalogSettings:
    """`MEMORY.md`, the generated list of topics."""

    max_line_chars: int = 150
    """Longest line of the catalog, in characters."""
    max_lines: int = 200
    """Most lines of the catalog."""
    max_bytes: int = 25_000
    """Largest catalog, in UTF-8 bytes."""


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """Learning from conversations."""

    enabled: bool = True
    """Whether conversations are read for memories."""
    min_width: int = 12
    """Shortest summary kept, in columns (a CJK character counts two)."""
    max_slice_messages: int = 400
    """How many messages one run reads; the rest waits for the next."""
    agent: bool = False
    """Use an agent with tools instead of one structured call."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """What is brought back before a turn."""

    enabled: bool = True
    """Whether recall gives anything at all."""
    limit: int = 5
    """Most topics in one block."""
    body_chars: int = 1200
    """Most characters of one topic's body; the passage that matters is chosen."""
    scoring: Literal["bm25", "document"] = "bm25"
    """`document` counts +2/+1/+1 as the managed-memory document does."""
    strategy: Literal["auto", "heuristic", "hybrid", "model"] = "auto"
    """`auto` takes the best that is there: model, hybrid, heuristic."""
    budget_ms: int = 100
    """How long a turn waits for a model's better choice."""
    stale_after_days: int = 1
    """Older memories carry a note that says so."""


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """Consolidation."""

    enabled: bool = True
    """Whether memory consolidates by itself."""
    min_hours: float = 24.0
    """Least hours between two dreams."""
    min_sessions: int = 5
    """Least new sessions between two dreams."""
    scan_interval_minutes: float = 10.0
    """How often session files are counted at most."""
    lock_stale_hours: float = 1.0
    """A lock without heartbeat is stale after this, if its holder cannot be seen."""
    probes_per_entry: int = 3
    """Questions asked before and after a dream for each entry it touches."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The search index."""

    max_results: int = 6
    """Hits returned unless asked otherwise."""
    min_score: float = 0.35
    """Hits below this are left out."""
    chunk_tokens: int = 400
    """Aim for a chunk's size."""
    chunk_overlap: int = 80
    """Tokens shared by neighbouring chunks of one long section."""
    extra_paths: tuple[str, ...] = ()
    """Further folders or files to search, as source `custom`."""
    debounce_seconds: float = 2.0
    """How long the watcher waits for a burst of changes to end."""
    approximate_above: int = 200_000
    """From this many chunks on, vectors use an approximate index."""


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Where vectors come from."""

    provider: str = "embedded"
    """`embedded`, `none`, `openai`, `ollama`, `fastembed` or `sentence-transformers`."""
    model: str = ""
    """The provider's model name."""
    url: str = ""
    """Endpoint of an HTTP provider."""
    key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds its key."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Chat models; empty means none, and every verb takes its deterministic way."""

    name: str = ""
    """`provider:model`, e.g. openai:gpt-4o-mini, anthropic:..., ollama:qwen3."""
    fast: str = ""
    """A small model for side questions; empty means the main one."""
    url: str = ""
    """Base URL of an OpenAI-compatible endpoint."""
    key_env: str = ""
    """Environment variable that holds the key; empty means the provider's usual one."""
    timeout_seconds: float = 30.0
    """Deadline of one side question."""
    run_seconds: float = 300.0
    """Deadline of one agent run (remember, dream)."""
    run_tokens: int = 100_000
    """Most tokens of one agent run, in and out together; 0 means no limit."""
    daily_tokens: int = 0
    """Budget per day, tokens in and out together; 0 means no limit."""
    monthly_tokens: int = 0
    """Budget per month; 0 means no limit."""


@dataclass(frozen=True, slots=True)
class LayerSettings:
    """Core, working, semantic memory, history and notes of an agent."""

    core_limit: int = 6000
    """Characters of one core file unless its frontmatter says otherwise."""
    working_limit: int = 8000
    """Characters of working memory."""
    replay_turns: int = 6
    """Turns replayed into a prompt."""
    prompt_tokens: int = 32_000
    """Budget of an assembled prompt."""


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """The HTTP daemon."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = 4170
    """Port to listen on; 0 takes any free one."""
    max_pending: int = 16
    """Tasks that may wait or run per workspace."""
    max_pending_other: int = 8
    """How many of them may be forget or dream."""
    max_records: int = 1000
    """Task records kept."""
    task_seconds: float = 295.0
    """Deadline of a task."""
    max_body_bytes: int = 10 * 1024 * 1024
    """Largest request body."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    dialect: str = "reverie"
    """Whose names are used: reverie, qwen or claude."""
    memory: MemorySettings = field(default_factory=MemorySettings)
    secrets: SecretSettings = field(default_factory=SecretSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    catalog: CatalogSettings = field(default_factory=CatalogSettings)
    extract: ExtractSettings = field(default_factory=ExtractSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    dream: DreamSettings = field(default_factory=DreamSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    layers: LayerSettings = field(default_factory=LayerSettings)
    daemon: DaemonSettings = field(default_factory=DaemonSettings)


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

Value: TypeAlias = str | int | float | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettingsSource:
    """Settings somebody read: flat dotted keys, and where they stood."""

    origin: str
    """Shown to the user: `default`, a file's path, `environment NAME`, `argument`."""
    values: Mapping[str, Any]
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


def keys(section: type[Any] = Settings, prefix: str = "") -> Iterator[str]:
    """Yield every dotted key, in the order of the classes."""
    for item, kind in _fields(section):
        if _is_section(kind):
            yield from keys(kind, f"{prefix}{item}.")
        else:
            yield f"{prefix}{item}"


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
    known = list(keys())
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
        return BadSetting(f"{key} must be {expected}, not {raw!r}{where}", key=key)

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


def _descriptions() -> dict[str, str]:
    # The text under a field is not kept at run time; reading our own source is cheap and happens
    # only when somebody asks for the list of settings.
    import ast
    import inspect
    import sys

    tree = ast.parse(inspect.getsource(sys.modules[__name__]))
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
