"""Context files: load them, save a fact, archive, trust."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from reverie.core.scopes import read_scope
from reverie.memory.opened import Opened
from reverie.types import Origin, Scope

if TYPE_CHECKING:
    from reverie.types import (
        Archived,
        Context,
        ContextWritten,
        ImportFormat,
        Saved,
        Skipped,
        Trust,
    )


class ContextVerbs(Opened):
    """The verbs of context files."""

    def context(
        self,
        *,
        include: Sequence[str] = (),
        extensions: Sequence[str] = (),
        trusted: bool | None = None,
        format: ImportFormat | None = None,
    ) -> Context:
        """Load the context files of the current folder, imports expanded."""
        from reverie.core.context.hierarchy import ContextOptions

        return self.engine.context(
            ContextOptions(tuple(include), tuple(extensions), trusted, format)
        )

    def save(
        self,
        fact: str,
        *,
        scope: Scope | str | None = None,
        modified_by_user: bool = False,
        modified_content: str | None = None,
        base: str | None = None,
        dry_run: bool = False,
        origin: Origin = Origin.OWNER,
    ) -> Saved | Skipped:
        """Add a fact to the global or the project's context file.

        `modified_content` is the file's whole text as a person edited it, `base` the digest of the
        text they began with.
        """
        from reverie.verbs import save as verb

        edited = None
        if modified_by_user and modified_content is not None:
            edited = verb.Edited(modified_content, base)
        return verb.save(
            self.verb_context,
            fact,
            scope=read_scope(scope),
            edited=edited,
            dry_run=dry_run,
            origin=origin,
        )

    def write_context(
        self,
        content: str,
        *,
        scope: Scope | str,
        mode: Literal["append", "replace"] = "append",
    ) -> ContextWritten:
        """Append lines to a context file's section of saved facts, or replace the file."""
        from reverie.verbs.rewrite import rewrite

        return rewrite(self.verb_context, content, scope=read_scope(scope), mode=mode)

    def archive_context(
        self, *, scope: Scope | str = Scope.PROJECT, dry_run: bool = False
    ) -> Archived | Skipped:
        """Move a context file's content into a dated archive and leave an import of it."""
        from reverie.verbs.archive import archive

        return archive(self.verb_context, scope=read_scope(scope), dry_run=dry_run)

    def trust(self, path: str | None = None, *, trusted: bool | None = True) -> Trust:
        """Record that a folder is trusted, that it is not, or (None) neither."""
        return self.engine.trust(path, trusted=trusted)

    def trusted(self, path: str | None = None) -> Trust:
        """Say whether a folder is trusted, and who says so."""
        return self.engine.trusted(path)
