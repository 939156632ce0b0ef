"""The tools of the full surface: move, save, context, notes, log, undo, history."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reverie.core.history.turns import as_messages, map_shown, render
from reverie.core.showing.fence import fence
from reverie.core.showing.marks import disarmed
from reverie.errors import InvalidArgument
from reverie.mcp.shapes import array, record, record_of, wire
from reverie.mcp.tool import Result, Tool, choice, count, flag, takes, text
from reverie.mcp.tools import FLAG, TEXT, TOOLS
from reverie.types import (
    Applied,
    Context,
    ContextFile,
    Moved,
    Note,
    Origin,
    RunRecord,
    Saved,
    Skipped,
)

if TYPE_CHECKING:
    from reverie.mcp.caller import Caller
    from reverie.memory import Memory
    from reverie.verbs.layers.notes import Noted

_MOVED = ("path", "entry", "scope", "kind", "name", "run")
_SAVED = ("scope", "path", "fact", "run")
_CONTEXT = ("text", "diagnostics", "dropped", "format", "trusted", "tokens")
_FILE = ("path", "shown", "source", "tokens")
_NOTE = ("id", "title", "rel", "created", "tags")
_RUN = (
    "id", "at", "verb", "status", "paths", "session", "origin", "client", "note", "undoes",
    "undone_by",
)  # fmt: skip
_MAX_LISTED = 200


def _save(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    done = memory.save(
        arguments["fact"],
        scope=arguments["scope"],
        dry_run=arguments.get("dryRun", False),
        origin=Origin.AGENT,
    )
    if isinstance(done, Skipped):
        data = {"status": "skipped", "reason": done.reason, "message": done.message}
        return Result(data, disarmed(f"Nothing was written: {done.message}."))
    status = "saved" if done.run else "planned"
    data = {"status": status, "reason": "", "message": "", **wire(done, *_SAVED)}
    said = f"Saved to {done.path} (run {done.run})." if done.run else f"Would go to {done.path}."
    return Result(data, disarmed(said), run=done.run)


def _move(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    done = memory.move(arguments["id"], to=arguments["to"], dry_run=arguments.get("dryRun", False))
    if isinstance(done, Skipped):
        data = {"status": "skipped", "reason": done.reason, "message": done.message}
        return Result(data, disarmed(f"Nothing was moved: {done.message}."))
    status = "saved" if done.run else "planned"
    data = {"status": status, "reason": "", "message": "", **wire(done, *_MOVED)}
    return Result(data, disarmed(f"{done.summary}\n{done.path}"), run=done.run)


def _context(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    found = memory.context(format=arguments.get("format"))
    data = {**wire(found, *_CONTEXT), "files": [wire(item, *_FILE) for item in found.files]}
    return Result(data, disarmed(found.text) or "There are no context files here.")


def _notes(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    layers, action = memory.layers, arguments.get("action", "list")
    dry_run = arguments.get("dryRun", False)
    match action:
        case "list":
            listed = layers.notes(folder=arguments.get("folder", ""), tag=arguments.get("tag", ""))
            return _note_list(listed.notes)
        case "show":
            shown = layers.note(_needed(arguments, "name", action))
            data: dict[str, Any] = {
                "status": "read",
                "notes": [wire(shown.note, *_NOTE)],
                "text": shown.note.text,
                "links": [item.rel for item in shown.links],
                "backlinks": [item.rel for item in shown.backlinks],
            }
            return Result(data, fence(disarmed(shown.note.text)))
        case "add":
            body = _needed(arguments, "text", action)
            return _noted(
                layers.add_note(
                    body,
                    title=arguments.get("title", ""),
                    tags=arguments.get("tags", ()),
                    origin=Origin.AGENT,
                    dry_run=dry_run,
                )
            )
        case "link":
            name, target = (_needed(arguments, key, action) for key in ("name", "target"))
            why = arguments.get("why", "")
            return _noted(layers.link_notes(name, target, why=why, dry_run=dry_run))
        case "accept":
            return _noted(layers.accept_note(_needed(arguments, "name", action), dry_run=dry_run))
    raise InvalidArgument(f"there is no action {action!r}")


def _needed(arguments: dict[str, Any], name: str, action: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidArgument(f"notes with action {action} needs the argument {name}")
    return value


def _note_list(notes: Iterable[Note]) -> Result:
    found = [wire(item, *_NOTE) for item in notes]
    lines = [f"{item['rel']}: {item['title']}" for item in found]
    said = fence(disarmed("\n".join(lines))) if lines else "There are no notes."
    return Result({"status": "read", "notes": found}, said)


def _noted(done: Noted | Skipped) -> Result:
    if isinstance(done, Skipped):
        data = {"status": "skipped", "notes": [], "reason": done.reason, "message": done.message}
        return Result(data, disarmed(f"Nothing was written: {done.message or done.reason}."))
    status = "written" if done.run else "planned"
    data = {"status": status, "notes": [], "id": done.id, "path": done.path, "run": done.run}
    did = "Written" if done.run else "Would be written"
    return Result(data, disarmed(f"{did}: {done.title} ({done.path})"), run=done.run)


def _log(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    runs = memory.log(limit=arguments.get("limit", 20), path=arguments.get("path"))
    data = {"runs": [wire(item, *_RUN) for item in runs]}
    lines = [
        f"{run.id}  {run.at:%Y-%m-%d %H:%M}  {run.verb}  {run.note}".rstrip()
        + (f"  (undone by {run.undone_by})" if run.undone_by else "")
        for run in runs
    ]
    return Result(data, disarmed("\n".join(lines)) or "Nothing was written yet.")


def _undo(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    run = arguments["run"]
    if arguments.get("dryRun"):
        shown = memory.diff(run, reverse=True)
        data = {"run": "", "paths": [], "dryRun": True, "diff": shown}
        return Result(data, fence(disarmed(shown)) if shown else "That run changed nothing.")
    done = memory.undo(run)
    data = {**wire(done, "run", "paths"), "dryRun": False}
    said = f"Taken back; {len(done.paths)} files restored (run {done.run})."
    return Result(data, said if done.run else "There was nothing left to undo.", run=done.run)


def _history(memory: Memory, arguments: dict[str, Any], caller: Caller) -> Result:
    if arguments.get("action", "recent") == "append":
        messages = arguments.get("messages")
        if not messages:
            raise InvalidArgument("history with action append needs messages")
        from reverie.core.learning.chat_logs import read_exchange

        exchange = read_exchange(json.dumps(messages))
        done = memory.layers.append(exchange, session=arguments.get("session") or caller.session)
        turns = [{"seq": turn.seq, "id": turn.id, "messages": []} for turn in done.turns]
        return Result({"turns": turns}, f"Appended {len(turns)} turn.")
    found = memory.layers.replay(arguments.get("limit", 10), everything=True)
    turns = [
        {
            "seq": turn.seq,
            "id": turn.id,
            "session": turn.session,
            "messages": [
                {"role": message.role, "text": message.text} for message in as_messages(turn)
            ],
        }
        for turn in found.turns
    ]
    shown = "\n\n".join(render(map_shown(turn, disarmed)) for turn in found.turns)
    return Result({"turns": turns}, fence(shown) if shown else "No turns were kept yet.")


_STATUS = {"status": TEXT, "reason": TEXT, "message": TEXT}
_ROLES = ("user", "assistant", "system", "tool")
_MESSAGE = {
    "type": "object",
    "properties": {
        "role": {"type": "string", "enum": list(_ROLES)},
        "content": {"type": "string"},
    },
    "required": ["role", "content"],
}

MORE: tuple[Tool, ...] = (
    Tool(
        "move",
        "Move a memory",
        "Moves a memory to the person (every project) or to this project, with all that belongs to it.",
        takes(
            {
                "id": text("Id of the memory.", minLength=1, maxLength=500),
                "to": choice("user: every project; project: this one.", "user", "project"),
            },
            {"dryRun": flag("Only show where it would go.")},
        ),
        record(_STATUS, record_of(Moved, *_MOVED)["properties"]),
        _move,
        idempotent=True,
    ),
    Tool(
        "save",
        "Save a rule",
        "Adds one line to a context file (AGENTS.md and the like) that is loaded in every conversation."
        " For standing rules the user wants followed; use remember for everything else.",
        takes(
            {
                "fact": text("The rule, in one sentence.", minLength=1),
                "scope": choice("global: every project; project: this one.", "global", "project"),
            },
            {"dryRun": flag("Only show where it would go.")},
        ),
        record(_STATUS, record_of(Saved, *_SAVED)["properties"]),
        _save,
        idempotent=True,
    ),
    Tool(
        "context",
        "Context files",
        "Returns the context files that apply in this folder, imports expanded.",
        takes({}, {"format": choice("How imports are shown.", "tree", "flat")}),
        record(
            {
                **record_of(Context, *_CONTEXT)["properties"],
                "files": array(record_of(ContextFile, *_FILE)),
            }
        ),
        _context,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        "notes",
        "Notebook",
        "Your own notebook of linked notes: list, show, add, link two notes, accept one from the inbox.",
        takes(
            {},
            {
                "action": choice(
                    "What to do.", "list", "show", "add", "link", "accept", default="list"
                ),
                "name": text("Which note: its id, title or path."),
                "text": text("The new note."),
                "title": text("Title of the new note.", maxLength=200),
                "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
                "target": text("Which note to link to."),
                "why": text("Why they belong together.", maxLength=1000),
                "folder": choice("List only this part.", "inbox", "zettel", "maps"),
                "tag": text("List only notes with this tag."),
                "dryRun": flag("Only show what would change."),
            },
        ),
        record(
            {"status": TEXT, "notes": array(record_of(Note, *_NOTE))},
            {
                "text": TEXT,
                "links": array(TEXT),
                "backlinks": array(TEXT),
                "id": TEXT,
                "path": TEXT,
                "run": TEXT,
                "reason": TEXT,
                "message": TEXT,
            },
        ),
        _notes,
    ),
    Tool(
        "log",
        "Journal",
        "Lists what was written to memory, newest first, with who wrote it; each run can be undone.",
        takes(
            {},
            {
                "limit": count("How many runs.", default=20, high=_MAX_LISTED),
                "path": text("Only runs that touched this file."),
            },
        ),
        record({"runs": array(record_of(RunRecord, *_RUN))}),
        _log,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        "undo",
        "Undo",
        "Takes one run of the journal back. The undo is itself a run, so it can be undone too.",
        takes(
            {"run": text("Id of the run, from log.", minLength=1)},
            {"dryRun": flag("Only show what would change back.")},
        ),
        record(
            {**record_of(Applied, "run", "paths")["properties"], "dryRun": FLAG}, {"diff": TEXT}
        ),
        _undo,
        destructive=True,
    ),
    Tool(
        "history",
        "Conversation history",
        "Returns the last turns of past conversations, or appends one finished exchange.",
        takes(
            {},
            {
                "action": choice("What to do.", "recent", "append", default="recent"),
                "limit": count("How many turns.", default=10, high=_MAX_LISTED),
                "messages": {
                    "type": "array",
                    "items": _MESSAGE,
                    "maxItems": _MAX_LISTED,
                    "description": "The exchange to append, oldest message first.",
                },
                "session": text("Which conversation it belongs to.", maxLength=200),
            },
        ),
        record(
            {
                "turns": array(
                    record(
                        {
                            "seq": {"type": "integer"},
                            "id": TEXT,
                            "messages": array(record({"role": TEXT, "text": TEXT})),
                        },
                        {"session": TEXT},
                    )
                )
            }
        ),
        _history,
    ),
)

SURFACES = {"default": TOOLS, "full": (*TOOLS, *MORE)}
"""Which tools are offered under which name."""
