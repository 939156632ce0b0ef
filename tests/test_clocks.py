"""No test asserts how long something took by the clock on the wall: a busy machine would fail it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
WALL = frozenset(
    {
        *(("time", name + unit) for name in ("monotonic", "perf_counter", "time") for unit in ("", "_ns")),
        ("datetime", "now"),
    }
)  # fmt: skip


def reads_the_clock(node: ast.AST) -> bool:
    """Say whether an expression has a reading of a clock in it; `process_time` is another matter."""
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and isinstance(part.func.value, ast.Name)
        and (part.func.value.id, part.func.attr) in WALL
        for part in ast.walk(node)
    )


def spans(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that compare how long something took, directly or through a name."""
    named = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_span(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            for part in ast.walk(node.test):
                if _is_span(part) or (isinstance(part, ast.Name) and part.id in named):
                    yield node.lineno


def _is_span(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and reads_the_clock(node.left)
    )


def test_no_test_asserts_seconds_on_the_clock() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}"
        for path in sorted(TESTS.rglob("*.py"))
        if "time." in (text := path.read_text(encoding="utf-8"))
        for line in spans(ast.parse(text))
    ]
    assert found == [], "assert what was done, how often, or how processor time grows"


def test_such_an_assertion_would_be_noticed() -> None:
    direct = "assert time.monotonic() - began < 5"
    through = "took = time.perf_counter() - began\nassert took < 5"
    waiting = "assert time.monotonic() < until"
    assert [list(spans(ast.parse(text))) for text in (direct, through, waiting)] == [[1], [2], []]
