"""The rings of the house: who may import whom, and what pure code may not touch."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "reverie"
RANKS = [
    {"types"},
    {"errors"},
    {"ports", "client"},
    {"config", "dialect"},
    {"core"},
    {"verbs", "local", "postgres", "models", "telemetry"},
    {"layered"},
    {"memory", "testing"},
    {"manager"},
    {"mcp"},
    {"adapters"},
    {"daemon", "hooks"},
    {"cli"},
    {"__main__"},
]
ABOVE_PORTS = {"ErasingStore", "Index", "Engine", "Runner"}
"""Protocols that speak of what a ring above the ports knows; `reverie.ports` says why."""
PURE_PACKAGES = {"types", "errors", "ports", "config", "dialect", "core"}
CLIENT_MAY_IMPORT = {"types", "errors", "client"}
IMPURE = {
    "asyncio", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib", "random",
    "secrets", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib",
}  # fmt: skip
PURE_NAMES = {"PurePosixPath", "PurePath", "local"}  # threading.local is a cache, not a world
PURE_MODULES = {"urllib.parse"}


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


def test_every_protocol_that_can_be_is_among_the_ports():
    elsewhere = {
        node.name
        for path in modules()
        if package_of(path) != "ports"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    }
    assert elsewhere == ABOVE_PORTS


def test_modules_stay_small_enough_to_hold_in_the_head():
    long = {
        str(path.relative_to(SOURCE)): lines
        for path in modules()
        if path.name != "errors.py"  # one flat tree, three lines a class
        and (lines := path.read_text(encoding="utf-8").count("\n")) > 450
    }
    assert not long
