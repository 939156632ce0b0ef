"""Own words: what of a message its sender typed, and not pasted, quoted or got from a program.

Rules

* Whatever is inside markup is somebody else's: fences, comments, elements, attached files. Markup that is
  never closed makes all that follows foreign; an end without a beginning, all that came before.
* What holds marks that a model or a host would obey was not typed by a person: it and the rest go.
* A sentence that lost a part goes as a whole: what is left must stand on its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from reverie.core.showing.fence import strip_recall_blocks
from reverie.core.showing.marks import disarmed

MAX_MESSAGE_CHARS: Final = 20_000  # speech is shorter; of more, both ends are read
MAX_SPOKEN_LINES: Final = 40  # beyond this most of it is pasted
_EDGE_LINES: Final = 8
_FOREIGN: Final = "\0"
"""Stands where something foreign was."""

_OPENING: Final = re.compile(
    r"(?m:^[ \t]{0,20}(?P<fence>`{3,}|~{3,}))|(?P<code>`[^`\n]{1,300}`)"
    r"|(?P<comment><!--)|(?P<cdata><!\[CDATA\[)"
    r"|(?<!\w)<(?P<open>[A-Za-z][\w:.-]{0,60})(?P<attributes>\s[^<>]{0,500})?(?P<alone>/)?>"
    r"|</(?P<close>[A-Za-z][\w:.-]{0,60})\s{0,20}>"
    r"|(?mi:^-{2,20}[ \t]{0,20}(?P<attached>Content from|File:|Begin|Start of))"
)
_END_TAG: Final = re.compile(r"</([A-Za-z][\w:.-]{0,60})\s{0,20}>")
_ATTACHED_END: Final = re.compile(r"(?mi:^-{2,20}[ \t]{0,20}End.*$)")
_EMPHASIS: Final = frozenset(
    {"b", "i", "u", "s", "em", "strong", "code", "kbd", "mark", "small", "sub", "sup", "span", "q"}
)
_EMPTY: Final = frozenset({"br", "hr", "wbr"})
_MOST_EMPHASIS: Final = 200
_NOT_SPEECH: Final = re.compile(
    r"""\s*(?:
        >                                    # a quoted line
        |\$\s|%\s|PS\s\w:\\|>>>\s|\.\.\.\s   # a prompt
        |\+\+\+\s|---\s|@@|diff\s--git       # a diff
        |File\s"|Traceback|at\s[\w.$<>]+\(|\w*(?:Error|Exception)\b:
        |\[?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d    # a log line
        |\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b
        |\|.*\|\s*$|[\w./-]+:\d+(?::\d+)?:   # a table row, a compiler's place
        |\#{1,6}\s                           # a heading: nobody says one
    )""",
    re.X,
)
_INDENTED: Final = re.compile(r"(?: {4}|\t)")
_PASTE_WORDS: Final = re.compile(
    r"\b(?:here(?:'s| is| are)|below|following|this is (?:the|what|my)|wrote|said|says|"
    r"says this|sent|output|log|error|"
    r"readme|email|e-mail|message|text|translate|summari[sz]e|proofread|rewrite|review|hier ist|"
    r"folgend\w*|schrieb|voici|"
    r"suivant\w*|aquí|siguiente|вот|следующ\w+)\b",
    re.I,
)
_CJK_PASTE_WORDS: Final = re.compile("如下|以下|翻译|总结|内容|写道|说|次の")
_SENTENCE: Final = re.compile("[.!?]")
_CJK_SENTENCE: Final = re.compile("[。！？]")
_PIECE: Final = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]*")
# An opening quote that nobody closes on its line: `He wrote "Always ...`.
_LONE_QUOTE: Final = re.compile(
    r"(?<![\w\"])\"(?=\w)[^\"\n]*$|“[^“”\n]*$|„[^„“”\n]*$|«[^«»\n]*$|「[^「」\n]*$"
)


def speech(text: str) -> tuple[str, int]:
    """Return what a person said in a message, and how many characters were too much to read.

    >>> speech("Use tabs.\\n```\\ncode()\\n```\\n> quoted")
    ('Use tabs.', 0)
    """
    text = strip_recall_blocks(text.replace(_FOREIGN, "").replace("\r\n", "\n").replace("\r", "\n"))
    text = _without_markup(text)
    lost = max(0, len(text) - MAX_MESSAGE_CHARS)
    if lost:
        half = MAX_MESSAGE_CHARS // 2
        text = f"{text[:half]}{_FOREIGN}\n\n{_FOREIGN}{text[-half:]}"
    lines = _own_lines(text.split("\n"))
    if len(lines) > MAX_SPOKEN_LINES:
        lines = [*lines[:_EDGE_LINES], "", *lines[-_EDGE_LINES:]]
    return "\n".join(lines).strip(), lost


def _without_markup(text: str) -> str:
    """Put a mark where something foreign was."""
    kept: list[str] = []
    ends = _last_ends(text)
    at = 0
    while match := _OPENING.search(text, at):
        kept.append(text[at : match.start()])
        if match["code"]:
            kept.append(match[0])
            at = match.end()
        elif match["close"]:
            kept, at = [_FOREIGN], match.end()  # it began before what we see
        elif match["open"] and (match["alone"] or match["open"].lower() in _EMPTY):
            kept.append("\n" if match["open"].lower() in _EMPTY else _FOREIGN)
            at = match.end()
        elif match["open"] and ends.get(match["open"].lower(), -1) < match.end():
            kept.append(_FOREIGN)
            return "".join(kept)
        else:
            inside, at = _inside(text, match)
            kept.append(inside)
            if at < 0:
                return "".join(kept)
    return "".join([*kept, text[at:]])


def _last_ends(text: str) -> dict[str, int]:
    """Return where each element ends last, so that one without an end is known without a look ahead."""
    return {match[1].lower(): match.start() for match in _END_TAG.finditer(text)}


def _inside(text: str, match: re.Match[str]) -> tuple[str, int]:
    """Return what stays of a stretch of markup, and where it ends; -1 when it never does."""
    if mark := match["fence"]:
        closing = re.compile(rf"(?m:^[ \t]{{0,20}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$)")
        found = closing.search(text, match.end())
        return ("\n\n" if _begins_line(text, match) else _FOREIGN), found.end() if found else -1
    if match["comment"] or match["cdata"]:
        sign = "-->" if match["comment"] else "]]>"
        end = text.find(sign, match.end())
        return _FOREIGN, end + len(sign) if end >= 0 else -1
    if match["attached"]:
        found = _ATTACHED_END.search(text, match.end())
        return "\n\n", found.end() if found else -1
    return _element(text, match)


def _begins_line(text: str, match: re.Match[str]) -> bool:
    return match.start() == 0 or text[match.start() - 1] == "\n"


def _element(text: str, match: re.Match[str]) -> tuple[str, int]:
    name = match["open"]
    tags = re.compile(rf"<(/)?{re.escape(name)}(?:\s[^<>]{{0,500}})?>", re.I)
    depth, end = 1, -1
    for tag in tags.finditer(text, match.end()):
        depth += -1 if tag[1] else 1
        if depth == 0:
            end = tag.end()
            inside = text[match.end() : tag.start()]
            break
    if end < 0:
        return _FOREIGN, -1
    # `<b>pnpm</b>` is emphasis; any other element, or several lines, is something inserted.
    if name.lower() in _EMPHASIS and "\n" not in inside and len(inside) <= _MOST_EMPHASIS:
        return inside, end
    alone = _begins_line(text, match) and text[end : end + 1] in ("", "\n")
    return ("\n\n" if alone else _FOREIGN), end


def _own_lines(lines: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        bare = line.replace(_FOREIGN, "")
        if disarmed(bare) != bare:
            break  # no person types what a model would obey
        if _NOT_SPEECH.match(bare) or _INDENTED.match(bare):
            kept.append("")
            continue
        quote = _LONE_QUOTE.search(line)
        if quote is not None:
            kept.append(_whole(f"{line[: quote.start()]}{_FOREIGN}"))
            break
        kept.append(_whole(line))
        if _announces_paste(bare.rstrip()):
            break  # what follows is somebody else's text
    return kept


def _whole(line: str) -> str:
    """Return the sentences of a line that nothing was taken out of."""
    if _FOREIGN not in line:
        return line
    pieces = (piece[0] for piece in _PIECE.finditer(line))
    return "".join(piece for piece in pieces if _FOREIGN not in piece).strip()


def _announces_paste(line: str) -> bool:
    """Tell whether the last sentence of a line says that somebody's text follows: "the log says:"."""
    if not line.endswith((":", "：")):
        return False
    said = _SENTENCE.split(line)[-1]
    asian = _CJK_SENTENCE.split(line)[-1]
    return bool(
        (line.endswith(":") and _PASTE_WORDS.search(said)) or _CJK_PASTE_WORDS.search(asian)
    )
