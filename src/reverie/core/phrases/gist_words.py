"""Gist words: what a clause may say besides what it is about: being, using, changing, how and how much.

Words that are missing here count as part of what a clause is about, so that both statements stay.
"""

from __future__ import annotations

import re
from typing import Final

_USING_TEXT: Final = """
    use uses using used run runs running sit sits sitting live lives is are was be being been go goes went
    going
    done keep keeps kept put store stores stored back backs backed power powers powered host hosts hosted
    build
    builds built rely relies write writes written edit do does get gets got have has had work works
    prefers start starts begin begins take takes happen happens held hold holds set based stand stands last
    lasts
    switched moved migrated changed gone over come comes make makes made see sees target targets
    nutze nutzen nutzt verwende verwenden läuft laufen liegt ist sind haben habe hat steht
    utilise utilisons tourne est sont passe passent se fait lieu usa usan uso usamos es está son tengo tiene
    corre uso usiamo è sono ho abbiamo gira usa usamos está roda é fica tem draait draaien is zijn gebruik
    gebruiken heb hebben используем использую работает стоит jest są używam używamy działa to kullanıyoruz
    oldu"""
USING: Final = frozenset(_USING_TEXT.split())

_FILLING_TEXT: Final = """
    completely entirely fully totally everywhere permanently please finally only pure all every each whole
    entire
    usually normally generally always typically really actually instead else new current currently old
    previous
    former latest own main same time times there here that's it's its everybody everyone everything anything
    things stuff longer shorter higher lower bigger smaller faster slower later earlier more less enough
    single
    just still again already recently lately early late tonight today now then since until around about
    roughly
    exactly approximately nearly almost though well so yes no ok okay let let's moving switching going gonna
    we've i've i'd we'd they've they gave given me us them good quite pretty very back out off
    over along make that this these those days day people persons members what mine everybody's everyone's
    c'est j'ai d'un
    nam nous nos ci ons uns us нам bize it'll you you'll there's
    nur noch immer jetzt inzwischen mittlerweile alles ganz komplett neu neue neuer neues meist
    tout toute tous toutes désormais maintenant toujours nouveau nouvelle entièrement ancien ancienne
    todo toda todos todas siempre ahora nuevo nueva completamente antes
    tutto tutta tutti sempre ora nuovo nuova ormai completamente
    tudo toda todo sempre agora novo nova completamente
    alles altijd nu nieuw nieuwe voortaan helemaal
    всё все всегда теперь новый новая новое полностью у нас там тут
    wszystko zawsze teraz nowy nowa nowe całkiem
    hep artık yeni tamamen"""
FILLING: Final = frozenset(_FILLING_TEXT.split())

_MEANS_TEXT: Final = """
    in on with via through to by from into onto over around using
    auf mit über zu in bei durch nach sur avec par dans en à sous a con por em no na ao com su con a nel
    op met naar via на в через с к w na z przez do"""
MEANS: Final = frozenset(_MEANS_TEXT.split())
"""What stands before a tool."""

# What a kind of tool is called besides, by those who say which one it is.
_KIND_TEXT: Final = """
    database: db data storage persistence datenbank base données datos dados dati данных база бд bazą baza
    danych
        veritabanı
    package manager: packages dependencies
    ci: pipeline pipelines builds
    editor: ide code coding editing text
    chat: messaging messenger
    issue tracker: issues tickets
    vpn: remote access
    search backend: engine
    message broker: queue broker messaging
    mail service: mail
    payment provider: payments payment
    password manager: passwords
    feature flags: feature flags flag
    object storage: bucket
    code host: git hosting
    programming language: language code
    frontend framework: ui framework
    hosting provider: cloud"""
KIND_WORDS: Final = {
    kind.strip(): frozenset(words.split())
    for kind, _, words in (
        line.partition(":")
        for line in _KIND_TEXT.replace("\n        ", " ").split("\n")
        if ":" in line
    )
}

_HOLDER_TEXT: Final = """
    manager:manager boss:boss supervisor:supervisor gp:gp doctor:doctor dentist:dentist intern:intern
    lead:lead
    owner:owner maintainer:maintainer landlord:landlord landlady:landlord trainer:trainer coach:coach
    therapist:therapist master:master cto:cto ceo:ceo cfo:cfo secretary:secretary treasurer:treasurer
    chairman:chair chair:chair host:host accountant:accountant lawyer:lawyer tutor:tutor cleaner:cleaner
    hairdresser:hairdresser captain:captain editor:editor contact:contact principal:principal mentor:mentor
    chef:chef chefin:chef vorgesetzte:vorgesetzte hausarzt:hausarzt zahnarzt:zahnarzt vermieter:vermieter
    teamleiter:teamleiter teamleiterin:teamleiter projektleiter:projektleiter projektleiterin:projektleiter
    médecin:médecin dentiste:dentiste responsable:responsable propriétaire:propriétaire
    jefe:jefe jefa:jefe médico:médico médica:médico dentista:dentista casero:casero entrenador:entrenador
    medico:medico capo:capo chefe:chefe gerente:gerente professor:professor professora:professor
    huisarts:huisarts tandarts:tandarts leidinggevende:leidinggevende
    тимлид:тимлид начальник:начальник врач:врач тренер:тренер
    szef:szef szefowa:szef lekarz:lekarz kierownik:kierownik"""
HOLDERS: Final = dict(entry.split(":") for entry in _HOLDER_TEXT.split())
"""Posts that one holds at a time, each by one name."""

_CASE_TEXT: Final = """
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
    пн вт ср чт пт сб вс вторникам средам четвергам пятницам понедельникам четверг вторник среду пятницу
    понедельник субботам воскресеньям"""
MONTHS_IN_CASES: Final = frozenset(_CASE_TEXT.split())
"""Months and days as they stand in a date."""

TURNED: Final = re.compile(
    r"\b(?:made|gave (?:me|us)|put (?:me|us)|reshuffled|rotated|bump(?:ed|ing)|moving|switching|pushing"
    r"|got (?:an? |my )?new|failed over|instead|permanently|until further notice|no more|is enough|as of late"
    r"|(?:gone|went) (?:over|back) to|since"
    r"|went (?:for|with)|have it|these days|handed|approved|turned"
    r"|nur noch|stattdessen|gewechselt|verschoben|übernommen|umgestellt"
    r"|finalement|chang\w+|passe désormais|remplac\w+|décal\w+"
    r"|cambi\w+|dieron|movieron|pasaron|mudou|mudei|mudaram|trocou|trocamos|aument\w+|adiar\w+"
    r"|slittat\w+|spostat\w+|riscritt\w+|passat\w+"
    r"|overgenomen|verhuisd|verplaatst|overgestapt|gewijzigd"
    r"|перенесли|переш\w+|поменя\w+|смени\w+|заменил\w+"
    r"|zmieni\w+|przesunę\w+|zrezygnowa\w+|przeszl\w+|przeniesion\w+"
    r"|değişti|devraldı|aldık|geçtik|taşındı)\b"
)
"""Words by which a clause tells of a change, besides verbs of ending and setting."""

REASONS: Final = re.compile(
    r" (?:because|since|after|so that|due to|as soon as|in order|ever since|weil|nachdem|da die|da der"
    r"|puisque|parce que|porque|ya que|perché|poiché|omdat|sinds|потому что|так как|bo|ponieważ|çünkü) "
)
"""How a reason begins, which is no part of what holds."""
