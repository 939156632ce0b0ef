"""Programs that stand in for the four agents: each answers as a real one, and notes how it was called."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path

from reverie.core.agents.naming import JAIL, MARK
from reverie.models.agents.model import Site

_PROGRAM = """#!{python}
import json, os, sys
given = "" if sys.argv[1:2] in (["features"], ["mcp"]) else sys.stdin.read()
with open({log!r}, "a") as file:
    file.write(json.dumps(dict(
        words=sys.argv[1:], given=given, cwd=os.getcwd(), mark=os.environ.get({mark!r}),
        files=sorted(os.listdir(".")), group=os.getpgrp() == os.getpid())) + "\\n")
def option(name):
    return sys.argv[sys.argv.index(name) + 1]
answer = json.loads({answer!r})
{body}
"""

BODIES = {
    "claude": """
print(json.dumps(dict(type="result", subtype="success", is_error=False, structured_output=answer,
    result="", usage=dict(input_tokens=7, cache_read_input_tokens=2, output_tokens=3))))
""",
    "codex": """
if sys.argv[1] == "features":
    print("hooks   stable   true\\nshell_tool  stable  true")
elif sys.argv[1] == "mcp":
    print(json.dumps([dict(name="reverie"), dict(name="odd.name")]))
else:
    open(option("-o"), "w").write(json.dumps(answer))
    print(json.dumps(dict(type="error", message="Reconnecting... 1/5 (status 500)")))
    print(json.dumps(dict(type="turn.completed", usage=dict(input_tokens=9, output_tokens=3))))
""",
    "gemini": """
print("Ripgrep is not available.")
print(json.dumps(dict(response="```json\\n" + json.dumps(answer) + "\\n```",
    stats=dict(models=dict(flash=dict(tokens=dict(prompt=9, candidates=3)))))))
""",
    "qwen": """
print(json.dumps([dict(type="system"), dict(type="result", is_error=False, structured_result=answer,
    usage=dict(input_tokens=9, output_tokens=3))]))
""",
}


class FakeAgents:
    """A folder of programs, and where they are asked."""

    def __init__(self, folder: Path, env: dict[str, str] | None = None) -> None:
        self.folder = folder / "bin"
        self.folder.mkdir()
        self.home = folder
        self.log = folder / "calls.jsonl"
        self.env = env or {"PATH": str(self.folder)}
        self.held = 0

    def put(self, program: str, *, answer: object = None, body: str | None = None) -> Path:
        """Write a program; a body of its own replaces the usual one."""
        file = self.folder / program
        text = _PROGRAM.format(
            python=sys.executable,
            log=str(self.log),
            mark=MARK,
            answer=json.dumps(answer if answer is not None else {"ids": ["m1"]}),
            body=BODIES[program] if body is None else body,
        )
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
        return file

    @property
    def calls(self) -> list[dict]:
        """How the programs were called, without the questions about their switches."""
        if not self.log.exists():
            return []
        calls = [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        return [call for call in calls if call["words"][:1] not in (["features"], ["mcp"])]

    def site(self) -> Site:
        """Return where they are asked."""

        @contextmanager
        def alone():
            self.held += 1
            yield

        def find(name: str) -> str | None:
            file = self.folder / name
            return str(file) if file.exists() else None

        return Site(self.home / "state" / JAIL, find, alone, self.env, self.home)
