"""The eight tools every agent gets: search, get, stats, remember, recall, forget, dream, update.

Rules
- Whatever comes out of memory is fenced as data in the readable answer.
- `forget` removes nothing at the first call: it shows what would go, and a code that stands for
  exactly that. Only the code removes it, and only while memory still says the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reverie.core.dreaming.operations import describe
from reverie.core.search import tools as search_tools
from reverie.core.showing.fence import fence
from reverie.core.showing.marks import disarmed, one_line
from reverie.core.showing.passages import shown_once, without_head
from reverie.core.text.plain import digest
from reverie.errors import InvalidArgument, StaleBase
from reverie.mcp.shapes import Schema, array, record, record_of, schema_of, wire
from reverie.mcp.tool import Result, Tool, choice, count, flag, takes, text
from reverie.types import (
    Dreamed,
    DreamOp,
    Dropped,
    Excerpt,
    Forgotten,
    IndexStats,
    Kind,
    Recalled,
    RecalledTopic,
    Remembered,
    RunInfo,
    Scope,
    SearchOutcome,
    Skipped,
)

if TYPE_CHECKING:
    from reverie.mcp.caller import Caller
    from reverie.memory import Memory

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
_CODE_CHARS = 12
_MAX_IDS = 200
_REMEMBERED = (
    "summary", "action", "path", "entry", "scope", "kind", "name", "run", "similar", "redactions",
    "strategy", "dry_run",
)  # fmt: skip
_TOPIC = (
    "path", "rel", "scope", "kind", "name", "description", "lines", "score", "updated", "truncated",
)  # fmt: skip
_FORGOTTEN = (
    "summary", "removed_entries", "candidates", "touched_topics", "touched_scopes", "run",
    "strategy", "dry_run", "dropped",
)  # fmt: skip
_DREAMED = (
    "ops", "refused", "run", "paths", "touched_topics", "deduped_entries", "probes", "strategy",
    "dry_run",
)  # fmt: skip


# --- search ---------------------------------------------------------------------------------------


_CAME = "came with the repository"


def _searching(name: str, arguments: Mapping[str, Any], memory: Memory) -> dict[str, Any]:
    return search_tools.run(
        name, arguments, search=memory.search, get=memory.get, stats=memory.stats
    )


def _search(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    data = _searching("memory_search", arguments, memory)
    lines = []
    for hit in data["results"]:
        came = _CAME if hit["provenance"] else ""
        title, words = shown_once(hit["title"], hit["text"])
        head = " · ".join(part for part in (title, hit["date"], came) if part)
        lines.append(f"{hit['path']}:{hit['lines']} ({hit['score']:.2f}) {head}".rstrip())
        lines += [f"    {line}" for line in words.splitlines() if line.strip()]
        for more in hit["passages"]:
            lines.append(f"  also {more['path']}:{more['lines']}")
            words = without_head(more["text"])
            lines += [f"    {line}" for line in words.splitlines() if line.strip()]
    parts = (
        [fence(disarmed("\n".join(lines)))] if lines else ["Nothing found; say that you looked.\n"]
    )
    if data["totalFound"] > len(data["results"]):
        parts.append(f"{len(data['results'])} of {data['totalFound']} shown.\n")
    parts += [f"Warning: {one_line(item)}\n" for item in data["warnings"]]
    return Result(data, "".join(parts))


def _get(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    data = _searching("memory_get", arguments, memory)
    if not data["found"]:
        return Result(
            data,
            f"There is nothing at {one_line(data['path'])}; memory_search finds what there is.",
        )
    came = f" · {_CAME}" if data["provenance"] else ""
    place = f"{one_line(data['path'])}:{data['lines']}"
    where = f"{place} of {data['totalLines']} lines{came}\n"
    return Result(data, where + fence(disarmed(data["text"])))


def _stats(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    data = _searching("memory_stats", arguments, memory)
    sources = ", ".join(data["sources"]) or "none"
    said = f"{data['totalFiles']} files in {data['totalChunks']} chunks; sources: {sources}"
    lines = [f"{said}; indexed {data['lastIndexed'] or 'never'}."]
    lines += [f"left out: {item['path']}: {item['message']}" for item in data["problems"]]
    return Result(data, disarmed("\n".join(lines)))


_SEARCH_RUNS = {"memory_search": _search, "memory_get": _get, "memory_stats": _stats}
_SEARCH_GIVES = {
    "memory_search": SearchOutcome,
    "memory_get": Excerpt,
    "memory_stats": IndexStats,
}


def _search_tool(known: Mapping[str, Any]) -> Tool:
    name = str(known["name"])
    return Tool(
        name,
        known["title"],
        known["description"],
        known["inputSchema"],
        schema_of(_SEARCH_GIVES[name]),
        _SEARCH_RUNS[name],
        read_only=True,
        idempotent=True,
        slow=name == "memory_search",  # the first one makes the index
    )


# --- remember and recall --------------------------------------------------------------------------


def _remember(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    done = memory.remember(
        arguments["text"],
        scope=arguments.get("scope"),
        kind=arguments.get("kind"),
        name=arguments.get("name"),
        why=arguments.get("why"),
        how=arguments.get("how"),
        replaces=arguments.get("replaces"),
        dry_run=arguments.get("dryRun", False),
        info=RunInfo(verb="remember"),
    )
    return _remembered(done)


def _remembered(done: Remembered) -> Result:
    lines = [done.summary, f"{done.scope.value}/{done.kind.value}: {done.path}"]
    if len(done.similar) > 1:
        lines.append(f"Sounds similar, left alone: {', '.join(done.similar)}")
    lines += [f"Replaced by a placeholder: {item.rule}" for item in done.redactions]
    if done.run:
        lines.append(f"Run {done.run}; `reverie undo {done.run}` takes it back.")
    return Result(wire(done, *_REMEMBERED), disarmed("\n".join(lines)), run=done.run)


def _update(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    done = memory.update(
        arguments["id"],
        arguments["text"],
        why=arguments.get("why"),
        how=arguments.get("how"),
        dry_run=arguments.get("dryRun", False),
    )
    return _remembered(done)


def _recall(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    found = memory.recall(arguments["query"], limit=arguments.get("limit"), wait=True)
    topics = [wire(item, *_TOPIC) for item in found.topics]
    data = {**wire(found, "strategy", "block", "scanned", "dropped"), "topics": topics}
    if not (memory.settings.memory.enabled and memory.settings.recall.enabled):
        data["disabled"] = True
        data["warning"] = "Recall is switched off here, so nothing was looked for."
        data["action"] = (
            "Ask the user to run `reverie config set memory.enabled true` and"
            " `reverie config set recall.enabled true`."
        )
        return Result(data, f"{data['warning']} {data['action']}")
    return Result(data, found.block or "Nothing in memory is relevant to this.")


# --- forget ---------------------------------------------------------------------------------------


def _forget(memory: Memory, arguments: dict[str, Any], _: Caller) -> Result:
    query, ids, code = (arguments.get(name) for name in ("query", "ids", "confirm"))
    if not ids and not (query or "").strip():
        raise InvalidArgument("say what to forget: query, or the ids of entries")
    if code and not ids:
        raise InvalidArgument("with confirm, name the ids that the preview showed")
    erase = arguments.get("erase", False)
    plan = memory.forget(
        query or "", ids=ids, limit=arguments.get("limit"), erase=erase, dry_run=True
    )
    expected = _code(plan, erase=erase)
    if not code or arguments.get("dryRun"):
        return _preview(plan, expected, erase=erase)
    if code != expected:
        raise StaleBase(
            "these entries are no longer what the preview showed, so nothing was removed; call"
            " forget with the query again and look at what it shows"
        )
    chosen = [item.id for item in plan.removed_entries]
    done = memory.forget(ids=chosen, erase=erase, info=RunInfo(verb="forget"))
    data = {**wire(done, *_FORGOTTEN), "confirm": "", "erased": erase}
    undo = "" if erase else f" `reverie undo {done.run}` brings it back."
    left = "".join(f"\nRemains: {item.what}: {item.reason}" for item in done.left)
    return Result(data, disarmed(f"{done.summary}{undo}{left}"), run=done.run)


def _preview(plan: Forgotten, code: str, *, erase: bool) -> Result:
    found = plan.removed_entries
    data = {**wire(plan, *_FORGOTTEN), "confirm": code if found else "", "erased": False}
    lines = [f"{item.id}: {item.summary}" for item in found]
    parts = [fence(disarmed("\n".join(lines)))] if lines else []
    near = [f"{item.id}: {item.summary}" for item in plan.candidates]
    if near:
        parts += ["Near misses, not included (name an id to include it):\n"]
        parts += [fence(disarmed("\n".join(near)))]
    if not found:
        parts.insert(0, "Nothing clearly matches this. Nothing was removed.\n")
        return Result(data, "".join(parts))
    ids = ", ".join(f'"{one_line(item.id)}"' for item in found)
    warning = " It will be gone from the journal too and cannot be undone." if erase else ""
    again = ', "erase": true' if erase else ""
    parts.insert(0, f"This would be removed; nothing was removed yet.{warning}\n")
    parts.append(
        f"If the user wants this, call forget with"
        f' {{"ids": [{ids}], "confirm": "{code}"{again}}}.\n'
    )
    return Result(data, "".join(parts))


def _code(plan: Forgotten, *, erase: bool) -> str:
    """Stand for exactly these entries with exactly these words, and for erasing them or not."""
    entries = sorted((item.file_path, item.id, item.summary) for item in plan.removed_entries)
    return digest(repr((erase, entries)))[:_CODE_CHARS]


# --- dream ----------------------------------------------------------------------------------------


def _dream(memory: Memory, arguments: dict[str, Any], caller: Caller) -> Result:
    done = memory.dream(
        session=caller.session,
        force=arguments.get("force", False),
        dry_run=arguments.get("dryRun", False),
        cancelled=caller.cancelled,
    )
    if isinstance(done, Skipped):
        action = "Nothing is wrong. To consolidate all the same, call dream with force: true."
        data = {"status": "skipped", "reason": done.reason, "message": done.message}
        said = f"No dream now ({done.reason}): {done.message or done.reason}."
        return Result({**data, "action": action}, disarmed(f"{said} {action}"))
    planned = done.dry_run and bool(done.ops)
    status = "planned" if planned else done.status
    lines = [describe(op) for op in done.ops] or ["There was nothing to consolidate."]
    lines += [f"left alone ({item.reason}): {item.what}" for item in done.refused]
    last = ["Nothing was written."] if planned else []
    if done.run:
        last.append(f"Run {done.run}; `reverie undo {done.run}` takes it back.")
    data = {"status": status, "reason": "", "message": "", **wire(done, *_DREAMED)}
    return Result(data, fence(disarmed("\n".join(lines))) + "\n".join(last), run=done.run)


# --- the table ------------------------------------------------------------------------------------

_SCOPE = choice(
    "user: in every project; project: this one. Chosen from the text if left out.",
    *(item.value for item in Scope),
)
_KIND = choice("Chosen from the text if left out.", *(item.value for item in Kind))
_DRY_RUN = flag("Only show what would change.")
_WARNED = {"disabled": FLAG, "warning": TEXT, "action": TEXT}

TOOLS: tuple[Tool, ...] = (
    *(_search_tool(item) for item in search_tools.TOOLS),
    Tool(
        "remember",
        "Remember",
        "Keeps one lasting fact, preference, decision or correction for later conversations. Call it when"
        " the user asks for it or states something you would need again: one thing a call, a full"
        " sentence, absolute dates, no passwords or keys. A correction replaces: name the old entry in"
        " `replaces`.",
        takes(
            {"text": text("The statement.", minLength=1)},
            {
                "scope": _SCOPE,
                "kind": _KIND,
                "name": text("Short title.", maxLength=200),
                "why": text("Its reason.", maxLength=4000),
                "how": text("When it applies.", maxLength=4000),
                "replaces": text("Id of the entry that no longer holds.", maxLength=500),
                "dryRun": _DRY_RUN,
            },
        ),
        record_of(Remembered, *_REMEMBERED),
        _remember,
        idempotent=True,
    ),
    Tool(
        "recall",
        "Recall",
        "Returns the memories that bear on a request, with their ids, as one block of data. Call it at the"
        " start of a task.",
        takes(
            {"query": text("The request in its own words.", minLength=1)},
            {"limit": count("At most so many.", default=5, high=50)},
        ),
        record(
            {
                "strategy": schema_of(Recalled)["properties"]["strategy"],
                "block": TEXT,
                "scanned": {"type": "integer"},
                "dropped": array(schema_of(Dropped)),
                "topics": array(record_of(RecalledTopic, *_TOPIC)),
            },
            _WARNED,
        ),
        _recall,
        read_only=True,
        idempotent=True,
        slow=True,  # the first one reads the memory
    ),
    Tool(
        "forget",
        "Forget",
        "Removes memories in two steps: with a query it shows which entries are meant and a code, and"
        " removes nothing; if the user agrees, call it with those ids and the code as confirm. erase also"
        " cleans the journal and cannot be undone.",
        takes(
            {},
            {
                "query": text("What to forget."),
                "ids": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": _MAX_IDS,
                    "description": "From the preview.",
                },
                "confirm": text("The preview's code."),
                "erase": flag("From the journal too, for good."),
                "limit": count("At most so many.", default=_MAX_IDS, high=_MAX_IDS),
                "dryRun": _DRY_RUN,
            },
        ),
        record(
            {
                **record_of(Forgotten, *_FORGOTTEN)["properties"],
                "confirm": TEXT,
                "erased": FLAG,
            }
        ),
        _forget,
        destructive=True,
        slow=True,
    ),
    Tool(
        "dream",
        "Dream",
        "Consolidates memory when it is time: merges what says the same, marks what is outdated. Can be"
        " undone.",
        takes({}, {"force": flag("Now."), "dryRun": _DRY_RUN}),
        record(
            {
                "status": {
                    "type": "string",
                    "enum": ["updated", "noop", "planned", "skipped"],
                },
                "reason": TEXT,
                "message": TEXT,
            },
            {
                "action": TEXT,
                **record_of(Dreamed, *_DREAMED, ops=array(schema_of(DreamOp)))["properties"],
            },
        ),
        _dream,
        destructive=True,
        idempotent=True,
        slow=True,
    ),
    Tool(
        "update",
        "Update",
        "Puts a new statement in the place of an entry that no longer holds; the old one is kept with its"
        " last day. Call it when something you know of has changed. remember, recall and forget show ids.",
        takes(
            {
                "id": text("Id of the old entry.", minLength=1, maxLength=500),
                "text": text("What holds now.", minLength=1),
            },
            {
                "why": text("Its reason.", maxLength=4000),
                "how": text("When it applies.", maxLength=4000),
                "dryRun": _DRY_RUN,
            },
        ),
        record_of(Remembered, *_REMEMBERED),
        _update,
        idempotent=True,
    ),
)
