"""Who and where: scopes, kinds, layers, origins, and the workspace that is bound when memory is opened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
    IMPORT = "import"
    UNTRUSTED = "untrusted"
    SYSTEM = "system"


class Source(StrEnum):
    """Where a search hit comes from."""

    MEMORY = "memory"
    CHAT = "chat"
    CUSTOM = "custom"


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
    def keeps_memory_in_project(self) -> bool:
        """Whether the project's memory lies in the project, where strangers may have put links."""
        state = f"{self.project_state}/"
        return state.startswith(f"{self.base}/") and not state.startswith(f"{self.home}/")

    @property
    def in_project(self) -> bool:
        """Whether this is a folder somebody works in, and not the folder of the person itself."""
        return self.base not in ("/", self.home, self.home.rpartition("/")[0])

    @property
    def base(self) -> str:
        """The folder that project files are named from: the git root, else the current folder."""
        return self.project_root or self.cwd
