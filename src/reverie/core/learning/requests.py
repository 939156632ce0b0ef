"""Requests: a person says in so many words that something is to be remembered.

Rules

* What follows such words is kept, whatever it is: no other rule about form, length or time applies.
* A question about the past (`do you remember when ...`), a forgetful remark (`I can't remember`) and a
  request with nothing behind it are none.
"""

from __future__ import annotations

import re
from typing import Final

MAX_REQUEST_CHARS: Final = 2000

_ASKED: Final = (
    r"(?:(?:please|bitte|s'il (?:te|vous) pla[iî]t|por favor|per favore|пожалуйста)[,\s]+)?"
    r"(?:(?:can|could|would|will) you\s+(?:please\s+)?|(?:kannst|könntest) du (?:dir )?|(?:peux"
    r"|pourrais)-tu"
    r"|(?:puedes|podrías) |i(?:'d| would) like you to |i want you to |you (?:should|must|need to) "
    r"|let's )?"
    r"(?:also |always |auch |aussi |también )?"
)
_ENGLISH: Final = (
    r"(?:remember|memori[sz]e|keep in mind|bear in mind|don'?t (?:ever )?forget|do not forget"
    r"|never forget"
    r"|(?:make|take) a (?:mental )?note|take note|(?:save|store|write|put|add|commit|keep"
    r"|record) (?:this |that |it )?"
    r"(?:to|in|into) (?:your |my |the )?(?:long-term )?memory|for (?:future|later) reference"
    r"|note for (?:the future|later|next time))"
    r"(?: (?:please|well|(?:this|it|these|the following)"
    r"(?=\s*(?:[:;,—–-]|that\b|for\b|please\b|well\b|\Z))|for (?:later|next time|the future|me"
    r"|future \w{1,20}|all \w{1,20})|"
    r"from now on)\b){0,3}\s*(?:[:,;—–-]+|\bthat\b|\bto\b|\bof\b)?\s*(?:\bthat\b)?"
)
_GERMAN: Final = (
    r"(?:merke?n?(?: sie)?(?: dir| euch| sich)?|denke?n?(?: sie)? (?:immer )?daran"
    r"|vergiss (?:bitte )?nicht|vergessen sie nicht"
    r"|behalte?(?: bitte)? im (?:kopf|hinterkopf|gedächtnis)|notiere?(?: dir)?"
    r"|speicher\w{0,2}(?: dir)?)(?: bitte)?[,:]?\s*(?:dass\b|:)?"
)
_FRENCH: Final = (
    r"(?:souviens-toi(?: bien)?|souvenez-vous|rappelle-toi(?: bien)?|retiens(?: bien)?|retenez"
    r"|n'oublie(?:z)? pas|garde en (?:tête|mémoire)"
    r"|mémorise|note(?: bien)?(?= qu[e']|\s*:))\s*[:,]?\s*(?:que\b|qu'|de\b|ceci\s*:)?"
)
_SPANISH: Final = (
    r"(?:recuerda|recuerde|acu[eé]rdate|ten (?:en cuenta|presente)|no (?:te )?olvides|memoriza"
    r"|anota)\s*[:,]?\s*(?:de que\b|que\b|esto\s*:|de\b)?"
)
_PORTUGUESE: Final = (
    r"(?:lembre(?:-se)?|lembra(?:-te)?|não (?:se )?esque[çc]a|tenha em mente|memorize"
    r"|anote)\s*[:,]?\s*(?:de que\b|que\b|de\b|disso\s*:)?"
)
_ITALIAN: Final = (
    r"(?:ricorda(?:ti)?|ricordi|tieni (?:presente|a mente)|non dimenticare|memorizza"
    r"|annota)\s*[:,]?\s*(?:che\b|di\b|questo\s*:)?"
)
_RUSSIAN: Final = (
    r"(?:запомни|помни|имей в виду|учти|не забудь|не забывай|заметь себе"
    r"|сохрани в память)(?:те)?\s*[,:]?\s*(?:что\b|это\s*:)?"
)
_CHINESE: Final = (
    r"(?:[请請]|麻烦|麻煩|帮我|幫我|你要?|一定要?|务必)*(?:记住|記住|记得|記得|记一下|記一下|记下来?|記下來?|记着|牢记|别忘了?|別忘了?|不要忘记?了?"
    r"|不要忘記?了?)[,，:：\s]*"
)
_JAPANESE: Final = (
    r"(?:覚えておいて|覚えといて|覚えて(?:ね|ください)|メモして(?:おいて)?|忘れないで)"
    r"(?:ください|ほしい|ね)?[、,:：\s]*"
)
_KOREAN: Final = (
    r"(?:꼭\s?|부디\s?|제발\s?)?(?:(?:기억해|메모해|적어|외워|명심해)\s?(?:줘요?|주세요|주십시오|두세요|두십시오|둬요?|두어요?|놔요?|라)"
    r"|(?:기억|메모|명심)(?:하세요|하십시오|하시오|하렴|해라)"
    r"|잊지\s?(?:마세요|마십시오|말아\s?(?:줘요?|주세요)|말아요?|마라|마)"
    r"|(?:기억해|메모해|명심해|외워|적어)요?(?=\s*[:：,]))[,:：\s]*"  # alone, it may be `I remember`
)
_REQUEST: Final = re.compile(
    rf"\s*(?:{_ASKED}(?:(?:{_ENGLISH}|{_GERMAN}|{_FRENCH}|{_SPANISH}|{_PORTUGUESE}|{_ITALIAN}"
    rf"|{_RUSSIAN})(?!\w))"
    rf"|{_CHINESE}|{_JAPANESE}|{_KOREAN})\s*",
    re.I,
)
# The same words with another meaning.
_NOT_ONE: Final = re.compile(
    r"(?:do|did|don't|didn't) (?:you|we|they|i) |back\b|(?:when|how|what|why|who|where|last time|the (?:time"
    r"|day|days|first time))\b"
    r"[^:]{0,200}\?\s*\Z|erinnerst|te souviens-tu|¿",
    re.I,
)
_AT_END: Final = re.compile(
    r"(?P<said>\S.{1,600}?)[\s,.;:，、—–-]*(?:(?:please )?(?:remember|memori[sz]e|don'?t forget) (?:this"
    r"|that|it)(?: please)?"
    r"|(?:bitte )?merk dir das|souviens-t'en|recuérdalo|请?记住(?:这(?:一)?点|这个)"
    r"|と?覚えておいて(?:ください)?"
    r"|(?:기억해|메모해|명심해)\s?(?:줘요?|주세요|두세요|둬요?|라)|잊지\s?(?:마세요|마|말아요?))[.!。！]*\s*\Z",
    re.I | re.S,
)
# `I'll have to remember that` asks for nothing.
_TOLD_OF: Final = re.compile(
    r"(?:\b(?:i|we|you|they|he|she|it|who|everyone|will|always|never|still|to|can|could|would|must|should|cannot"
    r"|don't|didn't|do|did|won't|can't|and|me|us|them)|['’](?:ll|d|ve|m))[\s,]*\Z",
    re.I,
)
# `Don't forget to push` is something to do once; with `always` or `every` it is a rule.
_ERRAND: Final = re.compile(
    r"(?:(?:please|also|and|so|just) ){0,3}(?:don'?t|do not|never) (?:ever )?forget to\b"
    r"|(?:bitte )?(?:vergiss|vergessen sie) (?:bitte )?nicht,? [^,:.]{0,200}?\bzu\b"
    r"|n['’]oublie(?:z)? (?:surtout )?pas (?:de|d['’])|não (?:se )?esque[çc]a de \w+r\b"
    r"|no (?:te )?olvides (?:de )?\w+(?:[aei]r|[aei]rl[ao])\b|non dimenticare di\b"
    r"|(?:пожалуйста,? )?не забуд(?:ь|ьте) (?:также )?\w+(?:ть|ти|чь)(?:ся)?\b"
    r"|(?:[请請]|你|一定)*(?:记得|記得|别忘了?|別忘了?|不要忘[记記]?了?)(?![^。！？]{0,200}[是在有叫会會不都每总總用的])",
    re.I,
)
# Among the terms of a task, `remember to cite your sources` is one of them.
_TO_DO: Final = re.compile(
    r"(?:(?:please|also|and|so|just) ){0,3}(?:remember|make a note|keep in mind) to\b"
    r"|(?:bitte )?denke?n?(?: sie)? (?:immer )?daran,? [^,:.]{0,200}?\bzu\b"
    r"|(?:souviens-toi|rappelle-toi) (?:de|d['’])|recuerda \w+[aei]r\b|lembre-se de \w+r\b"
    r"|ricorda(?:ti)? di \w+re\b|не забуд(?:ь|ьте|ем)? (?:также )?(?:о|об|про)\b"
    r"|(?:помни|учти|имей в виду)(?:те)?,? (?:что )?(?:нужно|надо)\b",
    re.I,
)
# `Remember, you are not alone`: advice to somebody, not something to know.
_ADVICE: Final = re.compile(
    r"(?:(?:and|but|so|just|please) )?(?:always )?(?:remember|don'?t forget|keep in mind|помните?|denk daran"
    r"|souviens-toi|recuerda)\s*[,!—–-]",
    re.I,
)
_TO_SOMEBODY: Final = re.compile(
    r"\b(?:you|your|yourself|you're|ты|вы|тебя|вас|ваш\w*|твой|твоя|du|dein\w*|tu|ton|ta|tú)\b",
    re.I,
)
_MUST: Final = re.compile(
    r"\b(?:must|should|shall|may not|can'?t|cannot|don'?t|need to|have to|долж\w+|нельзя|musst|darfst|sollst"
    r"|dois|debes)\b",
    re.I,
)
# `Remember the last agent they used`: a wish for a program, or a call, as likely as something to know.
_BARE: Final = re.compile(
    r"\s*(?:(?:and|but|so|just|always|also) )*(?:remember|(?:keep|bear) in mind|(?:don'?t|never) forget)"
    r"\s*[,!—–-]?\s*",
    re.I,
)
_DUMMY: Final = re.compile(r"(?:it|this)(?: is| was|['’]s)\b", re.I)
_OUTER: Final = " \t\n.,;:!?。，；：！？、—–-"
_LETTERS: Final = re.compile(r"\w")


def requested(sentence: str) -> str | None:
    """Return what a sentence asks to remember; None when it asks for nothing of the kind.

    >>> requested("Please remember that staging is wiped on Sundays.")
    'staging is wiped on Sundays'
    """
    found = _REQUEST.match(sentence)
    if found is not None:
        said = sentence[found.end() :]
        if _NOT_ONE.match(sentence) or _NOT_ONE.match(said):
            return None
    else:
        last = _AT_END.match(sentence)
        if last is None or _TOLD_OF.search(last["said"]):
            return None
        said = last["said"]
    said = said.lstrip(_OUTER).rstrip(" \t\n.,;:!?。，；：！？、—–")
    return said[:MAX_REQUEST_CHARS] if len(_LETTERS.findall(said)) >= 2 else None


def is_errand(sentence: str) -> bool:
    """Tell whether a request is about something to do once: `don't forget to push`."""
    return bool(_ERRAND.match(sentence))


def is_to_do(sentence: str) -> bool:
    """Tell whether a request is about something to do, be it for once or for ever."""
    return is_errand(sentence) or bool(_TO_DO.match(sentence))


def is_advice(sentence: str) -> bool:
    """Tell whether a sentence reminds somebody of themselves: `remember, you are not alone`."""
    return (
        bool(_ADVICE.match(sentence))
        and bool(_TO_SOMEBODY.search(sentence))
        and not _MUST.search(sentence)
    )


def is_loose(sentence: str) -> bool:
    """Tell whether a request does not set off what is to be remembered, as `remember that` does."""
    found = _REQUEST.match(sentence)
    bare = found is not None and _BARE.fullmatch(found[0])
    return bool(bare) and not _DUMMY.match(sentence[found.end() if found else 0 :])
