"""The rings and rooms of the house: who may import whom, and what pure code may not touch.

`scripts/architecture.py` draws `docs/architecture.md` from what stands here.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "reverie"
RANKS = [
    {"types"},
    {"errors"},
    {"ports", "client", "once", "progress"},
    {"config", "dialect"},
    {"core"},
    {"verbs", "local", "postgres", "models", "telemetry"},
    {"layered"},
    {"memory", "testing"},
    {"manager", "lab"},
    {"mcp"},
    {"adapters"},
    {"daemon", "hooks"},
    {"cli"},
    {"__main__"},
]
ABOVE_PORTS = {"ErasableJournal", "ErasingStore", "Index", "Engine", "Runner"}
"""Protocols that speak of what a ring above the ports knows; `reverie.ports` says why."""
PURE_PACKAGES = {"types", "errors", "ports", "config", "dialect", "core"}
CLIENT_MAY_IMPORT = {"types", "errors", "client"}
IMPURE = {
    "asyncio", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib", "random",
    "secrets", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib",
}  # fmt: skip
PURE_NAMES = {"PurePosixPath", "PurePath", "local"}  # threading.local is a cache, not a world
PURE_MODULES = {"urllib.parse"}

# Rooms that import each other, also for types only; all others go one way. No knot may be added or grow.
KNOTS = {
    "daemon": [{"host", "hosted", "http", "routes", "serve", "shared", "welcome", "work"}],
    "postgres": [{"erasing", "search", "store"}],
}
ROOMY = 18
LARGE = {"cli": "one module for each family of commands"}


def rank(package: str) -> int:
    return next(place for place, names in enumerate(RANKS) if package in names)


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@cache
def imports(path: Path) -> list[tuple[str, list[str]]]:
    """Every import of a file, also those inside functions."""
    found: list[tuple[str, list[str]]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.extend((alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.append((node.module or "", [alias.name for alias in node.names]))
    return found


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def packages() -> list[str]:
    """The packages that have rooms."""
    return sorted({path.parts[-3] for path in SOURCE.glob("*/*/__init__.py")})


def room_of(module: str) -> str:
    """The room of a module below a package: a folder, or a module that stands alone."""
    return module.split(".")[2]


@cache
def rooms(package: str) -> dict[str, set[str]]:
    """Every room of a package, with the rooms it imports from."""
    found: dict[str, set[str]] = {}
    for path in (SOURCE / package).rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        here = room_of(".".join(("reverie", *parts))) if parts[-1] != "__init__" else parts[1]
        if here == "__init__":
            continue
        there = found.setdefault(here, set())
        for module, names in imports(path):
            if module == f"reverie.{package}":
                there.update(names)
            elif module.startswith(f"reverie.{package}."):
                there.add(module.split(".")[2])
    return {here: there & found.keys() - {here} for here, there in sorted(found.items())}


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Everything that a room leads to, over any number of others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for there in graph[waiting.pop()] - found:
            found.add(there)
            waiting.append(there)
    return found


def knots(package: str) -> list[set[str]]:
    """The groups of rooms of which each leads to every other."""
    graph = rooms(package)
    leads = {room: reached(graph, room) for room in graph}
    found = {
        frozenset(other for other in leads[room] if room in leads[other])
        for room in graph
        if room in leads[room]
    }
    return sorted((set(knot) for knot in found), key=min)


def own_imports(path: Path) -> list[str]:
    """The packages of ours that a file imports."""
    found = []
    for module, names in imports(path):
        if module == "reverie":
            found.extend(name for name in names if name != "__version__")
        elif module.startswith("reverie."):
            found.append(module.split(".")[1])
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_lower_rings_or_its_own_package(path):
    here = package_of(path)
    for there in own_imports(path):
        if here == "client":
            assert there in CLIENT_MAY_IMPORT
        elif there != here:
            assert rank(there) < rank(here), f"{path.name} imports reverie.{there}"


def test_the_package_does_without_the_benches_which_it_comes_without():
    folders = {module.split(".")[0] for path in modules() for module, _ in imports(path)}
    assert not folders & {"bench", "tests", "scripts"}


@pytest.mark.parametrize(
    "path",
    [path for path in modules() if package_of(path) in PURE_PACKAGES],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_rules_are_pure(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for module, names in imports(path):
        if module.split(".")[0] in IMPURE and module not in PURE_MODULES:
            assert names, f"{path.name} imports {module}"
            assert set(names) <= PURE_NAMES, f"{path.name} imports {module}"
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert not calls & {"open", "datetime.now", "datetime.utcnow", "date.today", "print", "input"}


@pytest.mark.parametrize("package", packages())
def test_rooms_import_one_way_except_for_the_knots_we_know(package):
    known = KNOTS.get(package, [])
    assert [knot for knot in knots(package) if not any(knot <= old for old in known)] == []


def test_a_folder_holds_no_more_than_one_can_look_over():
    held = {
        str(folder.relative_to(SOURCE)): len([*folder.glob("*.py")])
        for folder in {path.parent for path in modules()}
    }
    crowded = {folder for folder, count in held.items() if count > ROOMY}
    assert crowded <= LARGE.keys()


def test_every_room_says_what_it_is_for():
    silent = [
        str(folder.relative_to(SOURCE))
        for folder in {path.parent for path in modules()}
        if not (folder / "__init__.py").read_text(encoding="utf-8").startswith('"""')
    ]
    assert not silent


def test_every_protocol_that_can_be_is_among_the_ports():
    elsewhere = {
        node.name
        for path in modules()
        if package_of(path) != "ports" and "Protocol" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    }
    assert elsewhere == ABOVE_PORTS


def test_modules_stay_small_enough_to_hold_in_the_head():
    long = {
        str(path.relative_to(SOURCE)): lines
        for path in modules()
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 450
    }
    assert not long
