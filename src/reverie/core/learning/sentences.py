"""Sentences: how speech is split, and which sentences belong together because of a request.

Rules

* What is quoted stays in one piece; abbreviations and the numbers of a list end no sentence.
* What a request names after a semicolon, or in the sentences that follow a colon, belongs to it, up to a
  question, an order or the end of the paragraph.
* Each item of a list under a request (`Remember these two things:`) is asked for, whole, with what the list
  is called.
* `Please keep that in mind.` is about the nearest statement before it, `Remember the following.` about the
  next one. A task, a question and a remark that says nothing by itself are no such statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from reverie.core.learning import clarity, sentence_guards
from reverie.core.learning.requests import (
    Asked,
    announces,
    has_substance,
    pointing,
    read_request,
    requested,
)
from reverie.core.text.plain import ends_abbreviated

_BREAK: Final = re.compile(
    r"[。！？]++[”」』\"')）]*+|(?<![!?؟…])[!?؟…]++[\"'”)]*+(?=\s|$)|(?<!\.)\.++[\"'”)]*+(?=\s|$)"
    r"|；|;(?=\s)|\n++"
)
MAX_SENTENCE_CHARS: Final = 400  # longer ones are pasted text, not speech
_REACH: Final = 3  # so many sentences before it may be what a request points at
_FEW_WORDS: Final = 3
_FEW_CHARS: Final = 6
_LOOSE_ENDS: Final = " \t\n,;:，；：、—–-("
_JOINT: Final = re.compile(
    r"[\s,;]{1,3}(?:so|and|but|und|also|et|donc|y|así que|e|quindi|então|и|так что|поэтому|en|dus"
    r"|i|więc|ve)\s{0,3}\Z",
    re.I,
)
# Where a request may begin inside a sentence.
_ASKS_AFTER: Final = re.compile(
    r"(?:,(?!\d)|[;:，；：、(]|\s[—–-]|—)\s{0,3}(?:(?:and|but|so|also|und|aber|et|mais|y|pero|e|ma|и"
    r"|но|а|en|dus|więc"
    r"|ve|而且|但是?|所以|另外)(?:\s{1,3}|(?<=[\u3400-\u9fff])))?"
    r"|\s(?:so|and|but|und|donc|quindi|и|поэтому|dus|więc|ve)\s"
    r"|\s(?=(?:please|pls|plz|kindly|bitte|stp|s'il te plaît|por favor|per favore|пожалуйста"
    r"|alsjeblieft|proszę|lütfen)\s)",
    re.I,
)
_FULL_WIDTH: Final = "。！？；"
_CLOSING: Final = "\"'”)"
_GOES_ON: Final = (";", "；")
_BULLET: Final = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)、])\s+(?:\[[ xX]\]\s+)?")
# `These two things`: what a list is called says nothing more.
_THESE: Final = re.compile(
    r"\b(?:following|these|those|below|folgend\w*|diese|suivant\w*|ces|siguientes?|est[oa]s|seguintes?"
    r"|seguent[ei]"
    r"|quest[ei]|volgende|deze|следующ\w*|эти|następując\w*|te|aşağıdaki\w*|şunlar\w*)\b|以下|下面|次の|다음",
    re.I,
)
_MARK: Final = re.compile(
    r"[ \t]*(?:・[ \t]*|(?:[-*•+–]|(?:\d{1,2}|[a-z])[.)、])[ \t]+)(?:\[[ xX]\]\s+)?"
)
_FILLER: Final = re.compile(
    r"(?:(?:no|nope|nah|ok|okay|yes|yeah|yep|hey|hi|hello|hmm|well|actually|also|and|but|btw|"
    r"by the way|oh|so|great|thanks|"
    r"thank you|hm+|wait|right|sure|perfect|good|nice|fyi|reminder|note|one more thing|"
    r"for the record|just so you know|again|anyway|"
    r"nein|ja|okay|also|übrigens|ach|und|aber|danke|non|oui|merci|au fait|et|mais|sí|gracias|"
    r"por cierto|y|pero|não|sim|obrigad[oa]|"
    r"grazie|comunque|нет|да|ладно|кстати|и|но|спасибо)(?:\s*[,.!:—–]+\s*|\s*-\s+|\s+(?=(?:please|i|we|"
    r"remember|don't|do not|from now|"
    r"always|never|stop|use|bitte|ich|wir|je|nous|on|prefiero|я|мы|мне|не)\b))"
    r"|(?:不对|不是|不|好的|好|对了|对|另外|还有|顺便说一下|顺便|嗯|哦|行|谢谢)[,，。!！、:：]\s*"
    r"|(?:いや|いえ|はい|あと|ちなみに|それと|"
    r"ありがとう(?:ございます)?)[、,。]\s*"
    r"|(?:아니요?|네|그리고|참고로)[,.]\s*)",
    re.I,
)

_ORDER: Final = re.compile(
    r"(?:now|then|next|thanks|thank you|can|could|would|will|let's|jetzt|dann|danke|maintenant"
    r"|ensuite|merci|ahora|luego"
    r"|gracias|agora|depois|ora|adesso|poi|grazie|теперь|затем|потом|nu|daarna|teraz|potem|şimdi"
    r"|sonra)\b"
    r"|(?:please\s+)?(?:create|write|build|add|implement|fix|update|change|run|rerun|check|look"
    r"|generate|refactor|find|show"
    r"|tell|give|explain|open|review|remove|delete|rename|push|commit|merge|deploy)\s+(?:the|this"
    r"|that|a|an|it|me|my|our"
    r"|all|these)\b|现在|然后|请帮|それでは|では|次に|이제|그럼",
    re.I,
)


_CODE: Final = re.compile(r"`(?![\w-]*`)[^`\n]{1,300}`")
_SIGN: Final = "\uf8ff"  # that nobody types
_KEPT_CODE: Final = re.compile(rf"`qz{_SIGN}(\d{{1,4}})zq`", re.I)


def without_codes(text: str) -> tuple[str, Sequence[str]]:
    """Put a word in the place of each inline code that has signs or spaces: nothing begins or ends in it."""
    codes: list[str] = []

    def kept(found: re.Match[str]) -> str:
        codes.append(found[0])
        return f"`qz{_SIGN}{len(codes) - 1}zq`"

    return (text if _SIGN in text else _CODE.sub(kept, text)), codes


def with_codes(text: str, codes: Sequence[str]) -> str:
    """Put the inline codes back into a text."""
    return _KEPT_CODE.sub(lambda mark: codes[int(mark[1])], text)


def sentences(text: str) -> Iterator[str]:
    """Split speech into sentences, each with its end mark."""
    start = 0
    quoted = iter(sentence_guards.quoted_spans(text))
    begin, end = next(quoted, (0, 0))
    for match in _BREAK.finditer(text):
        while end and end < match.end():
            begin, end = next(quoted, (0, 0))
        if begin < match.start() and match.end() < end:
            continue  # what somebody else said stays in one piece, and is not read
        before = text[start : match.start()]
        if match[0].startswith(".") and (before.strip().isdigit() or ends_abbreviated(before)):
            continue  # the number of a list item ends no sentence either
        if match[0][-1] in _CLOSING and text[match.end() : match.end() + 2].strip().islower():
            continue  # `the "Forgot password?" link`: the mark belongs to what is quoted
        if piece := _trimmed(text[start : match.end()]):
            yield piece
        start = match.end()
    if piece := _trimmed(text[start:]):
        yield piece


def asked_lists(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the items of lists below a request, each with the request, and the text without them.

    >>> asked_lists("Remember these two things:\\n- Ann is vegan\\n- Ben doesn't drink\\nThanks!")[0]
    [('Remember these two things:', 'Ann is vegan'), ('Remember these two things:', "Ben doesn't drink")]
    """
    items: list[tuple[str, str]] = []
    kept: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        listed, end = _items(lines, at)
        above = list(sentences(line)) if listed and not _MARK.match(line) else []
        called = _called(without_fillers(above[-1])) if above else None
        if called is None:
            kept.append(line)
            continue
        kept.append(line.rstrip()[: -len(above[-1])])
        items += [(above[-1], f"{called}: {item}" if called else item) for item in listed if item]
        at = end
    return items, "\n".join(kept)


def _items(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """Return the items of the list that begins in a line or the next one, and where it ends."""
    items: list[str] = []
    end = at
    for number in range(at, len(lines)):
        mark = _MARK.match(lines[number])
        if mark is not None:
            items.append(lines[number][mark.end() :].strip())
            end = number + 1
        elif lines[number].strip() or number - end:
            break
    return items, end


def _called(head: str) -> str | None:
    """Return what a list is called that is to be remembered, which may be nothing; None if it is not."""
    asked = read_request(head)
    if asked is None or asked.points == "back":
        return None
    called = asked.said.rstrip(" :：")
    few = len(called.split()) <= _FEW_WORDS
    if not head.endswith((":", "：")) and not few:
        return None  # it says itself what is to be remembered
    return "" if few or _THESE.search(called) else called


def find_sentences(text: str) -> list[str]:
    """Split speech into sentences, each request with all that it names."""
    return list(_with_all_asked(text, list(sentences(text))))


def _with_all_asked(text: str, pieces: Sequence[str]) -> Iterator[str]:
    request: list[str] = []
    announced = False
    at = 0
    for piece in pieces:
        found = text.find(piece, at)
        same_paragraph = "\n" not in text[at : max(found, at)]
        at = max(found, at) + len(piece)
        spoken = without_fillers(piece)
        asks = requested(spoken) is not None
        if request and (asks or _is_another_matter(spoken) or (announced and not same_paragraph)):
            yield "".join(request).strip()
            request = []
        if request or (asks and (piece.endswith(_GOES_ON) or announces(spoken))):
            announced = announces(spoken) if not request else announced
            request.append(piece if piece[-1] in _FULL_WIDTH else f"{piece} ")
            if piece.endswith(_GOES_ON) or announced:
                continue
            yield "".join(request).strip()
            request = []
        else:
            yield piece
    if request:
        yield "".join(request).strip()


def _is_another_matter(spoken: str) -> bool:
    return asks_or_orders(spoken) or bool(pointing(spoken))


def find_request(spoken: str) -> tuple[int, Asked] | None:
    """Find a request in a sentence, at its beginning or after a clause of its own, and where it begins."""
    # Nobody begins to ask in the middle of a sentence that long.
    starts = [0]
    if len(spoken) <= MAX_SENTENCE_CHARS:
        starts += sorted({match.end() for match in _ASKS_AFTER.finditer(spoken)})
    quoted = sentence_guards.quoted_spans(spoken) if len(starts) > 1 else []
    for start in starts:
        if any(begin <= start < end for begin, end in quoted):
            continue
        if start and sentence_guards.tells_of_others(spoken[:start]):
            return None
        asked = read_request(without_fillers(spoken[start:]))
        if asked is not None:
            return start, asked
    return None


def said_before(spoken: str, start: int) -> str:
    """Return what a sentence says before a request that points at it, if that is a statement."""
    before = without_fillers(_JOINT.sub("", spoken[:start])).strip(_LOOSE_ENDS)
    asked = read_request(before)
    before = asked.said if asked is not None and asked.said else before
    return before if _is_statement(before) else ""


def _is_statement(said: str) -> bool:
    spaced = said.isascii() or " " in said.strip()
    long = len(said.split()) >= _FEW_WORDS if spaced else len(said) >= _FEW_CHARS
    return long and has_substance(said) and not asks_or_orders(said)


def pointed_at(pieces: Sequence[str]) -> tuple[set[int], set[int]]:
    """Return which sentences somebody asks to remember in another sentence, and those other ones.

    `The QA team is off on Mondays. Please keep that in mind.` and `Remember the following. The QA team ...`
    """
    meant: set[int] = set()
    pointers: set[int] = set()
    for number, piece in enumerate(pieces):
        spoken = without_fillers(piece)
        found = find_request(spoken)
        if found is None or found[1].said:
            continue
        start, asked = found
        own = said_before(spoken, start) if start else ""
        if own and clarity.points_at_nothing(own):
            continue  # the sentence says itself what is meant
        before = [
            other
            for other in range(number - 1, max(-1, number - 1 - _REACH), -1)
            if other not in pointers and _is_statement(without_fillers(pieces[other]))
        ]
        standing = [other for other in before if clarity.points_at_nothing(pieces[other])]
        if asked.points != "ahead" and (standing or (before and not own)):
            meant.add((standing or before)[0])
            pointers.add(number)
        elif (
            not own
            and number + 1 < len(pieces)
            and _is_statement(without_fillers(pieces[number + 1]))
        ):
            meant.add(number + 1)
            pointers.add(number)
    return meant, pointers


def asks_or_orders(piece: str) -> bool:
    spoken = without_fillers(piece)
    guards = sentence_guards
    asks = guards.is_question(spoken) or guards.begins_as_question(spoken)
    return asks or guards.is_task(spoken) or bool(_ORDER.match(spoken))


def without_fillers(text: str) -> str:
    """Leave out how a remark begins: `ok, so, by the way`."""
    while match := _FILLER.match(text):
        text = text[match.end() :]
    return text


def _trimmed(text: str) -> str:
    match = _BULLET.match(text)
    return text[match.end() if match else 0 :].strip()
