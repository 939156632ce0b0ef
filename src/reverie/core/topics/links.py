"""Links between memories, kept in agreement when a file gets another name or goes.

Rules:

* A link is `[label](path)` or `[[path]]`, also `[[path|label]]`; the path is read from the folder of the file
  it stands in, or from the root of the memory, with or without `.md`.
* A link to a file with another name leads to that; of a link to a file that is gone, the label stays. The
  path goes, because it is made of the words that are to go.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Final

_LINK: Final = re.compile(
    r"\[(?P<label>[^\[\]\r\n]{0,500})\]\((?P<path>[^()\s]{1,500})\)"
    r"|\[\[(?P<page>[^\[\]|\r\n]{1,500})(?:\|(?P<shown>[^\[\]\r\n]{0,500}))?\]\]"
)
_ENDING: Final = ".md"
GONE: Final = "(forgotten)"
"""What stands where a link without a label led to a file that is gone."""


def has_links(text: str) -> bool:
    """Say whether a text may have links."""
    return "](" in text or "[[" in text


def relinked(text: str, rel: str, moved: Mapping[str, str | None]) -> str:
    """Return the text of the file at `rel` with its links in agreement with where files are now.

    Args:
        moved: The old name of each file below the root, and its new one; None for one that is gone.
    """
    if not has_links(text):
        return text
    folder = posixpath.dirname(rel)

    def follow(link: re.Match[str]) -> str:
        given = link["path"] or link["page"]
        ending = _ENDING if given.endswith(_ENDING) else ""
        page = given.removesuffix(_ENDING) + _ENDING
        below = posixpath.normpath(posixpath.join(folder, page))
        read = below if below in moved else page.lstrip("/")
        if read not in moved:
            return link[0]
        new = moved[read]
        if new is None:
            return link["label"] or link["shown"] or GONE
        there = posixpath.relpath(new, folder or ".") if read == below else new
        there = there.removesuffix(_ENDING) + ending
        if link["path"]:
            return f"[{link['label']}]({there})"
        return f"[[{there}|{link['shown']}]]" if link["shown"] else f"[[{there}]]"

    return _LINK.sub(follow, text)
