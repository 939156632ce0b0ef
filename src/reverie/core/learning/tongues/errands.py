"""Errands: what is to be done once, in the words of a request: `don't forget to push`."""

from __future__ import annotations

import re
from typing import Final

# `Don't forget to push` is something to do once; with `always` or `every` it is a rule.
_ERRAND: Final = re.compile(
    r"(?:(?:please|also|and|so|just) ){0,3}(?:don'?t|do not|never) (?:ever )?forget to\b"
    r"|(?:bitte )?(?:vergiss|vergessen sie) (?:bitte )?nicht,? [^,:.]{0,200}?\bzu\b"
    r"|n['’]oublie(?:z)? (?:surtout )?pas (?:de|d['’])|não (?:se )?esque[çc]a de \w+r\b"
    r"|no (?:te )?olvides (?:de )?\w+(?:[aei]r|[aei]rl[ao])\b|non dimenticare di\b"
    r"|(?:пожалуйста,? )?не забуд(?:ь|ьте) (?:также )?\w+(?:ть|ти|чь)(?:ся)?\b"
    r"|(?:(?:en|maar|ook"
    r"|alsjeblieft),? ){0,2}vergeet (?:alsjeblieft )?niet,? (?:om )?[^,:.]{0,200}?\bte\b"
    r"|(?:(?:i|ale|też|proszę),? ){0,2}nie zapom(?:nij|inaj)(?:cie)? (?:proszę )?(?:też |potem "
    r"|jeszcze )?\w+(?:ć|c|ść|źć)(?: się)?\b"
    r"|(?:[请請]|你|一定)*(?:记得|記得|别忘了?|別忘了?"
    r"|不要忘[记記]?了?)(?![^。！？]{0,200}[是在有叫会會不都每总總用的])",
    re.I,
)
# Among the terms of a task, `remember to cite your sources` is one of them.
_TO_DO: Final = re.compile(
    r"(?:(?:please|also|and|so|just) ){0,3}(?:remember|make a note|keep in mind) to\b"
    r"|(?:bitte )?denke?n?(?: sie)? (?:immer )?daran,? [^,:.]{0,200}?\bzu\b"
    r"|(?:souviens-toi|rappelle-toi) (?:de|d['’])|recuerda \w+[aei]r\b|lembre-se de \w+r\b"
    r"|ricorda(?:ti)? di \w+re\b|не забуд(?:ь|ьте|ем)? (?:также )?(?:о|об|про)\b"
    r"|(?:помни|учти|имей в виду)(?:те)?,? (?:что )?(?:нужно|надо)\b"
    r"|(?:onthoud|vergeet niet|denk er ?aan),? (?:om )?[^,:.]{0,200}?\bte\b|(?:nie zapomnij"
    r"|pamiętaj),? (?:żeby |aby )?"
    r"\w+(?:ć|c)\b|(?:lembra-te|lembra) de \w+r\b|acu[eé]rdate de \w+r\b",
    re.I,
)
# ... and so it is where the request stands last: `테스트 돌리는 거 잊지 마`.
_TO_DO_LAST: Final = re.compile(
    r"(?:는 ?거|는 ?것|[기길])(?:을|를)?\s*(?:잊지|기억)|m[ae]y[ıi]\s+unutma|のを忘れないで", re.I
)
# Something to do for once, because of when it is to be done.
_ONCE: Final = re.compile(
    r"\b(?:after (?:this|that)|afterwards|when (?:you're|you are|we're|we are) done|(?:just|only)"
    r" (?:for )?this"
    r"|this time|today|tonight|tomorrow|before (?:you|we) (?:finish|leave|stop|end)|before finishing"
    r"|danach|anschließend|nachher|diesmal|bevor du fertig|après ça|ensuite|avant de finir"
    r"|avant de terminer"
    r"|cette fois|después|luego|antes de (?:terminar|acabar)|esta vez|depois|desta vez|dopo|prima di"
    r" (?:finire"
    r"|terminare|chiudere)|stavolta|questa volta|потом|после этого|перед (?:концом|завершением)|в"
    r" этот раз|daarna"
    r"|deze keer|potem|tym razem|sonra|bu sefer)\b|这次|然后|今回|이번|다음에|나서",
    re.I,
)
_THIS_ONCE: Final = re.compile(
    r"(?:but )?(?:just|only|nur|seulement|juste|solo|sólo|só|apenas|solo|только|alleen|tylko|sadece)"
    r" (?:for |für |pour |por"
    r" |para |per |на |voor |na )?(?:this|today|now|once|diesmal|dieses? mal|heute|cette fois"
    r"|aujourd'hui|esta vez|hoy"
    r"|desta vez|hoje|questa volta|stavolta|oggi|этот раз|сегодня|deze keer|vandaag|ten raz|dzisiaj"
    r"|bu sefer)",
    re.I,
)
# `Remember, you are not alone`: advice to somebody, not something to know.
_ADVICE: Final = re.compile(
    r"(?:(?:and|but|so|just|please) )?(?:always )?(?:remember|don'?t forget|keep in mind|помните?"
    r"|denk daran"
    r"|souviens-toi|recuerda)\s*[,!—–-]",
    re.I,
)
_TO_SOMEBODY: Final = re.compile(
    r"\b(?:you|your|yourself|you're|ты|вы|тебя|вас|ваш\w*|твой|твоя|du|dein\w*|tu|ton|ta|tú)\b",
    re.I,
)
_MUST: Final = re.compile(
    r"\b(?:must|should|shall|may not|can'?t|cannot|don'?t|need to|have to|долж\w+|нельзя|musst"
    r"|darfst|sollst"
    r"|dois|debes)\b",
    re.I,
)


def is_errand(sentence: str) -> bool:
    """Tell whether a request is about something to do once: `don't forget to push`."""
    return bool(_ERRAND.match(sentence)) or bool(_TO_DO_LAST.search(sentence))


def is_to_do(sentence: str) -> bool:
    """Tell whether a request is about something to do, be it for once or for ever."""
    return is_errand(sentence) or bool(_TO_DO.match(sentence))


def is_only_this_once(following: str) -> bool:
    """Tell whether the next sentence takes back that something holds for longer: `Just for this one.`"""
    return bool(_THIS_ONCE.match(following))


def is_for_once(sentence: str) -> bool:
    """Tell whether a sentence says that something is to be done this time only."""
    return bool(_ONCE.search(sentence))


def is_advice(sentence: str) -> bool:
    """Tell whether a sentence reminds somebody of themselves: `remember, you are not alone`."""
    return (
        bool(_ADVICE.match(sentence))
        and bool(_TO_SOMEBODY.search(sentence))
        and not _MUST.search(sentence)
    )
