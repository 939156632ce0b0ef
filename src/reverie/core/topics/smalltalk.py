"""Prompts for which nothing is worth recalling, and text that a person marked as private.

Rules:

* A prompt is trivial when nothing is left of it but words of assent, thanks and going on, in any
  language; a number alone picks from a list. A command of the agent (`/clear`, `!ls`) and what the
  program itself sends as a prompt are not questions.
* What stands in `<private>` is never looked at; one that is not closed reaches to the end.
* A hook reads this at every prompt, so it imports nothing that a usual prompt does not need.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LIST = """
a absolutely again ahead all alright and awesome bye cheers continue cool correct do done exactly
fine go
good got great hello hey hi it job k keep lgtm looks lol morning my n nah nice night no nope ok okay
on
perfect please proceed resume right sounds sure thank thanks that thats the then there thx ty very
well
wonderful works y ya yeah yep yes you
aber alles bitte danke dann gut genau gerne hallo ja klar mach machs moin nein passt prima sehr
stimmt
super tschuss weiter
accord bien bonjour bonsoir ca continue continuer daccord exact merci non oui parfait salut suite
tres va
adelante bien bueno claro de dia dias exacto gracias hola no nada perfecto por favor si sigue vale
venga
beleza certo claro obrigada obrigado ola pode sim tudo
allora avanti bene buongiorno certo ciao grazie perfetto prego va
bedankt dank goed hoi ja nee prima
tack hej ja nej bra takk nei kiitos joo dziekuje tak nie dobrze dzieki evet hayir tamam tesekkurler
cam on vang da duoc terima kasih ya tidak baik oke
sí olá très ça dziękuję dzięki teşekkürler hayır tschüss cảm ơn vâng dạ được você não está più però così
да нет спасибо хорошо ок окей привет отлично давай дальше продолжай продолжи пока понятно ясно ага
угу верно
точно супер пожалуйста дякую так ні добре
ναι όχι οχι ευχαριστώ ευχαριστω εντάξει γεια
نعم لا شكرا شكراً حسنا حسناً تمام مرحبا استمر
כן לא תודה בסדר שלום המשך
हाँ हां नहीं धन्यवाद ठीक है नमस्ते शुक्रिया
好 好的 好啊 好吧 行 可以 是 是的 对 对的 不 不是 不用 没有 没问题 谢谢 谢谢你 多谢 继续 请继续 明白
明白了 知道了 收到
了解 你好 您好 再见 嗯 嗯嗯 哦 哈哈 太好了 很好 完美 同意 确认 好謝謝 謝謝 繼續 沒問題
はい いいえ うん ええ ok了解 了解 了解です 了解しました りょうかい ありがとう ありがとうございます
どうも 続けて 続けてください お願いします
わかりました わかった いいね いいよ こんにちは おはよう なるほど 大丈夫 大丈夫です よろしく 完璧
そうです
네 예 아니 아니요 아니오 응 그래 좋아 좋아요 좋습니다 감사합니다 고마워 고마워요 계속 계속해
계속해줘 계속하세요 알겠습니다 알겠어
안녕 안녕하세요 맞아요 맞습니다 확인 ㅇㅇ ㅋㅋ
ใช่ ไม่ ครับ ค่ะ ขอบคุณ ขอบคุณครับ ขอบคุณค่ะ โอเค ตกลง ต่อ ต่อเลย สวัสดี ดี ดีมาก ได้
ບໍ່ ແມ່ນ ຂອບໃຈ អរគុណ បាទ ទេ ကျေးဇူးတင်ပါတယ် ဟုတ်ကဲ့
"""
_WORDS = frozenset(_LIST.split())
_MOST_WORDS = 6
_MADE = ("<task-notification", "<command-", "<local-command-", "<bash-", "<system-reminder")
_PRIVATE = r"(?is)<\s*private\s*>.*?(?:<\s*/\s*private\s*>|\Z)"
_BETWEEN = str.maketrans(dict.fromkeys(',;:.!?()"*`~…。、，；：！？؟،।', " ") | {"'": "", "’": ""})


def is_trivial(prompt: str) -> bool:
    """Tell whether a prompt asks for nothing that memory could help with."""
    text = prompt.strip()
    if not text or text.lower().startswith(_MADE):
        return True
    if text[0] in "/!" and not text[1:2].isspace():
        return True
    if len(text) > 200:
        return False
    words = text.lower().translate(_BETWEEN).split()
    words = [word for word in words if any(map(str.isalnum, word))]  # an emoji says nothing
    return len(words) <= _MOST_WORDS and all(word in _WORDS or word.isdigit() for word in words)


def without_private(text: str) -> str:
    """Return a text without what its author marked as private."""
    if "private" not in text.lower():
        return text
    import re  # a usual prompt does without

    return re.sub(_PRIVATE, "", text)


def scrubbed(value: Any, *, also: Callable[[str], str] = str) -> Any:
    """Return a JSON value in which no text holds anything private; `also` cleans each text further."""
    if isinstance(value, str):
        return also(without_private(value))
    if isinstance(value, list):
        return [scrubbed(item, also=also) for item in value]
    if isinstance(value, dict):
        return {key: scrubbed(item, also=also) for key, item in value.items()}
    return value
