"""Verification: what in an agent's layers no longer fits, found by reading alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final

from reverie.core.dreaming import sameness
from reverie.core.history.turns import said
from reverie.core.layers import semantic, working
from reverie.core.layers.consolidate import says_done
from reverie.core.layers.tree import SEMANTIC, WORKING, parse_layer_file
from reverie.core.learning.sentences import sentences
from reverie.core.markdown.bullets import bullets
from reverie.core.text.words import containment
from reverie.types import Kind, Problem

if TYPE_CHECKING:
    from reverie.types import Turn

_ENOUGH_TURNS: Final = 8  # fewer say nothing about what is forgotten
_MENTIONED: Final = 0.5
_MAX_PAIRS: Final = 20_000  # statements compared in one file; more are compared by the dream


def verify_layers(
    *,
    working_text: str,
    core: Sequence[tuple[str, str]],
    semantics: Mapping[str, str],
    turns: Sequence[Turn],
    learnt: Sequence[semantic.Learnt],
    core_limit: int,
    working_limit: int,
) -> list[Problem]:
    """Compare the layers with their limits, with each other and with the last turns."""
    return [
        *_limits(working_text, core, core_limit, working_limit),
        *_tasks(working_text, turns),
        *_facts(semantics),
        *_outdated(semantics, learnt),
    ]


def _limits(
    working_text: str, core: Sequence[tuple[str, str]], core_limit: int, working_limit: int
) -> list[Problem]:
    found: list[Problem] = []
    over = working.size(working_text) - working.bound(working_text, limit=working_limit)
    if over > 0:
        found.append(
            Problem(
                "working_over_bound",
                f"working memory is {over:,} characters over its limit, so its end is not in the prompt",
                path=WORKING,
                fix="reverie working drop, or reverie cognition run",
            )
        )
    for rel, text in core:
        file = parse_layer_file(rel, text, limit=core_limit)
        if len(file.body.strip()) > file.limit:
            what = f"{rel} has {len(file.body.strip()):,} characters; only {file.limit:,} are in the prompt"
            found.append(
                Problem("core_over_limit", what, path=rel, fix="shorten it, or raise its limit")
            )
    return found


def _tasks(working_text: str, turns: Sequence[Turn]) -> list[Problem]:
    heard = [sentence for turn in turns for _, text in said(turn) for sentence in sentences(text)]
    claims = [sentence for sentence in heard if says_done(sentence)]
    found: list[Problem] = []
    for number, item in enumerate(bullets(working_text, working.TASKS), 1):
        if any(containment(item.line, claim) >= 0.75 for claim in claims):
            what = f"task {number} seems to be done: {item.line}"
            found.append(
                Problem("task_done", what, path=WORKING, fix=f"reverie working done {number}")
            )
        elif len(turns) >= _ENOUGH_TURNS and not any(
            containment(item.line, sentence) >= _MENTIONED for sentence in heard
        ):
            what = f"task {number} was not spoken of in the last {len(turns)} turns: {item.line}"
            fix = f"reverie working drop tasks {number}"
            found.append(Problem("task_silent", what, path=WORKING, fix=fix))
    return found


def _facts(semantics: Mapping[str, str]) -> list[Problem]:
    found: list[Problem] = []
    for rel in SEMANTIC:
        listed = [semantic.statement(it) for it in semantic.statements(semantics.get(rel, ""), rel)]
        for count, (one, two) in enumerate(combinations(listed, 2)):
            if count >= _MAX_PAIRS:
                what = f"{rel} lists {len(listed):,} statements; only the first pairs were compared"
                found.append(Problem("not_compared", what, path=rel))
                break
            if sameness.says_same(one, two):
                found.append(Problem("said_twice", f"{rel} says twice: {one}", path=rel))
            elif sameness.changed_value(one, two, kind=Kind.PROJECT):
                what = f"{rel} contradicts itself: {one} | {two}"
                found.append(Problem("contradiction", what, path=rel))
    return found


def _outdated(semantics: Mapping[str, str], learnt: Sequence[semantic.Learnt]) -> list[Problem]:
    found: list[Problem] = []
    for item in learnt:
        rel, _ = semantic.place_of(item.patch)
        for listed in semantic.statements(semantics.get(rel, ""), rel):
            old = semantic.statement(listed)
            if not item.imported and sameness.changed_value(
                old, item.patch.summary, kind=item.patch.kind
            ):
                what = f"{rel} says: {old}. {item.turn} says: {item.patch.summary}"
                fix = "reverie cognition run semantic_memory.extract"
                found.append(Problem("outdated", what, path=rel, fix=fix))
    return found
