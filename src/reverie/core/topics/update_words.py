"""Words that tell of a change, of lists, and of attributes that have one value at a time.

They are read in statements made by `statement_key`: small letters, no marks at the ends of words. Every
repetition is bounded, so no text makes them slow.
"""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = r"(?:[^\s,;]{1,40} ){1,6}?"

NOW: Final = re.compile(
    r"\b(?:from now on|as of (?:now|today|this (?:week|month|year|sprint|release)|\d{4}-\d{2}-\d{2})"
    r"|starting (?:now|today)|now|currently|nowadays|these days|at the moment|at present"
    r"|ab sofort|ab jetzt|jetzt|inzwischen|mittlerweile|neuerdings|nun|derzeit"
    r"|à partir de maintenant|maintenant|désormais|dorénavant|actuellement|à présent"
    r"|a partir de ahora|ahora|actualmente|a partir de agora|agora|atualmente"
    r"|d'ora in poi|ora|adesso|attualmente|с этого дня|теперь|сейчас|отныне)\b"
    r"|从现在起|从今天起|现在|如今|目前|今後は?|これからは?|現在は?|今は|이제는?|지금은|현재는?|앞으로는?"
)
"""Something holds from now on, so it did not before."""

ENDED: Final = (
    (re.compile(r"\b(?:no longer|used to|ya no|já não|больше не)\b|不再|已经不"), " "),
    (re.compile(r"\b(?:do not|does not|don't|doesn't) (?=[^.]{0,80}\bany ?(?:more|longer)\b)"), ""),
    (re.compile(r"\b(am|is|are) not (?=[^.]{0,80}\bany ?(?:more|longer)\b)"), r"\1 "),
    (re.compile(r"\b(?:not )?any ?(?:more|longer)\b|\b(?:have |has )?stopped\b"), " "),
    (re.compile(r"\b(?:nicht|keine?[nrsm]?) mehr\b"), " "),
    (re.compile(r"\b(?:n'|ne )(\w{1,30}) plus\b"), r"\1"),
    (re.compile(r"\bnon (\w{1,30}) più\b|\bnão (\w{1,30}) mais\b"), r"\1\2"),
)
"""Something does not hold any more; without these words it says what held."""

CHANGES: Final = re.compile(
    r"\b(?:moved?|moves|relocated|switched|migrated|changed|renamed|went|raised|lowered|increased|reduced"
    r"|bumped|updated|pushed|postponed|rescheduled|upgraded|downgraded|transferred|shifted|grew|dropped"
    r"|umgestiegen|gewechselt|migriert|erhöht|gesenkt|geändert|verschoben|umgezogen|gezogen|verlegt"
    r"|umgestellt|umbenannt"
    r"|déménagée?s?|passée?s?|migrée?s?|basculée?s?|changée?s?|transférée?s?|déplacée?s?|reportée?s?"
    r"|mud(?:ó|amos|ado|ada|ou|ei|é)|pas(?:ó|amos|ado|ou)|migr(?:ó|amos|ado|ou|ati|ato)|cambi(?:ó|amos|ado|ato)"
    r"|traslad(?:ó|amos|ado|ada)|sub(?:ió|iu)|baj(?:ó|ado)|troc(?:amos|ou)|mudad[oa]s?"
    r"|trasferit[oaie]|spostat[oaie]|passat[oaie]"
    r"|переехал[аио]?|перенесл[аи]?|перенес[её]н[аоы]?|переш[её]л|перешл[аио])\b"
    r"|[搬迁移改换转升调]|移転|引っ越|引越|変更|移行|変わ|切り替"
)
"""Verbs that take `from X to Y`."""

FROM_TO: Final = re.compile(
    r"\bfrom (?P<old>[^,;]{1,80}?) (?:in)?to\b|\bvon (?P<von>[^,;]{1,80}?) (?:auf|nach|zu|in)\b"
    r"|\bс (?P<ru>[^,;]{1,80}?) на\b|\bиз (?P<iz>[^,;]{1,80}?) в\b"
    r"|\bde (?P<fr>[^,;]{1,80}?) (?:à|vers|au)\b|\bde (?P<es>[^,;]{1,80}?) a\b"
    r"|\bde (?P<pt>[^,;]{1,80}?) para\b|\bda (?P<it>[^,;]{1,80}?) a\b"
    r"|从(?P<zh>[^,;]{1,40}?)(?=[搬迁移改换转升调])"
    r"|(?<=は)(?P<ja>[^,;]{1,40}?)から(?=[^,;]{1,40}(?:移転|引っ越|引越|変更|移行|変わ|切り替))"
)
"""The value before, and after it the value that holds."""

FROM_TO_STAYS: Final = {
    "old": "to", "von": "auf", "ru": "на", "iz": "в", "fr": "à", "es": "a", "pt": "para", "it": "a",
    "zh": "", "ja": "",
}  # fmt: skip
"""What is left of each of these forms once the value before is taken out."""

CHANGED_TO: Final = (
    (re.compile(r"\b(?:has been|have been|was|were|is|are|got) (?:just |now )?(?:moved|pushed(?: back)?"
                r"|postponed|rescheduled|shifted|delayed|brought forward) (?:to|until)\b"), "is"),
    (re.compile(r"\b(?:(?:have|has|had|just|recently) ){0,2}(?:started|began|begun) (?:working|to work)"
                r" (?=at|for|as)"), "work "),
    (re.compile(r"\b(?:bin|sind|ist) auf ([^\s,;]{1,40}) (?:umgestiegen|gewechselt|migriert)\b"),
     r"nutze \1"),
    (re.compile(r"\bwurden? (?:auf|zu) ((?:[^\s,;]{1,40} ){1,4}?)(?:erhöht|gesenkt|geändert|verschoben"
                r"|verlegt)\b"), r"ist \1"),
    (re.compile(r"\bwurden? in ((?:[^\s,;]{1,40} ){1,4}?)umbenannt\b"), r"heisst \1"),
    (re.compile(r"\b(?:sommes passés?|avons (?:migré|basculé)) (?:à|vers|sur)\b"), "utilisons"),
    (re.compile(r"\ba été (?:reportée?|déplacée?|changée?|portée?|fixée?) (?:à|au|en)\b"), "est"),
    (re.compile(r"\b(?:hemos cambiado|cambiamos|migramos|nos pasamos) a\b"), "usamos"),
    (re.compile(r"\b(?:ha sido|fue|se) (?:cambiad[oa]|cambió|movid[oa]|movió|aplazad[oa]|aplazó) (?:a|al)\b"),
     "es"),
    (re.compile(r"\b(?:переехал[аи]?|перебрал(?:ся|ась|ись)) в\b"), "живу в"),
    (re.compile(r"\bперешли на\b"), "используем"),
    (re.compile(r"に(?:引っ越し|引越し|移り住み)(?:ました|た)"), "に住んでいます"),
    (re.compile(r"\b(?:(?:have|has|had|just|recently) ){0,2}(?:moved|relocated) to\b"), "live in"),
    (re.compile(r"\b(?:(?:have|has|had|just|recently) ){0,2}(?:switched|migrated|changed over"
                r"|moved over) to\b"), "use"),
    (re.compile(r"\b(?:has been|was|is|are|were|got) renamed(?: to)?\b"), "is called"),
    (re.compile(r"\b(?:(?:has been|was|is|are|has|have) )?(?:changed|raised|lowered|increased"
                r"|reduced|bumped|updated) to\b"), "is"),
    (re.compile(r"\bbin nach ([^\s,;]{1,40}(?: [^\s,;]{1,40}){0,3}?) (?:um)?gezogen\b"), r"wohne in \1"),
    (re.compile(r"\b(?:j'ai|nous avons) déménagé à\b"), "j'habite à"),
    (re.compile(r"\bme (?:he mudado|mudé) a\b"), "vivo en"),
    (re.compile(r"搬到了?|搬去了?"), "住在"),
    (re.compile(r"改用了?|换成了?|换用了?"), "使用"),
    (re.compile(r"改(?:为|成|到)了?"), "是"),
)  # fmt: skip
"""Verbs that say that a value is new, and what the value is then."""

SAME_VERBS: Final = (
    (re.compile(r"\b(?:lives|(?:am|is|are) (?:living|based)|resides?|i'm (?:living"
                r"|based)) in\b"), "live in"),
    (re.compile(r"\b(?:uses|using|(?:am|is|are) using|utili[sz]es?)\b"), "use"),
    (re.compile(r"\bprefers\b"), "prefer"),
    (re.compile(r"\bworks\b"), "work"),
    (re.compile(r"\bruns\b"), "run"),
    (re.compile(r"\blistens\b"), "listen"),
    (re.compile(r"\bj'(?=\w)"), "je "),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\bwe're\b"), "we are"),
    (re.compile(r"\bfavourite\b"), "favorite"),
    (re.compile(r"\b(?:nutzen|nutzt|verwenden?|verwendet|benutzen?|benutzt)\b"), "nutze"),
    (re.compile(r"\bmoro (?:no|na|nos|nas)\b"), "moro em"),
    (re.compile(r"habite (?:au|aux|en)\b"), "habite à"),
    (re.compile(r"\b(vivo|abito) in\b"), r"\1 a"),
    (re.compile(r"に住んで(?:いる|ます)"), "に住んでいます"),
    (re.compile(r"を(?:使います|使用しています|使用します|利用しています)"), "を使っています"),
)  # fmt: skip
"""Forms of one verb."""

LISTS: Final = re.compile(
    r"\b(?:(?:one|some|part|each|any|two|three|several|many) of|also|another|too|as well|besides"
    r"|additionally"
    r"|in addition|among|including|includes?|such as|for example|e\.g|either|both|or|sometimes|once"
    r"|ein(?:e[rs]?)? (?:der|von|unserer|meiner)|auch|ausserdem|zusätzlich|unter anderem"
    r"|weitere[rns]?|oder|manchmal"
    r"|l'une? des|un des|une des|aussi|également|une? autre|en plus|ou|parfois"
    r"|un[oa] de|también|además|otr[oa]|um d[oa]s|uma d[oa]s|também|além|outr[oa]|às vezes|a veces"
    r"|un[oa] de[il]|anche|inoltre|oppure|один из|одна из|также|тоже|ещё|еще|или|иногда)\b"
    r"|之一|也|还|另外|另一|或|有时|の(?:一つ|ひとつ)|ほかに|他にも|また|중 하나|또한"
)
"""One of several: such a statement neither replaces anything nor is replaced."""

_NOUNS: Final = (
    r"(?:(?:full |first |last |user|nick)?name|e-?mail(?: address)?|phone(?: number)?|address"
    r"|birthday|date of birth|age"
    r"|job(?: title)?|title|role|employer|manager|boss|owner|maintainer|lead|leader|ceo|cto|on-call"
    r"|contact"
    r"|deadline|due date|release date|launch date|go-live|port|version|limit|quota|timeout|budget"
    r"|price|cost|salary"
    r"|rate|size|capacity|interval|threshold|retention|ttl|default(?: \S{1,20}){0,2}|main branch"
    r"|branch|database|db|host(?:name)?|url|endpoint"
    r"|editor|theme|time ?zone|language|locale|status|location|office|home ?town|city|country|capital"
    r"|favou?rite(?: \S{1,20}){1,3}|current(?: \S{1,20}){1,3}|primary(?: \S{1,20}){1,2}"
    r"|password policy|schedule)"
)
_NOUNS_DE: Final = (
    r"(?:name|e-?mail(?:-adresse)?|telefonnummer|adresse|geburtstag|alter|chef(?:in)?"
    r"|eigentümer(?:in)?|frist|termin"
    r"|port|version|limit|grenze|budget|preis|passwortregel|editor|zeitzone|sprache|standort"
    r"|hauptstadt|lieblings\w{2,20})"
)
_NOUNS_FR: Final = (
    r"(?:nom|prénom|adresse|e-?mail|téléphone|anniversaire|âge|chef|responsable|échéance|date limite"
    r"|port|version|limite"
    r"|budget|prix|éditeur|fuseau horaire|langue|ville|capitale)"
)
_NOUNS_ES: Final = (
    r"(?:nombre|apellido|dirección|correo|teléfono|cumpleaños|edad|jefe|jefa|responsable|plazo"
    r"|fecha límite|puerto|versión"
    r"|límite|presupuesto|precio|editor|zona horaria|idioma|ciudad|capital)"
)
_NOUNS_ZH: Final = (
    r"(?:名字|姓名|邮箱|电话|地址|生日|年龄|职位|经理|老板|负责人|截止(?:日期|时间)?|端口号?|版本号?|上限|限制|超时(?:时间)?|预算|价格"
    r"|编辑器|时区|语言|城市|首都|默认\w{1,8})"
)
_LITTLE: Final = r"(?: (?:the|an?|on|at|in|by|to|set to|until|der|die|das|am|bis|le|la|el|um|su))*"

ONE_VALUE: Final = re.compile(
    r"(?:\blive in|(?:\bam|\bis|\bare|'s|'re) (?:called|named|hosted (?:on|at|by)|deployed (?:on|to)"
    r"|owned by|led by|based on|built (?:on|with)|pinned to"
    r"|managed by|maintained by|run by|due(?: on| by)?|(?:on|at) version|running on|located (?:in|at)"
    r"|scheduled for"
    r"|married to)|\bwork (?:at|for|as)|\b(?:run|listen) on(?: port)?|(?<=\S )(?:on )?(?:port|version)"
    rf"|\b{_NOUNS}(?: (?:of|for|in|on) {_WORDS}| )(?:is|are|=)"
    r"|\b(?:wohne[nt]?|wohnt|lebe[nt]?|lebt) in|\bheiss(?:e|t|en)|\barbeite(?:n|t)? (?:bei|als|für)"
    r"|\bläuft auf(?: port)?"
    rf"|\b{_NOUNS_DE}(?: (?:von|für|des|der) {_WORDS}| )(?:ist|sind|lautet)"
    r"|(?:habite|habitons|\bvis|\bvit) (?:à|au|en|dans)|\b[ms]'appelle|\btravaille(?:ons)? (?:chez"
    r"|pour|comme)"
    rf"|\b{_NOUNS_FR}(?: (?:de|du|des|pour) {_WORDS}| )(?:est|sont)"
    r"|\b(?:vivo|vive|vivimos|moro|mora) (?:en|em)|\b(?:me llamo|se llama)|\btrabaj[oa] (?:en|para|como)"
    rf"|\b{_NOUNS_ES}(?: (?:de|del|para) {_WORDS}| )es"
    r"|\b(?:vivo|abito|vive|abita) (?:a|in)|\b(?:mi chiamo|si chiama)|\blavoro (?:per|come|da)"
    r"|\b(?:живу|живёт|живет|живём) в|\bзовут|\bработаю (?:в|на)"
    rf"|住在|叫(?:做|作)?|名叫|{_NOUNS_ZH}(?:是|为|=))"
    rf"{_LITTLE}\Z"
)
"""What comes before a value of which there is one at a time."""

_POSTS: Final = (
    r"(?:owner|maintainer|lead|leader|manager|boss|ceo|cto|contact|head|host|chair) (?:of|for)"
)
ONE_VALUE_AFTER: Final = re.compile(
    r"\A(?:に(?:住|勤|在住)|という名前|살|거주|근무"
    rf"|(?:is|are) (?:the|our|my) {_POSTS}\b"
    r"|ist (?:der|die|unser|unsere|mein|meine) (?:chef|chefin|leiter|leiterin|eigentümer)\b"
    r"|est (?:le|la|notre|mon|ma) (?:chef|responsable)\b"
    r"|es (?:el|la|nuestro|nuestra|mi) (?:jefe|jefa|responsable)\b)"
)
"""What comes after a value of which there is one at a time: the one who holds a post, or the verb."""

HELD_BY_ONE: Final = re.compile(
    r"\A(?:(?:owns?|leads?|manages?|maintains?|heads|chairs) (?:the|our|my)\b|leitet (?:das|den|die)\b"
    r"|dirige (?:le|la|el|il)\b|を(?:使|担当)|사용|담당)"
)
"""The same where only a word of change (`now`) says that there is one at a time."""

MEASURES: Final = re.compile(
    r"(?:\b(?:am|is|are|costs?|holds?|has|have|allows?|takes?|lasts?|requires?|needs?|weighs?"
    r"|supports?|pays?"
    r"|expires?|starts?|ends?|begins?|opens?|closes?|ist|sind|hat|kostet|fasst|dauert|beginnt|endet"
    r"|est|coûte|dure"
    r"|commence|es|tiene|cuesta|dura|empieza)|=|有|需要|最多|至少"
    r"|(?:是|为|は|[은는])(?: ?\d{1,4} ?[年月日时時分])*)"
    r"(?: (?:at|on|to|in|after|only|the|an?|exactly|every|by|um|am|bei|nach|à|a las|las|limited|set"
    r"|up))*\Z"
)
"""What comes before a figure that measures one thing."""

_SUBJECT_TEXT: Final = """
    i we you he she they it ich wir du er sie es je j' nous tu il elle yo nosotros tú él ella eu nós ele ela
    io noi lui lei я мы ты он она они"""
_RELATION_TEXT: Final = """
    is are am was use prefer live work run listen need like want have has own drive speak deploy build test
    ship host store keep meet report release write manage lead in on at to by for with as from called named =
    ist sind hat nutze mit bei auf für est sont utilise avec chez sur dans pour es son usa tiene con para é
    com em per использует на в с для"""

_VERB_TEXT: Final = """
    uso usamos utilizo utilizamos prefiero preferimos prefiro uso usiamo utilizziamo preferisco bevo mangio
    bebo como conduzco guido hablo parlo falo используем использую предпочитаю пью"""

SUBJECTS: Final = frozenset(_SUBJECT_TEXT.split())
"""Words that are a subject by themselves: what follows is the verb."""

SPEAKING_VERBS: Final = frozenset(_VERB_TEXT.split())
"""Verbs whose ending names the subject, in languages that leave it out."""

RELATIONS: Final = frozenset(_RELATION_TEXT.split())
"""A verb or preposition: what stands before it names subject and attribute."""

_GROWING_TEXT: Final = """
    like likes love loves enjoy enjoys have has own owns know knows speak speaks need needs want wants play
    plays learn visit collect allergic feel think hope guess wish mag mögen liebe habe haben hat spreche
    brauche kann fühle denke aime adore ai avons parle gusta gustan tengo tenemos hablo gosto tenho falo
    piace ho parlo люблю нравится говорю знаю"""
_COPULA_TEXT: Final = "am is are was be bin ist sind bist suis est sommes soy es somos sou é sono"
_IMPRESSION_TEXT: Final = "sounds sound looks look seems seem feels feel klingt sieht scheint"

GROWING: Final = frozenset(_GROWING_TEXT.split())
"""Verbs of which several things can hold at once: something new beside them ends nothing."""

GROWING_UNSPACED: Final = re.compile(
    r"(?:喜欢|爱|有|会|过敏|認識|喜歡)\Z|\A(?:が好き|を持って|가 있|좋아)"
)
"""The same in scripts without spaces, before or after the thing."""

COPULAS: Final = frozenset(_COPULA_TEXT.split())
"""After a word like `I` they name nothing: `I am now at home` ends nothing that I am."""

IMPRESSIONS: Final = frozenset(_IMPRESSION_TEXT.split())
"""Words that begin a remark about what somebody said, not about a subject."""

_QUALIFIER_TEXT: Final = """
    in on at for with during when if unless except within inside outside im beim für bei mit auf an wenn
    ausser pour dans avec sur chez quand si para en con cuando com em per nel nella для в на с когда если"""
QUALIFIERS: Final = frozenset(_QUALIFIER_TEXT.split())
"""Words that begin what a value holds for: where that differs, two statements are about two things."""

CONTRASTS: Final = frozenset(
    ["but", "sondern", "mais", "sino", "pero", "mas", "ma", "bensì", "а", "но", "而"]
)
"""After what ended, they begin what holds instead."""

AFTER_CONTRASTS: Final = frozenset(["rather", "instead", "plutôt", "sim", "piuttosto", "是"])
"""Words that may follow these and say nothing of their own."""

_HELPER_TEXT: Final = """
    has have had been was were is are got just recently be ist sind wurde wurden hat est sommes avons a ai été
    suis se ha hemos sido fue nos foi è sono siamo abbiamo stato stata был была было были"""
CHANGE_HELPERS: Final = frozenset(_HELPER_TEXT.split())
"""Words around a verb of change that name no subject."""

_STATE_TEXT: Final = """
    is are am was live in at on by to run hosted located based kept stored deployed set called named = the
    ist sind in bei auf läuft lebt liegt sitzt wohne heisst est sont à au dans se trouve habite es está en
    encuentra vivo é fica em moro è a si trova abito находится в на живу живёт 在 是 位 于 叫 为 住 有"""
STATES: Final = frozenset(_STATE_TEXT.split())
"""What stands between a subject and where or what it is."""

RELATIONS_UNSPACED: Final = re.compile(
    r"住|在|是|叫|用|喜欢|偏好|有|为|工作|需要|支持|负责|です|ます|住ん|使|好|사용|쓰|선호|좋아|입니다"
)
"""The same in scripts without spaces."""
