"""Receipts: proof that something was forgotten, without a word of it.

Rules:

* A receipt holds salted digests of runs of words. Whoever has it can tell whether a text still holds
  such a run; nobody can read from it what was forgotten, short of guessing it.
* Runs that other memories hold rightly are left out, or every trace of them would be reported.
* What was forgotten does not come back by itself: whoever learns or imports asks `Barred` first. Only what
  was said after it was forgotten, or what a person asks for by name, comes back.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from reverie.core.text.plain import width
from reverie.core.text.words import words
from reverie.errors import InvalidInput, PathNotFound
from reverie.types import ErasedPlace, NotErased, Problem, Receipt

if TYPE_CHECKING:
    from reverie.types import Entry, RunRecord

RUN: Final = 5
"""Words in a run, of scripts with spaces."""
UNSPACED_RUN: Final = 10
"""Characters in a run, of scripts without."""
PART_COLUMNS: Final = 12
"""A sentence or line that is shorter says too little to be known again by itself."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s|(?<=[。！？])|\n")


def receipt_for(
    entries: Sequence[Entry],
    *,
    remaining: Iterable[str],
    now: datetime,
    salt: str,
    erased: bool,
    also: Mapping[int, frozenset[str]] | None = None,
) -> Receipt:
    """Make the receipt for removed entries; `remaining` are the texts of what is still remembered.

    Args:
        also: Further runs of words that are gone, by their length.
    """
    parts = [words(part) for e in entries for part in (e.summary, e.why, e.how) if part]
    runs: dict[int, set[str]] = {}
    sized = [(found, size) for found in parts if (size := run_size(found))]
    others = [words(text) for text in remaining if _may_share(text, sized)]
    for found, size in sized:
        own = set(runs_of(found, size))
        shared = {run for text in others for run in runs_of(text, size)} & own
        # A text that stands elsewhere as a whole was not forgotten: then say so.
        runs.setdefault(size, set()).update(own - shared or own)
    for size, more in (also or {}).items():
        runs.setdefault(size, set()).update(more)
    digests = tuple(sorted(_digest(" ".join(words(e.summary)), salt) for e in entries))
    return Receipt(
        id="forgot-" + _digest(" ".join(digests or sorted(_all(runs))), salt)[:12],
        at=now,
        salt=salt,
        entries=digests,
        parts=tuple(
            sorted(
                {_digest(part, salt) for e in entries for part in _parts(e.summary)} - {*digests}
            )
        ),
        shingles={
            size: tuple(sorted(_digest(run, salt) for run in found)) for size, found in runs.items()
        },
        erased=erased,
    )


def _may_share(text: str, parts: Iterable[tuple[Sequence[str], int]]) -> bool:
    """Say whether a text may hold one of these words in a row, so many of them; most lack a word of each run.

    The words of plain ASCII stand in it letter for letter, but for apostrophes.
    """
    if not text.isascii() or "'" in text:
        return True
    lower = text.lower()
    for found, size in parts:
        # Every run has one word whose place is a multiple of its length; the others stand around that.
        for at in range(size - 1, len(found), size):
            if found[at] not in lower:
                continue
            first = last = at
            while first > max(at - size + 1, 0) and found[first - 1] in lower:
                first -= 1
            while last < min(first + size, len(found)) - 1 and found[last + 1] in lower:
                last += 1
            if last - first + 1 >= size:
                return True
    return False


def traces(text: str, receipt: Receipt) -> bool:
    """Tell whether a text still holds something that the receipt says was forgotten."""
    found = words(text)
    return any(
        _digest(run, receipt.salt) in known
        for size, digests in receipt.shingles.items()
        for known in [frozenset(digests)]
        for run in runs_of(found, size)
    )


@dataclass(frozen=True, slots=True)
class Barred:
    """What was forgotten, and so is not learned or imported again by itself."""

    receipts: tuple[Receipt, ...] = ()

    def bars(self, text: str, *, said: datetime | None = None, erased: bool = False) -> bool:
        """Tell whether a text is, or has as a line or sentence, what was forgotten.

        Args:
            said: When somebody said it; what was said after it was forgotten is said anew.
            erased: Ask only about what was erased: the journal keeps the rest, for an undo.
        """
        known = [
            one
            for one in self.receipts
            if (said is None or said <= one.at) and (one.erased or not erased)
        ]
        if not known:
            return False
        whole, parts = " ".join(words(text)), _parts(text)
        return any(
            _digest(whole, one.salt) in one.entries
            or any(_digest(part, one.salt) in (*one.entries, *one.parts) for part in parts)
            for one in known
        )


def names_entry(receipt: Receipt, summary: str) -> bool:
    """Tell whether a receipt is for this entry, among others."""
    return _digest(" ".join(words(summary)), receipt.salt) in receipt.entries


def _parts(text: str) -> frozenset[str]:
    """Return the words of each line and sentence of a text that says enough; a heading names only."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    found = (" ".join(words(part)) for line in lines for part in (line, *_SENTENCE.split(line)))
    return frozenset(part for part in found if width(part) >= PART_COLUMNS)


def name_traces(name: str, receipt: Receipt) -> bool:
    """Say whether the name of a file holds what a receipt says is gone."""
    return traces(name.replace("-", " ").replace("_", " "), receipt)


def trace_found(where: str, path: str, *, fix: str = "") -> Problem:
    """Tell of a place that holds what a receipt says is gone."""
    return Problem("trace_found", f"{where} still contains what was forgotten", path, fix=fix)


def receipt_in(text: str, name: str) -> Receipt:
    """Read a receipt from a file's text: the receipt alone, or what `forget` printed."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name} cannot be read as a receipt: {error}") from error
    inner = data.get("receipt") if isinstance(data, dict) else None
    return read_receipt(inner or data)


def receipt_of_runs(name: str, runs: Iterable[RunRecord]) -> Receipt:
    """Find a receipt by the id that `forget` printed."""
    for run in runs:
        data = run.detail.get("receipt")
        if isinstance(data, dict) and data.get("id") == name:
            return read_receipt(data)
    raise PathNotFound(
        f"there is no receipt {name!r}: give the id that `reverie forget` printed, or a file with it"
    )


def receipts_of(runs: Iterable[RunRecord]) -> Iterator[Receipt]:
    """Read the receipts of runs; one that is damaged, or was made up by an import, counts for nothing."""
    for run in runs:
        data = run.detail.get("receipt")
        if isinstance(data, dict):
            with suppress(InvalidInput):
                yield read_receipt(data)


def read_receipt(data: Mapping[str, Any]) -> Receipt:
    """Read a receipt from its JSON form."""
    try:
        return Receipt(
            id=str(data["id"]),
            at=datetime.fromisoformat(str(data["at"]).replace("Z", "+00:00")),
            salt=str(data["salt"]),
            entries=tuple(str(item) for item in data["entries"]),
            parts=tuple(str(item) for item in data.get("parts", ())),
            shingles={
                int(size): tuple(str(item) for item in items)
                for size, items in data["shingles"].items()
                if int(size) > 0
            },
            erased=bool(data.get("erased", False)),
            places=tuple(
                ErasedPlace(str(item["kind"]), int(item["holding"]), int(item["erased"]))
                for item in data.get("places", ())
            ),
            left=tuple(
                NotErased(*(str(item[key]) for key in ("kind", "what", "code", "reason")))
                for item in data.get("left", ())
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"this is not a receipt from `reverie forget`: {type(error).__name__} at {error}"
        ) from error


def _all(runs: Mapping[int, set[str]]) -> Iterator[str]:
    return (run for found in runs.values() for run in found)


def run_size(found: Sequence[str]) -> int:
    """Return how many words a run of these has: all of a short text, a few of a long one."""
    single = sum(len(word) <= 2 and not word.isascii() for word in found)
    return min(len(found), UNSPACED_RUN if single * 2 > len(found) else RUN)


def runs_of(found: Sequence[str], size: int) -> Iterator[str]:
    """Yield every run of so many words."""
    return (" ".join(found[at : at + size]) for at in range(len(found) - size + 1))


def _digest(text: str, salt: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16, key=salt.encode("utf-8")[:64]).hexdigest()
