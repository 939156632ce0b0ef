"""Words that only ask: which parts of a question nobody expects to stand in its answer.

Rules
- "Where", "how many", "is called" are part of a question and seldom of what answers it. In a small memory
  they stand nowhere and would look rare, and a question would seem to be answered less than it is. So they
  count little, and they are never left out: where a question says nothing else, all of it counts.
- A word of the Latin script may mean something in another language. So the words of a language are looked for
  where the question is in that language, and only the longer ones where nothing tells which language it is.
- English, German, French, Spanish and others lose most of these words as stop words; listed are the rest.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from reverie.core.text import scripts
from reverie.core.text.languages import language_of
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.words import normalize, query_terms

__all__ = ["ASKING", "asking_terms", "question_language", "terms_of_any_day"]

ASKING: Final = 0.15  # how much such a word counts
_LONG: Final = 4
_WORD: Final = re.compile(r"[^\W\d_]+")

_LATIN: Final = {
    "en": "many much called name named happen happened kind",
    "de": """was viele viel wieviel wieviele heißt heißen hieß hießen lautet lautete genannt gibt gab es
        das die den des man im war waren sei wäre hat hätte muss müssen musste womit wodurch worüber
        worauf woraus wofür wozu worin woran wonach wem wen wessen woher wohin weshalb wieso sollen
        lässt nennt nannte welche welcher welches welchem welchen wann warum wovon wogegen""",
    "fr": """quoi où quand comment pourquoi combien a t il elle y est ce été avait avaient étaient
        appelle appelait nommé nomme lequel laquelle lesquels lesquelles en un au""",
    "es": """qué quién quiénes cuál cuáles cómo cuándo dónde cuánto cuánta cuántos cuántas es son era ha
        había hay está están llama llaman llamaba llamado en un de que""",
    "pt": """que quê quem qual quais como quando onde quanto quanta quantos quantas é são era eram há
        está estão chama chamava chamado em um o a os""",
    "it": """che cosa chi quale quali come quando dove quanto quanta quanti quante perché è era erano ha
        stato stata stati state chiama chiamava chiamato un in al si""",
    "nl": """wat wie welke welk hoe wanneer waar waarom hoeveel is was waren werden had heet heette
        genoemd er""",
    "ro": """ce care cine când unde cum cât câtă câte câți câtor căror cărui cărei cui a al ale ai este
        sunt era erau fost fi au are avea se în la pe din cu pentru prin un o unei unui lui și sau nu
        mai că numește numea numit""",
    "tr": """ne neyi neye neyin neyle nedir neydi nelerdir neler neleri nerede nereden nereye neresi
        neresidir neredeydi nerededir neresinde hangi hangisi hangisidir hangileri hangisinin kim kimdir
        kimdi kimin kime kimi kimler kimlerdir kiminle kaç kaçtır kaçı kaçıncı kaçta nasıl nasıldır
        niçin neden niye mi mı mu mü midir mıdır mudur müdür miydi mıydı bir bu şu o ve ile için olarak
        olan oldu olduğu idi vardı var denir denirdi verilir""",
    "sv": "vad vem vilken vilket vilka när var varför hur många mycket är heter hette kallas kallades",
    "da": "hvad hvem hvilken hvilket hvilke hvornår hvor hvorfor hvordan mange meget er hedder hed kaldes",
    "no": "hva hvem hvilken hvilket hvilke når hvor hvorfor hvordan mange mye er heter het kalles",
    "fi": """mikä mitä mitkä minkä kuka ketä ketkä kenen missä mistä mihin milloin miksi miten kuinka
        monta paljon on oli ovat olivat""",
    "hu": """mi mit mik ki kit kik kinek hol hová honnan mikor miért hogyan hány mennyi melyik milyen
        van volt hívják nevezik""",
    "pl": """co kto kogo komu czym czego jaki jaka jakie jakich jakim jaką który która które których
        którym kiedy gdzie skąd dokąd dlaczego jak ile ilu czy jest są był była było były nazywa""",
    "cs": """co kdo koho komu čím čeho jaký jaká jaké jakou který která které kterou kdy kde kam odkud
        proč jak kolik je jsou byl byla bylo byly jmenuje""",
    "id": "apa siapa mana kapan mengapa kenapa bagaimana berapa apakah yang adalah itu ini disebut",
    "ca": "què qui quin quina quins quines com quan on quant quanta quants quantes és són era diu",
}  # fmt: skip
_VIETNAMESE: Final = """gì nào ai đâu bao nhiêu mấy sao thế giờ là có của được bị đã đang sẽ và các
    những một trong cho với ở này đó khi vì tại như tên gọi"""
_SCRIPTS: Final = """
    что чему кому кем какого какому каким какими каких какую каков какова каковы какое которого которому
    котором которую которых куда откуда зачем сколько скольких чья чье чьи является являются являлся
    являлась являлось называется называются называют назывался называлась зовут звали каком какой τινοσ
    ποιοι ποιεσ ποιουσ ποιων ποιον ποιαν ποιοσ ποια ποιο ποτε που πωσ γιατι ποσο ποση ποσοσ ποσοι ποσεσ
    ποσα ποσων εχει ειχε υπαρχει υπαρχουν ονομαζεται ονομαζοταν λεγεται لماذا لم أي اي أية اية هم هما هن
    كانوا الذين اللذان اللذين اللتان اللاتي عما فيما مما ممن بمن لمن بماذا وما يسمى تسمى اسم عدد چه چی
    کی که کجا چرا چگونه چند کدام است بود מה מי מתי איפה היכן למה מדוע איך כיצד כמה איזה איזו אילו הוא
    היא את של क्या कौन किस किसे किसने किसका किसकी किसके किन किनके किनका किनकी किन्हें किन्होंने कब कहाँ
    कहां कैसे कैसा कैसी क्यों कितना कितने कितनी कौनसा कौनसी सा सी से है हैं था थी थे हो होता होती होते
    हुआ हुई हुए का की के को में पर ने और या एक इस उस यह वह ये वे जो कि भी ही तक लिए द्वारा साथ किया गया
    गई गए करता करते करती कर करने सकता सकते नाम कहा जाता
"""
# What English says about a conversation when it asks for something that was said there.
_FRAMES: Final = re.compile(
    r"(?i)\b(?:(?:can|could|would) you |please )?"
    r"(?:list|walk me through|tell me|give me|show me|recap)?\s*"
    r"(?:the order in which (?:i|we) (?:brought up|mentioned|discussed)(?: different aspects of)?"
    r"|a (?:comprehensive |short |brief )?summary of (?:how|what)?"
    r"|mention only(?: and only)? \w+ items?"
    r"|(?:across|throughout|in|during) (?:my|our|all my|all our) (?:\w+ )?"
    r"(?:conversations?|sessions?|requests|chats?)"
    r"|did (?:i|you|we) (?:say|mention|tell|recommend|suggest|talk|discuss|bring up)"
    r"(?: (?:that )?(?:i|you|we)\b)?"
    r"|how many (?:days|weeks|months|different)(?: \w+)?"
    r" (?:passed |were there |are there |do i have )?between)"
)
# What says nothing where a day is asked for: that something was done or happened, and was written down.
_OF_A_DAY: Final = """
    do did done doing go going went gone happen happened happening was note notes noted entry entries
    diary journal log logged write wrote written up mache macht machte machten gemacht tat getan tun los
    passiert passierte geschah notiz notizen eintrag tagebuch fait faire fais passe hice hiciste hizo
    hicimos hecho hacer paso nota notas diario fatto facevo fare successo fiz fez fizemos feito fazer
    aconteceu anotacoes deed deden gedaan doen gebeurd gebeurde notities dagboek robilam robilem
    robilismy zrobilam zrobilem robic zrobic stalo notatki yaptim yaptik yapti yapmistim oldu notlar
    facut am intamplat notite gjorde gjort hande skedde anteckningar hvad skete teki tein tapahtui
    csinaltam csinaltunk tortent delal delala делал делала делали сделал сделала сделали было произошло
    случилось записи заметки fet fer passar lam gi εκανα συνεβη فعلت حدث
"""
# Without spaces between words; Chinese and Japanese lose theirs in `query_terms`.
_KANA: Final = re.compile("[\u3040-\u30ff\uac00-\ud7a3]")
_THAI: Final = re.compile(
    "อะไร|ใคร|ที่ไหน|เมื่อไหร่|เมื่อไร|เมื่อใด|เท่าไหร่|เท่าไร|เท่าใด|ทำไม|อย่างไร|ยังไง|กี่|ไหน|ใด|คือ|เป็น|ของ|ที่|ใน|และ|ได้|มี|ว่า|จาก|ถูก|โดย|เรียก"
)

# Of Chinese, what only joins words. A pair with one of them runs across two words ("的规" in "活动的规模")
# or says nothing ("那个"), but for the words below.
_JOINS: Final = frozenset(
    "的了吗嗎呢啊呀吧么麼们們哪谁誰这這那是我你您他她它在有个個几幾和與与及对對被把从從为為之其于於也都就还還又"
)
_NO_JOINT: Final = frozenset(
    re.findall(
        "..",
        "目的的士的确了解了不吉他其他他人自我我国存在现在現在在线在線内在所在在职有限所有有效有机有機有关有關拥有擁有私有"
        "国有國有持有只有没有沒有有毒有名几何幾何个人個人个性個性个体個體和平和谐和諧饱和飽和温和溫和共和和解和服参与參與"
        "与会普及涉及及格及时及時埃及对象對象对话對話反对反對相对相對绝对絕對对手對手对比對比面对對面从事從事服从服從行为"
        "行為认为認為成为成為作为作為以为其实其實其中之前之后之後之间之間关于關於由于由於等于等於都市首都成都京都成就就业"
        "就業就职归还歸還还款還款是否还原還原把握火把",
    )
)


def asking_terms(text: str) -> frozenset[str]:
    """Return the terms of a question that come only from words that ask; none where nothing else is said.

    >>> sorted(asking_terms("Norman Kalesi'nin adı neydi?"))
    ['neydi']
    """
    marks = _words_for(text)
    bare = _FRAMES.sub(" ", text)
    unit = scripts.ASCII_UNIT if text.isascii() else scripts.UNIT
    plain = unit.sub(lambda found: " " if normalize(found[0]) in marks else found[0], bare)
    if scripts.CLUSTERED_START.search(plain):
        plain = _THAI.sub(" ", plain)
    joints = _joints(text) if scripts.CJK_START.search(text) else frozenset()
    if plain == text or not any(map(str.isalnum, plain)):
        return joints
    return frozenset(query_terms(text)).difference(query_terms(plain)) | joints


def _joints(text: str) -> frozenset[str]:
    """Return the pairs of Chinese characters that join words; none where nothing else is asked for."""
    if _KANA.search(text):
        return frozenset()
    asked = frozenset(query_terms(text))
    found = frozenset(
        pair
        for pair in asked
        if len(pair) == 2 and not _JOINS.isdisjoint(pair) and pair not in _NO_JOINT
    )
    return found if found != asked else frozenset()


def question_language(text: str) -> str:
    """Name the language of a question: as any text, or by the one language whose asking words it has.

    >>> question_language("Yeni koloninin konumu neredeydi?"), question_language("api timeout")
    ('tr', '')
    """
    known = language_of(text)
    if known or (not text.isascii() and scripts.VIETNAMESE.search(text)):
        return known
    said = {normalize(word) for word in _WORD.findall(text)}
    telling = _telling()
    told = {language for word in said for language in telling.get(word, ())}
    return told.pop() if len(told) == 1 else ""


def terms_of_any_day(text: str) -> frozenset[str]:
    """Return the terms of a question for a day that say nothing beside it: "did", "happened", "notes of".

    >>> sorted(terms_of_any_day("What did we do on the roof?"))
    ['did', 'do', 'we', 'what']
    """
    unit = scripts.ASCII_UNIT if text.isascii() else scripts.UNIT
    asks = _words_for(text).union(_OF_A_DAY.split())
    return frozenset(
        term
        for word in unit.findall(text)
        if (plain := normalize(word)) in asks or plain in STOP_WORDS
        for term in query_terms(word)
    )


def _words_for(text: str) -> frozenset[str]:
    if text.isascii():
        return _of_language(question_language(text))
    if scripts.VIETNAMESE.search(text):
        return _of_language("vi")
    return _of_language(question_language(text)) | _of_scripts()


@lru_cache(maxsize=32)
def _of_language(language: str) -> frozenset[str]:
    if language == "vi":
        return _folded(_VIETNAMESE)
    if language:
        return _folded(_LATIN.get(language, ""))
    return frozenset(
        word for some in _LATIN.values() for word in _folded(some) if len(word) >= _LONG
    )


@lru_cache(maxsize=1)
def _telling() -> dict[str, list[str]]:
    """Return the longer asking words, each with the languages that have it."""
    found: dict[str, list[str]] = {}
    for language in _LATIN:
        for word in _of_language(language):
            if len(word) >= _LONG:
                found.setdefault(word, []).append(language)
    return found


@lru_cache(maxsize=1)
def _of_scripts() -> frozenset[str]:
    return _folded(_SCRIPTS)


def _folded(some: str) -> frozenset[str]:
    return frozenset(map(normalize, some.split()))
