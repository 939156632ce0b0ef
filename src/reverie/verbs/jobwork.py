"""The work of each background job: gather its files, ask, decide what to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from reverie.config import Settings
from reverie.core import consolidate, jobs, semantic, turns, verification, working
from reverie.core.bullets import section_of
from reverie.core.extraction import find_patches
from reverie.core.layers import (
    CORE,
    SEMANTIC,
    SEMANTIC_HEADINGS,
    WORKING,
    WORKING_HEADINGS,
    scaffold,
)
from reverie.core.text import digest
from reverie.core.tokens import normalize
from reverie.errors import ModelError
from reverie.ports import AgentTree, Clock, Store
from reverie.types import Change, Dropped, Problem, Turn
from reverie.verbs.working import archive_changes, moved_items


@dataclass(frozen=True, slots=True)
class JobTask:
    """What somebody wiser is given to propose new texts."""

    job: str
    files: Mapping[str, str]
    """The files it may change, by relative path."""
    turns: Sequence[Turn]
    limit: int
    """The bound of working memory."""


Propose: TypeAlias = Callable[[JobTask], Mapping[str, str] | None]
"""Asks somebody wiser: new texts by relative path; None when it has nothing to propose."""


@dataclass(frozen=True, slots=True)
class JobDesk:
    """What a job works with."""

    store: Store
    tree: AgentTree
    settings: Settings
    clock: Clock
    propose: Propose | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """What a job decided."""

    changes: tuple[Change, ...] = ()
    summary: str = ""
    strategy: Literal["deterministic", "model"] = "deterministic"
    fallback: str = ""
    dropped: tuple[Dropped, ...] = ()
    report: tuple[Problem, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)


def plan(job: str, *, desk: JobDesk, taken: Sequence[Turn]) -> Work:
    """Decide what a job writes, or what a review reports."""
    match job:
        case jobs.CONSOLIDATE:
            return _consolidate(desk, taken)
        case jobs.EXTRACT:
            return _extract(desk, taken)
        case _:
            return _verify(desk, taken)


# --- working memory -------------------------------------------------------------------------------


def _consolidate(desk: JobDesk, taken: Sequence[Turn]) -> Work:
    limit = desk.settings.layers.working_limit
    files = _read(desk, [WORKING])
    text = files[WORKING] if files[WORKING] is not None else _fresh(desk, WORKING)
    task = JobTask(jobs.CONSOLIDATE, {WORKING: text}, taken, limit)
    proposed, fallback = _asked(desk, task, _loses_heading)
    if proposed is not None:
        fitted, moved, over = working.fit(proposed[WORKING], limit=limit)
        done = consolidate.Consolidated(fitted, moved=tuple(moved), over=over)
        summary = "rewritten"
    else:
        done = consolidate.consolidate(text, taken, limit=limit)
        summary = done.summary
    changes = _changes(desk, files, {WORKING: done.text})
    changes += archive_changes(done.moved, store=desk.store, tree=desk.tree, clock=desk.clock)
    dropped = list(moved_items(done.moved, desk.clock))
    if done.over:
        dropped.append(Dropped(WORKING, f"still {done.over:,} characters over its bound"))
    return Work(
        tuple(changes),
        summary,
        "model" if proposed is not None else "deterministic",
        fallback,
        tuple(dropped),
        detail={"closed": list(done.closed), "tasks": list(done.tasks), "turns": _ids(taken)},
    )


def _loses_heading(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    for rel, text in after.items():
        for heading in WORKING_HEADINGS:
            if section_of(before[rel], heading) and not section_of(text, heading):
                return f"it drops the heading {heading}"
    return ""


# --- semantic memory ------------------------------------------------------------------------------


def _extract(desk: JobDesk, taken: Sequence[Turn]) -> Work:
    files = _read(desk, SEMANTIC)
    texts = {rel: text if text is not None else _fresh(desk, rel) for rel, text in files.items()}
    task = JobTask(jobs.EXTRACT, texts, taken, desk.settings.layers.working_limit)
    proposed, fallback = _asked(desk, task, _loses_statement)
    if proposed is not None:
        changes = _changes(desk, files, proposed)
        return Work(tuple(changes), "rewritten", "model", detail={"turns": _ids(taken)})
    learnt, dropped = _learnt(desk, taken)
    done = semantic.plan_semantic(texts, learnt)
    return Work(
        tuple(_changes(desk, files, done.files)),
        done.summary,
        fallback=fallback,
        dropped=(*dropped, *done.dropped),
        detail={
            "evidence": {said: list(ids) for said, ids in done.evidence.items()},
            "superseded": [list(pair) for pair in done.superseded],
        },
    )


def _loses_statement(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    for rel, text in after.items():
        kept = normalize(" ".join(text.split()))
        for item in semantic.statements(before[rel], rel):
            if normalize(" ".join(semantic.statement(item).split())) not in kept:
                return f"it loses: {semantic.statement(item)}"
        missing = [name for name in SEMANTIC_HEADINGS[rel] if not section_of(text, name)]
        if missing:
            return f"it drops the heading {missing[0]}"
    return ""


def _learnt(desk: JobDesk, taken: Sequence[Turn]) -> tuple[list[semantic.Learnt], list[Dropped]]:
    """Find statements turn by turn, so that each knows its turn and its day."""
    learnt: list[semantic.Learnt] = []
    dropped: list[Dropped] = []
    for turn in sorted(taken, key=lambda item: (bool(not item.source), item.created_at, item.seq)):
        found = find_patches(
            turns.as_messages(turn),
            memory_roots=(),
            cwd="/",
            now=turn.created_at,
            min_width=desk.settings.extract.min_width,
        )
        dropped += found.dropped
        name = turns.turn_id(turn.seq)
        learnt += [
            semantic.Learnt(patch, name, turn.created_at, bool(turn.source))
            for patch in found.patches
        ]
    return learnt, dropped


# --- verification ---------------------------------------------------------------------------------


def _verify(desk: JobDesk, taken: Sequence[Turn]) -> Work:
    core = {rel: text for rel, text in _read(desk, desk.tree.markdown(CORE)).items() if text}
    texts = {rel: text or "" for rel, text in _read(desk, [WORKING, *SEMANTIC]).items()}
    learnt, _ = _learnt(desk, taken)
    found = verification.verify_layers(
        working_text=texts[WORKING],
        core=sorted(core.items()),
        semantics=texts,
        turns=taken,
        learnt=learnt,
        core_limit=desk.settings.layers.core_limit,
        working_limit=desk.settings.layers.working_limit,
    )
    summary = f"{len(found)} findings" if found else "nothing found"
    return Work(summary=summary, report=tuple(found), detail={"turns": _ids(taken)})


# --- common ---------------------------------------------------------------------------------------


def _asked(
    desk: JobDesk, task: JobTask, objection: Callable[[Mapping[str, str], Mapping[str, str]], str]
) -> tuple[dict[str, str] | None, str]:
    """Ask for a proposal; return it checked and whole, or None and why not."""
    if desk.propose is None:
        return None, ""
    try:
        proposed = desk.propose(task)
    except ModelError as error:
        return None, f"{error.code}: {error}"
    if proposed is None:
        return None, "nothing was proposed"
    stray = sorted(set(proposed) - set(task.files))
    if stray:
        return None, f"it writes to {stray[0]}, which is not its to write"
    reason = objection(task.files, proposed)
    return (None, reason) if reason else ({**task.files, **proposed}, "")


def _read(desk: JobDesk, rels: Sequence[str]) -> dict[str, str | None]:
    return {rel: desk.store.read(f"{desk.tree.root}/{rel}") for rel in rels}


def _changes(
    desk: JobDesk, before: Mapping[str, str | None], after: Mapping[str, str]
) -> list[Change]:
    found: list[Change] = []
    for rel, text in after.items():
        old = before[rel]
        if text != old:
            base = None if old is None else digest(old)
            found.append(Change(f"{desk.tree.root}/{rel}", text, base))
    return found


def _fresh(desk: JobDesk, rel: str) -> str:
    limits = desk.settings.layers
    files = scaffold("", core_limit=limits.core_limit, working_limit=limits.working_limit)
    return files[rel]


def _ids(taken: Sequence[Turn]) -> list[str]:
    return [turns.turn_id(turn.seq) for turn in taken]
