"""Save: add one fact to a context file, the person's own or the project's.

Rules
- The project's file is the one at the project's root, wherever the caller stands.
- Without a scope nothing is written: the answer names both places.
- A fact that is there already is not added twice. A file that cannot be read is left alone.
- Text that a person edited is written byte for byte.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.config import is_plain_name
from reverie.core.context.hierarchy import context_names, project_names
from reverie.core.markdown.sections import (
    append_fact,
    clean_fact,
    find_section,
    list_items,
    same_fact,
)
from reverie.core.scopes import file_scope, read_scope
from reverie.core.text.plain import digest
from reverie.errors import BadSetting, ContentTooLarge, InvalidContent, InvalidScope
from reverie.types import (
    Change,
    FileDelta,
    Origin,
    Plan,
    RunInfo,
    Saved,
    SavePlace,
    Scope,
    Skipped,
)
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.verbs.verb_context import VerbContext

_SCOPE_LINE = re.compile(r"\ufeff?scope:[ \t]*(global|project)[ \t]*(?:\r\n|\r|\n|$)")


@dataclass(frozen=True, slots=True)
class Edited:
    """The whole new text of the file as a person left it in an editor."""

    content: str
    base: str | None = None
    """`digest` of the text that was edited, "" if there was no file; None: as the file is now."""


def save(
    ctx: VerbContext,
    fact: str,
    *,
    scope: Scope | None,
    edited: Edited | None = None,
    dry_run: bool = False,
    origin: Origin = Origin.OWNER,
) -> Saved | Skipped:
    """Write a fact to the context file of a scope."""
    text = checked_fact(fact)
    if scope is None and edited is not None:
        scope, edited = _scope_line(edited)
    if scope is None:
        places = save_places(ctx, text)
        raise InvalidScope(
            scope_question(text, places) + "\nNothing was written: give --scope global or project.",
            options=[{"scope": item.scope, "path": item.path} for item in places],
        )
    where = save_place(ctx, scope, text)

    def plan() -> Plan[Saved | Skipped]:
        before = ctx.store.read(where.path)
        after = edited.content if edited else _with_fact(before, text, ctx.dialect.section)
        info = RunInfo(verb="save", origin=origin, detail={"scope": where.scope})
        if isinstance(after, Skipped) or after == before:
            known = Skipped("duplicate", f"{where.path} says so already")
            return Plan((), info, lambda _: known)
        most = ctx.settings.memory.max_file_bytes
        if len(after.encode("utf-8", "surrogatepass")) > most:
            raise ContentTooLarge(
                f"with this fact {where.path} would be over {most:,} bytes"
                " (memory.max_file_bytes); shorten the fact, or `reverie context archive` first",
                path=where.path,
            )
        seen = edited.base if edited else None
        base = seen or None
        if seen is None:
            base = None if before is None else digest(before)
        saved = Saved(where.scope, where.path, text, FileDelta(where.path, before, after))
        return Plan(
            (Change(where.path, after, base, private=scope is Scope.USER),),
            info,
            lambda applied: replace(saved, run=applied.run),
            once=seen is not None,  # else the text is meant, whatever the file says
        )

    return run(plan, store=ctx.store, dry_run=dry_run)


def checked_fact(fact: str) -> str:
    """Return a fact as it is stored, or raise `InvalidContent`."""
    text = clean_fact(fact)
    if not text:
        raise InvalidContent("the fact is empty; say what should be remembered", parameter="fact")
    if "\x00" in text:
        raise InvalidContent("the fact contains a NUL character; remove it", parameter="fact")
    return text


def save_place(ctx: VerbContext, scope: Scope, fact: str = "") -> SavePlace:
    """Return the context file of a scope, and how a fact would stand in it."""
    settings, workspace, dialect = ctx.settings.context, ctx.workspace, ctx.dialect
    for name in map(str.strip, settings.names):
        if name and not is_plain_name(name):
            raise BadSetting(
                f"context.names: {name!r} is not the plain name of a text file", name=name
            )
    if scope is Scope.USER:
        path = posixpath.join(workspace.home, context_names(settings, dialect)[0])
    else:
        path = posixpath.join(workspace.base, project_names(settings, dialect)[0])
    return SavePlace(file_scope(scope), path, f"- {fact}")


def save_places(ctx: VerbContext, fact: str) -> tuple[SavePlace, SavePlace]:
    """Return both places a fact could go to: the person's file and the project's."""
    return save_place(ctx, Scope.USER, fact), save_place(ctx, Scope.PROJECT, fact)


def scope_question(fact: str, places: tuple[SavePlace, SavePlace], *, user_home: str = "") -> str:
    """Ask for the scope in the document's words."""
    everywhere, here = (_short(item.path, user_home) for item in places)
    return (
        f'Choose where to save this memory:\n\n"{fact}"\n\nOptions:\n'
        f"- Global: {everywhere} (shared across all projects)\n"
        f"- Project: {here} (current project only)"
    )


def _with_fact(before: str | None, fact: str, header: str) -> str | Skipped:
    text = before or ""
    section = find_section(text, header)
    if section and any(same_fact(item, fact) for item in list_items(text, section)):
        return Skipped("duplicate")
    return append_fact(text, fact, header=header)


def _scope_line(edited: Edited) -> tuple[Scope | None, Edited]:
    """Take the scope from the first line `scope: ...` that an editor showed; the rest is the text."""
    match = _SCOPE_LINE.match(edited.content)
    if not match:
        return None, edited
    return read_scope(match[1]), Edited(edited.content[match.end() :], edited.base)


def _short(path: str, user_home: str) -> str:
    if user_home and path.startswith(f"{user_home.rstrip('/')}/"):
        return "~" + path[len(user_home.rstrip("/")) :]
    return path
