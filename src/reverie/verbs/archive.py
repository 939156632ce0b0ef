"""Archive: move a context file's content aside, dated, and leave an import of it in its place."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from reverie.core.context.imports import rebased
from reverie.core.markdown.sections import WHITESPACE
from reverie.core.text.plain import digest, newline_of
from reverie.errors import ReverieError
from reverie.types import Archived, Change, FileDelta, Plan, RunInfo, Scope, Skipped
from reverie.verbs.run import run
from reverie.verbs.save import save_place

if TYPE_CHECKING:
    from reverie.ports import Store
    from reverie.verbs.verb_context import VerbContext

_TITLE = "# Project Context"
_SECTION = "## Current Context"


def archive(ctx: VerbContext, *, scope: Scope, dry_run: bool = False) -> Archived | Skipped:
    """Move the content of a scope's context file aside; its relative imports mean the same files."""
    store, now, private = ctx.store, ctx.clock(), scope is Scope.USER
    path = store.real(save_place(ctx, scope).path)
    shared = posixpath.join(ctx.workspace.base, ctx.dialect.config_dir)
    folder = posixpath.join(ctx.workspace.home if private else shared, "archive")

    def plan() -> Plan[Archived | Skipped]:
        info = RunInfo(verb="archive")
        text = store.read(path)
        if text is None or not text.strip(WHITESPACE):
            return Plan((), info, lambda _: Skipped("empty", f"{path} has nothing to move aside"))
        target = next(item for item in _names(path, folder, now) if store.read(item) is None)
        moved = rebased(
            text,
            folder=posixpath.dirname(path),
            target=folder,
            is_file=lambda item: _is_file(store, item),
        )
        fresh = _fresh(posixpath.relpath(target, posixpath.dirname(path)), newline_of(text))
        deltas = (FileDelta(target, None, moved), FileDelta(path, text, fresh))
        return Plan(
            (Change(target, moved, None, private), Change(path, fresh, digest(text), private)),
            info,
            lambda applied: Archived(path, target, deltas, applied.run),
        )

    return run(plan, store=store, dry_run=dry_run)


def _is_file(store: Store, path: str) -> bool:
    try:
        return store.read(path) is not None
    except ReverieError:
        return False


def _names(path: str, folder: str, now: datetime) -> Iterator[str]:
    stem = posixpath.splitext(posixpath.basename(path))[0].lstrip(".")
    base = posixpath.join(folder, f"{stem}-{now:%Y%m%d}")
    yield f"{base}.md"
    number = 2
    while True:
        yield f"{base}-{number}.md"
        number += 1


def _fresh(written: str, newline: str) -> str:
    lines = [_TITLE, "", f"<!-- @import: {written} -->", "", _SECTION, ""]
    return newline.join(lines)
