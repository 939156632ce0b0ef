"""Folders of Markdown: memory folders of agents, basic-memory, Obsidian vaults, plain notes.

Rules
- A file of an agent's memory folder is a topic as it stands; so is its scope, where the folder says.
- A vault goes into the notebook byte for byte, with its folders, so that its wikilinks still lead
  somewhere; or, if asked, its notes become topics, with what a topic needs added to the frontmatter.
- What is no Markdown is listed, not read. A catalog is made anew; words of its own become a topic.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from reverie.config import CatalogSettings
from reverie.core.markdown import frontmatter
from reverie.core.moving.foreign_topics import as_note, as_topic, document
from reverie.core.topics.catalog import render_catalog
from reverie.core.topics.topic import CATALOG_NAME, why_no_topic
from reverie.types import Dropped, Kind, PortableFile, Scope

if TYPE_CHECKING:
    from reverie.ports import Bundle

Shape: TypeAlias = Literal["notes", "topics"]

_FOLDER: Final = re.compile(r"(?:(?P<outer>.*)/)?(?P<kind>memory|memories)/(?P<rel>.+)")


def markdown_names(bundle: Bundle) -> list[str]:
    """Return the Markdown files of a bundle."""
    return [name for name in bundle.names if name.lower().endswith(".md")]


def is_topic(text: str) -> bool:
    """Tell whether a file is a memory as agents write it."""
    return not why_no_topic(text)


def is_basic_memory(text: str) -> bool:
    """Tell whether a file is a note of basic-memory."""
    head = frontmatter.read(text)
    return bool(head and "permalink" in head.values)


def read_vault(
    bundle: Bundle, *, shape: Shape, scope: Scope | None, dropped: list[Dropped]
) -> Iterator[PortableFile]:
    """Read a folder of notes."""
    for name, text in _markdown(bundle, dropped):
        moment = bundle.modified(name)
        if shape == "notes":
            yield as_note(text, name=name, updated=moment)
        else:
            yield as_topic(text, name=name, scope=scope, updated=moment)


def read_memory_folder(
    bundle: Bundle, *, scope: Scope | None, dropped: list[Dropped]
) -> Iterator[PortableFile]:
    """Read the memory folder of an agent, or the base folder that holds such folders."""
    others = _other_projects(bundle)
    for name, text in _markdown(bundle, dropped):
        place = _FOLDER.fullmatch(name)
        inner = place["rel"] if place else name
        said = place["kind"] if place else bundle.root
        found = scope or {"memories": Scope.USER, "memory": Scope.PROJECT}.get(said)
        if others and not place:
            dropped.append(Dropped(name, "it is outside the memory folders"))
        elif place and said == "memory" and len(others) > 1:
            dropped.append(Dropped(name, "there are several projects; import one folder at a time"))
        elif posixpath.basename(inner).lower() == CATALOG_NAME.lower():
            yield from _catalog(text, name=name, scope=found, dropped=dropped)
        else:
            yield as_topic(text, name=inner, scope=found, updated=bundle.modified(name))


def _markdown(bundle: Bundle, dropped: list[Dropped]) -> Iterator[tuple[str, str]]:
    for name in bundle.names:
        if not name.lower().endswith(".md"):
            dropped.append(Dropped(name, "it is not Markdown; attachments are not imported"))
            continue
        text = bundle.text(name)
        if text is not None:
            yield name, text


def _other_projects(bundle: Bundle) -> set[str]:
    """Return the folders above the memory folders that are in a bundle."""
    places = (_FOLDER.fullmatch(name) for name in bundle.names)
    return {place["outer"] or "" for place in places if place and place["kind"] == "memory"}


def _catalog(
    text: str, *, name: str, scope: Scope | None, dropped: list[Dropped]
) -> Iterator[PortableFile]:
    own = render_catalog((), settings=CatalogSettings(), existing=text).text
    said = [line for line in own.splitlines() if line.strip() and not line.startswith("#")]
    if not said:
        dropped.append(Dropped(name, "a catalog is generated from the memories"))
        return
    yield document(
        own,
        name="Notes from the memory catalog",
        source=name,
        kind=Kind.PROJECT if scope is Scope.PROJECT else Kind.USER,
        scope=scope or Scope.USER,
    )
