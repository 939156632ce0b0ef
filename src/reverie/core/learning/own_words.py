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

from reverie.core.learning.foreign_lines import Reach, own_part, reach_of
from reverie.core.learning.requests import read_request
from reverie.core.showing.fence import strip_recall_blocks
from reverie.core.showing.marks import disarmed

MAX_MESSAGE_CHARS: Final = 20_000  # speech is shorter; of more, both ends are read
MAX_SPOKEN_LINES: Final = 40  # beyond this most of it is pasted
_EDGE_LINES: Final = 8
_FOREIGN: Final = "\0"
"""Stands where something foreign was."""
_ENDED: Final = "\0\0"
"""Something foreign ended here: it is all that came before."""

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
_INDENTED: Final = re.compile(r"(?: {4}|\t)")
_PIECE: Final = re.compile(r"[^.!?。！？\n]*[.!?。！？\n]*")
# An opening quote that nobody closes on its line: `He wrote "Always ...`.
_LONE_QUOTE: Final = re.compile(
    r"(?<![\w\"])\"(?=\w)[^\"\n]*$|(?<![\w.!?…。！？])“[^“”\n]*$|„[^„“”\n]*$|«[^«»\n]*$|「[^「」\n]*$"
    r"|(?:\b(?:says?|said|wrote|reads?|tells?)|[:,])\s'(?=\w)[^'\n]*$"
)
# A quote that says something, not just names it.
_QUOTE: Final = re.compile(
    r"“[^“”]{1,2000}”|\"[^\"\n]{1,2000}\"|「[^「」]{1,2000}」|『[^『』]{1,2000}』|«[^«»]{1,2000}»"
    r"|„[^„“”]{1,2000}[“”]|(?<!\w)'[^'\n]{1,2000}'(?!\w)|`[^`\n]{1,2000}`|\[[^\[\]\n]{1,2000}\](?!\()"
)
_QUOTED_WORDS: Final = 6
_QUOTED_CHARS: Final = 10  # of scripts without spaces
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_TRIPLE: Final = re.compile(r"(?m:^[ \t]{0,20}(?:\"{3}|'{3})[^\"'\n]{0,40}$)")
_BRACKETS: Final = str.maketrans({"＜": "<", "＞": ">", "〈": "<", "〉": ">"})
_ENTITIES: Final = re.compile(r"&(lt|gt|#60|#62|#x3c|#x3e);", re.I)
_LESS: Final = frozenset({"lt", "#60", "#x3c"})


def speech(text: str) -> tuple[str, int]:
    """Return what a person said in a message, and how many characters were too much to read.

    >>> speech("Use tabs.\\n```\\ncode()\\n```\\n> quoted")
    ('Use tabs.', 0)
    """
    text = strip_recall_blocks(text.replace(_FOREIGN, "").replace("\r\n", "\n").replace("\r", "\n"))
    text = _ENTITIES.sub(lambda sign: "<" if sign[1].lower() in _LESS else ">", text)
    text = _without_markup(text.translate(_BRACKETS))
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
    text = _without_triples(text)
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
            kept = [] if inside is _ENDED else [*kept, inside]
            if at < 0:
                return "".join(kept)
    return "".join([*kept, text[at:]])


def _without_triples(text: str) -> str:
    """Put a mark where a stretch between lines of three quotes was; an odd one reaches to the end."""
    marks = list(_TRIPLE.finditer(text))
    if len(marks) % 2:
        return f"{text[: marks[0].start()]}\n\n"
    kept, at = [], 0
    for opening, closing in zip(marks[::2], marks[1::2], strict=True):
        kept += [text[at : opening.start()], "\n\n"]
        at = closing.end()
    return "".join([*kept, text[at:]])


def _last_ends(text: str) -> dict[str, int]:
    """Return where each element ends last, so that one without an end is known without a look ahead."""
    return {match[1].lower(): match.start() for match in _END_TAG.finditer(text)}


def _inside(text: str, match: re.Match[str]) -> tuple[str, int]:
    """Return what stays of a stretch of markup, and where it ends; -1 when it never does."""
    if mark := match["fence"]:
        closing = re.compile(rf"(?m:^[ \t]{{0,20}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$)")
        found = closing.search(text, match.end())
        if found is None and _ends_here(text, match.end()):
            return _ENDED, -1  # of a stretch that began before what we see
        return ("\n\n" if _begins_line(text, match) else _FOREIGN), found.end() if found else -1
    if match["comment"] or match["cdata"]:
        sign = "-->" if match["comment"] else "]]>"
        end = text.find(sign, match.end())
        return _FOREIGN, end + len(sign) if end >= 0 else -1
    if match["attached"]:
        found = _ATTACHED_END.search(text, match.end())
        return "\n\n", found.end() if found else -1
    return _element(text, match)


def _ends_here(text: str, at: int) -> bool:
    """Tell whether nothing follows a fence directly: then it ends something."""
    info, _, below = text[at:].partition("\n")
    return not info.strip() and not below.partition("\n")[0].strip()


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
    in_paragraph = False  # of something foreign
    for number, line in enumerate(lines):
        bare = line.replace(_FOREIGN, "")
        if disarmed(bare) != bare:
            break  # no person types what a model would obey
        if not bare.strip():
            in_paragraph = False
            kept.append("")
            continue
        reach = reach_of(bare, below=next(filter(str.strip, lines[number + 1 : number + 4]), ""))
        if reach is Reach.BEFORE:
            kept, in_paragraph = [""], False
            continue
        if reach is Reach.REST:
            break
        own, given = own_part(line)
        in_paragraph = in_paragraph or reach is Reach.PARAGRAPH
        if in_paragraph or _INDENTED.match(bare):
            if given or reach is Reach.AFTER:
                break
            kept.append("")
            continue
        own = _QUOTE.sub(_unless_a_name, _asked_in_quotes(own))
        quote = _LONE_QUOTE.search(own)
        kept.append(_whole(f"{own[: quote.start()]}{_FOREIGN}" if quote else own))
        if given or quote is not None or reach is Reach.AFTER:
            break  # what follows is somebody else's text
    return kept


def _asked_in_quotes(line: str) -> str:
    """Take off the quotes around all that somebody asks to remember: it is their own wish."""
    asked = read_request(line)
    quote = _QUOTE.match(line, asked.start) if asked is not None and asked.said else None
    if asked is None or quote is None or line[quote.end() :].strip(" .!。！"):
        return line
    return f"{line[: asked.start]}{quote[0][1:-1]}"


def _unless_a_name(quote: re.Match[str]) -> str:
    """Keep a quote that names something; what it says is somebody else's."""
    said = quote[0][1:-1]
    long = len(said.split()) >= _QUOTED_WORDS or len(_UNSPACED.findall(said)) >= _QUOTED_CHARS
    return _FOREIGN if long else quote[0]


def _whole(line: str) -> str:
    """Return the sentences of a line that nothing was taken out of."""
    if _FOREIGN not in line:
        return line
    pieces = (piece[0] for piece in _PIECE.finditer(line))
    return "".join(piece for piece in pieces if _FOREIGN not in piece).strip()
