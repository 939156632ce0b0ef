"""The work of each background job: gather its files, ask, decide what to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from reverie.core.history import turns
from reverie.core.layers import consolidate, jobs, semantic, verification, working
from reverie.core.layers.tree import (
    CORE,
    SEMANTIC,
    SEMANTIC_HEADINGS,
    WORKING,
    WORKING_HEADINGS,
)
from reverie.core.learning.extraction import find_patches
from reverie.core.markdown.bullets import section_of
from reverie.core.text.plain import digest
from reverie.core.text.words import normalize
from reverie.errors import ModelError, RememberPathEscape
from reverie.types import Change, Dropped, Usage
from reverie.verbs.layers.working import archive_changes, fresh, moved_items

if TYPE_CHECKING:
    from reverie.types import Problem, Turn
    from reverie.verbs.verb_context import LayerContext


@dataclass(frozen=True, slots=True)
class JobTask:
    """What somebody wiser is given to propose new texts."""

    job: str
    files: Mapping[str, str]
    """The files it may change, by relative path."""
    turns: Sequence[Turn]
    limit: int
    """The bound of working memory."""
    root: str
    """Where the files lie in the store."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What somebody wiser came up with."""

    files: Mapping[str, str]
    """New texts by relative path; files it leaves alone are missing."""
    words: str = ""
    usage: Usage = field(default_factory=Usage)


Propose: TypeAlias = Callable[[JobTask], Proposal | None]
"""Asks somebody wiser; None when it has nothing to propose."""


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
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What came of asking: the texts to write, or why the deterministic way is taken."""

    files: Mapping[str, str] | None = None
    fallback: str = ""
    words: str = ""
    usage: Usage = field(default_factory=Usage)


def plan(
    ctx: LayerContext, job: str, taken: Sequence[Turn], *, propose: Propose | None = None
) -> Work:
    """Decide what a job writes, or what a review reports."""
    match job:
        case jobs.CONSOLIDATE:
            return _consolidate(ctx, taken, propose)
        case jobs.EXTRACT:
            return _extract(ctx, taken, propose)
        case _:
            return _verify(ctx, taken, propose)


# --- working memory -------------------------------------------------------------------------------


def _consolidate(ctx: LayerContext, taken: Sequence[Turn], propose: Propose | None) -> Work:
    limit = ctx.settings.layers.working_limit
    files = _read(ctx, [WORKING])
    text = files[WORKING] if files[WORKING] is not None else fresh(ctx, WORKING)
    task = JobTask(
        jobs.CONSOLIDATE, {WORKING: text}, taken, working.bound(text, limit=limit), ctx.tree.root
    )
    asked = _asked(propose, task, _loses_heading)
    if asked.files is not None:
        fitted, moved, over = working.fit(asked.files[WORKING], limit=limit)
        done = consolidate.Consolidated(fitted, moved=tuple(moved), over=over)
        summary = asked.words or "rewritten"
    else:
        done = consolidate.consolidate(text, taken, limit=limit)
        summary = done.summary
    changes = _changes(ctx, files, {WORKING: done.text})
    changes += archive_changes(ctx, done.moved)
    dropped = list(moved_items(ctx, done.moved))
    if done.over:
        dropped.append(Dropped(WORKING, f"still {done.over:,} characters over its limit"))
    return Work(
        tuple(changes),
        summary,
        "model" if asked.files is not None else "deterministic",
        asked.fallback,
        tuple(dropped),
        detail={"closed": list(done.closed), "tasks": list(done.tasks), "turns": _ids(taken)},
        usage=asked.usage,
    )


def _loses_heading(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    if not after:  # turns that leave no trace here would be gone from the prompt
        return "nothing was written"
    for rel, text in after.items():
        for heading in WORKING_HEADINGS:
            if section_of(before[rel], heading) and not section_of(text, heading):
                return f"it drops the heading {heading}"
    return ""


# --- semantic memory ------------------------------------------------------------------------------


def _extract(ctx: LayerContext, taken: Sequence[Turn], propose: Propose | None) -> Work:
    files = _read(ctx, SEMANTIC)
    texts = {rel: text if text is not None else fresh(ctx, rel) for rel, text in files.items()}
    task = JobTask(jobs.EXTRACT, texts, taken, ctx.settings.layers.working_limit, ctx.tree.root)
    asked = _asked(propose, task, _loses_statement)
    if asked.files is not None:
        changes = tuple(_changes(ctx, files, asked.files))
        words, turn_ids = asked.words or "rewritten", {"turns": _ids(taken)}
        return Work(changes, words, "model", detail=turn_ids, usage=asked.usage)
    learnt, dropped = _learnt(ctx, taken)
    done = semantic.plan_semantic(texts, learnt)
    return Work(
        tuple(_changes(ctx, files, done.files)),
        done.summary,
        fallback=asked.fallback,
        usage=asked.usage,
        dropped=(*dropped, *done.dropped),
        detail={
            "evidence": {said: list(ids) for said, ids in done.evidence.items()},
            "superseded": [list(pair) for pair in done.superseded],
        },
    )


def _loses_statement(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    if not after:
        return "nothing was written"
    for rel, text in after.items():
        kept = normalize(" ".join(text.split()))
        for item in semantic.statements(before[rel], rel):
            if normalize(" ".join(semantic.statement(item).split())) not in kept:
                return f"it loses: {semantic.statement(item)}"
        missing = [name for name in SEMANTIC_HEADINGS[rel] if not section_of(text, name)]
        if missing:
            return f"it drops the heading {missing[0]}"
    return ""


def _learnt(
    ctx: LayerContext, taken: Sequence[Turn]
) -> tuple[list[semantic.Learnt], list[Dropped]]:
    """Find statements turn by turn, so that each knows its turn and its day."""
    learnt: list[semantic.Learnt] = []
    dropped: list[Dropped] = []
    for turn in sorted(taken, key=lambda item: (bool(not item.source), item.created_at, item.seq)):
        found = find_patches(
            turns.as_messages(turn),
            memory_roots=(),
            cwd="/",
            now=turn.created_at,
            min_width=ctx.settings.extract.min_width,
        )
        dropped += found.dropped
        name = turns.turn_id(turn.seq)
        learnt += [
            semantic.Learnt(patch, name, turn.created_at, bool(turn.source))
            for patch in found.patches
        ]
    return learnt, dropped


# --- verification ---------------------------------------------------------------------------------


def _verify(ctx: LayerContext, taken: Sequence[Turn], propose: Propose | None) -> Work:
    core = {rel: text for rel, text in _read(ctx, ctx.tree.markdown(CORE)).items() if text}
    texts = {rel: text or "" for rel, text in _read(ctx, [WORKING, *SEMANTIC]).items()}
    learnt, _ = _learnt(ctx, taken)
    found = verification.verify_layers(
        working_text=texts[WORKING],
        core=sorted(core.items()),
        semantics=texts,
        turns=taken,
        learnt=learnt,
        core_limit=ctx.settings.layers.core_limit,
        working_limit=ctx.settings.layers.working_limit,
    )
    summary = f"{len(found)} findings" if found else "nothing found"
    files = {**core, **texts}
    task = JobTask(jobs.VERIFY, files, taken, ctx.settings.layers.working_limit, ctx.tree.root)
    asked = _asked(propose, task, lambda _, after: "it changes files" if after else "")
    words = {"review": asked.words} if asked.words else {}
    return Work(
        summary=summary,
        strategy="model" if words else "deterministic",
        fallback=asked.fallback,
        report=tuple(found),
        detail={"turns": _ids(taken), **words},
        usage=asked.usage,
    )


# --- common ---------------------------------------------------------------------------------------


def _asked(
    propose: Propose | None,
    task: JobTask,
    objection: Callable[[Mapping[str, str], Mapping[str, str]], str],
) -> _Asked:
    """Ask for a proposal; return it checked and whole, or why it is not taken."""
    if propose is None:
        return _Asked()
    try:
        proposed = propose(task)
    except (ModelError, RememberPathEscape) as error:
        spent = error.evidence.get("usage")
        used = spent if isinstance(spent, Usage) else Usage()
        return _Asked(fallback=f"{error.code}: {error}", usage=used)
    if proposed is None:
        return _Asked(fallback="nothing was proposed")
    stray = sorted(set(proposed.files) - set(task.files))
    reason = f"it writes to {stray[0]}, which it may not write" if stray else ""
    reason = reason or objection(task.files, proposed.files)
    if reason:
        return _Asked(fallback=reason, usage=proposed.usage)
    return _Asked({**task.files, **proposed.files}, "", proposed.words, proposed.usage)


def _read(ctx: LayerContext, rels: Sequence[str]) -> dict[str, str | None]:
    return {rel: ctx.store.read(f"{ctx.tree.root}/{rel}") for rel in rels}


def _changes(
    ctx: LayerContext, before: Mapping[str, str | None], after: Mapping[str, str]
) -> list[Change]:
    found: list[Change] = []
    for rel, text in after.items():
        old = before[rel]
        if text != old:
            base = None if old is None else digest(old)
            found.append(Change(f"{ctx.tree.root}/{rel}", text, base))
    return found


def _ids(taken: Sequence[Turn]) -> list[str]:
    return [turns.turn_id(turn.seq) for turn in taken]
