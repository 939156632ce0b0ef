"""WordsToErase: what is to be erased, found in any text by its words and not by its letters alone.

Rules:

* A wording is a run of words. Case, accents, width, punctuation and line ends between them do not
  matter, so a quotation, a file name and a heading are all found; the same runs make the receipt.
* A run that other memories hold rightly is no wording of what goes.
* A single word counts only when it says enough, and never when our own files are written with it.
* A long name that was made of a text is cut somewhere, also within a word: where all of it from some word on
  is how a run begins, it tells the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from reverie.core.erasing.receipts import run_size, runs_of
from reverie.core.text.plain import width
from reverie.core.text.positions import WordAt, plain, readings, words_at
from reverie.core.text.stopwords import STOP_WORDS

PLACEHOLDER: Final = "[erased]"
IN_NAMES: Final = "erased"
"""The placeholder inside names, links and frontmatter, where brackets mean something."""
MIN_COLUMNS: Final = 4
MIN_PART: Final = 3
LONG_COLUMNS: Final = 8
"""A single word from here on is found inside longer words as well."""
# Words that topics, turns and state files are written with; without them they could not be read.
_STRUCTURE: Final = frozenset({
    "agent", "agents", "arguments", "assistant", "content", "created", "description", "erased", "false",
    "feedback", "history", "kind", "memories", "memory", "messages", "name", "none", "null", "parts",
    "project", "reference", "reverie", "role", "session", "source", "status", "system", "text", "title",
    "tool", "true", "type", "updated", "user", "value", "working",
})  # fmt: skip
_NAME_JOINTS: Final = "-_/"
_LINKED: Final = re.compile(r"\[\[[^\[\]\r\n]*\]\]|\]\([^()\s]*\)|(?<!\w)\w++://[^\s<>()\[\]\"'`]+")
"""Where a name stands that leads somewhere: brackets would break it."""
_NAME: Final = re.compile(r"[^\s/\\|\[\]()<>\"'`]{10,}")
_CUT_WORDS: Final = 4
_CUT_COLUMNS: Final = 20
"""So many words, and so wide, must be left of a run in a name that was cut."""
_SPACE: Final = re.compile(r"\s")
_WINDOW: Final = 16 * 1024
_FILE_ENDING: Final = re.compile(r"\.[A-Za-z]\w{0,4}\b")
_OUR_ENDING: Final = re.compile(r"\.(?:jsonl?|md|toml|txt|ya?ml)\Z", re.IGNORECASE)
"""By its ending a file is known for what it is, so that stays when a whole name goes."""


@dataclass(frozen=True)
class WordsToErase:
    """What to look for: runs of words, by how many words each has, and texts to be found as they are."""

    runs: Mapping[int, frozenset[str]] = field(default_factory=dict)
    exact: tuple[str, ...] = ()
    """Longest first; for copies of whole files, where also a short line can be told apart."""

    def __bool__(self) -> bool:
        return any(self.runs.values()) or bool(self.exact)

    def holds(self, text: str) -> bool:
        """Tell whether a text holds any of it."""
        return any(needle in text for needle in self.exact) or bool(self.spans(text))

    def redact(self, text: str, placeholder: str = PLACEHOLDER) -> str:
        """Put a placeholder where the to_erase stand."""
        text = self.without_exact(text, placeholder)
        return edited(text, edits(text, self.spans(text), placeholder))

    def without_exact(self, text: str, placeholder: str = PLACEHOLDER) -> str:
        """Put a placeholder where texts stand that are to be found as they are; lines stay lines."""
        for needle in self.exact:
            first, last = needle.startswith("\n"), needle.endswith("\n")
            fresh = "\n" * first + placeholder + "\n" * last
            for _ in range(
                1 + (first and last)
            ):  # of two such lines, both need the end between them
                text = text.replace(needle, fresh)
        return text

    def may_stand_in(self, text: str) -> bool:
        """Tell quickly whether a text could hold any of it, however it is written."""
        return bool(self.exact) or bool(self._possible(text)) or any(self._cut_short(text))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where runs of the to_erase stand, in order and apart from each other."""
        possible = self._possible(text)
        spans = list(self._cut_short(text))
        if not possible:
            return spans
        for offset, piece in self._windows(text):
            found = self._found(piece, possible)
            spans += [(offset + start, offset + end) for start, end in found]
        # A backslash that escapes the first letter would escape the placeholder.
        spans = [(start - _escapes(text, start), end) for start, end in spans]
        return _joined(spans)

    @cached_property
    def _needles(self) -> list[tuple[list[str], str]]:
        """Every run, and its longest word: most texts lack it, and that is quickly seen."""
        every = [run.split(" ") for found in self.runs.values() for run in found]
        return [(run, max(run, key=len)) for run in every]

    def _possible(self, text: str) -> list[list[str]]:
        shown = plain(text) if self._needles else ""
        return [run for run, longest in self._needles if longest in shown]

    def _cut_short(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where a name ends with how a run begins."""
        runs = [run for run, _ in self._needles if len(run) >= _CUT_WORDS]
        shown = plain(text) if runs else ""
        runs = [run for run in runs if all(word in shown for word in run[: _CUT_WORDS - 1])]
        longest = max(map(len, runs), default=0)
        for name in _NAME.finditer(text) if runs else ():
            ending = _OUR_ENDING.search(name[0])
            found = list(_unglued(words_at(name[0][: ending.start()] if ending else name[0])))
            # What is more words before the end than any run has cannot be how one begins.
            for at in range(max(len(found) - longest, 0), len(found) - _CUT_WORDS + 1):
                if any(_begins(run, found[at:]) for run in runs):
                    yield name.start() + found[at].start, name.start() + found[-1].end
                    break

    def _windows(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the parts of a long text in which a run may stand, each with its place."""
        longest = max(sum(map(len, run)) + len(run) for run, _ in self._needles)
        size = max(_WINDOW, 8 * longest)
        if len(text) <= size:
            yield 0, text
            return
        cuts = list(_cuts(text, size))
        near: set[int] = set()
        for number, (start, end) in enumerate(cuts):
            if self._possible(text[start:end]):
                near |= {number - 1, number, number + 1}
        at = 0
        while at < len(cuts):
            last = at
            while last in near and last < len(cuts):
                last += 1
            if last > at:
                yield cuts[at][0], text[cuts[at][0] : cuts[last - 1][1]]
            at = max(last, at + 1)

    def _found(self, text: str, possible: Sequence[list[str]]) -> Iterator[tuple[int, int]]:
        by_letter: dict[str, list[list[str]]] = {}
        for run in possible:
            by_letter.setdefault(run[0][0], []).append(run)
        single = [run[0] for run in possible if len(run) == 1]
        long = [word for word in single if width(word) >= LONG_COLUMNS and not word.isdigit()]
        for found in readings(text):
            for here in _unglued(found) if long else ():
                yield from (place for part in long for place in _inside(part, here))
            for at, here in enumerate(found):
                for run in by_letter.get(here.word[0], ()):
                    last = _run_end(run, found, at)
                    if (
                        last is not None
                        and PLACEHOLDER not in text[here.start - 1 : found[last].end + 1]
                    ):
                        yield here.start, found[last].end


Edit = tuple[int, int, str]
"""From where to where, and what stands there then."""


def edits(text: str, spans: Sequence[tuple[int, int]], placeholder: str) -> list[Edit]:
    """Say which placeholder fits in the place of each span."""
    links = [match.span() for match in _LINKED.finditer(text)] if spans else []
    found: list[Edit] = []
    link = 0
    for start, end in spans:
        if ending := _OUR_ENDING.search(text, start, end):
            end = ending.start()
        while link < len(links) and links[link][1] <= start:
            link += 1
        named = link < len(links) and links[link][0] <= start and end <= links[link][1]
        around = text[max(start - 1, 0) : start] + text[end : end + 1]
        named = named or any(char in _NAME_JOINTS for char in around)
        named = named or bool(_FILE_ENDING.match(text, end))
        found.append((start, end, IN_NAMES if named else placeholder))
    return found


def edited(text: str, changes: Iterable[Edit]) -> str:
    """Make changes that lie apart from each other."""
    shown: list[str] = []
    at = 0
    for start, end, fresh in sorted(changes):
        shown += [text[at:start], fresh]
        at = end
    return "".join([*shown, text[at:]])


def words_to_erase(
    phrases: Iterable[str],
    *,
    whole: Iterable[str] = (),
    remaining: Iterable[str] = (),
    exact: Iterable[str] = (),
) -> WordsToErase:
    """Make to_erase of phrases; runs that the `remaining` texts hold as well are left out.

    A phrase is recognised by any of its runs, one of `whole` only by all its words, wherever it stands.
    """
    runs: dict[int, set[str]] = {}
    for found in (variant for phrase in phrases for variant in _variants(phrase)):
        size = run_size(found)
        telling = {run for run in runs_of(found, size) if tells_enough(run)} if size else set()
        runs.setdefault(size, set()).update(telling)
    others = [variant for text in remaining for variant in _variants(text)]
    for size, own in runs.items():
        own -= {run for text in others for run in runs_of(text, size)}
    for found in (variant for phrase in whole for variant in _variants(phrase)):
        runs.setdefault(len(found), set()).add(" ".join(found))
    kept = {size: frozenset(found) for size, found in runs.items() if size and found}
    return WordsToErase(kept, _longest_first(text for text in exact if text.strip()))


def _variants(phrase: str) -> list[list[str]]:
    """Return the words of a phrase: as it is spelled, and with the words that capitals begin."""
    parts = words_at(phrase)
    spelled = [part.word for part in _unglued(parts)]
    apart = [part.word for part in parts]
    # "iPhone" must not be found in "I phone": too little is left of it.
    telling = all(width(part.word) >= MIN_PART for part in parts if part.glued) and all(
        width(one.word) >= MIN_PART for one, two in pairwise(parts) if two.glued
    )
    return [spelled, apart] if telling and apart != spelled else [spelled]


def tells_enough(phrase: str) -> bool:
    """Tell whether a phrase may be looked for by itself: it is long enough, and not all common."""
    found = _variants(phrase)[0]
    if sum(map(width, found)) < MIN_COLUMNS or all(word in STOP_WORDS for word in found):
        return False
    return len(found) > 1 or found[0] not in _STRUCTURE


def to_json(to_erase: WordsToErase) -> dict[str, Any]:
    """Write words to erase as JSON."""
    runs = {str(size): sorted(found) for size, found in to_erase.runs.items()}
    return {"runs": runs, "exact": list(to_erase.exact)}


def from_json(data: Mapping[str, Any]) -> WordsToErase:
    """Read words to erase from JSON."""
    runs = {int(size): frozenset(found) for size, found in data.get("runs", {}).items()}
    return WordsToErase(runs, tuple(map(str, data.get("exact", ()))))


def _run_end(run: Sequence[str], found: Sequence[WordAt], at: int) -> int | None:
    """Return the last of the words that are this run, beginning with one; None when they are not."""
    if len(run) == 1 and found[at].grouped:
        return None
    here = at
    for wanted in run:
        if here >= len(found):
            return None
        word = found[here].word
        while len(word) < len(wanted) and here + 1 < len(found) and found[here + 1].glued:
            here += 1
            word += found[here].word
        if word != wanted:
            return None
        here += 1
    return here - 1


def _begins(run: Sequence[str], found: Sequence[WordAt]) -> bool:
    """Tell whether words are how a run begins, the last of them perhaps cut."""
    words = [here.word for here in found]
    if len(words) > len(run) or sum(map(width, words)) < _CUT_COLUMNS:
        return False
    return words[:-1] == list(run[: len(words) - 1]) and run[len(words) - 1].startswith(words[-1])


def _unglued(found: Iterable[WordAt]) -> Iterator[WordAt]:
    """Yield words as they are spelled, whatever capitals are in them."""
    spelled: WordAt | None = None
    for here in found:
        if spelled and here.glued:
            spelled = WordAt(spelled.word + here.word, spelled.start, here.end)
            continue
        if spelled:
            yield spelled
        spelled = here
    if spelled:
        yield spelled


def _inside(part: str, here: WordAt) -> Iterator[tuple[int, int]]:
    """Yield the places of a part in a word, or of all of it where it is written otherwise."""
    if part not in here.word:
        return
    if len(here.word) != here.end - here.start:
        yield here.start, here.end
        return
    at = here.word.find(part)
    while at >= 0:
        yield here.start + at, here.start + at + len(part)
        at = here.word.find(part, at + 1)


def _escapes(text: str, at: int) -> bool:
    """Tell whether a backslash before a place is there to escape what follows."""
    before = at
    while before and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def _cuts(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield parts of about this size, cut between words."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, min(start + size, len(text)))
        end = space.end() if space else len(text)
        yield start, end
        start = end


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _longest_first(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts), key=lambda text: (-len(text), text)))
