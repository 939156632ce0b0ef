"""Looking and dry runs write nothing: every command of the table, and what is left on the disk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from psycopg import sql

from reverie.cli import root
from reverie.cli import run as reverie
from reverie.memory import Memory
from reverie.models.embedders import CHOICE
from reverie.types import TextPart, TurnMessage
from tests.server import Server

LOOKS: dict[str, list[str]] = {
    "blame": ["{path}"],
    "cognition run": ["working --dry-run", "--dry-run"],
    "cognition status": [""],
    "config get": ["memory.enabled"],
    "config list": [""],
    "config set": ["memory.enabled false --dry-run"],
    "context": ["", "--format flat"],
    "context archive": ["--dry-run", "--scope global --dry-run"],
    "diff": ["{run}"],
    "doctor": ["", "memory"],
    "dream": ["--dry-run"],
    "embedder list": [""],
    "embedder status": [""],
    "embedder use": ["embedded --dry-run"],
    "export": ["{target} --with-journal", "{target} --to jsonl", "{target} --to git"],
    "extract": ["--session s {chat} --dry-run"],
    "forget": [
        "tea --dry-run",
        "tea --erase --dry-run",
        "tea --erase --everywhere --dry-run",
    ],
    "get": ["user/{topic}"],
    "heard": [""],
    "heard drop": ["1 --dry-run"],
    "heard keep": ["1 --dry-run"],
    "heard keep-all": ["--dry-run"],
    "history append": ["--user hello --assistant hi --dry-run"],
    "history import": ["{chat} --dry-run"],
    "history list": [""],
    "history replay": [""],
    "history show": ["1"],
    "import": ["{vault} --from markdown --dry-run", "{bundle} --allow core --dry-run"],
    "index": ["--dry-run", "--rebuild --dry-run"],
    "init": ["--dry-run"],
    "install": ["claude-code --dry-run", "codex --scope project --dry-run"],
    "log": ["", "--events", "--usage"],
    "move": ["user/{topic} --to project --dry-run"],
    "notes add": ["something --dry-run"],
    "notes link": ["first second --dry-run"],
    "notes list": [""],
    "notes map": ["", "plans --add first --dry-run"],
    "notes review": ["", "--accept first --dry-run"],
    "notes show": ["first"],
    "pending": ["", "--all --approve --dry-run", "--all --discard --dry-run"],
    "prompt": ["", "tea"],
    "recall": ["tea"],
    "remember": ["coffee --dry-run", "tea --dry-run", "x --kind user --clean --dry-run"],
    "save": ["fact --scope project --dry-run", "fact --scope global --dry-run"],
    "search": ["tea"],
    "serve": ["--install --dry-run"],
    "stats": [""],
    "status": [""],
    "trust": ["--show", "--dry-run", "--no --dry-run"],
    "undo": ["{run} --dry-run"],
    "uninstall": ["claude-code --dry-run"],
    "update": ["user/{topic}:1 something --dry-run"],
    "verify": [""],
    "working": [""],
    "working check": ["it --dry-run"],
    "working context": ["it --dry-run"],
    "working done": ["it --dry-run"],
    "working drop": ["tasks 1 --dry-run"],
    "working priority": ["it --dry-run"],
    "working progress": ["it --dry-run"],
    "working show": [""],
    "working task": ["it --dry-run"],
    "working thread": ["it --dry-run"],
}
"""Every way of a command that must not write."""

OTHERWISE = {
    "bench": "measures in folders of its own",
    "demo": "plays in a temporary home",
    "eval meaning": "measures in folders of its own",
    "eval retrieval": "measures in folders of its own",
    "eval truth": "measures in folders of its own",
    "eval year": "measures in folders of its own",
    "hook": "writes what an agent's events bring",
    "mcp": "serves until it is stopped",
    "page": "asks a daemon",
    "postgres migrate": "tends a database",
    "postgres quota": "tends a database",
    "postgres move-tenant": "tends a database",
    "postgres remove-tenant": "tends a database",
    "postgres server add": "tends a database",
    "postgres server list": "tends a database",
    "postgres server remove": "tends a database",
    "postgres service-role": "tends a database",
    "postgres tenants": "tends a database",
    "postgres token create": "tends a database",
    "postgres token list": "tends a database",
    "postgres token revoke": "tends a database",
    "postgres token rotate": "tends a database",
    "postgres tune": "tends a database",
    "watch": "keeps the index up to date until it is stopped",
}
"""Commands that have no way to look only, or keep nothing of ours, each with the reason."""

NOTED = ("events.jsonl", "recalls.jsonl", "usage.jsonl")
"""Logs in which looking may leave a line of numbers."""
DERIVED = ("home/state/index/", "home/state/recall/")
"""What search and recall keep of the files, and bring up to date when they look."""
ABOUT_FILES = {"config get", "config list", "config set", "install", "serve", "status", "uninstall"}
"""Commands about the files of this machine, whatever the memory is kept in."""
NOT_FOUND = 4


def commands(group: click.Group = root, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """Return every command by its words; a group that does something by itself is one too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        words = f"{above} {name}".strip()
        if isinstance(command, click.Group):
            yield from commands(command, words)
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield words, command


def test_every_command_is_either_tried_or_left_out_for_a_reason():
    names = {words for words, _ in commands()}
    assert names - LOOKS.keys() - OTHERWISE.keys() == set()
    assert (LOOKS.keys() | OTHERWISE.keys()) - names == set()


def test_every_dry_run_is_tried():
    dry = {
        words
        for words, command in commands()
        if any("--dry-run" in option.opts for option in command.params)
    }
    tried = {words for words, ways in LOOKS.items() if any("--dry-run" in way for way in ways)}
    assert dry == tried


def rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of a database."""
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in sorted(tables)}  # noqa: S608
    finally:
        db.close()


def disk(*roots: Path) -> dict[str, object]:
    """Return what is on the disk: each file with its bytes and when it was written, databases by rows."""
    found: dict[str, object] = {}
    for top in roots:
        for path in sorted(top.rglob("*")):
            if path.name.endswith((".lock", "-wal", "-shm", "-journal")) or not path.is_file():
                continue
            data = path.read_bytes()
            is_database = data.startswith(b"SQLite format 3")
            found[str(path)] = rows(path) if is_database else (data, path.stat().st_mtime_ns)
    return found


def table_rows(server: Server) -> dict[str, object]:
    """Return every row of the service's tables, each with the transaction that wrote it."""
    with server.as_owner() as db:
        names = db.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'reverie' ORDER BY tablename"
        )
        return {
            name: db.execute(
                sql.SQL("SELECT xmin::text, t::text FROM reverie.{} t ORDER BY 2").format(
                    sql.Identifier(name)
                )
            ).fetchall()
            for (name,) in names.fetchall()
        }


def live_in(folder: Path, env: dict[str, str]) -> dict[str, str]:
    """Use a memory for a while; return what commands can name."""
    project, home = folder / "project", folder / "home"
    (project / ".git").mkdir(parents=True)
    (project / "AGENTS.md").write_text("# Rules\n\nBe kind.\n")
    environment = {"HOME": str(folder), CHOICE: "embedded", **env}
    with Memory.open(project, home=home, env=environment) as memory:
        memory.initialise()
        kept = memory.remember("I like tea", clean=True)
        memory.remember("I like tea.", clean=True)
        memory.extract([{"role": "user", "content": "My sister lives near Ghent."}], session="s0")
        memory.save("a fact", scope="global")
        memory.layers.add_note("first words", title="first")
        memory.layers.add_note("second words", title="second")
        memory.layers.change_working("add", "tasks", "it")
        said = [TurnMessage(role, (TextPart("hello"),)) for role in ("user", "assistant")]
        memory.layers.append(said)
    path = Path(kept.path)
    if path.exists():
        path.write_text(path.read_text() + "\n- by hand\n")  # what a person edited must not matter
    with Memory.open(project, home=home, env=environment) as memory:
        memory.prompt("tea")  # whatever is derived from memory is made once, by whoever looks first
        memory.search("tea")
    chat = {"role": "user", "content": "I prefer tabs over spaces in Go."}
    (folder / "chat.jsonl").write_text(json.dumps(chat))
    (folder / "vault").mkdir()
    (folder / "vault" / "note.md").write_text("# Note\n\nfrom elsewhere\n")
    bundle = [
        {"kind": "reverie", "version": 1, "exported_at": "2026-05-01T12:00:00Z"},
        {"kind": "file", "at": "agent/core/AGENT.md", "text": "I am somebody else.\n"},
        {"kind": "end"},
    ]
    (folder / "bundle.jsonl").write_text("\n".join(map(json.dumps, bundle)))
    return {
        "folder": str(folder),
        "path": kept.path,
        "run": kept.run,
        "topic": path.name,
        "chat": str(folder / "chat.jsonl"),
        "vault": str(folder / "vault"),
        "bundle": str(folder / "bundle.jsonl"),
    }


def command_line(words: str, way: str, names: dict[str, str], target: Path) -> list[str]:
    place = ["--home", f"{names['folder']}/home", "-C", f"{names['folder']}/project", "--json"]
    given = (word.format(**names, target=target) for word in way.split())
    return [*place, *words.split(), *given]


WAYS = [(words, way) for words, ways in LOOKS.items() for way in ways]


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the names of a memory in files."""
    return live_in(tmp_path_factory.mktemp("lived-in"), {})


@pytest.mark.parametrize(("words", "way"), WAYS)
def test_looking_and_dry_runs_leave_the_disk_as_it_was(
    words, way, lived_in, tmp_path, monkeypatch, capsys
):
    folder = Path(lived_in["folder"])
    monkeypatch.setenv("HOME", str(folder))
    before = disk(folder)
    done = reverie(command_line(words, way, lived_in, tmp_path / "out"))
    assert done in (0, 1, NOT_FOUND), capsys.readouterr().err
    after = disk(folder)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    if "--dry-run" not in way:
        changed = {
            path
            for path in changed
            if not path.endswith(NOTED) and not any(part in path for part in DERIVED)
        }
    assert changed == set()


@pytest.fixture(scope="module")
def in_rows(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the names of a memory in PostgreSQL, and its environment."""
    env = {
        "REVERIE_ENGINE": server.app,
        "REVERIE_ENGINE__TENANT": server.tenant(),
        "REVERIE_ENGINE__USER": "ann",
        "REVERIE_ENGINE__PROJECT": "web",
    }
    return {"env": env, "names": live_in(tmp_path_factory.mktemp("in-rows"), env)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "way"), [(words, way) for words, way in WAYS if words not in ABOUT_FILES]
)
def test_looking_and_dry_runs_leave_every_row_as_it_was(
    words, way, in_rows, server, tmp_path, monkeypatch, capsys
):
    for name, value in in_rows["env"].items():
        monkeypatch.setenv(name, value)
    before = table_rows(server)
    done = reverie(command_line(words, way, in_rows["names"], tmp_path / "out"))
    assert done in (0, 1, NOT_FOUND), capsys.readouterr().err
    after = table_rows(server)
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= (set() if "--dry-run" in way else {"log"})
