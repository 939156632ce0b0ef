"""Upheavals: the verbs by which something ends, or gets another value, in thirteen languages.

Rules

* A verb is listed by its stems, with the particle that makes it one (`gave up`, `shut down`), in the forms
  in which people tell what happened. Plans and negations are told apart elsewhere.
* `ENDING` is what can be said of a thing that is then no more: sold, cancelled, fixed, gone.
* `SETTING` is what gives a thing another value: raised, moved, transferred, rewritten.
"""

from __future__ import annotations

import re
from typing import Final

from reverie.core.text.plain import Lazy

_ENDING_EN: Final = r"""
    quit|left|resigned(?: from)?|stepped down(?: from| as)?|(?:was|got|been) (?:fired|sacked|laid off
    |made redundant)(?: from| by)?|dropped(?: out of)?|ditch(?:ed|ing)|abandon(?:ed|ing)|scrapp(?:ed
    |ing)|axed|binned|junked|trashed|dumped|discarded|g[ai]ven? up(?: on)?|giving up|got(?:ten)? rid of
    |(?:got|been|have been) off|pulled (?:out of|the plug on)|had to (?:pull out of|quit
    |drop(?: out of)?|give up|sell|cancel|close|leave)|backed out of|bailed (?:on|out of)|withdr(?:ew
    |awn)(?: from)?|opted out of|moved (?:off(?: of)?|away from|out of|on from|out)|switched (?:off
    |away from)|migrated (?:off(?: of)?|away from|out of)|turned off|shut(?:ting)? (?:down|off)
    |taken (?:down|offline)|took down|closed(?: down| out)?|wound (?:up|down)|wrapped up
    |finished(?: with)?|completed|done with|through with|ended|over and done with|stopped(?: using
    | going to| taking| attending| doing| playing| learning| studying| watching| reading| eating
    | drinking| working (?:at|for|with|on)| paying for)?|ceased|discontinued|retired|decommissioned
    |deprecated|sunset|sunsetted|phased out|superseded|obsoleted|uninstalled|removed|deleted|erased
    |purged|wiped|ripped out|tore out|torn (?:out|down)|stripped out|pulled|killed(?: off)?|nuked
    |dismantled|dissolved|disbanded|broken? up(?: with)?|split up(?: with)?|parted ways(?: with)?
    |separated from|divorced|sold(?: off)?|gave away|given away|donated|threw (?:out|away)|thrown (?:out
    |away)|tossed|returned|sent back|traded in|lost|cancell?ed|called off|terminated|revoked|rescinded
    |repealed|lifted|unsubscribed(?: from)?|deactivated|disabled|archived|expired|lapsed|ran out|run out
    |recovered from|got over|gotten over|cured of|healed|fixed|resolved|solved|patched|repaired
    |sorted out|paid off|passed away|died|kicked|dropping|no more|goodbye(?: to)?|forget(?: about)?
    |(?:is|are|was|were|has been|have been) (?:all )?(?:gone|dead|over|out|history|toast|off the table
    |no more|finished|done|fixed|kaput|off|defunct|extinct|obsolete)|is a thing of the past
    |went (?:under|bust|bankrupt|out of business)|folded"""
_SETTING_EN: Final = r"""
    raised|lowered|increased|decreased|reduced|cut(?: down| back)?|dropped|brought(?: down| up
    | forward)?|came? (?:down|up)|extended|lengthened|shortened|trimmed|slashed|bumped(?: up| down)?
    |updated|set|reset|upgraded|downgraded|doubled|tripled|halved|capped|put(?: up| down| back)?|changed
    |moved(?: up| back| forward| over)?|pushed(?: back| out| forward)?|pulled forward|postponed
    |rescheduled|delayed|deferred|prolonged|expanded|scaled(?: up| down| out| back)?|tightened|loosened
    |relaxed|adjusted|revised|amended|corrected|tweaked|switched(?: over)?|swapped(?: out)?
    |migrated(?: over)?|ported(?: over)?|converted|shifted|transferred|transitioned|relocated|reassigned
    |redirected|repointed|rerouted|handed (?:over|off)|w(?:ent|as taken) (?:up|down|over)|gone (?:up
    |down)|went|rose|risen|fell|fallen|grew|grown|shrank|shrunk|slipped|climbed|jumped|soared|dipped|hit
    |reached|passed|crossed|topped|now at|(?:am|is|are|was|were) (?:down|up|back)|widened|narrowed
    |rewrote|rewritten|redid|redone|rebuilt|reworked|refactored|reimplemented|relicensed|rebranded
    |renamed|retitled|relabell?ed|promoted|demoted|elected|appointed|transformed|turned (?:into|up|down)
    |upped|renewed|renegotiated|replaced|rolled back|reverted|standardi[sz]ed"""
_ENDING: Final = (
    _ENDING_EN,
    # German
    r"""
    verlassen|verliess\w*|gekündigt|kündigte\w*|aufgegeben|aufgehört|hörte\w* auf|abgeschafft
    |abgeschaltet|ausgeschaltet|stillgelegt|abgesagt|storniert|abgebrochen|gestrichen|entfernt|gelöscht
    |rausgeworfen|rausgeflogen|hinausgeworfen|geschmissen|hingeschmissen|ausgebaut|abgebaut
    |deinstalliert|deaktiviert|abbestellt|abgemeldet|eingestellt|beendet|abgeschlossen|aufgelöst
    |geschlossen|dichtgemacht|zugemacht|verkauft|verschenkt|weggegeben|weggeworfen|entsorgt|ausgemustert
    |losgeworden|abgestossen|ausgezogen|ausgetreten|ausgestiegen|ausgeschieden|zurückgetreten|entlassen
    |gefeuert|getrennt|schluss gemacht|verloren|abgelaufen|ausgelaufen|erledigt|behoben|gefixt|repariert
    |gelöst|geheilt|genesen|überstanden|archiviert|eingestampft|fallengelassen|verworfen|verabschiedet
    |pleite|gestorben|(?:ist|sind) (?:weg|vorbei|geschichte|tot|passé|raus|aus|hinfällig|fertig|zu ende)
    |abgegeben|abgewählt|abgestellt|niedergelegt""",
    # French
    r"""
    quitt(?:é|er|ons)\w*|laissé tomber|abandonn\w+|arrêt(?:é|ée|és|ées)|(?:re)?vendu\w*|résilié\w*
    |annulé\w*|supprimé\w*|retiré\w*|enlevé\w*|viré\w*|jeté\w*|lâché\w*|largué\w*|rendu\w*|donné ma
    |débranché\w*|éteint\w*|désactivé\w*|désinstallé\w*|désabonné\w*|fermé\w*|clôturé\w*|terminé\w*
    |fini\w*|achevé\w*|démissionné\w*|licencié\w*|renvoyé\w*|séparé\w*|rompu\w*|divorcé\w*|déménagé de
    |perdu\w*|expiré\w*|périmé\w*|résolu\w*|corrigé\w*|réparé\w*|guéri\w*|archivé\w*|dissous|dissoute
    |débarrassé\w*|renoncé\w*|décommissionné\w*|cessé\w*|c'est (?:fini|terminé) (?:avec|pour)
    |n'existe plus|n'existent plus|est morte?|a disparu|parti\w*""",
    # Spanish
    r"""
    dej(?:é|amos|ado|aron|ó)|abandon(?:é|amos|ado|aron|ó|ad[oa])|vend(?:í|imos|ido|ió|ieron)|cancel(?:é
    |amos|ado|ad[oa]|aron|ó)|elimin(?:é|amos|ado|ad[oa]|aron|ó)|quit(?:é|amos|ado|aron)|borr(?:é|amos
    |ado)|apag(?:ué|amos|ado|aron|ó)|desactiv(?:é|amos|ado|ad[oa])|desinstal(?:é|amos|ado)|retir(?:é
    |amos|ado|ad[oa]|aron)|cerr(?:é|amos|ado|ad[oa]|aron|ó)|termin(?:é|amos|ado|ó)|acab(?:é|amos|ado|ó)
    |renunci(?:é|amos|ado|ó)|dimit(?:í|ió|ido)|despid\w+|perd(?:í|imos|ido|ió)|caduc(?:ó|ado)|expir(?:ó
    |ado)|arregl(?:é|amos|ado|ad[oa])|solucion(?:é|amos|ado|ad[oa])|resuelt[oa]|resolvi\w+|tir(?:é|amos
    |ado)|regal(?:é|amos|ado)|archiv(?:é|amos|ado|ad[oa])|jubilado|me deshice de|nos deshicimos de
    |me di de baja(?: de)?|di de baja|romp(?:í|imos|ido)|separ(?:é|amos|ado|aron)|divorci\w+|disolvi\w+
    |disuelto|se acabó|ya no existe|murió|ha muerto|me salí|me fui""",
    # Portuguese
    r"""
    deix(?:ei|amos|ou|aram)|larg(?:uei|amos|ou)|abandon(?:ei|amos|ou|ad[oa])|vend(?:i|emos|eu|ido)
    |cancel(?:ei|amos|ou|ad[oa])|desist(?:i|imos|iu)|elimin(?:ei|amos|ou|ad[oa])|remov(?:i|emos|eu
    |id[oa])|apag(?:uei|amos|ou|ad[oa])|deslig(?:uei|amos|ou|ad[oa])|desativ(?:ei|amos|ou|ad[oa])
    |desinstal(?:ei|amos)|encerr(?:ei|amos|ou|ad[oa])|fech(?:ei|amos|ou|ad[oa])|termin(?:ei|amos|ou
    |ad[oa])|acab(?:ei|amos|ou)|saí(?:mos)?|saiu|demit(?:i|iu|id[oa])|demiti-me|despedi\w*|perd(?:i|emos
    |eu)|expir(?:ou|ad[oa])|venceu|corrig(?:i|imos|id[oa])|resolv(?:i|emos|id[oa])|consert(?:ei|amos
    |ad[oa])|aposent(?:ei|amos|ou|ad[oa])|joguei fora|livr(?:ei-me|amos-nos) d\w+|separ(?:ei|amos|ou)
    |termin(?:ei|amos) com|arquiv(?:ei|amos|ad[oa])|par(?:ei|amos|ou)|morreu|abdiquei|rescindi\w*
    |já não existe|não existe mais""",
    # Italian
    r"""
    lasciat[oaie]|abbandonat[oaie]|vendut[oaie]|disdett[oaie]|annullat[oaie]|cancellat[oaie]
    |eliminat[oaie]|rimoss[oaie]|tolt[oaie]|spent[oaie]|disattivat[oaie]|disinstallat[oaie]
    |dismess[oaie]|chius[oaie]|terminat[oaie]|finit[oaie]|concluso|conclusa|smesso|mollat[oaie]
    |rinunciato|ritirat[oaie]|dimess[oaie]|licenziat[oaie]|separat[oaie]|divorziat[oaie]|pers[oaie]
    |scadut[oaie]|risolt[oaie]|corrett[oaie]|riparat[oaie]|aggiustat[oaie]|guarit[oaie]|buttat[oaie]
    |regalat[oaie]|archiviat[oaie]|sbarazzat[oaie]|liberat[oaie] di|pensionat[oaie]|sciolt[oaie]
    |dato via|uscit[oaie] da\w*|non esiste più|è mort[oa]|è andat[oa] in pensione""",
    # Dutch
    r"""
    gestopt(?: met)?|opgezegd|verlaten|verkocht|weggedaan|afgeschaft|opgegeven|opgedoekt|uitgefaseerd
    |uitgezet|afgesloten|uitgeschakeld|verwijderd|gewist|geschrapt|geannuleerd|afgezegd|afgelast
    |beëindigd|afgerond|voltooid|gesloten|opgeheven|weggegooid|weggegeven|kwijtgeraakt|kwijt|verloren
    |verlopen|opgelost|gerepareerd|gefixt|hersteld|genezen|gearchiveerd|ontslagen|ontslag genomen
    |afgetreden|opgestapt|vertrokken|verhuisd uit|uit elkaar|het is uit(?: met)?|gescheiden
    |uitgeschreven|afgemeld|afgehaakt|gedumpt|ingeruild|met pensioen|(?:is|zijn) (?:weg|voorbei|voorbij
    |over|dood|verleden tijd|klaar|afgelopen)|bestaat niet meer|bestaan niet meer|overleden""",
    # Russian
    r"""
    брос(?:ил|ила|или)|заброс(?:ил|ила|или)|продал[аи]?|продан[аоы]?|отменил[аи]?|отменен[аоы]?|отменён
    |закрыл[аи]?|закрыт[аоы]?|закрыл(?:ся|ась|ось|ись)|удалил[аи]?|удален[аоы]?|удалён|убрал[аи]?
    |выключил[аи]?|отключил[аи]?|отключен[аоы]?|отключён|выбросил[аи]?|выкинул[аи]?|отдал[аи]?
    |избавил(?:ся|ась|ись) от|отказал(?:ся|ась|ись) от|уш[её]л|ушла|ушли|уволил(?:ся|ась|ись)
    |уволен[аы]?|уволили|завершил[аи]?|завершен[аоы]?|закончил[аи]?|закончил(?:ся|ась|ось|ись)
    |прекратил[аи]?|расстал(?:ся|ась|ись) с|расстались|развел(?:ся|ась|ись)|разошлись|распал(?:ся|ась
    |ось|ись)|потерял[аи]?|ист[её]к(?:ла|ло|ли)?|просрочен[аоы]?|исправил[аи]?|исправлен[аоы]?
    |починил[аи]?|починен[аоы]?|решил[аи]? проблему|решен[аоы]?|вылечил\w*|выздоров\w+|съехал[аи]? (?:с
    |от|из)|выписали|упразднил\w*|расформировал\w*|снес(?:ли|ла)|больше нет|списал[аи]?
    |заархивировал[аи]?|отписал(?:ся|ась|ись)|сдал[аи]?|умер(?:ла)?""",
    # Polish
    r"""
    rzuci(?:łem|łam|liśmy|ł|ła)|porzuci\w+|sprzeda(?:łem|łam|liśmy|no|ł|ła|ny|na|ne)|anulowa\w+
    |odwoła\w+|usun(?:ąłem|ęłam|ęliśmy|ięto|ięty|ięta)|skasowa\w+|wyłączy\w+|wyłączon\w+|zamkn(?:ąłem
    |ęłam|ęliśmy|ięto|ięty|ięta|ął|ęła)|zrezygnowa\w+(?: z)?|odszed\w+|odesz\w+|zlikwidowa\w+
    |zakończy\w+|zakończon\w+|skończy\w+|wypowiedzia\w+|wyrzuci\w+|odda(?:łem|łam|liśmy)|pozby\w+ się
    |zwolni\w+|rozsta\w+ się|rozstaliśmy się|rozwiod\w+|zgubi\w+|straci\w+|wygas\w+|napraw(?:iłem|iłam
    |iliśmy|iono|iony|iona|ione)|rozwiązan\w+|wyprowadzi\w+ się z|wycofa\w+|wypisa\w+ się z
    |odinstalowa\w+|zarchiwizowa\w+|nie ma już|już nie istnieje|zmarł\w*""",
    # Turkish
    r"""
    bırak(?:tım|tık|tı)|ayrıl(?:dım|dık|dı)|sat(?:tım|tık|tı|ıldı)|iptal (?:ettim|ettik|etti|edildi)
    |kaldır(?:dım|dık|ıldı)|sil(?:dim|dik|indi)|kapat(?:tım|tık|ıldı|tı)|kapandı|vazgeç(?:tim|tik|ti)
    |terk (?:ettim|ettik|etti)|bitir(?:dim|dik|di)|bitti|sona erdi|istifa (?:ettim|etti)|kovul(?:dum|du)
    |emekli (?:oldum|oldu)|boşan(?:dım|dık)|attım|attık|kaybet(?:tim|tik)|düzeltildi|çözüldü|çözdük
    |giderildi|süresi doldu|devre dışı|çıktım|çıktık|dağıldı|artık yok|öldü""",
)
_SETTING: Final = (
    _SETTING_EN,
    r"""
    erhöht|gesenkt|angehoben|verlängert|verkürzt|gekürzt|reduziert|aktualisiert|geändert|gesetzt
    |verschoben|verlegt|vorgezogen|hochgesetzt|heraufgesetzt|heruntergesetzt|umgestellt|umbenannt
    |gestiegen|gesunken|gefallen|gewachsen|geschrumpft|geklettert|upgegradet|umgezogen|gewechselt
    |übertragen|übergeben|versetzt|befördert|gewählt|ernannt|umgeschrieben|neu geschrieben|portiert
    |migriert|verdoppelt|halbiert|angepasst|ausgeweitet|erweitert|ersetzt""",
    r"""
    augment(?:é|ée|és|ées)|réduit\w*|baiss(?:é|ée|és|ées)|port(?:é|ée|és|ées)|fix(?:é|ée|és|ées)
    |pass(?:é|ée|és|ées)|relev(?:é|ée)|abaiss(?:é|ée)|prolong(?:é|ée)s?|raccourci\w*|repouss(?:é|ée)s?
    |report(?:é|ée)s?|avanc(?:é|ée)s?|décal(?:é|ée)s?|mis(?:e|es)? à jour|étendue?s?|montée?s?
    |descendue?s?|déplacée?s?|transférée?s?|déménagée?s?|modifiée?s?|changée?s?|doublée?s?|promue?s?
    |élue?s?|nommée?s?|réécrite?s?|refaite?s?|migrée?s?|renommée?s?|rebaptisée?s?|basculée?s?|entrée?s?
    |d'entrer|transformée?s?""",
    r"""
    sub(?:í|imos|ió|ido|ieron)|baj(?:é|amos|ó|ado|aron)|aument(?:é|amos|ó|ado|aron|ad[oa])|reduj\w+
    |reducid[oa]|reducimos|cambi(?:é|amos|ó|ado|aron|ad[oa])|ampli(?:é|amos|ó|ado|ad[oa])|mov(?:í|imos
    |ió|ido|id[oa])|aplaz(?:amos|ó|ado|ad[oa])|adelant(?:amos|ó|ado|ad[oa])|actualiz(?:é|amos|ó|ado
    |ad[oa])|pas(?:é|amos|ó|ado|aron)|traslad(?:é|amos|ó|ado|ad[oa])|transfer\w+|migr(?:é|amos|ó|ado
    |aron)|renombr\w+|reescri\w+|rehic\w+|ascend\w+|elegid[oa]|nombrad[oa]|cumpl(?:í|ió|ido)|llegó
    |llegamos|acort\w+|alarg\w+|prorrog\w+|duplic\w+""",
    r"""
    sub(?:i|imos|iu|ido)|baix(?:ei|amos|ou)|aument(?:ei|amos|ou|ad[oa])|reduzi\w*|mud(?:ei|amos|ou
    |ad[oa])|alter(?:ei|amos|ou|ad[oa])|ampli(?:ei|amos|ou|ad[oa])|adi(?:ei|amos|ou|ad[oa])|antecip(?:ei
    |amos|ou|ad[oa])|atualiz(?:ei|amos|ou|ad[oa])|pass(?:ei|amos|ou|aram)(?: a ser)?|transfer(?:i|imos
    |iu|id[oa])|migr(?:ei|amos|ou|ad[oa])|troc(?:ei|amos|ou)|renome\w+|reescr\w+|refi[zt]\w*
    |promovid[oa]|eleit[oa]|nomead[oa]|encurt\w+|prorrog\w+|chegou|caiu|cresceu""",
    r"""
    alzat[oaie]|abbassat[oaie]|aumentat[oaie]|ridott[oaie]|portat[oaie]|spostat[oaie]|prorogat[oaie]
    |estes[oaie]|aggiornat[oaie]|cambiat[oaie]|rinviat[oaie]|salit[oaie]|sces[oaie]|passat[oaie]
    |posticipat[oaie]|anticipat[oaie]|innalzat[oaie]|accorciat[oaie]|trasferit[oaie]|migrat[oaie]
    |rinominat[oaie]|riscritt[oaie]|rifatt[oaie]|promoss[oaie]|elett[oaie]|nominat[oaie]
    |raddoppiat[oaie]|arrivat[oaie] a|modificat[oaie]|impostat[oaie]""",
    r"""
    verhoogd|verlaagd|verplaatst|verschoven|verzet|gezet|bijgewerkt|verlengd|verkort|ingekort|gestegen
    |gedaald|gegroeid|gekrompen|uitgesteld|vervroegd|gewijzigd|veranderd|aangepast|verhuisd|overgezet
    |overgestapt|overgeplaatst|gemigreerd|hernoemd|omgedoopt|herschreven|gepromoveerd|gekozen|benoemd
    |verdubbeld|gehalveerd|uitgebreid|teruggebracht""",
    r"""
    (?:увелич|повы[сш]|сни[зж]|уменьш|подня|продл|перен[её]с|сдвин|отлож|измен|обнов|расшир|сократ
    |переимен|перевел|перевёл|перевед|переехал|переш[её]л|перешл|переписа|назнач|избра|выбра|вырос
    |упа[лд]|достиг|опуст|смен|поменя|передела|передвин|урез|удво)\w{0,7}""",
    r"""
    (?:zmniejsz|zwiększ|podnie|podnios|obniż|przesun|przełoż|zmieni|przedłuż|podwyższ|zaktualizow|skróc
    |przenie|przenios|przepisa|przemianow|awansow|wybra|mianowa|wzros|spad|urós|urosł|ustawi|podwoi
    |wydłuż|przeprowadzi|przesz)\w{0,8}""",
    r"""
    çıkar(?:ıldı|dık|dım)|ertele(?:ndi|dik)|alındı|yükselt(?:ildi|tik|tim)|düşür(?:üldü|dük|düm)|çıktı
    |düştü|taşın(?:dı|dık|dım)|taşıdık|güncelle(?:ndi|dik)|değiş(?:ti|tirdik|tirdim|tirildi)|uzat(?:ıldı
    |tık)|kısalt(?:ıldı|tık)|artır(?:ıldı|dık)|azalt(?:ıldı|tık)|geç(?:tik|tim|ti|ildi)|devraldı|atandı
    |seçildi|terfi (?:etti|ettim)|yeniden yaz\w+|ulaştı""",
)


def _joined(table: tuple[str, ...]) -> re.Pattern[str]:
    listed = "|".join(" ".join(verbs.split()).replace(" |", "|") for verbs in table)
    return Lazy(rf"\b(?:{listed})(?=\W|\Z)").compiled()


ENDING: Final = _joined(_ENDING)
SETTING: Final = _joined(_SETTING)
