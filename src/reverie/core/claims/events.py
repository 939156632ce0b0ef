"""Events: sentences that tell of a change, read into what changed, what it was and what it is.

Rules

* `S moved from X to Y`, `we replaced X with Y` name what went.
* `T was raised to Y`, `we changed T to Y` name what came; the old statement must be about T and nothing
  else. `S moved to Y` (went) does so for where or when S is.
* `We switched to Y` says what is used.

The patterns read what `statement_key` makes, without words for now. Every repetition is bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from reverie.core.text.plain import Lazy

EventKind: TypeAlias = Literal["replaced", "moved", "went", "set", "used", "dropped"]


@dataclass(frozen=True, slots=True)
class Told:
    """A change as a sentence tells it, in its own words."""

    kind: EventKind
    subject: str = ""
    theme: str = ""
    former: str = ""
    value: str = ""


_S: Final = r"(?P<s>[^,;]{1,80}?)"
_T: Final = r"(?P<t>[^,;]{1,80}?)"
_X: Final = r"(?P<x>[^,;]{1,80}?)"
_Y: Final = r"(?P<y>[^,;]{1,80})"
_WHO: Final = r"(?P<s>i|we|they|he|she|the team|our team|my team)"
_HAVE: Final = r"(?:(?:have|has|had|'ve|just|recently|finally|already) ){0,3}"
_BEEN: Final = (
    r"(?:(?:have|has|had|been|was|were|is|are|got|gets|being|just|recently|finally|be|to) ){0,4}"
)
_MOVES: Final = (
    r"(?:moved?|moves|relocated|switched|migrated|changed|went|transferred|shifted|converted|ported|upgraded"
    r"|downgraded|updated|bumped|grew|dropped|rose|fell|increased|reduced|raised|lowered|cut|extended"
    r"|shortened"
    r"|pushed|postponed|rescheduled|delayed|renamed|rebranded|promoted)"
)
_SETS: Final = (
    r"(?:changed|raised|lowered|increased|decreased|reduced|cut|extended|shortened|bumped(?: up)?|updated|set"
    r"|upgraded|downgraded|doubled|halved|capped|went up|went down|goes up|rose|fell|dropped|grew|shrank"
    r"|expanded)"
)
_ZH_MOVES: Final = r"(?:搬|迁|移|改|换|转|升|调|变|切)"

# In the order in which they are tried.
_TABLE: Final[tuple[tuple[EventKind, str], ...]] = (
    ("replaced", rf"{_S} {_HAVE}(?:replaced|swapped(?: out)?|traded|exchanged) {_X} (?:with|by|for) {_Y}"),
    ("replaced", rf"{_X} {_BEEN}(?:replaced|swapped(?: out)?|superseded) (?:with|by|for) {_Y}"),
    ("moved", rf"{_WHO} {_HAVE}{_MOVES}(?: over)? {_T} (?:over )?from {_X} (?:over )?(?:in)?to {_Y}"),
    ("moved", rf"{_S} {_BEEN}{_MOVES}(?: over| up| down| back)? from {_X} (?:over )?(?:in)?to {_Y}"),
    ("went", rf"(?P<t>i|he|she|they|we) {_HAVE}(?:moved|relocated)(?: back)? (?:in)?to {_Y}"),
    ("used", rf"{_WHO} {_HAVE}(?:switched|migrated|changed|moved|went|upgraded|updated"
             rf"|converted)(?: over)? to {_Y}"),
    ("went", rf"(?:we|i|they) {_HAVE}(?:moved|relocated|migrated|transferred|pushed(?: back)?|postponed"
             rf"|rescheduled"
             rf"|delayed|shifted|put) {_T} (?:back )?(?:in)?(?:to|until|till) {_Y}"),
    ("went", rf"{_T} {_BEEN}(?:moved|relocated|migrated|transferred|pushed(?: back| out)?|put off|put back"
             rf"|postponed"
             rf"|rescheduled|shifted|delayed|brought forward|slipped)(?: back)? (?:in)?(?:to|until"
             rf"|till) {_Y}"),
    ("set", rf"{_WHO} {_HAVE}(?:{_SETS}|renamed|switched) {_T} (?:up |down |back )?(?:to|until|till) {_Y}"),
    ("set", rf"{_T} {_BEEN}{_SETS} (?:to|until|till) {_Y}"),
    ("set", rf"{_T} {_BEEN}(?:renamed|rebranded)(?: to| as)? {_Y}"),
    ("dropped", rf"{_WHO} {_HAVE}(?:quit|left|resigned from) (?:(?:my|his|her|their|our) (?:job|position"
                rf"|post)"
                r" (?:at|with|in) )?(?P<x>[^,;]{1,80})"),
    ("dropped", rf"{_WHO} {_HAVE}(?:dropped|ditched|abandoned|got rid of|moved off|moved away from|retired"
                rf"|left"
                rf"|decommissioned|sold|cancell?ed|phased out|stopped using"
                rf"|quit using) (?P<x>[^,;]{{1,80}})"),
    # German
    ("replaced", rf"{_S} (?:habe|haben|hat) {_X} (?:durch|gegen) {_Y} (?:ersetzt|ausgetauscht|getauscht)"),
    ("replaced", rf"{_X} (?:wurden?|ist|sind) durch {_Y} (?:ersetzt|abgelöst)(?: worden)?"),
    ("replaced", rf"{_S} (?:ersetze|ersetzen|ersetzt) {_X} durch {_Y}"),
    ("moved", rf"(?P<s>ich|wir) (?:habe|haben) {_T} von {_X} (?:auf|nach|zu|in) {_Y} (?:umgestellt|migriert"
              rf"|verschoben"
              r"|verlegt|umgezogen|geändert|umbenannt|erhöht|gesenkt)"),
    ("moved", rf"{_S} (?:bin|sind|ist|wurden?|hat|haben) (?:vor kurzem |kürzlich )?von {_X} (?:auf|nach|zu"
              rf"|in|zur|zum)"
              rf" {_Y} (?:umgestiegen|gewechselt|migriert|umgezogen|gezogen|verlegt|verschoben|geändert"
              rf"|erhöht|gesenkt"
              r"|umgestellt|umbenannt|gestiegen|gesunken)(?: worden)?"),
    ("moved", rf"{_S} (?:zieht|ziehe|ziehen|wechselt|wechsle|wechseln|steigt|steigen) von {_X} (?:auf|nach"
              rf"|zu|in|zur|zum)"
              rf" {_Y}(?: um)?"),
    ("used", rf"{_S} (?:bin|sind|ist) (?:auf|zu|zur|zum) {_Y} (?:umgestiegen|gewechselt|migriert"
             rf"|übergegangen)"),
    ("set", rf"(?:wir|ich) (?:haben|habe) {_T} (?:auf|in|nach) {_Y} (?:erhöht|gesenkt|geändert|umbenannt"
            r"|umgestellt|verlängert|verkürzt|gesetzt)"),
    ("went", rf"(?:wir|ich) (?:haben|habe) {_T} (?:auf|in|nach|zu) (?:den |die |das )?{_Y} (?:verschoben"
             rf"|verlegt|gelegt)"),
    ("went", rf"{_T} (?:wurden?|bin|ist|sind) (?:auf|zu|in|nach|ins|zum|zur) (?:den |die "
             rf"|das )?{_Y} (?:verschoben|verlegt"
             r"|umgezogen|gezogen|vertagt|vorverlegt)(?: worden)?"),
    ("set", rf"{_T} (?:wurden?|ist|sind) (?:auf|zu|in) (?:den |die |das )?{_Y} (?:erhöht|gesenkt|geändert"
            r"|umbenannt|umgestellt|verlängert|verkürzt|gestiegen|gesunken)(?: worden)?"),
    # French
    ("replaced", rf"{_S} (?:avons|ai|a|ont) remplacé {_X} par {_Y}"),
    ("replaced", rf"{_X} (?:a|ont) été remplacée?s? par {_Y}"),
    ("moved", rf"{_S} (?:avons|ai|a|ont|est|sont|sommes|suis) (?:été )?(?:déménagée?s?|passée?s?|migrée?s?"
              rf"|basculée?s?"
              rf"|changée?s?|transférée?s?|déplacée?s?|reportée?s?|repoussée?s?|augmentée?s?) (?:de |du "
              rf"|d'){_X}"
              rf" (?:à|au|vers|aux|sur) {_Y}"),
    ("used", rf"{_S} (?:sommes|avons|suis|ai|est|a) (?:passée?s?|migré|basculé) (?:à|au|vers|sur) {_Y}"),
    ("went", rf"{_T} (?:ai|a|ont|est|sont|sommes) (?:déménagé|emménagé) (?:à|au|en|aux|dans) {_Y}"),
    ("set", rf"{_T} (?:a|ont|est|sont) (?:été )?(?:reportée?s?|repoussée?s?|déplacée?s?|décalée?s?"
            rf"|changée?s?|portée?s?"
            rf"|fixée?s?|avancée?s?|augmentée?s?|réduite?s?|passée?s?|renommée?s?) (?:à|au|en|aux"
            rf"|jusqu'au)? ?{_Y}"),
    ("set", rf"(?:nous avons|j'ai|je ai) (?:changé|porté|fixé|déplacé|repoussé|augmenté|réduit|renommé) {_T}"
            rf" (?:à|au|en|sur) {_Y}"),
    # Spanish, Portuguese
    ("used", r"(?P<s>)(?:hemos cambiado|cambiamos|migramos|nos pasamos|nos hemos pasado|nos cambiamos"
             r"|mudamos|passamos)"
             rf" (?:a|al|para|para o) {_Y}"),
    ("went", rf"(?P<t>)me (?:he mudado|mudé|trasladé) a {_Y}"),
    ("went", rf"(?P<t>)(?:me )?mudei(?:-me)? para (?:o |a )?{_Y}"),
    ("replaced", rf"(?:(?P<s>[^,;]{{1,40}}?) )?(?:hemos )?(?:reemplaza(?:mos|do|ron)|sustitui(?:mos|do)"
                 rf"|cambia(?:mos|do)"
                 rf"|substituímos|trocamos) (?:el |la |o |a )?{_X} (?:por|con) (?:el |la |o |a )?{_Y}"),
    ("replaced", rf"{_X} (?:fue|ha sido|foi) (?:reemplazad[oa]|sustituid[oa]|substituíd[oa]"
                 rf"|trocad[oa]) por {_Y}"),
    ("moved", rf"{_S} (?:se |nos |me )?(?:ha |hemos |foi |fue )?(?:mud(?:ó|amos|ado|ada|ou|ei|é)|pas(?:ó"
              rf"|amos|ado|ou|ei|é)"
              rf"|migr(?:ó|amos|ado|ou)|cambi(?:ó|amos|ado)|traslad(?:ó|amos|ado|ada)|sub(?:ió|iu)|baj(?:ó"
              rf"|ado)|movid[oa]"
              rf"|transferid[oa]|mov(?:ió|eu)|alterad[oa]) (?:de|del|do|da) {_X} (?:a|al|para|para o"
              rf"|para a) {_Y}"),
    ("moved", rf"(?P<s>nos |me )?(?:mud(?:amos|ei|é)|pas(?:amos|ei|é)|migramos|cambiamos) (?:de|del|do"
              rf"|da) {_X}"
              rf" (?:a|al|para|para o|para a) {_Y}"),
    ("set", rf"{_T} (?:se |ha |foi |fue |ha sido |se ha )?(?:cambi(?:ó|ado|ada)|mov(?:ió|ido|ida|eu|ida|ido)"
            rf"|aplaz(?:ó|ado|ada)"
            rf"|pospuesto|pospuesta|pospuso|retras(?:ó|ado|ada)|adelant(?:ó|ado|ada)|sub(?:ió|iu|ido)"
            rf"|baj(?:ó|ado)|aument(?:ó|ado"
            rf"|ou)|pas(?:ó|ou)|adiad[oa]|alterad[oa]|mud(?:ou|ó|ado|ada)|traslad(?:ó|ado|ada)"
            rf"|renombrad[oa]) (?:a|al|para|para o"
            rf"|para a|às|até) (?:el |la |o |a )?{_Y}"),
    ("set", rf"(?:hemos |)(?:cambia(?:mos|do)|subi(?:mos|do)|baja(?:mos|do)|mov(?:imos|ido)|muda(?:mos)"
            rf"|altera(?:mos)) {_T}"
            rf" (?:a|al|para) {_Y}"),
    # Italian
    ("went", rf"(?P<t>)mi sono trasferit[oa] (?:a|in) {_Y}"),
    ("used", rf"(?P<s>)(?:siamo passati|abbiamo cambiato|siamo migrati) a {_Y}"),
    ("replaced", rf"(?:(?P<s>noi|io) )?(?:abbiamo|ho) sostituito {_X} con {_Y}"),
    ("moved", rf"{_S} (?:è|sono|siamo|ha|abbiamo) (?:stat[oaie] )?(?:spostat[oaie]|passat[oaie]|migrat[oaie]"
              rf"|trasferit[oaie]"
              rf"|cambiat[oaie]|passato) (?:da|dal|dalla) {_X} (?:a|al|alla) {_Y}"),
    ("moved", rf"(?P<s>)(?:siamo |abbiamo |sono )(?:passat[oaie]|migrat[oaie]|trasferit[oaie]"
              rf"|cambiat[oaie]) (?:da|dal|dalla) {_X}"
              rf" (?:a|al|alla) {_Y}"),
    ("set", rf"{_T} (?:è|sono) stat[oaie] (?:spostat[oaie]|cambiat[oaie]|rinviat[oaie]|posticipat[oaie]"
            rf"|anticipat[oaie]"
            rf"|aumentat[oaie]|ridott[oaie]|portat[oaie]|rinominat[oaie]) (?:a|al|alla|in) {_Y}"),
    # Russian
    ("replaced", rf"{_S} заменил[аи]? {_X} на {_Y}"),
    ("moved", rf"{_S} (?:переехал[аио]?|перенесл[аи]?|перенес[её]н[аоы]?|переш[её]л|перешл[аио]"
              rf"|мигрировал[аи]?|сменил[аи]?)"
              rf" (?:с|со|из|от) {_X} (?:на|в) {_Y}"),
    ("used", rf"{_S} (?:переш[её]л|перешл[аио]) на {_Y}"),
    ("went", rf"{_T} (?:переехал[аио]?|перебрал(?:ся|ась|ись)) (?:в|на) {_Y}"),
    ("set", rf"{_T} (?:был[аои]? )?(?:перенесл[аи]?|перенес[её]н[аоы]?|изменил[аи]?(?:сь)?|увеличил[аи]?"
            rf"|увеличен[аоы]?"
            rf"|снизил[аи]?|снижен[аоы]?|сдвинул[аи]?|отложил[аи]?|отложен[аоы]?|продлил[аи]?"
            rf"|продл[её]н[аоы]?"
            rf"|переименовал[аи]?|переименован[аоы]?|подняли|повысили) (?:на|до|в) {_Y}"),
    # Dutch, Polish
    ("replaced", rf"{_S} (?:hebben|heb|heeft) {_X} (?:vervangen door|door) {_Y}(?: vervangen)?"),
    ("moved", rf"{_S} (?:zijn|ben|is) (?:verhuisd |overgestapt )?van {_X} (?:naar|op) {_Y}(?: (?:verhuisd"
              rf"|overgestapt|verplaatst))?"),
    ("set", rf"{_T} (?:is|zijn|werd) (?:verplaatst|verhoogd|verlaagd|uitgesteld|gewijzigd|verzet"
            rf"|verschoven) (?:naar|tot|in) {_Y}"),
    ("set", rf"{_T} (?:is|zijn|werd) naar {_Y} (?:verplaatst|verhoogd|verlaagd|uitgesteld|gewijzigd|verzet"
            rf"|verschoven|verhuisd)"),
    ("went", rf"(?P<t>ik|wij|we|hij|zij) (?:ben|zijn|is) (?:naar {_Y} verhuisd|verhuisd naar"
             rf" (?P<y2>[^,;]{{1,80}}))"),
    ("went", rf"(?P<t>)przeprowadził(?:em|am) się do {_Y}"),
    ("replaced", rf"(?P<s>)zastąpiliśmy {_X} (?:przez )?{_Y}"),
    ("set", rf"{_T} (?:został[ao]?|zostało) (?:przeniesion[yae]|zmienion[yae]|przełożon[yae]|podniesion[yae]"
            rf"|obniżon[yae])"
            rf" (?:na|do) {_Y}"),
    # Chinese, Japanese, Korean
    ("moved", rf"(?P<s>[^,;]{{1,40}}?)从(?P<x>[^,;]{{1,40}}?){_ZH_MOVES}"
              r"[移迁换动级整更到成为至用了]{0,3}(?P<y>[^,;]{1,40}?)了?"),
    ("replaced", r"(?P<s>[^,;]{0,40}?)(?:把|将)(?P<x>[^,;]{1,40}?)(?:换成|改成|替换为|替换成|改为"
                 r"|换为)了?(?P<y>[^,;]{1,40}?)了?"),
    ("replaced", r"(?P<s>[^,;]{0,40}?)用(?P<y>[^,;]{1,40}?)(?:替换|取代|代替)了?(?P<x>[^,;]{1,40}?)了?"),
    ("used", r"(?P<s>我们|我|他们|她|他|团队)(?:已经|都)?(?:改用|换用|换成|改成|切换到|迁移到"
             r"|升级到)了?(?P<y>[^,;]{1,40}?)了?"),
    ("set", r"(?P<t>[^,;]{1,40}?)(?:已经?|被)?(?:改到|改为|改成|改在|推迟到|推迟至|延期到|延期至|延后到"
            r"|提前到|提前至|调整为|调整到|调到|调为"
            r"|提高到|提高至|增加到|增加至|降到|降低到|减少到|换成|变成|变为|更名为|改名为|改叫|升到|涨到"
            r"|更新为)了?(?P<y>[^,;]{1,40}?)了?"),
    ("went", r"(?P<t>[^,;]{1,40}?)(?:已经?)?(?:搬到|搬去|搬迁到|迁到|移到|移至"
             r"|搬家到)了?(?P<y>[^,;]{1,40}?)了?"),
    ("moved", r"(?P<s>[^,;]{1,40}?)[はを](?P<x>[^,;]{1,40}?)から(?P<y>[^,;]{1,40}?)[にへ](?:移転|引っ越|引越"
              r"|変更|移行|変わ|変え|切り替|乗り換"
              r"|移動)[^,;]{0,8}"),
    ("set", r"(?P<t>[^,;]{1,40}?)[はがを](?P<y>[^,;]{1,40}?)[にへ](?:変わり|変わっ|変更|移行|延び|伸び|ずれ"
            r"|なり|なっ"
            r"|延期|引き上げ"
            r"|引き下げ|改名|切り替|変え)[^,;]{0,10}"),
    ("went", r"(?P<t>[^,;]{1,40}?)[はが](?P<y>[^,;]{1,40}?)[にへ](?:移動|移転|移り|引っ越し|引っ越"
             r"|引越)[^,;]{0,10}"),
    ("set", r"(?P<t>[^,;]{1,40}?)(?:은|는|이|가|을|를) (?P<y>[^,;]{1,40}?)(?:으로|로) (?:바뀌|바꿨|변경|연기"
            r"|조정|올|인상|인하)"
            r"[^,;]{0,12}"),
    ("went", r"(?P<t>[^,;]{1,40}?)(?:은|는|이|가|을|를) (?P<y>[^,;]{1,40}?)(?:으로|로) (?:옮|이전|이사"
             r"|이동)[^,;]{0,12}"),
    ("moved", r"(?P<s>[^,;]{1,40}?)(?:은|는|이|가|을|를) (?P<x>[^,;]{1,40}?)에서 (?P<y>[^,;]{1,40}?)(?:으로"
              r"|로) (?:바뀌|바꿨|변경|옮|이전"
              r"|이사|이동|전환)[^,;]{0,12}"),
)  # fmt: skip


_EXCHANGED: Final = re.compile(
    r"switch|migrat|chang|upgrad|downgrad|convert|ported|updated|bumped|gestiegen|gewechselt|migriert"
    r"|umgestellt|geändert"
    r"|passée?s? |basculé|migré|cambi|migr[aóo]|pas[aóo]|troc|passat|переш|сменил|мигрир|overgestapt"
    r"|[换改变切升]|移行|変|切り替|乗り換|바|변경|전환"
)
"""Verbs that put one thing in the place of another, rather than move a subject."""


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[EventKind, re.Pattern[str]]]:
    return [(kind, Lazy(pattern).compiled()) for kind, pattern in _TABLE]


def told_event(key: str) -> Told | None:
    """Read a sentence that tells of a change; None when it does not in a form that is known."""
    for kind, pattern in _patterns():
        found = pattern.fullmatch(key)
        if found:
            if kind == "moved" and _EXCHANGED.search(key):
                kind = "replaced"
            said = {name: (text or "").strip() for name, text in found.groupdict().items()}
            return Told(
                kind,
                subject=said.get("s", ""),
                theme=said.get("t", ""),
                former=said.get("x", ""),
                value=said.get("y", "") or said.get("y2", ""),
            )
    return None
