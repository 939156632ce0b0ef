"""Routes of an agent's layers: what is in them, history, notes and their links; and editing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from reverie.core.layers.tree import CORE, SEMANTIC, WORKING, parse_layer_file
from reverie.core.text.plain import digest
from reverie.core.text.words import estimate_tokens
from reverie.daemon.http import schemas
from reverie.daemon.http.endpoint import Call, Endpoint, Param, answer, encoded, query_number
from reverie.daemon.routes.verbs import ASKING, READING, outcome_fields
from reverie.daemon.work.questions import outcome
from reverie.errors import (
    InvalidContent,
    InvalidInput,
    NoteNotFound,
    PathEscape,
    ReverieError,
    SecretRefused,
    StaleBase,
)
from reverie.memory import Memory
from reverie.types import TextPart

if TYPE_CHECKING:
    from reverie.types import Note, Turn

_MAX_TURNS = 200


async def layers(call: Call) -> Response:
    """Show the files of the layers, what each costs in a prompt, and how the jobs stand."""
    return answer(await call.verb(_layers))


def _layers(memory: Memory) -> dict[str, Any]:
    tree, settings = memory.layers.tree, memory.settings.layers
    names = [rel for rel in tree.markdown(CORE) if rel.count("/") == 1]
    prompt = memory.prompt()
    jobs, problems = memory.layers.job_status()
    return {
        "agent": memory.workspace.agent,
        "root": memory.layers.root,
        "files": [
            *(_file(memory, "core", rel, settings.core_limit) for rel in names),
            _file(memory, "working", WORKING, settings.working_limit),
            *(_file(memory, "semantic", rel, 0) for rel in SEMANTIC),
        ],
        "prompt": {
            "tokens": prompt.tokens,
            "budget": prompt.budget,
            "parts": [
                {"layer": part.layer, "name": part.name, "tokens": part.tokens}
                for part in prompt.parts
            ],
            "dropped": prompt.dropped,
        },
        "turns": memory.layers.history.count(),
        "jobs": jobs,
        "problems": problems,
    }


def _file(memory: Memory, layer: str, rel: str, limit: int) -> dict[str, Any]:
    wire: dict[str, Any] = {"layer": layer, "rel": rel, "text": "", "base": None, "problem": ""}
    try:
        text = memory.store.read(f"{memory.layers.root}/{rel}")
    except ReverieError as error:  # one file that cannot be read must not hide the others
        text, wire["problem"] = None, str(error)
    if text is not None:
        read = parse_layer_file(rel, text, limit=limit)
        wire |= {
            "text": text,
            "base": digest(text),
            "description": read.description,
            "limit": read.limit,
            "chars": len(read.body),
            "problem": read.problem,
        }
    wire["tokens"] = estimate_tokens(wire["text"])
    return wire


async def edit_layer(call: Call) -> Response:
    """Replace a file of the layers, unless it changed since it was read."""
    fields = await call.fields()
    rel = fields.text("rel", InvalidInput, limit=4096, trim=False)
    text = fields.values.get("text")
    if not isinstance(text, str):
        raise InvalidContent("text is missing")
    encoded(text, "text", InvalidContent)
    base = fields.optional_text("base")
    applied = await call.verb(lambda memory: memory.layers.edit(rel, text, base=base), writes=True)
    _told(call, applied.paths)
    return answer(outcome(applied))


async def history(call: Call) -> Response:
    """Show the turns of the agent's history, newest first."""
    limit = query_number(call, "limit", default=50, low=1, high=_MAX_TURNS)
    before = query_number(call, "before", default=0, low=0, high=10**9 - 1)

    def work(memory: Memory) -> dict[str, Any]:
        found = memory.layers.history.latest(limit, before=before or None)
        return {
            "turns": [_turn(item) for item in reversed(found.turns)],
            "total": memory.layers.history.count(),
            "problems": found.problems,
        }

    return answer(await call.verb(work))


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        "seq": turn.seq,
        "at": turn.created_at,
        "session": turn.session,
        "imported": bool(turn.source),
        "messages": [
            {
                "role": message.role,
                "text": "\n".join(
                    part.text for part in message.parts if isinstance(part, TextPart)
                ),
                "other": sum(not isinstance(part, TextPart) for part in message.parts),
            }
            for message in turn.messages
        ],
    }


async def notes(call: Call) -> Response:
    """List the notes, and who links to whom."""
    return answer(await call.verb(_notes))


def _notes(memory: Memory) -> dict[str, Any]:
    from reverie.core.layers.notes import Notebook

    found = memory.layers.notes()
    book = Notebook(found.notes)
    links = [
        {"from": note.rel, "to": target.rel}
        for note in found.notes
        for target in book.targets(note)
    ]
    review = memory.layers.review_notes()
    return {
        "notes": [_note(item) for item in found.notes],
        "links": links,
        "unread": found.unread,
        "review": {
            "inbox": [item.rel for item in review.inbox],
            "orphans": [item.rel for item in review.orphans],
            "broken": [{"rel": item.rel, "link": link} for item, link in review.broken],
            "unmapped": [item.rel for item in review.unmapped],
            "twins": [[one.rel, other.rel] for one, other in review.twins],
        },
    }


def _note(note: Note) -> dict[str, Any]:
    return {
        "id": note.id,
        "title": note.title,
        "rel": note.rel,
        "created": note.created,
        "tags": note.tags,
    }


async def note(call: Call) -> Response:
    """Show one note with its links in both directions."""
    name = call.request.query_params.get("name", "")
    if not name.strip():
        raise InvalidInput("name is missing: a note's id, title or file")

    def work(memory: Memory) -> dict[str, Any]:
        found = memory.layers.note(name)
        return {
            **_note(found.note),
            "text": found.note.text,
            "base": digest(found.note.text),
            "links": [_note(item) for item in found.links],
            "backlinks": [_note(item) for item in found.backlinks],
        }

    return answer(await call.verb(work))


async def add_note(call: Call) -> Response:
    """Write a new note into the inbox."""
    fields = await call.fields()
    text = fields.text("text", InvalidContent)
    title = fields.optional_text("title") or ""
    done = await call.verb(lambda memory: memory.layers.add_note(text, title=title), writes=True)
    _told(call, (done.path,))
    return answer(outcome(done))


async def accept_note(call: Call) -> Response:
    """File a note from the inbox among the atomic notes."""
    fields = await call.fields()
    name = fields.text("name", InvalidInput, limit=4096)
    done = await call.verb(lambda memory: memory.layers.accept_note(name), writes=True)
    wire = outcome_fields(done)
    if wire.get("path"):
        _told(call, (wire["path"],))
    return answer(wire)


def _told(call: Call, paths: tuple[str, ...]) -> None:
    for path in paths:
        call.hosted.bus.publish("layer_changed", {"scope": "layers", "filePath": path})


_OBJECTS = schemas.array({"type": "object"})
_NAME = {"type": "string", "minLength": 1}
_WRITING = (InvalidContent, SecretRefused, StaleBase, PathEscape)
_NOTED = {"type": "object"}

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET",
        "/workspace/layers",
        layers,
        "Show the agent's layers, tokens per part, and its background jobs",
        schemas.record(
            {"agent": schemas.TEXT, "files": _OBJECTS, "prompt": {"type": "object"},
             "turns": schemas.COUNT, "jobs": _OBJECTS}
        ),
        errors=ASKING,
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/layers/edit",
        edit_layer,
        "Replace a core, working, semantic or note file, unless it changed since it was read",
        schemas.record({"run": schemas.TEXT, "paths": schemas.array(schemas.TEXT)}),
        body=schemas.record(
            {"rel": _NAME, "text": schemas.TEXT}, {"base": schemas.nullable(schemas.TEXT)}
        ),
        errors=(*_WRITING, *READING),
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/history",
        history,
        "Show turns of the agent's history, newest first",
        schemas.record({"turns": _OBJECTS, "total": schemas.COUNT}),
        params=(
            Param(
                "before",
                "Only turns below this number; 0 for the newest.",
                {"type": "integer", "minimum": 0, "maximum": 10**9 - 1, "default": 0},
            ),
            schemas.limit_param(50, _MAX_TURNS),
        ),
        errors=READING,
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/notes",
        notes,
        "List the notes and their links",
        schemas.record({"notes": _OBJECTS, "links": _OBJECTS, "review": {"type": "object"}}),
        errors=READING,
        scoped=True,
    ),
    Endpoint(
        "GET",
        "/workspace/notes/note",
        note,
        "Show one note with its links in both directions",
        schemas.record({"title": schemas.TEXT, "rel": schemas.TEXT, "text": schemas.TEXT}),
        params=(Param("name", "Its id, title or file.", _NAME, required=True),),
        errors=(NoteNotFound, *READING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/notes",
        add_note,
        "Write a new note into the inbox",
        _NOTED,
        body=schemas.record({"text": _NAME}, {"title": schemas.nullable(schemas.TEXT)}),
        errors=(*_WRITING, *READING),
        scoped=True,
    ),
    Endpoint(
        "POST",
        "/workspace/notes/accept",
        accept_note,
        "File a note from the inbox",
        _NOTED,
        body=schemas.record({"name": _NAME}),
        errors=(*_WRITING, NoteNotFound, *READING),
        scoped=True,
    ),
)  # fmt: skip
