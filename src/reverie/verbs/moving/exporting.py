"""Export: carry a whole memory, a record at a time, to wherever it should go."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reverie.progress import tell
from reverie.types import (
    Counts,
    Exported,
    PortableFile,
    PortableRun,
    PortableState,
    Turn,
)

if TYPE_CHECKING:
    from reverie.ports import Carrier, Target
    from reverie.types import PortableHeader


def export(
    carrier: Carrier, *, target: Target, header: PortableHeader, name: str, format: str
) -> Exported:
    """Write everything to the target, or leave nothing there; `header.journal` takes runs along."""
    counted: Counter[type] = Counter()
    try:
        target.open(header)
        for record in carrier.records(journal=header.journal or target.wants_runs):
            target.put(record)
            counted[type(record)] += 1
            tell("exporting records", counted.total())
        counts = Counts(
            files=counted[PortableFile],
            states=counted[PortableState],
            turns=counted[Turn],
            runs=counted[PortableRun],
        )
        target.finish(counts)
    except BaseException:
        target.discard()
        raise
    return Exported(name, format, counts, (*carrier.dropped, *target.dropped))
