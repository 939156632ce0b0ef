"""Import: put records into memory, each once, never over what is there, and in one run.

Rules
- A file of ours is known when it is there with the same text; a memory of another system when its
  text is anywhere in memory, or an earlier import brought it and somebody changed or forgot it
  since, unless `again`.
- Where another text has the name, a memory gets a free one; a context file or an agent's own file is
  left out and named, unless `replace`. Names that differ in case or composition only are the same.
- What holds a secret is refused alone, and named; the rest is written.
- Runs of a journal come in before the files, so that blame finds the one that brought each line.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.core import secrets
from reverie.core.catalog import render_catalog
from reverie.core.layers import scaffold
from reverie.core.portable import AGENT, PROJECT, USER, folded
from reverie.core.portable_sources import OWN
from reverie.core.text import digest
from reverie.core.topics import CATALOG_NAME
from reverie.errors import (
    FileTooLarge,
    InvalidPath,
    NotAFile,
    NotAllowed,
    NotText,
    RunNotFound,
    StaleBase,
)
from reverie.types import (
    Brought,
    Change,
    Counts,
    Dropped,
    Origin,
    PortableFile,
    PortableRun,
    PortableState,
    PortableText,
    Problem,
    RunInfo,
    SecretFinding,
    Turn,
)

if TYPE_CHECKING:
    from reverie.config import Settings
    from reverie.ports import Carrier, JournalReader, Store
    from reverie.types import PortableRecord

_BATCH = 200
_BATCH_CHARS = 8_000_000
_FREELY_NAMED = (f"{USER}/", f"{PROJECT}/", f"{AGENT}/notes/")
_HALF = "it holds half a character (an unpaired surrogate)"
_ONE_FILE = (InvalidPath, NotAllowed, NotAFile, NotText, FileTooLarge)
"""What is wrong with one address, or with what is there: the rest is written all the same."""
_AGENTS_WORK = ("mem0", "chatgpt", "claude")
"""Whose memories a model wrote, not the person."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What an import works with."""

    store: Store
    journal: JournalReader
    carrier: Carrier
    settings: Settings
    agent: str = ""
    format: str = "jsonl"
    replace: bool = False
    again: bool = False
    dry_run: bool = False


@dataclass(slots=True)
class _Ledger:
    """What has become of the records so far."""

    files: list[PortableFile] = field(default_factory=list)
    catalogs: list[PortableFile] = field(default_factory=list)
    known: int = 0
    states: list[bool] = field(default_factory=list)
    turns: int = 0
    known_turns: int = 0
    runs: int = 0
    known_runs: int = 0
    renamed: dict[str, str] = field(default_factory=dict)
    refused: list[Dropped] = field(default_factory=list)
    redactions: list[SecretFinding] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def bring(desk: Desk, records: Iterable[PortableRecord]) -> Brought:
    """Put records into memory; with `dry_run` say what would come of it."""
    ledger = _Ledger()
    shelf = _Shelf(desk)
    journal = _Runs(desk, ledger)
    turns: list[Turn] = []
    for record in records:
        match record:
            case PortableText() | PortableRun():
                journal.add(record)
            case PortableFile():
                journal.flush()
                _plan(desk, ledger, shelf, record)
            case PortableState():
                _state(desk, ledger, record)
            case Turn():
                turns.append(record)
                if len(turns) >= _BATCH:
                    _turns(desk, ledger, turns)
                    turns = []
    journal.flush()
    _turns(desk, ledger, turns)
    runs, paths = _applied(desk, ledger)
    new = Counts(len(ledger.files), sum(ledger.states), ledger.turns, ledger.runs)
    old = Counts(
        ledger.known, len(ledger.states) - sum(ledger.states), ledger.known_turns, ledger.known_runs
    )
    return Brought(
        format=desk.format,
        files=paths,
        runs=runs,
        counts=new,
        known=old,
        renamed=ledger.renamed,
        refused=tuple(ledger.refused),
        redactions=tuple(ledger.redactions),
        dropped=tuple(dict.fromkeys(ledger.dropped)),
        dry_run=desk.dry_run,
    )


def with_findings(
    brought: Brought, dropped: Iterable[Dropped], problems: Iterable[Problem]
) -> Brought:
    """Add what reading the source turned up."""
    every = tuple(dict.fromkeys((*brought.dropped, *dropped)))
    return replace(brought, dropped=every, problems=tuple(problems))


# --- files ----------------------------------------------------------------------------------------


class _Shelf:
    """What memory holds now, by address and by content."""

    def __init__(self, desk: Desk) -> None:
        self.there: dict[str, tuple[str, str]] = {}
        """Folded address -> address and digest."""
        self.folders: set[str] = set()
        self.contents: set[str] = set()
        self.texts: set[str] = set()
        for item in desk.carrier.files():
            self.put(item.at, digest(item.text))
        if desk.format not in OWN and not desk.again:
            self.texts = set(_brought_before(desk.journal))

    def put(self, at: str, key: str) -> None:
        self.there[folded(at)] = (at, key)
        self.folders.update(_folders(folded(at)))
        self.contents.add(f"{at.partition('/')[0]} {key}")

    def knows(self, at: str, key: str) -> bool:
        """Say whether a text is in this part of memory, or was brought by an earlier import."""
        return f"{at.partition('/')[0]} {key}" in self.contents or key in self.texts

    def in_the_way(self, at: str) -> bool:
        """Say whether a file would have to be a folder, or a folder a file."""
        name = folded(at)
        return name in self.folders or any(folder in self.there for folder in _folders(name))

    def free(self, at: str) -> str:
        stem, ending = posixpath.splitext(at)
        number = 2
        while folded(f"{stem}-{number}{ending}") in self.there:
            number += 1
        return f"{stem}-{number}{ending}"


def _folders(at: str) -> list[str]:
    parts = at.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _brought_before(journal: JournalReader) -> Iterator[str]:
    last = ""
    while page := journal.since(last, limit=_BATCH):
        last = page[-1].id
        for run in page:
            if run.verb == "import" and run.status == "done" and not run.undone_by:
                for delta in journal.deltas(run.id):
                    if delta.after is not None:
                        yield digest(delta.after)


def _plan(desk: Desk, ledger: _Ledger, shelf: _Shelf, given: PortableFile) -> None:
    """Decide what becomes of one file."""
    what = given.source or given.at
    if len(given.text.encode("utf-8", "surrogatepass")) > desk.settings.memory.max_file_bytes:
        ledger.dropped.append(Dropped(what, "it is larger than memory.max_file_bytes"))
        return
    try:
        given.text.encode("utf-8")
        now = desk.store.read(desk.carrier.path(given.at))
    except UnicodeEncodeError:
        ledger.dropped.append(Dropped(what, _HALF))
        return
    except _ONE_FILE as error:
        ledger.dropped.append(Dropped(what, str(error)))
        return
    if shelf.in_the_way(given.at):
        ledger.dropped.append(Dropped(what, "a file cannot also be the folder of another one"))
        return
    if now is not None and folded(given.at) not in shelf.there:  # a context file nobody knew of
        shelf.put(given.at, digest(now))
    if posixpath.basename(given.at) == CATALOG_NAME and given.at.startswith((USER, PROJECT)):
        ledger.catalogs.append(given)
        return
    item = _without_secrets(desk, ledger, given)
    if item is None:
        return
    key = digest(item.text)
    there = shelf.there.get(folded(item.at))
    # Our own exports tell files apart by address; elsewhere the same words are the same memory.
    alike = item.at.startswith(_FREELY_NAMED) and (there is not None or desk.format not in OWN)
    if there == (item.at, key) or (alike and shelf.knows(item.at, key)):
        ledger.known += 1
        return
    if there is not None and not (desk.replace and there[0] == item.at):
        if item.at.startswith(_FREELY_NAMED):
            given_name = shelf.free(item.at)
            ledger.renamed[item.at] = given_name
            item = replace(item, at=given_name)
        elif not _untouched(desk, item.at, there[1]):
            ledger.dropped.append(
                Dropped(what, "another text is there; --replace puts this one in its place")
            )
            return
    shelf.put(item.at, key)
    ledger.files.append(item)


def _untouched(desk: Desk, at: str, key: str) -> bool:
    """Say whether what is there is still what `init` wrote."""
    layers = desk.settings.layers
    fresh = scaffold(desk.agent, core_limit=layers.core_limit, working_limit=layers.working_limit)
    return digest(fresh.get(at.removeprefix(f"{AGENT}/"), "")) == key


def _without_secrets(desk: Desk, ledger: _Ledger, item: PortableFile) -> PortableFile | None:
    policy = desk.settings.secrets
    if policy.policy == "off":
        return item
    if policy.policy == "redact":
        clean, found = secrets.redact(item.text, allow=policy.allow)
        if found and desk.format not in OWN and item.at.startswith(_FREELY_NAMED):
            # Its name may be made of its words, so of the secret as well.
            folder, _, _ = item.at.rpartition("/")
            item = replace(item, at=f"{folder}/redacted-{digest(clean)[:12]}.md")
        ledger.redactions += [replace(one, path=item.at) for one in found]
        return replace(item, text=clean)
    found = secrets.scan(item.text, allow=policy.allow)
    if not found:
        return item
    where = ", ".join(f"{one.rule} at line {one.line}" for one in found)
    ledger.refused.append(
        Dropped(item.source or item.at, f"it looks like it holds a secret ({where})")
    )
    return None


def _applied(desk: Desk, ledger: _Ledger) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write the files as one run, and what a catalog says in words of its own as another."""
    if desk.dry_run:
        return (), tuple(desk.carrier.path(item.at) for item in ledger.files)
    runs: list[str] = []
    paths: tuple[str, ...] = ()
    origin = Origin.AGENT if desk.format in _AGENTS_WORK else Origin.OWNER
    info = RunInfo("import", origin=origin, note=f"from {desk.format}")
    if ledger.files:
        desk.carrier.date(ledger.files)
        try:
            applied = desk.store.apply([_change(desk, item) for item in ledger.files], info)
        except StaleBase:  # somebody wrote meanwhile
            applied = desk.store.apply([_change(desk, item) for item in ledger.files], info)
        paths = applied.paths
        runs += [applied.run] if applied.run else []
    notes = [change for item in ledger.catalogs if (change := _catalog(desk, item)) is not None]
    if notes:
        try:
            applied = desk.store.apply(
                notes, replace(info, note=f"{info.note}: lines of a catalog")
            )
        except (NotAllowed, StaleBase) as error:
            ledger.dropped += [Dropped(item.path, str(error)) for item in notes]
        else:
            runs += [applied.run] if applied.run else []
    return tuple(runs), paths


def _change(desk: Desk, item: PortableFile) -> Change:
    path = desk.carrier.path(item.at)
    before = desk.store.read(path)
    return Change(path, item.text, None if before is None else digest(before), item.private)


def _catalog(desk: Desk, item: PortableFile) -> Change | None:
    """Keep the lines that a person wrote into a catalog; its list is made anew."""
    path = desk.carrier.path(item.at)
    now = desk.store.read(path)
    settings = desk.settings.catalog
    own = render_catalog((), settings=settings, existing=item.text).text.strip()
    if now == item.text or not own or (now is not None and own in now):
        return None
    return Change(path, item.text, None if now is None else digest(now), item.private)


# --- the rest -------------------------------------------------------------------------------------


def _state(desk: Desk, ledger: _Ledger, state: PortableState) -> None:
    try:
        ledger.states.append(desk.carrier.keep_state(state, dry_run=desk.dry_run))
    except _ONE_FILE as error:
        ledger.dropped.append(Dropped(state.at, str(error)))


def _turns(desk: Desk, ledger: _Ledger, turns: list[Turn]) -> None:
    if turns:
        kept = desk.carrier.keep_turns(turns, dry_run=desk.dry_run)
        ledger.turns += kept.kept
        ledger.known_turns += kept.known
        ledger.redactions += kept.redactions
        ledger.dropped += kept.dropped


def _has(journal: JournalReader, run: str) -> bool:
    try:
        journal.record(run)
    except RunNotFound:
        return False
    return True


class _Runs:
    """Runs of a journal on their way in, some at a time; secrets in their texts are blanked."""

    def __init__(self, desk: Desk, ledger: _Ledger) -> None:
        self._desk = desk
        self._ledger = ledger
        self._texts: list[PortableText] = []
        self._waiting: list[PortableRun] = []
        self._size = 0
        self._blanked: dict[str, str] = {}
        self._seen: set[str] = set()

    def add(self, record: PortableText | PortableRun) -> None:
        """Take one more text or run."""
        if isinstance(record, PortableText):
            clean = self._blank(record)
            try:
                self._seen.add(digest(clean.text))
            except UnicodeEncodeError:
                what = f"the journal's text {clean.text[:40]!r}"
                self._ledger.dropped.append(Dropped(what, _HALF))
                return
            self._texts.append(clean)
            self._size += len(record.text)
            return
        run = self._rekeyed(record)
        keys = {key for delta in run.deltas for key in (delta.before, delta.after) if key}
        if not keys <= self._seen:
            what = f"run {run.record.id}"
            self._ledger.dropped.append(Dropped(what, "the export lacks a text it refers to"))
            return
        try:  # an undo writes where a run says it wrote, so only where a file may be brought to
            for delta in run.deltas:
                self._desk.carrier.path(delta.at)
        except _ONE_FILE as error:
            self._ledger.dropped.append(Dropped(f"run {run.record.id}", str(error)))
            return
        self._waiting.append(run)
        if len(self._waiting) >= _BATCH or self._size > _BATCH_CHARS:
            self.flush()

    def flush(self) -> None:
        """Hand over what has come together."""
        if not self._waiting and not self._texts:
            return
        desk, ledger = self._desk, self._ledger
        if desk.dry_run:
            new = {run.record.id for run in self._waiting if not _has(desk.journal, run.record.id)}
        else:
            new = desk.carrier.adopt(self._texts, self._waiting)
        ledger.runs += len(new)
        ledger.known_runs += len(self._waiting) - len(new)
        self._texts, self._waiting, self._size = [], [], 0

    def _blank(self, record: PortableText) -> PortableText:
        policy = self._desk.settings.secrets
        if policy.policy == "off":
            return record
        clean, found = secrets.redact(record.text, allow=policy.allow)
        if not found:
            return record
        self._ledger.redactions += [replace(one, path="journal") for one in found]
        self._blanked[digest(record.text)] = digest(clean)
        return PortableText(clean)

    def _rekeyed(self, run: PortableRun) -> PortableRun:
        """Point a run at the texts as they are kept; one that lost words cannot be undone."""
        deltas = tuple(
            replace(
                delta,
                before=self._blanked.get(delta.before or "", delta.before),
                after=self._blanked.get(delta.after or "", delta.after),
            )
            for delta in run.deltas
        )
        if deltas == run.deltas:
            return run
        return PortableRun(replace(run.record, status="erased"), deltas)
