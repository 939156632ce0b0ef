"""Wording: forms of one word, and the little words that statements can differ in without saying more.

A statement is compared with others after this: one form of each verb and possessive, no articles, the
subject first.
"""

from __future__ import annotations

import re
from typing import Final

_VERB_TEXT: Final = """
    use prefer live work run listen need want drive speak deploy build test host store keep meet report
    release write manage lead own review teach start end begin open close take last cost hold allow require
    expire rotate leave go get sit study train read wear sleep eat drink smoke cook watch commute
    ride walk pay charge earn weigh handle serve support maintain facilitate moderate chair head coach cover
    sign log track monitor scan lint format compile package publish merge rebase tag pin lock cache index
    render send receive bill book rent stay reside consist depend point route connect call name
    bake plant water feed clean wash shop buy order save
    cycle run park charge plan
    schedule organise organize run boot compute encrypt sync backup archive rotate poll retry throttle parse
    return print show display default fall occur happen accept make let do have provide contain
    include generate mount bind proxy mirror wake see answer reply respond"""
_IRREGULAR: Final = {
    "has": "have", "does": "do", "goes": "go", "favourite": "favorite", "colour": "color",
    "am": "is", "are": "is", "be": "is",
    "nutzen": "nutze", "nutzt": "nutze", "verwende": "nutze", "verwenden": "nutze", "verwendet": "nutze",
    "benutze": "nutze", "benutzen": "nutze", "benutzt": "nutze", "setzen": "nutze",
}  # fmt: skip


def _forms(verb: str) -> list[str]:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        third = f"{verb}es"
    elif verb.endswith("y") and verb[-2] not in "aeiou":
        third = f"{verb[:-1]}ies"
    else:
        third = f"{verb}s"
    return [third]


def _gerunds(verb: str) -> list[str]:
    stem = verb[:-1] if verb.endswith("e") and not verb.endswith("ee") else verb
    return [f"{stem}ing", f"{verb}{verb[-1]}ing"]


def _participles(verb: str) -> list[str]:
    stem = verb[:-1] if verb.endswith("e") else verb
    if verb.endswith("y") and verb[-2] not in "aeiou":
        stem = f"{verb[:-1]}i"
    return [f"{stem}ed", f"{verb}{verb[-1]}ed"]


_OTHER_VERB_TEXT: Final = """
    sing dance draw paint knit sew swim climb hike vote attend visit invest subscribe travel belong collect
    sell
    offer ship practise practice learn play follow coach mentor grow bake love like hate enjoy know"""
VERBS: Final = frozenset(_VERB_TEXT.split())
"""English verbs by which a subject has a value."""

_ALL_VERBS: Final = sorted((*VERBS, *_OTHER_VERB_TEXT.split()))
BASE: Final = {form: verb for verb in _ALL_VERBS for form in _forms(verb)} | _IRREGULAR
"""From forms of a verb to the one that is compared."""

PARTICIPLES: Final = {form: verb for verb in sorted(VERBS) for form in _participles(verb)} | {
    "taught": "teach", "led": "lead", "written": "write", "kept": "keep", "held": "hold", "built": "build",
    "done": "do", "taken": "take", "sent": "send", "rewritten": "write", "driven": "drive", "run": "run",
}  # fmt: skip
"""The same after `is`: `is hosted on`. Elsewhere such a form tells of the past."""

GERUNDS: Final = {form: verb for verb in _ALL_VERBS for form in _gerunds(verb)}
_PROGRESSIVE: Final = re.compile(r"\b(?:am|is|are|(?:have|has) been) ([a-z]{2,16}ing)\b")


def simple_present(key: str) -> str:
    """Write `is using` as `use`."""
    return _PROGRESSIVE.sub(
        lambda found: GERUNDS[found[1]] if found[1] in GERUNDS else found[0], key
    )


_ARTICLE_TEXT: Final = """
    the a an der die das den dem le la les el los las il lo gli het ein eine einen einer einem whole entire"""
ARTICLES: Final = frozenset(_ARTICLE_TEXT.split())

TITLES: Final = frozenset(["dr", "dr.", "prof", "prof.", "mr", "mr.", "mrs", "mrs.", "ms", "ms."])
"""What stands before a name and says nothing about who it is."""

_POSSESSIVE_TEXT: Final = """
    my our his her their your mein:mein,meine,meiner,meinen,meinem,meines
    unser:unser,unsere,unserer,unseren,unserem,unseres sein:seine,seiner ihr:ihr,ihre,ihrer dein:dein,deine
    mon:mon,ma,mes notre:notre,nos son:sa ton:ton,ta votre:votre,vos mi:mi,mis nuestro:nuestro,nuestra su
    meu:meu,minha nosso:nosso,nossa mio:mio,mia nostro:nostro,nostra mijn ons:ons,onze
    мой:мой,моя,моё,мое,мою наш:наш,наша,наше,нашу mój:mój,moja,moje,moim,moją
    nasz:nasz,nasza,nasze,naszym,naszą"""
POSSESSIVES: Final = {
    form: entry.partition(":")[0]
    for entry in _POSSESSIVE_TEXT.split()
    for form in (entry.partition(":")[2] or entry).split(",")
}
"""From forms of a possessive to the one that is compared."""

_POST_TEXT: Final = """
    jefa:jefe cheffe:chef chefin:chef leiterin:leiter chefe:chefe vorgesetzter:vorgesetzte
    vorgesetzten:vorgesetzte
    zahnärztin:zahnarzt ärztin:arzt hausärztin:hausarzt médica:médico doctora:doctor profesora:profesor
    abogada:abogado dentista:dentista maestra:maestro entrenadora:entrenador directora:director
    directrice:directeur entraîneuse:entraîneur coiffeuse:coiffeur avocate:avocat
    lehrerin:lehrer trainerin:trainer vermieterin:vermieter ansprechpartnerin:ansprechpartner
    projektleiterin:projektleiter teamleiterin:teamleiter начальница:начальник
    diretora:diretor professora:professor dottoressa:dottore direttrice:direttore capa:capo
    szefowa:szef szefem:szef szefową:szef lekarzem:lekarz lekarką:lekarz lekarka:lekarz
    dentystą:dentysta dentystką:dentysta dentystka:dentysta kierownikiem:kierownik
    kierowniczka:kierownik baas:baas"""
POSTS_BY_ONE_NAME: Final = dict(entry.split(":") for entry in _POST_TEXT.split())
"""One post has one name here, whoever holds it."""

CONTRACTIONS: Final = re.compile(
    r"\b(i|we|you|they|he|she|it|that|there|who)['’](m|re|s|ve|ll|d)\b|\b(is|are|do|does|was|were|have"
    r"|has)n['’]t\b"
)
_CONTRACTED: Final = {
    "m": "am", "re": "are", "s": "is", "ve": "have", "ll": "will", "d": "would",
}  # fmt: skip


def spelled_out(key: str) -> str:
    """Write `I'm` as `I am`."""
    if "ámos" in key:  # `migrámos`, as it is written in Portugal
        key = key.replace("ámos", "amos")
    return CONTRACTIONS.sub(
        lambda found: f"{found[3]} not" if found[3] else f"{found[1]} {_CONTRACTED[found[2]]}", key
    )


PHRASES: Final = (
    (re.compile(r"\b(?:lives|live|(?:am|is|are) (?:living|based|residing)|resides?) in\b"), "live in"),
    (re.compile(r"\butili[sz]es?\b"), "use"),
    (re.compile(r"\b(?:only|just) (?=(?:takes?|costs?|lasts?|needs?|requires?)\b)"), ""),
    (re.compile(r"\b(?:usually|normally|typically|generally|mostly|normalerweise|meistens|gewöhnlich|normalement"
                r"|d'habitude|habituellement|normalmente|habitualmente|generalmente|di solito"
                r"|meestal|gewoonlijk|zwykle"
                r"|обычно)\b"), " "),
    (re.compile(r"\b(am|is|are) (?:turned |switched )?on\Z"), r"\1 enabled"),
    (re.compile(r"\b(am|is|are) (?:turned |switched )?off\Z"), r"\1 disabled"),
    (re.compile(r"(?<=\d) ?([ap])\.?m\b\.?"), r"\1m"),
    (re.compile(r"\bwill (?=be |take |start |run |end |happen |move )"), ""),
    (re.compile(r"\b(?:takes? place|is held|are held|is scheduled|are scheduled|is planned|are planned|is set"
                r"|will be|happens?|occurs?) (?=(?:on|at|for|in|every|once|twice)\b)"), "is "),
    (re.compile(r"\bfindet ((?:[^\s]{1,30} ){1,5}?)statt\b"), r"ist \1"),
    (re.compile(r"\b(?:beträgt|betragen|lautet|lauten)\b"), "ist"),
    (re.compile(r"\b(?:se eleva a|asciende a)\b"), "es"),
    (re.compile(r"\ba lieu\b"), "est"),
    (re.compile(r"\bj'(?=\w)"), "je "),
    (re.compile(r"\b(est|sont|es|son|é|è) (?:de|di|d') ?(?=\d)"), r"\1 "),
    (re.compile(r"\b(lavoro|lavora|abito|abita|vivo|vive|vivono|studio|studia|insegno) a\b"), r"\1 à"),
    (re.compile(r"\b(m[óo]j|moja|nasz[ae]?) (\w{2,20}) to (?=\w)"), r"\1 \2 jest "),
    (re.compile(r"\b(é|são) (?:os?|as?) (?=\w{2})"), r"\1 "),
    (re.compile(r"\bmoro (?:no|na|nos|nas)\b"), "moro em"),
    (re.compile(r"\b(trabalho|estudo|vivo) n(?:um|uma|o|a)\b"), r"\1 em"),
    (re.compile(r"habite (?:au|aux|en)\b"), "habite à"),
    (re.compile(r"\b(vivo|abito) in\b"), r"\1 à"),
    (re.compile(r"(?<=.)了\Z"), ""),
    (re.compile(r"に住んで(?:いる|ます)"), "に住んでいます"),
    (re.compile(r"を(?:使います|使用しています|使用します|利用しています|使っている)"), "を使っています"),
    (re.compile(r"(?:입니다|이에요|예요|이다|임)(?=\s|\Z)"), " 입니다"),
)  # fmt: skip
"""Phrases that say the same."""

_SUBJECT_TEXT: Final = """
    i we you he she they it ich wir er sie es je nous tu il elle yo nosotros nosotras tú él ella eu nós
    ele ela io noi lui lei я мы ты он она они ik wij jij hij zij biz"""
SUBJECTS: Final = frozenset(_SUBJECT_TEXT.split())
"""Words that are a subject by themselves: what follows is the verb."""

_COPULA_TEXT: Final = """
    am is are was be bin ist sind bist suis est sommes soy es somos está están sou é fica sono è это zijn
    jest = 입니다"""
COPULAS: Final = frozenset(_COPULA_TEXT.split())

_PREPOSITION_TEXT: Final = """
    in on at for with during when if unless except within inside outside to from by via after before under
    over while whenever as about per
    im beim für bei mit auf an am um wenn ausser während nach aus zum zur als ins
    pour dans avec sur chez quand si pendant en à au aux sauf comme par
    para con cuando durante por como com em no na aos às al excepto salvo
    per nel nella nei con su quando alla alle da
    для в во на с со когда если при по за
    op bij voor tijdens als wanneer
    w we z ze na dla podczas gdy jeśli przy"""
QUALIFIERS: Final = frozenset(_PREPOSITION_TEXT.split())
"""Words that begin what a value holds for: where that differs, two statements are about two things."""

CONDITIONS: Final = re.compile(
    r"\A(?:when(?:ever)?|if|unless|except|while|during|only|but only|in|on|at|for|within|until|before|after"
    r"|provided|as long as|outside|wenn|falls|ausser|außer|während|nur|im|am|bei|für|quand|si|sauf|pendant"
    r"|lors"
    r"|pour|seulement|cuando|excepto|salvo|solo|sólo|para|durante|quando|se|tranne|exceto|per|если|когда"
    r"|кроме"
    r"|только|для|по|als|behalve|tijdens|tylko|gdy|jeśli)\b|除了|除非|只有|仅|如果|当|平日|週末|周末|工作日"
    r"|주말|평일"
)
"""How a part of a sentence begins that says when or for what the rest holds."""


_PARTICLES: Final = frozenset(["은", "는", "이", "가", "을", "를", "에", "의"])


def same_word(one: str, two: str) -> bool:
    """Tell whether two words are one in different cases: `планёрка`, `планёрку`."""
    if one == two:
        return True
    if "가" <= one[-1:] <= "힣" or "가" <= two[-1:] <= "힣":  # with a particle or without
        short, long = sorted((one, two), key=len)
        return long.startswith(short) and long[len(short) :] in _PARTICLES
    if one.isascii() or min(len(one), len(two)) < 5:
        return False
    shared = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= 5 and max(len(one), len(two)) - shared <= 2


_CLAUSE_TEXT: Final = """
    that which who whose how why what where because so than and but if whether though although while to
    dass weil der welche und aber ob qui que dont parce et mais y pero porque quien e ma perché который что
    потому и но dat omdat en maar że i ale ve ama
    something anything someone somebody everything nothing more other others different similar etwas mehr
    andere
    quelque autre autres algo otros otras qualcosa что-то iets coś"""
CLAUSES: Final = frozenset(_CLAUSE_TEXT.split()) - {"to", "der", "e", "i", "y"}
"""Words that begin another clause, or join two things: what holds one of them is no single value."""

_MODALS_TEXT: Final = """
    will would can could should might may must shall want hope wish try trying going"""
MODALS: Final = frozenset(_MODALS_TEXT.split())
"""Verbs of what could be: they tell of no state."""

CODE: Final = re.compile(
    r"(?:\A|\s)(?:[=<>+*/|\\]{1,3}|const|let|var|def|import|return)(?=\s)|[{}\\]|</?\w|;\Z"
)
"""Signs by which a line is code and no statement."""
