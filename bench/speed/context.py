"""Loading 1,000 context files with imports from 50 folders, against reading the same bytes."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from reverie.config import ContextSettings
from reverie.core.context.hierarchy import ContextOptions
from reverie.dialect import REVERIE
from reverie.local.context.discover import load_context, signature
from reverie.types import Context, Workspace

FOLDERS = 50
_LIMITS = ContextSettings(max_imports=1_000_000, max_total_bytes=1 << 30)
_PARAGRAPH = (
    "Requests go through `api.client`, which retries **three** times; see the notes on limits.\n"
    "Names follow the table below, and nothing here is ever longer than it has to be.\n\n"
    "- Prefer small functions\n- Keep `const` where it helps\n- 中文说明也在这里\n\n"
)
_FENCE = "```python\n@app.route('/x')\ndef view(): ...\n```\n\n"
_ROOT = str(Path(__file__).parents[2])
_COLD = (
    "import json, sys, time\n"
    "sys.path.insert(0, sys.argv[2])\n"
    "from bench.speed.context import load, read_plainly\n"
    "plain = read_plainly(sys.argv[1])\n"
    "begin = time.perf_counter(); load(sys.argv[1]); took = time.perf_counter() - begin\n"
    "print(json.dumps([took, plain]))\n"
)


def run(*, quick: bool) -> Iterator[tuple[str, object]]:
    """Measure first (nothing is known to be clean), cold (a new process), warm, unchanged, and growth."""
    files = 200 if quick else 1000
    rounds = 3 if quick else 7
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder:
        root = Path(os.path.realpath(folder))
        yield from {"files": files, "imports": files, "folders": FOLDERS}.items()
        per_byte: dict[int, float] = {}
        for factor in (1, 2, 4):
            place = str(root / f"x{factor}")
            size = _build(Path(place), files, factor)
            begin = time.perf_counter()
            context = load(place)
            first = time.perf_counter() - begin
            if context.file_count != files or context.diagnostics:
                raise AssertionError(f"the bench loads {files} files and finds nothing wrong")
            both = [(read_plainly(place), _timed(partial(load, place))) for _ in range(rounds)]
            plain, warm = (statistics.median(times) for times in zip(*both, strict=True))
            per_byte[factor] = warm / size
            if factor == 1:
                seen = signature(context)
                look = statistics.median(_timed(seen.changed) for _ in range(rounds))
                cold, cold_plain = _cold(place, rounds)
                figures = {
                    "bytes": size,
                    "plain_ms": plain * 1000,
                    "first_ms": first * 1000,
                    "cold_ms": cold * 1000,
                    "cold_ratio": cold / cold_plain,
                    "warm_ms": warm * 1000,
                    "warm_ratio": warm / plain,
                    "unchanged_ms": look * 1000,
                    "unchanged_ratio": look / plain,
                }
                yield from figures.items()
            else:
                figures = {
                    "bytes": size,
                    "warm_ms": warm * 1000,
                    "warm_ratio": warm / plain,
                    "time_per_byte_against_x1": per_byte[factor] / per_byte[1],
                }
                yield f"x{factor}", figures


def load(place: str) -> Context:
    """Load the context files that `_build` made."""
    base = Path(place)
    space = Workspace(
        cwd=str(base / "work"),
        project_root=None,
        project_id="bench",
        home=str(base / "home"),
        user_memory=str(base / "home" / "memories"),
        project_memory=str(base / "home" / "memory"),
        project_state=str(base / "home"),
        state=str(base / "home" / "state"),
    )
    names = tuple(json.loads((base / "names.json").read_text(encoding="utf-8")))
    settings = ContextSettings(
        names=names, max_imports=_LIMITS.max_imports, max_total_bytes=_LIMITS.max_total_bytes
    )
    include = tuple(str(base / f"f{number:02}") for number in range(FOLDERS))
    return load_context(
        space,
        dialect=REVERIE,
        settings=settings,
        env={"HOME": str(base / "home")},
        options=ContextOptions(include=include),
    )


def read_plainly(place: str) -> float:
    """Read every Markdown file below a folder with plain Python; return the seconds it took."""
    paths = sorted(Path(place).rglob("*.md"))

    def read() -> None:
        for path in paths:
            with path.open(encoding="utf-8") as file:
                file.read()

    return _timed(read)


def _build(base: Path, files: int, factor: int) -> int:
    per_folder = files // FOLDERS
    names = [f"CONTEXT-{number}.md" for number in range(per_folder)]
    (base / "work").mkdir(parents=True)
    (base / "home" / "state").mkdir(parents=True)
    (base / "names.json").write_text(json.dumps(names), encoding="utf-8")
    size = 0
    for number in range(FOLDERS):
        folder = base / f"f{number:02}"
        (folder / "docs").mkdir(parents=True)
        for at, name in enumerate(names):
            directive = f"<!-- @import: docs/{at}.md -->" if at % 2 else f"See @./docs/{at}.md now."
            body = f"# Part {number}.{at}\n\n" + _PARAGRAPH * (4 * factor) + _FENCE
            text = f"{body}{directive}\n\nMail a@example.org, @types/node and @param.\n"
            note = f"# Note {at}\n\n" + _PARAGRAPH * (2 * factor)
            for path, content in ((folder / name, text), (folder / "docs" / f"{at}.md", note)):
                path.write_text(content, encoding="utf-8")
                size += len(content.encode())
    return size


def _cold(place: str, rounds: int) -> tuple[float, float]:
    """Load in new processes, where nothing is imported or remembered yet."""
    found = [
        json.loads(
            subprocess.run(
                [sys.executable, "-P", "-c", _COLD, place, _ROOT],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        for _ in range(rounds)
    ]
    return statistics.median(pair[0] for pair in found), statistics.median(
        pair[1] for pair in found
    )


def _timed(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin
