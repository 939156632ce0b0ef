"""One memory at a time, as a person looks at it: read, edit, pin; and how all of it grew."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from reverie.core.scopes import read_scope
from reverie.memory.opened import Opened
from reverie.types import RunInfo, Scope

if TYPE_CHECKING:
    from reverie.core.runs.growth import GrowthPoint
    from reverie.types import Applied, Moved, Remembered, RunRecord, Skipped, Topic
    from reverie.verbs.edit import Pinned

GROWTH_RUNS = 2000
"""How far back growth is read from the journal."""
_HISTORY_RUNS = 200


class EditVerbs(Opened):
    """The verbs of single memories."""

    def topic(self, scope: Scope | str, rel: str) -> Topic:
        """Return one memory by its place below its scope's folder."""
        from reverie.verbs.edit import find_topic

        return find_topic(self.store, read_scope(scope), rel)

    def edit(self, scope: Scope | str, rel: str, text: str, *, base: str) -> Applied:
        """Replace a memory's text, unless it changed since `base`, the digest of what was read."""
        from reverie.verbs.edit import edit_topic

        return edit_topic(self.verb_context, read_scope(scope), rel, text, base=base)

    def update(
        self,
        entry: str,
        text: str,
        *,
        why: str | None = None,
        how: str | None = None,
        dry_run: bool = False,
        info: RunInfo | None = None,
    ) -> Remembered:
        """Put a new statement in the place of an entry, which is kept with its last day.

        The same as `remember` with `replaces`, by the id first.
        """
        from reverie.verbs.remember import remember

        about = info or RunInfo(verb="update")
        return remember(
            self.verb_context, text, replaces=entry, why=why, how=how, info=about, dry_run=dry_run
        )

    def move(
        self,
        entry: str,
        *,
        to: Scope | str,
        dry_run: bool = False,
        info: RunInfo | None = None,
    ) -> Moved | Skipped:
        """Move the file of an entry into the other scope, with its reason, dates, links and history."""
        from reverie.verbs.move import move

        with closing(self.engine.carrier(self.layers.redact())) as carrier:
            return move(
                self.verb_context,
                entry,
                to=read_scope(to),
                date=carrier.date,
                info=info,
                dry_run=dry_run,
            )

    def pin(self, scope: Scope | str, rel: str, *, pinned: bool = True) -> Pinned | Skipped:
        """Keep automatic writers away from a memory, or let them at it again."""
        from reverie.verbs.edit import pin_topic

        return pin_topic(self.verb_context, read_scope(scope), rel, pinned=pinned)

    def topic_history(self, topic: Topic) -> list[RunRecord]:
        """Return the runs that wrote a memory, newest first, also from before it was moved."""
        root, rel = self.store.real(topic.path).removesuffix(topic.rel), topic.rel
        roots = {
            scope.value: f"{self.store.real(self.workspace.memory_root(scope))}/" for scope in Scope
        }
        found: list[RunRecord] = []
        while len(found) < _HISTORY_RUNS:
            known = {item.id for item in found}
            runs = self.journal.log(limit=_HISTORY_RUNS, path=root + rel)
            fresh = [item for item in runs if item.id not in known]
            found += fresh
            moved = next((item for item in reversed(fresh) if item.detail.get("to") == rel), None)
            if moved is None:
                break
            rel = str(moved.detail.get("from", ""))
            root = roots.get(str(moved.detail.get("from_scope")), root)
        return sorted(found, key=lambda item: item.at, reverse=True)

    def growth(self) -> list[GrowthPoint]:
        """Return how many memories there were at the end of each day."""
        from reverie.core.runs.growth import growth
        from reverie.core.topics.topic import is_topic_path

        roots = {scope: self.store.real(self.workspace.memory_root(scope)) + "/" for scope in Scope}

        def touched(run: RunRecord) -> list[tuple[str, Scope]]:
            return [
                (path, scope)
                for path in run.paths
                for scope, root in roots.items()
                if path.startswith(root) and is_topic_path(path.removeprefix(root))
            ]

        runs = [item for item in self.journal.log(limit=GROWTH_RUNS) if item.status == "done"]
        present = {
            f"{roots[item.scope]}{item.rel}": (item.scope, item.updated)
            for item in self.store.topics()
        }
        return growth(
            [(item.at, touched(item)) for item in reversed(runs)],
            present,
            today=self.clock().date(),
        )
