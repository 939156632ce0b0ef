"""Values: what every other module passes around. Frozen, built valid, no behaviour beyond reading.

Paths are absolute POSIX strings (in the PostgreSQL engine they are virtual, of the same shape), so
that pure code never needs a file system. `rel` is a path relative to the root it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, TypeAlias


class Scope(StrEnum):
    """Whose a managed memory is: the person's everywhere, or this project's."""

    USER = "user"
    PROJECT = "project"


class Kind(StrEnum):
    """What a managed memory is about."""

    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


class Layer(StrEnum):
    """How a part of an agent's memory is kept and injected."""

    CORE = "core"
    WORKING = "working"
    SEMANTIC = "semantic"
    HISTORY = "history"
    COGNITION = "cognition"
    NOTES = "notes"


class Origin(StrEnum):
    """Who brought a text. Kept in the journal; decides what may be promoted or injected."""

    OWNER = "owner"
    AGENT = "agent"
    UNTRUSTED = "untrusted"
    SYSTEM = "system"


class Source(StrEnum):
    """Where a search hit comes from."""

    MEMORY = "memory"
    CHAT = "chat"
    CUSTOM = "custom"


# --- where we are ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Workspace:
    """One set of roots, bound when memory is opened; no method takes a tenant or project argument."""

    cwd: str
    project_root: str | None
    """The git root, or None outside a repository."""
    project_id: str
    """Readable slug plus short hash of the real path: unique, stable, safe as a folder name."""
    home: str
    """The base folder of this dialect, e.g. ~/.reverie."""
    user_memory: str
    """Managed memory of the person: <home>/memories."""
    project_memory: str
    """Managed memory of the project: <home>/projects/<id>/memory."""
    project_state: str
    """meta.json, extract-cursor.json and consolidation.lock live here, beside the memory folder."""
    state: str
    """Journal, locks, index and tasks: everything that is ours and not the user's text."""
    agent: str = "default"
    """Which agent's layers: <home>/<agents>/<agent>."""
    agents: str = "agents"
    """Folder of all agents' layers below the base folder."""
    user: str = ""
    tenant: str = ""

    @property
    def agent_root(self) -> str:
        """The folder of the agent's layers."""
        return f"{self.home}/{self.agents}/{self.agent}"

    def memory_root(self, scope: Scope) -> str:
        """Return the managed memory folder of a scope."""
        return self.user_memory if scope is Scope.USER else self.project_memory

    @property
    def base(self) -> str:
        """The folder that project files are named from: the git root, else the current folder."""
        return self.project_root or self.cwd


# --- managed memory -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character range in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One remembered thing inside a topic."""

    id: str
    """`rel` when it is the only entry of its topic, else `rel:index` (1-based)."""
    summary: str
    why: str = ""
    how: str = ""
    span: Span = Span(0, 0)
    """Which characters of the topic's text are this entry; removing them keeps everything else."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One Markdown memory file."""

    path: str
    rel: str
    scope: Scope
    kind: Kind
    name: str
    description: str
    body: str
    """Text after the frontmatter, as it stands in the file."""
    text: str
    """The whole file, byte-faithful."""
    entries: tuple[Entry, ...] = ()
    updated: datetime | None = None
    """When this content came to be: from the journal where it knows, else the file's time."""
    pinned: bool = False


# --- writing --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Change:
    """New text for a path (or none: remove it), and the hash of the text it was planned on."""

    path: str
    text: str | None
    base: str | None
    """`digest(text)` of what the planner read; None when it saw no file."""
    private: bool = True
    """New private files are 0600 in folders 0700; shared ones (context files) follow the umask."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What is known about a run before it is applied; kept in the journal as its provenance."""

    verb: str
    session: str = ""
    turn: str = ""
    origin: Origin = Origin.OWNER
    client: str = ""
    note: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Applied:
    """What `apply` did. `run` is empty when there was nothing to change."""

    run: str
    paths: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    redactions: tuple[SecretFinding, ...] = ()
    catalog_notes: tuple[str, ...] = ()
    """What did not fit into a catalog, if anything."""


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A secret-shaped value: which rule, where. Never the value itself."""

    rule: str
    line: int
    column: int
    path: str = ""


RunStatus: TypeAlias = Literal["pending", "done", "rolled_back", "erased"]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One applied outcome in the journal."""

    id: str
    at: datetime
    verb: str
    status: RunStatus
    paths: tuple[str, ...]
    session: str = ""
    turn: str = ""
    origin: Origin = Origin.OWNER
    client: str = ""
    note: str = ""
    undoes: str = ""
    undone_by: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileDelta:
    """One file of a run, before and after; None where the file did not exist."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class BlameLine:
    """Which run brought a line of a file."""

    line: int
    text: str
    run: str
    at: datetime | None
    verb: str
    session: str = ""
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of verify or doctor: a stable code, where, what, and the command that fixes it."""

    code: str
    message: str
    path: str = ""
    line: int = 0
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` checked and found."""

    runs: int
    files: int
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """True when nothing was found."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `init` made and what was there already."""

    created: tuple[str, ...]
    found: tuple[str, ...]


# --- conversations --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a transcript in our common shape, whatever agent wrote it."""

    role: Literal["user", "assistant", "tool", "system"]
    text: str
    id: str = ""
    """The source's own id, or a content hash; cursors point at it."""
    at: datetime | None = None
    tool_name: str = ""
    tool_paths: tuple[str, ...] = ()
    """Files a tool call in this message wrote to (to notice direct memory writes)."""


# --- search ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text that is found as one."""

    text: str
    """As it stands in the file (or in the shown turn), so that reading the lines brings it back."""
    first: int
    """First line, 1-based; `last` is inclusive. A piece of an over-long line has just that line."""
    last: int
    start: int
    """Character range in the text; not the whole of its lines where an over-long line was cut."""
    end: int
    id: str
    """Hash of what is searched: equal ids have equal terms and equal vectors."""
    context: str = ""
    """Title and headings above it; searched with the text, not part of it."""
    title: str = ""
    date: tuple[int, int, int] | None = None
    speaker: str = ""
    turn: bool = False
    """One turn of a conversation."""
    asks: bool = False
    """It ends in a question."""
    section: int = 0
    """Which part of the text it is in; what stands beside it in another part says nothing about it."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What one conversation may see. Nothing is allowed until it is named."""

    allowed_paths: tuple[str, ...] = ()
    """Files and folders, by whole path components; empty means nothing."""
    user_id: str = ""
    """Another user than the workspace's sees no user memory."""
    project_id: str = ""
    """Another project than the workspace's sees no project memory; equal ids share it."""
    conversation_id: str = ""
    """If given, of the chat only this conversation is visible."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found."""

    path: str
    """Below the project's root relative, else absolute; `chat://session/turn` for a conversation."""
    lines: str
    """1-based and inclusive, as `get` takes it: `42-56`."""
    text: str
    score: float
    source: Source
    title: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class SearchStats:
    """How much was searched: what is visible, no more."""

    total_files: int
    total_chunks: int


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search found."""

    query: str
    results: tuple[Hit, ...]
    total_found: int
    """Hits at or above the threshold, before near-duplicates and the rest were left out."""
    method: Literal["hybrid", "keyword", "vector", "none"]
    """What really ran."""
    stats: SearchStats
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file, read from the file itself."""

    path: str
    lines: str
    text: str
    found: bool
    total_lines: int = 0
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What is indexed, as far as it is visible."""

    total_files: int
    total_chunks: int
    last_indexed: datetime | None
    sources: tuple[Source, ...]
    total_tokens: int = 0
    embedding_model: str = ""
    bytes_on_disk: int = 0
    problems: tuple[Problem, ...] = ()
    """Files that are left out, each with the reason."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What bringing the index up to date did."""

    files: int
    """Files read again because they changed."""
    removed: int
    chunks: int
    embedded: int
    """Chunks that got a new vector; the others kept theirs."""
    rebuilt: bool = False
    current: bool = True
    """False: another process is indexing, and the last finished state is searched."""
    problems: tuple[Problem, ...] = ()


# --- layers: turns, prompt, notes -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextPart:
    """What somebody said."""

    text: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the record that we do not know; kept as they are."""


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """What a model thought before it spoke."""

    text: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """A tool the model called; the arguments are JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str = "{}"
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """What a tool answered."""

    call_id: str
    content: str
    is_error: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A part of a kind we do not know (image, audio, whatever comes next), kept whole."""

    type: str
    body: Mapping[str, Any] = field(default_factory=dict)
    """Everything but the type."""


TurnPart: TypeAlias = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | OtherPart


@dataclass(frozen=True, slots=True)
class TurnMessage:
    """One message of a turn: who, and its parts in order."""

    role: str
    parts: tuple[TurnPart, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished exchange of an agent's history."""

    seq: int
    created_at: datetime
    messages: tuple[TurnMessage, ...]
    id: str = ""
    session: str = ""
    source: str = ""
    """Where an imported turn came from: its reader and the id it had there; empty for our own."""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptPart:
    """One fenced section of an assembled prompt."""

    layer: str
    """`core`, `working`, `context`, `catalog`, `recalled` or `history`."""
    name: str
    text: str
    """As it stands in the prompt, fence included."""
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """The layered system prompt and what it costs."""

    text: str
    parts: tuple[PromptPart, ...]
    tokens: int
    budget: int
    dropped: tuple[Dropped, ...] = ()
    """Every cut and every part left out, with the limit that did it."""

    def tokens_of(self, layer: str) -> int:
        """Add up one layer."""
        return sum(part.tokens for part in self.parts if part.layer == layer)


@dataclass(frozen=True, slots=True)
class Note:
    """One note of the zettelkasten."""

    id: str
    title: str
    rel: str
    """Path below `notes/`, e.g. `zettel/20260501100000-sourdough.md`."""
    text: str
    body: str
    created: datetime | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Targets of its wikilinks as written, each once."""


# --- context files --------------------------------------------------------------------------------


class ContextSource(StrEnum):
    """Why a context file is loaded."""

    GLOBAL = "global"
    PROJECT = "project"
    """In a folder from the project's root down to the current one."""
    EXTENSION = "extension"
    INCLUDE = "include"


ImportFormat: TypeAlias = Literal["tree", "flat"]


@dataclass(frozen=True, slots=True)
class ContextImport:
    """A file that was put in place of an import."""

    path: str
    line: int
    """Where the import stands, in the file one level up."""
    depth: int
    """1 for an import of the context file itself, 2 for an import of that file, and so on."""


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A context file as it was loaded."""

    path: str
    shown: str
    """The path in its marker, relative to the current folder."""
    source: ContextSource
    tokens: int
    """Estimated, of its text with all imports."""
    digest: str
    """Of the file's own text, imports not expanded."""
    imports: tuple[ContextImport, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something about a context that its owner should know: where, why, and what to do."""

    path: str
    line: int
    """1-based; 0 where the file as a whole is meant."""
    reason: str
    """A stable code; docs/context.md lists them."""
    message: str
    target: str = ""
    """What the import points to, if it is about one."""


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that was loaded for a folder, ready for a prompt; equal input gives equal text."""

    text: str
    files: tuple[ContextFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    dropped: tuple[Dropped, ...]
    format: ImportFormat
    trusted: bool
    tokens: int
    file_count: int
    depends: tuple[str, ...]
    """Every path whose appearance, change or removal could change this context."""


# --- tasks of the daemon --------------------------------------------------------------------------


class TaskKind(StrEnum):
    """What a queued task does."""

    REMEMBER = "remember"
    FORGET = "forget"
    DREAM = "dream"


class TaskStatus(StrEnum):
    """Where a task stands; the last two are final."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TaskFailure:
    """Why a task failed: a stable code, a sentence, and more for whoever looks closer."""

    code: str
    message: str
    details: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """One accepted request of the daemon's lane."""

    id: str
    kind: TaskKind
    status: TaskStatus
    created: datetime
    updated: datetime
    client: str = ""
    """Who may see it; empty means everyone with the token."""
    payload: Mapping[str, Any] = field(default_factory=dict)
    """What was asked; its text is dropped when the task is over."""
    result: Mapping[str, Any] | None = None
    failure: TaskFailure | None = None
    attempts: int = 0
    """How often it was started; more than once only after a crash."""

    @property
    def over(self) -> bool:
        """True when nothing will change any more."""
        return self.status in (TaskStatus.COMPLETED, TaskStatus.FAILED)


# --- outcomes -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Skipped:
    """A verb that had nothing to do, and why: an outcome, not an error."""

    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something a limit left out; outcomes list these so that nothing vanishes silently."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call cost."""

    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    duration_ms: int = 0
    fallback: str = ""
    """Why the deterministic way was used instead, if it was."""


# --- learning: extract and dream ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CursorState:
    """How far one session has been read."""

    session_id: str = ""
    processed_offset: int = 0
    updated_at: datetime | None = None
    fingerprint: str = ""
    """Hash of everything before the offset; empty when another program wrote the cursor."""
    seen: tuple[str, ...] = ()
    """Short hashes of messages already read, to find the new ones in a rewritten history."""


StatementForm: TypeAlias = Literal[
    "identity", "preference", "correction", "decision", "deadline", "resource", "request"
]


@dataclass(frozen=True, slots=True)
class Patch:
    """One memory that extract found, and what became of it."""

    kind: Kind
    summary: str
    why: str = ""
    how: str = ""
    turn: str = ""
    """Id of the message it was said in."""
    form: StatementForm = "request"
    scope: Scope | None = None
    path: str = ""
    action: str = ""
    """`added`, `updated` or `unchanged`; empty before it was stored."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extract read and stored."""

    patches: tuple[Patch, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    """Statements and turns left out, each with the filter that did it."""
    runs: tuple[str, ...] = ()
    """One run per turn, so that blame names the turn."""
    touched_topics: tuple[Kind, ...] = ()
    paths: tuple[str, ...] = ()
    session: str = ""
    processed_offset: int = 0
    read_messages: int = 0
    remaining: int = 0
    """New messages that wait for the next run."""
    strategy: str = "heuristic"
    dry_run: bool = False
    usage: Usage = Usage()

    @property
    def status(self) -> str:
        """`updated` when memory changed, else `noop`."""
        return "updated" if self.paths else "noop"


@dataclass(frozen=True, slots=True)
class EntryRef:
    """Which entry of which topic an operation is about."""

    path: str
    id: str
    summary: str


@dataclass(frozen=True, slots=True)
class MergeOp:
    """Entries that say the same become one, which keeps every reason and use."""

    kept: EntryRef
    removed: tuple[EntryRef, ...]
    op: Literal["merge"] = "merge"


@dataclass(frozen=True, slots=True)
class SupersedeOp:
    """A newer entry takes the place of an older one and carries its text as a dated note."""

    kept: EntryRef
    removed: EntryRef
    note: str
    op: Literal["supersede"] = "supersede"


@dataclass(frozen=True, slots=True)
class RedateOp:
    """Relative dates of an entry get their absolute date."""

    entry: EntryRef
    phrases: tuple[str, ...]
    """Each phrase with its date, as it now stands."""
    op: Literal["redate"] = "redate"


@dataclass(frozen=True, slots=True)
class PruneCatalogOp:
    """Lines of a catalog that lead nowhere are taken out."""

    path: str
    lines: tuple[str, ...]
    op: Literal["prune_catalog"] = "prune_catalog"


DreamOp: TypeAlias = MergeOp | SupersedeOp | RedateOp | PruneCatalogOp


@dataclass(frozen=True, slots=True)
class DreamPlan:
    """Typed operations and the changes that carry them out; nothing is written yet."""

    ops: tuple[DreamOp, ...] = ()
    changes: tuple[Change, ...] = ()
    refused: tuple[Dropped, ...] = ()
    """Operations that were considered and not done, with the guard that stopped each."""
    topics: tuple[Topic, ...] = ()
    """Memory as it would be."""
    dates: Mapping[str, Mapping[str, datetime | None]] = field(default_factory=dict)
    """For each file that changes: when each of its entries, by summary, came to be."""


@dataclass(frozen=True, slots=True)
class Dreamed:
    """What a dream did, or with `dry_run` would do."""

    ops: tuple[DreamOp, ...] = ()
    refused: tuple[Dropped, ...] = ()
    run: str = ""
    paths: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    touched_topics: tuple[Kind, ...] = ()
    deduped_entries: int = 0
    probes: int = 0
    """Questions that were asked before and after."""
    strategy: str = "mechanical"
    dry_run: bool = False
    usage: Usage = Usage()

    @property
    def status(self) -> str:
        """`updated` when memory changed, else `noop`."""
        return "updated" if self.paths else "noop"


Strategy: TypeAlias = Literal["none", "heuristic", "hybrid", "model"]
"""How a verb chose: by nothing, by words, by words and vectors, by a model."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a text somebody asked to remember."""

    summary: str
    """One sentence for a person."""
    action: Literal["added", "updated", "unchanged"]
    path: str
    entry: str
    """Id of the entry that holds it now."""
    scope: Scope
    kind: Kind
    name: str
    run: str = ""
    files_touched: tuple[str, ...] = ()
    touched_scopes: tuple[Scope, ...] = ()
    similar: tuple[str, ...] = ()
    """Ids of entries that sound alike but say something else, so they were left alone."""
    redactions: tuple[SecretFinding, ...] = ()
    delta: FileDelta | None = None
    """The file before and after."""
    strategy: Strategy = "heuristic"
    dry_run: bool = False
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class RecalledTopic:
    """One topic brought back, and the passage of it that matters."""

    path: str
    rel: str
    scope: Scope
    kind: Kind
    name: str
    description: str
    text: str
    """The passage, with an ellipsis where something was left out."""
    lines: str
    """Which lines of the file the passage is: `first-last`, 1-based and inclusive."""
    score: float
    updated: datetime | None
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Recalled:
    """What was brought back for a turn; `block` is ready for a prompt, empty when nothing is relevant."""

    strategy: Strategy
    topics: tuple[RecalledTopic, ...] = ()
    block: str = ""
    scanned: int = 0
    dropped: tuple[Dropped, ...] = ()
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class RemovedEntry:
    """An entry that was forgotten, or that a query found."""

    id: str
    topic: Kind
    scope: Scope
    summary: str
    file_path: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of forgetting that holds nothing of what was forgotten, only salted digests of it."""

    id: str
    at: datetime
    salt: str
    entries: tuple[str, ...]
    """One digest per entry removed."""
    shingles: Mapping[int, tuple[str, ...]]
    """Digests of runs of so many words each, by which a trace is recognised."""
    erased: bool = False
    """Whether the journal was redacted too; otherwise the run can still be undone."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed, or with `dry_run` would be."""

    summary: str
    """One sentence for a person."""
    removed_entries: tuple[RemovedEntry, ...] = ()
    touched_topics: tuple[Kind, ...] = ()
    touched_scopes: tuple[Scope, ...] = ()
    candidates: tuple[RemovedEntry, ...] = ()
    """Entries that came near but were left alone; name their ids to remove them."""
    run: str = ""
    receipt: Receipt | None = None
    deltas: tuple[FileDelta, ...] = ()
    """The files before and after; empty after an erase, which must leave no copy."""
    strategy: Strategy = "heuristic"
    dry_run: bool = False
    dropped: tuple[Dropped, ...] = ()
    usage: Usage = Usage()


SaveScope: TypeAlias = Literal["global", "project"]


@dataclass(frozen=True, slots=True)
class SavePlace:
    """Where a fact could be saved, and what the file would look like then."""

    scope: SaveScope
    path: str
    item: str
    """The list item as it would stand in the file."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A fact that was written to a context file, or would be (`run` is empty then)."""

    scope: SaveScope
    path: str
    fact: str
    delta: FileDelta
    run: str = ""


@dataclass(frozen=True, slots=True)
class ContextWritten:
    """A context file that was appended to or replaced as a whole."""

    path: str
    mode: Literal["append", "replace"]
    bytes_written: int
    """Size of the file as it was written; 0 when nothing was."""
    changed: bool
    run: str = ""


@dataclass(frozen=True, slots=True)
class Archived:
    """A context file whose content was moved aside (`run` is empty when it only would be)."""

    path: str
    archive: str
    deltas: tuple[FileDelta, ...]
    run: str = ""


@dataclass(frozen=True, slots=True)
class Trust:
    """Whether context files of a folder are loaded, and who says so."""

    path: str
    trusted: bool
    decided_by: str
    """The folder whose record decides, or the name of the setting."""
