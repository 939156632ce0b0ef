"""Consolidation of working memory without a model: what turns say was done, is to be done, was asked.

Rules
- Only what the user and the assistant said aloud counts; code, quotes, tool output and injected
  memory are taken out first.
- A task is closed when somebody says that it is done: a sentence with a word for done and nearly all
  words of the task, without a negation, a condition or a question.
- Each turn leaves one dated line of progress: what was asked, and what was said to be done.
- Run twice over the same turns, the second run changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reverie.core.history import turns as records
from reverie.core.layers import working
from reverie.core.layers.tree import WORKING_HEADINGS
from reverie.core.learning.own_words import speech
from reverie.core.learning.sentence_guards import is_question, is_supposed
from reverie.core.learning.sentences import sentences
from reverie.core.markdown.bullets import add_bullet, bullets, clean_item, remove_bullet
from reverie.core.markdown.sections import same_fact
from reverie.core.text.plain import width
from reverie.core.text.values import value_signature
from reverie.core.text.words import containment

if TYPE_CHECKING:
    from reverie.types import Turn

_DONE: Final = re.compile(
    r"\b(?:done|finished|completed?|fixed|shipped|merged|deployed|resolved|solved|implemented|released|sent"
    r"|added|removed|updated|written|created|renamed|moved|installed|works now|is (?:in|live|up))\b"
    r"|\b(?:erledigt|fertig|abgeschlossen|behoben|gelöst|hinzugefügt|terminée?|finie?|corrigée?|ajoutée?|résolue?"
    r"|hech[oa]|terminad[oa]|completad[oa]|arreglad[oa]|resuelt[oa]|añadid[oa]|fatto|finito|completato|risolto"
    r"|pronto|concluíd[oa]|feito)\b"
    r"|\b(?:готов[оаы]?|сделан\w*|заверш[её]н\w*|закончил\w*|исправ(?:лен|ил)\w*|решен\w*|добавлен\w*|выполнен\w*)\b"
    r"|ολοκληρώθηκε|διορθώθηκε|έτοιμο|έγινε"
    r"|已?完成了?|做完了?|搞定了?|修好了?|修复了|已修复|解决了|已解决|上线了|已上线|已添加|加好了|弄好了|写完了?"
    r"|完了(?:しました)?|終わりました|終わった|できました|直しました|修正しました|済み|済んだ"
    r"|완료(?:했|됐|되었)?|끝났|끝냈|고쳤|수정했|해결했|เสร็จแล้ว|เรียบร้อยแล้ว|แก้แล้ว",
    re.IGNORECASE,
)
_NOT_YET: Final = re.compile(
    r"\b(?:if|when|once|until|unless|before|after|will|would|should|must|need|needs|todo|to be|let'?s"
    r"|going to|please|wenn|sobald|bis|bevor|wird|soll|muss|quand|avant|sera|doit|cuando|hasta|antes|será"
    r"|debe|если|когда|пока|будет|нужно|надо)\b|如果|等到?|之前|以后再|需要|请|まで|たら|ください|해야"
    r"|ต้อง|ถ้า",
    re.IGNORECASE,
)
_BOX: Final = re.compile(r"^\s*[-*]\s*\[ \]\s*(?P<what>.+)")
_TODO: Final = re.compile(
    r"^\s*(?:(?:todo|to-do|task|aufgabe|tâche|tarea|задача|待办(?:事项)?|任务|やること|할 일)\s*[:：-]\s*"
    r"|(?:please\s+)?(?:remind me to|don'?t forget to|remember to)\s+|提醒我|别忘了"
    r"|erinnere mich daran,?\s*|напомни(?:те)? мне\s+|rappelle-moi de\s+|recuérdame\s+)(?P<what>.+)",
    re.IGNORECASE,
)
_CLOSES: Final = 0.75  # of the task's words must be in the sentence that says it is done
_MIN_WIDTH: Final = 12  # columns; a greeting is no progress
_GIST_WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class Consolidated:
    """Working memory after a consolidation, and what was done to it."""

    text: str
    closed: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    progress: tuple[str, ...] = ()
    moved: tuple[working.Moved, ...] = ()
    over: int = 0

    @property
    def summary(self) -> str:
        """One line about it."""
        counts = (
            (len(self.closed), "task", "closed"),
            (len(self.tasks), "task", "added"),
            (len(self.progress), "line", "of progress"),
            (len(self.moved), "item", "moved to the archive"),
        )
        told = (f"{n} {noun}{'s' * (n != 1)} {what}" for n, noun, what in counts if n)
        return ", ".join(told) or "nothing to change"


def consolidate(text: str, turns: Sequence[Turn], *, limit: int) -> Consolidated:
    """Bring working memory up to date with turns, the oldest first."""
    closed: list[str] = []
    added: list[str] = []
    progress: list[str] = []
    for turn in turns:
        asked = list(_sentences(turn, "user"))
        answered = list(_sentences(turn, "assistant"))
        for task in _done_tasks(text, [*asked, *answered]):
            item = next(it for it in bullets(text, working.TASKS) if it.line == task)
            text = remove_bullet(text, working.TASKS, item)
            closed.append(task)
            text = _with_progress(text, f"Done: {task}", turn.created_at, progress)
        for task in _new_tasks(turn):
            if not _listed(text, task):
                text = add_bullet(text, working.TASKS, task, order=WORKING_HEADINGS)
                added.append(task)
        gist = _gist(asked, answered)
        if gist:
            text = _with_progress(text, gist, turn.created_at, progress)
    fitted, moved, over = working.fit(text, limit=limit)
    return Consolidated(fitted, tuple(closed), tuple(added), tuple(progress), tuple(moved), over)


def _done_tasks(text: str, said: Sequence[str]) -> list[str]:
    claims = [sentence for sentence in said if says_done(sentence)]
    return [
        item.line
        for item in bullets(text, working.TASKS)
        if any(containment(item.line, claim) >= _CLOSES for claim in claims)
    ]


def says_done(sentence: str) -> bool:
    """Tell whether a sentence says that something is done, for certain and now."""
    if not _DONE.search(sentence) or _NOT_YET.search(sentence):
        return False
    return not (
        is_question(sentence) or is_supposed(sentence) or value_signature(sentence).negations
    )


def _new_tasks(turn: Turn) -> Iterator[str]:
    for _, text in records.said(turn, "user"):
        spoken, _ = speech(text)
        named = [_BOX.match(line) for line in spoken.split("\n")]
        named += [_TODO.match(sentence) for sentence in sentences(spoken)]
        for match in named:
            if match and not is_question(match[0]):
                task = " ".join(clean_item(match["what"]).split()).rstrip(".。")
                if width(task) >= 4:
                    yield _shortened(task)


def _listed(text: str, task: str) -> bool:
    """Say whether a task stands there, or was closed already."""
    known = [item.line for item in bullets(text, working.TASKS)]
    known += [item.line.partition(": Done: ")[2] for item in bullets(text, working.PROGRESS)]
    return any(same_fact(task, other) for other in known)


def _gist(asked: Sequence[str], answered: Sequence[str]) -> str:
    wish = next((s for s in asked if width(s) >= _MIN_WIDTH), "")
    outcome = next((s for s in answered if says_done(s) and width(s) >= _MIN_WIDTH), "")
    if not wish and not outcome:
        return ""
    told = [f"Asked: {_closed(_shortened(wish))}"] if wish else []
    told += [f"Outcome: {_closed(_shortened(outcome))}"] if outcome else []
    return " ".join(told)


def _closed(sentence: str) -> str:
    return sentence if sentence[-1:] in ".!?。！？…؟" else f"{sentence}."


def _with_progress(text: str, words: str, at: datetime, progress: list[str]) -> str:
    line = working.dated(clean_item(words), at)
    if any(same_fact(item.line, line) for item in bullets(text, working.PROGRESS)):
        return text
    progress.append(line)
    return add_bullet(text, working.PROGRESS, line, order=WORKING_HEADINGS)


def _sentences(turn: Turn, role: str) -> Iterator[str]:
    for _, text in records.said(turn, role):
        spoken, _ = speech(text)
        for sentence in sentences(spoken):
            words = " ".join(clean_item(sentence).split())
            if words:
                yield words


def _shortened(text: str) -> str:
    if width(text) <= _GIST_WIDTH:
        return text
    kept = ""
    for char in text:
        if width(kept + char) > _GIST_WIDTH - 1:
            break
        kept += char
    return kept.rstrip() + "…"
