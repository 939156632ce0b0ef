"""What a change comes to when it is applied: its base checked, its secrets refused or replaced.

Rules
- A change planned on another text than the one that stands there is refused: nobody's edit is lost.
- What is written is text: half a character, which JSON and command lines let in, is refused.
- Only what a change adds is scanned; what was in memory before stays.
- A new file has no secret in its name. What is noted about a run (ids, notes, details) is masked: it
  tells where memory came from, and must not stop it from being kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reverie.core.text.plain import digest, is_text, storable
from reverie.errors import InvalidContent, SecretRefused, StaleBase
from reverie.types.writing import Planned

if TYPE_CHECKING:
    from reverie.config import SecretSettings
    from reverie.types import Change, RunInfo, SecretFinding


def plan_change(
    change: Change,
    *,
    path: str,
    before: str | None,
    secrets: SecretSettings | None,
    new_name: str = "",
) -> tuple[Planned | None, Sequence[SecretFinding]]:
    """Check one change against the text that stands there; None when it changes nothing.

    Args:
        path: The real name of the file.
        secrets: What to do about secrets; None scans nothing, which is for undo alone.
        new_name: What of the path is not there yet.
    """
    if (None if before is None else digest(before)) != change.base:
        raise StaleBase(
            f"{path} changed since it was read, so nothing was written; try again", path=path
        )
    after = change.text
    if after is not None and not is_text(after):
        raise InvalidContent(
            "the text holds half a character (an unpaired surrogate, or a byte that is not UTF-8), so"
            " nothing was written"
        )
    found: Sequence[SecretFinding] = ()
    if after is not None and secrets is not None:
        if before is None:
            check_name(new_name, secrets)
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
    from reverie.core.secrets import scanner  # its patterns cost a reader's start-up time

    found = scanner.added(before, after, allow=policy.allow)
    if not found:
        return after, []
    if policy.policy == "redact":
        clean, found = scanner.redact(after, before=before, allow=policy.allow)
        return clean, [replace(item, path=path) for item in found]
    places = _places(found)
    # The name of a new file is made of its words, so of the secret as well.
    place = "" if before is None else f", in {path.rpartition('/')[2]}"
    raise SecretRefused(
        f"this looks like a secret ({places}{place}), so nothing was written. Say where"
        " the secret is kept instead of the secret itself. If it is not one, allow the rule with"
        f" `reverie config set secrets.allow {found[0].rule}`; to store a placeholder instead,"
        " `reverie config set secrets.policy redact`.",
        rules=[item.rule for item in found],
    )


def check_name(name: str, policy: SecretSettings) -> None:
    """Refuse a name or id with a secret in it: what has it could not be found under a placeholder."""
    if policy.policy == "off":
        return
    from reverie.core.secrets import scanner

    found = scanner.scan(name, allow=policy.allow)
    if found:
        raise SecretRefused(
            f"the name looks like a secret ({found[0].rule}), and names are seen by everybody, so"
            " nothing was written. Choose another name. If it is not a secret, allow the rule with"
            f" `reverie config set secrets.allow {found[0].rule}`.",
            rules=[item.rule for item in found],
        )


def check_setting(key: str, value: str, policy: SecretSettings) -> None:
    """Refuse a setting that would write a password or a key into the settings file."""
    if policy.policy == "off":
        return
    from reverie.core.secrets import scanner

    name = key.rpartition(".")[2].removesuffix("_env")
    found = scanner.scan(f"{name} = {value}", allow=policy.allow)
    if found:
        raise SecretRefused(
            f"{key} would hold what looks like a secret ({found[0].rule}), so nothing was written."
            " Put it into an environment variable: a setting that ends in _env takes the"
            " variable's name, and REVERIE_SECTION__KEY sets any other. A database's password"
            " belongs in ~/.pgpass.",
            rules=[item.rule for item in found],
        )


def masked(text: str, policy: SecretSettings) -> str:
    """Return a text as a model or a prompt may see it: without secrets, unless the settings say off."""
    if policy.policy == "off" or not text:
        return text
    from reverie.core.secrets import scanner

    return scanner.redact(text, allow=policy.allow)[0]


def masked_run(run: RunInfo, policy: SecretSettings) -> RunInfo:
    """Return what is known about a run as the journal may keep it."""
    return replace(
        run,
        session=storable(masked(run.session, policy)),
        turn=storable(masked(run.turn, policy)),
        client=storable(masked(run.client, policy)),
        note=storable(masked(run.note, policy)),
        detail=masked_value(run.detail, policy),
    )


def masked_value(value: Any, policy: SecretSettings) -> Any:
    """Mask every text in what JSON can hold, names of keys included."""
    if isinstance(value, str):
        return masked(value, policy)
    if isinstance(value, Mapping):
        return {masked(str(key), policy): masked_value(item, policy) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked_value(item, policy) for item in value]
    return value


def _places(found: Sequence[SecretFinding]) -> str:
    places = "; ".join(f"{item.rule} at line {item.line}" for item in found[:5])
    return places + (f"; and {len(found) - 5} more" if len(found) > 5 else "")
