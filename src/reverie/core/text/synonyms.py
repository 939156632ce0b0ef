"""Words that say nearly the same, for matching without a model: "likes tabs" and "prefers tabs".

Rules:

* Only words that can stand for each other in almost any remark about work; no topic knowledge.
* A group is one language, because recall must not guess across languages.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from reverie.core.text.words import normalize, terms

_GROUPS: Final = """
like love prefer favor favour enjoy preference favorite favourite fond
dislike hate avoid loathe detest
want wish desire
short concise brief terse succinct
long verbose detailed lengthy
answer reply response respond
use utilize employ usage
begin start commence
end finish complete
fix repair
bug defect
error failure fault
delete remove erase
create make
change modify alter edit
show display
big large huge
small little tiny
fast quick rapid
buy purchase
job work occupation profession
live reside
doc docs documentation
repo repository
config configuration setting settings
db database
colleague coworker teammate
boss manager supervisor
meeting call appointment
deadline due
release ship
phone telephone mobile
mail email e-mail
car vehicle
child kid
photo picture image
test tests testing
deploy deployment rollout
auth authentication login
url link
指定 规定
喜欢 偏好 喜爱 偏爱
简洁 简短 精简
回复 回答 答复
使用 采用
错误 故障
文档 资料
删除 移除
好き 好む
短い 簡潔
回答 返答
좋아 선호
любит предпочитает нравится
короткий краткий
ответ отклик
aime préfère adore
réponse réplique
mag bevorzugt liebt
antwort erwiderung
kurz knapp
prefiere gusta
""".strip()


@lru_cache(maxsize=1)
def _table() -> dict[str, str]:
    """Map every term of a group to the group's first."""
    found: dict[str, str] = {}
    for line in _GROUPS.splitlines():
        words = [_key(word) for word in line.split()]
        for word in words:
            found.setdefault(word, words[0])
    return found


def _key(word: str) -> str:
    # An unspaced script indexes characters and pairs; the whole word is its last, longest term.
    return max(terms(word), key=len, default=normalize(word))


def canonical(term: str) -> str:
    """Return the term that stands for its group; most terms stand for themselves."""
    return _table().get(term, term)


@lru_cache(maxsize=1)
def _members() -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for term, first in _table().items():
        groups.setdefault(first, []).append(term)
    return {first: tuple(members) for first, members in groups.items()}


def similar_terms(term: str) -> tuple[str, ...]:
    """List the other terms of a term's group."""
    return tuple(other for other in _members().get(canonical(term), ()) if other != term)


@lru_cache(maxsize=1)
def all_similar() -> dict[str, tuple[str, ...]]:
    """List for every term of a group the others, for whoever wants to keep the table."""
    return {term: similar_terms(term) for term in _table()}
