"""Whom a prompt is about: its owner, nobody in particular, or everybody.

Rules
- "How do I descale a kettle?", "Why do dogs bark?" and "Write a poem" can be answered without any memory.
  "Where did I put it?" and "what does our landlord say?" can be answered by nothing else. Others are open.
- A prompt is general by how it begins, in the languages below, or because it asks about one of a kind
  ("a cello") or about the best of all. "We" and "our" end that, "my" makes a question open: what people ask
  help with is theirs.
- What speaks of the conversation itself ("your last edit"), and pasted code, concerns no memory either.
- "Give me", "help me" and "how do I" speak of nobody.
- Small closed sets of words tell it. A prompt in a language that is not listed is open.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reverie.core.text.plain import Lazy

TYPE_CHECKING = False  # not from `typing`: a hook reads this
if TYPE_CHECKING:
    from typing import Final

__all__ = ["GENERAL", "OPEN", "OWN", "reach_of"]

GENERAL: Final = 0
OPEN: Final = 1
OWN: Final = 2

_BEGINNING: Final = 240  # characters that are read
_MUCH_CODE: Final = 5

_POLITE: Final = (
    r"\W{0,9}(?:(?:in|with|using) [\w.+#-]+(?: \w+)?, )?"
    r"(?:(?:please|pls|ok|okay|so|and|hi|hey|hello|also|now|well|then"
    r"|(?:can|could|would) you(?: please)?|i(?:'d| would) like you to|help me(?: to)?"
    r"|bitte|kannst du(?: mir)?|könntest du|s'il te pla[iî]t|peux[- ]tu|puedes|por favor|puoi"
    r"|você pode|pode"
    r"|kun je|можешь|пожалуйста|czy możesz|proszę)\b[ ,:]*)*"
)
_MAKE: Final = (
    r"write|create|implement|build|make|draw|generate|give|show|tell|suggest|invent|compose"
    r"|recommend|design|model"
    r"|list|provide|produce|prepare|find|name|code|program|craft|construct|develop|add"
)
_SOME: Final = (
    r"an?|some|any|one|two|three|four|five|six|seven|eight|nine|ten|\d+|examples?|ideas|another"
    r"|simple|small"
    r"|short|minimal|basic|code|sample"
)
_ASKS_TO_EXPLAIN: Final = (
    r"explain|define|describe|compare|translate|summari[sz]e|proofread|rewrite|convert|simplify"
    r"|rephrase"
    r"|erklär\w*|beschreib\w*|übersetz\w*|expliqu\w*|décris|traduis|traduce|expl[ií]ca\w*"
    r"|spiega\w*|descrivi|traduci|traduz\w*|vertaal|объясни\w*|опиши\w*|переведи\w*"
    r"|wyjaśnij|opisz|przetłumacz|wytłumacz"
)
_EXPLAIN: Final = Lazy(rf"{_POLITE}(?:{_ASKS_TO_EXPLAIN})\b", re.IGNORECASE)
# Something new is asked for; if it is for something definite, that is something there is.
_NEW: Final = Lazy(
    rf"{_POLITE}(?:{_MAKE})(?: (?:me|us|out))?"
    rf"(?: (?:{_SOME})\b| (?:\w{{1,30}}(?:[-.+#/]\w{{0,30}})?) (?:code|function|program|script|query)\b)"
    r"(?![^\n]{0,200} (?:for|to|from|of|in|into|on|with|by|about) the \w)",
    re.IGNORECASE,
)
_GENERAL: Final = Lazy(
    _POLITE + r"(?:"
    r"how (?:do|does|did|can|could|would|should|to|is|are|was|were|come|might|may|must)\b"
    r"|why(?:'s)?\b"
    r"|what(?:'s| is| are| was| were)(?: (?:an?|meant by|so)\b"
    r"| the (?:differences?|idea|meaning|point|purpose|advantages?|use|big o|time complexity"
    r"|complexity|output|origin"
    r"|history|capital|formula|definition)\b"
    r"|(?! (?:the|my|our|your|his|her|their|its|this|that|these|those|wrong|left|next|new|on|in|up)\b))"
    r"|what (?:do|does|did)\b.* (?:do|mean|stand for|return|tell)\b"
    r"|(?:which|what) \w+(?: \w+)? (?:is|are) (?:good|better|common|typical|recommended|allowed|used)\b"
    r"|who (?:was|were|invented|discovered|wrote|painted|founded|directed|composed)\b"
    r"|(?:is|are) there an?\b"
    # German and Dutch
    r"|(?:wie|hoe) (?!wir|we|ons|viel|unser)\w+ (?:ich|man|du|ik|je|sich|werden|wird|müssen|muss"
    r"|funktioniert"
    r"|die|der|das)\b"
    r"|(?:wie|hoe) (?:funktioniert|geht|macht|werkt|maak|kan|lang|lange müssen|viele?)\b|leg\b.* uit\b"
    r"|was (?:ist|sind|bedeutet)\b(?! (?:mein|unser|der|die|das)\w*\b(?! unterschied))"
    r"|wat is (?:een|het verschil)\b|wat (?:betekent|zijn)\b"
    r"|(?:schreib\w*|erstell\w*|gib|zeig\w*|mach\w*|bau\w*)(?: mir| uns| bitte)* (?:eine?[nrsm]?"
    r"|etwas|zwei|drei|fünf)\b"
    r"|(?:schrijf|maak|geef)(?: me| mij)? (?:een|twee|drie|vijf)\b"
    # Romance languages
    r"|qu'est-ce qu|c'est quoi|que signifie|quelle est la différence"
    r"|\W{0,3}(?:qué (?:es|son|significa)|cuál es la diferencia)\b|(?:che )?cos(?:'è|a (?:è|sono"
    r"|significa))"
    r"|qual è la differenza|o que (?:é|são|significa)\b|qual (?:é )?a diferença"
    r"|comment (?!nous|on |s'appel|notre)|\W{0,3}cómo (?!nos|se llama|nuestr)|come (?!ci|si chiama|nostr)"
    r"|como (?!nós|se chama|noss)"
    r"|(?:écris|crée|donne|fais|montre)(?:[- ]moi)? (?:une?|des|deux|trois|cinq)\b"
    r"|(?:escribe|crea|dame|haz|muestra|muéstrame|hazme|escríbeme) (?:un[ao]?s?|dos|tres|cinco)\b"
    r"|(?:scrivi|crea|dammi|fammi|mostra|scrivimi) (?:un[ao']?|dei|delle|due|tre|cinque)\b"
    r"|(?:escreva|escreve|crie|cria|faça|dê|mostre)(?:-me)? (?:um|uma|dois|três|cinco)\b"
    # Slavic languages
    r"|что (?:такое|значит)|в ч[её]м разница|какая разница|co to (?:jest|są|znaczy)|czym (?:jest|są"
    r"|różni)"
    r"|как (?!мы|у нас|наш|зовут|мо)|jak (?!my|nasz|mam|się nazywa)"
    r"|(?:напиши|создай|сделай|дай|покажи|придумай|реализуй)\w*\b|(?:napisz|stwórz|zrób|daj|podaj"
    r"|pokaż)\b"
    r"|(?:warum|wieso|weshalb|waarom|pourquoi|dlaczego|почему|зачем|neden|niçin|niye|por ?qu[eé]"
    r"|perch[eé])\b"
    r")",
    re.IGNORECASE,
)
# Where the word that asks may stand anywhere.
_ANYWHERE: Final = Lazy(
    r"\b(?:nasıl|nedir|ne demek|açıkla\w*|arasındaki fark|bir \w+ yaz)\b"
    r"|如何|怎么|怎樣|怎样|为什么|為什麼|解释|解釋|什么是|什麼是|是什么意思|区别|區別|写一[个篇首段]|寫一[個篇首段]"
    r"|方法|どうやって|なぜ|とは|説明して|違い|書いて|어떻게|왜 |설명|차이|방법|작성해|써 ?줘",
    re.IGNORECASE,
)
_OF_ALL: Final = Lazy(
    r"(?:how|which|what|where|when|who|in (?:which|what))\b[^.;]*"
    r"(?:\ban? (?!\w*\d)|\b(?:best|worst|come from|usually|in general|in the world)\b"
    r"|\bthe \w{3,}est\b)",
    re.IGNORECASE,
)
_OF_THE_TALK: Final = Lazy(
    r"\b(?:your|you) (?:last |previous |first |second |own |just )?"
    r"(?:edit|edits|change|changes|answer|answers|message|suggestion|suggestions|reply|version|plan"
    r"|said|wrote|did)\b"
    r"|\b(?:function|code|snippet|text|example|error|list|table) (?:above|below)\b",
    re.IGNORECASE,
)
_CODE: Final = Lazy(r"[{}()\[\];=<>$\\|&`]")
_OF_NOBODY: Final = Lazy(
    r"\b(?:give|show|tell|help|make|explain(?: it)? to|write|teach|tells?|get|let|find|send|suggest"
    r"|remind|for) me\b"
    r"|\b(?:can|could|should|would|may|might|must|shall) i\b"
    r"|\b(?:how|why)\b[^.;?!]{0,60}? (?:do|did|does) i\b"
    r"|\bdo i (?:need|have to|do|say|write)\b"
    r"|\blike i(?:'m| am)\b|\bi (?:get|got|want|need|have|am|was|see|think|would like|tried|try"
    r"|keep getting)\b"
    r"|\bi'(?:m|d|ve|ll)\b",
    re.IGNORECASE,
)
_OURS: Final = Lazy(
    r"\b(?:we|our|ours|us|we're|we've|wir|uns|unser\w*|nous|notre|nos|nosotros|nosotras"
    r"|nuestr[oa]s?|noi|nostr[oaie]"
    r"|nós|noss[oa]s?|wij|ons|onze|мы|нас|нам|наш\w*|nas|nam|nasz\w*|biz|bizim|bize)\b"
    r"|\b\w{2,}(?:amos|emos|imos|iamo|iyoruz|ıyoruz|uyoruz|üyoruz)\b|我们|我們|咱们|私たち|我々|うちの|弊社|우리|저희",
    re.IGNORECASE,
)
_MINE: Final = Lazy(
    r"\b(?:my|mine|i|me|myself|ich|mein\w*|mir|mich|je|j|mon|ma|mes|moi|yo|mi|mis|mí|mío|mía"
    r"|conmigo|io|mio|mia|miei"
    r"|mie|eu|meu|minha|meus|minhas|mim|comigo|ik|mijn|mij|я|меня|мне|мой|моя|мо[её]|мои|моего|моей"
    r"|моих|моим|мною"
    r"|mój|moja|moje|mojego|mojej|moich|mnie|swój|swoj\w+|mam|ben|benim|bana|beni|bende)\b"
    r"|\b\w{3,}(?:meliyim|malıyım|iyorum|ıyorum|uyorum|üyorum)\b"
    r"|我|私|僕|俺|妹|姉|兄|弟|母|父|나는|내 |내가|제 |제가|나의",
    re.IGNORECASE,
)

# Of what is asked help with in a general way, only a thing that is called one's own is no general thing.
_POSSESSED: Final = Lazy(
    r"\b(?:my|mine|me|i|mein\w*|mon|ma|mes|mi|mis|mio|mia|miei|mie|meu|minha|meus|minhas|mijn|мой|моя|мо[её]"
    r"|мои|моего|моей"
    r"|моих|моим|mój|moja|moje|mojego|mojej|moich|benim)\b|我的|私の|僕の|내 |제 ",
    re.IGNORECASE,
)


@lru_cache(maxsize=64)
def reach_of(prompt: str) -> int:
    """Tell whom a prompt is about.

    >>> [reach_of(text) for text in ("Why do dogs bark?", "Run the tests", "Where do we keep the keys?")]
    [0, 1, 2]
    """
    text = prompt.strip()[:_BEGINNING].replace("\u2019", "'")
    if len(_CODE.findall(text)) >= _MUCH_CODE or _OF_THE_TALK.search(text):
        return GENERAL
    spoken = _OF_NOBODY.sub(" ", text)
    if _OURS.search(spoken):
        return OWN
    if _EXPLAIN.match(text):
        return GENERAL
    if _NEW.match(text) or _GENERAL.match(text) or _ANYWHERE.search(text) or _OF_ALL.match(text):
        return OPEN if _POSSESSED.search(spoken) else GENERAL
    return OWN if _MINE.search(spoken) else OPEN
