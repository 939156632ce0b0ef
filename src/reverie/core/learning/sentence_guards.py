"""Guards: what kind of sentence this is, so that only standing facts in one's own voice are kept.

Rules

* Every guard knows the marks of all scripts: full-width and Arabic question marks, particles that
  ask in Chinese, Japanese and Korean, words of the moment in ten languages.
* Words count as words: `nowhere` holds no `now`, `from now on` and `now that` speak of always.
"""

from __future__ import annotations

import re
from typing import Final

_QUESTION: Final = re.compile(
    r"[?？؟][\"'”」)）]*\s*\Z|(?:吗|嗎|呢|么)[。.!！]*\s*\Z|(?:ですか|ますか|でしょうか|ませんか|のか)[。.]*\s*\Z"
    r"|(?:까요|나요|니까|인가요)[.]*\s*\Z|\A\s*[¿]"
)
_ASKING: Final = re.compile(
    r"(?:when|where|who|which)\s+(?:is|are|was|were|do|does|did|can|could|should|will|would|has|"
    r"have)\b|"
    r"(?:what|why|how|whose|can|could|would|will|do|does|did|is|are|was|"
    r"were|should|shall|may|"
    r"have|has)\s+(?:you|i|we|it|there|this|that|the|they|he|she|a|an|my|our|your|to)\b"
    r"|(?:was|warum|wie|wann|wo|wer|welche\w*|kannst|könntest|soll(?:en|te\w*)?)\s+(?:ich|du|"
    r"wir|man|ist|sind)\b"
    r"|(?:pourquoi|comment|quand|est-ce|peux-tu|pourrais-tu|por qué|cómo|cuándo|puedes|podrías|"
    r"почему|как|когда|можешь)\b"
    r"|(?:为什么|怎么|如何|能不能|可不可以|是不是|要不要|帮我|请帮|なぜ|どうして)",
    re.I,
)
_SUPPOSED: Final = re.compile(
    r"\A\s*if\s+(?!you\b|your\b)|\b(?:would(?! like you| prefer| rather| appreciate)|might|"
    r"maybe|perhaps|suppose|supposing|imagine|"
    r"hypothetically|what if|"
    r"in theory|could have|let's say|i guess|not sure|i think|i wonder|were to|assuming)\b"
    r"|\b(?:falls|vielleicht|würde\w*|könnte\w*|angenommen|eventuell)\b|\Awenn\s+(?:wir|ich|es|"
    r"man)\b"
    r"|\b(?:peut-être|pourrait|pourrions|serait|supposons|imaginons)\b|\Asi\s+(?:on|nous|je|c'|"
    r"l')"
    r"|\b(?:quizás?|tal vez|podría\w*|sería|supongamos|talvez|poderia|forse|potrebbe\w*)\b"
    r"|\b(?:если|возможно|может быть|наверное|допустим|бы)\b"
    r"|如果|假如|要是|假设|假設|万一|萬一|可能|也许|也許|或许|大概|もし|かもしれ|としたら"
    r"|でしょう(?!か)|たぶん|만약|아마|혹시",
    re.I,
)
# Words of the moment, where they stand as an adverb of the sentence; `now that`, `from now on`,
# `we now use` and `nowhere` are none.
_MOMENT: Final = re.compile(
    r"\b(?:right now|for now|just now|currently|at the moment|for the moment|temporar(?:y|ily)|"
    r"this time|just this once|"
    r"(?:for|in|during) th(?:is|e current) (?:task|session|change|run|test|one|conversation|"
    r"chat|branch|function|file|request|question|answer|reply|message)|"
    r"this session|still|yet)\b"
    r"|\A(?:ok(?:ay)?,?\s+)?now\b(?! that\b)|\bnow[.!]*\s*\Z|\bhere[.!]*\s*\Z"
    r"|(?<!as of )(?<!from )(?<!since )(?<!starting )\b(?:today|tonight|this morning)\b"
    r"|(?<!ab )(?<!von )\b(?:jetzt|heute)\b|\b(?:gerade|momentan|derzeit|vorübergehend|diesmal|"
    r"vorerst)\b"
    r"|(?<!partir de )(?<!dès )\b(?:maintenant|aujourd['’]hui)\b|\b(?:actuellement|"
    r"pour l['’]instant|temporairement|cette fois)\b"
    r"|(?<!partir de )(?<!de )(?<!desde )\b(?:ahora|hoy|agora|hoje)\b|\b(?:actualmente|"
    r"por ahora|temporalmente|esta vez|por enquanto)\b"
    r"|\b(?:adesso|oggi|per ora|temporaneamente)\b|\b(?:сейчас|сегодня|временно|в данный момент|"
    r"на этот раз|пока)\b"
    r"|(?<!从)(?<!從)(?:现在|現在|今天|今晚)(?!起|开始|開始|以后|以後)|目前|暂时|暫時|临时|臨時|这次"
    r"|這次|本次|刚才|剛才|眼下"
    r"|今(?!後|から|まで|年|月|週|日から)|とりあえず|一時的|当面|今回|지금|오늘|일단|임시|이번에",
    re.I,
)
# `I'm running the tests now`, `I'm at home now`: it is for a while.
_AT_IT: Final = re.compile(
    r"\b(?:i|we)(?:'m|'re| am| are) (?:\w{1,20}ing|at|on|in the|ready|done|back|here|tired|hungry"
    r"|going|off|stuck|lost|confused)\b"
    r"|\b(?:i|we) (?:need|want|see|think|get|got|understand|know|have to|can|will|am getting)\b"
    r"|\b(?:ich|wir) (?:brauche\w*|will|wollen|sehe\w*|muss|müssen|gehe\w*|mache\w*)\b"
    r"|\b(?:error|fails?|failing|broken|works? (?:fine|again)?\Z)\b",
    re.I,
)
# "Now" as a word for a change, not for the moment: `I now live in Lyon`.
_FROM_NOW: Final = re.compile(
    r"(?<!right )(?<!for )(?<!just )(?<!by )\b(?:now|nowadays|these days|as of (?:today|now)"
    r"|since today|jetzt|ab heute|seit heute"
    r"|maintenant|ahora|agora|adesso|ora|nu|tegenwoordig|сейчас|теперь|teraz|artık|şimdi)\b(?! that\b)"
    r"|(?:现在|現在)(?!起|开始|開始)|今は|지금은?|이제는?|الآن",
    re.I,
)
# Who speaks says it of himself, of what is his, or of us; or by the ending of the verb.
_OWNED: Final = re.compile(
    r"\b(?:i|i'm|i've|my|we|we're|we've|our|ich|mein\w*|wir|unser\w*|je|mon|ma|mes|nous|notre|nos|yo"
    r"|mi|mis|nuestr\w+|eu|meus?"
    r"|minhas?|noss[oa]s?|io|mio|mia|noi|nostr[oaie]|ik|mijn|wij|onze|ons|я|мой|моя|моё|мы|наш\w*|mój"
    r"|moja|moje|nasz\w*"
    r"|ben|benim|biz|bizim)\b|\bj'|\A(?:me|nos|ya no|no longer)\s|ł[ae]m\b|(?:yorum|yoruz|[dt][ıiuü]m"
    r"|[dt][ıiuü]k)\b"
    r"|我|我们|私|僕|저|제|우리|أنا|نحن",
    re.I,
)
# What was done to the work at hand is no news of anybody.
_WORK_AT_HAND: Final = re.compile(
    r"\b(?:files?|folders?|functions?|methods?|class(?:es)?|code|tests?|bugs?|errors?|lines?"
    r"|variables?|imports?|branch(?:es)?"
    r"|commits?|merged?|pr|pull request|config(?:uration)?|settings?|script|page|button|component"
    r"|query|it|this|that|these|them"
    r"|datei\w*|funktion\w*|fehler|zeile\w*|fichiers?|fonctions?|erreurs?|archivos?|funci[oó]n\w*"
    r"|errores?|файл\w*|функци\w*"
    r"|ошибк\w*)\b|(?<![\w-])[\w-]{1,60}\.[a-z]{1,4}\b|`|文件|代码|函数|错误|ファイル|コード|エラー|파일|코드|오류",
    re.I,
)
# A request about one thing at hand, not a rule.
_AT_HAND: Final = re.compile(
    r"\b(?:this|that|these|those) (?:file|function|class|test|line|method|variable|part|one|"
    r"case|bug|error|change|pr|commit|"
    r"branch|script|section|paragraph|page|query|loop|step)\b|\bthe (?:following|above|below|"
    r"first|second|last)\b"
    r"|\b(?:above|below)[.!]*\s*\Z|\buntil i\b|\b\w+\.(?:py|ts|js|tsx|jsx|go|rs|java|c|cpp|h|rb|"
    r"php|css|html|sql|sh|ya?ml|toml|json)\b"
    r"|这个(?!项目|仓库|代码库|repo)|那个|この(?!プロジェクト|リポジトリ)|その|이 (?:파일|함수|테스트)"
    r"|\b(?:dies\w*|cette|cet|este|esta|questo|questa|эт(?:от|у|ом|ой))\s+(?:datei|funktion|"
    r"test\w*|zeile|fichier|fonction|ligne|"
    r"archivo|función|línea|file|funzione|riga|файл\w*|функци\w*|строк\w*)\b",
    re.I,
)
_TOLD: Final = re.compile(
    r"\b(?:said|says|saying|wrote|writes|told|tells|thinks|claims|asked|according to|quote[sd]?|"
    r"mentioned|complain\w*|reads?)\b"
    r"|\b(?:sagt\w*|schreibt|schrieb|meint\w*|dit|disait|écrit|pense|dice|dijo|escribió|disse|"
    r"scrive|сказал\w*|говорит|пишет|написал\w*)\b"
    r"|[他她它](?:们)?(?:说|觉得|认为|喜欢|想)|(?:客户|同事|老板|用户|领导).{0,6}(?:说|觉得|认为"
    r"|喜欢|要求)|(?:さん|彼|彼女|"
    r"お客様).{0,8}(?:言|書い|思)",
    re.I,
)
_TASK: Final = re.compile(
    r"\s*(?:please\s+)?(?:i want you to (?:act|write|be|create)|act as|you are (?:a|an|going|"
    r"now)\b|ignore (?:all|any|previous)|pretend|imagine|"
    r"(?:write|draft|compose|generate|create|translate|summari[sz]e|rewrite|continue|make|"
    r"design|give me|convert|paraphrase)\s+"
    r"(?:a|an|the|me|my|this|it|some|\d+|in)\b)",
    re.I,
)
_STANDING: Final = re.compile(
    r"from now on|going forward|in (?:the )?future|\b(?:always|never|every|each|only ever|ever only"
    r"|immer|nie|niemals|jede[nrsm]?|toujours|jamais|siempre|nunca|sempre|altijd|nooit|zawsze|nigdy"
    r"|всегда|никогда|каждый|her zaman|asla)\b|以后|今后|今後|总是|永远|必ず|絶対に|항상|절대",
    re.I,
)
_FROM_NOW_ON: Final = re.compile(
    r"\A(?:please,? )?in (?:the )?future,"
    r"|\b(?:from now on|from here on(?: out)?|going forward|henceforth|from (?:today|this day) on(?:wards?)?"
    r"|ab jetzt|ab sofort|ab heute|von (?:jetzt|nun) an|künftig|in zukunft|fortan|désormais|dorénavant"
    r"|à partir de maintenant|à partir d'aujourd'hui|à l'avenir|a partir de ahora|de ahora en"
    r" adelante|en adelante"
    r"|desde ahora|d'ora in (?:poi|avanti)|a partire da (?:ora|adesso|oggi)|da ora in poi|in futuro"
    r"|a partir de agora|de agora em diante|daqui (?:em diante|(?:pra|para) (?:a )?frente)|daqui"
    r" para a frente"
    r"|vanaf nu|voortaan|in het vervolg|впредь|отныне|с этого момента|с сегодняшнего дня|в дальнейшем"
    r"|od teraz|od dziś|od tej pory|odtąd|bundan (?:sonra|böyle)|bugünden itibaren)\b"
    r"|从现在起|从现在开始|从今以后|今后|以后(?=[,，请都一要不别用写])|今後|これからは?|앞으로는?|이제부터",
    re.I,
)
_QUOTED: Final = re.compile(
    r"“[^“”]*+”|\"[^\"\n]*+\"|「[^「」]*+」|『[^『』]*+』|«[^«»]*+»|„[^„“”]*+[“”]|(?<!\w)'[^'\n]++'(?!\w)"
)
_CODE_MARK: Final = re.compile(r"[{}<>=;$\\|]|\w\(|::|=>|->|\bdef |\bimport |\breturn ")
_INLINE_CODE: Final = re.compile(r"`[^`\n]*`")
_ABOUT_OUTPUT: Final = re.compile(
    r"\b(?:answers?|responses?|repl(?:y|ies)|explanations?|summar\w+|comments?|commits?|you|"
    r"your|emojis?|bullets?|tone|code|tests?|"
    r"docstrings?|format\w*|antwort\w*|du|kommentare?|réponses?|tu|respuestas?|respostas?|"
    r"risposte|ответ\w*|ты|комментари\w*)\b"
    r"|回复|回答|注释|总结|你|提交|代码|返信|回答|コメント|コード|답변|코드|주석",
    re.I,
)


def is_question(text: str) -> bool:
    """Tell whether a text asks, in any script."""
    return bool(_QUESTION.search(text.strip()))


def begins_as_question(text: str) -> bool:
    """Tell whether a sentence begins with words that ask, whatever mark it ends with."""
    return bool(_ASKING.match(text))


def is_momentary(text: str) -> bool:
    """Tell whether a text holds for the moment only."""
    return bool(_MOMENT.search(text))


def without_now(text: str) -> str:
    """Return a sentence without a word for now in it; as it is, if there is none or it is about a moment."""
    plain = " ".join(_FROM_NOW.sub(" ", text, count=1).split())
    if plain == text or is_momentary(plain) or _AT_IT.search(plain):
        return text
    return plain


def is_of_the_owner(text: str) -> bool:
    """Tell whether a sentence is about the speaker or us, and not about what is being worked on."""
    return bool(_OWNED.search(text)) and not _WORK_AT_HAND.search(text)


def is_supposed(text: str) -> bool:
    """Tell whether a sentence supposes rather than states."""
    return bool(_SUPPOSED.search(text))


def is_about_one_thing(text: str) -> bool:
    """Tell whether a request is about a thing at hand, not a rule for all."""
    return bool(_AT_HAND.search(text))


def tells_of_others(text: str) -> bool:
    """Tell whether words introduce what somebody else said or likes."""
    return bool(_TOLD.search(text))


def is_task(sentence: str) -> bool:
    """Tell whether a message begins by ordering one piece of work: its terms are no rules."""
    return bool(_TASK.match(sentence))


def is_standing(text: str) -> bool:
    """Tell whether a sentence says itself that it holds from now on."""
    return bool(_STANDING.search(text))


def holds_from_now_on(text: str) -> bool:
    """Tell whether a sentence says in so many words that it holds from now on."""
    return bool(_FROM_NOW_ON.search(_INLINE_CODE.sub("", text)))


def is_about_answers(text: str) -> bool:
    """Tell whether a preference is about how the assistant works, not about the person."""
    return bool(_ABOUT_OUTPUT.search(text))


def looks_like_code(text: str) -> bool:
    """Tell whether a line is more code than speech; links and inline code do not count."""
    bare = _INLINE_CODE.sub("", re.sub(r"(?<!\w)\w{1,20}://\S+", "", text))
    return len(_CODE_MARK.findall(bare)) * 12 > len(bare)


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Return where a sentence quotes."""
    return [match.span() for match in _QUOTED.finditer(text)]
