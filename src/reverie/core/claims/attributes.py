"""Attributes: of what there is one at a time, of what there can be several, and what measures.

The patterns read words as `wording` leaves them: no articles, one form of each verb and possessive. Every
repetition is bounded, so no text makes them slow.
"""

from __future__ import annotations

import re
from typing import Final

from reverie.core.text.value_words import MONTHS

_WORDS: Final = r"(?:[^\s,;]{1,40} ){1,6}?"
_NOUNS: Final = (
    r"(?:(?:full |first |last |user|nick|project |code)?name|e-?mail(?: address)?|phone(?: number)?|address"
    r"|birthday|date of birth|age|job(?: title)?|title|role|employer|manager|boss|supervisor|owner"
    r"|product owner"
    r"|maintainer|lead|leader|team lead|ceo|cto|cfo|on-call|contact|landlord|landlady|dentist|doctor|gp"
    r"|therapist"
    r"|deadline|due date|release date|launch date|start date|end date|go-live|port|version|limit|quota"
    r"|timeout"
    r"|budget|price|cost|salary|rent|rate|size|capacity|interval|threshold|retention|ttl|frequency|length"
    r"|duration"
    r"|default(?: \S{1,20}){0,2}|main branch|branch|database|db|host(?:name)?|url|endpoint|domain|licen[cs]e"
    r"|editor|theme|time ?zone|language|locale|status|location|office|home ?town|city|country|capital"
    r"|log level"
    r"|favou?rite(?: \S{1,20}){1,3}|current(?: \S{1,20}){1,3}|primary(?: \S{1,20}){1,2}"
    r"|main(?: \S{1,20}){1,2}"
    r"|(?:minimum|maximum|min|max|minimal|maximal)(?: \S{1,20}){1,4}|password policy|schedule)"
)
_NOUNS_DE: Final = (
    r"(?:name|projektname|e-?mail(?:-adresse)?|telefonnummer|adresse|geburtstag|alter|chef|vorgesetzte"
    r"|eigentümer"
    r"|leiter|zahnarzt|hausarzt|vermieter|frist|termin|abgabe|port|version|limit|grenze|budget|preis|miete"
    r"|passwortregel|editor|zeitzone|sprache|standort|hauptstadt|lieblings\w{2,20}|mindest\w{2,20}"
    r"|höchst\w{2,20})"
)
_NOUNS_FR: Final = (
    r"(?:nom|prénom|adresse|e-?mail|téléphone|anniversaire|âge|chef|responsable|médecin|dentiste|échéance"
    r"|l'échéance|date limite|port|version|version minimale|limite|budget|prix|loyer|éditeur|fuseau horaire"
    r"|langue"
    r"|ville|capitale)"
)
_NOUNS_ES: Final = (
    r"(?:nombre|apellido|dirección|correo|teléfono|cumpleaños|edad|jefe|responsable|médico|dentista|plazo"
    r"|fecha límite|fecha de entrega|puerto|versión|límite|presupuesto|precio|alquiler|editor|zona horaria"
    r"|idioma"
    r"|ciudad|capital|chefe|prazo|porta|versão|limite|preço|endereço|capo|scadenza|versione|prezzo|indirizzo)"
)
_NOUNS_RU: Final = (
    r"(?:имя|фамилия|адрес|почта|телефон|день рождения|возраст|начальник|директор|руководитель"
    r"|срок(?: сдачи)?"
    r"|дедлайн|порт|версия|лимит|бюджет|цена|город|хостинг)"
)
_NOUNS_ZH: Final = (
    r"(?:名字|姓名|邮箱|电话|地址|生日|年龄|职位|经理|老板|负责人|截止(?:日期|时间)?|端口号?|版本号?|上限"
    r"|限制|超时(?:时间)?|预算|价格"
    r"|编辑器|时区|语言|城市|首都|默认\w{1,8}|最大\w{1,8}|最小\w{1,8})"
)
_LITTLE: Final = r"(?: (?:on|at|in|by|to|for|set to|until|am|bis|um|su))*"

ONE_VALUE: Final = re.compile(
    r"(?:\blive in|\b(?:am|is|are) (?:call|name|host (?:on|at|by)|deploy (?:on|to)"
    r"|own by|lead by|based on|build (?:on|with)|pin to|write in|facilitate by"
    r"|manage by|maintain by|run by|due(?: on| by)?|(?:on|at) version|run on|located (?:in|at)"
    r"|married to)|\bwork (?:at|for|as)|\b(?:run|listen) on(?: port)?|(?<=\S )(?:on )?(?:port|version)"
    rf"|\b{_NOUNS}(?: (?:of|for|in|on) {_WORDS}| )(?:is|are)"
    r"|\b(?:wohne[nt]?|wohnt|lebe[nt]?|lebt) in|\bheiss(?:e|t|en)|\barbeite(?:n|t)? (?:bei|als|für)"
    r"|\bläuft auf(?: port)?"
    rf"|\b{_NOUNS_DE}(?: (?:von|für|des|der) {_WORDS}| )(?:ist|sind)"
    r"|(?:habite|habitons|\bvis|\bvit) (?:à|au|en|dans)|\b[ms]'appelle|\btravaille(?:ons)? (?:chez"
    r"|pour|comme)"
    rf"|\b{_NOUNS_FR}(?: (?:de|du|des|pour) {_WORDS}| )(?:est|sont)"
    r"|\b(?:vivo|vive|vivimos|moro|mora) (?:en|em)|\b(?:me llamo|se llama)|\btrabaj[oa] (?:en|para|como)"
    rf"|\b{_NOUNS_ES}(?: (?:de|del|para|do|da|di) {_WORDS}| )(?:es|é|è)"
    r"|\b(?:vivo|abito|vive|abita) (?:a|in)|\b(?:mi chiamo|si chiama)|\blavoro (?:per|come|da)"
    r"|\b(?:живу|живёт|живет|живём) в|\bзовут|\bработаю (?:в|на)"
    rf"|\b{_NOUNS_RU}(?: {_WORDS}| )(?:is|это)"
    r"|\b(?:woon|woont|wonen) in|\b(?:mieszkam|mieszka|mieszkamy) w|\b(?:heet|nazywam się)"
    rf"|住在|叫(?:做|作)?|名叫|{_NOUNS_ZH}(?:是|为))"
    rf"{_LITTLE}\Z"
)
"""What comes before a value of which there is one at a time."""

ONE_VALUE_AFTER: Final = re.compile(
    r"\A(?:に(?:住|勤|在住)|という名前|살|거주|근무|yaşıyor|oturuyor)"
)
"""What comes after a value of which there is one at a time."""

_EXCLUSIVE_TEXT: Final = """
    use prefer drive ride wear study run call name cost weigh pay charge require last nutze fahre fährt
    utilise
    utilisons usa usamos uso uso usiamo conduzco guido prefiero prefiro preferisco используем использую
    предпочитаю
    gebruik gebruiken gebruikt używam używamy heisse trinke trinkt esse isst heisst kostet dauert"""
EXCLUSIVE: Final = frozenset(_EXCLUSIVE_TEXT.split())
"""Verbs whose object is one at a time, where a word of change says so."""

EXCLUSIVE_THERE: Final = frozenset(
    ["drink", "eat", "see", "take", "write", "have", "bebo", "prends", "trinke"]
)
"""The same where the rest of the statement says when or for what."""

TOOLS: Final = frozenset(["with", "mit", "avec", "con", "com", "с", "met", "używając"])
"""What comes before a tool."""

USED_AFTER: Final = re.compile(r"\A(?:を使|를? ?사용|을? ?사용|使)")
"""The same where a word of change says that nothing else is used any more."""

_ITS: Final = r"(?:the|our|my|his|her|their|all|[^\s,;]{1,30}(?:'s|s')) "
HELD_BY_ONE: Final = re.compile(
    rf"\b(?:owns?|leads?|manages?|maintains?|heads?|chairs?|teaches|facilitates|moderates|coaches"
    rf"|hosts) {_ITS}"
    rf"|\bruns? {_ITS}(?:\S{{1,30}} ){{0,3}}(?:team|group|department|project|meeting|retro|standup|shop"
    rf"|office)\b"
    r"|\b(?:is|are) (?:responsible for|in charge of|on call|on-call|(?:the )?(?:head|lead|owner|maintainer"
    r"|manager"
    r"|contact) (?:of|for))\b"
    r"|\b(?:leitet|betreut|führt|verantwortet) (?:das|den|die|unser|unsere|unseren)\b"
    r"|\b(?:verantwortlich|zuständig) für\b|\bfür (?:\S{1,30} ){1,4}(?:zuständig|verantwortlich)\b"
    r"|\b(?:dirige|gère) (?:le|la|l'|el|il|notre)|s'occupe d|\best responsable d|\bes responsable de"
    r"|\blleva (?:el|la)\b"
    r"|\bse encarga de\b|\blidera (?:el|la|o|a)\b|\bé responsável por|\bè responsabile d|\bsi occupa d"
    r"|\bguida (?:il|la)\b"
    r"|\bотвечает за\b|\bруководит\b|\bведёт\b|を担当|が担当|담당|负责"
    r"|\bleidt (?:het|de|ons|onze)\b|\bverantwoordelijk voor\b|\bodpowiada za\b"
)
"""What one holds at a time, where a word of change says that somebody else holds it now."""

MEASURES: Final = re.compile(
    r"(?:\b(?:am|is|are|cost|hold|have|allow|take|last|require|need|weigh|pay|charge"
    r"|expire|start|end|begin|open|close|ist|sind|hat|kostet|fasst|dauert|beginnt|endet"
    r"|est|coûte|dure|commence|es|tiene|cuesta|dura|empieza|é|è|custa|costa|занимает|стоит|длится)"
    r"|有|需要|最多|至少|(?:是|为|は|[은는])(?: ?\d{1,4} ?[年月日时時分])*)"
    r"(?: (?:at|on|to|in|after|only|exactly|every|by|um|am|bei|nach|à|a|limited|set|up))*\Z"
)
"""What comes before a figure that measures one thing."""

_RELATION_TEXT: Final = """
    is are am was live call name = ist sind hat est sont utilise es son usa usamos tiene é è использует это
    heisse heissen heisst ligt liegt betreut leitet führt steht läuft sitzt nutze fahre fährt fahren esse
    isst trinke trinkt
    arbeite arbeitet arbeiten
    schreibe schreiben schreibt hosten hostet deployen deployt testen testet speichern speichert lagern treffe
    treffen trifft gehe geht gehen nehme nimmt nehmen kaufe kauft schlafe schläft stehe steht liest lese
    utilisons déployons prends prend travaille travaillons écrivons stockons mange bois lis va vais vivons
    está están vivo vive trabajo trabaja escribimos desplegamos guardamos viajo voy va como bebo tomo cuesta
    usiamo lavoro lavora vado prendo mangio bevo scriviamo gira costa uso trabalho trabalha moro mora fica vou
    живу работаю работает храним пишем используем занимает стоит находится хожу езжу ездим пью ем
    woon woont werk werkt gebruik gebruiken gebruikt ga gaat eet drink używam używamy mieszkam pracuję jem
    piję
    jeżdżę"""
V2_VERBS: Final = frozenset(
    ["betreut", "leitet", "führt", "nutzt", "arbeitet", "wohnt", "läuft", "heisst"]
)
"""German verbs that stand before their subject when another word opens the sentence."""

RELATIONS: Final = frozenset(_RELATION_TEXT.split())
"""Verbs, in the form in which they are said: what stands before names the subject."""

_SPEAKING_TEXT: Final = """
    uso usamos utilizo utilizamos prefiero preferimos prefiro usiamo utilizziamo preferisco bevo mangio vivo
    bebo como conduzco guido hablo parlo falo trabajo trabalho lavoro moro abito escribimos desplegamos viajo
    используем использую предпочитаю пью живу работаю mieszkam używamy używam pracuję jem piję wolę jeżdżę
    escrevemos usamos guardamos hosteamos hospedamos duermo tomo bevo leggo leo vado voy vou dormo
    scriviamo"""
SPEAKING_VERBS: Final = frozenset(_SPEAKING_TEXT.split())
"""Verbs whose ending names the subject, in languages that leave it out."""

_GROWING_TEXT: Final = """
    like love enjoy have own know speak need want play learn visit collect allergic feel think hope guess wish
    support ship sell offer accept serve responsible attend help integrate supply cover contain
    include provide follow
    mag mögen liebe habe haben hat spreche spricht brauche kann fühle denke unterstützen lerne spiele lese
    aime adore ai avons parle joue lis soutenons gusta gustan tengo tenemos hablo juego leo gosto tenho falo
    piace ho parlo leggo люблю нравится говорю знаю читаю играю hou speel lubię gram seviyorum"""
GROWING: Final = frozenset(_GROWING_TEXT.split())
"""Verbs of which several things can hold at once: something new beside them ends nothing."""

GROWING_UNSPACED: Final = re.compile(
    r"(?:喜欢|爱|有|会|过敏|認識|喜歡|支持)\Z|\A(?:が好き|を持って|가 있|좋아|过敏)"
)
"""The same in scripts without spaces, before or after the thing."""

_MANY_TEXT: Final = """
    customer client friend colleague coworker teammate member employee hire supplier vendor neighbor neighbour
    brother sister son daughter child kid cousin aunt uncle niece nephew grandson granddaughter pet cat dog
    hobby interest allergy skill task ticket bug issue feature project product book song film movie recipe
    course class student pupil tenant sponsor partner investor competitor example rule goal reason user
    kunde kundin freund freundin kollege mitglied mitarbeiter lieferant nachbar bruder schwester sohn tochter
    kind hobby projekt aufgabe buch client ami amie collègue membre frère sœur fils fille enfant voisin projet
    cliente amigo amiga compañero miembro hermano hermana hijo hija vecino proyecto irmão irmã filho filha
    amico amica fratello sorella figlio figlia клиент друг подруга коллега брат сестра сын дочь сосед проект
    klant vriend collega broer zus zoon dochter buurman klient przyjaciel kolega brat siostra syn córka"""
PERSONS_UNSPACED: Final = re.compile(
    r"(?:哥|姐|妹|弟|爸|妈|父亲|母亲|叔|姨|舅|姑|爷爷|奶奶|儿子|女儿|同事|同学|上司|下属|朋友|邻居|老师|先生"
    r"|女士|兄|姉|弟|妹|父|母|夫|妻|息子|娘|老公|老婆|友人|同僚)"
    r"|형|누나|언니|오빠|동생|친구|동료"
)
MANY_UNSPACED: Final = re.compile(
    r"哥|姐|妹|弟|叔|姨|舅|姑|儿子|女儿|同事|同学|下属|朋友|邻居|老师|客户|兄|友人|同僚|동생|친구|동료|고객"
)
"""The same in scripts without spaces."""

MANY: Final = frozenset(
    form for noun in _MANY_TEXT.split() for form in (noun, f"{noun}s", f"{noun}es", f"{noun}n")
)
"""What one can have several of: a new one ends none."""

_PERSON_TEXT: Final = """
    brother sister mother father mom mum dad wife husband son daughter child kid cousin aunt uncle niece
    nephew
    grandma grandpa grandmother grandfather parents friend colleague partner girlfriend boyfriend
    roommate neighbor neighbour bruder schwester mutter vater frau mann sohn tochter oma opa eltern freund
    freundin kollege kollegin frère sœur mère père femme mari fils fille hermano hermana madre padre esposa
    marido hijo hija irmão irmã mãe pai filho filha fratello sorella moglie figlio figlia брат сестра мама
    папа
    мать отец жена муж сын дочь broer zus moeder vader vrouw brat siostra matka ojciec żona mąż"""
PERSONS: Final = frozenset(_PERSON_TEXT.split())
"""Somebody else than who speaks, though he is called `my brother`."""

_IMPRESSION_TEXT: Final = (
    "sounds sound looks look seems seem feels feel klingt sieht scheint remember note this that these those"
    " it"
    " there here do let make show add get take give try what das dies ça ce c'est esto eso это то"
)
IMPRESSIONS: Final = frozenset(_IMPRESSION_TEXT.split())
"""Words that begin a remark about what somebody said, not about a subject."""

_STATE_TEXT: Final = """
    is are am was be live in at on by to run host located based keep store deploy set call name = with from
    for
    sit stay reside start end begin open close leave meet happen take cost last write do use rely build
    scheduled due planned moved switched migrated relocated
    ist sind bei auf läuft lebt liegt sitzt steht wohne wohnt heisst nutze um am im in findet beginnt endet
    mit
    est sont à au dans se trouve habite le utilisons en es está son encuentra vivo usamos los las el al é fica
    em moro é às aos na no è a si trova abito abbiamo il находится в во на живу живёт это используем с из
    woon woont nu om op staat w na o jest used prévu prévue
    назначен назначена назначено запланирован запланирована
    在 是 位 于 叫 为 住 有 用 は に で を が す で 使 っ て い ま あ り 입니다 에 에서 살아요 삽니다 살고
    있어요 있습니다"""
STATES: Final = frozenset(_STATE_TEXT.split())
"""What stands between a subject and where or what it is."""

RELATIONS_UNSPACED: Final = re.compile(
    r"住|在|是|叫|用|偏好|为|工作|需要|负责|喝|吃|です|ます|住ん|使|사용|쓰|선호|입니다|살|마셔|마십|일해"
    r"|일하|다녀|다니"
)
"""The same in scripts without spaces."""

_USE_TEXT: Final = """
    use drive own ride wear is are am be have = for with on in by do as to run host nutze ist sind mit auf
    für wir est sont
    utilisons
    avec pour es son usamos con para como é usamos com è usiamo с на в это используем is met op voor gebruiken
    是 用 使 です 입니다 사용합니다 utilise uso nutze używamy"""
USES: Final = frozenset(_USE_TEXT.split())
"""Words by which a tool is named as what is used: what replaces it replaces it for all of that."""

_USE_FORMS_TEXT: Final = """
    nutze utilisons utilise usamos uso usiamo используем gebruiken używamy"""
USE_FORMS: Final = frozenset(_USE_FORMS_TEXT.split())
"""Forms of `use`, as what somebody switches to is used."""

CHOSEN: Final = frozenset(["favorite", "default", "preferred", "lieblings", "préféré", "favorito"])
"""What may be anything, as somebody chose it."""

_ADJECTIVE_TEXT: Final = """
    red,green,blue,yellow,black,white,grey,gray,purple,orange,pink,brown,silver,gold
    experimental,stable,beta,alpha,deprecated,supported,unsupported,maintained,unmaintained,archived,legacy
    open,closed,close,merged,done,blocked,paused,active,inactive,finished,cancelled,resolved,pending,ready
    single,married,divorced,engaged,widowed vegan,vegetarian,omnivore pregnant,sick,healthy,ill,well
    debug,info,warn,warning,error,trace
    enabled,disabled on,off optional,required,mandatory public,private free,paid
    broken,fixed,failing,passing,flaky,working up,down online,offline junior,senior
    daily,weekly,monthly,biweekly,fortnightly,quarterly,yearly,hourly,nightly left,right hot,cold
    rot,grün,blau,gelb,schwarz,weiss rouge,vert,bleu,noir,blanc rojo,verde,azul,negro,blanco
    aktiv,inaktiv offen,geschlossen ledig,verheiratet,geschieden"""
ADJECTIVES: Final = tuple(frozenset(group.split(",")) for group in _ADJECTIVE_TEXT.split())
"""Adjectives of which one holds at a time; `fast` and `free` can both hold."""

_TIME_TEXT: Final = """
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun noon midnight morning
    afternoon evening night am pm o'clock today tomorrow minute hour day week month quarter year
    sekunden minuten stunden tag tage tagen woche wochen monat monate jahr jour semaine mois día semana mes
    montag dienstag mittwoch donnerstag freitag samstag sonntag montags dienstags mittwochs donnerstags
    freitags
    samstags sonntags uhr morgens mittags abends lundi mardi mercredi jeudi vendredi samedi dimanche heures
    lunes martes miércoles jueves viernes sábado domingo segunda terça quarta quinta sexta segundas terças
    quartas
    quintas sextas lunedì martedì mercoledì giovedì venerdì sabato domenica
    понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье понедельникам
    вторникам
    средам четвергам пятницам утра вечера дня
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag poniedziałek wtorek środa środę czwartek piątek
    sobota sobotę niedziela niedzielę pazartesi salı çarşamba perşembe cuma cumartesi pazar
    월요일 화요일 수요일 목요일 금요일 토요일 일요일"""
TIMES: Final = frozenset(
    form for name in _TIME_TEXT.split() for form in (name, f"{name}s") if form != "mess"
)
"""Words for a day or an hour."""

_DAY_TEXT: Final = """
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag
    samstag
    sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado
    domingo"""
DAYS: Final = frozenset(
    form for name in (*_DAY_TEXT.split(), *MONTHS.split()) for form in (name, f"{name}s")
)
CLOCK: Final = re.compile(r"\d{1,2}[ap]m|uhr|noon|midnight|o'clock")
"""Days and hours: a day is not changed by an hour."""

TIMES_UNSPACED: Final = re.compile(
    r"星期|周[一二三四五六日天]|礼拜|[一二三四五六七八九十]点|[月火水木金土日]曜|上午|下午|[時时]"
)

_NUMBER_TEXT: Final = """
    one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty
    ninety
    hundred thousand half quarter double ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig
    dreissig deux trois quatre cinq sept huit neuf dix onze douze vingt trente dos tres cuatro cinco seis
    siete
    ocho nueve diez once doce veinte treinta due tre quattro cinque sei sette otto nove dieci dois três
    quatro sete
    oito dez один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать двадцать тридцать
    twee drie vijf zes zeven negen tien dwa trzy cztery pięć"""
NUMBERS: Final = frozenset(_NUMBER_TEXT.split())
"""Numbers as words."""

SPANS: Final = re.compile(
    r"\b(?:weekends?|weekdays?|during (?:the )?week|wochenendes?|unter (?:der )?woche|werktags|wochentags"
    r"|en semaine"
    r"|week-ends?|entre semana|fin(?:es)? de semana|(?:durante (?:a|la) |na )semana|fim de semana|settimana"
    r"|выходным|будням|выходные|будни|winter|summer|spring|autumn|sommer|frühling|herbst|été|hiver|verano"
    r"|invierno"
    r"|estate|inverno|летом|зимой|holidays?|vacation|ferien|urlaub|weekend|doordeweeks|hafta|tydzień)\b"
    r"|工作日|周末|平日|週末|평일|주말|夏|冬"
)
"""Spans of time that hold beside each other: what is said of one says nothing of another."""

_LIVES_TEXT: Final = """
    live am is are sit stay reside in on at wohne wohnt lebe lebt habite vis vit à au en vivo
    vive moro mora em abito abita a живу живёт живет в woon woont mieszkam mieszka w 住 在 に 살아요
    살고 삽니다 있어요 ん で い ま す は"""
LIVES: Final = frozenset(_LIVES_TEXT.split())
"""Words by which somebody is where he lives; where he works is something else."""

LEFT: Final = frozenset(["work", "study", "live", "at", "for", "in"])
"""What ends when somebody leaves a company, a school or a town."""

_PLACES_TEXT: Final = """
    in on at to from by with host located based store keep run live sit deploy write is are =
    在 位 于 に で à au en dans em na no на в auf bei an w op 住 에 에서 は"""
PLACES: Final = frozenset(_PLACES_TEXT.split())
"""Words between a thing and where it is."""

ACTS_UNSPACED: Final = frozenset("写聊做看管测跑开买卖学教画玩听说")
"""Verbs that tell what for, in a script without spaces: 用飞书聊天 is not all of 用飞书."""

RELATED_AFTER: Final = re.compile(r"(?:を|に|で|が|です|입니다|에|을|를|사용|做|工作)")
"""How what follows a value begins, where the verb comes last."""

TOPIC_MARKS: Final = frozenset("はが")
"""What marks the subject, in a script without spaces."""
SUBJECT_ENDINGS: Final = "은는이가"
"""With what a Korean word ends that names the subject."""

_LIGHT_VERBS_TEXT: Final = """
    get make do let have go take try see find say tell ask come put"""
LIGHT_VERBS: Final = frozenset(_LIGHT_VERBS_TEXT.split())
"""Verbs that say little: what is done with them is many things."""

_POST_TEXT: Final = """
    manager boss supervisor owner maintainer lead leader ceo cto cfo contact landlord landlady dentist
    doctor gp
    therapist chef vorgesetzte leiter zahnarzt hausarzt vermieter responsable médecin dentiste jefe médico
    dentista
    chefe capo начальник директор руководитель"""
POST_NOUNS: Final = frozenset(_POST_TEXT.split())
"""What somebody is for somebody: who holds it is told by a name."""

_COUNTRY_TEXT: Final = """
    france germany italy spain portugal poland austria switzerland belgium netherlands denmark sweden norway
    finland
    iceland ireland england scotland wales britain uk greece turkey russia ukraine czechia hungary romania
    bulgaria
    croatia serbia slovakia slovenia estonia latvia lithuania europe asia africa america usa us canada
    mexico brazil
    argentina chile peru colombia china japan korea taiwan india pakistan vietnam thailand malaysia indonesia
    philippines australia israel egypt morocco kenya nigeria iran iraq california texas florida oregon
    washington ohio
    michigan georgia virginia bavaria catalonia tuscany provence quebec ontario
    deutschland frankreich italien spanien österreich schweiz polen bayern hessen europa allemagne italie
    espagne
    suisse belgique pays-bas alemania francia italia españa suiza méxico brasil германия франция россия россии
    германии франции италии испании китае японии"""
COUNTRIES: Final = frozenset(
    [
        *_COUNTRY_TEXT.split(),
        "united states",
        "united kingdom",
        "south korea",
        "new zealand",
        "south africa",
    ]
)
"""Countries and regions: who lives in one lives in a town of it, too."""
