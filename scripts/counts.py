"""Count what the house is made of; the same figures for any commit, so that two can be compared.

python scripts/counts.py [COMMIT]
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]


def git(*arguments: str) -> str:
    """Ask git about this repository."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout


def files(commit: str) -> dict[str, str]:
    """Read the modules of the package, of a commit or as they are on the disk."""
    if not commit:
        return {str(path.relative_to(ROOT)): path.read_text() for path in ROOT.glob("src/**/*.py")}
    names = git("ls-tree", "-r", "--name-only", commit, "src").splitlines()
    return {name: git("show", f"{commit}:{name}") for name in names if name.endswith(".py")}


def count(found: dict[str, str]) -> dict[str, object]:
    """Count modules, lines, public classes, Protocols, and file names that occur more than once."""
    classes = {
        name: [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]
        for name, text in found.items()
    }
    ports = Counter(
        name
        for name, nodes in classes.items()
        for node in nodes
        if any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    )
    names = Counter(PurePosixPath(name).name for name in found)
    again = [name for name, often in names.items() if often > 1 and name != "__init__.py"]
    return {
        "modules": len(found),
        "lines": sum(text.count("\n") for text in found.values()),
        "public classes": sum(
            not node.name.startswith("_") for n in classes.values() for node in n
        ),
        "Protocols": f"{ports.total()} in {len(ports)} modules: {', '.join(sorted(ports))}",
        "file names used more than once": f"{len(again)}: {', '.join(sorted(again))}",
    }


if __name__ == "__main__":
    for what, figure in count(files(sys.argv[1] if len(sys.argv) > 1 else "")).items():
        print(f"{what}: {figure}")
