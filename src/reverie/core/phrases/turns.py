"""Turns: sentences in which something named goes, or a thing gets another value, in the words people use.

Rules

* A turn names what went (`I sold the Civic`, `Travis is gone`, `MongoDB'yi bıraktık`), who held something
  (`Linda retired`), or what something is now (`the landlord raised our rent to 1,600`).
* Each language has its verbs of leaving, selling, giving up, replacing, and of setting to a value.
* Only what happened counts: plans, wishes and questions name a turn that did not come.

The patterns read clauses made by `statement_key`, without words for now or for when. Every repetition is
bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from reverie.core.phrases.lives import MOST_READ
from reverie.core.text.plain import Lazy

TurnKind: TypeAlias = Literal[
    "gone", "traded", "left", "renamed", "set", "stopped", "post", "swapped"
]


@dataclass(frozen=True, slots=True)
class Turn:
    """What went, or what something is now."""

    kind: TurnKind
    subject: str = ""
    theme: str = ""
    former: str = ""
    value: str = ""


_S: Final = r"(?:(?P<s>[^,;]{1,60}?) )?"
_X: Final = r"(?P<x>[^,;]{1,60}?)"
_T: Final = r"(?P<t>[^,;]{1,60}?)"
_Y: Final = r"(?P<y>[^,;]{1,60}?)"
_HAVE: Final = r"(?:(?:have|has|had|just|recently|finally|already|also|all|both|officially) ){0,3}"
_BEEN: Final = (
    r"(?:(?:have|has|had|been|was|were|is|are|got|get|being|just|recently|finally|to be) ){0,4}"
)

_GOING_EN: Final = (
    r"(?:quit|left|resigned from|dropped|ditched|abandoned|scrapped|gave up(?: on)?|given up(?: on)?"
    r"|got rid of"
    r"|gotten rid of|moved (?:off|away from|out of|on from)|switched (?:off|away from)|migrated"
    r" (?:off|away from)"
    r"|retired|decommissioned|sold|cancell?ed|phased out|sunset|deprecated|uninstalled|removed"
    r"|deleted|ripped out"
    r"|threw (?:out|away)|gave away|returned|closed|shut down|turned off|stopped (?:using|going to"
    r"|taking|attending"
    r"|doing|playing|learning|studying|watching|reading|working (?:at|for|with|on))|quit (?:using"
    r"|going to|taking"
    r"|attending|doing|playing|learning|studying|working (?:at|for))|unsubscribed from|finished with"
    r"|am done with"
    r"|are done with|is done with|broke up with|split up with|parted ways with|killed off|killed|axed"
    r"|dumped)"
)
_SETTING_EN: Final = (
    r"(?:raised|lowered|increased|decreased|reduced|cut(?: down| back)?|dropped|brought(?: down| up|"
    r" forward)?"
    r"|extended|shortened|bumped(?: up)?|updated|set|upgraded|downgraded|doubled|tripled|halved"
    r"|capped|put(?: up"
    r"| down)?|changed|moved(?: up| back| forward)?|pushed(?: back| out)?|postponed|rescheduled"
    r"|delayed|expanded"
    r"|scaled(?: up| down| out)?|tightened|loosened|relaxed|adjusted|revised|switched|migrated|shifted"
    r"|went(?: up| down)?|gone(?: up| down)?|goes(?: up| down)?|rose|risen|fell|fallen|grew|grown"
    r"|shrank|shrunk"
    r"|slipped|climbed|jumped|increased|widened)"
)

# In the order in which they are tried; the first that fits is taken.
_TABLE: Final[tuple[tuple[TurnKind, str], ...]] = (
    # English
    ("post", rf"{_Y} {_HAVE}(?:(?:took|taken|takes) over|stepped in|was (?:elected|appointed|named"
             rf"|chosen|promoted"
             rf"|hired)|were elected|got (?:elected|appointed|promoted)|became|becomes)"
             rf" (?:to |as )?(?:the |our |the new |our new |new )?(?P<t>(?!an? )[^,;]{{2,60}})"),
    ("post", rf"{_Y} (?:is|serves as) (?:the|our) new (?P<t>[^,;]{{2,60}})"),
    ("swapped", rf"{_S}{_HAVE}(?:switched|changed|got an?(?: brand)? new|have an? new|found an? new"
                rf"|bought an? new|moved to"
                rf" an? new) {_T} (?:it is|its|it's|that is|the new one is|i go to|i am with|i see"
                rf"|called|to) {_Y}"),
    ("renamed", rf"{_T} {_BEEN}(?:renamed|rebranded) from {_X} to {_Y}"),
    ("renamed", rf"{_X} {_BEEN}(?:renamed|rebranded)(?: to| as| into)? {_Y}"),
    ("renamed", rf"{_X} (?:is|are|goes) (?:called|by|by the name of|known as) {_Y}"),
    ("gone", rf"{_S}{_HAVE}(?:replaced|swapped(?: out)?|traded(?: in)?|exchanged) {_X} (?:with|by"
             rf"|for) {_Y}"),
    ("left", rf"{_Y} (?:replaces|supersedes|succeeds) {_X} as {_T}"),
    ("gone", rf"(?P<y>[^,;]{{1,60}}?) (?:replaces|supersedes) {_X}"),
    ("gone", rf"{_X} {_BEEN}(?:replaced|swapped(?: out)?|superseded) (?:with|by|for) {_Y}"),
    ("gone", rf"{_S}{_HAVE}(?:migrated|switched|changed|ported|converted|gone|went) (?:over )?"
             rf"from {_X} (?:over )?(?:in)?to {_Y}"),
    ("gone", rf"{_S}{_HAVE}(?:moved|migrated|switched|changed|transferred|ported"
             rf"|converted) {_T} (?:over )?"
             rf"from {_X} (?:over )?(?:in)?to {_Y}"),
    ("gone", rf"(?:{_S}(?:use|using|prefer|take|go with) )?{_Y} (?:instead of|in place of) {_X}"),
    ("gone", rf"(?!(?:i|we|he|she|they|you) ){_T} {_BEEN}(?:moved|migrated|switched|changed"
             rf"|transferred|ported|converted|passed|gone|went"
             rf"|handed over) (?:over )?from {_X} (?:over )?(?:in)?to {_Y}"),
    ("left", rf"(?:the )?(?:ownership|responsibility|leadership|maintenance|management|lead) (?:of|for) {_T}"
             rf" {_BEEN}(?:passed|moved|went|handed over|transferred|shifted) from {_X} to {_Y}"),
    ("gone", rf"{_S}{_HAVE}{_GOING_EN} {_X} (?:in favou?r of|and (?:joined|bought|got|adopted|went with"
             rf"|moved to|switched to)) (?P<y>[^,;]{{1,60}})"),
    ("traded", rf"{_S}{_HAVE}(?:dropped|ditched|abandoned|left|quit|sold|dumped|scrapped) {_X} for"
               rf" (?P<y>[^,;]{{1,60}})"),
    ("gone", rf"{_S}{_HAVE}{_GOING_EN} {_X}"),
    ("gone", rf"{_X} and (?:i|we) {_HAVE}(?:split up|broke up|broken up|separated|parted ways)"),
    ("gone", rf"(?:no more|forget(?: about)?|goodbye|scrap|ditch) {_X}"),
    ("gone", rf"{_X} (?:is|are|was|were|got|has been|have been) (?:all )?(?:gone|removed|retired|dropped"
             rf"|shut"
             rf"|shut down|decommissioned|discontinued|sold|cancell?ed|history|dead|no more|over"
             rf"|deprecated|abolished"
             rf"|scrapped|off the table|out of service|closed down)"),
    ("left", rf"{_X} {_HAVE}(?:retired|left(?: the \w{{3,12}})?|quit|resigned|stepped down|moved on"
             rf"|passed away"
             rf"|died|was fired|got fired|was laid off|handed over|went on \w{{3,12}} leave)"),
    ("left", rf"{_X} {_HAVE}(?:stepped down|resigned|retired|stood down|handed over) as {_T}"),
    ("left", rf"{_Y} {_HAVE}(?:took|taken|takes) over (?P<t>[^,;]{{1,60}}?) from {_X}"),
    ("left", rf"{_Y} {_HAVE}(?:replaced|succeeded) {_X} as {_T}"),
    ("set", rf"{_S}{_HAVE}{_SETTING_EN} {_T} (?:up |down |back |forward )?(?:from [^,;]{{1,30}}?"
            rf" )?(?:to|until"
            rf"|till) {_Y}"),
    ("set", rf"{_T} {_BEEN}{_SETTING_EN} (?:up |down |back |forward )?(?:from [^,;]{{1,30}}? )?(?:to"
            rf"|until"
            rf"|till|by|at) {_Y}"),
    ("stopped", rf"{_S}{_HAVE}(?:stopped|quit|gave up|given up|done with"
                rf"|am done with) (?P<x>\w{{3,20}}ing)"),
    # German
    ("stopped", rf"{_S}(?:habe|haben|hat) (?:aufgehört (?:zu )?(?P<x>[^,;]{{3,40}}))"),
    ("stopped", rf"{_S}(?:habe|haben|hat) mit dem (?P<x>[^,;]{{3,40}}?) aufgehört"),
    ("left", rf"(?:ist|wird|leitet|betreut|macht) {_Y} (?:statt|anstelle von) (?P<x>(?:herrn? |frau "
             rf"|dr )?[^,; ]{{2,30}}) {_T}"),
    ("gone", rf"{_S}(?:habe|haben|hat) (?:{_T} )?(?:von )?{_X} (?:durch|gegen|auf|nach"
             rf"|zu) {_Y} (?:ersetzt"
             rf"|getauscht|ausgetauscht|eingetauscht|umgestellt|migriert|gewechselt|umgezogen)"),
    ("gone", rf"{_S}(?:bin|sind|ist) von {_X} (?:auf|zu|nach|in|zum|zur) {_Y} (?:gewechselt"
             rf"|umgestiegen|gezogen"
             rf"|umgezogen|migriert|gegangen)"),
    ("gone", rf"{_S}(?:habe|haben|hat) (?:mit )?{_X} (?:verlassen|verkauft|gekündigt|abgeschafft"
             rf"|aufgegeben"
             rf"|abgeschaltet|entfernt|gestrichen|abbestellt|aufgehört|rausgeworfen|eingestellt|abgelöst"
             rf"|verschenkt|hingeschmissen)"),
    ("gone", rf"{_X} (?:ist|sind|wurde|wurden) (?:weg|abgeschaltet|abgeschafft|geschichte"
             rf"|eingestellt|entfernt"
             rf"|verkauft|gestorben|durch {_Y} (?:ersetzt|abgelöst))"),
    ("left", rf"{_X} (?:ist in rente|ist gegangen|hat gekündigt|hat aufgehört|ist ausgeschieden|ist"
             rf" in elternzeit)"),
    ("left", rf"{_Y} hat {_T} von {_X} übernommen"),
    ("renamed", rf"{_X} (?:wurde|heisst) (?:in )?{_Y}(?: umbenannt)?"),
    ("set", rf"{_S}(?:habe|haben|hat) {_T} (?:auf|in|um|zu) {_Y} (?:erhöht|gesenkt|angehoben"
            rf"|verlängert|verkürzt"
            rf"|reduziert|aktualisiert|geändert|gesetzt|verschoben|verlegt|hochgesetzt"
            rf"|heruntergesetzt|umgestellt"
            rf"|umbenannt)"),
    ("set", rf"{_T} (?:wurden?|ist|sind) (?:auf|in|zu) (?:den |die |das )?{_Y} (?:erhöht|gesenkt"
            rf"|angehoben"
            rf"|verlängert|verkürzt|reduziert|aktualisiert|geändert|gesetzt|verschoben|verlegt"
            rf"|gestiegen|gesunken"
            rf"|gefallen|gewachsen|geklettert|umgestellt|vorgezogen|umbenannt|upgegradet)"),
    ("post", rf"{_Y} (?:ist|wurde) (?:jetzt |nun )?(?:der |die |unser |unsere )?(?:neue[r]?"
             rf" )(?P<t>[^,;]{{2,60}})"),
    ("post", rf"{_Y} (?:hat|haben) (?:den posten|die leitung|die rolle) (?:als |von |des |der"
             rf" )?(?P<t>[^,;]{{2,60}}?) übernommen"),
    ("swapped", rf"{_S}(?:habe|haben) (?:den|die|das|einen neuen|eine neue|ein neues|meinen|meine"
                rf"|mein) {_T} (?:gewechselt|geändert"
                rf"|gewechselt und) ?(?:es ist|er ist|sie ist|das ist|er heisst|sie heisst) {_Y}"),
    ("swapped", rf"{_S}(?:habe|haben) (?:einen neuen|eine neue|ein neues) {_T} (?:es ist|er ist|sie"
                rf" ist|das ist|er heisst|sie"
                rf" heisst) {_Y}"),
    # French
    ("swapped", rf"{_S}(?:ai|avons|a) (?:changé de|changé|une? nouvel(?:le)?|un nouveau) {_T}"
                rf" (?:c'est|il s'appelle|elle s'appelle"
                rf"|je vais chez) {_Y}"),
    ("stopped", rf"{_S}(?:ai|a|avons|ont) arrêté (?:de |d')(?P<x>[^,;]{{3,40}})"),
    ("gone", rf"{_S}(?:ai|a|as|avons|avez|ont) (?:migré|déplacé|transféré|basculé|passé|changé"
             rf"|fait passer)"
             rf" (?:{_T} )?(?:de |du |des |d'){_X} (?:à|au|vers|sur|chez|pour|en) {_Y}"),
    ("gone", rf"{_S}(?:ai|a|as|avons|avez|ont) (?:remplacé|troqué|échangé) {_X} (?:par|pour|contre"
             rf"|avec) {_Y}"),
    ("gone", rf"{_X} (?:a|ont) été (?:remplacé|abandonné|supprimé|arrêté|vendu"
             rf"|retiré)e?s?(?: par {_Y})?"),
    ("gone", rf"{_S}(?:ai|a|as|avons|avez|ont) (?:quitté|vendu|abandonné|arrêté(?: (?:de|d')"
             rf" ?\w{{2,15}})?|résilié"
             rf"|supprimé|lâché|laissé tomber|rendu|démissionné de|fini avec) {_X}(?: pour"
             rf" (?P<y>[^,;]{{1,60}}))?"),
    ("left", rf"{_X} (?:a pris sa retraite|est partie?|a démissionné|a quitté \w{{2,20}}|est décédée?)"),
    ("left", rf"{_Y} a (?:remplacé|succédé à) {_X} (?:comme|en tant que|au poste de) {_T}"),
    ("left", rf"{_Y} a repris {_T} (?:de|à) {_X}"),
    ("renamed", rf"{_X} (?:a été|est) (?:renommé|rebaptisé)e?s? (?:en )?{_Y}"),
    ("set", rf"{_S}(?:ai|a|as|avons|avez|ont) (?:augmenté|réduit|baissé|porté|fixé|passé|relevé"
            rf"|abaissé|prolongé"
            rf"|repoussé|reporté|avancé|décalé|mis à jour|étendu|limité) {_T} (?:à|au|aux|jusqu'au"
            rf"|en|vers) {_Y}"),
    ("set", rf"{_T} (?:a|ont|est|sont) (?:été )?(?:augmenté|réduit|baissé|porté|fixé|passé|relevé"
            rf"|abaissé|prolongé"
            rf"|repoussé|reporté|avancé|décalé|mis à jour|étendu|monté|descendu|déplacé)e?s? (?:de"
            rf" [^,;]{{1,30}}? )?"
            rf"(?:à|au|aux|jusqu'au|en|vers) {_Y}"),
    # Spanish, Portuguese
    ("stopped", rf"{_S}(?:he |ha |hemos )?(?:dejado|dejé|dejamos|deixei|deixamos|parei) de"
                rf" (?P<x>[^,;]{{3,40}})"),
    ("gone", rf"{_S}(?:hemos |he |ha |han )?(?:migra(?:do|mos|ron)|migré|pasa(?:do|mos)|pasé|movi(?:do"
             rf"|mos)"
             rf"|cambia(?:do|mos)|cambié|traslada(?:do|mos)|mud(?:ei|amos|ado)|mudé|pass(?:ei|amos|ou)"
             rf"|migr(?:ei|ou)) (?:{_T} )?(?:de|del|do|da) {_X} (?:a|al|para|para o|para a) {_Y}"),
    ("gone", rf"{_S}(?:hemos |he |ha |han )?(?:cambia(?:do|mos|ron)|cambié|reemplaza(?:do|mos|ron)"
             rf"|reemplacé"
             rf"|sustitui(?:do|mos)|sustituí|troc(?:amos|ei|ou)|substitu(?:í|ímos|iu)) (?:a |el |la "
             rf"|los |las |o "
             rf"|os )?{_X} (?:por|con|pelo|pela) {_Y}"),
    ("gone", rf"{_S}(?:hemos |he |ha |han )?(?:deja(?:do|mos)|dejé|abandona(?:do|mos|ron)"
             rf"|abandon(?:é|ei)|vendid[oa]"
             rf"|vendí|vendimos|vendi|vendemos|jubilado|elimina(?:do|mos)|elimin(?:é|ei)|cancela(?:do"
             rf"|mos)"
             rf"|cancel(?:é|ei)|deixei|deixamos|larguei|saí|parei|quit(?:é|ado)|renuncié)"
             rf" (?:(?:de|a|da|do) )?(?:\w{{2,15}}[aei]r )?(?:el |la |los |las |o |a |os |as )?{_X}"),
    ("gone", rf"{_X} (?:fue|ha sido|foi|se ha) (?:reemplazad|sustituid|substituíd|eliminad|abandonad"
             rf"|retirad"
             rf"|cerrad|desativad|vendid)[oa]s?(?: por {_Y})?"),
    ("left", rf"{_X} (?:se fue|se jubiló|se ha ido|se ha jubilado|renunció|dimitió|dejó \w{{2,20}}"
             rf"|saiu|se aposentou"
             rf"|aposentou-se|pediu demissão|faleceu|murió|falleció)"),
    ("left", rf"{_Y} (?:ha sustituido|sustituyó|reemplazó|ha reemplazado|substituiu|sucedió) (?:a |o"
             rf" |a )?{_X}"
             rf" como {_T}"),
    ("set", rf"{_S}(?:hemos |he |ha |han )?(?:subi(?:do|mos)|subió|baja(?:do|mos)|bajó|aumenta(?:do"
            rf"|mos)|aumentou"
            rf"|aument(?:ó|amos)|reduci(?:do|mos)|redujo|reduziu|reduzimos|cambia(?:do|mos)|mudou"
            rf"|mudamos|alterou"
            rf"|alteramos|amplia(?:do|mos)|movi(?:do|mos)|adia(?:mos|ram)) {_T} (?:a|al|para|até"
            rf"|hasta) {_Y}"),
    ("set", rf"{_T} (?:se |ha |foi |fue |ha sido |se ha |han )*(?:subi[do|ó|u]{{1,2}}|subido|subió"
            rf"|subiu|baja(?:do)"
            rf"|bajó|baixou|aument(?:ó|ado|ou)|reducid[oa]|reduzid[oa]|redujo|caiu|cayó|actualizad[oa]"
            rf"|atualizad[oa]|ampliad[oa]|prorrogad[oa]|aplazad[oa]|adiad[oa]|movid[oa]|cambi(?:ó"
            rf"|ado|ada)|mudou"
            rf"|pas(?:ó|ou|ado)|alterad[oa]|adelantad[oa]|antecipad[oa]) (?:de [^,;]{{1,30}}? )?(?:a"
            rf"|al|para|até"
            rf"|hasta) (?:o |a |el |la )?{_Y}"),
    ("swapped", rf"{_S}(?:he cambiado de|cambié de|hemos cambiado|cambiamos|trocamos|troquei|mudei"
                rf"|mudamos|tengo un nuevo|tengo"
                rf" una nueva|tenho um novo|tenho uma nova) {_T} (?:es|é|se llama|se chama|ahora voy"
                rf" a) {_Y}"),
    # Italian
    ("swapped", rf"{_S}(?:ho cambiato|abbiamo cambiato|ho un nuovo|ho una nuova) {_T} (?:è|si chiama"
                rf"|ora vado da) {_Y}"),
    ("stopped", rf"{_S}(?:ho|ha|abbiamo) smesso di (?P<x>[^,;]{{3,40}})"),
    ("gone", rf"{_S}(?:ho|ha|abbiamo|hanno) (?:spostato|migrato|trasferito|portato|cambiato) (?:{_T}"
             rf" )?(?:da|dal"
             rf"|dalla) {_X} (?:a|al|alla|su) {_Y}"),
    ("gone", rf"{_S}(?:ho|ha|abbiamo|hanno) (?:sostituito|cambiato|scambiato) {_X} (?:con|per) {_Y}"),
    ("gone", rf"{_S}(?:ho|ha|abbiamo|hanno) (?:lasciato|venduto|abbandonato|disdetto|eliminato"
             rf"|smesso di \w{{2,15}}re"
             rf"|smesso con|chiuso con|tolto|rimosso) {_X}"),
    ("gone", rf"{_X} è stat[oa] (?:sostituit[oa]|eliminat[oa]|abbandonat[oa]|vendut[oa]|rimoss[oa]"
             rf"|chius[oa])"
             rf"(?: (?:con|da) {_Y})?"),
    ("left", rf"{_X} (?:è andat[oa] in pensione|se ne è andat[oa]|si è dimess[oa]|ha lasciato(?:"
             rf" \w{{2,20}})?|è mort[oa])"),
    ("left", rf"{_Y} ha (?:sostituito|preso il posto di) {_X}(?: (?:come|in qualità di) {_T})?"),
    ("set", rf"{_S}(?:ho|ha|abbiamo|hanno) (?:alzato|abbassato|aumentato|ridotto|portato|spostato"
            rf"|prorogato|esteso"
            rf"|aggiornato|cambiato|rinviato) {_T} (?:fino al|alla|all'|al|a) ?{_Y}"),
    ("set", rf"{_T} (?:è|sono) (?:stat[oaie] )?(?:alzat|abbassat|aumentat|ridott|portat|spostat"
            rf"|prorogat|estes"
            rf"|aggiornat|cambiat|rinviat|salit|sces|passat|posticipat|anticipat|innalzat)[oaie]"
            rf" (?:da [^,;]{{1,30}}? )?"
            rf"(?:fino al|alla|all'|al|a) ?{_Y}"),
    # Dutch
    ("gone", rf"{_S}(?:heb|heeft|hebben) {_X} (?:vervangen door|ingeruild voor) {_Y}"),
    ("gone", rf"{_X} (?:is|zijn) (?:vervangen door|weg|verkocht|afgeschaft|opgedoekt"
             rf"|uitgefaseerd)(?: (?P<y>[^,;]{{1,60}}))?"),
    ("gone", rf"{_S}(?:ben|is|zijn) gestopt met {_X}"),
    ("gone", rf"{_S}(?:ben|is|zijn) weg bij {_X}"),
    ("gone", rf"{_S}(?:heb|heeft|hebben) {_X} (?:verkocht|verlaten|opgezegd|weggedaan|afgeschaft)"),
    ("left", rf"{_X} (?:is met pensioen|is weg|is vertrokken|heeft ontslag genomen)"),
    ("left", rf"{_Y} heeft {_T} (?:overgenomen van|van) {_X}(?: overgenomen)?"),
    ("set", rf"{_S}(?:heb|heeft|hebben) {_T} (?:naar|tot|op) {_Y} (?:verhoogd|verlaagd|verplaatst"
            rf"|verschoven|verzet"
            rf"|gezet|bijgewerkt)"),
    ("set", rf"{_T} (?:is|zijn|werd) (?:naar |tot |op )?(?P<y>[^,;]{{0,60}}?) ?(?:verhoogd|verlaagd"
            rf"|verplaatst"
            rf"|verschoven|verzet|verlengd|bijgewerkt|gestegen|gedaald|uitgesteld)(?: (?:naar|tot)"
            rf" (?P<y2>[^,;]{{1,60}}))?"),
    # Russian
    ("stopped", rf"{_S}(?:бросил|перестал)[аи]? (?P<x>\w{{2,20}}(?:ть|ти|чь)[^,;]{{0,30}})"),
    ("gone", rf"{_S}(?:переехал|переш[её]л|перешл|перевел|перевёл|перенесл|мигрировал"
             rf"|перебрал)[аио]?(?:с[ья])?"
             rf" (?:{_T} )?(?:с|со|из|от) {_X} (?:на|в|к) {_Y}"),
    ("gone", rf"{_S}заменил[аи]? {_X} на {_Y}"),
    ("gone", rf"{_S}(?:бросил|продал|отменил|закрыл|удалил|забросил|выбросил|отдал)[аи]? {_X}"),
    ("gone", rf"{_S}(?:уш[её]л|ушла|ушли|уволил(?:ся|ась|ись)|отказал(?:ся|ась|ись)) (?:из|с|от) {_X}"),
    ("left", rf"{_X} (?:уволил(?:ся|ась)|уш[её]л(?: на пенсию)?|ушла(?: на пенсию)?|умер(?:ла)?"
             rf"|уехал[аи]?)"),
    ("left", rf"{_Y} (?:сменил|заменил)[аи]? {_X} на (?:посту|должности) {_T}"),
    ("renamed", rf"{_X} переименовал[аи]? в {_Y}"),
    ("set", rf"(?:мы )?{_T} (?:был[аои]? )?(?:увелич|повыс|сниз|уменьш|подня|продл|перенес|сдвин"
            rf"|отлож|измен|обнов"
            rf"|расшир|сократ|увеличен|обновлен)\w{{0,6}} (?:с [^,;]{{1,30}}? )?(?:на|до|в) {_Y}"),
    ("set", rf"(?:мы )?(?:увелич|повыс|сниз|уменьш|подня|продл|перенес|сдвин|отлож|измен|обнов"
            rf"|расшир|сократ)\w{{1,6}}"
            rf" {_T} (?:на|до|в) {_Y}"),
    # Polish
    ("stopped", rf"{_S}(?:przesta|rzuci)\w{{1,6}} (?P<x>\w{{2,20}}ć[^,;]{{0,30}})"),
    ("gone", rf"{_S}(?:przeprowadził|przeszedł|przeszł|przenieśli|przenios|przesz"
             rf"|migrowali)\w{{0,5}}(?: się)?"
             rf" (?:{_T} )?(?:z|ze|od) {_X} (?:do|na) {_Y}"),
    ("gone", rf"{_S}(?:zamieni|zastąpi|wymieni)\w{{1,6}} {_X} (?:na|przez) {_Y}"),
    ("gone", rf"{_S}(?:rzuci|sprzeda|porzuci|usunę|zrezygnowa|odszed|odesz|zlikwidowa)\w{{1,6}} (?:z"
             rf" |ze )?{_X}"),
    ("left", rf"{_T} (?:przeją|przejął|przejęła) po {_X} (?P<y>[^,;]{{1,40}})"),
    ("left", rf"{_X} (?:odszedł|odeszła|przeszedł na emeryturę|przeszła na emeryturę|zrezygnował"
             rf"|zrezygnowała)"),
    ("set", rf"{_T} (?:został[ao]? )?(?:zmniejsz|zwiększ|podnies|obniż|przesun|przełoż|zmien"
            rf"|przedłuż|podwyższ"
            rf"|zaktualizow|skróc)\w{{1,6}} (?:z [^,;]{{1,30}}? )?(?:do|na) {_Y}"),
    # Turkish
    ("gone", rf"{_S}{_X} değil"),
    ("gone", rf"{_S}{_X}(?:'den|'dan|'ten|'tan) (?P<y>[^,;]{{1,40}}?) (?:geçtik|geçtim|taşındım"
             rf"|taşındık|geçildi)"),
    ("gone", rf"{_S}{_X}(?:'den|'dan|'ten|'tan|den|dan|ten|tan) (?:ayrıldım|ayrıldık|çıktım"
             rf"|vazgeçtim|vazgeçtik)"),
    ("gone", rf"{_S}{_X} (?:bıraktım|bıraktık|sattım|sattık|iptal ettim|iptal ettik|kaldırdık"
             rf"|terk ettim)"),
    ("left", rf"{_X} (?:emekli oldu|ayrıldı|istifa etti|işten ayrıldı|vefat etti)"),
    ("set", rf"{_T} (?P<y>[^,;]{{1,40}}?)(?:'ye|'ya|'e|'a|ye|ya|e|a)? (?:çıkarıldı|çıkardık|ertelendi"
            rf"|alındı"
            rf"|yükseltildi|yükselttik|düşürüldü|düşürdük|çıktı|düştü|taşındı|güncellendi)"),
    # Chinese, Japanese, Korean
    ("gone", r"(?P<s>[^,;]{0,30}?)(?:已经?)?从(?P<x>[^,;]{1,30}?)(?:已经?)?[搬迁移改换转升调变切跳]"
             r"[移迁换动级整更到成为至用槽了]{0,3}"
             r"(?P<y>[^,;]{1,30}?)了?"),
    ("gone", r"(?P<s>[^,;]{0,30}?)(?:离开了?|辞[去掉]了?|退出了?|卖[掉了]了?|戒掉?了?|放弃了?|停用了?"
             r"|弃用了?|退订了?"
             r"|抛弃了?|取消了?|注销了?|扔[掉了]了?|拆[掉除]了?|删[掉除]了?|关[掉闭]了?|停掉了?"
             r"|退[掉了]了?|告别了?|送走了?|砍掉了?)(?P<x>[^,;]{1,30}?)了?"),
    ("gone", r"(?P<s>[^,;]{0,30}?)把(?P<x>[^,;]{1,30}?)(?:卖|戒|停|扔|退|删)掉?了"),
    ("gone", r"(?P<x>[^,;]{1,30}?)(?:已经?|都|被)*(?:没了|下线了?|停用了?|废弃了?|取消了?|淘汰了?"
             r"|卖掉?了|停了|关[掉了]了?"
             r"|关闭了?|拆[掉除]?了|删[掉除]?了|解散了?|到期了?|过期了?|坏了|丢了|结束了|修[好复]了?"
             r"|解决了|注销了?|倒闭了?)"),
    ("left", r"(?P<y>[^,;]{1,12}?)(?:接替|取代|代替)了?(?P<x>[^,;]{1,12}?)(?:担任|成为|做"
             r"|当)了?(?P<t>[^,;]{1,20}?)了?"),
    ("left", r"(?P<x>[^,;]{1,12}?)(?:退休|离职|辞职|去世|走)了"),
    ("renamed", r"(?P<x>[^,;]{1,20}?)(?:已经?)?(?:改名|更名|重命名)[为成叫]了?(?P<y>[^,;]{1,20}?)了?"),
    ("gone", r"(?P<s>[^,;]{0,30}?)(?:を|は"
             r"|が)?(?P<x>[^,;はをが]{1,30}?)から(?P<y>[^,;]{1,30}?)[にへ](?:移転|引っ越|引越|変更"
             r"|移行|変わ|変え|切り替|乗り換|移動|転職|移り)[^,;]{0,10}"),
    ("gone", r"(?:(?P<s>[^,;]{1,20}?)[はが])?(?P<x>[^,;はが]{1,30}?)(?:を|は|とは)(?:もう|すでに|既に"
             r"|完全に|全部)?(?:やめ|辞め|止め"
             r"|退職し|解約し|手放し|売り|売却し"
             r"|卒業し|廃止し|別れ|捨て|処分し|削除し|撤去し|退会し|閉鎖し|停止し|中止し|終了し"
             r"|キャンセルし|返却し"
             r"|譲り|譲っ|断念し|諦め|脱退し|アンインストールし)[^,;]{0,10}"),
    ("gone", r"(?P<x>[^,;はが]{1,30}?)[はが](?:もう|すでに|既に)?(?:なくな[りっ]|廃止され|終了し|閉店し"
             r"|解散し|壊れ|失効し|"
             r"期限が?切れ|終わ[りっ]|解決し|修正され|直り|直っ|売れ|廃盤にな)[^,;]{0,10}"),
    ("left", r"(?P<x>[^,;]{1,12}?)(?:さん)?に代わ(?:って"
             r"|り)(?P<y>[^,;]{1,12}?)(?:さん)?が(?P<t>[^,;]{1,20}?)に(?:なり|就任)[^,;]{0,10}"),
    ("left", r"(?P<x>[^,;はが]{1,12}?)(?:さん)?[はが](?:退職|退任|引退|異動|亡くな)[^,;]{0,10}"),
    ("set", r"(?P<t>[^,;はが]{1,30}?)[をはが](?P<y>[^,;]{1,30}?)[にへまで]{1,2}(?:変更|引き上げ"
            r"|引き下げ|増や|減ら|延長|延期"
            r"|変え|上げ|下げ|更新|変わ|なり|なっ|移し|移動|早め|短縮)[^,;]{0,10}"),
    ("gone", r"(?:(?P<s>[^,;]{1,30}?)(?:은|는|이|가) )?(?P<x>[^,; ]{1,20}?) 대신 (?P<y>[^,;]{1,30})"),
    ("gone", r"(?:(?P<s>[^,;]{1,30}?)[はが])?(?P<x>[^,;はが]{1,20}?)(?:の代わりに|をやめて"
             r"|ではなく)(?P<y>[^,;]{1,30})"),
    ("gone", r"(?:(?P<s>[^,;]{1,30}?)(?:은|는|이|가) )?(?P<x>[^,; ]{1,20}?)에서"
             r" (?P<y>[^,;]{1,30}?)(?:으로|로) (?:바꿨|바뀌|변경|옮"
             r"|이전|이사|이동|전환|이직|갈아)[^,;]{0,12}"),
    ("gone", r"(?:(?P<s>[^,;]{1,30}?)(?:은|는|이|가) )?(?P<x>[^,;]{1,20}?)(?:은|는|을|를)?"
             r" ?(?:그만[뒀두둔]|끊[었고어]|팔[았고아]|떠[났나]|관[뒀두]|해지했|해지하|접[었고어]|취소했"
             r"|취소하|탈퇴했|탈퇴하|폐지했"
             r"|폐기했|삭제했|없앴|없애고|버렸|버리고|닫았|중단했|종료했|포기했|처분했|정리했|반납했"
             r"|졸업했)[^,;]{0,10}"),
    ("gone", r"(?P<x>[^,;]{1,20}?)(?:은|는|이|가) (?:없어졌|사라졌|폐지됐|폐지되|중단됐|종료됐|종료되"
             r"|해체[됐했]|끝났|취소됐|취소되|만료"
             r"|해결됐|해결되|고쳐졌|문을 닫)[^,;]{0,10}"),
    ("left", r"(?P<x>[^,;]{1,12}?)(?: 님)?(?:이|가|은|는) (?:퇴사|퇴직|은퇴|사임|사직|떠났"
             r"|돌아가)[^,;]{0,30}"),
    ("set", r"(?P<t>[^,;]{1,30}?)(?:은|는|이|가|을|를) (?P<y>[^,;]{1,30}?)(?:으로|로) (?:바뀌|바꿨"
            r"|변경|연기|미뤄|미뤘|조정|늘|줄|올"
            r"|높|낮|인상|인하|앞당|당겨|업그레이드|업데이트)[^,;]{0,12}"),
)  # fmt: skip

_NOT_YET: Final = re.compile(
    r"\b(?:will|would|could|should|might|may|want|wants|wanted|plan|plans|planning|planned|thinking"
    r"|think|consider"
    r"|considering|hope|hoping|going to|if|almost|nearly|never|not|didn't|haven't|hasn't|tried"
    r"|trying|about to|want to"
    r"|until|before|when|why|who|which|möchte|möchten|würde|würden|will|wollen|vielleicht|überlege"
    r"|überlegen|falls"
    r"|wenn|nicht|nie|veux|voudrais|voudrait|pourrait|peut-être|si|pas|jamais|quiero|queremos"
    r"|quisiera|quizás|tal vez"
    r"|gustaría|nunca|quero|queremos|gostaria|talvez|não|vorrei|vorremmo|forse|non|mai|хочу|хотим"
    r"|хотел|возможно"
    r"|может|если|не|никогда|wil|willen|misschien|niet|nooit|chcę|chcemy|może|jeśli|nie|nigdy"
    r"|istiyorum|belki|eğer)\b"
    r"|想|打算|可能|如果|要不要|也许|没有|没(?!了)|不|たい|かもしれ|もし|つもり|ない|싶|아마|만약|않|안 "
)
"""Words by which a turn did not come, or not yet."""


def is_only_thought_of(key: str) -> bool:
    """Tell whether a clause denies what it tells, or plans or wishes it."""
    return bool(_NOT_YET.search(key))


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[TurnKind, re.Pattern[str]]]:
    return [(kind, Lazy(pattern).compiled()) for kind, pattern in _TABLE]


@lru_cache(maxsize=MOST_READ)
def told_turns(key: str) -> tuple[Turn, ...]:
    """Read a clause in which something goes or gets another value; none when it does not say so."""
    if is_only_thought_of(key):
        return ()
    found: list[Turn] = []
    for kind, pattern in _patterns():
        match = pattern.fullmatch(key)
        if match:
            said = {name: (text or "").strip() for name, text in match.groupdict().items()}
            found.append(
                Turn(
                    kind,
                    subject=said.get("s", ""),
                    theme=said.get("t", ""),
                    former=said.get("x", ""),
                    value=said.get("y", "") or said.get("y2", ""),
                )
            )
    return tuple(found)
