"""Words that occur in any request and tell little about what it is about.

They are not stop words: the index keeps them and they count, but weakly, and they alone do not make
a topic relevant. A handful of topics is too few to learn from how common a word is.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from reverie.core.text.words import terms

_ENGLISH: Final = """
able add also always another anyone anything ask available away back bad based best better big bit
bring call case cause certain change check clear code come complete consider contain continue
could current currently day different easy end enough even every everybody everyone everything
example explain exist fact feel file find fine first follow form full function general get give go
good great hand happen hard hello help hey hi idea important include instead issue item keep kind
know large last later lead learn least leave let level like line list little long look lot love
made main make many matter maybe mean name need never new next nice nobody note nothing now number
ok okay old one open order part people perform person piece place plan please point possible
problem project provide put question quick quickly quite read really reason related remember
request result right run same say second see seem set several show simple single small somebody
someone something sometimes soon start state stay step still stop sure take talk tell thank thanks
thing think third time today together tomorrow top total touch toward true try turn two type
understand use used useful user usual usually value version want watch way week welcome whole word
work world would write wrong year yes yesterday yet
"""
_OTHERS: Final = """
die das den des im am machen macht gibt gut neu jetzt heute bitte danke hallo frage sagen mal alle
alles etwas muss mussen gehen geht kommen wissen zeit jahr tag hoch gross klein viel viele un en
au pas plus bien faire fait etre avoir peut peux dois doit merci bonjour quand comment pourquoi
combien nouveau grand petit tout tous toute chose temps jour aujourd hui maintenant arrive que
hacer puede gracias hola cuanto nuevo hoy ahora cosa tiempo dia por favor fare fatto puo grazie
ciao quanto bene nuovo oggi ora tempo giorno можно нужно надо сделать делать будет может
пожалуйста спасибо привет сейчас сегодня время год день новый какой каких какого сколько почему
лучше хорошо очень один два ли μπορω μπορει πρεπει κανω κανει ευχαριστω γεια σημερα τωρα χρονοσ
μερα ποσο πολυ καλα που ποια ποιο 可以 我们 你们 他们 一个 一下 这个 那个 需要 应该 使用 没有 不是
就是 现在 今天 明天 时候 知道 问题 告诉 帮我 进行 所有 已经 还是 或者 因为 所以 如果 但是 这样
那么 办法 怎样 个用 用户 能不 不能 能否 请你 你好 谢谢 继续 好的 的话 这些 那些 教え 今日 明日
場合 方法 使う 書く 何か 問題 必要 時間 本当 全部 誰か 하는 있는 어떤 그리 나요 하나 해야 해줘
주세 세요 니다 습니 입니 이다 한다 에서 으로 있나 인가 가요 오늘 지금 내일 사용자 사용 용자 หรือ
ไหม อะไร ครับ คะะ เป็น อย่าง ไร ที่ไหน อยู่ที่ วันนี้ ทุก การ ของ และ ได้
"""


@lru_cache(maxsize=1)
def common_terms() -> frozenset[str]:
    """Return the terms of these words, as the tokenizer gives them."""
    return frozenset(term for word in f"{_ENGLISH} {_OTHERS}".split() for term in terms(word))
