"""Clarity: which statements are kept at once, and which other sentences may matter enough to be heard.

Rules

* A statement is clear when it stands on its own: it points at nothing outside of itself (`this`, `too`, `my
  favorite is`), holds for longer than the work at hand, and is not one of many terms of a task.
* An order is a rule only if it says so (`always`, `never`, `from now on`): without such a word it is about
  the work at hand, as far as anybody can tell.
* A plain sentence of the speaker about themselves or the project may matter. It is never clear.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reverie.core.learning import sentence_guards
from reverie.core.text.plain import width

if TYPE_CHECKING:
    from reverie.types import StatementForm

MAX_SPEECH_CHARS: Final = 700
"""A longer message is the description of a task: what it says holds for that."""
MAX_CLEAR_CHARS: Final = 240
_MIN_WORDS: Final = 3
_LEAST_COLUMNS: Final = 15
_MOST_COLUMNS: Final = 220

_RULE: Final = re.compile(
    r"\b(?:always|never|ever|from now on|going forward|henceforth|in (?:the )?future|every ?time"
    r"|each time"
    r"|whenever|by default|no longer|no more|without exception|every (?:commit|pr|file|test|answer|reply"
    r"|change|function))\b"
    r"|\b(?:immer|nie|niemals|stets|ab (?:jetzt|sofort|heute)|(?:in zukunft|künftig|zukünftig)|von nun an"
    r"|jedes mal|grundsätzlich|nie wieder|standardmäßig)\b"
    r"|\b(?:toujours|jamais|désormais|dorénavant|à l['’]avenir|à partir de maintenant|chaque fois"
    r"|systématiquement|par défaut)\b"
    r"|\b(?:siempre|nunca|jamás|(?:a partir|de) (?:de )?ahora|en adelante|en el futuro|cada vez"
    r"|por defecto)\b"
    r"|\b(?:sempre|jamais|(?:a partir|de) (?:de )?agora|daqui (?:em|para)|no futuro|toda vez"
    r"|por padrão)\b"
    r"|\b(?:mai|d['’]ora in poi|da ora in poi|in futuro|ogni volta|di norma)\b"
    r"|\b(?:всегда|никогда|впредь|отныне|в дальнейшем|в будущем|на будущее|с этого момента|каждый раз"
    r"|больше не)\b"
    r"|以后|以後|今后|今後|从现在|從現在|从今|總是|总是|永远|永遠|每次|一律|始终|始終|任何时候|默认"
    r"|绝不|絕不|下次|凡是"
    r"|いつも|常に|必ず|これから|絶対に|毎回|決して|항상|절대|앞으로|언제나|매번|반드시",
    re.I,
)
# `Always` as an adverb of a tale, not of an order.
_TOLD_RULE: Final = re.compile(
    r"(?:всегда|никогда|больше не|каждый раз)\s+(?!не\s)\w+(?:[аея]л[аио]?|ем|им|ут|ют|ая|яя|вший"
    r"|щий|я)\b"
    r"|(?:всегда|никогда)\s+\w+я\b",
    re.I,
)
# Words that point at something said before, or at hand.
_POINTS: Final = re.compile(
    r"\bthis\b(?! (?:project|repo|repository|codebase|team|company|service|organi[sz]ation|year)\b)"
    r"|\b(?:these|those|here|there|above|below|the (?:following|former|latter|other one|same))\b"
    r"|\bthat(?=\s*(?:[.,;:!)]|\Z))"
    r"|\bthat (?:one|way|thing|stuff|kind|sort|code|file|function|approach|error|part|bit|change|idea)\b"
    r"|\b(?:too|as well|either|myself|yourself|instead|though|anymore than)[.!]*\s*\Z"
    r"|\b(?:my|our) (?:favou?rites?|preferences?)(?: ones?\b| (?:is|are|would be|was)\b"
    r"| (?:parts?|things?|bits?|aspects?|kinds?|types?) (?:is|are)\b)|\blike i (?:said|mentioned)\b"
    r"|\bprobably\b|\bone[.!]*\s*\Z|\bso (?:many|much)\b|\bthe way (?:you|it|they)\b"
    r"|\b(?:dies\w*|jene[rsnm]?|hier|dort|oben|unten|obige\w*|folgende\w*|auch)\b"
    r"|\b(?:ce|cet|cette|ces|ça|cela|ceci|celui\w*|celle\w*|aussi|ici)\b"
    r"|\b(?:est[aeo]s?|es[aeo]s?|aquell?[ao]s?|también|aquí|allí|ahí)\b"
    r"|\b(?:isso|isto|aquilo|ess[ae]s?|também|aqui|ali)\b"
    r"|\b(?:quest[aoei]|quell[aoei]|anche|qui|lì)\b"
    r"|\b(?:эт(?:о|от|а|у|и|ом|ой|их|им|ими|ого|ому)|тот|ту|те|тех|тоже|также|здесь|тут)\b"
    r"|[这這那](?!个?项目|個?項目|个?仓库)|它|此|以下|上面|下面"
    r"|これ|それ|あれ|この(?!プロジェクト|リポジトリ)|その|あの|ここ|そこ"
    r"|이것|그것|저것|이거|그거|여기|거기|(?<![가-힣])(?:이|그|저)\s(?!프로젝트)",
    re.I,
)
# `It` and `them` are fine once the sentence has named something before them.
_PRONOUN: Final = re.compile(
    r"\b(?:it|its|they|them|their|he|she|him|his|her|es|ihn|ihm|lui|elle|eux|lo|los|las|ela|ele|lei|его"
    r"|её|ее|их|он"
    r"|она|они)\b|[他她]",
    re.I,
)
_IT_FORMAL: Final = re.compile(r"\bit (?:when|if|is|to)\b|\bes,? wenn\b", re.I)
_JOINED: Final = re.compile(
    r"\b(?:and|but|or|because|since|so|if|when|und|aber|oder|weil|et|mais|ou|y|pero|porque|e|ma"
    r"|perché|и|но"
    r"|или|потому)\b|[,，、]",
    re.I,
)
_PLACEHOLDER: Final = re.compile(
    r"\[[^\]\[\n]{1,40}\]|\{[^{}\n]{1,40}\}|<[^<>\n]{1,40}>|\buser ?\d\b|\((?:user|name|your"
    r"|insert)\b[^()\n]{0,20}\)"
    r"|\b[xX]{3,}\b|_{3,}",
    re.I,
)
_VAGUE_SPAN: Final = re.compile(
    r"\bfor (?:about |around |almost |over |nearly |the (?:last|past) )?(?:\d+|an?|a few|a couple of"
    r"|some|several"
    r"|two|three|four|five|six) (?:days?|weeks?|months?)\b|\bsince (?:last|this|the beginning|yesterday"
    r"|then)\b"
    r"|\b(?:lately|recently|these days|nowadays|so far|these past|the other day)\b",
    re.I,
)
# A role that is given to the model, or a game with one: what follows are its terms.
_ROLE: Final = re.compile(
    r"\b(?:act|behave|respond|reply|roleplay|role-play|play) as\b|\byou are (?:now )?(?:an?|the"
    r"|going to)\b"
    r"|\byou(?:'re| are| will be) (?:my|playing)\b|\b(?:pretend|imagine) (?:to be|that|you)\b"
    r"|\byour (?:role|task"
    r"|job|name|persona|goal) (?:is|will be)\b|\bignore (?:all|any|previous|your)\b|\bstay in character\b"
    r"|\bdu bist (?:ein|der|die|jetzt)\b|\btu es (?:un|une|le|la)\b|\beres (?:un|una|el|la)\b"
    r"|\bvocê é (?:um|uma)\b|\bsei un\b|\bты (?:—|-|–|теперь|будешь|являешься)|\bпредставь\b"
    r"|\bпритворись\b|你(?:是一|现在是|扮演|要扮演)|扮演|假装|あなたは.{1,20}です|당신은\s.{1,20}입니다",
    re.I,
)
# What the other one is not to do now, as far as anybody can tell.
_WISH: Final = re.compile(
    r"i (?:don't|do not) want you to\b|i want you to\b|i(?:'d| would) like you to\b", re.I
)
_ANYBODY: Final = re.compile(
    r"i (?:love|like|hate) (?:it )?when you (?!answer|reply|explain|write|show|use)", re.I
)
_ME: Final = re.compile(r"\b(?:i|me|my|i'm|i've)\b", re.I)
_ORDER_FIRST: Final = re.compile(
    r"(?:please\s+)?(?:create|make|write|build|add|implement|fix|update|change|move|run|check|look|use"
    r"|put|generate"
    r"|design|analy[sz]e|review|remove|delete|refactor|set|let|find|show|tell|give|explain|read|open"
    r"|test|do"
    r"|list|compare|plan|schedule|summari[sz]e|report|push|commit|merge|deploy|release)\b",
    re.I,
)
_PATH: Final = re.compile(
    r"(?<![\w~./])[~.]{0,2}/[\w.-]{1,200}/|(?<!\w)\w{1,80}\.(?:md|py|ts|js|go|rs|json|ya?ml|txt|csv)\b"
)


_PLAIN: Final = re.compile(
    # I and my, we and our, and plain facts about a thing of the project.
    r"(?:i|we)(?:'ve| have| do| don't)? (?:really |usually |often |also |only |mostly |all |still )?"
    r"(?:work (?:on|at|in|as|for|with|from)|live|run an?|maintain|own|prefer|develop on|use"
    r"|have (?!to\b)|own|like (?!the (?:idea|sound|look)\b)|love (?!the (?:idea|sound|look)\b"
    r"|how\b)"
    r"|enjoy|play|study|speak|drive|teach|eat|drink|read|watch|collect|keep|store|host|deploy|run|ship"
    r"|release|support|maintain|write|track|follow|rely on|depend on|test)\b"
    r"|(?:i'm|i am|we're|we are)(?: also| both| all)? (?:an? (?!bit\b|little\b)|from|married|single|vegan"
    r"|vegetarian|allergic|afraid of|fond of|learning|studying|based)\b"
    r"|(?:my|our) [\w' -]{2,60} (?:is|are|has|have|lives?|runs?|uses?|needs?|works?|likes?|must|can"
    r"|cannot"
    r"|can't|goes|starts|ends|expires?)\b"
    r"|the [\w' ./-]{2,60} (?:lives?|runs? on|uses?|requires?|depends? on|belongs? to|sits?|must"
    r"|cannot|can't"
    r"|(?:is|are) (?:stored|located|called|named|deployed|hosted|owned|kept|run|released|in|at|on"
    r"|under))\b"
    r"|ich (?:habe|bin|mag|liebe|nutze|benutze|verwende|wohne|arbeite|spreche|spiele|lerne)\b"
    r"|wir (?:haben|nutzen|verwenden|deployen|benutzen|setzen|speichern|betreiben)\b"
    r"|(?:mein|unser)\w* [\w -]{2,60} (?:ist|sind|hat|heißt|läuft|liegt)\b"
    r"|(?:j['’]ai|je suis|j['’]aime|j['’]utilise|j['’]habite|je parle|je joue|nous avons|nous utilisons"
    r"|on a"
    r"|on utilise)\b|(?:mon|ma|mes|notre|nos) [\w' -]{2,60} (?:est|sont|a|ont|s['’]appelle)\b"
    r"|(?:tengo|soy|me gustan?|uso|vivo|hablo|juego|tenemos|usamos|nuestr\w+ [\w -]{2,60} (?:es"
    r"|está|tiene)"
    r"|mis? [\w -]{2,60} (?:es|son|está|tiene|se llama))\b"
    r"|(?:tenho|sou|gosto|uso|moro|falo|temos|usamos|noss\w+ [\w -]{2,60} (?:é|está|tem)"
    r"|(?:meu|minha) [\w -]{2,60} (?:é|está|tem))\b"
    r"|(?:ho|sono|mi piac\w+|uso|vivo|parlo|abbiamo|usiamo|(?:il mio|la mia|il nostro"
    r"|la nostra) [\w -]{2,60}"
    r" (?:è|ha))\b"
    r"|(?:у (?:меня|нас)|я (?:люблю|живу|работаю|использую|говорю|играю|учусь)|мы (?:используем|храним"
    r"|живём)"
    r"|(?:мо[йяеи]|наш\w*) \w+)\b"
    r"|我(?:有|是|喜欢|爱|住|用|在|每|的.{1,20}(?:是|叫|在))|我们(?:有|用|使用|在|的.{1,20}(?:是|在|用))|咱们"
    r"|(?:私|僕|うち|弊社|我々)(?:は|の|たち)|(?:저는|나는|우리는|제|우리)\s"
    r"|(?:(?:ik|wij|we) (?:ben|heb|hebben|woon|wonen|werk|werken|gebruik|gebruiken|hou|houd|spreek|eet"
    r"|drink|rijd"
    r"|studeer|speel|deployen|bewaren|draaien)|(?:mijn|onze|ons) [\w' -]{2,60} (?:is|zijn|heet|heeft"
    r"|draait|staat))\b"
    r"|(?:(?:nie )?(?:jestem|mam|mieszkam|pracuję|używam|lubię|wolę|mówię|nazywam się|jem|piję|gram"
    r"|uczę|jeżdżę|mamy"
    r"|używamy|pracujemy|trzymamy|wdrażamy)|(?:mój|moja|moje|moi|nasz\w{0,3}) [\w' -]{2,60} (?:to|jest"
    r"|są|ma|nazywa))\b"
    r"|(?:ben|biz|benim|bizim|adım|eşim|projemiz\w{0,4})\s|[^.!?]{2,80}(?:iyoruz|ıyoruz|uyoruz|üyoruz"
    r"|iyorum|ıyorum|uyorum"
    r"|üyorum)\b"
    r"|(?:أنا|لدي|عندي|لدينا|عندنا|أعمل|أسكن|أعيش|أفضل|أحب|أستخدم|اسمي|نحن|نستخدم|نعمل|زوجتي|زوجي"
    r"|مشروعنا|فريقنا)\s"
    r"|(?:i|we)(?:'ve| have)? (?:\w{1,12} (?:it |this )?(?:over |together |through )?and )?(?:decided"
    r"|agreed|settled)\b"
    r"|no more [\w -]{2,40}(?: please\b|,)",
    re.I,
)
# A word for always or never: what is said with it is a rule, if it is no question and nothing that was.
_ABSOLUTE: Final = re.compile(
    r"(?<!that )(?<!which )(?<!who )(?<!qui )(?<!que )(?<!che )(?<!die )(?<!der )(?<!das )"
    r"\b(?:never|always|nie(?:mals)?|immer|jamais|toujours|nunca|siempre|sempre|jamais|mai|nooit"
    r"|altijd|nigdy|zawsze"
    r"|asla|her zaman|daima|никогда|всегда)\b"
    r"|永远不要|永遠不要|总是|一律|绝不|絶対に|必ず|常に|절대|항상|반드시|أبدا|دائما",
    re.I,
)
_WAS: Final = re.compile(
    r"\b(?:i|we|it|he|she|they|you)(?:'ve|'d| have| had| has| was| were)? (?:never|always)\b|\b(?:was"
    r"|were|had|did|been)\b"
    r"|\b(?:nie|immer|jamais|toujours|nunca|siempre|sempre|nooit|altijd|nigdy|zawsze) \w{1,20}(?:te"
    r"|ten|é|ó|ł|ła)\b",
    re.I,
)


def is_brief(message: str, *, first: str) -> bool:
    """Tell whether a message sets a task or a role, so that what it says holds for that.

    Args:
        first: The first sentence, without fillers.
    """
    return (
        len(message) > MAX_SPEECH_CHARS or sentence_guards.is_task(first) or gives_a_role(message)
    )


def gives_a_role(message: str) -> bool:
    """Tell whether a message gives the model a role to play."""
    return bool(_ROLE.search(message))


def is_clear(form: StatementForm, summary: str, *, whole: bool) -> bool:
    """Tell whether a statement of a form is kept at once; what was asked for always is.

    Args:
        whole: Whether it begins its sentence; what was cut out of one may have meant something else.
    """
    if len(summary) > MAX_CLEAR_CHARS or is_template(summary) or not stands_alone(summary):
        return False
    if form == "correction" or _WISH.match(summary):
        return bool(_RULE.search(summary)) and not _TOLD_RULE.search(summary)
    if form in ("identity", "preference"):
        return not _VAGUE_SPAN.search(summary) and not _ANYBODY.match(summary)
    if form == "deadline" and _ME.search(summary):
        return False
    ordered = bool(_ORDER_FIRST.match(summary)) or bool(_PATH.search(summary))
    return whole and not ordered


def stands_alone(text: str) -> bool:
    """Tell whether a sentence is whole, and points at nothing outside of itself."""
    return not _too_short(text) and text.count("(") == text.count(")") and points_at_nothing(text)


def points_at_nothing(text: str) -> bool:
    """Tell whether no word stands for something that was said before, or is at hand."""
    if _POINTS.search(text):
        return False
    bare = _IT_FORMAL.sub("", text)
    # Whether something was named before the first of them is whether it was before all.
    first = _PRONOUN.search(bare)
    return first is None or _names_something(bare[: first.start()])


def _names_something(text: str) -> bool:
    return len(text.split()) >= _MIN_WORDS and bool(_JOINED.search(text))


def is_template(text: str) -> bool:
    """Tell whether a text has blanks to fill in: nobody says those of themselves."""
    return bool(_PLACEHOLDER.search(text))


def may_matter(sentence: str) -> bool:
    """Tell whether a plain sentence is one of the speaker about themselves or the project."""
    if not _LEAST_COLUMNS <= width(sentence) <= _MOST_COLUMNS or is_template(sentence):
        return False
    if _ABSOLUTE.search(sentence) and not _WAS.search(sentence):
        return stands_alone(sentence)
    return bool(_PLAIN.match(sentence)) and stands_alone(sentence)


def _too_short(text: str) -> bool:
    return text.isascii() and len(text.split()) < _MIN_WORDS
