"""Damage to files, as disks and people do it: bytes flipped, zeroed, cut off, swapped, repeated."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np  # loaded before the first search, so that all of them add in the same order

from reverie.memory import Memory
from reverie.types import TextPart, TurnMessage

KINDS = ("flip", "zero", "cut", "empty", "grow", "shuffle", "swap", "noise")


def damage(rng: random.Random, files: Sequence[Path], path: Path) -> str:
    """Damage one file in place, as a running process would see it; return how."""
    kind = rng.choice(KINDS)
    data = bytearray(path.read_bytes())
    if kind == "swap":
        other = rng.choice([file for file in files if file.suffix == path.suffix])
        mine, theirs = bytes(data), other.read_bytes()
        overwrite(other, mine)
        overwrite(path, theirs)
        return f"{kind} {path.name} {other.name}"
    _HOW[kind](rng, data)
    overwrite(path, bytes(data))
    return f"{kind} {path.name}"


def overwrite(path: Path, data: bytes) -> None:
    """Put bytes into a file without replacing it: whoever has it open sees them."""
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()


def _flip(rng: random.Random, data: bytearray) -> None:
    for _ in range(rng.choice((1, 1, 1, 8)) if data else 0):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _zero(rng: random.Random, data: bytearray) -> None:
    start = rng.randrange(len(data) + 1)
    stop = min(start + rng.choice((16, 512, 4096)), len(data))
    data[start:stop] = bytes(stop - start)


def _cut(rng: random.Random, data: bytearray) -> None:
    del data[rng.randrange(len(data) + 1) :]


def _shuffle(rng: random.Random, data: bytearray) -> None:
    size = max(len(data) // 4, 1)
    one, two = rng.randrange(4) * size, rng.randrange(4) * size
    first, second = bytes(data[one : one + size]), bytes(data[two : two + size])
    if len(first) == len(second):
        data[one : one + size], data[two : two + size] = second, first


def _noise(rng: random.Random, data: bytearray) -> None:
    data[:] = rng.randbytes(len(data))


_HOW: dict[str, Callable[[random.Random, bytearray], None]] = {
    "flip": _flip,
    "zero": _zero,
    "cut": _cut,
    "empty": lambda _, data: data.clear(),
    "grow": lambda rng, data: data.extend(rng.randbytes(rng.randrange(1, 600))),
    "shuffle": _shuffle,
    "noise": _noise,
}


# --- a memory to damage ---------------------------------------------------------------------------


class Letters:
    """An embedder that needs no model: how often each letter stands in a text."""

    identity = "letters"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        rows = [[1.0 + text.count(chr(97 + n)) for n in range(26)] for text in texts]
        return [list(map(float, row)) for row in np.asarray(rows)]


QUERIES = ("which harbour has a heron", "otter 3", "when does the ferry leave", "badger")


def fill(memory: Memory, project: Path) -> None:
    """Put something of every kind into a memory, old enough to be kept in every index."""
    animals = ("heron", "otter", "badger", "lynx")
    for number in range(12):
        animal = animals[number % 4]
        path = project / f"memory/{animal}-{number}.md"
        path.parent.mkdir(exist_ok=True)
        parts = [
            f"## Part {part}\n\nThe {animal} {number} of harbour {part}.\n" for part in range(6)
        ]
        path.write_text(f"# {animal} {number}\n\n" + "\n".join(parts), encoding="utf-8")
        memory.remember(f"The {animal} {number} sleeps in harbour {number * 7}", kind="project")
    for number in range(6):
        said = TurnMessage("user", (TextPart(f"The ferry {number} leaves at {number} o'clock"),))
        memory.layers.append([said], session=f"session-{number % 2}")
    for file in (*project.rglob("*.md"), *Path(memory.workspace.home).rglob("*.md")):
        os.utime(file, (1_700_000_000, 1_700_000_000))


def ask(memory: Memory) -> list[object]:
    """Ask everything that an index of any kind answers."""
    answers: list[object] = []
    for query in QUERIES:
        found = memory.search(query, min_score=0)
        answers.append((found.results, found.total_found, found.method, found.stats))
        answers.append(memory.recall(query).block)
    counted = memory.stats()
    answers.append((counted.total_files, counted.total_chunks, counted.total_tokens))
    answers.append([turn.seq for turn in memory.layers.history.latest(10).turns])
    answers.append(memory.get("chat://session-0/1").text)
    return answers
