"""Places: the one inventory of where words of a memory can be, on the disk and in a database.

Erasing, receipts and the check of a receipt all go by this table. What lies in a home and is in no row of it
counts as an export: it is searched, too, but a test fails, because nobody has said what it is.

Rules:

* `ERASE`: Reverie wrote it about its own memories, so erasing a memory always cleans it.
* `EVERYWHERE`: it is something of its own that may say the same (a conversation, a note, a context file).
  An erasure counts it and names it; asked for everywhere, it cleans it.
* `KEPT`: it is not ours to rewrite. An erasure says so if the words are there.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reverie.core.dreaming.entry_dates import DATES_FILE
from reverie.core.dreaming.meta import META_FILE
from reverie.core.learning.cursor import CURSOR_FILE
from reverie.core.learning.heard import HEARD_FILE

if TYPE_CHECKING:
    from reverie.types import Workspace

MEMORIES: Final = "memories"
HEARD: Final = "heard"
HISTORY: Final = "history"
COGNITION: Final = "cognition"
CONTEXT: Final = "context"
STATE: Final = "state"
EVENTS: Final = "events"
TASKS: Final = "tasks"
JOURNAL: Final = "journal"
INDEX: Final = "index"
EXPORTS: Final = "exports"
SETTINGS: Final = "settings"
LEFTOVERS: Final = "leftovers"
LAYERS: Final = ("core", "working", "semantic", "notes", "stores")
NOTE: Final = "erasing.json"
"""Where an erasure is written down while it is carried out."""


class Reach(enum.Enum):
    """What an erasure does with a place."""

    ERASE = "erase"
    EVERYWHERE = "everywhere"
    KEPT = "kept"


_REACH: Final[Mapping[str, Reach]] = {
    MEMORIES: Reach.ERASE,
    HEARD: Reach.ERASE,
    CONTEXT: Reach.EVERYWHERE,
    **dict.fromkeys(LAYERS, Reach.EVERYWHERE),
    HISTORY: Reach.EVERYWHERE,
    COGNITION: Reach.EVERYWHERE,
    STATE: Reach.ERASE,
    TASKS: Reach.ERASE,
    EVENTS: Reach.ERASE,
    INDEX: Reach.ERASE,
    EXPORTS: Reach.EVERYWHERE,
    LEFTOVERS: Reach.ERASE,
    SETTINGS: Reach.KEPT,
    JOURNAL: Reach.ERASE,
}
KINDS: Final = tuple(_REACH)
"""Every kind of place, in the order in which they are shown."""
BESIDE: Final = frozenset(kind for kind, reach in _REACH.items() if reach is Reach.ERASE) - {
    MEMORIES
}
"""What is kept beside the memories and cleaned by every erasure, whatever it was asked for."""


# --- on the disk ----------------------------------------------------------------------------------

_IN_STATE: Final = (
    # what it is called in the folder of the state, the kind of place, and why it is there
    (r".*\.corrupt-.*", JOURNAL, "a damaged file that was put aside"),
    (r"journal\.db(?:-wal|-shm|-journal)?", "", "the journal cleans itself"),
    (r"tasks\.db(?:-wal|-shm|-journal)?", "", "tasks are cleaned row by row"),
    (r"erasing\.json", "", "what is being erased, until it is done"),
    (r"index/.*", "", "made anew from the files"),
    (r"agents/.*", "", "an index of turns, made anew from them"),
    (r"recall/.*", "", "words of the topics, made anew from them"),
    (r"(?:.*/)?locks/.*|.*\.lock", "", "no words: who holds a lock"),
    (r"hooks/.*|sessions/.*", "", "no words: digests of what a session was shown"),
    (r"clean-context", "", "no words: digests of texts that were scanned"),
    (r"[^/]*\.jsonl(?:\.1)?", EVENTS, "logs of events"),
    (r"(?:consents|daemon|installs|search-paths|trust)\.json", SETTINGS, "settings"),
    (r"owners/.*", SETTINGS, "which folder of the home belongs to which project"),
    (r"backups/.*", SETTINGS, "settings of agents as they were before Reverie came"),
    (r"(?:token|.*-token|tokens)(?:\.json)?", SETTINGS, "keys of the daemon"),
)
_STATE_PATTERNS: Final = tuple(
    (re.compile(rf"\A(?:{pattern})\Z"), kind) for pattern, kind, _ in _IN_STATE
)
PROJECT_STATE: Final = (META_FILE, CURSOR_FILE, DATES_FILE)
"""State files of a project; an export carries them."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file lies."""

    kind: str
    """Empty for what cleans itself or holds no words."""
    root: str
    """The folder from which it may be renamed."""
    known: bool = True
    """Whether the inventory has a row for it."""


def place_of(path: str, space: Workspace) -> Place:
    """Return what a file is."""
    home, name = space.home, path.rpartition("/")[2]
    if path.startswith(f"{space.state}/"):
        return _in_state(path[len(space.state) + 1 :], space)
    for root in (space.user_memory, space.project_memory):
        if path.startswith(f"{root}/"):
            return Place(MEMORIES, root)
    if path.startswith(f"{space.project_state}/"):
        return _of_project(path[len(space.project_state) + 1 :], space.project_state)
    projects, agents = f"{home}/projects/", f"{home}/{space.agents}/"
    if path.startswith(agents):
        agent = agents + path[len(agents) :].partition("/")[0]
        folder = path[len(agent) + 1 :].partition("/")[0]
        if folder in (*LAYERS, HISTORY, COGNITION):
            return Place(folder, f"{agent}/{folder}")
        return Place("core", agent)
    if path.startswith(projects):
        project = projects + path[len(projects) :].partition("/")[0]
        if path.startswith(f"{project}/memory/"):
            return Place(MEMORIES, f"{project}/memory")
        return _of_project(path[len(project) + 1 :], project)
    folder = path.rpartition("/")[0]
    if path == f"{home}/{HEARD_FILE}":
        return Place(HEARD, home)
    if not path.startswith(f"{home}/") or (folder == home and name.endswith(".md")):
        return Place(CONTEXT, folder)
    if path == f"{home}/config.toml":
        return Place(SETTINGS, home)
    return Place(EXPORTS, home, known=False)


def _of_project(rel: str, root: str) -> Place:
    if rel == HEARD_FILE:
        return Place(HEARD, root)
    known = rel.startswith(PROJECT_STATE) or rel.endswith(".lock")  # set aside, they end otherwise
    return Place(STATE, root, known=known)


def _in_state(rel: str, space: Workspace) -> Place:
    for pattern, kind in _STATE_PATTERNS:
        if pattern.match(rel):
            return Place(kind, space.state)
    return Place(SETTINGS, space.state, known=False)


def kind_of(path: str, space: Workspace) -> tuple[str, str]:
    """Return the kind of place a file lies in, and the folder from which it may be renamed."""
    place = place_of(path, space)
    return place.kind, place.root


# --- in a database --------------------------------------------------------------------------------

TABLES: Final[Mapping[str, str]] = {
    "file": MEMORIES,
    "content": JOURNAL,
    "run": JOURNAL,
    "change": JOURNAL,
    "version": JOURNAL,
    "state": STATE,
    "log": EVENTS,
    "event": EVENTS,
    "turn": HISTORY,
    "task": TASKS,
    "document": INDEX,
    "chunk": INDEX,
    "vector": INDEX,
    "topic": INDEX,
    "posting": INDEX,
    "passage_word": INDEX,
    "head": "",
    "session": "",
    "space": "",
    "lane": "",
    "lease": "",
    "quota": "",
    "residence": "",
    "server": "",
    "site": "",
    "shelf": "",
    "token": "",
}
"""Every table of the database, and the kind of place that its rows are; empty: no words of anybody."""
