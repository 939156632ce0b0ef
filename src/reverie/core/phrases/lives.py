"""Lives: what happens to somebody, and what of them it ends, though no word of it is the same.

Rules

* Who marries is no longer single, who gets a job somewhere works nowhere else, who moves lives elsewhere, who
  eats meat again is no vegetarian: a turn of life ends one state of the same person.
* It must be one's own: what is said of somebody else, planned or asked ends nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from reverie.core.text.plain import Lazy

MOST_READ: Final = 2048  # so many sentences are kept as they were read

_TURNS: Final[tuple[tuple[str, str], ...]] = (
    (  # marriage, and what was before it
        r"\b(?:got married|(?:have|am) (?:just )?married|tied the knot|habe(?:n)? geheiratet|me suis"
        r" mariée?|me casé|me he casado"
        r"|nos casamos|casei(?:-me)?|mi sono sposat[oa]|ben getrouwd|вышла замуж|женился|мы"
        r" поженились|ożeniłem się"
        r"|wyszłam za mąż|wzięliśmy ślub|evlendi[mk])\b|结婚了|結婚しました|결혼했",
        r"\b(?:single|engaged|divorced|widowed|(?:girl|boy)friend|fiancée?|ledig|verlobt|geschieden"
        r"|célibataire|fiancée?|divorcée?"
        r"|soltero|soltera|divorciad[oa]|solteir[oa]|noiv[oa]|celibe|nubile|single|fidanzat[oa]"
        r"|vrijgezel|не ?замужем"
        r"|холост|не женат|singlem|singielką|kawalerem|panną|bekâr\w*|nişanlı\w*)\b|单身|独身|未婚|미혼|솔로",
    ),
    (  # a relationship
        r"\b(?:in a relationship|(?:have|got) an? (?:girlfriend|boyfriend|partner)|(?:am|started)"
        r" (?:seeing|dating) \w+"
        r"|habe (?:jetzt )?(?:eine freundin|einen freund)|bin vergeben|suis en couple|tengo (?:novio"
        r"|novia|pareja)|namorando"
        r"|sono fidanzat[oa]|ho (?:un ragazzo|una ragazza)|heb een (?:vriend|vriendin)|встречаюсь"
        r"|mam (?:chłopaka|dziewczynę)"
        r"|sevgilim var)\b|有(?:男|女)朋友了|彼(?:氏|女)ができ|(?:남|여)자친구가 생",
        r"\b(?:single|ledig|célibataire|solter[oa]|solteir[oa]|single|vrijgezel|singlem|singielką"
        r"|bekâr\w*)\b|单身|独身|솔로",
    ),
    (  # an end of one
        r"\b(?:got divorced|(?:am|are) divorced|broke up|split up|separated|haben uns (?:getrennt"
        r"|scheiden lassen)|bin geschieden"
        r"|avons divorcé|ai divorcé|sommes séparés|avons rompu|me divorcié|nos divorciamos|nos hemos"
        r" (?:divorciado|separado)"
        r"|rompimos|me divorciei|nos separamos|terminamos|abbiamo divorziato|ho divorziato|ci siamo"
        r" (?:lasciati|separati)"
        r"|zijn (?:gescheiden|uit elkaar)|развел(?:ся|ась|ись)|расстал(?:ся|ась|ись)|rozwiodł\w+"
        r"|rozstaliśmy|boşandı[mk]|ayrıldık)\b"
        r"|离婚了|分手了|離婚し|別れ(?:まし|た)|이혼했|헤어졌",
        r"\b(?:married|engaged|my (?:girl|boy)friend|my (?:wife|husband)|verheiratet|verlobt|mariée?"
        r" (?:avec|à)|casad[oa]|sposat[oa]"
        r"|getrouwd|замужем|женат|żonaty|zamężna|mężatką|evliyim|evli)\b|已婚|结婚|男朋友|女朋友"
        r"|結婚|彼氏|彼女|기혼|남자친구|여자친구",
    ),
    (  # work somewhere else
        r"\b(?:(?:got|landed|took|found|accepted|have|started) (?:an? |my )?(?:new )?(?:job|position"
        r"|role|post) (?:at|with)"
        r"|(?:changed|switched) jobs|(?:quit|left|resigned from) my (?:old )?job|den job gewechselt"
        r"|(?:meine stelle|meinen job) gekündigt|changé de (?:travail|boulot|emploi)|ai démissionné"
        r"|cambi(?:é|ado) de trabajo|mud(?:ei|ou) de emprego|cambiato lavoro|ben van baan veranderd"
        r"|сменила? работу|zmienił[ea]m pracę|iş değiştirdim"
        r"|started (?:working )?(?:at|for)|(?:was|got) hired (?:by|at)|signed with|habe (?:eine"
        r"|einen) (?:neuen? )?(?:stelle|job)"
        r"(?: \w+)? bei|habe bei [^,;]{1,40} angefangen|ai (?:trouvé )?un nouveau (?:travail"
        r"|poste|boulot)"
        r"|ai (?:commencé|été embauchée?) (?:chez|à)|suis passée? chez|tengo (?:un )?nuevo trabajo"
        r"|empecé (?:a trabajar )?en"
        r"|me contrataron en|consegui um (?:novo )?emprego|comecei (?:a trabalhar )?(?:na|no|em)|ho"
        r" (?:trovato )?un nuovo lavoro"
        r"|ho (?:iniziato|cominciato) (?:a lavorare )?(?:in|alla|da)|heb een nieuwe baan|ben"
        r" begonnen bij|устроил(?:ся|ась) (?:в|на)"
        r"|dostał[ea]m pracę|zacząłem pracę|zaczęłam pracę|işe (?:başladım|girdim))\b|跳槽到|入职了?"
        r"|换工作|转行|転職し|入社し|이직했|입사했",
        r"\b(?:works? (?:at|for)(?! (?:home|nights?|(?:the )?weekends?|noon|times|free)\b)"
        r"|(?:am|is) (?:employed|unemployed|looking for (?:an? )?(?:new"
        r" )?(?:job|work))|between jobs|job hunting"
        r"|arbeite\w* (?:bei|für)|suche (?:eine[n]? )?(?:stelle|job|arbeit)|arbeitslos|travaille"
        r" (?:chez|pour|à)"
        r"|cherche (?:un )?(?:travail|emploi|boulot)|trabaj[oa] (?:en|para)|busco trabajo"
        r"|trabalh[oa] (?:na|no|em|para)"
        r"|procuro emprego|lavor[oa] (?:per|in|da|alla|al|à)|cerco lavoro"
        r"|werkt? (?:bij|voor)|zoek (?:een )?(?:baan|werk)"
        r"|работа(?:ю|ет) (?:в|на)|ищу работу|pracuj[ęe] (?:w|dla)|szukam pracy|iş arıyorum|\w+"
        r" çalışıyorum)\b"
        r"|工作|上班|找工作|で働|勤め|仕事を探|에서 일|에 다녀|다니고|근무|구직",
    ),
    (  # meat, fish and the like again
        r"\b(?:(?:started|began) (?:eating|to eat) (?:meat|fish)|eat (?:meat|fish) again|esse"
        r" (?:wieder|inzwischen) (?:fleisch|fisch)"
        r"|remange de la viande|mange de nouveau de la viande|(?:he vuelto|volví) a comer carne"
        r"|voltei a comer carne"
        r"|(?:ho ricominciato|sono tornat[oa]) a mangiare carne|eet weer vlees|снова ем мясо|znowu"
        r" jem mięso|tekrar et yiyorum)\b"
        r"|又开始吃肉|重新吃肉|また肉を食べ|다시 고기를 먹",
        r"\b(?:vegetarian|vegan|veggie|don't eat meat|do not eat meat|vegetarier(?:in)?"
        r"|veganer(?:in)?|végétarien(?:ne)?|végane?"
        r"|vegetarian[oa]|vegan[oa]|vegetariër|veganist|вегетариан\w+|веган\w*|wegetarian\w+"
        r"|wegan\w+|vejetaryen\w*)\b|吃素|素食"
        r"|ベジタリアン|채식|비건",
    ),
    (  # no meat any more
        r"\b(?:(?:became|went|turned|am now) (?:an? )?(?:vegetarian|vegan)|bin (?:vegetarier"
        r"|veganer)(?:in)? geworden"
        r"|suis devenue? végéta\w+|me (?:hice|he hecho) vegetarian[oa]|virei vegetarian[oa]|sono"
        r" diventat[oa] vegetarian[oa])\b",
        r"\b(?:eat|love|like) (?:\w+ )?(?:meat|steak|beef)\b|\besse (?:\w+ )?fleisch\b|\bmange (?:de"
        r" la )?viande\b|\bcomo carne\b"
        r"|\bmangio carne\b",
    ),
    (  # smoking
        r"\b(?:quit smoking|gave up smoking|stopped smoking|(?:am|we're) done with (?:smoking"
        r"|cigarettes)|haven't (?:smoked|touched a"
        r" cigarette)|mit dem rauchen aufgehört|rauche nicht mehr|arrêté de fumer|ne fume plus|dejé"
        r" de fumar|he dejado de fumar"
        r"|parei de fumar|deixei de fumar|smesso di fumare|gestopt met roken|бросила? курить"
        r"|rzuciłem palenie|rzuciłam palenie"
        r"|sigarayı bıraktım)\b|戒烟|禁煙し|タバコをやめ|담배를 끊|금연",
        r"\b(?:smoke|smoker|rauche|raucher(?:in)?|fume|fumeu(?:r|se)|fumo|fumador[a]?|fumante|rook"
        r"|roker|курю|palę|sigara)\b|抽烟|吸烟"
        r"|タバコを吸|담배를 피|흡연",
    ),
    (  # a child is born
        r"\b(?:gave birth|(?:baby|son|daughter) (?:was|is) born|had (?:our|my|the) baby|became (?:a"
        r" )?(?:father|mother|parents?)"
        r"|ist (?:unsere tochter|unser sohn|das baby) geboren|sind eltern geworden)\b|生了|出産し"
        r"|出産了|태어났",
        r"\b(?:pregnant|expecting|schwanger|enceinte|embarazada|grávida|incinta|zwanger|беременна|w"
        r" ciąży|hamile\w*)\b|怀孕|妊娠|임신",
    ),
    (  # studies
        r"\b(?:graduated|finished (?:my (?:degree|studies|phd)|school|university)|got my (?:degree"
        r"|phd|diploma|licen[cs]e)"
        r"|habe mein(?:en)? (?:studium|abschluss) (?:abgeschlossen|gemacht|beendet)|ai (?:fini mes"
        r" études|obtenu mon diplôme)"
        r"|me gradué|terminé la carrera|me formei|mi sono laureat[oa]|ben afgestudeerd|закончила?"
        r" (?:университет|учёбу|институт)"
        r"|skończyłem studia|skończyłam studia|mezun oldum)\b|毕业了|卒業し|졸업했",
        r"\b(?:(?:am|is) (?:an? )?(?:\w+ )?student|study(?:ing)? at|in (?:my|the) (?:\w+ )?(?:year"
        r"|semester)|student(?:in)?|studiere|étudiante?"
        r"|estudiante|estudo|sono (?:uno )?studente(?:ssa)?|студент\w*|учусь|studentem|studentką"
        r"|öğrenciyim)\b|大学生|学生|학생",
    ),
    (  # away from where one lived with somebody
        r"\b(?:moved out|got my own (?:place|flat|apartment)|bin ausgezogen|ai quitté le domicile|me"
        r" (?:mudé|independicé)|saí de casa"
        r"|sono andat[oa] via di casa|ben uit huis|съехала? от|wyprowadził[ea]m się)\b|搬出来"
        r"|実家を出|독립했",
        r"\blive(?:s)? (?:with|at) (?:my|his|her) (?:parents|mum|mom|dad|folks|roommates?|flatmates?"
        r"|ex)|\bwohne (?:noch )?bei meinen eltern"
        r"|\bvis chez mes parents|\bhabite chez mes parents|\bvivo con mis padres|\bmoro com (?:os"
        r" )?meus pais|\bvivo con i miei"
        r"|\bwoon bij mijn ouders|\bживу с родителями|\bmieszkam z rodzicami",
    ),
    (  # a home elsewhere
        r"\b(?:nach \w[^,;]{1,40} (?:gezogen|umgezogen)|(?:ai|avons|a) (?:dé|em)ménagé (?:à|en|au|dans)"
        r"|me (?:mudé|he mudado|mudei|trasladé)|nos (?:mudamos|hemos mudado)|mudei-me|mi sono"
        r" trasferit[oa]|ci siamo trasferiti"
        r"|verhuisd (?:naar)?|naar \w[^,;]{1,40} verhuisd|перееха(?:л|ла|ли) в"
        r"|przeprowadził\w+ się(?: z \w+)? do|przeprowadziliśmy się(?: z \w+)? do"
        r"|(?:taşındım|taşındık))\b|搬到|搬去|に引っ越|へ引っ越|로 이사",
        r"\b(?:live in|wohne in|lebe in|habite (?:à|en|au|dans)|vis (?:à|en|au)|vivo (?:en|em|a|à"
        r"|in)|moro (?:em|no|na)|abito (?:a|à|in)"
        r"|woon in|живу в|mieszkam w)\b|\w+ (?:oturuyorum|yaşıyorum)\b|住在|に住んで|에 살",
    ),
)
_PLANNED: Final = re.compile(
    r"\b(?:will|would|want|wants|plan|planning|thinking|hope|hoping|going to|if|maybe|might|may|next"
    r"|soon|someday|one day|not|never"
    r"|almost|möchte|würde|werde|will|vielleicht|nächst\w+|bald|nicht|vais|voudrais|peut-être"
    r"|bientôt|quiero|quisiera|voy a|pronto"
    r"|quero|vou|em breve|vorrei|presto|хочу|скоро|может|wil|ga|misschien|chcę|może|wkrótce"
    r"|istiyorum|belki)\b|想|打算|可能|要|たい|予定|싶|거예요"
)
_OTHERS: Final = re.compile(
    r"\b(?:my|our|his|her|their|mein\w*|unser\w*|mon|ma|mes|notre|mi|mis|meu|minha|mio|mia|mijn"
    r"|onze?|мо[йяи]|наш\w*|m[oó]j\w*|nasz\w*)"
    r" (?:\w{2,12} )?(?:brother|sister|mother|father|mom|mum|dad|son|daughter|cousin|aunt|uncle"
    r"|friend|colleague|boss|neighbou?r"
    r"|parents|kids|bruder|schwester|mutter|vater|sohn|tochter|freund|kollege|kollegin|chef\w*"
    r"|eltern|tante|onkel|frère|sœur|mère"
    r"|père|fils|fille|ami|amie|collègue|parents|hermano|hermana|madre|padre|hijo|hija|amigo|amiga"
    r"|padres|irmão|irmã|mãe|pai"
    r"|filho|filha|fratello|sorella|figlio|figlia|amico|amica|genitori|broer|zus|moeder|vader|zoon"
    r"|dochter|vriend|vriendin|ouders|kinderen|pais|filhos|hijos|figli"
    r"|collega|брат|сестра|мама|папа|сын|дочь|друг|подруга|родители|дети|rodzice|dzieci|brat|siostra|mama|tata|syn|córka|kolega"
    r"|koleżanka)\b"
    r"|\b(?:(?<!me )(?<!nos )he(?! \w+[di]o\b)|she|they|er|sie|elle|ils|elles|él|ella|ele|ela|lui"
    r"|lei|он|она|hij|zij|ona)\b"
    r"|[他她]|哥|姐|妹|弟|爸|妈|儿子|女儿|朋友|同事|兄|姉|弟|妹|母|父|友人|형|누나|언니|오빠|동생"
    r"|친구|엄마|아빠|儿子|女儿|孩子|息子|娘|아들|딸|부모"
)
_PARTNERS: Final = re.compile(
    r"\b(?:wife|husband|spouse|partner|girlfriend|boyfriend|frau|mann|ehefrau|ehemann|freundin|femme"
    r"|mari|compagn\w+|mujer|esposa|marido"
    r"|novi[oa]|esposo|namorad[oa]|moglie|marito|ragazz[oa]|vrouw|vriendin|жена|муж|żona|mąż|karım"
    r"|eşim|kocam)\b"
    r"|老公|老婆|丈夫|妻|先生|太太|男朋友|女朋友|夫|彼氏|彼女|남편|아내|여자친구|남자친구"
)
_OF_TWO: Final = frozenset({0, 1, 2})
"""Turns that are of two: only they end what is said of a wife or a friend."""
_PAST_STATE: Final = re.compile(
    r"\b(?:was|were|used to|früher|war|étais|era|foi|ero|был\w?|vroeger|był\w*)\b|以前|曾经|でした|예전"
)


_OF_ME: Final = re.compile(
    r"\b(?:i|my|me|we|our|ich|mein\w*|wir|je|j'\w*|moi|nous|mon|ma|yo|soy|estoy|tengo|nos|hemos|he"
    r"|vivo|trabajo|busco|dejé"
    r"|eu|sou|estou|tenho|moro|trabalho|procuro|meu|minha|mudei\S*|casei\S*|virei|voltei|consegui"
    r"|comecei|parei|deixei|saí"
    r"|io|sono|ho|abito|lavoro|cerco|mi|ci|siamo|abbiamo|ik|mijn|wij|я|мы|меня|живу|работаю|ищу|курю|учусь|ем"
    r"|jestem|mam|mieszkam|pracuję|szukam|palę|\w+ł[ea]m|\w+liśmy|ben|\w+[ıiuü]m|\w+yorum|\w+d[ıiuü]k"
    r"|fumo|fume|rook|como|mangio)\b|\A(?:got|haven't|quit|moved|broke|graduated|finished|started|became|changed|switched|bin|habe)\b"
    r"|\A(?:我|咱|私|僕|俺|うち|저|제|나|내|우리)"
)
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_NAMED: Final = re.compile(
    r"(?<!と)は|が(?![いあ好できた生])|(?:^|\s)\S+[은는이가](?=\s)|\A[^,;]{1,12}(?:搬到|搬去|住在"
    r"|离婚|结婚|跳槽|毕业|生了|戒烟|抽烟)"
)
"""Where a subject is named, in a script in which it may be left out."""


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
    return [(Lazy(turn).compiled(), Lazy(state).compiled()) for turn, state in _TURNS]


_MOVED: Final = re.compile(r"\b(?:moved|relocated|umgezogen|gezogen)\b")
_HOME: Final = len(_TURNS) - 1
_STATE_WORDS: Final = (
    "single engaged divorced girlfriend boyfriend fiancée ledig verlobt célibataire soltero soltera"
    " solteiro celibe"
    " nubile fidanzata vrijgezel холост singlem bekârım 单身 独身 미혼",
    "single ledig célibataire soltero soltera solteiro vrijgezel singlem bekârım 单身 独身 솔로",
    "married engaged girlfriend boyfriend wife husband verheiratet mariée marié casada casado"
    " sposata sposato getrouwd"
    " замужем женат żonaty mężatką evliyim 已婚 结婚 男朋友 女朋友 結婚 彼氏 彼女 기혼",
    "work works job looking unemployed arbeite arbeitslos travaille trabajo trabalho lavoro werk"
    " работаю pracuję"
    " çalışıyorum 工作 上班 働いて 勤めて 일해요 다녀요",
    "vegetarian vegan vegetarier vegetarierin végétarien végétarienne vegetariano vegetariana"
    " vegetariër wegetarianinem"
    " вегетарианец 素食 ベジタリアン 채식",
    "eat meat steak esse fleisch mange viande como carne mangio",
    "smoke smoker rauche raucher fume fumeur fumo fumador rook roker курю palę sigara 抽烟 吸烟 タバコ 담배",
    "pregnant expecting schwanger enceinte embarazada grávida incinta zwanger беременна hamileyim"
    " 怀孕 妊娠 임신",
    "student study studying studiere étudiant étudiante estudiante estudo studente studentessa"
    " студент учусь studentem"
    " öğrenciyim 大学生 学生 학생",
    "live parents wohne eltern habite vis vivo padres moro pais woon ouders живу родителями mieszkam"
    " rodzicami",
    "live lives living wohne lebe habite vis vivo vive moro abito woon живу mieszkam oturuyorum"
    " yaşıyorum 住在 住んで"
    " 살아요 살고",
)


_SWITCHED: Final = re.compile(
    r"\b(?:switched|migrated|moved|changed|upgraded|gewechselt|umgestiegen|passée?s? (?:à|au|sur)"
    r"|cambiado|pasamos|passamos"
    r"|passati|перешли|перешёл|overgestapt|geçtik|geçtim)\b|改用|换成|乗り換え|切り替え|바꿨"
)
_USE_WORDS: Final = (
    "use uses using nutze nutzen verwende utilise utilisons uso usamos usiamo gebruiken gebruik"
    " używamy używam"
    " используем использую kullanıyoruz 使用 使って 사용"
)


def words_of_states(key: str) -> str:
    """Return words of what a statement may end though it shares none with it, to find that by."""
    found = [at for at, (turn, _) in enumerate(_patterns()) if turn.search(key)]
    if _MOVED.search(key):
        found.append(_HOME)
    used = [_USE_WORDS] if _SWITCHED.search(key) else []
    return " ".join([*(_STATE_WORDS[at] for at in found), *used])


def tells_of_a_life(key: str) -> bool:
    """Tell whether a statement tells a turn in the life of who speaks."""
    return bool(_happened(key))


def ends_a_state(new: str, old: str) -> bool:
    """Tell whether what happened to who speaks ends what an old statement says of them.

    Args:
        new: The key of the new statement.
        old: The key of the old one.
    """
    happened = _happened(new)
    return bool(happened) and not happened.isdisjoint(_states(old))


@lru_cache(maxsize=MOST_READ)
def _happened(key: str) -> frozenset[int]:
    """Return which turns of life a sentence tells of who speaks."""
    found = frozenset(at for at, (turn, _) in enumerate(_patterns()) if turn.search(key))
    if not found or _PLANNED.search(key) or _OTHERS.search(key) or not _is_of_me(key):
        return frozenset()
    return found if not _is_of_one_of_mine(key) else found & _OF_TWO


@lru_cache(maxsize=MOST_READ)
def _states(key: str) -> frozenset[int]:
    """Return which turns of life would end what a statement says of who speaks."""
    found = frozenset(at for at, (_, state) in enumerate(_patterns()) if state.search(key))
    if not found or _PAST_STATE.search(key) or _OTHERS.search(key) or not _is_of_me(key):
        return frozenset()
    return found if not _is_of_one_of_mine(key) else found & _OF_TWO


def _is_of_one_of_mine(key: str) -> bool:
    """Tell whether a sentence is about somebody, or something, of who says it: `my neighbour works at`."""
    return bool(_PARTNERS.search(key) or _MINE.match(key))


_MINE: Final = re.compile(
    r"(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|notre|nos|mi|mis|nuestr\w{1,2}|meu|minha|nosso|nossa"
    r"|mio|mia|(?:il|la|i|le) (?:mio|mia|miei|mie|nostr\w)|mijn|ons|onze|мо[йяиё]|наш\w?|m[oó]j\w?|nasz\w?)"
    r" (?!job|partner|new job)\w"
)


def _is_of_me(key: str) -> bool:
    """Tell whether a sentence is about who says it; some languages leave the subject out."""
    if _OF_ME.search(key):
        return True
    return bool(_UNSPACED.search(key)) and not _NAMED.search(key)
