"""Break the pure rules one small piece at a time, and see whether their tests notice: `make mutants`.

A sample, drawn with a seed, of all small changes that could be made to `src/reverie/core`: a comparison,
a sum, an `and`, a number, a `not`, a returned value, a statement. Each is made in a copy of the tree,
and the tests that match its module run there. A change that no test notices survives: either a test is
missing, or the change means nothing. Why this is no library: docs/adr/0020-mutants.md.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RULES = "src/reverie/core"
# Tables that a script made of others' data, and checks against it: a fifth of all mutants, and no rules.
TABLES = frozenset({"src/reverie/core/secrets/families.py"})
COPIED = ("src", "tests", "docs", "scripts", "deploy", "pyproject.toml", "README.md", "CHANGELOG.md",
          "CONTRIBUTING.md", "SECURITY.md", "Makefile")  # fmt: skip
# As in `make check`; the time of hostile texts is no matter of a single rule.
PYTEST = ("-q", "-x", "-m", "not slow", "-p", "no:randomly", "-p", "no:cacheprovider", "--no-header",
          "--hypothesis-profile=quick")  # fmt: skip
LEAST_SECONDS = 60.0  # a mutant may be slower than that only where its tests are
TIMES_SLOWER = 6.0

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.Pow: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change."""

    path: str
    line: int
    start: int
    end: int
    """Where in the file's bytes it is."""
    before: str
    after: str

    def __str__(self) -> str:
        one, other = (" ".join(text.split()) for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {one} -> {other}"


# --- what can be changed --------------------------------------------------------------------------


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    """Yield every small change that can be made to a module, in the order of its lines."""
    begins = [0]
    for line in source.encode().splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    raw = source.encode()
    for node, after in _changes(ast.parse(source)):
        start = begins[node.lineno - 1] + node.col_offset
        end = begins[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        yield Mutant(path, node.lineno, start, end, raw[start:end].decode(), after)


def _changes(node: ast.AST, *, inside: bool = False) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """Yield nodes and what to write in their place."""
    for child in _children(node):
        if isinstance(child, ast.expr):
            after = _changed(child)
        elif isinstance(child, ast.stmt) and inside:
            after = _changed_statement(child)
        else:
            after = None
        if after is not None:
            yield child, after  # type: ignore[misc]
        yield from _changes(child, inside=inside or isinstance(child, ast.FunctionDef))


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is looked into: no annotations, decorators, imports, lists of names, or formatted text."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) in (
                    "__all__",
                    "TYPE_CHECKING",
                ):
                    continue
                yield child


def _changed(node: ast.expr) -> str | None:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARED:
            return _written(ast.Compare(node.left, [_COMPARED[type(op)]()], node.comparators))
        case ast.BinOp() if type(node.op) in _COMPUTED and not _is_text(node):
            return _written(ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right))
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            return _written(ast.BoolOp(other, node.values))
        case ast.UnaryOp(op=ast.Not()):
            return _written(node.operand)
        case ast.Constant(value=bool()):
            return str(not node.value)
        case ast.Constant(value=int() | float()):
            return repr(node.value + 1)
    return None


def _changed_statement(node: ast.stmt) -> str | None:
    match node:
        case ast.Return(value=value) if value is not None and ast.unparse(value) != "None":
            return "return None"
        case (
            ast.Raise()
            | ast.AugAssign()
            | ast.Continue()
            | ast.Break()
            | ast.Expr(value=ast.Call())
        ):
            return "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return "pass"
    return None


def _is_text(node: ast.BinOp) -> bool:
    """Say whether texts or types are put together, where another operator is only an error."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str | None))
        for side in sides
    )


def _written(node: ast.expr) -> str:
    return f"({ast.unparse(ast.fix_missing_locations(node))})"


# --- which tests match ----------------------------------------------------------------------------


def tests_of(path: str) -> list[tuple[str, ...]]:
    """Return the test file of a module with those that import it, then the tests of its room."""
    module = Path(path).relative_to("src").with_suffix("")
    name = ".".join(module.parts)
    room = str(Path("tests", *module.parts[1:-1]))
    own = f"{room}/test_{module.name}.py"
    near = {test for test, names in _imports().items() if test == own or name in names}
    return [tests for tests in (tuple(sorted(near)), (room,)) if tests]


@cache
def _imports() -> dict[str, frozenset[str]]:
    """Return which modules each test of the rules imports."""
    found: dict[str, frozenset[str]] = {}
    for path in sorted((ROOT / "tests/core").rglob("test_*.py")):
        names: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
        found[str(path.relative_to(ROOT))] = frozenset(names)
    return found


# --- trying them ----------------------------------------------------------------------------------


class Copy:
    """A copy of the tree in which code is broken."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, symlinks=True)
            elif source.exists():
                shutil.copy2(source, folder / name)
        self._usual: dict[tuple[str, ...], float] = {}

    def survives(self, mutant: Mutant) -> bool:
        """Say whether the tests pass with a mutant; one that takes for ever is noticed."""
        for tests in tests_of(mutant.path):
            limit = max(LEAST_SECONDS, TIMES_SLOWER * self._seconds(tests))
            if not self._passes_with(mutant, tests, limit):
                return False
        return True

    def _passes_with(self, mutant: Mutant, tests: Sequence[str], seconds: float) -> bool:
        path = self._folder / mutant.path
        source, facts = path.read_bytes(), path.stat()
        path.write_bytes(source[: mutant.start] + mutant.after.encode() + source[mutant.end :])
        try:
            return self._passes(tests, seconds)
        finally:
            path.write_bytes(source)
            os.utime(
                path, ns=(facts.st_atime_ns, facts.st_mtime_ns)
            )  # its compiled form counts again

    def _seconds(self, tests: tuple[str, ...]) -> float:
        """Run tests without a mutant, once: they must pass, and that tells how long they take."""
        if tests not in self._usual:
            began = time.monotonic()
            if not self._passes(tests, 1_200):
                sys.exit(f"these fail without any mutant: {' '.join(tests)}")
            self._usual[tests] = time.monotonic() - began
        return self._usual[tests]

    def _passes(self, tests: Sequence[str], seconds: float) -> bool:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *PYTEST, *tests],
            cwd=self._folder,
            # Compiled files are kept for what is whole only: a mutant may be as long as the original.
            env={
                **os.environ,
                "PYTHONPATH": str(self._folder / "src"),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def main() -> None:
    """Draw a sample, try it, and say what survived."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--count", type=int, default=80, help="how many mutants (80)")
    asked.add_argument("--seed", type=int, default=1, help="which ones (1)")
    asked.add_argument("--minutes", type=float, default=20.0, help="stop after so long (20)")
    asked.add_argument("--only", default="*", help="modules, such as '*/search/*'")
    asked.add_argument("--list", action="store_true", help="only say which would be tried")
    given = asked.parse_args()
    made = [
        mutant
        for path in sorted((ROOT / RULES).rglob("*.py"))
        if fnmatch(name := str(path.relative_to(ROOT)), given.only) and name not in TABLES
        for mutant in mutants_of(name, path.read_text(encoding="utf-8"))
    ]
    drawn = random.Random(given.seed).sample(made, min(given.count, len(made)))
    print(f"{len(drawn)} of {len(made):,} mutants of {RULES}, seed {given.seed}", flush=True)
    if given.list:
        print(*drawn, sep="\n")
        return
    until = time.monotonic() + 60 * given.minutes
    tried, survivors = 0, []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Copy(Path(folder))
        for mutant in drawn:
            if time.monotonic() > until:
                print(f"stopped after {given.minutes:g} minutes")
                break
            tried += 1
            if copy.survives(mutant):
                survivors.append(mutant)
                print(f"survives  {mutant}", flush=True)
            else:
                print(f"noticed   {mutant}", flush=True)
    noticed = tried - len(survivors)
    print(f"\n{noticed} of {tried} noticed ({noticed / max(tried, 1):.0%})")
    print(*survivors, sep="\n")


if __name__ == "__main__":
    main()
