"""Resources: the catalogs, the topics and the context, as addresses a client can read.

Rules
- A topic is addressed by its scope and path and found among the topics that memory lists, never by
  opening a path: an address cannot lead outside of memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from reverie.core.showing.marks import disarmed, one_line
from reverie.errors import NotFound, TopicNotFound
from reverie.types import Scope

if TYPE_CHECKING:
    from reverie.memory import Memory
    from reverie.types import Topic

CATALOG = "reverie://catalog/"
TOPICS = "reverie://topics/"
CONTEXT = "reverie://context"
CATALOG_TEMPLATE = "reverie://catalog/{scope}"
TOPIC_TEMPLATE = "reverie://topics/{scope}/{+path}"
PAGE = 100


@dataclass(frozen=True, slots=True)
class Listed:
    """One resource in a list."""

    uri: str
    name: str
    about: str
    updated: str = ""


def topic_uri(topic: Topic) -> str:
    """Return the address of a topic."""
    return f"{TOPICS}{topic.scope.value}/{quote(topic.rel)}"


def listed(memory: Memory, *, after: int = 0) -> tuple[list[Listed], int]:
    """Return one page of the resources, and where the next begins (0: there is none)."""
    found = [
        Listed(CONTEXT, "context", "The context files that apply here, imports expanded."),
        Listed(f"{CATALOG}user", "catalog/user", "What is remembered about the person."),
        Listed(f"{CATALOG}project", "catalog/project", "What is remembered about this project."),
    ]
    for topic in sorted(memory.store.topics(), key=lambda item: (item.scope.value, item.rel)):
        when = topic.updated.isoformat() if topic.updated else ""
        about = one_line(topic.description)
        found.append(Listed(topic_uri(topic), one_line(topic.name), about, when))
    end = after + PAGE
    return found[after:end], end if end < len(found) else 0


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
    if argument == "scope":
        return [item.value for item in Scope if item.value.startswith(begun)]
    if argument != "path":
        return []
    chosen = Scope(scope) if scope in {item.value for item in Scope} else None
    names = sorted({item.rel for item in memory.store.topics(chosen)})
    return [name for name in names if name.startswith(begun)]


def versions(memory: Memory, *, context: bool) -> dict[str, object]:
    """Return every resource with something that changes when it does; the context if asked for."""
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
    try:
        return Scope(name)
    except ValueError:
        raise NotFound(f"{uri!r} names no scope; there are user and project") from None
