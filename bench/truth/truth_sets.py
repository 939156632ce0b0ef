"""The data of the suites: rows that `scripts/truth_data.py` wrote, of one half."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from reverie.errors import BadDataset, PathNotFound

Row: TypeAlias = dict[str, Any]

FILES = ("prompts", "memories", "asked", "attacks", "days")


@dataclass(frozen=True, slots=True)
class TruthSets:
    """What people ask, remember and say, and what others put into it."""

    prompts: tuple[Row, ...]
    memories: tuple[Row, ...]
    asked: tuple[Row, ...]
    attacks: tuple[Row, ...]
    days: tuple[Row, ...]


def load(folder: Path, *, half: str) -> TruthSets:
    """Read the rows of one half; `all` takes both."""
    if not folder.is_dir():
        raise PathNotFound(f"there is no folder {folder}; make one with scripts/truth_data.py")
    return TruthSets(*(_rows(folder / f"{name}.jsonl", half) for name in FILES))


def _rows(path: Path, half: str) -> tuple[Row, ...]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadDataset(f"{path} cannot be read: {error.strerror}") from error
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            known = row["half"]
        except (ValueError, LookupError, TypeError) as error:
            raise BadDataset(f"{path}, line {number}: no row with a `half`") from error
        if half == "all" or known in (half, "all"):
            rows.append(row)
    return tuple(rows)
