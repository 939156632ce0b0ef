"""One way to the terminal: whatever files, names and arguments hold, a terminal obeys none of it."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reverie
from reverie.core.showing.printable import printable, printable_json
from reverie.memory import Memory
from reverie.types import TextPart, TurnMessage

HOSTILE = (
    "zebra \x1b[31mred\x1b]0;title\x07 \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b]52;c;aGk=\x07"
    " \x1bP1$q\x1b\\"
    " \x1b_apc\x1b\\ \x9b31m \x08\x7f\x0e \u202eevil\u202c \u2066x\u2069 \u200b\ufeff"
)
OWN = re.compile("\x1b\\[(?:0|1|36)m")
CLI = Path(reverie.__file__).parent / "cli"


@given(st.text())
def test_what_is_printable_is_left_alone_and_the_rest_is_shown(text: str) -> None:
    shown = printable(text)
    assert printable(shown) == shown
    for char in shown:
        assert char in "\n\t\u200c\u200d\ufe0e\ufe0f" or unicodedata.category(char) not in (
            "Cc", "Cf", "Cs", "Co", "Zl", "Zp",
        )  # fmt: skip
    if text.isprintable():
        assert shown == text
    assert len(shown) <= 10 * len(text)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_escaped_json_means_the_same(text: str) -> None:
    shown = printable_json(json.dumps({"a": text}, ensure_ascii=False))
    assert json.loads(shown) == {"a": text}
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "\u202e" not in shown
    shown.encode()


def test_only_one_module_of_the_command_line_prints() -> None:
    found = []
    for path in CLI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name in (
                "print",
                "click.echo",
                "click.secho",
                "click.style",
                "click.echo_via_pager",
            ) or (name.endswith((".stdout.write", ".stderr.write", "basicConfig"))):
                found.append(f"{path.name}: {name}")
    assert set(found) == {"terminal.py: click.echo", "terminal.py: logging.basicConfig"}


@pytest.fixture
def hostile(project, private_home):
    """Make a memory in which everything that can be written by others is hostile."""
    with Memory.open(project) as memory:
        memory.initialise()
        memory.remember("Plain zebra words", kind="project")
        topic = next(iter(memory.store.topics()))
        folder, quoted = Path(topic.path).parent, json.dumps(HOSTILE)
        (folder / "zebra\x1b[31m\u202e.md").write_text(
            f"---\nname: {quoted}\ndescription: {quoted}\ntype: project\n---\n{HOSTILE}\n"
        )
        (project / "AGENTS.md").write_text(f"# Rules {HOSTILE}\n@./none\x1b[31m.md\n{HOSTILE}\n")
        memory.layers.scaffold()
        memory.layers.add_note(f"zebra note {HOSTILE}", title=f"zebra {HOSTILE}")
        memory.layers.change_working("add", "Active Tasks", f"zebra {HOSTILE}")
        memory.layers.append([TurnMessage("user", (TextPart(HOSTILE),)),
                              TurnMessage("assistant", (TextPart(HOSTILE),))], session=HOSTILE)  # fmt: skip
        (project / ".claude").mkdir()
        (project / ".claude" / "settings.json").write_text(json.dumps({HOSTILE: HOSTILE}, indent=1))
        return project, topic.path, str(folder / "zebra\x1b[31m\u202e.md")


def strangers(folder: Path) -> dict[str, str]:
    """Write an export and a vault in which every name and word is hostile."""
    name = "zebra\x1b[31m\u202e"
    header = {"kind": "reverie", "version": 1, "exported_at": "2026-01-01T00:00:00Z"}
    files = [f"user/user/{name}.md", f"context/{name}/AGENTS.md", f"home/{name}.md",
             f"agent/core/{name}.md", "agent/core/zebra \u202e.md", f"context/.{name}/x.md"]  # fmt: skip
    records = [header, *({"kind": "file", "at": at, "text": HOSTILE} for at in files)]
    records += [
        {"kind": HOSTILE},
        {"kind": "run", "id": HOSTILE, "status": HOSTILE},
        {"kind": "end"},
    ]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "strange.jsonl").write_text(lines)
    vault = folder / "vault"
    vault.mkdir()
    for ending in (".md", ".png"):
        (vault / f"{name}{ending}").write_text(HOSTILE)
    (vault / f"{name} b.md").write_bytes(b"\xff\xfe")
    return {
        "{bundle}": str(folder / "strange.jsonl"),
        "{vault}": str(vault),
        "{target}": str(folder / f"out{name}"),
    }


def in_terminal(project: Path, *words: str) -> bytes:
    """Run a command with a terminal as its output, and return all it wrote there."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "reverie", "-C", str(project), *words],
        stdin=subprocess.DEVNULL, stdout=follower, stderr=follower, cwd=project,
    )  # fmt: skip
    os.close(follower)
    said = b""
    try:
        while part := os.read(leader, 65536):
            said += part
    except OSError:  # how a terminal says that nobody writes any more
        pass
    child.wait()
    os.close(leader)
    return said


COMMANDS = [
    ("search", "zebra"), ("get", "{file}"), ("get", f"none{HOSTILE}"), ("context",), ("context", "--files"),
    ("prompt", "zebra"), ("recall", "zebra"), ("forget", "zebra", "--dry-run"), ("log",), ("blame", "{file}"),
    ("blame", f"none{HOSTILE}"), ("diff", f"none{HOSTILE}"), ("doctor",), ("status",), ("stats",),
    ("config", "list"), ("config", "get", f"none{HOSTILE}"), ("notes", "list"),
    ("notes", "show", f"none{HOSTILE}"),
    ("working", "show"),
    ("history", "list"),
    ("history", "show", "1"), ("verify",),
    ("remember", f"a zebra {HOSTILE}", "--dry-run"),
    (f"no{HOSTILE}",), ("search", f"--no{HOSTILE}"), ("undo", f"none{HOSTILE}"), ("index", f"none{HOSTILE}"),
    ("import", f"none{HOSTILE}"), ("save", f"zebra {HOSTILE}", "--scope", "project", "--dry-run"),
    ("cognition", "status"), ("trust",), ("--json", "search", "zebra"), ("--json", "get", f"none{HOSTILE}"),
    ("import", "{bundle}"), ("import", "{bundle}", "--allow", "core", "--allow", "context"), ("pending",),
    ("import", "{vault}", "--from", "obsidian"), ("import", "{vault}", "--as", "topics"),
    ("export", "{target}"), ("export", "{target}"),
    ("install", "claude-code", "--scope", "project", "--dry-run"),
    ("extract", f"none{HOSTILE}"), ("dream", "--dry-run"), ("--home", f"/nowhere{HOSTILE}", "status"),
]  # fmt: skip


@pytest.mark.slow
def test_no_command_lets_a_terminal_obey_what_others_wrote(hostile, tmp_path) -> None:
    project, _, file = hostile
    places = {"{file}": file, **strangers(tmp_path)}
    wrong = []
    for command in COMMANDS:
        words = [places.get(word, word) for word in command]
        said = OWN.sub("", in_terminal(project, *words).decode("utf-8", "replace"))
        if re.search(
            "[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]", said
        ):
            wrong.append((command, said[:300]))
        assert said.strip() or command[0] in ("prompt",), command
        assert "Traceback" not in said, said
    assert wrong == []


def test_data_goes_into_a_pipe_byte_for_byte_and_other_words_do_not(hostile) -> None:
    project, _, file = hostile

    def piped(*words: str) -> bytes:
        done = subprocess.run(
            [sys.executable, "-m", "reverie", "-C", str(project), *words],
            stdin=subprocess.DEVNULL, capture_output=True, cwd=project, check=False,
        )  # fmt: skip
        return done.stdout

    assert piped("get", file).rstrip(b"\n") == Path(file).read_bytes().rstrip(b"\n")
    assert HOSTILE.encode() in piped("context")
    found = piped("search", "zebra")
    assert b"zebra" in found
    assert b"\x1b" not in found
    assert "\u202e".encode() not in found
