"""Settings: every number of the documents, written once, as the default of a frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal, NamedTuple


class Within(NamedTuple):
    """The least and the most a number may be, where less or more would do harm."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Managed memory as a whole."""

    enabled: bool = True
    """Managed memory on or off; off means nothing is recalled, extracted or dreamt."""
    worktrees: Literal["shared", "separate"] = "shared"
    """Whether linked git worktrees share one project memory."""
    agent: str = "default"
    """Which agent's layers are used."""
    lock_wait_seconds: Annotated[float, Within(0, 3600)] = 10.0
    """How long a writer waits for another one before it reports who holds the lock."""
    max_file_bytes: Annotated[int, Within(1, 1 << 30)] = 16 * 1024 * 1024
    """Larger files are neither read nor written."""


@dataclass(frozen=True, slots=True)
class SecretSettings:
    """What happens to text that holds a secret."""

    policy: Literal["refuse", "redact", "off"] = "refuse"
    """`refuse` writes nothing and says why; `redact` stores a visible placeholder."""
    allow: tuple[str, ...] = ()
    """Ids of rules to skip."""


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """Context files and their imports."""

    names: tuple[str, ...] = ()
    """File names looked for, in order; empty means the dialect's own. Plain names of text files."""
    project_names: tuple[str, ...] = ()
    """The same for the project's own folders; a project's file may set it. Empty means `names`."""
    include: tuple[str, ...] = ()
    """Further folders whose context files are loaded."""
    extensions: tuple[str, ...] = ()
    """Context files that extensions provide."""
    format: Literal["tree", "flat"] = "tree"
    """How imported text is shown."""
    max_depth: Annotated[int, Within(0, 1000)] = 5
    """How deep imports may nest."""
    max_imports: Annotated[int, Within(0, 1_000_000)] = 500
    """How many imports one context may expand."""
    max_file_bytes: Annotated[int, Within(1, 1 << 28)] = 1024 * 1024
    """A larger context file or import is left out and reported."""
    max_total_bytes: Annotated[int, Within(1, 1 << 30)] = 8 * 1024 * 1024
    """Everything together; what no longer fits is reported."""
    import_roots: tuple[str, ...] = ()
    """Folders outside the project from which imports are allowed."""
    folder_trust: bool = True
    """Whether context files of folders that `reverie trust` says nothing about are loaded."""
    large_file_tokens: int = 10_000
    """A context file above this gets a warning with a suggestion."""


@dataclass(frozen=True, slots=True)
class CatalogSettings:
    """`MEMORY.md`, the generated list of topics."""

    max_line_chars: Annotated[int, Within(20, 10_000)] = 150
    """Longest line of the catalog, in characters."""
    max_lines: Annotated[int, Within(1, 100_000)] = 200
    """Maximum number of lines in the catalog."""
    max_bytes: Annotated[int, Within(100, 1 << 24)] = 25_000
    """Largest catalog, in UTF-8 bytes."""


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """Learning from conversations."""

    enabled: bool = True
    """Whether conversations are read for memories."""
    min_width: Annotated[int, Within(0, 1000)] = 12
    """Shortest summary kept, in columns (a CJK character counts as two)."""
    max_slice_messages: Annotated[int, Within(1, 100_000)] = 400
    """How many messages one run reads; the rest waits for the next."""
    agent: bool = False
    """Use an agent with tools instead of one structured call."""
    heard_limit: Annotated[int, Within(0, 10_000)] = 100
    """How many statements wait as heard, for the person and for each project; 0 keeps none."""
    heard_days: Annotated[int, Within(1, 3650)] = 30
    """After how many days a statement that was heard goes, unless it is said again or kept."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """What is brought back before a turn."""

    enabled: bool = True
    """Whether recall returns anything at all."""
    limit: Annotated[int, Within(0, 100)] = 5
    """Maximum number of topics in one block."""
    body_chars: Annotated[int, Within(1, 1_000_000)] = 1200
    """Maximum characters of one topic's body; the relevant passage is chosen."""
    scoring: Literal["bm25", "document"] = "bm25"
    """`document` counts +2/+1/+1 as the managed-memory document does."""
    strategy: Literal["auto", "heuristic", "hybrid", "model"] = "auto"
    """`auto` uses the best available: model, hybrid, heuristic."""
    budget_ms: Annotated[int, Within(0, 600_000)] = 100
    """How long a turn waits for a model's better choice."""
    stale_after_days: int = 1
    """Older memories carry a note that says so."""


@dataclass(frozen=True, slots=True)
class DreamSettings:
    """Consolidation."""

    enabled: bool = True
    """Whether memory consolidates by itself."""
    min_hours: float = 24.0
    """Minimum hours between two dreams."""
    min_sessions: int = 5
    """Minimum new sessions between two dreams."""
    scan_interval_minutes: float = 10.0
    """Minimum minutes between two counts of the session files."""
    lock_stale_hours: Annotated[float, Within(0.01, 8760)] = 1.0
    """A lock without a heartbeat is stale after this, if its holder cannot be seen."""
    probes_per_entry: Annotated[int, Within(0, 100)] = 3
    """Questions asked before and after a dream for each entry it touches."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The search index."""

    max_results: Annotated[int, Within(1, 100)] = 6
    """Hits returned unless asked otherwise."""
    min_score: Annotated[float, Within(0, 1)] = 0.35
    """Hits below this are left out."""
    chunk_tokens: Annotated[int, Within(20, 8000)] = 400
    """Target size of a chunk."""
    chunk_overlap: Annotated[int, Within(0, 4000)] = 80
    """Tokens shared by neighbouring chunks of one long section."""
    half_life_days: float = 0.0
    """A daily note (a file named after its date) counts half after this many days; 0 means it never fades."""
    extra_paths: tuple[str, ...] = ()
    """Further folders or files to search, as source `custom`; relative paths start at the project."""
    debounce_seconds: Annotated[float, Within(0, 3600)] = 2.0
    """How long the watcher waits for a burst of changes to end."""
    approximate_above: int = 50_000
    """Above this many chunks, vectors use an approximate index."""


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """Where vectors come from."""

    provider: str = "auto"
    """`auto` is `multilingual` where its package is installed, else `embedded`. Others: `none`, `openai`,
    `ollama`, `fastembed`, `sentence-transformers`. `REVERIE_EMBEDDER` says what `auto` stands for."""
    model: str = ""
    """The provider's model name."""
    url: str = field(default="", repr=False)
    """Endpoint of an HTTP provider."""
    key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds its key."""
    plain_http: bool = False
    """Whether the key may go to another machine over `http://`, where everybody on the way can read it."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Chat models; empty means none, and every verb takes its deterministic way."""

    name: str = ""
    """`provider:model`, e.g. openai:gpt-4o-mini, anthropic:..., ollama:qwen3; or `agent:claude-code`."""
    fast: str = ""
    """A small model for side questions; empty means the main one."""
    url: str = field(default="", repr=False)
    """Base URL of an OpenAI-compatible endpoint."""
    key_env: str = ""
    """Environment variable that holds the key; empty means the provider's usual one."""
    plain_http: bool = False
    """Whether the key may go to another machine over `http://`, where everybody on the way can read it."""
    timeout_seconds: Annotated[float, Within(0.01, 86_400)] = 30.0
    """Deadline of one side question."""
    run_seconds: Annotated[float, Within(0.01, 86_400)] = 300.0
    """Deadline of one agent run (remember, dream)."""
    run_tokens: int = 100_000
    """Maximum tokens of one agent run, in and out together; 0 means no limit."""
    daily_tokens: int = 0
    """Budget per day, tokens in and out together; 0 means no limit."""
    monthly_tokens: int = 0
    """Budget per month; 0 means no limit."""
    agent_calls_a_day: Annotated[int, Within(0, 1000)] = 12
    """How often a day an agent that serves as the model is asked at most."""


@dataclass(frozen=True, slots=True)
class LayerSettings:
    """Core, working, semantic memory, history and notes of an agent."""

    core_limit: Annotated[int, Within(1, 10_000_000)] = 6000
    """Characters of one core file unless its frontmatter says otherwise."""
    working_limit: Annotated[int, Within(1, 10_000_000)] = 8000
    """Characters of working memory."""
    replay_turns: Annotated[int, Within(0, 10_000)] = 6
    """Turns replayed into a prompt."""
    prompt_tokens: Annotated[int, Within(1, 10_000_000)] = 32_000
    """Budget of an assembled prompt."""


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """The HTTP daemon."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Within(0, 65_535)] = 4170
    """Port to listen on; 0 takes any free one."""
    max_pending: Annotated[int, Within(1, 100_000)] = 16
    """How many tasks may wait or run per workspace."""
    max_pending_other: Annotated[int, Within(1, 100_000)] = 8
    """How many of them may be forget or dream."""
    max_records: Annotated[int, Within(1, 10_000_000)] = 1000
    """Task records kept."""
    task_seconds: Annotated[float, Within(0.01, 86_400)] = 295.0
    """Deadline of a task."""
    max_body_bytes: Annotated[int, Within(1, 1 << 30)] = 10 * 1024 * 1024
    """Largest request body."""
    shapes: tuple[str, ...] = ()
    """Further routes that follow other APIs: mem0, anthropic."""
    background_seconds: float = 60.0
    """How often the daemon does what is due: background jobs and dreams; 0 switches that off."""
    max_connections: Annotated[int, Within(8, 65_536)] = 256
    """How many connections may be open over the network; those without a token are closed first."""
    socket_connections: Annotated[int, Within(4, 65_536)] = 64
    """How many more may be open on the Unix socket; no crowd from elsewhere can use them up."""
    max_streams: Annotated[int, Within(1, 65_536)] = 64
    """How many event streams may be open per workspace."""
    threads: Annotated[int, Within(1, 1024)] = 16
    """Threads that read and write memory, per workspace; with a database, its pool decides."""
    readers: Annotated[int, Within(0, 64)] = 8
    """Most processes that answer questions while many come at once, one a processor; 0: none."""
    max_waiting_reads: Annotated[int, Within(0, 65_536)] = 64
    """Reading requests that may wait for a thread; the next one gets 503 `overloaded`."""
    max_waiting_writes: Annotated[int, Within(0, 65_536)] = 64
    """Writing requests that may wait for a thread; the next one gets 503 `overloaded`."""
    head_seconds: Annotated[float, Within(0.1, 3600)] = 10.0
    """How long the head of a request may take to arrive."""
    body_seconds: Annotated[float, Within(0.1, 3600)] = 30.0
    """How long the body of a request may take to arrive."""
    stall_seconds: Annotated[float, Within(0.1, 3600)] = 30.0
    """How long a client may leave its answer unread before it is disconnected."""
    idle_seconds: Annotated[float, Within(0.1, 3600)] = 30.0
    """How long a connection may stay open between two requests."""
    resident: bool = True
    """Whether hooks, commands and MCP servers start the daemon in the background when none runs."""
    resident_minutes: Annotated[float, Within(0.01, 1440)] = 10.0
    """After how many minutes without a question a daemon that started so ends."""
    allowed_hosts: tuple[str, ...] = ()
    """Further names in the Host header under which the daemon may be called; `*` allows any name."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Where memory is kept, if not in files on this machine."""

    url: str = field(default="", repr=False)
    """`postgresql://...` keeps memory in PostgreSQL; empty keeps it in files. Also `REVERIE_ENGINE`."""
    tenant: str = "default"
    """Whose memory, when no token decides."""
    user: str = "default"
    """Which of the tenant's people."""
    project: str = ""
    """Which project; empty means the id of the current folder."""
    pool: Annotated[int, Within(1, 1000)] = 10
    """Maximum number of connections of one process."""
    pool_wait_seconds: Annotated[float, Within(0, 3600)] = 5.0
    """How long a call waits for a free connection before it is told to come back later."""
    statement_seconds: Annotated[float, Within(0.01, 86_400)] = 60.0
    """Time limit of one statement."""
    lease_seconds: Annotated[float, Within(0.1, 3600)] = 15.0
    """How long a lane stays with a daemon that gives no sign of life."""


@dataclass(frozen=True, slots=True)
class ImportSettings:
    """How much `reverie import` reads; what is larger is left out or refused."""

    max_file_bytes: int = 128 * 1024 * 1024
    """Largest file in a source; `memory.max_file_bytes` also applies to notes."""
    max_total_bytes: int = 512 * 1024 * 1024
    """Everything read from a source, in total."""
    max_files: int = 100_000
    """Maximum number of files in a source."""
    max_records: int = 500_000
    """Maximum number of memories, turns, texts and runs in a source, in total."""
    max_values: int = 4_000_000
    """Maximum number of values in one JSON file."""
    max_ratio: int = 100
    """How many times its own size a zip may unpack to; more is a bomb."""


@dataclass(frozen=True, slots=True)
class HookSettings:
    """What runs when an agent calls `reverie hook`."""

    enabled: bool = True
    """Off means that every hook does nothing and adds nothing."""
    prompt_seconds: Annotated[float, Within(0.01, 600)] = 2.0
    """How long a prompt may wait for its memories before it goes on without them."""
    start_seconds: Annotated[float, Within(0.01, 600)] = 5.0
    """How long any other hook may take before the agent goes on."""
    context_chars: Annotated[int, Within(0, 10_000_000)] = 10_000
    """Maximum characters a hook adds; agents cut longer texts themselves."""
    learn: bool = True
    """Whether conversations are read for memories when the agent stops."""
    history: bool = True
    """Whether conversations are added to the history before compaction and at their end."""
    reflect: bool = False
    """Whether the agent itself looks back, before compaction and at the end, and keeps what lasts."""
    idle_seconds: Annotated[float, Within(0, 86_400)] = 300.0
    """After how much silence a session that never says it ended is over, where an agent reads or reflects."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    dialect: str = "reverie"
    """Which agent's names are used: reverie, qwen or claude."""
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
    hooks: HookSettings = field(default_factory=HookSettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    imports: ImportSettings = field(default_factory=ImportSettings)
