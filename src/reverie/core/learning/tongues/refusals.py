"""Refusals: how somebody asks, in fourteen languages, that something not be remembered.

Rules

* A refusal is a verb of keeping that is denied, with a pronoun, a clause or nothing behind it: "don't store
  that anywhere", "please do not save that I'm pregnant". What a program is not to store is none: "don't store
  passwords in the log", "never save this file".
* Of a message that holds one, only what it asks in so many words to remember is learned, and nothing is
  heard. A refusal that says nothing itself also covers the message before it.
"""

from __future__ import annotations

import re
from typing import Final

from reverie.core.text.plain import Lazy

__all__ = ["around_refusal", "refuses"]

_ENDS: Final = r"(?=\s*(?:[.,;:!?)…—–\n]|-\s|\Z))"


def _english() -> str:
    no = (
        r"(?:do(?:n['’]?t| not)|never|no need to|need(?:n['’]?t| not)(?: to)?|don['’]?t (?:need|have) to"
        r"|not to|should(?:n['’]?t| not)|must(?:n['’]?t| not)|rather not|better not|please not)"
    )
    keep = (
        r"(?:remember|memori[sz]e|save|store|keep|record|note(?: down)?|write(?: down)?|jot(?: down)?"
        r"|put|log|learn|retain|hold on to)"
    )
    this = (
        r"(?:this|that|it|these things|any of (?:this|that|it)|what i (?:just )?(?:said|told you|wrote)"
        r"|anything(?: (?:about|of|from) (?:this|that|it))?)"
    )
    place = (
        r"(?: down| anywhere| in mind| (?:in|to|into) your (?:memory|memories|notes?|records?)"
        r"| to memory| for (?:later|next time|the future)| on (?:file|record)| please| either"
        r"| about me){0,3}"
    )
    who = r"(?:i|i['’]m|my|we|we['’]re|our|he|she|they|it|there|the|his|her|their)\b"
    return (
        rf"{no} {keep} {this}{place}{_ENDS}|{no} {keep}(?: in mind| down)? that {who}"
        rf"|{no} (?:remember|memori[sz]e)(?: anything)?{_ENDS}|remember (?:nothing|none)\b"
        r"|(?:keep|leave) (?:this|that|it|me|these things) out of (?:your )?"
        r"(?:memory|memories|notes?|records?)\b"
        r"|not for your (?:memory|notes?|records?)\b|off the record\b|strictly between us\b"
        r"|forget (?:that )?i (?:ever )?(?:said|told you|mentioned) (?:that|this|it|anything|so)\b"
    )


def _germanic() -> str:
    return (
        r"(?:merk|merke|merken sie|behalte?)(?: (?:dir|euch|sich))? (?:das|dies|es|davon)"
        r"(?: (?:hier|bitte|lieber|jetzt|alles|aber)){0,2} (?:nicht|nichts)\b"
        r"|merke? dir (?:bitte )?(?:nicht|nichts)\b"
        r"|(?:speicher\w{0,2}|notier\w{0,2}|schreib\w{0,2}) (?:dir )?(?:das|dies|es)"
        rf"(?: (?:hier|bitte|lieber|jetzt)){{0,2}} nicht(?: auf| ab)?{_ENDS}"
        r"|(?:(?:das|dies|es|bitte) ){0,2}nicht (?:merken|speichern|notieren|aufschreiben|behalten"
        rf"|festhalten){_ENDS}"
        r"|nichts davon (?:merken|speichern|notieren|behalten)\b"
        r"|(?:musst|brauchst) du (?:dir )?(?:das )?nicht (?:zu )?(?:merken|behalten|notieren|speichern)\b"
        r"|nicht für deine? (?:gedächtnis|notizen)\b"
        r"|onthoud (?:dit|dat|het|hier)(?: (?:alsjeblieft|maar|liever|van)){0,2} (?:niet|niets)\b"
        r"|(?:bewaar|noteer) (?:dit|dat|het) (?:alsjeblieft )?niet\b"
        r"|(?:sla|schrijf) (?:dit|dat|het) (?:alsjeblieft )?niet op\b"
        rf"|niet (?:onthouden|opslaan|noteren|bewaren|opschrijven){_ENDS}"
        r"|hoef je niet te (?:onthouden|bewaren|noteren)\b"
    )


def _romance() -> str:
    return (
        r"n(?:e |['’])(?:le |la |les |l['’]|t['’]en |en |te )?(?:retiens|retenez|mémorise[sz]?"
        r"|enregistre[sz]?|note[sz]?|garde[sz]?|stocke[sz]?|souviens|souvenez)(?: surtout)?"
        r" (?:pas|rien)(?: (?:ça|cela|ceci|que|de ça|de cela|tout ça))?"
        rf"(?:(?<=que)|{_ENDS})"
        rf"|ne (?:pas|rien) (?:retenir|mémoriser|enregistrer|noter|garder)(?: ça| cela)?{_ENDS}"
        r"|(?:pas besoin|inutile) de (?:le |la |t['’]en )?(?:retenir|mémoriser|noter|souvenir|garder)\b"
        r"|no (?:lo |la |los |me |te )?(?:recuerd(?:es|e)|guardes?|memorices?|anotes?|registres?|apuntes?"
        r"|almacenes?)(?: (?:esto|eso|que|nada|nada de esto|nada de eso))?"
        rf"(?:(?<=que)|{_ENDS})"
        r"|no (?:hace falta|es necesario) (?:que (?:lo )?)?(?:recuerdes|guardes|anotes|recordar\w{0,2}"
        r"|guardar\w{0,2}|anotar\w{0,2})\b"
        r"|non (?:lo |la )?(?:ricordar(?:e|ti|telo|lo)|memorizza(?:re|rlo)|salva(?:re|rlo)"
        r"|annota(?:re|rlo)|segna(?:re|rlo|rti|rtelo)|registra(?:re|rlo)|tenere a mente)"
        r"(?: (?:questo|quello|ciò|che|nulla|niente|nulla di questo))?"
        rf"(?:(?<=che)|{_ENDS})"
        r"|non (?:serve|c['’]è bisogno di|occorre) (?:che (?:lo )?)?(?:ricord|memorizz|annot)\w{1,6}\b"
        r"|não (?:o |a |me |te )?(?:guardes?|memorizes?|lembres?|anotes?|registe?s?|registres?|salves?"
        r"|grave)(?:-te)?(?: (?:isto|isso|disto|disso|que|nada|nada disto|nada disso))?"
        rf"(?:(?<=que)|{_ENDS})"
        r"|não (?:precisas?|é preciso|é necessário) (?:de )?(?:lembrar|guardar|memorizar|anotar)\b"
    )


def _eastward() -> str:
    return (
        r"nie (?:zapamiętuj|zapisuj|notuj|zachowuj|zapamiętywać|zapisywać)(?:cie)?(?: sobie)?"
        rf"(?: (?:tego|o tym|niczego|nic z tego|że))?(?:(?<=że)|{_ENDS})"
        r"|nie musisz (?:tego )?(?:pamiętać|zapamiętywać|zapisywać)\b"
        r"|не (?:запоминай|записывай|сохраняй|запоминать|записывать|сохранять)(?:те)?"
        rf"(?: (?:это|этого|ничего|что|про это|об этом))?(?:(?<=что)|{_ENDS})"
        r"|не нужно (?:это )?(?:запоминать|записывать|сохранять)\b"
        r"|(?:bunu|şunu|bunları|onu|bunların hiçbirini) (?:lütfen )?(?:hatırlama|kaydetme|not alma"
        rf"|aklında tutma|saklama|ezberleme)(?:yın|yınız)?{_ENDS}"
        r"|(?:hatırlamana|kaydetmene|not almana) gerek yok\b"
        r"|لا (?:تتذكر|تحفظ|تسجل|تسجّل|تخزن|تدون|تدوّن)(?:ي|وا)? (?:هذا|ذلك|هذه|أن|أنني|شيئا|أي شيء)"
    )


_SPACED: Final = Lazy(
    rf"(?<![\w’'-])(?:{_english()}|{_germanic()}|{_romance()}|{_eastward()})", re.I
)
_UNSPACED: Final = Lazy(
    r"(?:不要|别|別|不用|无需|無需|请勿|請勿|不必)(?:帮我|幫我|再|把(?:这个|這個|这件事|它))?(?:记住|記住|记下来?|記下來?|记录|記錄"
    r"|保存|存储|儲存|记得|記得|记)(?:这个|這個|这些|這些|这件事|那个|下来|它|我)?(?=\s*[：:，,。.!！？?]|\s*\Z)"
    r"|(?:(?:これ|それ|今の|この(?:話|こと|件)|以下|このこと)[はをも]?、?\s?|(?:\A|(?<=[。、\n])))"
    r"(?:絶対に|決して)?(?:覚え|記憶し|記録し|保存し|メモし|メモに残さ)(?:ておか|て置か)?ないで"
    r"|(?:これ|それ|今の|この(?:話|こと|件))[はをも]?(?:覚え|記憶し|記録し|保存し)なくて(?:いい|よい|も)"
    r"|(?:(?:이거|이건|이것은?|그건|그거|방금 (?:말|한 말)은?)\s?|(?:\A|(?<=[.\n])\s?))"
    r"(?:기억|저장|기록|메모)하지 ?(?:마|말)"
)


def refuses(text: str) -> bool:
    """Tell whether words ask that something not be remembered.

    >>> refuses("I'm seeing a lawyer, but don't put that in your notes"), refuses("Don't save this file")
    (True, False)
    """
    return _SPACED.search(text) is not None or _UNSPACED.search(text) is not None


def around_refusal(text: str) -> tuple[str, str]:
    """Return what stands before a refusal and behind it."""
    found = _SPACED.search(text) or _UNSPACED.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")
