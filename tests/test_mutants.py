"""The mistakes that `make mutants` makes: each is one that a person could make, in code that runs."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = '''"""Text with 3 numbers."""
from typing import TYPE_CHECKING, Final
if TYPE_CHECKING:
    from collections.abc import Sequence
__all__ = ["rule"]
LIMIT: Final[tuple[int, ...]] = (5,)

@decorated(order=True)
def rule(given: "Sequence[int]", most: int = 2) -> int:
    if not given or len(given) > most:
        raise ValueError(f"{len(given) + 1} is too many, é")
    found = "a" + "b"
    given[0] += 1
    print(found)
    return len(given) - 1 if "é" in found else None
'''


@pytest.fixture(scope="module")
def mutants() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "scripts/mutants.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def test_one_small_piece_is_changed_at_a_time_and_what_is_no_rule_stays(mutants) -> None:
    made = [(item.before, item.after) for item in mutants.mutants_of("x.py", SOURCE)]
    assert made == [
        ("5", "6"),
        ("2", "3"),
        ("not given or len(given) > most", "(not given and len(given) > most)"),
        ("not given", "(given)"),
        ("len(given) > most", "(len(given) >= most)"),
        ('raise ValueError(f"{len(given) + 1} is too many, é")', "pass"),
        ("given[0] += 1", "pass"),
        ("0", "1"),
        ("1", "2"),
        ("print(found)", "pass"),
        ('return len(given) - 1 if "é" in found else None', "return None"),
        ('"é" in found', "('é' not in found)"),
        ("len(given) - 1", "(len(given) + 1)"),
        ("1", "2"),
    ]


@pytest.mark.slow
def test_every_mutant_can_be_read_by_python(mutants) -> None:
    path = "src/reverie/core/search/signals.py"
    for name, source in (("x.py", SOURCE), (path, (ROOT / path).read_text(encoding="utf-8"))):
        raw = source.encode()
        for item in mutants.mutants_of(name, source):
            assert raw[item.start : item.end].decode() == item.before
            ast.parse((raw[: item.start] + item.after.encode() + raw[item.end :]).decode())


def test_the_tests_of_a_module_come_first_and_then_those_of_its_room(mutants) -> None:
    near, room = mutants.tests_of("src/reverie/core/search/signals.py")
    assert "tests/core/search/test_signals.py" in near
    assert room == ("tests/core/search",)
    for path in (ROOT / mutants.RULES).rglob("*.py"):
        for tests in mutants.tests_of(str(path.relative_to(ROOT))):
            assert all((ROOT / test).exists() for test in tests), path
