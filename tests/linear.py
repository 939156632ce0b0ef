"""Finding patterns and making inputs that a backtracking engine hates, from the patterns themselves.

For every repetition in a pattern there is an input that fits up to it, goes on for long, and then fails:
whatever is worse than linear shows on one of them.
"""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import TypeAlias

import reverie
from reverie.core.text.plain import Lazy

SOURCE = Path(reverie.__file__).parent
_MAKES = re.compile(r"(?m)^\s*(?:import re$|from re import)")
SEARCHING = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
ANCHORED = frozenset({"match", "fullmatch"})
# Whatever a pattern is, these have hurt before.
USUAL = (
    "a", " ", "\n", "\t", ".", "<", "< ", "</", "<a ", "[", "[[", "(", "](", "`", "``", "*", "**", "_", "#",
    "- ", "> ", "@", "/", "\\", "'", '"', "\"'", ":", "a:", "0", "1.", "1-", "why ", "http://", "a.", "a-",
    "a@", "&", "=", "a=", "{", "$", "%", "|", "~", "é", "项", "\r", "\u200d", "\U0001f600", "A", "aA", "!",
    "?", "，", "。", "the ", "not ", "x y, ", "--", "---\n", "\n\n", " \n", "\\n", "@a/", "2026-01-", "<!--",
)  # fmt: skip


def modules() -> Iterator[ModuleType]:
    """Import what makes patterns; the rest can only use those, and some of it takes long to import."""
    for path in sorted(SOURCE.rglob("*.py")):
        if _MAKES.search(path.read_text(encoding="utf-8")):
            parts = path.relative_to(SOURCE.parent).with_suffix("").parts
            yield importlib.import_module(".".join(parts).removesuffix(".__init__"))


def patterns() -> dict[str, tuple[re.Pattern[str], bool]]:
    """Return every pattern over text, by where it stands, and whether it is searched for anywhere."""
    found: dict[int, tuple[str, re.Pattern[str], bool]] = {}
    everywhere: dict[str, set[str]] = {}
    nodes = {module: list(_nodes(_tree(module))) for module in modules()}
    uses = {module: _uses(found) for module, found in nodes.items()}
    for used in uses.values():
        for name, calls in used.items():
            everywhere.setdefault(name, set()).update(calls)
    for module in nodes:
        for name, value in list(vars(module).items()):
            for where, pattern in _in_value(f"{module.__name__}.{name}", value, module.__name__):
                calls = (uses[module] if name.startswith("_") else everywhere).get(name, set())
                searched = not calls or bool(calls & SEARCHING) or where.endswith("]")
                known = found.get(id(pattern))
                found[id(pattern)] = (where, pattern, searched or bool(known and known[2]))
        for line, pattern, searched in _in_functions(module, nodes[module]):
            found[id(pattern)] = (f"{module.__name__}:{line}", pattern, searched)
    return {
        where: (pattern, searched)
        for where, pattern, searched in found.values()
        if isinstance(pattern.pattern, str)
    }


def _tree(module: ModuleType) -> ast.Module:
    assert module.__file__
    return ast.parse(Path(module.__file__).read_text(encoding="utf-8"))


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every node, and whether it stands in a function."""
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, inside = waiting.pop()
        yield node, inside
        inside = inside or isinstance(node, ast.FunctionDef)
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]


def _uses(nodes: Sequence[tuple[ast.AST, bool]]) -> dict[str, set[str]]:
    """Return which methods are called on which name; a name that is handed on counts as searched."""
    uses: dict[str, set[str]] = {}
    owners: set[int] = set()
    for node, _ in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
            name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            uses.setdefault(name, set()).add(node.attr)
            owners.add(id(node.value))
        elif (
            isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in owners
        ):
            uses.setdefault(node.id, set()).add("search")
    return uses


def _in_value(where: str, value: object, home: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        yield where, value
    elif isinstance(value, Lazy):
        yield where, value.compiled()
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _in_value(f"{where}[{key!r}]", item, home)
    elif isinstance(value, tuple | list | set | frozenset):
        for number, item in enumerate(value):
            yield from _in_value(f"{where}[{number}]", item, home)
    elif isinstance(value, type) and value.__module__ == home:
        for name, item in vars(value).items():
            if isinstance(item, re.Pattern | Lazy | tuple | list) and not name.startswith("__"):
                yield from _in_value(f"{where}.{name}", item, home)
    elif type(value).__module__ == home and not isinstance(value, type):
        for name in _fields(value):
            item = getattr(value, name, None)
            if isinstance(item, re.Pattern | Lazy | tuple | list):
                yield from _in_value(f"{where}[{name}]", item, home)


def _fields(value: object) -> list[str]:
    return [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())]


def _in_functions(
    module: ModuleType, nodes: Sequence[tuple[ast.AST, bool]]
) -> Iterator[tuple[int, re.Pattern[str], bool]]:
    """Find the patterns that functions make or use directly, as far as they are constants."""
    for node, inside in nodes:
        if not (
            inside
            and isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in SEARCHING | ANCHORED | {"compile"}
        ):
            continue
        try:
            made = eval(compile(ast.Expression(node.args[0]), "", "eval"), vars(module))  # noqa: S307
        except (NameError, AttributeError, TypeError):  # made from what the function knows
            continue
        if isinstance(made, str):
            yield node.lineno, re.compile(made), node.func.attr not in ANCHORED


# --- inputs ---------------------------------------------------------------------------------------


Shape: TypeAlias = Callable[[int], str]
"""Makes a text of about a size."""


def shapes(pattern: re.Pattern[str]) -> list[Shape]:
    """Return the texts that are hard for a pattern."""
    pumps = dict.fromkeys((*(("", unit) for unit in USUAL), *_pumps(pattern)))
    return [shape for prefix, pump in pumps if pump for shape in _shapes_of(prefix, pump)]


def _shapes_of(prefix: str, pump: str) -> Iterator[Shape]:
    yield lambda size: f"{prefix}{pump * (size // len(pump))}\0"
    if prefix:
        yield lambda size: (prefix + pump) * (size // len(prefix + pump))
        yield lambda size: _stretches(prefix, pump, size)


def _stretches(prefix: str, pump: str, size: int) -> str:
    some = prefix + pump * max(int(size**0.5) // len(pump), 1)
    return some * (size // len(some))


def _pumps(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    tree = parser.parse(pattern.pattern, pattern.flags)
    yield from _walk(tree, [""], {})


def _walk(nodes: object, before: list[str], groups: dict[int, str]) -> Iterator[tuple[str, str]]:
    """Yield what leads to each repetition, and what it repeats."""
    for op, value in nodes:  # type: ignore[attr-defined]
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, body = value
            if most > 15:
                for pump in _samples(body, groups, 6):
                    for head in before:
                        yield head, pump
            yield from _walk(body, before, groups)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _walk(branch, before, groups)
        elif name == "SUBPATTERN":
            yield from _walk(value[3], before, groups)
        elif name == "ATOMIC_GROUP":
            yield from _walk(value, before, groups)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _walk(value[1], before, groups)
        after = _samples([(op, value)], groups, 2)
        before = [head + tail for head in before for tail in after][:2]


def _samples(nodes: object, groups: dict[int, str], most: int) -> list[str]:
    """Return a few short texts that a piece of a pattern matches, or nearly."""
    made = [""]
    for op, value in nodes:  # type: ignore[attr-defined]
        made = [head + tail for head in made for tail in _one(str(op), value, groups, most)][:most]
    return made or [""]


def _one(op: str, value: object, groups: dict[int, str], most: int) -> list[str]:
    match op:
        case "LITERAL":
            return [chr(value)]  # type: ignore[arg-type]
        case "NOT_LITERAL":
            return ["a" if value != ord("a") else "b"]
        case "ANY":
            return ["a"]
        case "IN":
            return _members(value, most)
        case "BRANCH":
            found = [text for branch in value[1] for text in _samples(branch, groups, 1)]  # type: ignore[index]
            return found[:most] if most > 1 else found[:1]
        case "SUBPATTERN":
            made = _samples(value[3], groups, most)  # type: ignore[index]
            groups[value[0]] = made[0]  # type: ignore[index]
            return made
        case "ATOMIC_GROUP":
            return _samples(value, groups, most)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, _, body = value  # type: ignore[misc]
            return [text * max(least, 1) for text in _samples(body, groups, most)]
        case "GROUPREF":
            return [groups.get(value, "")]  # type: ignore[call-overload]
        case _:
            return [""]


_CATEGORIES = {
    "CATEGORY_SPACE": [" ", "\n"], "CATEGORY_NOT_SPACE": ["a", "."], "CATEGORY_DIGIT": ["1"],
    "CATEGORY_NOT_DIGIT": ["a"], "CATEGORY_WORD": ["a", "1"], "CATEGORY_NOT_WORD": [" ", "."],
}  # fmt: skip


def _members(items: list[tuple[object, object]], most: int) -> list[str]:
    if str(items[0][0]) == "NEGATE":
        banned = parser.SubPattern(parser.State(), [(codes.IN, items[1:])])
        inside = _class(banned)
        return [char for char in "a .-<1\n:'x" if not inside(char)][:most] or ["\u2603"]
    found: list[str] = []
    for op, value in items:
        match str(op):
            case "LITERAL":
                found.append(chr(value))  # type: ignore[arg-type]
            case "RANGE":
                found.append(chr(value[0]))  # type: ignore[index]
            case "CATEGORY":
                found += _CATEGORIES.get(str(value), ["a"])
    return found[:most]


def _class(tree: object) -> Callable[[str], bool]:
    from re import _compiler as compiler  # type: ignore[attr-defined]

    made = compiler.compile(tree)
    return lambda char: made.match(char) is not None


# --- measuring ------------------------------------------------------------------------------------


SIZES = (1_500, 10_000, 100_000, 1_000_000)


def seconds(work: Callable[[str], object], text: str) -> float:
    """Return the processor time that a piece of work takes for a text, without other threads' time."""
    begin = time.thread_time()
    work(text)
    return time.thread_time() - begin


def running(pattern: re.Pattern[str], *, searched: bool) -> Callable[[str], object]:
    """Use a pattern as it is used: find all, or match once at the beginning."""
    if not searched:
        return pattern.match

    return lambda text: pattern.sub("", text)


def superlinear(work: Callable[[str], object], made: Sequence[Shape]) -> dict[str, list[float]]:
    """Return, by how it begins, each of the worst shapes whose time grows faster than its length."""
    times = [seconds(work, text) / max(len(text), 1) for text in (make(_SHORT) for make in made)]
    worst, second = sorted(range(len(made)), key=times.__getitem__, reverse=True)[:2]
    grown = {
        made[worst](30): growth(work, made[worst], sizes=SIZES),
        made[second](30): growth(work, made[second], sizes=SIZES[:-1]),
    }
    return {text: found for text, found in grown.items() if max(found) > LINEAR}


def growth(work: Callable[[str], object], make: Shape, *, sizes: tuple[int, ...]) -> list[float]:
    """Return how the time for each character grows from size to size; 1 is linear.

    A time too short to mean anything counts as linear. One that looks bad is measured again: a busy machine
    only ever adds to a time, so the shortest of several is the one to believe.
    """
    found: list[float] = []
    before = seconds(work, make(sizes[0]))
    for small, large in pairwise(sizes):
        took = seconds(work, make(large))
        ratio = _ratio(took, before, large / small)
        for _ in range(_AGAIN):
            if ratio <= LINEAR or took > _HOPELESS:
                break
            took = min(took, seconds(work, make(large)))
            ratio = _ratio(took, before, large / small)
        found.append(ratio)
        if ratio > LINEAR or took > _LONG:
            break
        before = took
    return found


LINEAR = 5.0
"""What is quadratic grows by ten where the text does; what is linear, by one, and noise."""
_SHORT = 1_000
_AGAIN = 6
_HOPELESS = 20
_LONG = 0.02
_NOISE = 0.01


def _ratio(took: float, before: float, factor: float) -> float:
    return took / factor / max(before, _NOISE / factor)
