"""One way into a prompt: text from outside shown as data, whatever model or host reads it.

Rules
- Everything that comes from a memory, a file, a conversation or a request and goes into a prompt, a
  briefing, a fence or a tool's answer passes `disarmed`, `harmless` or `one_line`, and nothing else.
- What a model or a host could obey stays readable: the `<` of a mark is shown as `‹`, the `[` of one
  as `⟦`, and a line that begins with a speaker's name gets `› ` before it; so do `Human:` and
  `Assistant:`, which divide a conversation for some models, within a line.
- Tags are judged by shape, not only by name: one with `-`, `_` or `:` in its name, in capitals, or
  with a word of roles and tools in it is a mark; comparisons, generics, HTML and XML of plain names
  are text. Look-alike letters, entities, spaces and hidden characters change nothing.
- The same text twice is the same, each pass costs time in proportion to the text, and a text at most
  grows by a small factor.
"""

from __future__ import annotations

import re
import unicodedata

from reverie.core.showing.mark_table import (
    CAPITALS,
    HEADED,
    HEADERS,
    HTML,
    LOOKALIKES,
    MARKS,
    NUMBERED_NAMES,
    ROLES,
    ROLES_ELSEWHERE,
    SCHEMES,
    SHOUTED,
    TAG,
    WORDS,
)
from reverie.core.text.plain import Lazy

TYPE_CHECKING = False  # not from `typing`, which costs a hook three milliseconds
if TYPE_CHECKING:
    from typing import Final

_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = "\ufe00-\ufe0f\u180b-\u180d\u180f\U000e0100-\U000e01ef"
_SPACE: Final = rf"[\s{_JOINERS}{_SELECTORS}]*+"
_ENCLOSED: Final = "\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189"
_NAME: Final = (
    rf"[\w▁＿﹍-﹏\u0300-\u036f{_ENCLOSED}{_JOINERS}{_SELECTORS}"  # what a class of it begins with
)
_BARS: Final = "|｜¦∣│┃￨❘ǀ⏐"
_SIGNS: Final = "<＜﹤⟨〈\u2329❬❮˂ᐸ"
_OPEN: Final = (
    rf"(?P<open>[{_SIGNS}]|&(?:amp;){{0,4}}(?:lt|\#0{{0,6}}60|\#x0{{0,6}}3c);?|\\u\{{?0{{0,4}}3c\}}?|\\x3c"
    r"|\\0?74|%(?:25){0,3}3c)"
)
_CLOSE: Final = (
    r"(?:[>＞﹥⟩〉\u232a❭❯˃ᐳ|｜¦]|&(?:amp;){0,4}(?:gt|\#0{0,6}62|\#x0{0,6}3e)|\\u003e|\\x3e|\\0?76"
    r"|%(?:25){0,3}3e)"
)
_OPENER: Final = (
    rf"(?i){_OPEN}(?=(?P<gap>{_SPACE}[\\/／∕⁄]{{0,4}}+{_SPACE})(?P<bar>[{_BARS}]?+)(?P<room>{_SPACE})"
    rf"(?P<name>[\w▁＿{_ENCLOSED}](?:{_NAME}:：﹕.．‐-―−－﹣-]{{0,63}})))"
)
_CLOSED: Final = (
    rf"(?i){_SPACE}(?:[/／]{_SPACE})?+"
    rf"(?:{_CLOSE}|[=＝]|(?<=\s)(?:[^\W\d]|[{_ENCLOSED}])[\w{_ENCLOSED}]{{0,40}}+{_SPACE}(?:[=＝]|{_CLOSE}))"
)
_SQUARE: Final = (
    rf"(?i)[\[［](?={_SPACE}[/／]?+{_SPACE}(?P<bar>[{_BARS}]?+){_SPACE}"
    rf"(?P<name>[\w▁＿{_ENCLOSED}]{_NAME}]{{0,40}}){_SPACE}[{_BARS}]?+{_SPACE}[\]］])|\](?=~!?b[\[\]])|\[(?=e~\[)"
)
_COLONS: Final = ":：﹕︓∶ː꞉"
_BEFORE_SPEAKER: Final = f"#＃﹟*_`~()[]{{}}【】（）［］「」{_JOINERS}"
_SPEAKER_CHARS: Final = 60
_TURNS: Final = ("Human", "Assistant", "HUMAN", "ASSISTANT")
_TURN: Final = rf"(?<![\w›-])(?<!› )(?:{'|'.join(_TURNS)})(?=[ \t]?[{_COLONS}])"
# A pattern costs a hook a millisecond: it is made only for a text that may hold what it looks for.
_SQUARE_HINTS: Final = (
    "inst", "tool", "system", "think", "call", "mask", "model", "audio", "transcribe", "fix", "middle",
    "unused", "special", "reserved", "|", "]~", "~[", "[user", "[bot", "[ai]", "[human", "[assistant", "[sep",
    "[cls", "[bos", "[eos", "[eot", "[img", "[args", "[mask", "[pad", "[control", "sys", "[developer",
    "[admin", "[observation",
)  # fmt: skip
_HEADING: Final = r"(?m)^( {0,3})(#{1,3})(?=[ \t])"

_CLINGING: Final = (
    rf"(?P<plain>(?:(?<=[\x00-\x7f])|\A)(?!\ufe0f\u20e3)[{_JOINERS}{_SELECTORS}]++)"
    rf"|(?P<select>[{_SELECTORS}]?+)(?P<join>[{_JOINERS}]?+)"
    rf"(?:(?<=[{_JOINERS}{_SELECTORS}])[{_JOINERS}{_SELECTORS}]++)"
)
# Shown as nothing and no format characters to Unicode: letters that fill a place.
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_LINE_ENDS: Final = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "\n")


def disarmed(text: str) -> str:
    """Show a text without hidden characters and without marks that would be obeyed."""
    text = visible(text)
    plain, lower = text.isascii(), text.lower()
    if not plain or any(sign in text for sign in ("<", "&", "\\", "%")):
        text = Lazy(_OPENER).compiled().sub(_opened, text)
    if not plain or (("[" in text or "]" in text) and any(hint in lower for hint in _SQUARE_HINTS)):
        text = Lazy(_SQUARE).compiled().sub(_bracketed, text)
    if not plain or ":" in text:
        text = "\n".join(map(_spoken, text.split("\n")))
        if any(name in text for name in _TURNS):
            text = "\n".join(map(_undivided, text.split("\n")))
    return text


def harmless(text: str) -> str:
    """Show a text as data below a heading of ours: `disarmed`, and no heading that could pass for it."""
    return re.sub(_HEADING, r"\1####", disarmed(text))


def one_line(text: str) -> str:
    """Show a name, a path or a description as data, on one line."""
    return harmless(" ".join(visible(text).split()))


def visible(text: str) -> str:
    """Return a text without what no reader sees; every line ends in a line feed."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = text.replace("\r\n", "\n").translate(_LINE_ENDS)
    seen = set(text)
    gone = {char for char in seen if _is_hidden(char)}
    if gone:
        text = text.translate(dict.fromkeys(map(ord, gone)))
    if not text.isascii():
        text = Lazy(_CLINGING).compiled().sub(_clung, text)
    return text


def as_written(text: str, known: str) -> str:
    """Undo `disarmed` in a text that was made from what was shown of `known`."""
    if not any(sign in text for sign in "‹⟦⟧›"):
        return text

    def original(match: re.Match[str]) -> str:
        plain = match[0].removeprefix("› ").translate(_WRITTEN)
        return plain if plain in known and match[0] not in known else match[0]

    return re.sub(
        r"[‹⟦⟧][^\s‹⟦⟧]{0,80}|(?m:(?<=^)|(?<=[ \t]))› [^\s:：﹕︓∶ː꞉]{1,80}", original, text
    )


def is_suspect(text: str) -> bool:
    """Say whether a text holds hidden characters or a tag that would be obeyed."""
    shown = visible(text)
    return (
        shown != text
        or any(_is_tag_mark(match) for match in re.finditer(_OPENER, shown))
        or any(_is_square_mark(match) for match in re.finditer(_SQUARE, shown))
    )


def count_marks(before: str, after: str) -> int:
    """Count what `disarmed` had to show otherwise."""
    return sum(max(after.count(sign) - before.count(sign), 0) for sign in "‹⟦⟧›")


def _is_hidden(char: str) -> bool:
    if char in "\n\t" or char in _JOINERS:
        return False
    return char in _FILLERS or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _clung(match: re.Match[str]) -> str:
    """Keep one selector and one joiner after the letter or sign that they belong to."""
    return "" if match["plain"] else f"{match['select']}{match['join']}"


# --- tags -----------------------------------------------------------------------------------------


def _opened(match: re.Match[str]) -> str:
    name: str = match["name"]
    word = name.isascii() and name.isalpha() and not name.isupper() and not match["bar"]
    if word and name.casefold() not in _known():
        return match[0]  # nearly always, and quickly told
    return "‹" if _is_tag_mark(match) or _is_odd_tag(match) else match[0]


def _is_tag_mark(match: re.Match[str]) -> bool:
    """Say whether a sign opens something that a model or a host would obey."""
    if match["bar"]:
        return not match["room"] or _is_closed(match)
    name = _folded(match["name"])
    plain = _squeezed(name)
    known = plain in _known()
    if name.startswith(TAG) or (known and "-" in name):  # no program compares with such a name
        return True
    if not known and not (_parts(name) & WORDS and plain != name):
        return bool(NUMBERED_NAMES & {plain.rstrip("0123456789")}) and _is_closed(match)
    if _is_header(match, plain):
        return False
    return _is_closed(match) if _is_loose(match) or len(plain) < 4 else True


def _is_odd_tag(match: re.Match[str]) -> bool:
    """Say whether a tag is one that no document has: its name is compound, or in capitals."""
    written = match["name"]
    if len(match["open"]) > 1 or match["bar"] or not written.isascii() or _is_loose(match):
        return False
    shouted = len(written) > 3 and written.isupper() and written.casefold() not in HTML
    compound = any(sign in written.strip("-_:.") for sign in "-_:")
    scheme = written.partition(":")[0].casefold() in SCHEMES
    return (shouted or compound) and not scheme and _is_closed(match)


def _is_loose(match: re.Match[str]) -> bool:
    """Say whether the sign may be one of comparison, of a generic type or of a here-document."""
    before = match.string[match.start() - 1 : match.start()] if match.start() else ""
    return (
        before.isalnum()
        or before in ("_", ".", *_SIGNS)
        or match.string[max(match.start() - 2, 0) : match.start()] == "::"
        or any(map(str.isspace, match["gap"]))
    )


def _is_closed(match: re.Match[str]) -> bool:
    end = match.end("name")
    # A window, so that a text of spaces is not read again for every tag before them.
    return re.match(_CLOSED, match.string[end : end + 200]) is not None


def _is_header(match: re.Match[str], plain: str) -> bool:
    """Say whether this is what a C program includes."""
    before = match.string[max(match.start() - 12, 0) : match.start()].rstrip(" \t")
    if not before.endswith(("#include", "# include", "#import")):
        return False
    following = match.string[match.end("name") : match.end("name") + 1]
    return plain in HEADERS or following == "/" or match["name"].endswith((".h", ".hpp"))


# --- other marks ----------------------------------------------------------------------------------


def _bracketed(match: re.Match[str]) -> str:
    if match["name"] is None:
        return "⟧" if match[0] == "]" else "⟦"
    return "⟦" if _is_square_mark(match) else match[0]


def _is_square_mark(match: re.Match[str]) -> bool:
    if match["name"] is None:
        return True
    name = _folded(match["name"])
    plain = _squeezed(name)
    if match["name"].isupper() and plain != name and _parts(name) & WORDS:
        return True  # `[TOOL_RESULT]`, of whatever family
    if match["bar"]:
        return plain in WORDS or plain in ("ai", "bot", "endofturn")
    if plain in SHOUTED and match["name"].isupper():
        return not re.match(r"[^\[\]［］\n]{0,100}[\]］]\(", match.string[match.end() :][:120])
    return plain in _known_squares() or plain.rstrip("0123456789") in NUMBERED_NAMES


def _spoken(line: str) -> str:
    """Move the name of a speaker away from the line's beginning."""
    head = line.lstrip()[:_SPEAKER_CHARS]
    ends = [at for colon in _COLONS if (at := head.find(colon)) >= 0]
    if not ends:
        return line
    words = head[: min(ends)]
    name = words.strip(f" \t{_BEFORE_SPEAKER}") if words.isascii() else words
    name = " ".join(_folded(name).strip(f" \t{_BEFORE_SPEAKER}").split())
    foreign = (
        not words.isascii() and _cased(words).strip(f" \t{_BEFORE_SPEAKER}") in _roles_elsewhere()
    )
    headed = name in HEADED and any(sign in words for sign in "#＃﹟")
    if not (name in ROLES or foreign or headed):
        return line
    blank = len(line) - len(line.lstrip())
    return f"{line[:blank]}› {line[blank:]}"


def _undivided(line: str) -> str:
    """Do the same within a line; its beginning was looked at."""
    done = 0
    if line.lstrip().startswith("› "):
        done = min((at for sign in _COLONS if (at := line.find(sign)) >= 0), default=0)
    return line[:done] + re.sub(_TURN, r"› \g<0>", line[done:])


# --- names ----------------------------------------------------------------------------------------

_tables: dict[str, frozenset[str]] = {}


def _known() -> frozenset[str]:
    """Return the names of all tags in the table, without what stands between their words."""
    return _tables.get("tags") or _tables.setdefault("tags", _names("<"))


def _known_squares() -> frozenset[str]:
    return _tables.get("squares") or _tables.setdefault("squares", _names("["))


def _roles_elsewhere() -> frozenset[str]:
    return _tables.get("roles") or _tables.setdefault(
        "roles", frozenset(map(_cased, ROLES_ELSEWHERE))
    )


def _names(sign: str) -> frozenset[str]:
    found = set()
    for _, _, marks in MARKS:
        for mark in marks:
            bare = mark.lstrip(f"{sign}/{_BARS}").split(" ")[0]
            bare = bare.strip(f">]:{_BARS}").partition("=")[0]
            if mark.startswith(sign) and mark[1] not in "|~" and "~" not in bare:
                found.add(_squeezed(bare.casefold()).rstrip("0123456789"))
    return frozenset(found - NUMBERED_NAMES)


def _folded(name: str) -> str:
    """Return a name as it reads: in small plain letters, whatever signs spell it."""
    if not name.isascii():
        name = _bare(name).translate(CAPITALS).casefold().translate(_look_alikes())
        name = "".join("-" if unicodedata.category(char) == "Pd" else char for char in name)
    return name.casefold()


def _cased(name: str) -> str:
    """Return a name in small letters of its own script."""
    return _bare(name).casefold()


def _bare(name: str) -> str:
    shown = unicodedata.normalize("NFKD", name)
    return "".join(char for char in shown if unicodedata.category(char)[0] not in "MC")


def _look_alikes() -> dict[int, str]:
    pairs = (entry.split("=") for entry in LOOKALIKES.split())
    return {ord(char): plain for chars, plain in pairs for char in chars}


def _squeezed(name: str) -> str:
    return name.translate(_BETWEEN)


def _parts(name: str) -> set[str]:
    return set(name.translate(_SPACED).split())


_WRITTEN: Final = {ord("‹"): "<", ord("⟦"): "[", ord("⟧"): "]"}
_BETWEEN: Final = dict.fromkeys(map(ord, "-_:.▁−"))
_SPACED: Final = dict.fromkeys(map(ord, "-_:.▁−"), " ")
