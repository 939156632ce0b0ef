"""How people state things worth keeping, by form and language: patterns for the start of a clause.

Rules

* A pattern is anchored where the speaker speaks for himself: `I prefer`, `never use`, `we decided`.
  `Tom prefers` therefore never matches.
* Precision before coverage: a verb that also occurs in ordinary requests (`want`, `need`, `use`)
  needs a second word that makes it a standing rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from reverie.core.learning.phrase_tables import (
    CHINESE,
    FRENCH,
    GERMAN,
    ITALIAN,
    JAPANESE,
    KOREAN,
    PORTUGUESE,
    RUSSIAN,
    SPANISH,
)
from reverie.types import Kind

if TYPE_CHECKING:
    from reverie.types import StatementForm


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way to state something."""

    form: StatementForm
    kind: Kind
    pattern: re.Pattern[str]


_ROLES: Final = (
    r"(?:\w+[- ]){0,5}?(?:engineers?|developers?|devs?|designers?|managers?|scientists?|"
    r"analysts?|students?|"
    r"researchers?|teachers?|writers?|lead|architect|sre|devops|founder|cto|ceo|pm|consultant|"
    r"beginner|"
    r"newbie|novice|expert|freelancer|contractor|admin|sysadmin|programmer|doctor|nurse|lawyer|"
    r"accountant|"
    r"journalist|professor|postdoc|phd|intern|maintainer|author|owner|director|head of|"
    r"vegetarian|vegan|"
    r"parent|speaker|tester|operator|translator|editor|physicist|biologist|economist|"
    r"mathematician)\b"
)
_OUTPUT: Final = (
    r"(?:answers?|responses?|replies|reply|explanations?|summar(?:y|ies)|comments?|"
    r"commit messages?|"
    r"messages|output|docs|documentation|docstrings?|tests?|functions?|code|diffs?|prs?|"
    r"pull requests?)"
)
_LANGUAGE: Final = (
    r"(?:english|german|french|spanish|italian|portuguese|chinese|japanese|korean|russian|dutch|"
    r"polish|"
    r"arabic|turkish|swedish|deutsch|englisch|français|anglais|español|inglés|inglese|italiano|"
    r"português|"
    r"inglês|русск\w+|английск\w+)"
)

_DO: Final = (
    r"(?:use|include|format|provide|confirm|report|write|run|add|ask|check|keep|put|commit|test|"
    r"return|name|prefer|show|explain|"
    r"answer|respond|reply|give\ me|make\ sure|start|end|sign|squash|rebase|review|lint|type|"
    r"document|quote|cite|specify|"
    r"highlight|tailor|maintain|prioriti[sz]e|combine|mock|push|deploy|merge|force|delete|edit|"
    r"assume|store|log|hard-?code|skip|"
    r"amend|touch|suggest|apologi[sz]e|summari[sz]e|call|retry|import|print|expose|send|share|"
    r"install|change|modify|rename|"
    r"mention|list|separate|wrap|validate|escape|prefix|pin|update|bump|tag|cover|handle|catch|"
    r"raise|throw|verify|propose|"
    r"translate|speak|talk|address|follow|read|open|create|generate|round|convert|express|state|"
    r"repeat|invent|guess|reformat|"
    r"squash|inline|cache|treat|leave|stick\ to|refer|point|link|warn|tell\ me|let\ me\ know)\b"
)
_SUBJECT_USES: Final = (
    r"(?:use|adopt|move|switch|drop|keep|go\ with|go|support|ship|build|store|write|run|host|"
    r"deploy|migrate|replace|remove|rewrite|"
    r"split|merge|standardi[sz]e|stick|stop|not|only|postpone|delay|release|allow|require|make|"
    r"pin|upgrade|deprecate)\b"
)

ENGLISH: Final = {
    "identity": rf"""
        (?:i'm|i\ am)\ (?:also\ )?(?:a|an|the|your|our|not\ a|not\ an)\ {_ROLES}
        |(?:i'm|i\ am)\ (?:pretty\ |very\ |completely\ |fairly\ |
          quite\ )?new\ to\ (?!this\ (?:chat|session)|it\b|them\b)
        |(?:i'm|i\ am)\ (?:on|using)\ (?:windows|linux|mac\w*|ubuntu|fedora|arch|debian|nixos|
          wsl)\b
        |(?:i'm|i\ am)\ (?:based\ in|colou?r[- ]?blind|dyslexic|left-handed|fluent\ in|
          allergic\ to|lactose|diabetic|
          responsible\ for|in\ charge\ of|not\ familiar\ with\ (?!the|this|that|it|them)|
            more\ comfortable\ (?:with|in))\b
        |i\ work\ (?:as|at|for|in|mostly|mainly|remotely|with|part[- ]time)\b(?!\ (?:it|them|
          this|that)\b)
        |i(?:'ve|\ have)\ been\ (?:writing|using|working|doing|programming|coding|teaching|
          developing)\b.*\b(?:years?|since\ (?:19|20)\d\d)\b
        |i(?:'ve|\ have)\ (?:\d+|\w+)\ years?\ of\b
        |i(?:'ve|\ have)\ never\ (?:used|touched|written|worked\ with|learned|learnt)\ (?!them|
          it|this|that|one)\b
        |my\ (?:role|job|background|native\ language|first\ language|mother\ tongue|time\ ?zone|
          name|title|editor|shell|os|
          operating\ system|pronouns|main\ language|day\ job)\ (?:is|are)\b
        |my\ team\ (?:owns|handles|maintains|runs|builds)\b
        |i\ (?:mainly|mostly|usually|typically|primarily|normally|exclusively)\ (?:use|write|
          work|code|program|
          develop|read|speak)\b
        |i\ (?:report\ to|lead|manage|maintain|run)\ (?:the|a|an|our)\ (?:\w+\ ){{0,3}}?
          (?:team|group|department|project|service|repo|company)\b
        |i\ speak\ \w+|i\ live\ in\b|i\ (?:don't|do\ not)\ (?:really\ )?know\ (?:much|
          anything)\ about\b
        |call\ me\ (?-i:[A-Z])\w+
    """,
    "preference": r"""
        i\ (?:really\ |strongly\ |much\ |generally\ |usually\ |always\ |personally\ |
          definitely\ |typically\ )?
          (?:prefer|favou?r)\ (?!(?:to\ \w+\ )?(?:this|that|it|them|the\ (?:first|second|third|
            last|other|former|latter)|option)\b)
        |i(?:'d|\ would)\ (?:rather|prefer)\ (?:you|that\ you|it\ if\ you|if\ you)\b
        |i(?:'d|\ would)\ like\ you\ to\ (?:always|never|stop|keep|avoid|not)\b
        |i\ (?:really\ |absolutely\ |strongly\ )?(?:hate|dislike|detest|can't\ stand|
          cannot\ stand|despise)\ (?!(?:this|that|it|to\ say|how)\b)
        |i\ (?:don't|do\ not)\ (?:like|want)\ (?:it\ when|you\ to|any|to\ see|emojis?|comments|
          long|trailing)\b
        |i\ (?:like|love)\ (?:it\ when\ you|when\ you|my\ \w+|to\ (?:see|have|keep|get|
          work))\b(?!.*!\s*\Z)
        |i\ (?:want|expect|need)\ you\ to\ (?:always|never|stop|keep)\b
        |i\ have\ an?\ (?:[\w-]+\ ){0,4}?(?:preference|aversion|dislike|allergy|phobia)\b|
          i\ have\ no\ interest\ in\b
        |i\ (?:don't|do\ not)\ (?:enjoy|like|trust)\ (?!(?:this|that|it|them|the\ (?:way|look|
          idea|sound)|how|your|what)\b)
        |i\ (?:strictly\ )?follow\ an?\ (?:[\w-]+\ ){0,3}?diet\b
        |(?:i'm|i\ am)\ (?:not\ a\ (?:big\ |huge\ )?fan\ of|averse\ to|
          (?:a\ )?(?:strict\ )?(?:vegan|vegetarian|pescatarian))\b(?!\ (?:this|that|it)\b)
        |i\ (?:strictly\ |actively\ |generally\ |usually\ |always\ |only\ |try\ to\ )?(?:avoid|
          refuse\ to|stick\ to|steer\ clear\ of)\ (?!(?:this|that|it|them)\b)
        |i\ (?:don't|do\ not|never|only|always|rarely)\ (?:eat|drink|use|wear|watch|buy|
          listen\ to|consume|work\ on|take|travel|stay|
          fly|drive)\ (?!(?:this|that|it|them)\b)
        |my\ (?:preference|favou?rite\b.{0,30}?)\ (?:is|are)\b(?!\ (?:this|that|it)\b)
    """,
    "correction": rf"""
        (?:from\ now\ on|going\ forward|in\ (?:the\ )?future|
          by\ default)\b[\s,]+(?:please\ )?(?:you\ (?:should|must)\ )?
          (?:don't|do\ not|always|never|only|no|stop|avoid|all|every|when|keep|be|{_DO})\b
        |always\ {_DO}|never\ (?:ever\ )?{_DO}(?!\ (?:up|never)\b)
        |you\ (?:should|must|need\ to|have\ to)\ (?:always|never)\b
        |(?:whenever|every\ time|each\ time)\ you\ (?!need|want|feel|like|
          are)\w+[^,]*,\s+(?:please\ |always\ |also\ |first\ )*{_DO}
        |(?:don't|do\ not)\ ever\ {_DO}|stop\ (?!it\b|that\b|this\b|the\b|there\b|here\b)\w+ing\b
        |(?:don't|do\ not)\ (?:add|use|include|write|mock|summari[sz]e|repeat|explain|
          apologi[sz]e|
          generate|commit|push|force|amend|deploy|merge|put|create|assume|suggest|guess|invent|
            import|rename|
          reformat|squash|rebase|hard-?code|auto-?format|skip|log|print|catch|
            swallow)\b(?!\ (?:it|that|this|them|anything\ else)\b)
        |avoid\ (?!the\b|this\b|that\b|it\b)\w+
        |use\ (?!of\b).{{2,60}}?\b(?:instead\ of|rather\ than|over|and\ not)\ \S+|
          use\ [^,]{{2,40}},\ not\ \S+
        |prefer\ .+?\ (?:over|to|instead\ of|rather\ than)\ \S
        |keep\ (?:your\ |all\ )?(?:\w+\ )?{_OUTPUT}\ \w+|be\ (?:more\ |less\ )?
          (?:concise|brief|terse|direct|verbose|specific)\b(?=\s*(?:[,.!]|with|in|when|and|\Z))
        |(?!i\b|i'|we\b|we'|you\b|it\b|they\b)[a-z]+\ .*\b(?:from\ now\ on|
          going\ forward)[.!]*\s*\Z
        |(?:always\ )?(?:answer|reply|respond|talk|
          speak)\ (?:to\ me\ )?(?:only\ )?in\ {_LANGUAGE}\b
        |write\ (?:all\ |your\ )?{_OUTPUT}\ (?:only\ )?in\ {_LANGUAGE}\b
        |no\ (?:more\ )?(?:emojis?|trailing\ summar\w+|comments?|semicolons|force[- ]push\w*|
          mocks?)\b
    """,
    "decision": rf"""
        we(?:'ve|\ have)?\ (?:just\ |finally\ |now\ |all\ )?(?:decided|agreed|
          opted)\ (?:to\ {_SUBJECT_USES}|on\b|against\b|that\b|for\b)
        |we(?:'ve|\ have)?\ (?:just\ |finally\ |now\ |all\ )?(?:chose|chosen|settled\ on|
          standardi[sz]ed\ on|dropped|switched\ (?:to|from)|
          moved\ (?:to|from|off)|migrated\ (?:to|from))\b
        |we(?:'re|\ are)\ (?:going\ with|switching|moving\ (?:to|off|from)|migrating|dropping|
          standardi[sz]ing|sunsetting|
          deprecating|ripping\ out|rewriting|replacing)\b
        |we(?:'ll|\ will)\ (?:go\ with|stick\ (?:with|to)|use|support|drop|
          keep)\b(?=.*\b(?:because|since|so\ that|instead)\b)
        |we\ (?:no\ longer|don't|do\ not|only|always|never)\ (?:use|support|deploy|allow|ship|
          merge|commit|run|release)\b
        |we\ (?:now\ )?use\ \S.*?\ (?:for|as|instead\ of|because)\b
        |let's\ (?:go\ with|use|stick\ (?:with|to))\b(?=.*\b(?:because|since|so\ that)\b)
        |(?:the|our)\ (?:team|company|org|management|security\ team|legal)\ (?:has\ |
          have\ )?(?:decided|agreed|requires?|mandates?)\b
        |(?:the|our)\ (?:decision|policy|convention)\ is\b
        |(?:legal|security|compliance|the\ law|the\ auditors?|gdpr|management)\ (?:say|require|
          mandate|want)s?\ (?:that\ )?
          (?:we|us)\ (?:must|need|have\ to|may\ not|can't|cannot|to)\b
    """,
    "deadline": r"""
        (?!i\b|i'm|i'll|i've|you|can\ |could\ |please|let's|let\ me|on\ another)
        (?!.*\b(?:was|were|had|did|launched|released|shipped|failed|ended|i'm|i've|i\ was|
          wondering|born|foaled)\b)
        (?=.*\b(?:deadlines?|due|releas(?:e|es|ing)|ships?|shipping|launch(?:es|ing)?|freez(?:e|
          es|ing)|frozen|go(?:es|ing)?\ live|
          go-live|demo|audit|expires?|ends|starts|migration|cutover|sunset|handover|
            must\ be\ (?:done|finished|ready)|
          has\ to\ be\ (?:done|finished|ready))\b)\S
    """,
    "resource": r"""
        we\ (?:track|file|log|document|report|keep|discuss|store|plan)\ (?!it\b|this\b|
          that\b)\w+.*?\ (?:in|on|at)\b|
        (?!i\b|can\ |could\ |please|look|see|read|open|fetch|check|summari[sz]e|download|go\ to|
          visit)
        (?=.*\b(?:dashboards?|runbooks?|wiki|docs?|documentation|tickets?|boards?|channel|
          tracker|specs?|
          design\ docs?|spreadsheet|bugs?|issues?|logs?|metrics|alerts?|playbooks?|incidents?|
            postmortems?|meeting\ notes|roadmap|
            mockups|designs|repo)\b)
        .*?\b(?:is|are|lives?|live|sits?|can\ be\ found|found|tracked|kept|documented|filed|
          stored|goes|go|reported|
          discussed)\ (?:\w+\ ){0,3}?(?:at|in|on|under|here)\b
    """,
}

_KINDS: Final[dict[str, Kind]] = {
    "identity": Kind.USER,
    "preference": Kind.USER,
    "correction": Kind.FEEDBACK,
    "decision": Kind.PROJECT,
    "deadline": Kind.PROJECT,
    "resource": Kind.REFERENCE,
}
# A resource is told from a decision by its address.
_ORDER: Final[tuple[StatementForm, ...]] = (
    "identity", "preference", "correction", "decision", "resource", "deadline",
)  # fmt: skip
_SCRIPTS: Final = (
    (re.compile("[\u3040-\u30ff]"), (JAPANESE,)),
    (re.compile("[\u3400-\u9fff]"), (CHINESE, JAPANESE)),
    (re.compile("[\uac00-\ud7a3]"), (KOREAN,)),
    (re.compile("[\u0400-\u04ff]"), (RUSSIAN,)),
)
# Small words that tell the Latin languages apart.
_LATIN: Final = (
    (
        ENGLISH,
        "the and is are to of you my for with i'm don't we our please not that always never this i"
        " on as do no in a an it",
    ),
    (GERMAN, "ich wir der die das und ist nicht bitte ein eine mit für auf immer keine im zu den"),
    (FRENCH, "je nous le les et est pas des une dans pour que tu toujours jamais sur au du on"),
    (SPANISH, "yo el los las y es que para en una por con siempre nunca lo hemos mi del al"),
    (PORTUGUESE, "eu o os as e é não que para em uma por com sempre nunca do da na no"),
    (ITALIAN, "io il gli e è non di che per una con sono sempre mai le nel la"),
)


def phrases_for(text: str) -> tuple[Phrase, ...]:
    """Return the phrases of the languages that a text may be in: by its script, then its small words."""
    for script, tables in _SCRIPTS:
        if script.search(text):
            return tuple(phrase for table in tables for phrase in _compiled(id(table)))
    said = set(text.lower().replace("’", "'").split())
    hits = [len(said.intersection(words.split())) for _, words in _LATIN]
    likely = [table for (table, _), count in zip(_LATIN, hits, strict=True) if count == max(hits)]
    return tuple(phrase for table in likely for phrase in _compiled(id(table)))


@cache
def _compiled(table_id: int) -> tuple[Phrase, ...]:
    # Compiling takes milliseconds a language, and most conversations need only one.
    table = next(table for table in _TABLES if id(table) == table_id)
    return tuple(
        Phrase(form, _KINDS[form], re.compile(table[form], re.I | re.X)) for form in _ORDER
    )


_TABLES: Final = (
    ENGLISH, CHINESE, JAPANESE, KOREAN, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN,
)  # fmt: skip
