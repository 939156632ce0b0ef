"""Erasing everywhere: which kinds of places there are, files without the words, and what is kept meanwhile.

Rules:

* An erasure is written down before it begins and struck out when it is done, so that whoever comes
  after a killed process can finish it. That note is the one place where the words stand meanwhile.
* Files keep their meaning: names and links change alike, frontmatter and JSON can still be read.
* A folder that a whole project is known by keeps its name; that is told, not done.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from reverie.core.claims.statement import statement_key
from reverie.core.erasing.occurrences import IN_NAMES, WordsToErase, from_json, to_json
from reverie.core.erasing.places import CONTEXT, HEARD, KINDS, MEMORIES, kind_of
from reverie.core.erasing.receipts import read_receipt
from reverie.core.erasing.redaction import redact_markdown
from reverie.core.learning.heard import HEARD_FILE, read_inbox
from reverie.core.text.plain import digest
from reverie.core.topics.topic import CATALOG_NAME
from reverie.core.wire import to_wire
from reverie.errors import InvalidInput
from reverie.types import ErasedPlace, FileDelta, NotErased, Problem, Scope

if TYPE_CHECKING:
    from reverie.types import Receipt, Workspace

ERASURE_UNFINISHED: Final = Problem(
    "erasure_unfinished",
    "an erasure was interrupted, so some places may still contain the words",
    fix="reverie forget --erase",
)

NAME_KEPT: Final = "the file is known to others by this name; rename it yourself"
STRUCTURE: Final = "the words are only in keys, labels, dates or numbers that the files need"
# Files and folders are looked for by these.
_OUR_NAMES: Final = frozenset({
    "AGENT.md", "AGENTS.md", "CLAUDE.md", HEARD_FILE, "MEMORY.md", "QWEN.md", "README.md", "REVERIE.md",
    "SOUL.md", "USER.md", "WORKING_MEMORY.md", "agents", "archive", "chats", "cognition", "core",
    "facts.md", "feedback", "history", "inbox", "jobs", "maps", "memories", "memory", "notes",
    "preferences.md", "project", "projects", "projects.md", "quarantine", "reference", "runs", "semantic",
    "state", "stores", "triggers", "turns", "user", "working", "zettel",
})  # fmt: skip

_HASHED: Final = re.compile(r"-[0-9a-f]{16}(?=\Z|\.)")


# --- counting -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    """What was found, by kind of place, and what has to stay."""

    holding: Counter[str] = field(default_factory=Counter)
    erased: Counter[str] = field(default_factory=Counter)
    left: list[NotErased] = field(default_factory=list)

    def found(self, kind: str, count: int = 1, *, erased: bool) -> None:
        """Count things that hold the words, and that they are clean now."""
        self.holding[kind] += count
        self.erased[kind] += count if erased else 0

    def leave(self, kind: str, what: str, code: str, reason: str) -> None:
        """Note something that stays as it is."""
        self.left.append(NotErased(kind, what, code, reason))

    def add(self, other: Tally) -> None:
        """Count both together."""
        self.holding.update(other.holding)
        self.erased.update(other.erased)
        self.left += other.left

    def places(self) -> tuple[ErasedPlace, ...]:
        """Return the counts, those of places that hold nothing left out."""
        return tuple(
            ErasedPlace(kind, self.holding[kind], self.erased[kind])
            for kind in KINDS
            if self.holding[kind]
        )


# --- what is to be done ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Erasure:
    """One erasure as it is written down before it begins."""

    to_erase: WordsToErase
    """For copies: with the texts of whole lines."""
    receipt: Receipt
    chosen: tuple[tuple[str, str], ...] = ()
    """Path and summary of each entry that goes."""
    paths: tuple[str, ...] = ()
    """Files whose own name tells what goes."""
    everywhere: bool = False

    @property
    def living(self) -> WordsToErase:
        """What to look for in files that stay: runs of words alone, which no other memory shares."""
        return WordsToErase(self.to_erase.runs)

    def holds_statement(self, statement: str) -> bool:
        """Tell whether a statement is one that goes, or says something of one."""
        key = statement_key(statement)
        said = any(statement_key(summary) == key for _, summary in self.chosen)
        return bool(key) and (said or self.living.holds(statement))


def write_down(erasure: Erasure) -> dict[str, Any]:
    """Return an erasure as JSON."""
    return {
        "wordings": to_json(erasure.to_erase),
        "receipt": to_wire(erasure.receipt),
        "chosen": [list(item) for item in erasure.chosen],
        "paths": list(erasure.paths),
        "everywhere": erasure.everywhere,
    }


def read_down(data: Mapping[str, Any]) -> Erasure | None:
    """Read an erasure that was written down; None when nobody can tell any more what it was about."""
    try:
        return Erasure(
            from_json(data["wordings"]),
            read_receipt(data["receipt"]),
            tuple((str(path), str(summary)) for path, summary in data.get("chosen", ())),
            tuple(map(str, data.get("paths", ()))),
            bool(data.get("everywhere", False)),
        )
    except (KeyError, TypeError, ValueError, AttributeError, InvalidInput):
        return None


# --- files ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """A Markdown file of the memory that holds the words, in its text or in its name."""

    kind: str
    path: str
    root: str
    """The folder whose own name stays."""
    text: str

    @property
    def rel(self) -> str:
        """Return its path below that folder."""
        return self.path[len(self.root) + 1 :]

    @property
    def keeps_name(self) -> bool:
        """Say whether others know it by its name: what is imported, or read by an agent."""
        return self.kind in (CONTEXT, HEARD)

    def cleaned(self, erasure: Erasure) -> str | None:
        """Return its text without the words; of what was heard, a statement that holds them goes whole."""
        if self.kind != HEARD:
            return redact_markdown(self.text, erasure.living)
        inbox = read_inbox(
            self.text, Scope.USER, now=erasure.receipt.at
        )  # whose it is says its path
        gone = [
            item.id
            for item in inbox.items
            if any(erasure.holds_statement(text) for text in (item.summary, item.why, item.how))
        ]
        text = inbox.without(gone).text() if gone else self.text
        return None if text is None else redact_markdown(text, erasure.living)

    def stays(self, erasure: Erasure) -> NotErased | None:
        """Say why nothing of it can be changed; None when something can."""
        named = name_holds(self.rel, erasure.living)
        if self.cleaned(erasure) != self.text or (named and not self.keeps_name):
            return None
        if named:
            return NotErased(self.kind, self.path, "file_name", NAME_KEPT)
        return NotErased(self.kind, f"in {self.kind}", "structure", STRUCTURE)

    @property
    def is_catalog(self) -> bool:
        """Say whether it is generated from the files beside it."""
        return self.kind == MEMORIES and self.path.rpartition("/")[2] == CATALOG_NAME


def name_holds(rel: str, to_erase: WordsToErase) -> bool:
    """Tell whether a file's name, or a folder's on the way to it, holds the words."""
    return any(part_holds(part, to_erase) for part in rel.split("/"))


def part_holds(part: str, to_erase: WordsToErase) -> bool:
    """Tell whether one name holds the words; those that we look for our files by do not count."""
    return part not in _OUR_NAMES and to_erase.holds(part)


def redact_name(rel: str, to_erase: WordsToErase, *, salt: str) -> str:
    """Take to_erase out of a relative path; a hash of them in a name goes too."""
    return "/".join(_redact_part(part, to_erase, salt) for part in rel.split("/"))


def _redact_part(part: str, to_erase: WordsToErase, salt: str) -> str:
    if not part_holds(part, to_erase):
        return part
    fresh = digest(salt + part)[:16]
    return _HASHED.sub(f"-{fresh}", to_erase.redact(part, IN_NAMES))


def plan_files(
    deltas: Sequence[FileDelta],
    held: Iterable[Held],
    erasure: Erasure,
    *,
    taken: Callable[[str], bool],
) -> list[FileDelta]:
    """Return every touched file before and after: entries gone by `deltas`, words out of the rest."""
    to_erase, salt = erasure.living, erasure.receipt.salt
    planned = [FileDelta(item.path, item.before, _clean(item.after, to_erase)) for item in deltas]
    names = {item.path for item in planned}
    for file in held:
        if file.path in names:
            continue
        clean = file.cleaned(erasure)
        path = f"{file.root}/{redact_name(file.rel, to_erase, salt=salt)}"
        if path == file.path or file.keeps_name:
            planned.append(FileDelta(path, file.text, clean))
            continue
        path = free_name(path, lambda name: name in names or taken(name))
        names.update((file.path, path))
        planned += [FileDelta(file.path, file.text, None), FileDelta(path, None, clean)]
    return planned


def free_name(path: str, taken: Callable[[str], bool]) -> str:
    """Return a name that nothing has yet."""
    stem, dot, ending = path.rpartition(".") if "." in path.rpartition("/")[2] else (path, "", "")
    found, number = path, 1
    while taken(found):
        number += 1
        found = f"{stem}-{number}{dot}{ending}"
    return found


def _clean(text: str | None, to_erase: WordsToErase) -> str | None:
    return None if text is None else redact_markdown(text, to_erase)


def hidden_paths(
    paths: Iterable[str], space: Workspace, to_erase: WordsToErase, *, living: Callable[[str], bool]
) -> dict[str, str]:
    """Return other names for paths that hold the words; files that are still there keep theirs."""
    found: dict[str, str] = {}
    for path in paths:
        root = kind_of(path, space)[1]
        rel = path[len(root) + 1 :]
        if name_holds(rel, to_erase) and not living(path):
            found[path] = f"{root}/{redact_name(rel, to_erase, salt='')}"
    return found
