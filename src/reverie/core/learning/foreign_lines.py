"""Foreign lines: which lines of a message were not typed as speech, and how far what they begin reaches.

Rules

* A line that announces a text, heads one or shows where one comes from makes all that follows foreign: who
  pastes after their own words seldom goes on with them, and a wrong guess here lets a stranger speak.
* A line of a program's output, a quote or a labelled remark makes its paragraph foreign.
* A label or an announcement in the owner's own voice (`my rules:`, `please note:`) is speech.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from reverie.core.learning.requests import read_request, requested


class Reach(Enum):
    """How far a line makes text foreign."""

    NONE = 0
    PARAGRAPH = 1
    AFTER = 2
    """All that follows; the line itself is speech."""
    REST = 3
    """The line, and all that follows."""
    BEFORE = 4
    """All that came before, with the line: it ends a text that began there."""


_MAX_NAME_WORDS: Final = 4
_PARAGRAPH: Final = re.compile(
    r"""\s*(?:
        >                                            # a quoted line
        |\+\+\+\s|---\s\S|@@|diff\s--git|\+\s?\S     # a diff
        |File\s"|Traceback|at\s[\w.$<>]+\(|\w{0,60}(?:Error|Exception)\b:
        |\[?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d|\[?\d\d:\d\d:\d\d
        |(?-i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)
          \s+\d{1,2}\s\d\d:\d\d
        |\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL)\b|npm\s(?:ERR|WARN)
        |\||[│┃║]|\S{1,40}\s+\|\s            # a table, the output of several programs
        |[\w./-]{1,200}:\d+(?::\d+)?:                # a compiler's place
        |//|/\*|\*/|--\s|--\[|%%|\{[#%{]|;;|E\s{2,}  # comments
        |[{}\]]|"[\w-]{1,60}"\s*:|[\w-]{1,60}=\S     # data
        |[^\s,]{1,40},[^\s,]{1,40},\S
        |\[(?!(?:\s|x|X)\]\s|[^\]\n]{1,200}\]\()     # a remark of a program; not a box, not a link
        |</?[A-Za-z]
    )""",
    re.X,
)
_REST: Final = re.compile(
    r"""\s*(?:
        \#{1,6}\s                                    # a heading: nobody says one
        |\*\*[^*\n]{1,80}\*\*:?\s*$|__[^_\n]{1,80}__:?\s*$
        |([-=*_~<>\#+])\1{2,}.{0,80}$                # a rule across the page, with or without a name in it
        |(?:\$|%|>>>|\#)\s\S|PS\s\w:\\|\S{1,60}@\S{1,60}.{0,60}[$\#%]\s
        |cat\s<<|<<<
        |\[[^\]\n]{1,80}\]\s*$                       # [Pasted text], [tool result]
        |<[A-Za-z][^<>]{0,500}$                      # a tag that does not end on its line
        |(?:\w{1,20}://|www\.)\S+\s*$           # an address or a file alone
        |[\w./~-]{1,200}\.[A-Za-z]\w{0,4}\s*$
        |(?:BEGIN|START)\b[\sA-Z]*$
        |commit\s[0-9a-f]{7,40}\b|(?:Issue|PR|Pull\srequest|Bug|Ticket)\s\#?\d+
        |\S.{0,60}\s\d{1,2}:\d\d(?:\s?[AaPp]\.?[Mm]\.?)?\s*$
        |@?[\w .-]{1,40}\s(?:commented|opened\sthis|replied|wrote)\b.{0,60}$
    )""",
    re.X,
)
# Names of columns, and a row below them.
_TABLE_HEAD: Final = re.compile(r"\s*[\w\"-]{1,40}(?:[,;\t][\w \"-]{1,40}){1,20}\s*$")
_TABLE_ROW: Final = re.compile(r"\s*[^\s,;]{1,40}[,;\t]\S")
# `note: >` and `text: |` begin a block of YAML.
_BLOCK: Final = re.compile(r"\s*(?:-\s)?[\w-]{1,60}:\s?[|>][+-]?\d?\s*$")
_LETTER: Final = re.compile(
    r"\s*(?:dear|sehr geehrte[rs]?|liebe[rs]?|cher|chère|estimad[oa]s?|querid[oa]s?|prezad[oa]s?|caro"
    r"|cara|gentile"
    r"|уважаем\w+|дорог(?:ой|ая|ие)|尊敬的|親愛なる|拝啓|친애하는)\s?[\w .'-]{1,60}[,，!:]?\s*$"
    r"|\s*(?:hi|hello|hey|hallo|bonjour|hola|olá|ciao|привет)\s+(?:team|all|everyone|everybody|folks"
    r"|zusammen|à tous"
    r"|a todos|a tutti|всем)\b[^.?]{0,20}$",
    re.I,
)
# A letter that begins in its first line, to somebody who is no assistant.
_TO_NAME: Final = re.compile(
    r"\s*(?i:hi|hello|hey|dear|hallo|bonjour|hola|olá|ciao|привет) (?!(?i:claude|chatgpt|gpt"
    r"|copilot|gemini|cursor"
    r"|reverie|assistant|there|again|ai|bot|codex|qwen)\b)[A-ZÀ-ÞА-Я][\w'-]{1,30},(?=\s|$)"
)
_FAREWELL: Final = re.compile(
    r"\s*(?:(?:best|kind|warm)(?: regards| wishes)|regards|sincerely|yours (?:truly|sincerely"
    r"|faithfully)|cheers"
    r"|mit freundlichen grüßen|viele grüße|liebe grüße|beste grüße|cordialement|bien à vous|saludos"
    r"|un saludo"
    r"|atentamente|atenciosamente|cordiali saluti|distinti saluti|с уважением|此致|敬具)[,.!]?\s*$",
    re.I,
)
_ENDS: Final = re.compile(
    r".*(?:-->|\*/|\]\]>?|#\}|%\})\s*$|\s*\[/\w[^\]\n]{0,40}\]\s*$|\s*>{3,}\s*$"
)

# `Observation: ...`, `bob: ...`, `翻译：...`: a label, and what somebody else says.
_LABEL: Final = re.compile(
    r"\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?"
    r"(?P<label>[^\s:：.!?。！？\"“][^:：.!?。！？\n]{0,79}?)"
    r"\**\s?[:：]\**(?P<more>.*)$"
)
_HEADER: Final = re.compile(
    r"(?:from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|gesendet|datum|de|à|objet|envoyé|para"
    r"|asunto"
    r"|enviado|assunto|da|a|oggetto|inviato|от|кому|тема|дата|发件人|收件人|主题|日期"
    r"|差出人|宛先|件名|보낸 사람|받는 사람|제목|title|body|author|description"
    r"|(?:the )?(?:assistant|human|user|system|ai|model|bot|tool|function|observation|output|stdout"
    r"|stderr|result"
    r"|response|agent|subagent|chatgpt|gpt|claude|copilot|gemini|llm)(?: \w{1,20}){0,3}|file|attachment)",
    re.I,
)
# Words of somebody who speaks for themselves, or to the one they talk with.
_OWN_VOICE: Final = re.compile(
    r"(?<![\w'’])(?:i|i'm|i'd|i've|i'll|me|my|mine|we|we're|our|us|you|your|please|rules?|preferences?"
    r"|conventions?"
    r"|guidelines?|note|nb|n\.b|fyi|reminder|remember|important|also|btw|by the way|ps|p\.s"
    r"|one more thing|ok"
    r"|okay|yes|no|so|well|thanks|for|in|on|when|if|about|regarding|always|never|correction|style"
    r"|context|background|to-?do|task|aufgabe|tâche|tarea|задача|done|erledigt|fertig|fait|hecho|listo"
    r"|feito|fatto|готово|сделано"
    r"|ich|mein\w*|wir|unser\w*|du|dein\w*|bitte|regeln?|hinweis|wichtig|merke?|für|bei|wenn|zum"
    r"|je|j['’]|mon|ma|mes|nous|notre|nos|tu|ton|ta|tes|règles?|remarque|important|pour|quand"
    r"|yo|mi|mis|nosotros|nuestr\w+|tú|reglas?|nota|importante|para|cuando|recuerda|eu|meu|minha|nós"
    r"|noss\w+|regras?"
    r"|lembre|io|mio|mia|noi|nostr\w+|regole|regola|ricorda|per|quando"
    r"|я|мне|мой|моя|мои|мы|наш\w*|ты|правила?|важно|запомни|помни|для|когда|кстати)(?![\w])"
    r"|我|我们|咱|你|请|規則|规则|注意|记|記|重要|另外|待办|任务|完成|やること|할 일|私|僕|ルール|注意|覚え"
    r"|저|나는|우리|규칙|참고|기억",
    re.I,
)
# `The docs: ...` names what is spoken about; whoever else speaks is named without an article.
_TOPIC: Final = re.compile(
    r"(?:the|this|that|these|those|das|die|der|le|la|les|el|los|las|il|lo|i|gli|o|os|as|эт\w+)\s",
    re.I,
)
_PASTE_WORD: Final = re.compile(
    r"\b(?:here(?:'s| is| are)|below|following|this is (?:the|what)|wrote|said|says|sent|output|log|error"
    r"|readme|e-?mail|message|text|page|article|document|file|results?|description|summar\w+"
    r"|content(?:s)?|ticket"
    r"|issue|transcript|conversation|prompt|reply|answer|translat\w+|summari[sz]e|proofread|rewrite"
    r"|paraphrase"
    r"|grammar|review|explain|mean(?:s|ing)?|told|tells|asked"
    r"|hier ist|folgend\w*|schrieb|sagte?|seite|übersetz\w*|fasse|erkläre?|voici|suivant\w*|écrit|dit"
    r"|page|traduis"
    r"|traduire|résume|explique|aquí|siguiente|escribió|dijo|página|traduce|resume|corrige|aqui"
    r"|seguinte|escreveu"
    r"|disse|traduza|resuma|ecco|seguente|scritto|detto|pagina|traduci|riassumi"
    r"|вот|следующ\w+|напис\w+|сказал\w*|страниц\w+|перевед\w*|перескаж\w*|объясни\w*|исправь)\b"
    r"|如下|以下|翻译|翻譯|总结|總結|解释|修改|内容|写道|寫道|说|說|次の|翻訳|要約|説明|内容|書い"
    r"|言っ|다음|번역|요약|설명|내용|썼",
    re.I,
)
# Work on a text that is in the same message: `Explain this sentence. ...`
_WORK_ON_TEXT: Final = re.compile(
    r"(?:is|are|check|does|ist|sind|est|es|è|é)\s[^.!?\n]{0,60}\b(?:grammar|spelling|wording|punctuation|phrasing"
    r"|grammatik|rechtschreibung|grammaire|orthographe|gramática|ortografía|grammatica|ortografia)\b"
    r"[^.!?\n]{0,40}[?.!]|"
    r"(?:(?:please|can you|could you)[,\s]+)?(?:look at|have a look at|check|read|see|review"
    r"|consider|answer) "
    r"(?:this|these|the following|my) (?:e-?mail|mail|message|letter|log|error|output|page|article"
    r"|issue|ticket"
    r"|text|document|post|thread|comment)s?\b"
    r"|(?:(?:please|can you|could you|bitte|por favor|пожалуйста)[,\s]+)?(?:translate|summari[sz]e"
    r"|proofread|rewrite"
    r"|paraphrase|rephrase|explain|edit|shorten|analy[sz]e|classify|continue|correct|fix the (?:grammar"
    r"|spelling))"
    r"\b[^.!?\n]{0,80}\b(?:this|these|following|below|text|sentences?|paragraphs?|e-?mail|message"
    r"|article|passage|words?"
    r"|lines?|quote)\b"
    r"|(?:bitte )?(?:übersetze?|fasse|erkläre?|korrigiere?)\b[^.!?\n]{0,80}\b(?:dies\w*|folgend\w*|text"
    r"|satz)\b"
    r"|(?:traduis|résume|explique|corrige)[rz]?\b[^.!?\n]{0,80}\b(?:ce|cette|ces|suivant\w*|texte"
    r"|phrase)\b"
    r"|(?:traduce|resume|explica|corrige|traduza|resuma|traduci|riassumi)\b[^.!?\n]{0,80}\b(?:est[aeo]"
    r"|siguiente|texto"
    r"|frase|questo|questa|testo|seguinte)\b"
    r"|(?:переведи|перескажи|объясни|исправь)(?:те)?\b[^.!?\n]{0,80}(?:эт\w+|следующ\w+|текст\w*"
    r"|предложени\w+)"
    r"|(?:请|請|帮我)?(?:翻译|翻譯|总结|總結|解释|修改)[^。！？\n]{0,30}(?:以下|这|這|下面|文)"
    r"|[^。！？\n]{0,30}(?:翻訳|要約|説明|添削)して|[^.!?\n]{0,30}(?:번역|요약|설명)해",
    re.I,
)
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|$)|[。！？]")


def reach_of(line: str, *, below: str = "") -> Reach:
    """Tell how far a line makes a message foreign.

    Args:
        below: The next line that is not empty: a farewell with a name below it ends a letter.
    """
    if _TABLE_HEAD.match(line) and _TABLE_ROW.match(below):
        return Reach.PARAGRAPH
    signed = 0 < len(below.split()) <= _MAX_NAME_WORDS and bool(_FAREWELL.match(line))
    if signed or _ENDS.match(line):
        return Reach.BEFORE
    if _BLOCK.match(line) or _REST.match(line) or _LETTER.match(line) or _TO_NAME.match(line):
        return Reach.REST
    if _PARAGRAPH.match(line):
        return Reach.REST if line.rstrip().endswith((":", "：")) else Reach.PARAGRAPH
    return _label_reach(line)


def own_part(line: str) -> tuple[str, bool]:
    """Return what of a line comes before a text that it sets to work on, and whether there is such a text."""
    at = 0
    while at < len(line):
        end = _SENTENCE_END.search(line, at)
        stop = end.end() if end else len(line)
        if _WORK_ON_TEXT.match(line[at:stop].lstrip()):
            return line[:at], True
        at = stop
    return line, False


def _asks_for_what_follows(line: str) -> bool:
    """Tell whether a line asks to remember what comes next: `Please remember the following:`."""
    begins = [0, *(end.end() for end in _SENTENCE_END.finditer(line))]
    asked = (read_request(line[at:].lstrip()) for at in begins)
    return any(one is not None and not one.said and one.points != "back" for one in asked)


def _label_reach(line: str) -> Reach:
    if line.rstrip().endswith((":", "：")):
        said = _SENTENCE_END.split(line.rstrip(" :："))[-1]
        own = bool(_OWN_VOICE.search(said)) and not _PASTE_WORD.search(said)
        return Reach.NONE if own or _asks_for_what_follows(line) else Reach.AFTER
    found = _LABEL.match(line)
    if found is None or found["more"].startswith("//") or requested(line) is not None:
        return Reach.NONE
    label = found["label"].strip(" *_")
    if _HEADER.fullmatch(label):
        return Reach.REST
    if not found["more"][:1].isspace() and found["label"].isascii():
        return Reach.NONE  # `10:30`, `a:b`
    if _PASTE_WORD.search(label):
        return Reach.REST
    if _OWN_VOICE.search(label) or _TOPIC.match(label):
        return Reach.NONE
    return Reach.PARAGRAPH
