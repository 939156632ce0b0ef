"""Every error Reverie raises on purpose, as one table: two lines a row.

A row is a class: its code, its HTTP status and exit code (those of its family, unless it says otherwise),
what it means, and what to do about it (`fix`). The daemon's answers, the exit codes of the command line,
what the client raises and docs/reference/errors.md all come from here.

Codes are the public contract: they never change meaning. A message says what happened, with which
value, and what to do next. Expected non-results are `Skipped` outcomes, not errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class ReverieError(Exception):
    """Something went wrong that we can name."""

    code: str = "error"
    verb_code: str = ""
    """The pattern of its codes where there is one for each verb, as the daemon document has it."""
    status: int = 500
    exit_code: int = 1
    fix: str = "Read the message; if it does not help, report it."

    def __init_subclass__(
        cls,
        *,
        code: str = "",
        verb_code: str = "",
        status: int = 0,
        exit_code: int = 0,
        fix: str = "",
    ) -> None:
        cls.code = code or cls.code
        cls.verb_code = verb_code or cls.verb_code
        cls.status = status or cls.status
        cls.exit_code = exit_code or cls.exit_code
        cls.fix = fix or cls.fix

    def __init__(self, message: str = "", *, verb: str = "", **evidence: Any) -> None:
        super().__init__(message or self.meaning())
        if verb:
            self.code = self.code_for(verb)
        self.evidence = evidence
        """Facts a program may want (paths, holder, rule ids); never a secret value."""

    @classmethod
    def meaning(cls) -> str:
        """Say in a sentence what it means."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def code_for(cls, verb: str = "") -> str:
        """Return the code; that of the verb, where there is one for each."""
        return cls.verb_code.format(verb) if verb and cls.verb_code else cls.code


def all_errors(base: type[ReverieError] = ReverieError) -> Sequence[type[ReverieError]]:
    """List every class of the tree, for the reference page and the tests."""
    found: list[type[ReverieError]] = [base]
    for child in base.__subclasses__():
        found.extend(all_errors(child))
    return found


# fmt: off
class InvalidInput(ReverieError, code="invalid_input", status=400, exit_code=2,
                   fix="Change the request as the message says."):
    """The request cannot be understood."""
class InvalidContent(InvalidInput, code="invalid_content"):
    """The content is missing, empty or too large."""
class InvalidQuery(InvalidInput, code="invalid_query"):
    """The query is missing, empty or too large."""
class InvalidContextMode(InvalidInput, code="invalid_context_mode"):
    """The context mode must be 'workspace' or 'clean'."""
class InvalidClientId(InvalidInput, code="invalid_client_id"):
    """The client id is malformed or not registered."""
class InvalidLines(InvalidInput, code="invalid_lines"):
    """A line range looks like 42-56, 1-based and inclusive."""
class InvalidScope(InvalidInput, code="invalid_scope"):
    """The scope is missing or unknown."""
class InvalidPath(InvalidInput, code="invalid_path"):
    """The path is empty, has a NUL byte or is not of the expected form."""
class InvalidMode(InvalidInput, code="invalid_mode"):
    """The mode must be 'append' or 'replace'."""
class InvalidJson(InvalidInput, code="invalid_json"):
    """The request body is not the JSON that was expected."""
class WorkspaceMismatch(InvalidInput, code="workspace_mismatch",
                        fix="`GET /capabilities` names the folders that are served."):
    """The daemon does not serve this folder."""
class RequestTimeout(InvalidInput, code="request_timeout", status=408,
                     fix="Send it again; a task that you waited for is still running, so ask for it later."):
    """The request did not arrive in time."""
class MethodNotAllowed(InvalidInput, code="method_not_allowed", status=405,
                       fix="Use one of the methods in the answer's `Allow` header."):
    """This address does not take this method."""
class InvalidArgument(InvalidInput, code="invalid_argument"):
    """An argument of a tool or command is unknown, of the wrong type or out of range."""
class BadDataset(InvalidInput, code="bad_dataset", fix="Correct the file that the message names."):
    """The data to measure with cannot be read."""

class ConfigError(ReverieError, code="config_error", status=400, exit_code=2,
                  fix="Change the setting; `reverie config list` shows where its value comes from."):
    """A setting is wrong."""
class UnknownSetting(ConfigError, code="unknown_setting",
                     fix="`reverie config list` shows every setting."):
    """There is no such setting."""
class BadSetting(ConfigError, code="bad_setting"):
    """A setting has a value of the wrong type or out of range."""
class SettingNotAllowed(ConfigError, code="setting_not_allowed",
                        fix="Set it in your own settings file."):
    """A project file may not set this: a cloned repository must not redirect your memory."""
class ConfigUnreadable(ConfigError, code="config_unreadable",
                       fix="Correct the file that the message names."):
    """A settings file cannot be read, or contains something other than it should."""
class EngineUnsafe(ConfigError, code="engine_unsafe",
                   fix="Connect as a role that is only a member of `reverie_app`."):
    """The database would be reached in a way that does not keep tenants apart."""
class EngineOutdated(ConfigError, code="engine_outdated",
                     fix="Run `reverie postgres migrate`, or install the release the message names."):
    """The database's schema and this release do not fit together."""
class NotInstalled(ConfigError, code="not_installed",
                   fix="Install the extra that the message names."):
    """A library that only some people need is not installed."""

class NotAllowed(ReverieError, code="not_allowed", status=403, exit_code=3,
                 fix="Sending it again does not help; the message says what would be allowed."):
    """This is refused."""
class TokenLimited(NotAllowed, code="token_limited",
                   fix="Use a token that may do it; whoever runs the service makes tokens."):
    """The token is for reading only, or for one project."""
class QuotaExceeded(NotAllowed, code="quota_exceeded",
                    fix="Remove what is not needed, or ask whoever runs the service for more."):
    """The tenant has as much as it may have, and nothing was written."""
class Unauthorized(NotAllowed, code="unauthorized", status=401,
                   fix="Send the token: `Authorization: Bearer ...`."):
    """The bearer token is missing or wrong."""
class PathEscape(NotAllowed, code="path_escape"):
    """A path leads outside the folders it may touch."""
class SecretRefused(NotAllowed, code="secret_refused",
                    fix="Remove the secret, and say where it is kept instead."):
    """The text contains something shaped like a secret, so nothing was written."""
class UntrustedFolder(NotAllowed, code="untrusted_workspace",
                      fix="`reverie trust` says that you trust the folder."):
    """The folder is not trusted."""
class PinnedFile(NotAllowed, code="pinned_file", fix="Unpin it, or edit it yourself."):
    """An automatic writer tried to change a pinned memory."""
class InvalidHost(NotAllowed, code="invalid_host",
                  fix="Add the name to `daemon.allowed_hosts`."):
    """The Host header does not name this daemon."""
class OriginNotAllowed(NotAllowed, code="origin_not_allowed",
                       fix="Call it from a program, or from the daemon's own page."):
    """A page of another origin may not call the daemon."""
class IsolationBlocked(NotAllowed, code="isolation_blocked"):
    """This conversation may not see the path."""
class RememberPathEscape(NotAllowed, code="remember_path_escape"):
    """The remember agent touched a path outside managed memory."""

class NotFound(ReverieError, code="not_found", status=404, exit_code=4,
               fix="Check the name; the message says where to look."):
    """There is no such thing."""
class PathNotFound(NotFound, code="path_not_found"):
    """There is no file at this path."""
class RunNotFound(NotFound, code="run_not_found", fix="`reverie log` lists the runs."):
    """The journal has no such run."""
class TopicNotFound(NotFound, code="topic_not_found"):
    """There is no such memory."""
class HeardNotFound(NotFound, code="heard_not_found", fix="`reverie heard` lists what was heard."):
    """Nothing of this number or id was heard."""
class NoteNotFound(NotFound, code="note_not_found", fix="`reverie notes list` lists the notes."):
    """There is no such note."""
class TaskNotFound(NotFound, code="task_not_found", verb_code="{}_task_not_found",
                   fix="`GET /workspace/memory/tasks` lists the tasks you may see."):
    """There is no such task, or it belongs to another client."""
class WorkspaceNotFound(NotFound, code="workspace_not_found",
                        fix="`GET /capabilities` names the workspaces."):
    """The daemon serves no such workspace."""
class SessionNotFound(NotFound, code="session_not_found", fix="`POST /session` opens one."):
    """There is no such session."""

class Conflict(ReverieError, code="conflict", status=409, exit_code=5,
               fix="Look at the memory as it is now, then try again."):
    """The state of the memory does not allow this now."""
class StaleBase(Conflict, code="stale_base",
                fix="Read the file again and repeat the change on its new text."):
    """A file changed since it was read, so the change planned on it was not applied."""
class Locked(Conflict, code="locked", fix="Try again when the other process is done."):
    """Another process is writing and did not finish in time."""
class UndoConflict(Conflict, code="undo_conflict", fix="Undo the later runs first."):
    """A later change overlaps the run that should be undone."""
class TaskOver(Conflict, code="task_over",
               fix="Look at its result; `reverie undo` takes its run back."):
    """The task has ended, so it can no longer be cancelled."""
class TaskStopped(Conflict, code="task_stopped", fix="Queue it again if it is still wanted."):
    """The task was cancelled or ran out of time, so it may no longer write."""
class LaneLost(TaskStopped, code="lane_lost"):
    """Another daemon has the lane now, so nothing was written."""
class KeyReused(Conflict, code="idempotency_key_reused", fix="Use a new key for a new request."):
    """The idempotency key was used before, for a different request."""
class AlreadyRunning(Conflict, code="already_running", fix="Use that daemon, or stop it first."):
    """Another daemon already serves this workspace."""
class PortTaken(Conflict, code="port_taken", fix="Choose another with `--port`, or 0 for any."):
    """Another program listens on this port."""
class PathTaken(Conflict, code="path_taken", fix="Edit that file, or choose another name."):
    """A file of that name already exists."""
class TargetExists(Conflict, code="target_exists",
                   fix="Choose another place, or replace an earlier export with `--force`."):
    """Something is already where an export should go."""
class MemoryUnavailable(Conflict, code="managed_memory_unavailable",
                        fix="Set `memory.enabled` to true."):
    """Managed memory is switched off for this workspace."""

class TooLarge(ReverieError, code="too_large", status=413, exit_code=6,
               fix="Send less, or raise the limit that the message names."):
    """This is over a size limit."""
class FileTooLarge(TooLarge, code="memory_file_too_large"):
    """The file is larger than the limit."""
class ContentTooLarge(TooLarge, code="content_too_large"):
    """The content is larger than the limit."""
class BodyTooLarge(TooLarge, code="body_too_large"):
    """The request body is larger than the limit."""

class TooBusy(ReverieError, code="too_busy", status=429, exit_code=7,
              fix="Wait as long as `Retry-After` says, then send it again."):
    """Too much work is already waiting."""
class QueueFull(TooBusy, code="remember_queue_full"):
    """The queue of waiting tasks is full."""
class TenantBusy(TooBusy, code="tenant_busy"):
    """This tenant has its share of a busy service already."""
class RateLimited(TooBusy, code="rate_limited"):
    """This tenant has sent as many requests as it may send for now."""
class TooManySubscribers(TooBusy, code="subscriber_limit_exceeded",
                         fix="Close a stream, or try again later."):
    """The maximum number of event streams is open."""

class Unavailable(ReverieError, code="unavailable", status=503, exit_code=10,
                  fix="Nothing was done; wait as long as `Retry-After` says, then send it again."):
    """The daemon cannot accept this now."""
class LaneBusy(Unavailable, code="lane_busy"):
    """Tasks are running, and nothing was done; send it again, or queue it."""
class Draining(Unavailable, code="workspace_draining"):
    """The daemon is stopping and takes no new work."""
class TooManyConnections(Unavailable, code="too_many_connections"):
    """The maximum number of connections is open."""
class Overloaded(Unavailable, code="overloaded"):
    """Too much work is waiting, and nothing was done; send it again."""
class ReaderLost(Unavailable, code="reader_lost"):
    """The processes that were to answer ended before they did; nothing was changed."""
class OtherProcess(Unavailable, code="other_process", status=421,
                   fix="The command does it itself; a resident of the newer version takes over."):
    """The resident daemon would answer something else: its version or its environment is another."""
class StillOpening(Unavailable, code="still_opening", status=425,
                   fix="The command does it itself; ask again in a moment."):
    """The resident daemon is only opening this memory."""
class DaemonUnreachable(Unavailable, code="daemon_unreachable",
                        fix="Start one with `reverie serve`."):
    """No daemon answered."""
class EngineUnavailable(Unavailable, code="engine_unavailable",
                        fix="Check `engine.url` and the database, then try again."):
    """The database cannot be reached, or all its connections are in use."""

class AgentMissing(Unavailable, code="agent_missing",
                   fix="Install the agent, or start Reverie where its program is on the PATH."):
    """The agent's program is not on this machine."""

class StoreError(ReverieError, code="store_error", status=500, exit_code=8,
                 fix="`reverie doctor` and `reverie verify` say what is wrong."):
    """Reading or writing failed; nothing was lost."""
class ReadOnly(StoreError, code="read_only", status=503,
               fix="Let the user who runs Reverie write there."):
    """The folder or file cannot be written."""
class TenantMoving(ReadOnly, code="tenant_moving",
                   fix="Wait as long as `Retry-After` says, then send it again."):
    """The tenant's memory is being moved to another server, so it cannot be written now."""
class DiskFull(StoreError, code="disk_full", status=507, fix="Make room, then try again."):
    """The disk is full."""
class TaskFailed(StoreError, code="task_failed", verb_code="{}_failed"):
    """A task could not be queued because the memory could not be read."""
class NotText(StoreError, code="not_text", status=409,
              fix="Convert the file to UTF-8, or move it away."):
    """The file is not UTF-8 text."""
class NotAFile(StoreError, code="not_a_file", status=409,
               fix="Name a file, or move away what is in its place."):
    """The path is a folder or a device, not a file."""
class FileFailed(StoreError, code="file_error"):
    """The operating system refused a file operation."""
class JournalCorrupt(StoreError, code="journal_corrupt"):
    """The journal cannot be read; it was set aside and a new one was started."""
class TurnUnreadable(StoreError, code="turn_unreadable",
                     fix="Correct or remove the file that the message names."):
    """A turn of the history is not a record we can read."""
class HistoryIndexBroken(StoreError, code="history_index_broken",
                         fix="Nothing: it is rebuilt at its next use."):
    """The index of an agent's history cannot be read; it can be rebuilt from the turns."""
class IndexBroken(StoreError, code="index_broken", fix="Run `reverie index --rebuild`."):
    """The search index cannot be read; it can be rebuilt from the files."""
class GitFailed(StoreError, code="git_failed", fix="Install git, or do what its message says."):
    """The git command is missing, or failed."""

class ModelError(ReverieError, code="model_error", status=502, exit_code=9,
                 fix="Check the settings under `model`; every verb also works without one."):
    """A model call failed."""
class ModelTimeout(ModelError, code="model_timeout", status=504,
                   fix="Try again, or raise `model.timeout_seconds` or `model.run_seconds`."):
    """The model did not answer in time."""
class BadAnswer(ModelError, code="bad_answer", fix="Try again, or choose another model."):
    """The model's answer has the wrong shape."""
class BudgetSpent(ModelError, code="budget_spent",
                  fix="Raise the limit that the message names, or work without a model."):
    """The budget for model calls is used up."""
class AgentRefused(ModelError, code="agent_refused",
                   fix="Log the agent in, or wait for its quota; it is not asked again for an hour."):
    """The agent that serves as the model is not logged in, or its quota is used up."""
class AgentBusy(ModelError, code="agent_busy", fix="Nothing is lost; it is asked next time."):
    """The agent that serves as the model is answering another question."""
class EmbedderFailed(ModelError, code="embedder_failed",
                     fix="Check the settings under `embedder`."):
    """The embedder cannot be used, so search goes by words alone."""
# fmt: on
