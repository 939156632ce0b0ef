"""The threat model promises only what a test shows: every cell of its table names tests that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "security.md"
_NAMED = re.compile(r"`(?P<file>test_\w+\.py)?::(?P<test>test_\w+)`")


def cells() -> list[tuple[str, str]]:
    """Return every cell of the table of boundaries, with its boundary."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    begin = next(place for place, row in enumerate(rows) if row.startswith("| boundary |"))
    found: list[tuple[str, str]] = []
    for row in rows[begin + 2 :]:
        boundary, *assets = row.strip("|").split("|")
        found += [(boundary.strip(), asset) for asset in assets]
    return found


def defined() -> dict[str, set[str]]:
    """Return the tests of each file name; several files may have one."""
    names: dict[str, set[str]] = {}
    named = PAGE.read_text(encoding="utf-8")
    for path in TESTS.rglob("test_*.py"):
        if path.name not in named:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        names.setdefault(path.name, set()).update(node.name for node in functions)
    return names


def test_every_boundary_has_a_test_for_everything_at_stake():
    table = cells()
    assert len({boundary for boundary, _ in table}) >= 9
    assert [boundary for boundary, cell in table if not _NAMED.search(cell)] == []


def test_every_test_that_the_threat_model_names_is_there():
    there = defined()
    missing: list[str] = []
    for _, cell in cells():
        file = ""
        for match in _NAMED.finditer(cell):
            file = match["file"] or file
            if match["test"] not in there.get(file, set()):
                missing.append(f"{file}::{match['test']}")
    assert missing == []


def test_no_file_is_read_by_what_can_run_or_crash_the_reader():
    """Bytes of `marshal` and `pickle` are programs for Python, whoever wrote them."""
    programs = {"marshal", "pickle", "shelve", "dill", "cloudpickle", "joblib"}
    found: list[str] = []
    for path in (TESTS.parent / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not any(name in text for name in programs):
            continue  # which is told sooner than by reading it as a program
        for node in ast.walk(ast.parse(text)):
            names = [item.name for item in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [f"{path.name}: {name}" for name in names if name.split(".")[0] in programs]
    assert found == []
