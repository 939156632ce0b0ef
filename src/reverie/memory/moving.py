"""Moving memory: export a whole memory, import it or what others remember."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from reverie.core.scopes import read_scope
from reverie.errors import InvalidInput
from reverie.memory.opened import Opened

if TYPE_CHECKING:
    from reverie.core.moving.markdown_folders import Shape
    from reverie.ports import Carrier, Target
    from reverie.types import Brought, Decided, Exported, Pending, Scope

ExportFormat: TypeAlias = Literal["folder", "jsonl", "git"]


class MovingVerbs(Opened):
    """The verbs that carry memory in and out."""

    def export(
        self,
        target: str | Path,
        *,
        to: ExportFormat = "folder",
        with_journal: bool = False,
        force: bool = False,
    ) -> Exported:
        """Write the memory of this workspace to a folder, a JSONL file or a git repository.

        `force` replaces an earlier export; anything else that is there stays.
        """
        from reverie.core.moving.export_format import VERSION
        from reverie.local.moving.targets import export_target
        from reverie.types import PortableHeader
        from reverie.verbs.moving.exporting import export

        place = export_target(target)
        space = self.workspace
        if Path(space.home).resolve() in (place, *place.parents):
            raise InvalidInput(f"{place} is inside the memory itself; export it somewhere else")
        header = PortableHeader(
            version=VERSION,
            exported_at=self.clock(),
            dialect=self.dialect.name,
            agent=space.agent,
            project=Path(space.base).name,
            journal=with_journal,
        )
        with self._carrier() as carrier:
            return export(
                carrier,
                target=_target(place, to, force=force, journal=with_journal),
                header=header,
                name=str(place),
                format=to,
            )

    def import_(
        self,
        source: str | Path,
        *,
        format: str | None = None,
        scope: Scope | str | None = None,
        shape: Shape | None = None,
        allow: Collection[str] = (),
        replace: bool = False,
        again: bool = False,
        dry_run: bool = False,
    ) -> Brought:
        """Bring in an export of ours, or what another system remembers; each thing once.

        Args:
            format: One of `reverie.core.moving.formats.FORMATS`; found out when not given.
            scope: Whose the memories become, where the source does not say.
            shape: Whether Markdown notes become notes or topics.
            allow: Kinds besides plain memory that may be written, of
                `reverie.core.moving.record_kinds.ABOUT`; the others are listed under `held`.
            replace: Put context files and the agent's own files in place of other texts.
            again: Bring back also what was forgotten, or what an earlier import brought and is gone since.
        """
        from reverie.core.moving.formats import Wish, detect, read
        from reverie.core.moving.record_kinds import check_allowed
        from reverie.local.moving.bundle import open_bundle
        from reverie.verbs.moving.import_gate import ImportContext
        from reverie.verbs.moving.importing import bring, with_findings
        from reverie.verbs.verb_context import widened

        allowed = check_allowed(allow)
        limits = self.settings.imports
        wish = Wish(self.clock(), read_scope(scope), shape, max_values=limits.max_values)
        opened = open_bundle(source, limits, max_note=self.settings.memory.max_file_bytes)
        with closing(opened) as bundle, self._carrier() as carrier:
            chosen = format or detect(bundle, max_values=limits.max_values)
            ctx = widened(
                self.verb_context,
                ImportContext,
                carrier=carrier,
                format=chosen,
                allow=allowed,
                replace=replace,
                again=again,
                dry_run=dry_run,
            )
            brought = bring(ctx, read(bundle, chosen, wish))
        return with_findings(ctx, brought, wish.dropped, wish.problems)

    def pending(self) -> list[Pending]:
        """List imported core files that wait for approval; no prompt reads them until then."""
        return self.layers.pending()

    def approve(self, *names: str, dry_run: bool = False) -> Decided:
        """Make imported core files a part of the agent: those named, or all that wait."""
        return self.layers.decide(names, approve=True, dry_run=dry_run)

    def discard(self, *names: str, dry_run: bool = False) -> Decided:
        """Remove imported core files that wait: those named, or all of them."""
        return self.layers.decide(names, approve=False, dry_run=dry_run)

    @contextmanager
    def _carrier(self) -> Iterator[Carrier]:
        carrier = self.engine.carrier(self.layers.redact())
        try:
            yield carrier
        finally:
            carrier.close()


def _target(place: Path, to: ExportFormat, *, force: bool, journal: bool) -> Target:
    from reverie.local.moving.git_target import GitTarget
    from reverie.local.moving.targets import FolderTarget, JsonlTarget

    match to:
        case "jsonl":
            return JsonlTarget(place, force=force)
        case "git":
            return GitTarget(place, force=force, journal=journal)
        case "folder":
            return FolderTarget(place, force=force, journal=journal)
        case _:
            raise InvalidInput(f"there is no format {to!r}; choose folder, jsonl or git")
