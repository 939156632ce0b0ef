"""Every error Reverie raises on purpose.

ReverieError                     code, HTTP status, exit code on the class
├─ InvalidInput           400    the caller's words are off: InvalidContent, InvalidQuery, InvalidLines,
│                                InvalidContextMode, InvalidClientId, InvalidScope, InvalidPath,
│                                InvalidMode, InvalidJson, WorkspaceMismatch, RequestTimeout (408),
│                                MethodNotAllowed (405), InvalidArgument, BadDataset
├─ ConfigError            400    settings: UnknownSetting, BadSetting, SettingNotAllowed, ConfigUnreadable,
│                                EngineUnsafe, EngineOutdated, NotInstalled
├─ NotAllowed             403    Unauthorized (401), PathEscape, SecretRefused, UntrustedFolder, PinnedFile,
│                                InvalidHost, OriginNotAllowed, IsolationBlocked
├─ NotFound               404    PathNotFound, RunNotFound, TaskNotFound, TopicNotFound, NoteNotFound,
│                                WorkspaceNotFound, SessionNotFound
├─ Conflict               409    StaleBase, Locked, UndoConflict, MemoryUnavailable, TaskOver, TaskStopped,
│                                LaneLost, KeyReused, AlreadyRunning, PortTaken, TargetExists, PathTaken
├─ TooLarge               413    FileTooLarge, ContentTooLarge, BodyTooLarge
├─ TooBusy                429    QueueFull, TooManySubscribers
├─ Unavailable            503    LaneBusy, Draining, TooManyConnections, Overloaded, DaemonUnreachable,
│                                EngineUnavailable
├─ StoreError             500    ReadOnly (503), DiskFull (507), NotText (409), NotAFile (409),
│                                JournalCorrupt, FileFailed,
│                                TaskFailed, TurnUnreadable, HistoryIndexBroken, IndexBroken, GitFailed
└─ ModelError             502    ModelTimeout, BadAnswer, BudgetSpent, EmbedderFailed

Codes are the public contract: they never change meaning. A message says what happened, with which
value, and what to do next. Expected non-results are `Skipped` outcomes, not errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar


class ReverieError(Exception):
    """Something went wrong that we can name."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "", **evidence: Any) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])
        self.evidence = evidence
        """Facts a program may want (paths, holder, rule ids); never a secret value."""


class InvalidInput(ReverieError):
    """The request cannot be understood."""

    code = "invalid_input"
    status = 400
    exit_code = 2


class InvalidContent(InvalidInput):
    """The content is missing, empty or too large."""

    code = "invalid_content"


class InvalidQuery(InvalidInput):
    """The query is missing, empty or too large."""

    code = "invalid_query"


class InvalidContextMode(InvalidInput):
    """The context mode must be 'workspace' or 'clean'."""

    code = "invalid_context_mode"


class InvalidClientId(InvalidInput):
    """The client id is malformed or not registered."""

    code = "invalid_client_id"


class InvalidLines(InvalidInput):
    """A line range looks like 42-56, 1-based and inclusive."""

    code = "invalid_lines"


class InvalidScope(InvalidInput):
    """The scope is missing or unknown."""

    code = "invalid_scope"


class InvalidPath(InvalidInput):
    """The path is empty, has a NUL byte or is not of the expected form."""

    code = "invalid_path"


class InvalidMode(InvalidInput):
    """The mode must be 'append' or 'replace'."""

    code = "invalid_mode"


class InvalidJson(InvalidInput):
    """The request body is not the JSON that was expected."""

    code = "invalid_json"


class WorkspaceMismatch(InvalidInput):
    """The daemon does not serve this folder."""

    code = "workspace_mismatch"


class RequestTimeout(InvalidInput):
    """The request did not arrive in time."""

    code = "request_timeout"
    status = 408


class MethodNotAllowed(InvalidInput):
    """This address does not take this method."""

    code = "method_not_allowed"
    status = 405


class InvalidArgument(InvalidInput):
    """An argument of a tool or command is unknown, of the wrong type or out of range."""

    code = "invalid_argument"


class BadDataset(InvalidInput):
    """The data to measure with cannot be read."""

    code = "bad_dataset"


class ConfigError(ReverieError):
    """A setting is wrong."""

    code = "config_error"
    status = 400
    exit_code = 2


class UnknownSetting(ConfigError):
    """There is no such setting."""

    code = "unknown_setting"


class BadSetting(ConfigError):
    """A setting has a value of the wrong type or out of range."""

    code = "bad_setting"


class SettingNotAllowed(ConfigError):
    """A project file may not set this: a cloned repository must not redirect your memory."""

    code = "setting_not_allowed"


class ConfigUnreadable(ConfigError):
    """A settings file cannot be read, or holds something else than it should."""

    code = "config_unreadable"


class EngineUnsafe(ConfigError):
    """The database would be reached in a way that does not keep tenants apart."""

    code = "engine_unsafe"


class EngineOutdated(ConfigError):
    """The database's schema and this release do not fit together."""

    code = "engine_outdated"


class NotInstalled(ConfigError):
    """A library that only some people need is not installed."""

    code = "not_installed"


class NotAllowed(ReverieError):
    """This is refused."""

    code = "not_allowed"
    status = 403
    exit_code = 3


class Unauthorized(NotAllowed):
    """The bearer token is missing or wrong."""

    code = "unauthorized"
    status = 401


class PathEscape(NotAllowed):
    """A path leads outside the folders it may touch."""

    code = "path_escape"


class SecretRefused(NotAllowed):
    """The text holds something shaped like a secret, so nothing was written."""

    code = "secret_refused"


class UntrustedFolder(NotAllowed):
    """The folder is not trusted."""

    code = "untrusted_workspace"


class PinnedFile(NotAllowed):
    """An automatic writer tried to change a pinned memory."""

    code = "pinned_file"


class InvalidHost(NotAllowed):
    """The Host header does not name this daemon."""

    code = "invalid_host"


class OriginNotAllowed(NotAllowed):
    """A page of another origin may not call the daemon."""

    code = "origin_not_allowed"


class IsolationBlocked(NotAllowed):
    """This conversation may not see the path."""

    code = "isolation_blocked"


class NotFound(ReverieError):
    """There is no such thing."""

    code = "not_found"
    status = 404
    exit_code = 4


class PathNotFound(NotFound):
    """There is no file at this path."""

    code = "path_not_found"


class RunNotFound(NotFound):
    """The journal has no such run."""

    code = "run_not_found"


class TopicNotFound(NotFound):
    """There is no such memory."""

    code = "topic_not_found"


class NoteNotFound(NotFound):
    """There is no such note."""

    code = "note_not_found"


class TaskNotFound(NotFound):
    """There is no such task, or it belongs to another client."""

    code = "task_not_found"

    def __init__(self, message: str = "", *, verb: str = "", **evidence: Any) -> None:
        super().__init__(message, **evidence)
        if verb:
            self.code = f"{verb}_task_not_found"  # type: ignore[misc]  # the document's own codes


class WorkspaceNotFound(NotFound):
    """The daemon serves no such workspace."""

    code = "workspace_not_found"


class SessionNotFound(NotFound):
    """There is no such session."""

    code = "session_not_found"


class Conflict(ReverieError):
    """The state of the memory does not allow this now."""

    code = "conflict"
    status = 409
    exit_code = 5


class StaleBase(Conflict):
    """A file changed since it was read, so the change planned on it was not applied."""

    code = "stale_base"


class Locked(Conflict):
    """Another process is writing and did not finish in time."""

    code = "locked"


class UndoConflict(Conflict):
    """A later change overlaps the run that should be undone."""

    code = "undo_conflict"


class TaskOver(Conflict):
    """The task is over, so it cannot be cancelled any more."""

    code = "task_over"


class TaskStopped(Conflict):
    """The task was cancelled or out of time, so it may not write any more."""

    code = "task_stopped"


class LaneLost(TaskStopped):
    """Another daemon has the lane now, so nothing was written."""

    code = "lane_lost"


class KeyReused(Conflict):
    """The idempotency key was used before, for a different request."""

    code = "idempotency_key_reused"


class AlreadyRunning(Conflict):
    """Another daemon serves this workspace already."""

    code = "already_running"


class PortTaken(Conflict):
    """Another program listens on this port."""

    code = "port_taken"


class PathTaken(Conflict):
    """There is a file of that name already."""

    code = "path_taken"


class TargetExists(Conflict):
    """Something is already where an export should go."""

    code = "target_exists"


class MemoryUnavailable(Conflict):
    """Managed memory is switched off for this workspace."""

    code = "managed_memory_unavailable"


class TooLarge(ReverieError):
    """This is over a size limit."""

    code = "too_large"
    status = 413
    exit_code = 6


class FileTooLarge(TooLarge):
    """The file is larger than the limit."""

    code = "memory_file_too_large"


class ContentTooLarge(TooLarge):
    """The content is larger than the limit."""

    code = "content_too_large"


class BodyTooLarge(TooLarge):
    """The request body is larger than the limit."""

    code = "body_too_large"


class TooBusy(ReverieError):
    """Too much work is waiting already."""

    code = "too_busy"
    status = 429
    exit_code = 7


class QueueFull(TooBusy):
    """The queue of waiting tasks is full."""

    code = "remember_queue_full"


class TooManySubscribers(TooBusy):
    """As many event streams are open as are allowed."""

    code = "subscriber_limit_exceeded"


class Unavailable(ReverieError):
    """The daemon cannot take this now."""

    code = "unavailable"
    status = 503
    exit_code = 10


class LaneBusy(Unavailable):
    """Tasks are at work and nothing was done; send it again, or queue it."""

    code = "lane_busy"


class Draining(Unavailable):
    """The daemon is stopping and takes no new work."""

    code = "workspace_draining"


class TooManyConnections(Unavailable):
    """As many connections are open as are allowed."""

    code = "too_many_connections"


class Overloaded(Unavailable):
    """So much work waits that this was not taken on; nothing was done, send it again."""

    code = "overloaded"


class DaemonUnreachable(Unavailable):
    """No daemon answered."""

    code = "daemon_unreachable"


class EngineUnavailable(Unavailable):
    """The database cannot be reached, or all its connections are in use."""

    code = "engine_unavailable"


class StoreError(ReverieError):
    """Reading or writing failed; nothing was lost."""

    code = "store_error"
    status = 500
    exit_code = 8


class ReadOnly(StoreError):
    """The folder or file cannot be written."""

    code = "read_only"
    status = 503


class DiskFull(StoreError):
    """The disk is full."""

    code = "disk_full"
    status = 507


class TaskFailed(StoreError):
    """A task could not be queued because the memory could not be looked at."""

    code = "task_failed"

    def __init__(self, message: str = "", *, verb: str = "", **evidence: Any) -> None:
        super().__init__(message, **evidence)
        if verb:
            self.code = f"{verb}_failed"  # type: ignore[misc]  # the document's own codes


class NotText(StoreError):
    """The file is not UTF-8 text."""

    code = "not_text"
    status = 409


class NotAFile(StoreError):
    """The path is a folder or a device, not a file."""

    code = "not_a_file"
    status = 409


class FileFailed(StoreError):
    """The operating system refused a file operation."""

    code = "file_error"


class JournalCorrupt(StoreError):
    """The journal cannot be read; it was kept aside and a new one begun."""

    code = "journal_corrupt"


class TurnUnreadable(StoreError):
    """A turn of the history is not a record we can read."""

    code = "turn_unreadable"


class HistoryIndexBroken(StoreError):
    """The index of an agent's history cannot be read; it can be made anew from the turns."""

    code = "history_index_broken"


class IndexBroken(StoreError):
    """The search index cannot be read; it can be made anew from the files."""

    code = "index_broken"


class GitFailed(StoreError):
    """The git command is missing, or failed."""

    code = "git_failed"


class ModelError(ReverieError):
    """A model call failed."""

    code = "model_error"
    status = 502
    exit_code = 9


class ModelTimeout(ModelError):
    """The model did not answer in time."""

    code = "model_timeout"
    status = 504


class BadAnswer(ModelError):
    """The model's answer has the wrong shape."""

    code = "bad_answer"


class BudgetSpent(ModelError):
    """The budget for model calls is used up."""

    code = "budget_spent"


class EmbedderFailed(ModelError):
    """The embedder cannot be used, so search goes by words alone."""

    code = "embedder_failed"


class RememberPathEscape(NotAllowed):
    """The remember agent touched a path outside managed memory."""

    code = "remember_path_escape"


def all_errors(base: type[ReverieError] = ReverieError) -> Sequence[type[ReverieError]]:
    """List every class of the tree, for the reference page and the tests."""
    found: list[type[ReverieError]] = [base]
    for child in base.__subclasses__():
        found.extend(all_errors(child))
    return found
