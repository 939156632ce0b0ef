"""What a change comes to when it is applied: its base checked, its secrets refused or replaced.

Rules
- A change planned on another text than the one that stands there is refused: nobody's edit is lost.
- Only what a change adds is scanned; what was in memory before stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.core.text import digest
from reverie.errors import SecretRefused, StaleBase

if TYPE_CHECKING:
    from reverie.config import SecretSettings
    from reverie.types import Change, SecretFinding


@dataclass(frozen=True, slots=True)
class Planned:
    """A change after every check, with what the file holds now."""

    path: str
    before: str | None
    after: str | None
    private: bool


def plan_change(
    change: Change, *, path: str, before: str | None, secrets: SecretSettings | None
) -> tuple[Planned | None, Sequence[SecretFinding]]:
    """Check one change against the text that stands there; None when it changes nothing.

    Args:
        path: The real name of the file.
        secrets: What to do about secrets; None scans nothing, which is for undo alone.
    """
    if (None if before is None else digest(before)) != change.base:
        raise StaleBase(
            f"{path} changed since it was read, so nothing was written; try again", path=path
        )
    after = change.text
    found: Sequence[SecretFinding] = ()
    if after is not None and secrets is not None:
        after, found = without_secrets(after, secrets, before=before, path=path)
    if after == before:
        return None, found
    return Planned(path, before, after, change.private), found


def without_secrets(
    after: str, policy: SecretSettings, *, before: str | None = None, path: str = ""
) -> tuple[str, Sequence[SecretFinding]]:
    """Return a text as the settings let it be written, and what was taken out of it.

    A verb that names a file by the text, or shows the text to a model, asks before it does.
    """
    if policy.policy == "off":
        return after, []
    from reverie.core import secrets  # its patterns cost a reader's start-up time

    found = secrets.added(before, after, allow=policy.allow)
    if not found:
        return after, []
    if policy.policy == "redact":
        clean, found = secrets.redact(after, before=before, allow=policy.allow)
        return clean, [replace(item, path=path) for item in found]
    places = "; ".join(f"{item.rule} at line {item.line}" for item in found[:5])
    places += f"; and {len(found) - 5} more" if len(found) > 5 else ""
    # The name of a new file is made of its words, so of the secret as well.
    place = "" if before is None else f", in {path.rpartition('/')[2]}"
    raise SecretRefused(
        f"this looks like a secret ({places}{place}), so nothing was written. Say where"
        " the secret is kept instead of the secret itself. If it is none, allow the rule with"
        f" `reverie config set secrets.allow {found[0].rule}`; to store a placeholder instead,"
        " `reverie config set secrets.policy redact`.",
        rules=[item.rule for item in found],
    )


def masked(text: str, policy: SecretSettings) -> str:
    """Return a text as a model or a prompt may see it: without secrets, unless the settings say off."""
    if policy.policy == "off":
        return text
    from reverie.core import secrets

    return secrets.redact(text, allow=policy.allow)[0]
