"""What programs put into a person's message: our own blocks, and those of the agents around us.

Rules
- Our fences are taken out wherever they stand, and so is `<hook_context>`: an agent wraps in it what
  hooks added, and hands it on as the beginning or the end of what the person typed.
- Reminders, command output and editor context are taken out where they stand on lines of their own. A
  person who writes about such a tag within a sentence keeps every word.
- A block that does not end stays, unless it is our own: it may be what somebody typed.
- A hook asks this at every prompt, so nothing is imported until there is something to take out.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    import re
    from typing import Final

_TAG: Final = (
    "reverie-memory"  # as in `mark_table`, which is not worth reading for it; a test compares
)
_ANYWHERE: Final = "hook_context"
_ON_LINES: Final = (
    "session_context", "system-reminder", "user-prompt-submit-hook", "session-start-hook",
    "environment_context", "user_instructions", "skills_instructions", "permissions", "turn_aborted",
    "local-command-caveat", "local-command-stdout", "local-command-stderr", "command-name",
    "command-message", "command-args", "command-contents", "bash-input", "bash-stdout", "bash-stderr",
    "task-notification", "persisted-output", "background-task-input", "ide_selection",
    "ide_opened_file", "ide_diagnostics", "new-diagnostics", "ide_context", "environment_details",
    "state_snapshot", "subagent_notification", "user_shell_command",
)  # fmt: skip
_HINTS: Final = (_TAG, _ANYWHERE, *_ON_LINES)
_LT: Final = r"(?:<|&(?:amp;){0,3}lt;)"
_GT: Final = r"(?:>|&(?:amp;){0,3}gt;)"


def without_injected(text: str) -> str:
    """Return a text without what a program put into it."""
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):
        return text
    import re

    names = "|".join(_ON_LINES)
    opening = re.compile(
        rf"(?im){_LT}(?P<any>{_ANYWHERE}){_GT}"
        rf"|^[^\S\n]{{0,40}}{_LT}(?P<line>{names})(?:[ \t][^<>\n]{{0,200}})?{_GT}"
    )
    text = _cut(text, opening)
    if _TAG in lower:  # afterwards: the end of a tag before a fence looks like a quoted fence
        from reverie.core.showing.fence import strip_recall_blocks

        text = strip_recall_blocks(text)
    return text


def is_injected(text: str) -> bool:
    """Say whether nothing is left of a text without what a program put into it."""
    return bool(text.strip()) and not without_injected(text).strip()


def _cut(text: str, opening: re.Pattern[str]) -> str:
    import re

    kept: list[str] = []
    unclosed: set[str] = set()  # so that a text of openings alone is not searched again for each
    at = looked = 0
    while match := opening.search(text, looked):
        looked = match.end()
        name = (match["any"] or match["line"]).lower()
        after = r"" if match["any"] else r"[^\S\n]{0,40}(?=\n|\Z)"
        end = None
        if name not in unclosed:
            closing = re.compile(rf"(?i){_LT}/{re.escape(name)}{_GT}{after}")
            end = closing.search(text, match.end())
        if end is None:
            unclosed.add(name)
            continue
        kept.append(text[at : match.start()])
        at = looked = end.end()
    kept.append(text[at:])
    return "".join(kept).strip() if len(kept) > 1 else text
