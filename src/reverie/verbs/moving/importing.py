"""Import: put records into memory, each once, never over what is there, and in one run.

Rules
- Plain memory comes in. Everything else (see `core.moving.record_kinds`) is held back and shown, unless its
  kind was allowed; a core file that was allowed waits where no prompt reads it.
- A file of ours is known when it is there with the same text; a memory of another system when its
  text is anywhere in memory, or an earlier import brought it and somebody changed or forgot it
  since, unless `again`.
- What was forgotten here stays out and is counted, unless `again`: a copy from before must not bring it back.
- Where another text has the name, a memory gets a free one; a context file or an agent's own file is
  left out and named, unless `replace`. Names that differ in case or composition only are the same.
- What is written was planned on what was read: a file that somebody wrote meanwhile is planned anew,
  as one that is there.
- What holds a secret, in its words or its name, is refused alone, and named; the rest is written.
- Runs of a journal come in before the files, so that blame finds the one that brought each line. A run
  that touches what is not allowed stays out, since an undo writes what it holds.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reverie.core.moving.export_format import AGENT, CONTEXT, PROJECT, USER, folded
from reverie.core.moving.formats import OWN
from reverie.core.moving.record_kinds import (
    ABOUT,
    CONTEXT_FILES,
    CORE,
    HISTORY,
    MEMORY,
    STATE,
    waiting_place,
)
from reverie.core.secrets import scanner
from reverie.core.text.plain import digest
from reverie.core.topics.catalog import render_catalog
from reverie.core.topics.topic import CATALOG_NAME
from reverie.errors import NotAllowed, TooLarge
from reverie.progress import tell
from reverie.types import (
    Brought,
    Change,
    Counts,
    Dropped,
    Held,
    Origin,
    Plan,
    PortableFile,
    PortableRun,
    PortableState,
    PortableText,
    Problem,
    RunInfo,
    Turn,
)
from reverie.verbs.moving.import_gate import (
    FORGOTTEN,
    HALF,
    ONE_FILE,
    Gate,
    ImportContext,
    Ledger,
    shown,
)
from reverie.verbs.moving.import_runs import Runs
from reverie.verbs.run import NOTHING, run

if TYPE_CHECKING:
    from reverie.ports import JournalReader
    from reverie.types import Applied, PortableRecord

_BATCH = 200
_FREELY_NAMED = (f"{USER}/", f"{PROJECT}/", f"{AGENT}/notes/")


@dataclass(frozen=True, slots=True)
class _Placed:
    """A file that is to be written, and the text it was planned on."""

    item: PortableFile
    path: str
    base: str | None

    def change(self) -> Change:
        return Change(self.path, self.item.text, self.base, self.item.private)


@dataclass(slots=True)
class _Files:
    """What becomes of the files, as memory stands now."""

    files: list[_Placed] = field(default_factory=list)
    known: int = 0
    renamed: dict[str, str] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def bring(ctx: ImportContext, records: Iterable[PortableRecord]) -> Brought:
    """Put records into memory; with `dry_run` say what would come of it."""
    ledger = Ledger()
    gate = Gate(ctx, ledger)
    journal = Runs(ctx, ledger, gate)
    turns: list[Turn] = []
    most = ctx.settings.imports.max_records
    for count, record in enumerate(records, 1):
        if count > most:
            raise TooLarge(
                f"there are more than {most:,} records; import them in parts, or raise"
                " `imports.max_records` with `reverie config set`"
            )
        tell("importing records", count)
        match record:
            case PortableText() | PortableRun():
                journal.add(record)
            case PortableFile():
                journal.flush()
                _accept(ctx, ledger, gate, record)
            case PortableState():
                _state(ctx, ledger, record)
            case Turn():
                turns.append(record)
                if len(turns) >= _BATCH:
                    _turns(ctx, ledger, turns)
                    turns = []
    journal.flush()
    _turns(ctx, ledger, turns)
    if ledger.held_turns:
        what = "1 turn" if ledger.held_turns == 1 else f"{ledger.held_turns:,} turns"
        ledger.held.append(Held(HISTORY, what, ABOUT[HISTORY]))
    plan, runs, paths = _applied(ctx, ledger)
    new = Counts(len(plan.files), sum(ledger.states), ledger.turns, ledger.runs)
    old = Counts(
        plan.known, len(ledger.states) - sum(ledger.states), ledger.known_turns, ledger.known_runs
    )
    return Brought(
        format=ctx.format,
        files=paths,
        runs=runs,
        counts=new,
        known=old,
        renamed=plan.renamed,
        held=tuple(dict.fromkeys(ledger.held)),
        waiting=tuple(plan.waiting),
        refused=tuple(ledger.refused),
        redactions=tuple(ledger.redactions),
        dropped=tuple(dict.fromkeys((*ledger.dropped, *plan.dropped))),
        dry_run=ctx.dry_run,
    )


def with_findings(
    ctx: ImportContext, brought: Brought, dropped: Iterable[Dropped], problems: Iterable[Problem]
) -> Brought:
    """Add what reading the source turned up; names may hold secrets as texts do."""
    found = (replace(item, what=shown(ctx, item.what)) for item in dropped)
    every = tuple(dict.fromkeys((*brought.dropped, *found)))
    return replace(brought, dropped=every, problems=tuple(problems))


# --- what may come in -----------------------------------------------------------------------------


def _accept(ctx: ImportContext, ledger: Ledger, gate: Gate, given: PortableFile) -> None:
    """Decide whether a file may come in at all, and as what."""
    what = given.source or given.at
    if len(given.text.encode("utf-8", "surrogatepass")) > ctx.settings.memory.max_file_bytes:
        ledger.dropped.append(Dropped(shown(ctx, what), "it is larger than memory.max_file_bytes"))
        return
    try:
        given.text.encode("utf-8")
        ctx.carrier.path(given.at)
    except UnicodeEncodeError:
        ledger.dropped.append(Dropped(shown(ctx, what), HALF))
        return
    except ONE_FILE as error:
        ledger.dropped.append(Dropped(shown(ctx, what), shown(ctx, str(error))))
        return
    # Only what lies in a project is for others to read.
    item = replace(given, private=given.private or not given.at.startswith(f"{CONTEXT}/"))
    if gate.gone.bars(item.text) and not _is_there(ctx, item):
        # Its name is not repeated: it may tell what was to be forgotten.
        ledger.dropped.append(Dropped(f"a file of {item.at.partition('/')[0]}", FORGOTTEN))
        return
    if posixpath.basename(item.at) == CATALOG_NAME and item.at.startswith((USER, PROJECT)):
        own = render_catalog((), settings=ctx.settings.catalog, existing=item.text).text.strip()
        if own and gate.passes(CONTEXT_FILES, what, why="it has words of its own: "):
            ledger.catalogs.append(item)
        return
    kind = gate.kind(item.at, digest(item.text))
    if kind != MEMORY and _is_there(ctx, item):
        ledger.files.append(item)
        return
    if not gate.passes(kind, what):
        return
    clean = _without_secrets(ctx, ledger, item)
    if clean is not None:
        ledger.files.append(clean)


def _is_there(ctx: ImportContext, item: PortableFile) -> bool:
    try:
        return ctx.store.read(ctx.carrier.path(item.at)) == item.text
    except ONE_FILE:
        return False


# --- files ----------------------------------------------------------------------------------------


class _Shelf:
    """What memory holds now, by address and by content."""

    def __init__(self, ctx: ImportContext) -> None:
        self.there: dict[str, tuple[str, str]] = {}
        """Folded address -> address and digest."""
        self.folders: set[str] = set()
        self._numbers: dict[str, int] = {}
        self.contents: set[str] = set()
        self.texts: set[str] = set()
        for item in ctx.carrier.files():
            self.put(item.at, digest(item.text))
        if ctx.format not in OWN and not ctx.again:
            self.texts = set(_brought_before(ctx.journal))

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
        number = self._numbers.get(folded(at), 2)
        while folded(f"{stem}-{number}{ending}") in self.there:
            number += 1
        self._numbers[folded(at)] = number + 1  # where many have one name, none is tried twice
        return f"{stem}-{number}{ending}"


def _folders(at: str) -> list[str]:
    parts = at.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _brought_before(journal: JournalReader) -> Iterator[str]:
    last = ""
    while page := journal.since(last, limit=_BATCH):
        last = page[-1].id
        for record in page:
            if record.verb == "import" and record.status == "done" and not record.undone_by:
                for delta in journal.deltas(record.id):
                    if delta.after is not None:
                        yield digest(delta.after)


def _planned(ctx: ImportContext, ledger: Ledger) -> _Files:
    """Decide what becomes of the files, on memory as it is now."""
    plan = _Files()
    gate = Gate(ctx, ledger)
    shelf = _Shelf(ctx)
    for item in ledger.files:
        try:
            _place(ctx, plan, shelf, gate, item)
        except ONE_FILE as error:
            what = shown(ctx, item.source or item.at)
            plan.dropped.append(Dropped(what, shown(ctx, str(error))))
    return plan


def _place(ctx: ImportContext, plan: _Files, shelf: _Shelf, gate: Gate, item: PortableFile) -> None:
    what = item.source or item.at
    key = digest(item.text)
    base = _base(ctx, shelf, item.at)
    if gate.kind(item.at, key) == CORE and shelf.there.get(folded(item.at)) != (item.at, key):
        item = replace(item, at=waiting_place(item.at))
        base = _base(ctx, shelf, item.at)
    if shelf.in_the_way(item.at):
        plan.dropped.append(
            Dropped(shown(ctx, what), "a file cannot also be the folder of another one")
        )
        return
    there = shelf.there.get(folded(item.at))
    # Our own exports tell files apart by address; elsewhere the same words are the same memory.
    alike = item.at.startswith(_FREELY_NAMED) and (there is not None or ctx.format not in OWN)
    if there == (item.at, key) or (alike and shelf.knows(item.at, key)):
        plan.known += 1
        return
    if there is not None and not (ctx.replace and there[0] == item.at):
        if item.at.startswith(_FREELY_NAMED):
            given_name = _free(ctx, shelf, item.at)
            plan.renamed[item.at] = given_name
            item, base = replace(item, at=given_name), None
        elif gate.fresh.get(item.at) != there[1]:  # what `init` wrote and nobody touched may go
            plan.dropped.append(
                Dropped(
                    shown(ctx, what), "another text is there; --replace puts this one in its place"
                )
            )
            return
    shelf.put(item.at, key)
    if gate.kind(item.at, key) == CORE:
        plan.waiting.append(item.at)
    plan.files.append(_Placed(item, ctx.carrier.path(item.at), base))


def _free(ctx: ImportContext, shelf: _Shelf, at: str) -> str:
    """Return a name that nobody has, not even since memory was listed."""
    while True:
        name = shelf.free(at)
        if _base(ctx, shelf, name) is None:
            return name


def _base(ctx: ImportContext, shelf: _Shelf, at: str) -> str | None:
    """Return the digest of what stands at an address now, for the plan to rest on."""
    now = ctx.store.read(ctx.carrier.path(at))
    if now is None:
        return None
    key = digest(now)
    if shelf.there.get(folded(at), (at, ""))[1] != key:  # nobody knew of it, or it has just changed
        shelf.put(at, key)
    return key


def _without_secrets(ctx: ImportContext, ledger: Ledger, item: PortableFile) -> PortableFile | None:
    policy = ctx.settings.secrets
    if policy.policy == "off":
        return item
    what = item.source or item.at
    in_name = scanner.scan(item.at, allow=policy.allow)
    freely = item.at.startswith(_FREELY_NAMED)
    if in_name and not (policy.policy == "redact" and freely):
        rules = ", ".join(one.rule for one in in_name)
        ledger.refused.append(
            Dropped(shown(ctx, what), f"its name looks as if it contains a secret ({rules})")
        )
        return None
    if policy.policy == "redact":
        clean, found = scanner.redact(item.text, allow=policy.allow)
        if freely and (in_name or (found and ctx.format not in OWN)):
            # Its name may be made of its words, so of the secret as well.
            folder = "/".join(item.at.split("/")[:2])
            item = replace(item, at=f"{folder}/redacted-{digest(clean)[:12]}.md")
        ledger.redactions += [replace(one, path=item.at) for one in (*in_name, *found)]
        return replace(item, text=clean)
    found = scanner.scan(item.text, allow=policy.allow)
    if not found:
        return item
    where = ", ".join(f"{one.rule} at line {one.line}" for one in found)
    ledger.refused.append(
        Dropped(shown(ctx, what), f"it looks as if it contains a secret ({where})")
    )
    return None


def _applied(ctx: ImportContext, ledger: Ledger) -> tuple[_Files, tuple[str, ...], tuple[str, ...]]:
    """Write the files as one run, and what a catalog says in words of its own as another."""
    info = RunInfo("import", origin=Origin.IMPORT, note=f"from {ctx.format}")

    placed: list[_Placed] = []

    def files() -> Plan[tuple[_Files, Applied]]:
        found = _planned(ctx, ledger)
        placed[:] = found.files
        changes = tuple(item.change() for item in placed)
        return Plan(changes, info, lambda applied: (found, applied))

    def write(changes: Sequence[Change], about: RunInfo) -> Applied:
        # Only says since when a text is so, should it be there.
        ctx.carrier.date([item.item for item in placed])
        return ctx.store.apply(changes, about)

    def notes() -> Plan[Applied]:
        changes = (_catalog(ctx, item) for item in ledger.catalogs)
        about = replace(info, note=f"{info.note}: lines of a catalog")
        return Plan(tuple(item for item in changes if item), about, lambda applied: applied)

    found, applied = run(files, store=ctx.store, dry_run=ctx.dry_run, apply=write)
    if ctx.dry_run:
        return found, (), tuple(item.path for item in found.files)
    noted = NOTHING
    try:
        noted = run(notes, store=ctx.store)
    except NotAllowed as error:
        ledger.dropped += [Dropped(item.at, str(error)) for item in ledger.catalogs]
    return found, tuple(done.run for done in (applied, noted) if done.run), applied.paths


def _catalog(ctx: ImportContext, item: PortableFile) -> Change | None:
    """Keep the lines that a person wrote into a catalog; its list is made anew."""
    path = ctx.carrier.path(item.at)
    now = ctx.store.read(path)
    settings = ctx.settings.catalog
    own = render_catalog((), settings=settings, existing=item.text).text.strip()
    if now == item.text or not own or (now is not None and own in now):
        return None
    return Change(path, item.text, None if now is None else digest(now), item.private)


# --- the rest -------------------------------------------------------------------------------------


def _state(ctx: ImportContext, ledger: Ledger, state: PortableState) -> None:
    try:
        if STATE not in ctx.allow and ctx.carrier.keep_state(state, dry_run=True):
            ledger.held.append(Held(STATE, shown(ctx, state.at), ABOUT[STATE]))
            return
        ledger.states.append(ctx.carrier.keep_state(state, dry_run=ctx.dry_run))
    except ONE_FILE as error:
        ledger.dropped.append(Dropped(state.at, str(error)))


def _turns(ctx: ImportContext, ledger: Ledger, turns: list[Turn]) -> None:
    if HISTORY not in ctx.allow:
        # A turn that names a source is known as brought from elsewhere: it is found, never replayed.
        own = [turn for turn in turns if not turn.source]
        known = ctx.carrier.keep_turns(own, dry_run=True)
        ledger.held_turns += known.kept
        ledger.known_turns += known.known
        turns = [turn for turn in turns if turn.source]
    if turns:
        kept = ctx.carrier.keep_turns(turns, dry_run=ctx.dry_run)
        ledger.turns += kept.kept
        ledger.known_turns += kept.known
        ledger.redactions += kept.redactions
        ledger.dropped += kept.dropped
