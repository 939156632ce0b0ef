"""Do the slow part of indexing, here or in a process of its own: read files, cut and split them, embed.

Rules
- It depends on the files and the recipe alone. Chunks get their numbers from whoever writes the index, so
  any number of processes can prepare files at the same time.
- A process that prepares writes nothing, and ends when whoever started it does.
"""

from __future__ import annotations

import gc
import json
import signal
import socket
import struct
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import reverie
from reverie.core.search.chunk import ChunkSize
from reverie.core.search.documents import chunk_rows
from reverie.core.search.indexing import check_vectors, file_row, index_terms, meant
from reverie.core.text.plain import storable
from reverie.errors import IndexBroken, ReverieError
from reverie.local.search.segment import Draft, Entry, Lists, drafted, term_hash
from reverie.local.search.sources import Found, Root, load
from reverie.local.search.vectors import quantize
from reverie.types import Source
from reverie.types.ranking import ChunkRow, FileRow

if TYPE_CHECKING:
    from reverie.core.search.documents import Document
    from reverie.local.search.root_index import Recipe
    from reverie.ports import Embedder

__all__ = [
    "CHANGED",
    "Asked",
    "Known",
    "Prepared",
    "Taken",
    "add_vectors",
    "main",
    "prepare",
    "receive",
    "send",
]

_EMBEDDED_FIRST: Final = 32
_EMBEDDED_AT_ONCE: Final = 256
"""After so many the clock is looked at: the fewer for a sentence model, which takes some 40 ms for each."""
_QUICKLY_EMBEDDED: Final = 0.5
CHANGED: Final = "the embedder has changed its vectors"
_LENGTH: Final = struct.Struct("!Q")

Vector = tuple[bytes, float]


class Asked(NamedTuple):
    """A file to read."""

    found: Found
    digest: str = ""
    """Of the text that is indexed; the same text need not be taken in again."""


class Taken(NamedTuple):
    """A file to be taken in; its chunks are numbered from where the draft begins."""

    found: Found
    row: FileRow | None
    """None: it was gone before it was read."""
    chunks: tuple[ChunkRow, ...] = ()
    problem: str = ""


@dataclass(slots=True)
class Prepared:
    """Some files, ready to be taken in as one segment."""

    draft: Draft
    taken: list[Taken] = field(default_factory=list)
    signed: list[Found] = field(default_factory=list)
    """Files that were touched but say what they said."""
    kept: dict[int, Vector] = field(default_factory=dict)
    fresh: list[tuple[int, bytes, str]] = field(default_factory=list)
    """Chunks that have no vector yet, with the id of what they say, and what that is."""
    embedded: int = 0


Known = Callable[[Found], Mapping[bytes, Vector]]
"""Tells the vectors that the chunks of a file have, by what the chunks say."""


def prepare(
    root: Root, recipe: Recipe, asked: Sequence[Asked], known: Known, *, meaning: bool
) -> Prepared:
    """Read files, cut them and split them into words; with `meaning`, `add_vectors` does the rest."""
    entries: list[Entry] = []
    made = Prepared(Draft(array("I"), array("I"), drafted(()).postings))
    exact = root.kind != "turns"
    for found, digest in asked:
        document, problem = _read(root, recipe, found)
        if document and digest == document.digest:
            made.signed.append(found)
            continue
        if document is None and not problem:
            made.taken.append(Taken(found, None))
            continue
        first = len(entries)
        chunks = document.chunks if document else ()
        vectors = known(found) if chunks else {}
        for number, chunk in enumerate(chunks, first):
            said = bytes.fromhex(chunk.id)
            vector = vectors.get(said)
            if vector:
                made.kept[number] = vector
            elif meaning:
                made.fresh.append((number, said, meant(chunk)))
            terms, length = index_terms(chunk)
            entries.append(Entry(number, Counter(map(term_hash, terms)), length))
        row = file_row(
            document,
            number=0,
            path=found.rel,
            signature="",
            first=first,
            problem=storable(problem),
        )
        rows = tuple(chunk_rows(document, first, 0, exact=exact)) if document else ()
        made.taken.append(Taken(found, row, rows, problem))
    if entries:
        made.draft = drafted(entries)
    return made


def _read(root: Root, recipe: Recipe, found: Found) -> tuple[Document | None, str]:
    if found.problem:
        return None, found.problem
    try:
        document = load(root, found.rel, size=recipe.size, limit=recipe.max_file_bytes)
    except ReverieError as error:
        return None, str(error)
    problem = f"{found.path}: {document.problem}" if document and document.problem else ""
    return document, problem


def add_vectors(
    made: Prepared,
    embedder: Embedder | None,
    *,
    ready: Mapping[bytes, Vector] = MappingProxyType({}),
    is_over: Callable[[], bool] = lambda: False,
) -> dict[bytes, Vector] | None:
    """Embed what has no vector yet; what says the same gets the same one.

    Where the time is up before all of them are made, nothing is added, and those that were made are returned.

    Args:
        ready: Vectors that were made before, by the ids of what the chunks say.
    """
    if embedder is None:
        made.fresh, made.kept = [], {}
        return None
    said = {cid: text for _, cid, text in made.fresh if cid not in ready}
    missing = list(said)
    fresh: dict[bytes, Vector] = {}
    start, size = 0, _EMBEDDED_FIRST
    while start < len(missing):
        if start and is_over():
            return fresh
        some = missing[start : start + size]
        begin = time.monotonic()
        vectors = embedder.embed([said[cid] for cid in some])
        check_vectors(embedder, vectors, len(some))
        fresh |= zip(some, quantize(vectors), strict=True)
        start += size
        if time.monotonic() - begin < _QUICKLY_EMBEDDED:
            size = min(2 * size, _EMBEDDED_AT_ONCE)
    known = {**ready, **fresh}
    made.kept |= {number: known[cid] for number, cid, _ in made.fresh}
    made.embedded = len(made.fresh)
    draft = made.draft
    ordered = [made.kept[number] for number in draft.ids]
    if len({len(vector) for vector, _ in ordered}) > 1:
        raise IndexBroken(CHANGED)
    made.fresh, made.kept = [], {}
    draft.vectors = b"".join(vector for vector, _ in ordered)
    draft.scales = array("f", [scale for _, scale in ordered])
    draft.dimension = len(ordered[0][0]) if ordered else 0
    return None


# --- in a process of its own ----------------------------------------------------------------------


def send(line: socket.socket, value: object) -> None:
    """Send a value to the other end, which is this program, too: plain JSON, and numbers as they lie."""
    parts: list[bytes] = []
    head = json.dumps(_plain(value, parts)).encode()
    line.sendall(_LENGTH.pack(len(head)) + _LENGTH.pack(len(parts)))
    line.sendall(head)
    for part in parts:
        line.sendall(_LENGTH.pack(len(part)))
        line.sendall(part)


def receive(line: socket.socket) -> Any:
    """Wait for a value; raise `EOFError` when the other end is gone."""
    size, count = (_LENGTH.unpack(_exactly(line, _LENGTH.size))[0] for _ in range(2))
    head = json.loads(_exactly(line, size))
    parts = [_exactly(line, _LENGTH.unpack(_exactly(line, _LENGTH.size))[0]) for _ in range(count)]
    return _made(head, parts)


def _plain(value: Any, parts: list[bytes]) -> Any:
    """Write a value as JSON has it: a list, or an object with one key that says what it is."""
    if isinstance(value, Source):
        return {"source": value.value}
    if value is None or isinstance(value, str | int | float):
        return value
    if type(value) in _kinds().values():
        names = getattr(value, "_fields", None) or [one.name for one in fields(value)]
        return {type(value).__name__: [_plain(getattr(value, name), parts) for name in names]}
    match value:
        case Path():
            return {"path": str(value)}
        case list() | tuple() | frozenset():
            return {type(value).__name__: [_plain(one, parts) for one in value]}
        case dict():
            return {"dict": [_plain(pair, parts) for pair in value.items()]}
        case bytes() | bytearray():
            parts.append(bytes(value))
            return {"bytes": len(parts) - 1}
    if hasattr(value, "made_of"):
        module = type(value).__module__
        return {"embedder": [module, type(value).__name__, _plain(value.made_of(), parts)]}
    view = memoryview(value)
    parts.append(view.tobytes())
    return {"numbers": [len(parts) - 1, view.format]}


def _made(said: Any, parts: Sequence[bytearray]) -> Any:
    """Make a value of what `_plain` wrote."""
    if not isinstance(said, dict):
        return said
    ((kind, inner),) = said.items()
    match kind:
        case "path":
            return Path(inner)
        case "source":
            return Source(inner)
        case "bytes":
            return bytes(parts[inner])
        case "numbers":
            return array(inner[1], bytes(parts[inner[0]]))
        case "dict":
            return dict(_made(pair, parts) for pair in inner)
        case "embedder":
            module, name, arguments = inner
            return getattr(import_module(module), name)(*_made(arguments, parts))
    values = [_made(one, parts) for one in inner]
    plain = {"list": list, "tuple": tuple, "frozenset": frozenset}.get(kind)
    return plain(values) if plain else _kinds()[kind](*values)


@cache
def _kinds() -> dict[str, Callable[..., Any]]:
    """Return what crosses the line, by name; nothing else is made at the other end."""
    from reverie.local.search.root_index import Recipe

    kinds = (
        Root,
        Recipe,
        ChunkSize,
        Found,
        Asked,
        Taken,
        FileRow,
        ChunkRow,
        Prepared,
        Draft,
        Lists,
    )
    return {kind.__name__: kind for kind in kinds}


def _exactly(line: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = line.recv_into(view)
        if not count:
            raise EOFError
        view = view[count:]
    return data


def main() -> None:
    """Prepare what is asked for on the socket whose number is the first argument."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # whoever started this hears it, and closes the line
    descriptor, program = sys.argv[1:]
    if Path(reverie.__file__).samefile(program):  # never what another version would make
        with socket.socket(fileno=int(descriptor)) as line, suppress(EOFError, ConnectionError):
            _prepare_all(line)


def _prepare_all(line: socket.socket) -> None:
    import numpy as np  # noqa: F401  # large work is done with it, see `segment` and `vectors`

    root, recipe, meaning = cast("tuple[Root, Recipe, bool]", receive(line))
    gc.disable()  # nothing here refers to itself; a batch makes a million small objects and drops them
    while True:
        asked = receive(line)
        made: Prepared | None
        try:
            made = prepare(root, recipe, asked, lambda _: {}, meaning=meaning)
            if recipe.embedder:
                add_vectors(made, recipe.embedder)
        except Exception:  # noqa: BLE001  # whoever asked does it again, and meets what is wrong
            made = None
        send(line, made)
