"""Rewrite: append lines to a context file, or replace it, for a settings page or another program.

Rules
- Appended lines stand inside the section of saved facts, whatever follows it, and are not changed.
- Only blanks to append: nothing is written, and no folder or file is made.
- Replacing takes the text as it is; the journal can bring the old one back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from reverie.core.markdown.sections import append_fact
from reverie.core.text.plain import digest, newline_of
from reverie.errors import ContentTooLarge, InvalidContent
from reverie.types import Change, ContextWritten, Plan, RunInfo, Scope
from reverie.verbs.run import run
from reverie.verbs.save import save_place

if TYPE_CHECKING:
    from reverie.types import Applied
    from reverie.verbs.verb_context import VerbContext

MAX_BYTES: Final = 1024 * 1024


def rewrite(
    ctx: VerbContext, content: str, *, scope: Scope, mode: Literal["append", "replace"]
) -> ContextWritten:
    """Append to or replace the context file of a scope."""
    size = len(content.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise ContentTooLarge(f"the content has {size:,} bytes, the limit is {MAX_BYTES:,}")
    if "\x00" in content:
        raise InvalidContent("the content contains a NUL character; remove it")
    place = save_place(ctx, scope)
    path = place.path
    if mode == "append" and not content.strip():
        return ContextWritten(path, mode, 0, changed=False)

    def plan() -> Plan[ContextWritten]:
        before = ctx.store.read(path)
        appended = append_lines(before or "", content, header=ctx.dialect.section)
        after = content if mode == "replace" else appended
        base = None if before is None else digest(before)

        def tell(applied: Applied) -> ContextWritten:
            written = len(after.encode("utf-8")) if applied.run else 0
            return ContextWritten(path, mode, written, bool(applied.run), applied.run)

        change = Change(path, after, base, private=scope is Scope.USER)
        return Plan(
            (change,), RunInfo(verb="save", detail={"scope": place.scope, "mode": mode}), tell
        )

    return run(plan, store=ctx.store)


def append_lines(text: str, lines: str, *, header: str) -> str:
    """Add lines as they are where a saved fact would go.

    >>> append_lines("", "* starred", header="## Added Memories")
    '## Added Memories\\n* starred\\n'
    """
    mark = "\ue000"
    while mark in text:
        mark += "\ue000"
    # The rules of where a fact goes are not repeated here: a stand-in takes its place first.
    placed = append_fact(text, mark, header=header)
    block = newline_of(text).join(re.split(r"\r\n|\r|\n", lines.strip("\r\n")))
    return placed.replace(f"- {mark}", block, 1)
