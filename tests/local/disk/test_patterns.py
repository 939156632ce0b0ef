"""A pattern that was compiled before is the one that Python would compile; nothing that was said is kept."""

from __future__ import annotations

import _sre
import json
import os
import subprocess
import sys
from array import array
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.local.disk.patterns import Patterns
from tests import linear
from tests.examples import examples

RARE = "quixotlbumarp"


def opened(path: Path, version: str = sys.version) -> Patterns:
    return Patterns(str(path), compiler, _sre, version)


def outside_of_functions(kept: Patterns, text: str, flags: int = 0) -> Any:
    """Compile a pattern as a module does."""
    names = {"kept": kept, "text": text, "flags": flags}
    exec(compile("made = kept.compile(text, flags)", "<module>", "exec"), names)  # noqa: S102
    return names["made"]


@pytest.mark.slow
def test_each_of_our_patterns_comes_back_as_it_was(tmp_path):
    ours = {id(found): found for found, _ in linear.patterns().values()}.values()
    first = opened(tmp_path / "kept")
    for pattern in ours:
        outside_of_functions(first, pattern.pattern, pattern.flags)
    first.store()
    again = opened(tmp_path / "kept")
    for pattern in ours:
        made = outside_of_functions(again, pattern.pattern, pattern.flags)
        assert (made, made.flags, made.groups, made.groupindex) == (
            pattern, pattern.flags, pattern.groups, pattern.groupindex,
        )  # fmt: skip
        for shape in linear.shapes(pattern)[:40]:
            text = shape(60)
            assert [(m.span(), m.groups()) for m in made.finditer(text)] == [
                (m.span(), m.groups()) for m in pattern.finditer(text)
            ]
    assert not again.fresh


def test_a_pattern_made_from_what_somebody_said_is_not_kept(tmp_path):
    kept = opened(tmp_path / "kept")
    assert kept.compile(RARE).search(RARE)
    assert [kept.compile(word) for word in ("a", RARE)]
    assert not kept.fresh
    assert outside_of_functions(kept, "a+").search("aa")
    assert list(kept.fresh) == [("a+", 0)]


def test_two_processes_keep_what_both_compiled(tmp_path):
    one, other = opened(tmp_path / "kept"), opened(tmp_path / "kept")
    outside_of_functions(one, "a+")
    outside_of_functions(other, "b(?P<name>c)")
    one.store()
    other.store()
    assert set(opened(tmp_path / "kept").load()) == {("a+", 0), ("b(?P<name>c)", 0)}
    assert outside_of_functions(opened(tmp_path / "kept"), "b(?P<name>c)").groupindex == {"name": 1}


def test_what_another_python_compiled_is_not_taken(tmp_path):
    kept = opened(tmp_path / "kept", "3.99")
    outside_of_functions(kept, "a+")
    kept.store()
    assert opened(tmp_path / "kept", "3.99").load()
    assert not opened(tmp_path / "kept").load()


def test_whichever_byte_is_damaged_patterns_are_what_they_are(tmp_path):
    kept = opened(tmp_path / "kept")
    outside_of_functions(kept, "a(b|c)+", 2)
    kept.store()
    whole = (tmp_path / "kept").read_bytes()

    @given(st.integers(0, len(whole) - 1), st.integers(1, 255), st.booleans())
    @settings(max_examples=examples(200))
    def check(at: int, other: int, cut: bool) -> None:
        rest = b"" if cut else bytes([whole[at] ^ other]) + whole[at + 1 :]
        (tmp_path / "kept").write_bytes(whole[:at] + rest)
        again = opened(tmp_path / "kept")
        assert outside_of_functions(again, "a(b|c)+", 2).fullmatch("ABCB")

    check()


def test_code_that_the_engine_refuses_is_compiled_anew(tmp_path):
    kept = opened(tmp_path / "kept")
    code = array("I", [7, 7, 7]).tobytes()
    for number, made in enumerate((
        (32, code, 0, {}, [None]), (32, code + b"x", 0, {}, [None]), (2**70, code, 0, {}, [None]),
        (32, code, "x", [], 7), (32, code, -9, {}, []),
    )):  # fmt: skip
        kept.fresh[f"a+{number}", 0] = made  # type: ignore[assignment]
    kept.store()
    again = opened(tmp_path / "kept")
    assert len(again.load()) == 5
    for number in range(5):
        assert outside_of_functions(again, f"a+{number}").fullmatch(f"aaa{number}")


def run(folder: Path, *words: str, **more: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {"PYTHONPYCACHEPREFIX": str(folder / "bytecode"), "REVERIE_EMBEDDER": "off"}
    command = [sys.executable, "-P", "-m", "reverie", "--home", str(folder / "home"), *words]
    ran = subprocess.run(
        command, cwd=folder, env=env | more, capture_output=True, check=True, text=True
    )
    return ran.stdout


@pytest.mark.slow
def test_a_second_command_compiles_nothing_and_says_the_same(tmp_path):
    first = run(tmp_path, "remember", "--dry-run", "--json", f"We use {RARE} for the logs now")
    [kept] = (tmp_path / "bytecode").rglob("patterns.*.command")
    before = kept.stat()
    second = run(tmp_path, "remember", "--dry-run", "--json", f"We use {RARE} for the logs now")
    assert json.loads(first) == json.loads(second)
    assert (kept.stat().st_ino, kept.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    run(tmp_path, "remember", f"The {RARE} of the office is called {RARE[::-1]}")
    run(tmp_path, "forget", RARE)
    run(tmp_path, "search", RARE)
    held = opened(kept).load()
    assert len(held) > 300
    points = array("I", map(ord, RARE)).tobytes()
    for (text, _), (_, code, _, _, _) in held.items():
        assert RARE not in text.lower()
        assert points not in code


@pytest.mark.slow
def test_where_python_writes_no_bytecode_nothing_is_kept(tmp_path):
    run(tmp_path, "remember", "--dry-run", "We use tabs", PYTHONDONTWRITEBYTECODE="1")
    assert not list((tmp_path / "bytecode").rglob("patterns.cpython*.*"))


def test_a_program_that_imports_us_compiles_as_ever():
    program = (
        "import re, sys, reverie.memory, re._compiler as made;"
        "assert made.compile.__module__ == 're._compiler';"
        "assert 'reverie.local.disk.patterns' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
