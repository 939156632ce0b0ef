"""A passage as a person or an agent is shown it: each fact once.

Rules
- A memory file says the same in its name, its description and its first line; only the line is shown.
- A head that nothing stands behind is shown as it is.
- The title of a passage is left out where one of its lines begins with it.
"""

from __future__ import annotations

from reverie.core.markdown import frontmatter


def shown_once(title: str, text: str) -> tuple[str, str]:
    r"""Return the title, unless a line says it, and the words without the head of their file.

    >>> shown_once("We use tabs", "---\nname: We use tabs\n---\n\nWe use tabs. They are wide.\n")
    ('', 'We use tabs. They are wide.')
    """
    words = without_head(text)
    told = any(_plain(line).startswith(_plain(title)) for line in words.splitlines())
    return ("" if told else title), words


def without_head(text: str) -> str:
    """Return a passage without the head of its file, if there is more than that."""
    head = frontmatter.read(text)
    words = text[head.body :].strip("\n") if head is not None else ""
    return words if words.strip() else text


def _plain(line: str) -> str:
    return " ".join(line.lstrip("#*- \t").split()).casefold()
