"""Words planted through the real verbs in every place of a memory, and a search through all its bytes."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from reverie.adapters.logs import Log
from reverie.adapters.memory_folder import MemoryFolder
from reverie.adapters.records import Records
from reverie.core.layers.tree import FACTS
from reverie.core.text.plain import digest
from reverie.local.tasks.queue_file import TaskDb
from reverie.memory import Memory
from reverie.postgres.engine import PostgresEngine
from reverie.postgres.tasks import PgTasks
from reverie.types import Change, RunInfo, Scope, TaskKind, TextPart, ToolCallPart, TurnMessage
from reverie.types.tasks import LaneLimits
from tests.server import Server

WORD = "quokkaberry"
KEPT = "The office plant is called Fred"
_LIMITS = LaneLimits(pending=9, pending_other=9, records=9, sessions=9)


def plant(memory: Memory) -> None:
    """Put the word wherever a verb can put one."""
    memory.initialise()
    memory.remember(KEPT)
    memory.remember(f"The launch codename is {WORD}", why=f"{WORD} sounds good")
    memory.remember(f"I never eat {WORD} jam", kind="user")
    _rename(memory)
    memory.save(f"The codename is {WORD}", scope="global")
    memory.save(f"The codename is {WORD}", scope="project")
    said = f"Please always write {WORD.title()} with a capital. I prefer {WORD} over plums."
    memory.extract([{"role": "user", "content": said}, _answer("ok")], session=f"s-{WORD}")
    layers = memory.layers
    layers.add_note(f"Met Bob about\n{WORD.upper()}", title=f"About {WORD}", tags=[WORD, "launch"])
    layers.add_note(f"{WORD} is due in May", title="Dates")
    layers.map_notes(f"All of {WORD}", [layers.notes().notes[0].id])
    layers.change_working("add", "Active Tasks", f"Prepare the {WORD} demo")
    facts = memory.store.read(f"{layers.root}/{FACTS}") or ""
    blue = facts.replace("## Confirmed Facts\n", f"## Confirmed Facts\n- {WORD} is blue\n", 1)
    layers.edit(FACTS, blue, base=digest(facts))
    call = ToolCallPart("1", "note", f'{{"text": "a\\n{WORD}"}}')
    asked = TurnMessage("user", (TextPart(f"What is {WORD}? Remember to ask Bob about it."),))
    layers.append([asked, TurnMessage("assistant", (TextPart(f"{WORD}!"), call))], session=WORD)
    layers.import_chat(
        f'{{"role": "user", "content": "old {WORD}"}}\n{{"role": "assistant", "content": "x"}}'
    )
    layers.run_job("working_memory.consolidate")
    layers.tree.write_control("cognition/runs/old.json", {"said": [f"about {WORD}"]})
    Records(memory, "langgraph").put([(("users", WORD), f"{WORD}-key", {WORD: f"a\n{WORD}\nb"})])
    Log(memory, "openai", f"talk-{WORD}").add([{"role": "user", "content": f"{WORD} it is"}])
    head = "---\nname: Scratch\ndescription: Odds and ends\ntype: reference\n---\n\n"
    MemoryFolder(memory).create("/memories/reference/scratch.md", f"{head}{WORD}\n")
    memory.event_log.add("hook_failed", {"error": f"cannot read {WORD}.txt"}, at=memory.clock())
    memory.recall(f"what about {WORD}?")
    memory.index()
    queue(memory, f"Remember {WORD}")


def _rename(memory: Memory) -> None:
    """Give a topic another name and another text: its old ones are in the journal alone."""
    root = memory.workspace.memory_root(Scope.PROJECT)
    old, new = f"{root}/project/{WORD}-plan.md", f"{root}/project/plan.md"
    text = f"---\nname: Plan\ndescription: {WORD}\ntype: project\n---\n\nThe plan is {WORD}.\n"
    memory.store.apply([Change(old, text, None)], RunInfo(verb="test"))
    moved = text.replace(WORD, "secret")
    memory.store.apply([Change(old, None, digest(text)), Change(new, moved, None)], RunInfo("test"))


def _answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def queue(memory: Memory, content: str) -> None:
    """Leave a task waiting, as a daemon would have it."""
    if isinstance(memory.engine, PostgresEngine):
        tasks: Any = PgTasks(
            memory.engine.database,
            memory.engine.place,
            clock=memory.clock,
            limits=_LIMITS,
            holder="d",
            lease_seconds=60.0,
        )
    else:
        path = Path(memory.workspace.state, "tasks.db")
        tasks = TaskDb(path, workspace="w", clock=memory.clock, limits=_LIMITS)
    tasks.accept(TaskKind.REMEMBER, {"content": content})
    tasks.close()


# --- looking --------------------------------------------------------------------------------------


def traces(memory: Memory, word: str = WORD, *, server: Server | None = None) -> list[str]:
    """Say where the word still is: in any byte of any file, any name, any column of any row."""
    if isinstance(memory.engine, PostgresEngine):
        assert server is not None
        return _in_tables(server, memory.engine.place.tenant, word)
    found = [
        f"{root}: {where}"
        for root in (memory.workspace.home, memory.workspace.base)
        for where in _in_files(Path(root), word)
    ]
    with closing(sqlite3.connect(Path(memory.workspace.state, "journal.db"))) as db:
        texts = [zlib.decompress(data) for (data,) in db.execute("SELECT data FROM text")]
    return found + [f"journal: {text[:60]!r}" for text in texts if _holds(text, word)]


def _holds(data: bytes, word: str) -> bool:
    return word.encode() in data.lower()


def _in_files(root: Path, word: str) -> Iterator[str]:
    for place, folders, names in os.walk(root):
        for name in (*folders, *names):
            if word in name.lower():
                yield f"the name {place}/{name}"
        for name in names:
            if _holds(Path(place, name).read_bytes(), word):
                yield f"{place}/{name}"


def _in_tables(server: Server, tenant: str, word: str) -> list[str]:
    return [
        f"{table}: {value!r:.80}"
        for table, rows in rows_of(server, tenant).items()
        for row in rows
        for value in row
        if _holds(_bytes(value), word)
    ]


def rows_of(server: Server, tenant: str) -> dict[str, list[Any]]:
    """Return every row of a tenant, by table."""
    with server.as_owner() as db:
        tables = db.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'reverie'"
            " AND table_name NOT IN ('release', 'server', 'alembic_version')"
        ).fetchall()
        return {
            table: db.execute(
                f"SELECT * FROM reverie.{table} t WHERE tenant = %s ORDER BY t",  # noqa: S608
                (tenant,),
            ).fetchall()
            for (table,) in tables
        }


def files_of(root: Path) -> dict[str, bytes]:
    """Return every file below a folder; locks say only who held them, and logs of SQLite what it read."""
    return {
        str(path): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.name.endswith((".lock", "-wal", "-shm"))
    }


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes | memoryview):
        return str(value).encode("utf-8", "replace")
    data = bytes(value)
    try:
        return data + zlib.decompress(data)
    except zlib.error:
        return data
