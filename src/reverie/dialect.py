"""Names that differ between agents, as data: folders, file names, headers, environment variables.

A dialect is never an `if` in the rules; a rule that needs a difference gets a field here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from reverie.errors import BadSetting

SlugStyle: TypeAlias = Literal["hashed", "dashed"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The names one family of agents uses."""

    name: str
    config_dir: str
    """The dot folder, in the user's home and in a project."""
    context_names: tuple[str, ...]
    """Context file names, in order; the first is the one a saved fact goes to."""
    section: str
    """The heading under which saved facts are listed."""
    home_env: tuple[str, ...]
    """Environment variables that replace the base folder, first one set wins."""
    local_env: str
    """Set to 1: keep the project's memory inside the project."""
    scope_env: str
    """Set to `workspace`: the project is the exact current folder, not the git root."""
    token_env: tuple[str, ...]
    client_header: str
    epoch_header: str
    user_memory: str
    """Folder of user-scope memory below the base folder; empty where the agent has none of its own."""
    slug: SlugStyle
    """`hashed`: readable slug plus hash. `dashed`: the agent's own slug, so that we work in place."""
    state_dir: str
    """Our own state below the base folder, away from the agent's files."""
    config_file: str
    """Our settings file below the base folder."""
    project_config: str
    """Our settings file below a project's root."""
    own_home: bool = False
    """Whether everything in the base folder is ours; no agent keeps files of its own there."""
    agents_dir: str = "agents"
    """Layers of agents below the base folder; apart where the agent keeps its sub-agents there."""
    why_label: str = "Why:"
    how_label: str = "How to apply:"


REVERIE = Dialect(
    name="reverie",
    config_dir=".reverie",
    context_names=("AGENTS.md", "REVERIE.md"),
    section="## Added Memories",
    home_env=("REVERIE_HOME",),
    local_env="REVERIE_MEMORY_LOCAL",
    scope_env="REVERIE_MEMORY_PROJECT_SCOPE",
    token_env=("REVERIE_SERVER_TOKEN",),
    client_header="X-Reverie-Client-Id",
    epoch_header="X-Reverie-Event-Epoch",
    user_memory="memories",
    slug="hashed",
    state_dir="state",
    config_file="config.toml",
    project_config=".reverie/config.toml",
    own_home=True,
)

QWEN = Dialect(
    name="qwen",
    config_dir=".qwen",
    context_names=("QWEN.md", "AGENTS.md"),
    section="## Qwen Added Memories",
    home_env=("QWEN_CODE_MEMORY_BASE_DIR", "QWEN_RUNTIME_DIR"),
    local_env="QWEN_CODE_MEMORY_LOCAL",
    scope_env="QWEN_CODE_MEMORY_PROJECT_SCOPE",
    token_env=("REVERIE_SERVER_TOKEN", "QWEN_SERVER_TOKEN"),
    client_header="X-Qwen-Client-Id",
    epoch_header="X-Qwen-Event-Epoch",
    user_memory="memories",
    slug="dashed",
    state_dir="reverie",
    agents_dir="reverie-agents",
    config_file="reverie/config.toml",
    project_config=".qwen/reverie.toml",
)

CLAUDE = Dialect(
    name="claude",
    config_dir=".claude",
    context_names=("CLAUDE.md",),
    section="## Added Memories",
    home_env=("CLAUDE_CONFIG_DIR",),
    local_env="REVERIE_MEMORY_LOCAL",
    scope_env="REVERIE_MEMORY_PROJECT_SCOPE",
    token_env=("REVERIE_SERVER_TOKEN",),
    client_header="X-Reverie-Client-Id",
    epoch_header="X-Reverie-Event-Epoch",
    user_memory="memories",
    slug="dashed",
    state_dir="reverie",
    agents_dir="reverie-agents",
    config_file="reverie/config.toml",
    project_config=".claude/reverie.toml",
    why_label="**Why:**",
    how_label="**How to apply:**",
)

DIALECTS = {dialect.name: dialect for dialect in (REVERIE, QWEN, CLAUDE)}


def named(name: str) -> Dialect:
    try:
        return DIALECTS[name]
    except KeyError:
        known = ", ".join(DIALECTS)
        raise BadSetting(f"there is no dialect {name!r}; choose one of: {known}") from None
