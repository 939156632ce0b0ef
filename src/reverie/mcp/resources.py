"""Resources: the catalogs, the topics and the context, as addresses a client can read.

Rules
- A topic is addressed by its scope and path and found among the topics that memory lists, never by
  opening a path: an address cannot lead outside of memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote, unquote
from zlib import crc32

from reverie.core.showing.marks import disarmed, one_line
from reverie.errors import NotFound, TopicNotFound

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.types import Scope, Topic

Row: TypeAlias = tuple[str, str, str, str, str]
"""What a list tells of a topic: scope, path in it, name, description, and when it came to be."""

CATALOG = "reverie://catalog/"
TOPICS = "reverie://topics/"
CONTEXT = "reverie://context"
CATALOG_TEMPLATE = "reverie://catalog/{scope}"
TOPIC_TEMPLATE = "reverie://topics/{scope}/{+path}"
PAGE = 100


_ALWAYS = (
    (CONTEXT, "context", "The context files that apply here, imports expanded."),
    (f"{CATALOG}user", "catalog/user", "What is remembered about the person."),
    (f"{CATALOG}project", "catalog/project", "What is remembered about this project."),
)
MARKDOWN = "text/markdown"


class BadParams(Exception):
    """A request names something that its method does not take."""


def topic_uri(topic: Topic) -> str:
    """Return the address of a topic."""
    return _uri(topic.scope.value, topic.rel)


def _uri(scope: str, rel: str) -> str:
    return f"{TOPICS}{scope}/{quote(rel)}"


def rows_of(memory: Memory) -> list[Row]:
    """Return what a list tells of each topic."""
    return [
        (
            topic.scope.value,
            topic.rel,
            topic.name,
            topic.description,
            topic.updated.isoformat() if topic.updated else "",
        )
        for topic in memory.store.topics()
    ]


def listed(rows: Iterable[Row], cursor: str | None) -> dict[str, Any]:
    """Return one page of the resources."""
    cursor = cursor or "0"
    if not cursor.isdecimal() or len(cursor) > 9:
        raise BadParams(f"{cursor!r} is not a cursor of this list")
    found = [_resource(*item) for item in _ALWAYS]
    found += [
        _resource(_uri(scope, rel), one_line(name), one_line(about), when)
        for scope, rel, name, about, when in sorted(rows)
    ]
    end = int(cursor) + PAGE
    page: dict[str, Any] = {"resources": found[int(cursor) : end]}
    return {**page, "nextCursor": str(end)} if end < len(found) else page


def mark_of(rows: Iterable[Row]) -> str:
    """Stand for the addresses of a list: another list has another mark."""
    names = sorted((scope, rel) for scope, rel, *_ in rows)
    return f"{crc32(repr(names).encode('utf-8', 'surrogatepass')):08x}-{len(names)}"


def _resource(uri: str, name: str, about: str, updated: str = "") -> dict[str, Any]:
    told = {"description": about} if about else {}
    dated = {"annotations": {"lastModified": updated}} if updated else {}
    return {"uri": uri, "name": name, **told, "mimeType": MARKDOWN, **dated}


def read(memory: Memory, uri: str) -> str:
    """Return the text of a resource as an agent may see it, or raise `NotFound`."""
    return disarmed(_stored(memory, uri))


def _stored(memory: Memory, uri: str) -> str:
    if uri == CONTEXT:
        return memory.context().text
    if uri.startswith(CATALOG):
        scope = _scope(uri.removeprefix(CATALOG), uri)
        return memory.store.read(f"{memory.workspace.memory_root(scope)}/MEMORY.md") or ""
    if uri.startswith(TOPICS):
        name, _, rel = uri.removeprefix(TOPICS).partition("/")
        wanted = unquote(rel)
        for topic in memory.store.topics(_scope(name, uri)):
            if topic.rel == wanted:
                return topic.text
        raise TopicNotFound(f"there is no memory at {uri}; resources/list has them all")
    raise NotFound(f"there is no resource {uri!r}; resources/list has them all")


def completions(memory: Memory, argument: str, begun: str, scope: str = "") -> list[str]:
    """Return the values of a template's argument that begin like this."""
    from reverie.types import Scope

    if argument == "scope":
        return [item.value for item in Scope if item.value.startswith(begun)]
    if argument != "path":
        return []
    chosen = Scope(scope) if scope in {item.value for item in Scope} else None
    names = sorted({item.rel for item in memory.store.topics(chosen)})
    return [name for name in names if name.startswith(begun)]


def versions(memory: Memory, *, context: bool) -> dict[str, object]:
    """Return every resource with something that changes when it does; the context if asked for."""
    from reverie.types import Scope

    found: dict[str, object] = {
        topic_uri(topic): (topic.updated, hash(topic.text)) for topic in memory.store.topics()
    }
    for scope in Scope:
        uri = f"{CATALOG}{scope.value}"
        found[uri] = hash(read(memory, uri))
    if context:
        found[CONTEXT] = hash(read(memory, CONTEXT))
    return found


def _scope(name: str, uri: str) -> Scope:
    from reverie.types import Scope

    try:
        return Scope(name)
    except ValueError:
        raise NotFound(f"{uri!r} names no scope; there are user and project") from None
