"""Statements: which sentences of a message say something worth keeping, and why it holds.

Rules

* What somebody asks to remember is kept, whatever it is.
* Any other sentence counts only in the speaker's own voice and as a standing fact: no question, nothing
  supposed, nothing that holds for the moment only, nothing quoted or told of somebody else.
* Of these, what leaves no doubt (`clarity`) is kept, and what does is heard.
* The words stay the speaker's own; a reason is taken out of the sentence, or from the next one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final

from reverie.core.learning import clarity, sentence_guards
from reverie.core.learning.phrases import phrases_for
from reverie.core.learning.requests import MAX_REQUEST_CHARS, is_loose, pointing
from reverie.core.learning.sentences import (
    MAX_SENTENCE_CHARS,
    asked_lists,
    find_request,
    find_sentences,
    pointed_at,
    said_before,
    with_codes,
    without_codes,
    without_fillers,
)
from reverie.core.learning.tongues.errands import (
    is_advice,
    is_errand,
    is_for_once,
    is_only_this_once,
    is_to_do,
)
from reverie.core.text.dates import find_relative
from reverie.core.text.plain import width
from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.topics.beside import tells_of_change
from reverie.core.topics.kinds import guess_kind, kind_said
from reverie.types import Kind

if TYPE_CHECKING:
    from reverie.types import StatementForm

_ORDERS: Final = frozenset(
    {"never", "always", "use", "stop", "avoid", "keep", "prefer", "answer", "reply"}
)
MAX_DEADLINE_CHARS: Final = 200  # a date in a long sentence is seldom what the sentence is about


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing said that is worth keeping."""

    form: StatementForm
    kind: Kind
    summary: str
    why: str = ""
    how: str = ""
    clear: bool = True
    """Whether its form leaves no doubt; what is not clear is heard, not kept."""


_PLEASE: Final = re.compile(
    r"(?:please|bitte|s'il te plaît|por favor|per favore|пожалуйста|请|麻烦)[,，]?\s*", re.I
)
_CLAUSE: Final = re.compile(
    r"(?:,(?!\d)|[;:，；：、]|\s[—–-]|—)\s*(?:(?:and|but|so|also|und|aber|et|mais|y|pero|e|ma|и|но|"
    r"а|而且|但是?|所以|另外)(?:\s+|(?<=[\u3400-\u9fff])))?"
    r"|\s(?:and|but)\s+(?=from now on|always|never|i prefer|please|we\b|i\b)",
    re.I,
)
# `The flag is set but never read`: what is joined so has the subject of what came before, and is no order.
_JOINED: Final = re.compile(
    r"(?<!\w)(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|и|но|а)\s{1,10}\Z", re.I
)
_ADVERB: Final = re.compile(
    r"(?:always|never|immer|nie|niemals|toujours|jamais|siempre|nunca|sempre|mai|всегда|никогда)\b",
    re.I,
)
# Inside a sentence a rule counts only with a word that makes it one.
_MID_RULE: Final = re.compile(
    r"(?:from now on|going forward|in (?:the )?future|don't|do not|stop|please|always|never|use|"
    r"no)\b"
    r"|(?:ab jetzt|künftig|in zukunft|bitte|désormais|à l'avenir|a partir de ahora|en adelante|"
    r"por favor|nunca|siempre|"
    r"a partir de agora|d'ora in poi|впредь|всегда|никогда|не|пожалуйста)\b|以后|今后|从现在|下次|请|不要|别|"
    r"今後|これから|앞으로",
    re.I,
)
# The sentence goes on to ask or to tell what is being done: that part is not kept.
_TAIL: Final = re.compile(
    r"(?:[,;]|(?<!\s))\s++(?:(?:and|so|but)\s++)?(?:can|could|would|will) (?:you|we)\b.*"
    r"|[,;]\s++(?:(?:and|so|but)\s++)?(?:how|what|which (?:one|of)|should i|should we|do you|"
    r"do any|is there|are there|any)\b.*"
    r"|,\s++(?:so|and|but|which)\s++(?:i'm|i'd|i was|i want|i need|is why|it's|was|i am|"
    r"i think)\b.*",
    re.I | re.S,
)

# In a rule for ever, `here` is the project.
_HERE: Final = re.compile(r"\s(?:here|hier|ici|aquí|aqui|qui|здесь|tutaj|burada)\b", re.I)
_REASON: Final = re.compile(
    r"(?:[,，]|(?<!\s))\s*+(?:\b(?:because|so that|as otherwise|otherwise)\b|(?=\bdue to\b)|,\s*(?:since|as|"
    r"otherwise)\s(?=we|the|it|i\b|they|our|there|this|that)"
    r"|\bsince\s(?=we\b|it\b|they\b|our\b|there\b)|\bweil\b|,\s*(?:da|denn|damit|sonst)\b|"
    r"\bparce qu(?:e\b|')|,\s*(?:car|sinon|puisque)\b"
    r"|\bporque\b|\bya que\b|\bpois\b|\bperché\b|\bpoiché\b|потому что\b|так как\b|поскольку\b|"
    r",\s*(?:иначе|ведь)\b"
    r"|因为|因為|由于|由於|否则|否則|不然|왜냐하면)\s*[,，:]?\s*",
    re.I,
)
_REASON_FIRST: Final = re.compile(
    r"(?:because|since|as|weil|da|parce que|comme|como|porque|poiché|так как|"
    r"поскольку)\s(?P<why>[^,]{6,160}),\s*(?P<rest>\S.*)"
    r"|(?:因为|因為|由于|由於)(?P<why2>[^,，]{2,80})[,，]\s*(?:所以)?(?P<rest2>\S.*)",
    re.I | re.S,
)
_REASON_AFTER: Final = re.compile(
    r"(?:because\b|the reason\b|reason:|otherwise\b|we (?:got|were|had|lost|have had|once)\b|"
    r"last (?:time|week|month|quarter|year)\b|"
    r"it (?:broke|breaks|caused|causes|makes|made|clutters|confuses|is (?:hard|slow|"
    r"confusing))\b|that(?:'s| is) (?:because|why)\b|"
    r"they (?:break|broke|clutter|confuse|make)\b|der grund\b|sonst\b|weil\b|letztes mal\b|"
    r"sinon\b|la dernière fois\b|parce que\b|"
    r"porque\b|si no\b|la última vez\b|altrimenti\b|потому\b|иначе\b|в прошлый раз\b|причина\b"
    r"|因为|因為|原因是?|否则|否則|不然|上次|这样|理由は|なぜなら|そうしないと|以前|前回"
    r"|왜냐하면|지난번|그렇지 않으면)\s*[:：]?",
    re.I,
)
_REASON_WORD: Final = re.compile(
    r"(?:because|the reason(?: is)?(?: that)?|reason:|weil|der grund(?: ist)?,?(?: dass)?|"
    r"parce que|porque|потому что|"
    r"因为|因為|原因是?|理由は|なぜなら|왜냐하면)\s*[,，:：]?\s*",
    re.I,
)
_USE: Final = re.compile(
    r"[,;，；]\s*(?:so\s+|and\s+|please\s+)*(?P<how>(?:check|use|look|see|consult|read|watch|"
    r"start|open|ask|always|改|看|查|参考|必要时)\b.*"
    r"|(?:改|看|查|参考|动|碰).*)",
    re.I | re.S,
)
_CONSEQUENCE: Final = re.compile(r",\s*so\s+(?P<how>\S.*)|[,，]\s*所以(?P<how2>\S.*)", re.I | re.S)
_SYSTEM: Final = re.compile(
    r"(?<!\w)\w++://\S|(?<![A-Za-z])(?:linear|jira|slack|grafana|notion|confluence|datadog|sentry|"
    r"pagerduty|github|gitlab|figma|google (?:docs|drive|"
    r"sheets)|sharepoint|trello|asana|miro|airtable|kibana|looker|bugzilla|zendesk|discord|"
    r"teams|bitbucket|youtrack|redmine|monday|"
    r"clickup|metabase|tableau|prometheus|splunk|new relic|phabricator|gerrit|basecamp|dropbox|"
    r"onedrive|lark|feishu|dingtalk)(?![A-Za-z])"
    r"|飞书|钉钉|语雀|禅道|企业微信|石墨|腾讯文档|#[a-z][\w-]{2,}",
    re.I,
)
_EXPLICIT_DATE: Final = re.compile(
    r"\b(?:19|20)\d\d-\d\d?(?:-\d\d?)?\b|\b\d{1,2}[./]\d{1,2}[./](?:19|20)?\d\d\b|"
    r"\d{1,2}月\d{1,2}[日号號]"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.? \d{1,2}\b|"
    r"\b\d{1,2}\.? (?:januar|februar|märz|april|mai|juni|juli|"
    r"august|september|oktober|november|dezember|january|february|march|june|july|october|"
    r"december|janvier|février|mars|avril|juin|"
    r"juillet|août|octobre|décembre|de \w+|января|февраля|марта|апреля|мая|июня|июля|августа|"
    r"сентября|октября|ноября|декабря)\b",
    re.I,
)


def find_statements(text: str, *, on: date) -> list[Statement]:
    """Find what a message of that day states; the text is speech only, without code and quotes.

    What is clear is to be kept; what is not may matter, and is to be heard.
    """
    text, codes = without_codes(text)
    said = _find(text, on)
    if not codes:
        return said
    return [replace(one, summary=with_codes(one.summary, codes), why=with_codes(one.why, codes),
                    how=with_codes(one.how, codes)) for one in said]  # fmt: skip


def _find(text: str, on: date) -> list[Statement]:
    listed, text = asked_lists(text)
    found: list[Statement] = []
    for request, item in listed:
        clear = not (is_to_do(request) or is_advice(request))
        found.append(replace(_asked_for(item, on), clear=clear))
    pieces = find_sentences(text)
    # The terms of one piece of writing are no rules for every one.
    brief = bool(pieces) and clarity.is_brief(text, first=without_fillers(pieces[0]))
    role = brief and clarity.gives_a_role(text)
    reasons: set[int] = set()
    meant, pointers = pointed_at(pieces)
    for number, sentence in enumerate(pieces):
        if number in meant:
            statement: Statement | None = _asked_for(without_fillers(sentence), on)
        elif number in reasons or number in pointers:
            statement = None
        else:
            statement = read_statement(sentence, on=on)
        if statement is None:
            continue
        if brief and (role or not _holds_in_a_brief(statement, sentence)):
            if statement.form == "correction" and not sentence_guards.is_standing(sentence):
                continue
            statement = replace(statement, clear=False)
        following = pieces[number + 1] if number + 1 < len(pieces) else ""
        if statement.form == "request" and is_only_this_once(following):
            statement = replace(statement, clear=False)
        if not statement.why and _gives_reason(following):
            reasons.add(number + 1)
            statement = replace(statement, why=_closed(_REASON_WORD.sub("", following, count=1)))
        found.append(statement)
    return found


def _asked_for(said: str, on: date) -> Statement:
    """Make a statement of what is to be remembered, as it was said."""
    said = said.strip()
    inner = _read_clause(said, on, cut=False)
    if inner is None:
        inner = _built("request", _told_kind(said), said, "", cut=False)
    return replace(inner, form="request", clear=True)


def _holds_in_a_brief(statement: Statement, sentence: str) -> bool:
    """Tell whether something said among the terms of a task holds beyond it: asked to be remembered."""
    return statement.form == "request" and not is_to_do(without_fillers(sentence))


def read_statement(sentence: str, *, on: date) -> Statement | None:
    """Read one sentence; None when it states nothing to keep."""
    spoken = without_fillers(sentence)
    if (asked := _read_request(spoken, on)) is not None:
        return asked
    found = _read_form(spoken, on) or _read_standing(spoken) or _read_plain(spoken)
    return found or _read_changed(spoken, on)


def _read_changed(spoken: str, on: date) -> Statement | None:
    """Read a sentence that says that something is not as it was: `I now live in Lyon`, `We moved to Lyon`.

    What holds from now on is as clear as it would be without the word for it; the rest is heard.
    """
    plain = sentence_guards.without_now(spoken)
    if plain != spoken:
        found = _read_form(plain, on) or _read_plain(plain)
        if found is not None and found.form in ("identity", "preference", "proposed"):
            return replace(found, summary=_begun(_closed(spoken)), why="", how="")
        if found is not None:
            return None
    guards = sentence_guards
    unfit = (
        guards.is_question, guards.begins_as_question, guards.is_supposed, guards.tells_of_others,
        guards.looks_like_code, guards.quoted_spans, guards.is_task,
    )  # fmt: skip
    told = (guards.is_of_the_owner(spoken) and len(spoken) <= MAX_SENTENCE_CHARS and tells_of_change(spoken)
            and not guards.is_momentary(plain) and clarity.stands_alone(spoken))  # fmt: skip
    if not told or any(guard(spoken) for guard in unfit):
        return None
    kind = guess_kind(spoken) or Kind.PROJECT
    return replace(_built("proposed", kind, spoken, ""), clear=False)


def _read_form(spoken: str, on: date) -> Statement | None:
    """Read a sentence that states something in a form we know."""
    asks = sentence_guards.is_question(spoken)
    if asks:  # "I prefer X, can you ...?": the first half still states something
        tail = _TAIL.search(spoken)
        spoken = spoken[: tail.start()] if tail else ""
    if not spoken or len(spoken) > MAX_SENTENCE_CHARS or sentence_guards.looks_like_code(spoken):
        return None
    if sentence_guards.begins_as_question(spoken) or sentence_guards.is_supposed(spoken):
        return None
    quoted = sentence_guards.quoted_spans(spoken)
    for start in _clause_starts(spoken):
        if any(begin <= start < end for begin, end in quoted):
            continue
        if start and sentence_guards.tells_of_others(spoken[:start]):
            return None
        clause = without_fillers(spoken[start:])
        statement = _read_clause(clause, on)
        if statement and _stands(statement, clause, inside=bool(start), asks=asks):
            whole = not start and not asks
            clear = clarity.is_clear(statement.form, statement.summary, whole=whole)
            told = bool(_JOINED.search(spoken, 0, start)) and bool(_ADVERB.match(clause))
            return replace(statement, clear=clear and not told)
    return None


def _read_standing(spoken: str) -> Statement | None:
    """Read a sentence that says itself that it holds from now on, wherever it says so."""
    guards = sentence_guards
    if not guards.holds_from_now_on(spoken) or len(spoken) > MAX_SENTENCE_CHARS or pointing(spoken):
        return None
    unfit = (
        guards.is_question, guards.begins_as_question, guards.is_supposed, guards.tells_of_others,
        guards.looks_like_code, guards.quoted_spans, guards.is_about_one_thing,
    )  # fmt: skip
    if any(guard(spoken) for guard in unfit):
        return None
    statement = _built("correction", guess_kind(spoken) or Kind.FEEDBACK, spoken, "")
    return replace(statement, clear=clarity.stands_alone(_HERE.sub(" ", statement.summary)))


def _read_plain(spoken: str) -> Statement | None:
    """Read a plain sentence about the speaker or the project: it is heard at most."""
    guards = sentence_guards
    unfit = (
        guards.is_question, guards.begins_as_question, guards.is_supposed, guards.is_momentary,
        guards.tells_of_others, guards.looks_like_code, guards.quoted_spans,
    )  # fmt: skip
    if not clarity.may_matter(spoken) or any(guard(spoken) for guard in unfit):
        return None
    return replace(_built("proposed", _told_kind(spoken), spoken, ""), clear=False)


def _read_request(spoken: str, on: date) -> Statement | None:
    """Read what somebody asks to remember, at the beginning or after a first clause of their own."""
    found = find_request(spoken)
    if found is None:
        return None
    start, asked = found
    if not asked.said:
        before = said_before(spoken, start)
        return _asked_for(before, on) if before else None
    begun, said = without_fillers(spoken[start:]), asked.said[:MAX_REQUEST_CHARS]
    asks = sentence_guards.is_question(begun)
    to_do = is_to_do(begun)
    rule_for_it = start and to_do and sentence_guards.is_standing(said)
    if rule_for_it and not clarity.points_at_nothing(said):
        said = f"{spoken[:start].rstrip()} {said}"  # what the rule is for stands before it
    inner = _read_clause(said, on, cut=asks)
    if inner is None:
        inner = _built("request", _told_kind(said), said, "", cut=asks and not rule_for_it)
    errand = is_errand(begun) or (to_do and is_for_once(spoken))
    loose = (is_loose(begun) or to_do) and not clarity.points_at_nothing(said)
    clear = not ((errand and not sentence_guards.is_standing(said)) or loose or is_advice(begun))
    return replace(inner, form="request", clear=clear)


def _read_clause(clause: str, on: date, *, cut: bool = True) -> Statement | None:
    first = _REASON_FIRST.match(clause)
    body, why = clause, ""
    if first:
        body, why = first["rest"] or first["rest2"], first["why"] or first["why2"]
    plain = _PLEASE.sub("", body, count=1) if _PLEASE.match(body) else body
    for phrase in phrases_for(plain):
        match = phrase.pattern.match(plain) or phrase.pattern.match(body)
        if match is None:
            continue
        if not _holds(phrase.form, match.string, on):
            continue
        kind = kind_said(match.string, phrase.kind)
        if phrase.form == "preference" and sentence_guards.is_about_answers(match.string):
            kind = Kind.FEEDBACK
        return _built(phrase.form, kind, match.string, why, cut=cut)
    return None


def _holds(form: StatementForm, clause: str, on: date) -> bool:
    """Apply the second condition of a form, beyond its first words."""
    if form == "deadline":
        return len(clause) <= MAX_DEADLINE_CHARS and _lies_ahead(clause, on)
    if form == "resource":
        return bool(_SYSTEM.search(clause))
    if sentence_guards.is_momentary(clause):
        return False
    if form == "correction":
        return not sentence_guards.is_about_one_thing(clause)
    return True


def _lies_ahead(clause: str, on: date) -> bool:
    """Tell whether a clause names a day that is still to come."""
    dates = [re.sub(r"\D+", "", item.value) for item in find_relative(clause, on=on)]
    years = re.findall(r"\b(?:19|20)\d\d\b", clause)
    if years and max(years) < str(on.year):
        return False
    # A week, month or quarter compares by the digits it gives.
    ahead = any(value >= on.isoformat().replace("-", "")[: len(value)] for value in dates if value)
    return ahead or (not dates and bool(_EXPLICIT_DATE.search(clause)))


def _stands(statement: Statement, clause: str, *, inside: bool, asks: bool) -> bool:
    """Tell whether a form is believed where it was found."""
    if asks and statement.form not in ("identity", "preference", "decision"):
        return False
    if inside and statement.form == "correction":
        return bool(_MID_RULE.match(clause))
    return not (inside and statement.form in ("resource", "deadline"))


def _told_kind(text: str) -> Kind:
    return guess_kind(text) or Kind.PROJECT


def _built(form: StatementForm, kind: Kind, text: str, why: str, *, cut: bool = True) -> Statement:
    """Make a statement of a text, its reason apart.

    Args:
        cut: Whether to leave out how the sentence goes on, in a question or in what is being done.
    """
    summary, how = text, ""
    if cut and (tail := _TAIL.search(text)) and tail.start() > 12:
        text = summary = text[: tail.start()]
    if (
        not why
        and (match := _REASON.search(text))
        and width(text[: match.start()]) > 8
        and text[match.end() :].strip(" .!?")
    ):
        summary, why = text[: match.start()], text[match.end() :]
    elif form == "correction" and not why and (match := re.search(r"\s[—–-]\s|:\s", text)):
        left, right = text[: match.start()], text[match.end() :]
        if len(left) > 12 and len(right.split()) >= 3:
            summary, why = left, right
    if form == "resource" and (match := _USE.search(summary)):
        summary, how = summary[: match.start()], match["how"]
    elif form in ("identity", "request") and (match := _CONSEQUENCE.search(summary)):
        summary, how = summary[: match.start()], match["how"] or match["how2"]
    return Statement(form, kind, _begun(_closed(summary)), _closed(why), _closed(how))


def _gives_reason(sentence: str) -> bool:
    if not sentence or len(sentence) > MAX_SENTENCE_CHARS or sentence_guards.is_question(sentence):
        return False
    return bool(_REASON_AFTER.match(sentence)) and not sentence_guards.begins_as_question(sentence)


def _clause_starts(text: str) -> Sequence[int]:
    return [0, *(match.end() for match in _CLAUSE.finditer(text))]


def _begun(text: str) -> str:
    """Begin with a capital what was cut out of a sentence, if the word is no name (`npm`)."""
    first = text.split(" ", 1)[0]
    plain = first.replace("'", "").replace("’", "")
    small = first.islower() and (plain in STOP_WORDS or plain in _ORDERS)
    return text[:1].upper() + text[1:] if small else text


def _closed(text: str) -> str:
    """One line, without the end mark and loose punctuation."""
    return " ".join(text.split()).strip(" ,;:，；：、—–-").rstrip(".。!！ ")
