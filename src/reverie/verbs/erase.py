"""Erase: carry out an erasure that was written down, from its beginning or from where it was cut off.

Rules:

* Every step can be done twice: the words that are gone already are simply not found.
* Memory goes first, its copies next, the journal last, for it takes in what the others change.
* What still stands after all that is looked for once more and told, never taken for gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from reverie.core.erasing import everywhere as rules
from reverie.core.erasing.everywhere import Erasure, Tally
from reverie.core.erasing.occurrences import WordsToErase
from reverie.core.erasing.redaction import redact_markdown
from reverie.core.text.plain import digest
from reverie.core.topics import forget as removing
from reverie.core.wire import to_wire
from reverie.ports import Store
from reverie.types import Applied, Change, FileDelta, NotErased, Plan, Receipt, RunInfo
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.core.erasing.everywhere import Held
    from reverie.core.topics.forget import Candidate
    from reverie.types import Topic


class ErasingStore(Store, Protocol):
    """A store that can also take words out of everything kept beside the memory."""

    def alone(self) -> AbstractContextManager[None]:
        """Keep other erasures of this memory waiting."""
        ...

    def write_down(self, erasure: Mapping[str, Any] | None) -> None:
        """Keep what is being erased where a crash leaves it, or strike it out."""
        ...

    def written_down(self) -> Mapping[str, Any] | None:
        """Return an erasure that was not finished."""
        ...

    def held(self, to_erase: WordsToErase) -> list[Held]:
        """Read the Markdown files of every layer that hold the words."""
        ...

    def sweep(
        self,
        to_erase: WordsToErase,
        *,
        erase: bool,
        purge: Callable[[], Sequence[str]] = tuple,
    ) -> Tally:
        """Count, and with `erase` clean, what holds the words and is neither Markdown nor journal.

        `purge` brings the search index up to date and says which folders it covers.
        """
        ...

    def in_journal(self, to_erase: WordsToErase) -> int:
        """Count what of the journal holds the words."""
        ...

    def erase(
        self, to_erase: WordsToErase, *, paths: Sequence[str] = (), everywhere: bool = False
    ) -> int:
        """Take the words, and the names of these files, out of everything the journal keeps.

        `everywhere` hides every name that holds the words, whatever file had it; otherwise waiting
        tasks are cleaned too, which then nobody else does.
        """
        ...

    def certify(self, run: str, info: RunInfo) -> str:
        """Record what an erasure came to: in its run, or where no file changed in a new one."""
        ...


def survey(
    store: ErasingStore, erasure: Erasure, deltas: Sequence[FileDelta]
) -> tuple[Tally, list[FileDelta]]:
    """Count what holds the words, and plan the files without them; nothing is changed."""
    held = store.held(erasure.living)
    planned = _planned(store, erasure, deltas, held)
    tally = _counted(deltas, held, erasure, erased=False)
    tally.left += _staying(held, erasure)
    tally.add(store.sweep(erasure.living, erase=False))
    tally.found(rules.JOURNAL, store.in_journal(erasure.to_erase), erased=False)
    return tally, planned


def carry_out(
    store: ErasingStore, erasure: Erasure, info: RunInfo, *, purge: Callable[[], Sequence[str]]
) -> tuple[Applied, Receipt]:
    """Erase for good; `purge` brings the search index up to date and leaves nothing dead in it."""
    store.write_down(rules.write_down(erasure))
    applied, tally = _apply(store, erasure, info)
    if erasure.everywhere:
        tally.add(store.sweep(erasure.living, erase=True, purge=purge))
    else:
        purge()
    touched = store.erase(erasure.to_erase, paths=erasure.paths, everywhere=erasure.everywhere)
    receipt = erasure.receipt
    if erasure.everywhere:
        tally.found(rules.JOURNAL, touched, erased=True)
        tally.left += _still_there(store, erasure, known=tally.left)
        receipt = replace(receipt, places=tally.places(), left=_told(tally.left, erasure))
    else:
        receipt = replace(receipt, left=_told(_elsewhere(store, erasure), erasure))
    if applied.run or receipt.places:
        certified = store.certify(applied.run, _with_receipt(info, receipt))
        applied = replace(applied, run=certified)
    store.write_down(None)
    return applied, receipt


def _apply(store: ErasingStore, erasure: Erasure, info: RunInfo) -> tuple[Applied, Tally]:
    """Take the entries and the words out of memory, as one run."""
    signed = _with_receipt(info, erasure.receipt)

    def plan() -> Plan[tuple[Applied, Tally]]:
        topics = store.topics()
        deltas = removing.plan_removals(_chosen(topics, erasure), topics)
        held = store.held(erasure.living) if erasure.everywhere else []
        changes = removing.changes_of(_planned(store, erasure, deltas, held))
        tally = _counted(deltas, held, erasure, erased=True)
        return Plan(tuple(changes), signed, lambda applied: (applied, tally))

    def catalogs() -> Plan[Applied]:
        held = store.held(erasure.living) if erasure.everywhere else []
        return Plan(_catalogs(held, erasure), signed, lambda applied: applied)

    done = run(plan, store=store)
    run(catalogs, store=store)
    return done


def _chosen(topics: Sequence[Topic], erasure: Erasure) -> list[Candidate]:
    wanted = Counter(erasure.chosen)
    found: list[Candidate] = []
    for item in removing.all_candidates(topics):
        key = (item.topic.path, item.entry.summary)
        if wanted[key] > 0:
            wanted[key] -= 1
            found.append(item)
    return found


def _planned(
    store: ErasingStore, erasure: Erasure, deltas: Sequence[FileDelta], held: Sequence[Held]
) -> list[FileDelta]:
    if not erasure.everywhere:
        return list(deltas)
    return rules.plan_files(
        deltas,
        [file for file in held if not file.is_catalog and not file.stays(erasure.living)],
        erasure.living,
        salt=erasure.receipt.salt,
        taken=lambda path: store.read(path) is not None,
    )


def _catalogs(held: Sequence[Held], erasure: Erasure) -> tuple[Change, ...]:
    """Clean what a person wrote into a catalog; the lines of the topics were made anew by then."""
    return tuple(
        Change(file.path, clean, digest(file.text))
        for file in held
        if file.is_catalog and (clean := redact_markdown(file.text, erasure.living)) != file.text
    )


def _staying(held: Sequence[Held], erasure: Erasure) -> list[NotErased]:
    """Say what nothing can be changed of; each reason once."""
    return list(dict.fromkeys(why for file in held if (why := file.stays(erasure.living))))


def _counted(
    deltas: Sequence[FileDelta], held: Sequence[Held], erasure: Erasure, *, erased: bool
) -> Tally:
    tally = Tally()
    topics = {delta.path for delta in deltas if delta.before is not None}
    tally.found(rules.MEMORIES, len(topics), erased=erased)
    for file in held:
        if file.path not in topics and not file.stays(erasure.living):
            tally.found(file.kind, erased=erased)
    return tally


def _still_there(
    store: ErasingStore, erasure: Erasure, *, known: Sequence[NotErased]
) -> list[NotErased]:
    """Look once more; what others wrote meanwhile, or what cannot be cleaned, is told."""
    reason = "it still holds the words; erase again, or look at it yourself"
    after = store.sweep(erasure.living, erase=False)
    held = store.held(erasure.living)
    left = [item for item in (*_staying(held, erasure), *after.left) if item not in known]
    left += [
        NotErased(file.kind, file.path, "still_there", reason)
        for file in held
        if not file.stays(erasure.living)
    ]
    counts = {**after.holding, rules.JOURNAL: store.in_journal(erasure.living)}
    left += [
        NotErased(kind, f"{count} in {kind}", "still_there", reason)
        for kind, count in counts.items()
        if count
    ]
    return left


def _elsewhere(store: ErasingStore, erasure: Erasure) -> list[NotErased]:
    """Count what holds the words beside memory and journal, where nobody asked to look."""
    after = store.sweep(erasure.living, erase=False)
    counts = Counter(after.holding)
    counts.update(file.kind for file in store.held(erasure.living))
    counts[rules.JOURNAL] += store.in_journal(erasure.living)
    reason = "it says the same and was left alone; `reverie forget --erase --everywhere` reaches it"
    return [
        *(
            NotErased(kind, f"{counts[kind]} in {kind}", "not_asked", reason)
            for kind in rules.KINDS
            if counts[kind]
        ),
        *after.left,
    ]


def _told(left: Sequence[NotErased], erasure: Erasure) -> tuple[NotErased, ...]:
    """Name what stays without the words themselves: the receipt is kept in the journal."""
    return tuple(
        replace(
            item,
            what=erasure.living.redact(item.what),
            reason=erasure.living.redact(item.reason),
        )
        for item in left
    )


def _with_receipt(info: RunInfo, receipt: Receipt) -> RunInfo:
    return replace(info, detail={**info.detail, "receipt": to_wire(receipt)})
