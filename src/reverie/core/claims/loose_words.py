"""Loose words: what words count for when a sentence is compared with others by its content alone.

Small words, kinds of values, measures, feelings; and when two words are one, whatever their endings.
"""

from __future__ import annotations

import re
from typing import Final

from reverie.core.claims.attributes import RELATIONS, SPEAKING_VERBS
from reverie.core.claims.wording import (
    ARTICLES,
    BASE,
    COPULAS,
    MODALS,
    POSSESSIVES,
    QUALIFIERS,
    SUBJECTS,
    VERBS,
    same_word,
)

UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

_FEELING_TEXT: Final = """
    like love enjoy hate dislike prefer know remember miss fear mind hope wish dream mag liebe hasse
    kenne aime adore déteste gusta gustan encanta odio gosto adoro amo piace piacciono odio люблю
    ненавижу нравится hou lubię kocham nienawidzę seviyorum severim allergic"""
FEELINGS: Final = frozenset(_FEELING_TEXT.split())
PAST: Final = re.compile(
    r"\b(?:was|were|had|used to|once|ago|früher|war|waren|hatte|hatten|damals|avant|étais|était|avais|avait"
    r"|antes|era|eran|había|estudié|trabajé|viví|trabalhei|morei|estudei|prima|ero|avevo|lavoravo|vivevo"
    r"|раньше|был|была|были|vroeger|was|dawniej|kiedyś|był|była|eskiden|önceden)\b"
    r"|以前|曾经|之前|前は|ました|でした|었어|았어|였어|예전"
)
_FIRST_TEXT: Final = """
    i we my our ich wir mein unser je nous on mon notre yo nosotros mi nuestro eu nós meu nosso io noi
    mio nostro я мы мой наш у ik wij we mijn ons ja my mój nasz ben biz benim bizim"""
FIRST: Final = frozenset(_FIRST_TEXT.split())
FIRST_UNSPACED: Final = re.compile(r"\A(?:我|咱|私|僕|俺|うち|弊社|저|제|나|내|우리)")
FIRST_VERB: Final = re.compile(
    r"(?:uso|usamos|tengo|tenemos|tenho|temos|ho|abbiamo|vivo|vivimos|moro|moramos|trabajo"
    r"|trabajamos|trabalho"
    r"|lavoro|abito|soy|sou|sono|estoy|estou|voy|vou|vado|hago|faço|faccio|tomo|bebo|bevo|como"
    r"|conduzco|guido|dirijo"
    r"|estudio|estudo|juego|jogo|gioco|hablo|falo|parlo|leo|leggo|pago|compro|escribo|guardo|utilizo"
    r"|utilizamos"
    r"|usiamo|desplegamos|pracuję|mieszkam|mam|mamy|używam|używamy|jestem|jeżdżę|palę|piję|jem|gram|studiuję"
    r"|живу|работаю|курю|пью|ем|использую|используем|учусь|езжу|хожу|пишем|храним|\w{3,20}(?:yorum|yoruz))"
)
_KIND_TEXT: Final = """
    deadline date day time due slot schedule version minimum maximum min max limit size threshold quota
    cap number count amount price rate level value length duration period capacity frist termin datum
    version grenze grösse anzahl preis dauer échéance date limite version taille seuil prix durée
    nombre fecha plazo límite versión tamaño precio número prazo data versão tamanho preço scadenza
    versione dimensione prezzo срок дата версия размер лимит цена termin limiet versie prijs limit
    wersja cena team company staff current new default target total daily weekly monthly require
    requires required requiere richiede exige нужна newer above higher least must be set"""
KINDS: Final = frozenset(_KIND_TEXT.split())
"""Words that name what kind of value something has, and so may be left out."""
_HOST_TEXT: Final = "server database db environment cluster instance system machine host box"
HOSTS: Final = frozenset(_HOST_TEXT.split())
_FILLING_TEXT: Final = """
    whole entire all just only whole old main same ganze gesamte alte tout toute todo toda vieux
    vieille viejo vieja velho velha vecchio vecchia старый старую stary oude eski the app own about
    around full time everything everybody everyone"""
_FILLING: Final = frozenset(_FILLING_TEXT.split())
_DONE_WITH_TEXT: Final = """
    on with via using through by mit über auf avec sur con com su с на met op przez"""
DONE_WITH: Final = frozenset(_DONE_WITH_TEXT.split())
"""What stands before a tool or a channel."""
_WORK_TEXT: Final = """
    work study arbeite arbeitet travaille trabajo trabaja trabalho lavoro lavora работаю werk pracuję"""
WORKING: Final = frozenset(_WORK_TEXT.split())
_AUXILIARY_TEXT: Final = "hemos he ha han have has habe haben hat ai avons abbiamo ho ben zijn"
AUXILIARIES: Final = frozenset(_AUXILIARY_TEXT.split())
_MEASURE_TEXT: Final = """
    cup cups glass glasses pack packs bottle mg g kg ml piece pieces pair lot day week month year times
    time daily every each hour hours minute minutes tasse tassen glas jeden jede tag woche tasses
    verres jour tazas vasos día tazze giorno semana settimana vezes veces volte каждый день раз dag
    elke codziennie dziennie her gün"""
MEASURES: Final = frozenset(_MEASURE_TEXT.split())
_SMALL_TEXT: Final = """
    of de du des del di do da le la it its that this there to and und et y e и en i ve o os un una une
    uno um uma any unter über erst se si sta no na su"""
LITTLE: Final = (
    ARTICLES | QUALIFIERS | COPULAS | SUBJECTS | MODALS | frozenset(POSSESSIVES) | _FILLING
    | frozenset(_SMALL_TEXT.split())
)  # fmt: skip

_HOLDING_TEXT: Final = """
    own lead manage run maintain by own owned head chair handle is responsible charge leitet betreut führt
    verantwortet ist zuständig dirige gère lleva responsable lidera guida отвечает ведёт руководит
    odpowiada prowadzi leidt 是 担 当 负 责 は で す"""
HOLDING: Final = frozenset(_HOLDING_TEXT.split())
HAPPENED: Final = re.compile(
    r"\w+ed|bought|met|went|saw|did|had|got|made|took|came|left|lost|won|ran|wrote|broke|gave|found"
    r"|told|said|sold|became"
    r"|habe|hatte|haben|hatten|bin|ai|avons|had|heb|hebben|\w+[лл][аи]?"
)
_BEING_TEXT: Final = """
    is are live run keep store sit stay use have wohne ist sind liegt läuft est sont"""
BEING: Final = frozenset(_BEING_TEXT.split())
"""Verbs by which something is somewhere, or in use."""
_OFFER_TEXT: Final = "support offer accept provide include contain speak"
OFFERED: Final = frozenset(_OFFER_TEXT.split())
"""Verbs of which several values hold at once."""
_UNIT_TEXTS: Final = (
    """
    s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi
    seconden секунда секунды секунд sekund sekundy saniye min mins minute minutes minuten minuto
    minutos minuti minuut минута минуты минут minut minuty dakika h hr hrs hour hours stunde stunden
    heure heures hora horas ora ore uur час часа часов godzin godziny saat day days tag tage tagen
    jour jours día días dia dias giorno giorni dag dagen день дня дней dzień dni gün week weeks
    woche wochen semaine semaines semana semanas settimana settimane weken неделя недели недель
    tydzień tygodnie tygodni hafta month months monat monate monaten mois mes meses mês mese mesi
    maand maanden месяц месяца месяцев miesiąc miesiące miesięcy ay year years jahr jahre jahren an
    ans année années año años ano anos anno anni jaar год года лет rok lata lat yıl ms 秒 分 时 時 小时 分钟
    日 天 周 月 年 초 분 시간 일 주 개월 년""",
    """
    b kb mb gb tb kib mib gib byte bytes ko mo go кб мб гб тб""",
    """
    $ € £ ¥ dollar dollars euro euros eur usd gbp pound pounds zł złotych złote рублей рубля руб
    lira tl yen""",
    """
    mm cm m km mi mile miles kilometer kilometers kilometres mg g kg kilo kilos lb lbs pounds ml l
    litre litres""",
    """
    % percent prozent percento pourcent porcento процентов procent""",
)
UNIT_KINDS: Final = tuple(frozenset(text.split()) for text in _UNIT_TEXTS)
"""Units by what they measure: hours and minutes are of one kind."""
UNITS: Final = frozenset().union(*UNIT_KINDS)
_SCOPE_TEXT: Final = """
    staging production prod dev development test testing qa internal external public private admin
    mobile web desktop ios android frontend backend weekend weekends weekday weekdays guest guests
    premium local remote backup secondary primary old second other another work home morning evening
    night summer winter testumgebung produktion produktiv préproduction producción pruebas produção
    produzione productie тестовый продакшн produkcja"""
_KIN_TEXT: Final = """
    kardeşim ablam abim annem babam eşim karım kocam oğlum kızım arkadaşım kuzenim komşum teyzem amcam"""
KIN_OF_MINE: Final = frozenset(_KIN_TEXT.split())
"""Somebody else, in a language that says `my` by an ending."""
SCOPES: Final = frozenset(_SCOPE_TEXT.split())
"""Words that tell one of several from the others."""
_INFINITIVE: Final = re.compile(
    r"(?:ing|ieren|en|n|are|ere|ire|er|ir|re|ar|ać|ić|yć|eć|ить|ать|еть|ять|ть)\Z"
)


def is_verb(word: str) -> bool:
    return (
        word in VERBS
        or word in _VERBS
        or word in RELATIONS
        or word in COPULAS
        or word in SPEAKING_VERBS
        or word == "have"
    )


_VERBS: Final = frozenset(BASE.values()) - {"is", "favorite", "color"}


_ELISIONS: Final = frozenset(["d", "l", "j", "c", "n", "m", "t", "s", "qu", "dell", "all", "un"])


def _stem(word: str) -> str:
    first, _, last = word.partition("'")
    if last and first in _ELISIONS:  # `d'OVH`
        word = last
    elif last:  # `Garanti'de`
        word = first
    if word.isascii() and len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def alike(one: str, two: str) -> bool:
    a, b = _stem(one), _stem(two)
    doing = len(b) > 3 and a.endswith("ing") and a[:-3] in (b, b.removesuffix("e"))
    return a == b or same_word(a, b) or doing or _are_cases(a, b)


_CASE: Final = re.compile(r"(?:a|e|i|u|y|ie|em|ach|om|ą|ę|ów)\Z")


def _are_cases(a: str, b: str) -> bool:
    """Tell whether two words are a name in two cases, in a language that has them: `Krakowa`, `Krakowie`."""
    one, two = _CASE.sub("", a), _CASE.sub("", b)
    return one == two and len(one) >= 5 and a != one and b != two


def is_in(word: str, said: list[str]) -> bool:
    return any(alike(word, other) for other in said)


def place(words: list[str], part: list[str]) -> int:
    """Return where a part stands in words, whatever their endings; -1 where it does not."""
    places = range(len(words) - len(part) + 1)
    return next((at for at in places if all(map(alike, words[at : at + len(part)], part))), -1)


def is_form(infinitive: str, form: str) -> bool:
    """Tell whether a word is a form of a verb: `курю` of `курить`, `smoke` of `smoking`."""
    stem = _INFINITIVE.sub("", infinitive)
    return len(stem) >= 3 and form.startswith(stem) and len(form) - len(stem) <= 3


def bare(said: list[str]) -> list[str]:
    """Leave out the little words at both ends."""
    while said and (said[0] in LITTLE or said[0] in POSSESSIVES):
        said = said[1:]
    while said and said[-1] in ARTICLES:
        said = said[:-1]
    return said
