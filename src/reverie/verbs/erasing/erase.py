"""Erase: carry out an erasure that was written down, from its beginning or from where it was cut off.

Rules:

* Every step can be done twice: the words that are gone already are simply not found.
* Memory goes first, its copies next, the journal last, for it takes in what the others change.
* What still stands after all that is looked for once more and told, never taken for gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reverie.core.erasing import everywhere as rules
from reverie.core.erasing import places, removal
from reverie.core.erasing.everywhere import Erasure, Tally
from reverie.core.erasing.redaction import redact_markdown
from reverie.core.text.plain import digest
from reverie.core.topics.forget import all_candidates
from reverie.core.wire import to_wire
from reverie.types import Applied, Change, FileDelta, NotErased, Plan, Receipt, RunInfo
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.core.erasing.erasing_store import ErasingStore
    from reverie.core.erasing.everywhere import Held
    from reverie.core.topics.forget import Candidate
    from reverie.types import Topic


def survey(
    store: ErasingStore, erasure: Erasure, deltas: Sequence[FileDelta]
) -> tuple[Tally, list[FileDelta]]:
    """Count what holds the words, and plan the files without them; nothing is changed."""
    beside = not erasure.everywhere
    held = store.held(erasure, beside=beside)
    planned = _planned(store, erasure, deltas, held)
    tally = _counted(deltas, held, erasure, erased=False)
    tally.left += _staying(held, erasure)
    tally.add(store.sweep(erasure.living, erase=False, beside=beside))
    tally.found(places.JOURNAL, store.in_journal(erasure.to_erase), erased=False)
    if beside:
        tally.left += _elsewhere(store, erasure, planned=deltas)
    return tally, planned


def carry_out(
    store: ErasingStore, erasure: Erasure, info: RunInfo, *, purge: Callable[[], Sequence[str]]
) -> tuple[Applied, Receipt]:
    """Erase for good; `purge` brings the search index up to date and leaves nothing dead in it."""
    store.write_down(rules.write_down(erasure))
    applied, tally = _apply(store, erasure, info)
    tally.found(places.TASKS, store.erase_tasks(erasure.to_erase), erased=True)
    beside = not erasure.everywhere
    tally.add(store.sweep(erasure.living, erase=True, beside=beside, purge=purge))
    touched = store.erase(erasure.to_erase, paths=erasure.paths)
    tally.found(places.JOURNAL, touched, erased=True)
    if erasure.everywhere:
        tally.left += _still_there(store, erasure, known=tally.left)
    else:
        tally.left += _elsewhere(store, erasure)
    left = _told(dict.fromkeys(tally.left), erasure)
    receipt = replace(erasure.receipt, places=tally.places(), left=left)
    if applied.run or receipt.places:
        certified = store.certify(applied.run, _with_receipt(info, receipt))
        applied = replace(applied, run=certified)
    store.write_down(None)
    return applied, receipt


def _apply(store: ErasingStore, erasure: Erasure, info: RunInfo) -> tuple[Applied, Tally]:
    """Take the entries and the words out of memory, as one run."""
    signed = _with_receipt(info, erasure.receipt)
    beside = not erasure.everywhere

    def plan() -> Plan[tuple[Applied, Tally]]:
        topics = store.topics()
        deltas = removal.plan_removals(_chosen(topics, erasure), topics)
        held = store.held(erasure, beside=beside)
        changes = removal.changes_of(_planned(store, erasure, deltas, held))
        tally = _counted(deltas, held, erasure, erased=True)
        return Plan(tuple(changes), signed, lambda applied: (applied, tally))

    def catalogs() -> Plan[Applied]:
        held = store.held(erasure, beside=beside)
        return Plan(_catalogs(held, erasure), signed, lambda applied: applied)

    done = run(plan, store=store)
    run(catalogs, store=store)
    return done


def _chosen(topics: Sequence[Topic], erasure: Erasure) -> list[Candidate]:
    wanted = Counter(erasure.chosen)
    found: list[Candidate] = []
    for item in all_candidates(topics):
        key = (item.topic.path, item.entry.summary)
        if wanted[key] > 0:
            wanted[key] -= 1
            found.append(item)
    return found


def _planned(
    store: ErasingStore, erasure: Erasure, deltas: Sequence[FileDelta], held: Sequence[Held]
) -> list[FileDelta]:
    changing = [file for file in held if not file.is_catalog and not file.stays(erasure)]
    if not erasure.everywhere:  # what else the files say that lose an entry is not looked at
        heard = [FileDelta(file.path, file.text, file.cleaned(erasure)) for file in changing]
        return [*deltas, *heard]
    return rules.plan_files(
        deltas, changing, erasure, taken=lambda path: store.read(path) is not None
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
    return list(dict.fromkeys(why for file in held if (why := file.stays(erasure))))


def _counted(
    deltas: Sequence[FileDelta], held: Sequence[Held], erasure: Erasure, *, erased: bool
) -> Tally:
    tally = Tally()
    topics = {delta.path for delta in deltas if delta.before is not None}
    tally.found(places.MEMORIES, len(topics), erased=erased)
    for file in held:
        if file.path not in topics and not file.stays(erasure):
            tally.found(file.kind, erased=erased)
    return tally


def _still_there(
    store: ErasingStore, erasure: Erasure, *, known: Sequence[NotErased]
) -> list[NotErased]:
    """Look once more; what others wrote meanwhile, or what cannot be cleaned, is told."""
    reason = "it still holds the words; erase again, or look at it yourself"
    after = store.sweep(erasure.living, erase=False)
    held = store.held(erasure)
    left = [item for item in (*_staying(held, erasure), *after.left) if item not in known]
    left += [
        NotErased(file.kind, file.path, "still_there", reason)
        for file in held
        if not file.stays(erasure)
    ]
    counts = {**after.holding, places.JOURNAL: store.in_journal(erasure.living)}
    left += [
        NotErased(kind, f"{count} in {kind}", "still_there", reason)
        for kind, count in counts.items()
        if count
    ]
    return left


def _elsewhere(
    store: ErasingStore, erasure: Erasure, *, planned: Sequence[FileDelta] | None = None
) -> list[NotErased]:
    """Count what holds the words and is something of its own, where nobody asked to look.

    Args:
        planned: Files that are still to change, when nothing is done yet, and so are not counted.
    """
    after = store.sweep(erasure.living, erase=False)
    counts = Counter(after.holding)
    known = {delta.path for delta in planned or ()}
    held = [file for file in store.held(erasure) if file.path not in known]
    counts.update(file.kind for file in held if planned is None or not file.is_catalog)
    if planned is not None:  # what this erasure will clean itself
        own = Counter(store.sweep(erasure.living, erase=False, beside=True).holding)
        own.update(file.kind for file in store.held(erasure, beside=True))
        counts -= own
    else:
        counts[places.JOURNAL] += store.in_journal(erasure.living)
    reason = (
        "it says the same and was left alone;"
        " `reverie forget --erase --everywhere` with its words reaches it"
    )
    return [
        *(
            NotErased(kind, f"{counts[kind]} in {kind}", "not_asked", reason)
            for kind in places.KINDS
            if counts[kind]
        ),
        *after.left,
    ]


def _told(left: Iterable[NotErased], erasure: Erasure) -> tuple[NotErased, ...]:
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
