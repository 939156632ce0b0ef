"""Install the agents that `make test-agents` runs: from npm, at pinned versions, into `.lab/agents`.

Node 22 comes from npm, too. What is there already at the same versions is used again. Prints the folder
of the programs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LAB = ROOT / ".lab" / "agents"
PINNED = {
    "@anthropic-ai/claude-code": "2.1.325",
    "@openai/codex": "0.166.0",
    "@google/gemini-cli": "0.61.0",
    "@qwen-code/qwen-code": "0.24.4",
    "node": "22.23.3",
}


def main() -> int:
    """Install what is missing."""
    programs = LAB / "node_modules" / ".bin"
    if {name: _version(name) for name in PINNED} != PINNED:
        LAB.mkdir(parents=True, exist_ok=True)
        wanted = {"private": True, "dependencies": PINNED}
        (LAB / "package.json").write_text(json.dumps(wanted, indent=2), encoding="utf-8")
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--loglevel", "error"],
            cwd=LAB,
            stdout=sys.stderr,
        )
        if done.returncode:
            print(
                "npm could not install the agents; is it set up, and is there a network?",
                file=sys.stderr,
            )
            return 1
    print(programs)
    return 0


def _version(name: str) -> str:
    file = LAB / "node_modules" / name / "package.json"
    return json.loads(file.read_text(encoding="utf-8"))["version"] if file.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
