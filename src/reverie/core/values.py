"""Values in remarks: what must never be lost or mixed up when two of them look alike.

Rules:

* Two remarks may be merged only if one says everything the other says: no number, date, name, word,
  direction or "not" of either may be missing from the one that is kept.
* When in doubt they differ. Two entries that say the same cost a line; two facts made one are lost.
* No language is guessed; every list holds the words of many.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from reverie.core.synonyms import canonical
from reverie.core.tokens import normalize, terms, words

# Who a memory is about unless it says so: these add nothing and replace nothing.
_FILLER_WORDS: Final = """
user users the a an i he she they me my his her their please always remember that note 用户 我 他
她 请 记住 ユーザー ユーザ 私 사용자 나 пользователь я он она utilisateur utilisatrice je il elle
benutzer nutzer ich er sie usuario yo χρήστης εγώ ผู้ใช้ ฉัน
"""
_NEGATIONS_WORDS: Final = """
not no never none nor neither without cannot cant dont doesnt didnt isnt arent wasnt werent wont
wouldnt shouldnt couldnt mustnt hasnt havent hadnt aint nothing nobody nowhere stop avoid except
unless не нет ни без никогда никто ничего нельзя кроме избегать избегай избегает δεν μη μην οχι
ποτε χωρισ κανεισ εκτοσ ne pas jamais sans aucun aucune rien personne sauf ni eviter evite nicht
kein keine keinen keinem keiner keines nie niemals ohne nichts niemand ausser weder vermeide nunca
jamas sin ningun ninguna nada nadie tampoco excepto salvo evita evitar nao sem nenhum nenhuma non
mai senza nessuno nessuna niente mica niet geen nooit zonder niets nigdy bez inte aldrig utan
ingen inget ikke aldri uten tidak bukan jangan tanpa belum khong chua dung degil yok asla hicbir
لا لم لن ليس ليست بدون ابدا غير नहीं मत बिना לא אין אל בלי
"""
# Negations inside scripts that put no spaces; longer ones first so that each counts once.
_UNSPACED_NEGATION: Final = re.compile(
    "非常|不错|不管|无论|無論|別人|别人|特别|特別|区别|区別|別の"  # no negations, though they look it
    "|(不要|禁止|不|没|沒|别|別に|勿|未|无|無|非|否|莫|避免"
    "|ません|ない|なく|なし|ぬ(?!い)|ずに|않|없|못|안 |말아|마세요|아니|ไม่|อย่า|ห้าม|មិន|ບໍ່|မ)"
)
# Function words that the tokenizer drops although the sense hangs on them.
_DIRECTIONS_WORDS: Final = """
before after with without above below under over up down on off in out into onto from to more most
less least all any some few each both only until since during between through against for by via
must should shall may might can could will would again once twice always sometimes often rarely
vor nach mit ohne uber unter immer nur bis seit zwischen muss soll darf kann avant apres avec sans
sous sur toujours seulement jusque depuis entre doit peut до после с без над под всегда только
между antes despues con sin sobre bajo siempre solo hasta desde
"""
_OPPOSITES: Final = """
always:never allow:forbid,deny,block enable:disable on:off true:false yes:no before:after more:less
increase:decrease,reduce add:remove,delete include:exclude like:dislike,hate,avoid prefer:avoid,dislike
accept:reject,refuse start:stop,end open:close,closed public:private short:long concise:detailed,verbose
terse:detailed,verbose light:dark tab:space,spaces sync:async asynchronous:synchronous above:below min:max
minimum:maximum first:last early:late old:new required:optional must:may internal:external keep:drop
merge:rebase,squash single:double left:right up:down in:out buy:sell push:pull local:remote lock:unlock
manual:automatic upper:lower uppercase:lowercase
喜欢:讨厌,不喜欢 允许:禁止 启用:禁用,停用 总是:从不 增加:减少 开:关 打开:关闭 公开:私有 简洁:详细 必须:可选
前:后 新:旧 早:晚 大:小 同步:异步 好き:嫌い 許可:禁止 有効:無効 公開:非公開 簡潔:詳細 前:後 あり:なし
всегда:никогда включить:выключить,отключить разрешить:запретить до:после больше:меньше краткий:подробный
toujours:jamais activer:desactiver autoriser:interdire avant:apres plus:moins court:long
immer:nie,niemals aktivieren:deaktivieren erlauben:verbieten vor:nach mehr:weniger kurz:lang
siempre:nunca activar:desactivar permitir:prohibir antes:despues mas:menos corto:largo
"""

_NUMBER: Final = re.compile(
    r"(?:(?<![\w.])[-+±]|[<>≤≥~≈=$€£¥₽₩₹฿#]\s?)?\d+(?:[.,:/_-]\d+)*(?:\s?[%‰°]|[A-Za-zµ]{1,4}\b)?"
    r"|(?<!\w)v\d+(?:\.\d+)*(?:[-.]?(?:alpha|beta|rc|dev|post)\.?\d*)?"
)
_CODE: Final = re.compile(r"`([^`\n]{1,80})`")
_IDENTIFIER: Final = re.compile(
    r"(?<![\w])(?:[\w.+-]+@[\w-]+\.[\w.-]+|https?://\S+|(?:[\w.-]+/)+[\w.-]+|\w+(?:_\w+)+|[\w-]+\.[a-z]{1,5}\b"
    r"|[A-Za-z]+\d[\w-]*|[a-z]+[A-Z]\w*|[A-Z]{2,}\w*)"
)
_NAME: Final = re.compile(r"[^\W\d_][\w’'-]*")
_SENTENCE_END: Final = re.compile(r"(?:^|[.!?。！？:：;\n]|[-*•]\s)\s*[\"'“”«(\[*_]*$")


_FILLER: Final = frozenset(_FILLER_WORDS.split())
_NEGATIONS: Final = frozenset(_NEGATIONS_WORDS.split())
_DIRECTIONS: Final = frozenset(_DIRECTIONS_WORDS.split())


@dataclass(frozen=True, slots=True)
class Values:
    """What a remark states beyond its words."""

    numbers: frozenset[str]
    """Numbers, amounts, dates, times and versions, normalised."""
    names: frozenset[str]
    """Proper names, identifiers, paths, addresses and quoted code, case folded."""
    negations: tuple[str, ...]
    """Every "not", sorted."""


@lru_cache(maxsize=4096)
def value_signature(text: str) -> Values:
    """Read the numbers, names and negations of a text."""
    plain = unicodedata.normalize("NFKC", text)
    return Values(
        numbers=frozenset(_number(match[0]) for match in _NUMBER.finditer(plain)),
        names=frozenset(_names(plain)),
        negations=tuple(sorted(_negations(plain))),
    )


def conflicts(a: str, b: str) -> bool:
    """Tell whether merging two remarks could lose or mix up something that one of them says."""
    return bool(differences(a, b))


def differences(a: str, b: str) -> list[str]:
    """Name what keeps two remarks apart: numbers, negation, opposite, words, order or subject.

    An empty list means that one of them says all the other says.
    """
    if normalize(a).split() == normalize(b).split():
        return []
    found: list[str] = []
    left, right = value_signature(a), value_signature(b)
    if not _nested(left.numbers, right.numbers):
        found.append("numbers")
    if left.negations != right.negations:
        found.append("negation")
    one, two = _content(a), _content(b)
    if _opposed(a, b):
        found.append("opposite")
    if not _nested(set(one), set(two)) or not _nested(_directions(a), _directions(b)):
        found.append("words")
    if not _nested(_symbols(a), _symbols(b)):
        found.append("symbols")
    if not _mutual(set(one), set(two), left, right):
        found.append("words")
    if _shared_order(one, two) != _shared_order(two, one):
        found.append("order")
    if _leads(one, two) or _leads(two, one):
        found.append("subject")
    return list(dict.fromkeys(found))


def covers(a: str, b: str) -> bool:
    """Tell whether the first remark says everything the second says."""
    left, right = value_signature(a), value_signature(b)
    return (
        not differences(a, b)
        and right.numbers <= left.numbers
        and set(_content(b)) <= set(_content(a))
    )


def _number(text: str) -> str:
    text = re.sub(r"\s", "", text).lower().rstrip(".,:/-_")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    return text.removeprefix("v").removeprefix("#").removeprefix("=")


def _names(plain: str) -> Iterable[str]:
    yield from (match[1].casefold() for match in _CODE.finditer(plain))
    yield from (match[0].rstrip(".,;:)").casefold() for match in _IDENTIFIER.finditer(plain))
    for match in _NAME.finditer(plain):
        word = match[0]
        if word[0].isupper() and not _SENTENCE_END.search(plain[: match.start()][-12:]):
            folded = normalize(word)
            if folded not in _FILLER and len(word) > 1:
                yield folded


def _negations(plain: str) -> Iterable[str]:
    folded = normalize(plain)
    for word in re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", folded):
        bare = word.replace("'", "").replace("’", "")
        if bare in _NEGATIONS:
            yield "not" if bare.endswith("nt") or bare in ("not", "no") else bare
    yield from (match[1] for match in _UNSPACED_NEGATION.finditer(folded) if match[1])


def _content(text: str) -> list[str]:
    """The words that carry the remark, in order, each once, near-synonyms folded."""
    found = (canonical(term) for term in terms(text))
    return list(
        dict.fromkeys(term for term in found if term not in _FILLER and not _is_filled(term))
    )


def _is_filled(term: str) -> bool:
    # Pieces of an unspaced filler word: 用户 is indexed as 用, 户 and 用户.
    return len(term) == 1 and term in "用户我他她请私나"


def _directions(text: str) -> set[str]:
    return {word for word in words(text) if word in _DIRECTIONS}


def _symbols(text: str) -> set[str]:
    return {char for char in text if unicodedata.category(char) in ("So", "Sm", "Sc")}


def _nested(left: Iterable[str], right: Iterable[str]) -> bool:
    one, two = set(left), set(right)
    return one <= two or two <= one


def _mutual(one: set[str], two: set[str], left: Values, right: Values) -> bool:
    """Tell whether the same remark has the surplus of words and of numbers."""
    if one <= two and one != two:
        return left.numbers <= right.numbers
    if two <= one and one != two:
        return right.numbers <= left.numbers
    return True


def _shared_order(one: list[str], two: list[str]) -> list[str]:
    shared = set(one) & set(two)
    return [term for term in one if term in shared]


def _leads(long: list[str], short: list[str]) -> bool:
    """Tell whether the longer one begins with words of its own: perhaps somebody else's name."""
    return bool(long and short) and long[0] not in short and short[0] in long


def _opposed(a: str, b: str) -> bool:
    left, right = _opposable(a), _opposable(b)
    only_left, only_right = left - right, right - left
    table = _opposites()
    return any(table.get(word, frozenset()) & only_right for word in only_left)


def _opposable(text: str) -> set[str]:
    folded = normalize(text)
    unspaced = {
        word for word in _opposites() if not word.isascii() and len(word) > 1 and word in folded
    }
    return {*terms(text), *words(text)} | unspaced


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    table: dict[str, Counter[str]] = {}
    for item in _OPPOSITES.split():
        word, _, others = item.partition(":")
        for other in others.split(","):
            for one in {word, *terms(word)[-1:]}:
                for two in {other, *terms(other)[-1:]}:
                    table.setdefault(normalize(one), Counter())[normalize(two)] += 1
                    table.setdefault(normalize(two), Counter())[normalize(one)] += 1
    return {word: frozenset(found) for word, found in table.items()}
