"""What every engine's carrier does the same: addresses, the order of records, runs, states and turns.

Rules
- Carried are managed memory, the agent's layers and history, the context files that were written or
  found here, the state files, and the runs that touched any of these. Not carried: settings, trust,
  the search index, tasks, telemetry, hidden files, and other projects.
- What is left out is told in `dropped`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from reverie.core.erasing.places import PROJECT_STATE
from reverie.core.moving.export_format import (
    AGENT,
    CONTEXT,
    HOME,
    PROJECT,
    ROOTS,
    USER,
    check_file_address,
    is_plain,
    split_address,
)
from reverie.core.text.plain import digest
from reverie.errors import FileTooLarge, InvalidPath, JournalCorrupt
from reverie.types import (
    Dropped,
    PortableDelta,
    PortableRun,
    PortableState,
    PortableText,
    TurnsKept,
)
from reverie.types.turns import Appended

if TYPE_CHECKING:
    from reverie.ports import AgentTree, Runs, StateFiles, Turns
    from reverie.types import PortableFile, PortableRecord, RunRecord, Turn, Workspace
    from reverie.types.writing import Planned

_PAGE: Final = 200


class MemoryCarrier(ABC):
    """One memory as records that name no machine, and back again; an engine adds its files."""

    def __init__(
        self,
        space: Workspace,
        *,
        runs: Runs,
        tree: AgentTree,
        history: Turns,
        state: StateFiles,
        real: Callable[[str], str] = str,
    ) -> None:
        """Take what is to be carried; `real` finds the true name of a path where links lead about."""
        self._runs = runs
        self._tree = tree
        self._history = history
        self._state = state
        self._real = real
        self._roots = roots_of(space)
        pairs = {
            pair
            for name, root in self._roots.items()
            for pair in ((name, root), (name, real(root)))
        }
        self._prefixes = sorted(pairs, key=lambda item: (-len(item[1]), ROOTS.index(item[0])))
        self._others = tuple(
            f"{real(place)}/"
            for place in (f"{space.home}/projects", f"{space.home}/{space.agents}", space.state)
        )
        self.dropped: list[Dropped] = []

    @abstractmethod
    def files(self) -> Iterator[PortableFile]:
        """Read the files alone."""

    # --- addresses --------------------------------------------------------------------------------

    def address(self, path: str) -> str | None:
        """Return the address of a file, or None when it is not of this memory."""
        for name, root in self._prefixes:
            if path.startswith(f"{root}/"):
                rel = path[len(root) + 1 :]
                other = name == HOME and path.startswith(self._others)
                return f"{name}/{rel}" if is_plain(rel) and not other else None
        return None

    def _journal_path(self, at: str) -> str:
        root, rel = split_address(at)
        return self._real(f"{self._roots[root]}/{rel}")

    # --- reading ----------------------------------------------------------------------------------

    def records(self, *, journal: bool) -> Iterator[PortableRecord]:
        """Read everything, a record at a time."""
        self.dropped = []
        if journal:
            yield from self._all_runs()
        yield from self.files()
        yield from states(self._state, self._tree)
        seq = 0
        while page := self._history.since(seq, limit=_PAGE).turns:
            yield from page
            seq = page[-1].seq

    def _all_runs(self) -> Iterator[PortableText | PortableRun]:
        sent: set[str] = set()
        last, foreign = "", 0
        while page := self._runs.since(last, limit=_PAGE):
            last = page[-1].id
            for record in page:
                if record.status == "pending":
                    continue
                try:
                    run = list(self._run(record, sent))
                except JournalCorrupt as error:
                    self.dropped.append(Dropped(f"run {record.id}", str(error)))
                    continue
                foreign += bool(record.paths) and not run  # an erasure may have touched no file
                yield from run
        if foreign:
            what = f"{foreign} runs of other projects"
            self.dropped.append(Dropped(what, "an export covers one project and one agent"))

    def _run(self, record: RunRecord, sent: set[str]) -> Iterator[PortableText | PortableRun]:
        raw = [(self.address(item.path), item) for item in self._runs.raw_deltas(record.id)]
        ours = [(at, item) for at, item in raw if at]
        if not ours:
            return
        if len(ours) < len(raw):
            what = f"{len(raw) - len(ours)} files of run {record.id}"
            self.dropped.append(Dropped(what, "they are of another project or agent"))
        yield from as_records(record, ours, sent)

    # --- writing ----------------------------------------------------------------------------------

    def keep_state(self, state: PortableState, *, dry_run: bool = False) -> bool:
        """Put a state file in place where there is none; say whether there was none."""
        root, rel = split_address(state.at)
        if root == PROJECT and rel in PROJECT_STATE:
            fresh = not self._state.read_state(rel)
            if fresh and not dry_run:
                self._state.update_state(rel, lambda kept: kept or dict(state.value))
            return fresh
        if root != AGENT or not rel.startswith("cognition/") or not rel.endswith(".json"):
            raise InvalidPath(f"{state.at!r} is not a place for a state file", path=state.at)
        fresh = not self._tree.read_control(rel)
        if fresh and not dry_run:
            self._tree.write_control(rel, dict(state.value))
        return fresh

    def keep_turns(self, turns: Sequence[Turn], *, dry_run: bool = False) -> TurnsKept:
        """Put turns into the history: numbered ones under their numbers, others at its end."""
        if dry_run:
            known = sum(self._history.holds(turn) for turn in turns)
            return TurnsKept(len(turns) - known, known)
        both = (
            self._history.restore([turn for turn in turns if turn.seq]),
            self._appended([turn for turn in turns if not turn.seq]),
        )
        return TurnsKept(
            kept=sum(len(item.turns) for item in both),
            known=sum(item.known for item in both),
            redactions=tuple(found for item in both for found in item.redactions),
            dropped=tuple(found for item in both for found in item.dropped),
        )

    def _appended(self, drafts: Sequence[Turn]) -> Appended:
        """Put turns at the end; one that is too large alone is left out as among others."""
        try:
            return self._history.append_all(drafts)
        except FileTooLarge as error:
            return Appended((), dropped=(Dropped(f"a turn of {drafts[0].source}", str(error)),))

    def close(self) -> None:
        """Close the history."""
        self._history.close()


def roots_of(space: Workspace) -> dict[str, str]:
    """Return the folders that the beginnings of addresses mean."""
    return {
        USER: space.user_memory,
        PROJECT: space.project_memory,
        AGENT: space.agent_root,
        HOME: space.home,
        CONTEXT: space.base,
    }


def check_place(at: str, where: str | None, roots: Mapping[str, str]) -> None:
    """Raise `InvalidPath` unless a file at this address lies in the part of memory it names.

    Roots lie within each other, and links lead about: `where` is what the file's path is called.
    """
    if where is None:
        raise InvalidPath(
            f"{at!r} belongs to another project, to another agent or to our state", path=at
        )
    (root, _), (other, _) = split_address(at), split_address(where)
    if roots[root] != roots[other]:
        raise InvalidPath(f"{at!r} is not what {where!r} is called in an export", path=at)
    check_file_address(where)


def states(files: StateFiles, tree: AgentTree) -> Iterator[PortableState]:
    """Read the state files of the project and of the agent's jobs."""
    for name in PROJECT_STATE:
        value = files.read_state(name)
        if value:
            yield PortableState(f"{PROJECT}/{name}", value)
    for rel in tree.controls("cognition"):
        yield PortableState(f"{AGENT}/{rel}", tree.read_control(rel))


def as_records(
    record: RunRecord, deltas: Iterable[tuple[str, Planned]], sent: set[str]
) -> Iterator[PortableText | PortableRun]:
    """Give a run as records: texts that were not `sent` yet, then the run that refers to them."""
    made: list[PortableDelta] = []
    for at, item in deltas:
        keys = [None if text is None else digest(text) for text in (item.before, item.after)]
        for key, text in zip(keys, (item.before, item.after), strict=True):
            if text is not None and key is not None and key not in sent:
                sent.add(key)
                yield PortableText(text)
        made.append(PortableDelta(at, keys[0], keys[1], item.private))
    if made:
        yield PortableRun(record, tuple(made))
