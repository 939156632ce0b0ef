"""Cues: words by which a statement says that something holds now, or does not any more.

They are read in statements made by `statement_key`: small letters, no marks at the ends of words. Every
repetition is bounded, so no text makes them slow.
"""

from __future__ import annotations

import re
from typing import Final

from reverie.core.text.value_words import MONTHS

OPENERS: Final = re.compile(
    r"\A(?:(?:by the way|btw|fyi|update|heads up|just so you know|just to let you know"
    r"|unfortunately|finally|good news|news|so|well|hey|hi|ok|okay|note that|please note(?: that)?"
    r"|übrigens|achtung|kurze info|au fait|attention|por cierto|aviso|a propósito|per inciso"
    r"|tra l'altro|кстати|对了|顺便说一下|ちなみに|참고로|trouwens|nawiasem mówiąc|bu arada)\b ?)+"
)
"""What opens a remark and is no part of what it says."""

_MONTH: Final = "|".join(MONTHS.split())
_WEEKDAY: Final = (
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag"
    "|lundi|mardi"
    "|mercredi|jeudi|vendredi|lunes|martes|miércoles|jueves|viernes|maandag|dinsdag|woensdag|donderdag"
    "|vrijdag"
    "|poniedziałku|wtorku|środy|czwartku|piątku|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia"
    "|września"
    "|października|listopada|grudnia|last week|last month|last year"
)
_DAY: Final = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|(?:\d{{1,2}}\.? )?(?:{_MONTH}|may|{_WEEKDAY})(?: \d{{1,2}}(?:st|nd|rd"
    rf"|th)?)?(?: \d{{4}})?"
    r"|(?:19|20)\d\d)"
)
_SPAN: Final = (
    r"(?:now|today|yesterday|tomorrow|(?:this|last|next) (?:week|month|year|quarter|sprint|release|term"
    r"|semester|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
    rf"|january|february|march|april|may|june|july|august|september|october|november|december)|{_DAY})"
)
_EVENT: Final = (
    r"(?:reorg|reorgani[sz]ation|migration|move|merger|takeover|switch|upgrade|rewrite|relaunch|release|change|summer"
    r"|spring|autumn|fall|winter|holidays?|wedding|divorce|operation|accident|pandemic|outage|incident|audit|split)"
)
SINCE: Final = re.compile(
    rf"\b(?:ever )?since (?:(?:the|our|my|that|last) )?{_EVENT}\b"
    rf"|\b(?:as of|effective|starting(?: from)?|beginning|ever since|since) {_SPAN}\b"
    r"|\bfrom (?:this|next) (?:week|month|year|quarter|sprint|release|term|semester)(?: on(?:wards?)?)?\b"
    rf"|\bfrom {_SPAN} on(?:wards?)?\b"
    rf"|\b(?:seit|ab) (?:heute|gestern|morgen|kurzem|letzte[rnms]? \w{{3,12}}|diese[rnms]? \w{{3,12}}"
    rf"|(?:dem )?{_DAY})\b"
    rf"|\b(?:depuis|dès|à partir (?:de|du)) (?:aujourd'hui|hier|demain|peu|(?:le |cette |ce )?{_DAY})\b"
    rf"|\b(?:desde|a partir de|a partir del) (?:hoy|ayer|hace poco|(?:el |este |esta )?{_DAY})\b"
    rf"|\b(?:dal?|a partire da) (?:oggi|ieri|poco|questo \w{{3,12}}|questa \w{{3,12}}|gennaio|febbraio|marzo"
    r"|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|\d{4})\b"
    rf"|\bс (?:сегодняшнего дня|этого \w{{3,12}}|прошлого \w{{3,12}}|недавних пор|января|февраля|марта|апреля"
    r"|мая|июня|июля|августа|сентября|октября|ноября|декабря|понедельника|вторника|среды|четверга|пятницы)\b"
    rf"|\b(?:sinds|vanaf) (?:kort|vandaag|vorige (?:week|maand|zomer|winter)|vorig jaar|{_DAY})\b"
    rf"|\bod (?:dzisiaj|dziś|wczoraj|niedawna|{_DAY})\b"
    r"|从[^,;]{1,8}(?:起|开始)|自[^,;]{1,8}起"
)
"""From a day on: what holds since then did not before."""

ASIDE: Final = re.compile(r"\A(?:now|so|then|well), +", re.IGNORECASE)
"""`Now, ...` opens a remark; it does not say since when."""

CORRECTED: Final = re.compile(
    r"\A(?:(?:and|oh|oops|ah|wait|hm+|well|sorry|my mistake|my bad|scratch that|i was wrong|i"
    r" misspoke|i made a mistake"
    r"|i got that wrong|to correct myself|let me correct (?:that|myself)|correction|actually|in fact"
    r"|as it turns out"
    r"|it turns out(?: that)?|turns out(?: that)?|i meant(?: that)?|rather|korrektur|ich korrigiere"
    r"|richtigstellung"
    r"|berichtigung|eigentlich|tatsächlich|entschuldigung|verzeihung|stimmt nicht|ich habe mich"
    r" (?:geirrt|vertan)"
    r"|pardon|désolée?|correction|rectification|en fait|en réalité|je me suis trompée?|je corrige|finalement"
    r"|perdón|perdona|corrección|en realidad|de hecho|me equivoqué|corrijo|rectifico"
    r"|correção|na verdade|desculpa|desculpe|me enganei|corrigindo|corrijo|aliás"
    r"|scusa|scusate|correzione|in realtà|a dire il vero|mi sono sbagliat[oa]|mi correggo|rettifico"
    r"|correctie|eigenlijk|ik vergiste me|pardon|in werkelijkheid"
    r"|поправка|исправление|на самом деле|вернее|точнее|извини(?:те)?|я ошибся|я ошиблась|оказалось(?: что)?"
    r"|korekta|poprawka|sprostowanie|właściwie|przepraszam|pomyliłem się|pomyliłam się|tak naprawdę"
    r"|düzeltme|düzeltiyorum|aslında|pardon|yanlış söyledim|özür dilerim)\b ?){1,4}"
    r"|\A(?:更正|纠正|订正|其实|实际上|说错了|不对|抱歉)(?:一下)?|\A(?:訂正(?:です|します)?|実は"
    r"|すみません|間違えました)"
    r"|\A(?:정정(?:합니다|할게요)?|사실은?|죄송(?:해요|합니다)|실은)"
)
"""How somebody begins to set right what was said before."""
RIGHTED: Final = re.compile(
    r"\b(?:actually|in fact|doch erst|doch|erst|eigentlich|en fait|en realidad|na verdade|in realtà)\b"
)
"""The same inside a sentence."""
NOT_SO: Final = re.compile(
    r"[,;，、]\s{0,9}(?:and |und |et |y |e |и |而)?"
    r"(?:not|nicht|pas|no|non|não|не|niet|nie|不是|而不是)\s{0,9}"
    r"(?P<old>[^\s,;.!。！，][^,;.!。！，]{0,59})[.!。！]?\s{0,9}\Z",
    re.IGNORECASE,
)
"""At the end: the value that does not hold."""

NOW: Final = re.compile(
    r"\b(?:from now on|as of (?:now|today)|starting (?:now|today)|right now|now|currently|nowadays|these days"
    r"|at the moment|at present|by now|going forward"
    r"|ab sofort|ab jetzt|jetzt|inzwischen|mittlerweile|neuerdings|nun|derzeit|seitdem|künftig|fortan"
    r"|heutzutage"
    r"|à partir de maintenant|maintenant|désormais|dorénavant|actuellement|à présent|aujourd'hui|à l'avenir"
    r"|a partir de ahora|de ahora en adelante|ahora|actualmente|hoy en día"
    r"|a partir de agora|daqui em diante|de agora em diante|agora|atualmente|hoje em dia"
    r"|d'ora in poi|d'ora in avanti|ora|adesso|attualmente|oggi|ormai"
    r"|с этого дня|с сегодняшнего дня|с этого момента|теперь|сейчас|отныне|ныне"
    r"|vanaf nu|nu|tegenwoordig|voortaan|momenteel|od teraz|teraz|obecnie|aktualnie|bundan sonra|artık|şimdi"
    r"|şu anda)\b"
    r"|从现在起|从今天起|从今以后|现在|如今|目前|今後は?|これからは?|現在は?|今は|今では"
    r"|今(?=[^日朝夜晩年月週度回後])"
    r"|이제부터는?|이제는?|지금은|현재는?|앞으로는?|요즘은?"
)
"""Something holds from now on, so it did not before."""

_MONTH_NAMES: Final = (
    rf"(?:{_MONTH}|may|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października"
    r"|listopada|grudnia)"
)
_WHEN: Final = (
    r"(?:yesterday|today|tonight|last (?:night|week|weekend|month|year|spring|summer|autumn|fall"
    r"|winter|quarter"
    r"|sprint|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|this (?:morning|afternoon"
    r"|week|weekend"
    r"|month|year|spring|summer|autumn|fall|winter|quarter|sprint)|(?:earlier|late) this (?:week|month|year)"
    r"|(?:an?|two|three|four|five|six|a few|a couple of|several|\d{1,3}) (?:days?|weeks?|months?|years?) ago"
    r"|recently|full time|for good|the other day|over the weekend|at the weekend"
    r"|gestern|heute|letzte[nrs]? (?:woche|monat|jahr|wochenende|sommer|winter)|vor (?:kurzem"
    r"|\w{2,8} (?:tagen|wochen"
    r"|monaten|jahren))|kürzlich|neulich|am wochenende"
    r"|hier|la semaine dernière|le mois dernier|l'an dernier|l'année dernière|récemment|ce week-end"
    r"|il y a \w{2,8}"
    r" (?:jours|semaines|mois|ans)"
    r"|ayer|la semana pasada|el mes pasado|el año pasado|hace \w{2,8} (?:días|semanas|meses|años)"
    r"|recientemente"
    r"|ieri|la settimana scorsa|il mese scorso|l'anno scorso|da poco|recentemente"
    r"|ontem|(?:na )?semana passada|(?:no )?mês passado|(?:no )?ano passado"
    r"|gisteren|vorige (?:week|maand)|vorig jaar|onlangs"
    r"|wczoraj|w zeszłym (?:tygodniu|miesiącu|roku)|niedawno"
    r"|вчера|на прошлой неделе|в прошлом (?:месяце|году)|недавно|dün|geçen (?:ay|hafta|yıl)"
    rf"|(?:in|im|en|em|a|ad|в|w) {_MONTH_NAMES}(?: (?:19|20)\d\d)?)"
)
WHEN: Final = re.compile(
    rf"\A{_WHEN}\b|\b{_WHEN}\Z|上(?:个)?(?:周|月|星期)|昨天|去年|最近|刚刚?|前几天|昨日|先週|先月"
    rf"|지난(?:주|달|해)에? ?"
    r"|어제 ?|최근에? ?|작년에 ?"
)
"""When something happened: it is no part of what holds since then."""

ENDED: Final = (
    (re.compile(r"\b(?:no longer|used to|ya no|já não|не больше|больше не|już nie|nie już)\b|不再|已经不"
                r"|以前は"), " "),
    (re.compile(r"\b(?:do not|does not|don't|doesn't|dont|doesnt) (?=[^.]{0,80}\bany ?(?:more"
                r"|longer)\b)"), ""),
    (re.compile(r"\b(am|is|are|'m|'s|'re) not (?=[^.]{0,80}\bany ?(?:more|longer)\b)"), r"\1 "),
    (re.compile(r"\b(?:not )?any ?(?:more|longer)\b"), " "),
    (re.compile(r"\b(?:(?:have|has|just|recently|finally) ){0,2}(?:stopped|quit|gave up|given up)"
                r" (?=[^\W\d_]{2,18}ing\b)"), "are "),
    (re.compile(r"\b(?:nicht|keine?[nrsm]?) ((?:[^.]{0,80}? )?)mehr\b"), r"\1"),
    (re.compile(r"\b(?:n'|ne )(\w{1,30}) plus\b(?: (?:de|d'))?"), r"\1"),
    (re.compile(r"\bnon (\w{1,30}) più\b|\bnão (\w{1,30}) mais\b"), r"\1\2"),
    (re.compile(r"\b(?:geen|niet) ((?:[^.]{0,80}? )?)meer\b"), r"\1"),
    (re.compile(r"(?<!要)(?<!能)不(?=[^,;不]{1,20}了\Z)"), ""),
    (re.compile(r"もう(?=.{0,80}(?:ません|ない))"), ""),
    (re.compile(r"더 이상 ?"), ""),
    (re.compile(r"\bartık (?=.{0,80}m[ıiuü]yor)"), ""),
)  # fmt: skip
"""Something does not hold any more; without these words it says what held."""

DENIED: Final = (
    (re.compile(r"ていません"), "ています"),
    (re.compile(r"ていない(?:です)?"), "ている"),
    (re.compile(r"ではありません|じゃありません|ではない(?:です)?|じゃない(?:です)?"), "です"),
    (re.compile(r"ません"), "ます"),
    (re.compile(r"하지 않(?:습니다|아요|는다|음)"), "합니다"),
    (re.compile(r"지 않(?:습니다|아요|는다|음)"), "ㅂ니다"),
    (re.compile(r"m([ıiuü])yor"), r"\1yor"),
)
"""Endings that deny, in languages where the verb does: what it says without them."""

STARTED: Final = (
    (re.compile(r"\b(?:(?:have|has|had|just|recently) ){0,2}(?:started|began|begun) (?:working|to work)"
                r" (?=at|for|as)"), "work "),
    (re.compile(r"\b(?:have|has) been rewritten in\b"), "is written in"),
    (re.compile(r"\bwas rewritten in\b"), "is written in"),
)  # fmt: skip
"""What began, and so took the place of what was."""

BEGUN: Final = re.compile(
    r"\b(?:(?:have|has|had|just|recently) ){0,2}(?:started|began|begun) (?=[^\W\d_]{2,18}ing\b)"
)
"""What somebody began to do, maybe beside something else."""

NEW: Final = (
    (re.compile(r"\b(my|our|his|her|their|your|the|[^\W\d_]{1,30}'s) (?:brand )?new (?=\w)"), r"\1 "),
    (re.compile(r"\b(meine?[rnms]?|unsere?[rnms]?|seine?[rnms]?|ihre?[rnms]?|der|die"
                r"|das) neue[rns]? (?=\w)"), r"\1 "),
    (re.compile(r"\b(mon|ma|notre|son|sa|leur|le|la) (?:nouvel(?:le)?|nouveau) (?=\w)"), r"\1 "),
    (re.compile(r"\b(mi|nuestr[oa]|su|el|la) nuev[oa] (?=\w)"), r"\1 "),
    (re.compile(r"\b(meu|minha|noss[oa]|seu|sua|[oa]) nov[oa] (?=\w)"), r"\1 "),
    (re.compile(r"\b(mi[oa]|nostr[oa]|su[oa]|il|la) nuov[oa] (?=\w)"), r"\1 "),
    (re.compile(r"\b(мо[йяё]|наш[ае]?|е[её]|его|их) нов(?:ый|ая|ое|ой) (?=\w)"), r"\1 "),
    (re.compile(r"\b(mijn|ons|onze|zijn|haar|de|het) nieuwe? (?=\w)"), r"\1 "),
    (re.compile(r"\b(m[óo]j|moja|moim|moją|nasz(?:a|e|ym|ą)?) now(?:y|a|e|ym|ą) (?=\w)"), r"\1 "),
    (re.compile(r"\byeni (?=\w)"), ""),
    (re.compile(r"(?<=的)新(?:的)?(?=[^,;]{1,10}是)"), ""),
    (re.compile(r"(?<=是我的)新|(?<=是我们的)新"), ""),
    (re.compile(r"\A新しい(?=[^,;]{1,12}は)"), ""),
    (re.compile(r"\A(우리 |저희 |제 )?새(?:로운)? (?=\S)"), r"\1"),
)  # fmt: skip
"""`my new manager is` and `is the new head of`: there was one before."""

INSTEAD: Final = re.compile(
    r"\b(?:instead of|rather than|in place of|anstelle von|al posto d(?:i|el|ella)|à la place d(?:e"
    r"|u)|statt|anstatt|au lieu (?:de la|de l'|du"
    r"|de)"
    r"|en lugar de|en vez de|em vez d[eoa]|invece d(?:i|el|ella)|вместо|in plaats van|zamiast)"
    r" (?:(?:using|taking|having|the|der|dem|des) )?(?P<old>[^,;]{1,80})"
)
"""The value that does not hold, beside the one that does."""

LISTS: Final = re.compile(
    r"\b(?:(?:one|some|part|each|any|two|three|several|many|most) of|also|another|too|as well|besides"
    r"|additionally|in addition|among|including|includes?|such as|for example|e\.g|either|both|or|sometimes"
    r"|once(?! (?:an?|every|per|each)\b)|ein(?:e[rs]?)? (?:der|von|unserer|meiner)"
    r"|auch|ausserdem|zusätzlich|unter anderem"
    r"|weitere[rns]?|oder|manchmal"
    r"|l'une? des|un des|une des|aussi|également|une? autre|en plus|ou|parfois"
    r"|un[oa] de|también|además|otr[oa]|um d[oa]s|uma d[oa]s|também|além|outr[oa]|às vezes|a veces"
    r"|un[oa] de[il]|anche|inoltre|oppure|один из|одна из|также|тоже|ещё|еще|или|иногда"
    r"|een van|ook|soms|jeden z|jedna z|również|też|albo|czasem|ayrıca|bazen|veya)\b"
    r"|之一|也|还|另外|另一|或|有时|の(?:一つ|ひとつ)|ほかに|他にも|また|중 하나|또한|가끔"
)
"""One of several: such a statement neither replaces anything nor is replaced."""

ANY_ONE: Final = re.compile(
    r"\A(?:an?|one|two|three|four) (?=.{0,200}\b(?:is|are|was|were|has|have|on|with|the|of|by)\b)"
    r"|\A(?:some|someone|somebody|people|several|many|few|various|most|jemand|einige|manche|leute|quelqu'un"
    r"|certains"
    r"|des gens|alguien|algunos|algunas|alguns|qualcuno|alcuni|кто-то|некоторые|iemand|ktoś)\b"
    r"|\A(?:ein|eine|einer) |有人|有些|某|\A一[个位只条名]|誰か|ある人|누군가|어떤 "
)
"""Somebody or something, it is not said who or which: no two statements are about the same one."""

CONTRASTS: Final = frozenset(
    ["but", "sondern", "mais", "sino", "pero", "mas", "ma", "bensì", "а", "но", "而", "maar", "lecz", "tylko"]
)  # fmt: skip
"""After what ended, they begin what holds instead."""

AFTER_CONTRASTS: Final = frozenset(["rather", "instead", "plutôt", "sim", "piuttosto", "是"])
"""Words that may follow these and say nothing of their own."""
