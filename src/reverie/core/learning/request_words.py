"""Request words: how somebody asks, in fourteen languages, that something be remembered.

A request is a verb of keeping, in a form that addresses somebody, and what is to be kept. The pieces are
those of the `tongues`; here they are put together. Every repetition is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from reverie.core.learning.tongues.eastward import ARABIC, POLISH, RUSSIAN, TURKISH
from reverie.core.learning.tongues.germanic import DUTCH, ENGLISH, GERMAN
from reverie.core.learning.tongues.romance import FRENCH, ITALIAN, PORTUGUESE, SPANISH
from reverie.core.learning.tongues.tongue import Tongue

_TONGUES: Final = (
    ENGLISH, GERMAN, DUTCH, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN, POLISH, TURKISH, ARABIC,
)  # fmt: skip
# Where a pronoun and the word that begins a clause are the same, the clause is tried first.
_ALSO_BEGINS: Final = re.compile(r"(?<![\w(])(?:that|dat)\|")


def _any(pieces: Callable[[Tongue], str]) -> str:
    return "|".join(pieces(tongue) for tongue in _TONGUES)


def _with_object(tongue: Tongue, verbs: str) -> str:
    inside = rf"(?: (?:{tongue.it}))?"
    behind = (
        rf"(?: (?:{_ALSO_BEGINS.sub('', tongue.it)}|(?:{tongue.it})(?=\s*(?:[,.;:!?]|\Z)))(?!\w))?"
    )
    parts = re.sub(r"\{o\}(?=\Z|\|)", lambda _: behind, verbs)
    return parts.replace("{o}", inside).replace("{p}", rf"(?:(?:{tongue.it}) )?")


_SOFT: Final = rf"(?:(?:{_any(lambda tongue: tongue.soft)})[,\s]\s{{0,3}}){{0,4}}"
_ASK: Final = rf"(?:{_any(lambda tongue: tongue.ask)})[,\s]\s{{0,3}}"
_SURE: Final = _any(lambda tongue: _with_object(tongue, tongue.sure))
_WEAK: Final = _any(lambda tongue: _with_object(tongue, tongue.weak))
_ASKED: Final = _any(lambda tongue: _with_object(tongue, tongue.asked))
_END: Final = r"(?![\w'])(?!-\w)"

HEAD: Final = re.compile(
    rf"\s{{0,9}}{_SOFT}(?:(?P<ask>{_ASK}){_SOFT})?(?:(?P<sure>{_SURE}){_END}|(?P<weak>{_WEAK}){_END}"
    rf"|(?(ask)(?P<asked>{_ASKED}){_END}|(?!)))",
    re.I,
)
"""The verb of a request, with how somebody is addressed before it and a pronoun that it may have."""

STANDING_LABEL: Final = re.compile(
    rf"\s{{0,9}}{_SOFT}(?!(?:what|which|how|why|who|is|are|was|does|no|not)\b)"
    rf"(?:{_any(lambda tongue: tongue.label)}){_END}(?:\s?\([^()\n]{{1,40}}\))?",
    re.I,
)
"""Words that ask without a verb: `note to self`."""

TAIL: Final = re.compile(rf"[\s,]{{0,3}}(?:{_any(lambda tongue: tongue.tail)})(?![\w'])", re.I)
"""What may stand behind the verb, and says nothing of what is to be remembered."""

FREE: Final = re.compile(
    rf"\s{{1,3}}(?:{_any(lambda tongue: tongue.free)})\s[^,.;:!?。！？，、\n—–]{{1,70}}", re.I
)
"""Such words of any length: `when I ask about food`."""

THAT: Final = re.compile(
    rf"[\s,]{{1,3}}(?P<word>{_any(lambda tongue: tongue.that)})(?:(?<=')|\b)\s{{0,3}}", re.I
)
"""The word that begins what is to be remembered."""

THING: Final = re.compile(rf"\s{{1,3}}(?:{_any(lambda tongue: tongue.thing)})(?!\w)", re.I)
"""What stands for something that comes next."""

IT: Final = re.compile(
    r"\b(?:that|this|it|those|these|them|das|dies|ça|cela|ceci|esto|eso|isso|isto|disso|disto"
    r"|questo|ciò|dat|dit|daar|hier|это|этом|to|tym|bunu|şunu|onu|\w{3,20}[eioaá]l[oa])\b"
    r"|-l[ea]\b|-[oa]\b|\b(?:ess[ae]|est[ae]|cette|ce|quest[ao]|diese|deze|эту|этот|tę|ten"
    r"|bu) \w{2,20}|-t'en|vous-en",
    re.I,
)
"""A pronoun in a request, for what is to be remembered."""

COURTESY: Final = re.compile(
    rf"(?:{_any(lambda tongue: tongue.tail)}|{_any(lambda tongue: tongue.soft)}"
    rf"|{_any(lambda tongue: tongue.it)})"
    r"(?![\w'])|谢谢|拜托|请|哦|啊|吧|お願いします|よろしく|ね|감사합니다|부탁해요?",
    re.I,
)
"""What is left of a request says nothing if it is made of such words only."""

# Languages that put the verb last, or need no space before it.
_ZH: Final = (
    r"(?:[请請]|麻烦你?|麻煩你?|拜托|帮我|幫我|帮忙|替我|给我|你要?|您|一定要?|务必|務必|另外|也|先|还有|顺便|那就|就|可以|能不能|能|可不可以|要|以后|再"
    r"|千万|永远|好好|把){0,4}"
    r"(?:这个|这点|这一点|这条|这件事|它|这些|此事)?(?:都|也|给我|好好|先){0,2}"
)
_ZH_SURE: Final = (
    r"(?:记住|記住|记得|記得|记一下|記一下|记下(?:来)?|記下(?:來)?|记录(?:一下|下来)|記錄(?:一下|下來)|记着|記著|牢记|牢記|谨记|铭记|记好|记牢"
    r"|(?:别|別|不要|勿|不能)(?:再)?忘(?:了|记|記|掉)?了?|备忘|備忘|以备后用|记在(?:心里|脑子里|备忘录里?|笔记里?|记忆里?)|写(?:进|到"
    r"|入)(?:记忆|笔记|备忘录)里?"
    r"|(?:存|保存|加|添加|放|记|录)(?:到|进|入|在)(?:你的)?(?:长期)?(?:记忆|笔记|备忘录|脑子)(?:里|中)?|留意|注意记|做个?(?:笔记|记录)|存档)"
)
_ZH_WEAK: Final = r"(?:保存(?:一下|下来)?|存(?:一下|下来|起来)|写下来|收藏)"
_ZH_IT: Final = (
    r"(?:这(?:一)?[点條条个件](?:事|事情|信息|规则)?|這(?:一)?點|这些|它|此事|一下|下来)"
)
_JA_SURE: Final = (
    r"(?:覚え(?:て(?:おい|い)?|とい)|記憶し(?:て(?:おい|い)?|とい)?|メモ(?:し|を?取っ|っ)(?:て(?:おい)?|とい)?|記録し(?:て(?:おい)?"
    r"|とい)?|書き留め(?:て(?:おい)?|とい)|書い(?:ておい|とい)"
    r"|控え(?:ておい|とい)|頭に(?:入れ|置い)(?:て(?:おい)?|とい)|心に(?:留め|とめ|刻ん)(?:[てで](?:おい)?|とい)|念頭に置い(?:て(?:おい)?"
    r"|とい)|頭の片隅に置い(?:て(?:おい)?|とい)|留意し(?:て(?:おい)?))て?"
    r"|忘れない(?:で|よう(?:に)?(?:し(?:て(?:おい)?て?)?)?)|忘れずに(?:いて)?"
)
_JA_WEAK: Final = r"(?:保存し(?:ておい|とい)?て|残し(?:ておい|とい)て|登録し(?:ておい|とい)?て)"
_JA_END: Final = (
    r"(?:ください|下さい|くださいね|ほしい(?:です|んだ|んです)?|欲しい(?:です)?|くれ(?:る|ない|ますか|ませんか|たら嬉しい)?|もらえ(?:る|ない|ますか"
    r"|ませんか|ると(?:助かります?|嬉しいです?))?"
    r"|いただけ(?:ますか|ませんか|ると(?:助かります|幸いです))|頂け(?:ますか|ませんか|ると助かります)|ちょうだい|頂戴|お願い(?:します|いたします|ね)?|ね|よ"
    r"|な|けど|から|です|の){0,4}"
)
_JA_IT: Final = (
    r"(?:これ|それ|あれ|この(?:こと|点|件|情報|ルール)|その(?:こと|点|件)"
    r"|次のこと|以下|下記)(?:を|は|も|について)?"
)
_JA_ADV: Final = (
    r"(?:今後のために|後のために|次回のために|後で使うので|ちゃんと|しっかり|必ず|絶対に?|よく|ぜひ|どうか|きちんと|ずっと|どこかに|メモリに|記憶に|ノートに|一応|また"
    r"|、){0,3}"
)
_KO_SURE: Final = (
    r"(?:기억해|기억하고|메모해|적어|외워|명심해|명심하고|기록해|새겨|염두에\s?두(?:고)?|머릿속에\s?넣어|노트에\s?적어|메모리에\s?(?:저장해|넣어"
    r"|추가해)|기억에\s?(?:저장해|새겨))"
    r"\s?(?:둬|두|놔|놓아|줘|주|달라고|있어|라)?\s?(?:줄래|줄\s?수\s?있(?:어|을까|나|니)|시겠어요|주시겠어요|주실래요|주시면\s?(?:돼|됩니다"
    r"|좋겠어요|감사하겠습니다)|줬으면\s?(?:해|좋겠어)|주길\s?바라|줘|주세요|주십시오|세요|십시오|어)?요?"
    r"|(?:기억|메모|명심|기록)(?:하세요|하십시오|하시오|하렴|해라|바람|부탁해요?|부탁드립니다)|(?:절대\s?)?잊지\s?(?:마세요|마십시오"
    r"|말아\s?(?:줘요?|주세요)?|말고|말아요?|마라|마|말 것)|잊으면\s?안\s?돼"
)
_KO_WEAK: Final = (
    r"저장해\s?(?:둬|두|놔|놓아|줘|주)?\s?(?:줄래|줄\s?수\s?있어|시겠어요|줘|주세요|세요)?요?"
)
_KO_IT: Final = (
    r"(?:이거|이것|이걸|그거|그걸|그것|이\s?(?:점|사실|내용|정보|규칙)"
    r"|그\s?(?:점|사실)|다음(?:\s?(?:내용|사항))?)(?:을|를|은|는|도)?"
)
_KO_ADV: Final = (
    r"(?:(?:꼭|잘|반드시|제발|부디|항상|계속|나중을?\s?위해(?:서)?|나중에\s?(?:쓰게|쓸\s?수\s?있게)|다음을?\s?위해|앞으로를\s?위해|어딘가에"
    r"|좀|다시|절대)\s?){0,3}"
)
_EAST_END: Final = r"(?:哦|啊|吧|呀|了|喔|噢){0,2}"

EAST_HEAD: Final = re.compile(
    rf"\s*(?:{_ZH}(?:(?P<zh>{_ZH_SURE})(?P<zh_it>{_ZH_IT})?|{_ZH_WEAK}(?P<zh_weak>{_ZH_IT}))"
    rf"(?:以下|下面|一件事)?(?:内容|几点|的?话)?{_EAST_END}"
    rf"|(?:{_JA_IT})?{_JA_ADV}(?:{_JA_IT})?{_JA_ADV}(?:{_JA_SURE}|{_JA_WEAK}){_JA_END}|(?:メモ|備忘"
    rf"|覚え書き|備忘録|今後のために)(?=[:：、])"
    rf"|(?:{_KO_IT}\s?)?{_KO_ADV}(?:{_KO_IT}\s?)?{_KO_ADV}(?:{_KO_SURE}|{_KO_WEAK})|(?:메모|참고"
    rf"|나중을 위해)(?=\s?[:：]))",
    re.I,
)
"""The same in languages without spaces, or with the verb last; here it comes first."""

EAST_LAST: Final = re.compile(
    r"(?P<said>\S.{1,600}?)"
    r"(?P<verb>(?:という(?:こと|点|の|ふう)(?:を|は|に)?|ってこと(?:を|は)?|って|ことを?|の(?:を|は)|と|を|は|な?ので|から"
    r"|んで)?[、,\s]{0,2}"
    rf"{_JA_ADV}(?:{_JA_IT})?{_JA_ADV}(?:{_JA_SURE}){_JA_END}"
    r"|(?:(?:이?라는|[은는])\s?(?:점|것|거|걸|사실|내용|말)(?:을|를|은|도)?|이?라고)?[,\s]{0,2}"
    rf"{_KO_ADV}(?:{_KO_IT}\s?)?{_KO_ADV}(?:{_KO_SURE})"
    r"|[,\s]{1,3}(?:(?:bunu|şunu|lütfen|sakın|hep|ileride) ){0,3}"
    r"(?:unutma(?:yın(?:ız)?)?|aklında (?:tut(?:ar mısın)?|bulunsun|olsun|kalsın)"
    r"|not (?:al(?:ır mısın)?|et|eder misin|edin)|hatırla|aklına yaz|hafızana kaydet)(?: lütfen)?"
    r")(?P<end>[.!。！~\s?？]{0,6})\Z",
    re.I | re.S,
)
"""What is to be remembered stands before the verb."""

ZH_OBJECT: Final = re.compile(
    r"\s*(?:[请請]|麻烦你?|帮我|幫我|你|一定要?|务必){0,3}[把将將](?P<said>[^。！？，,：:]{2,80}?)(?:这件事|这一点|这点|这个"
    r"|这条)?(?:都|也|给我)?"
    r"(?:记(?:下来?|住|录下来|一下|牢|好)|記(?:下來?|住)|(?:存|写|加|保存|记)(?:到|进|入|在)(?:你的)?(?:长期)?(?:记忆|笔记"
    r"|备忘录)(?:里|中)?|存下来|写下来)(?:[。！，,]|\s|\Z)"
)
"""`把...记下来`: what is to be remembered stands inside."""
