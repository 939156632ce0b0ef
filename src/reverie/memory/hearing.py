"""What was heard: said in conversations, not clear enough to keep, and a person's to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reverie.memory.opened import Opened

if TYPE_CHECKING:
    from reverie.types import Heard, HeardDecided


class HeardVerbs(Opened):
    """The verbs of what waits beside the memory."""

    def heard(self) -> list[Heard]:
        """List what was said and not kept, the oldest first; no prompt and no search reads it."""
        from reverie.verbs.learning.heard import waiting

        return waiting(self.verb_context)

    def keep_heard(self, *names: str, dry_run: bool = False) -> HeardDecided:
        """Make memories of what was heard, by ids or by numbers in the list."""
        from reverie.verbs.learning.heard import decide

        return decide(self.verb_context, names, action="keep", dry_run=dry_run)

    def drop_heard(self, *names: str, dry_run: bool = False) -> HeardDecided:
        """Remove what was heard, by ids or by numbers in the list; it is not heard again."""
        from reverie.verbs.learning.heard import decide

        return decide(self.verb_context, names, action="drop", dry_run=dry_run)
