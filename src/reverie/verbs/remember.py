"""Remember: keep one thing that somebody asked to keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from reverie.core.runs.planning import without_secrets
from reverie.core.showing.fence import strip_recall_blocks
from reverie.core.topics import remember as rules
from reverie.core.topics.topic import parse_topic
from reverie.errors import ContentTooLarge, InvalidContent, MemoryUnavailable, StaleBase
from reverie.types import Plan, Remembered, RunInfo, Scope, Usage
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.types import Applied, Kind, SecretFinding, Strategy, Topic
    from reverie.verbs.verb_context import VerbContext

MAX_CONTENT_BYTES: Final = 65_536  # the daemon's document allows as much


def remember(
    ctx: VerbContext,
    text: str,
    *,
    scope: Scope | None = None,
    kind: Kind | None = None,
    name: str | None = None,
    why: str | None = None,
    how: str | None = None,
    clean: bool = False,
    replaces: str | None = None,
    info: RunInfo | None = None,
    dry_run: bool = False,
) -> Remembered:
    """Add a memory, unless it is known; `clean` adds without looking.

    With a model an agent decides where it goes, unless name, why, how or what it replaces are given;
    whatever becomes of that, the text is not lost.

    Args:
        replaces: Id of an entry that does not hold any more; it is kept with its last day.
    """
    settings = ctx.settings
    if not settings.memory.enabled:
        raise MemoryUnavailable(
            "managed memory is switched off here; `reverie config set memory.enabled true` turns it on"
        )
    text = strip_recall_blocks(text)
    if not text.strip():
        raise InvalidContent("there is nothing to remember: the text is empty")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_CONTENT_BYTES:
        raise ContentTooLarge(
            f"the text has {size} bytes; one memory may have {MAX_CONTENT_BYTES}. Split it up."
        )
    # Before the text names a file or is shown to a model.
    text, taken_out = without_secrets(text, settings.secrets)
    name, why, how = (
        value and without_secrets(value, settings.secrets)[0] for value in (name, why, how)
    )
    about = info or RunInfo(verb="remember")
    usage = Usage()
    model = None if name or why or how or replaces else ctx.model_for("remember")
    if model is not None:
        from reverie.verbs.asking.remember_agent import think

        thought = think(ctx, text, model=model, scope=scope, kind=kind, clean=clean)
        usage = thought.usage
        if thought.plan is not None:
            signed = replace(about, detail={**about.detail, **thought.detail})
            tell = partial(_outcome, thought.plan, dry_run=dry_run, strategy="model", usage=usage,
                           taken_out=taken_out)  # fmt: skip
            drafted = Plan(tuple(thought.changes), signed, tell, once=True)
            try:
                return run(lambda: drafted, store=ctx.confined(), dry_run=dry_run)
            except (
                StaleBase
            ) as stale:  # somebody wrote meanwhile: the quick way needs no second run
                usage = replace(usage, fallback=stale.code)
    memo = rules.read_memo(
        text,
        kind=kind,
        scope=scope,
        name=name,
        why=why,
        how=how,
        in_project=ctx.workspace.in_project,
    )

    near = {} if clean or replaces else ctx.nearest(memo.content)

    def looked_at() -> Sequence[Topic]:
        if replaces:  # an id can be that of any entry
            return ctx.store.topics()
        return () if clean else concerned(ctx, memo, near)

    plans = count()

    def plan() -> Plan[Remembered]:
        # A new name is seldom taken, and the write itself looks: so the first plan does without a look.
        look = dry_run or next(plans) > 0
        made = rules.plan(
            memo,
            looked_at(),
            workspace=ctx.workspace,
            dialect=ctx.dialect,
            taken=lambda path: look and ctx.store.read(path) is not None,
            today=ctx.clock().date(),
            clean=clean,
            replacing=(replaces or "").strip(),
            near=near,
        )
        tell = partial(_outcome, made, dry_run=dry_run, usage=usage, taken_out=taken_out)
        return Plan(tuple(made.changes), about, tell)

    return run(plan, store=ctx.store, dry_run=dry_run)


def concerned(ctx: VerbContext, memo: rules.Memo, near: Iterable[str] = ()) -> Sequence[Topic]:
    """Return what a statement may concern: in its own memory, and what it may change in the other one.

    Args:
        near: Paths of topics that are near in meaning, whether they share a word or not.
    """
    scopes = [memo.scope]
    if not memo.scope_named and ctx.workspace.in_project:
        scopes += [scope for scope in Scope if scope is not memo.scope]
    found = ctx.concerned(memo.content, *scopes)
    have = {topic.path for topic in found}
    more = (_topic(ctx, path) for path in near if path not in have)
    return [*found, *(topic for topic in more if topic)]


def _topic(ctx: VerbContext, path: str) -> Topic | None:
    for scope in Scope:
        root = ctx.workspace.memory_root(scope)
        if path.startswith(f"{root}/"):
            text = ctx.store.read(path)
            rel = path[len(root) + 1 :]
            return parse_topic(text, path=path, rel=rel, scope=scope) if text else None
    return None


def _outcome(
    plan: rules.Plan,
    applied: Applied,
    *,
    dry_run: bool,
    strategy: Strategy = "heuristic",
    usage: Usage,
    taken_out: Sequence[SecretFinding],
) -> Remembered:
    return Remembered(
        summary=_sentence(plan, dry_run=dry_run),
        action=plan.action,
        path=plan.path,
        entry=plan.entry,
        scope=plan.scope,
        kind=plan.kind,
        name=plan.name,
        run=applied.run,
        files_touched=applied.paths,
        touched_scopes=applied.scopes,
        similar=plan.similar,
        replaced=plan.replaced,
        redactions=(
            *(replace(item, path=plan.path) for item in taken_out),
            *applied.redactions,
        ),
        delta=plan.delta,
        strategy=strategy,
        dry_run=dry_run,
        usage=usage,
    )


def _sentence(plan: rules.Plan, *, dry_run: bool) -> str:
    whose = "your" if plan.scope is Scope.USER else "the project's"
    where = f"in {whose} memory ({plan.kind.value})"
    match plan.action:
        case "added":
            did = "Would remember" if dry_run else "Remembered"
            above = f" above “{plan.beside}”" if plan.beside else ""
            return f"{did} “{plan.name}”{above} {where}.{_hint(plan)}"
        case "known":
            return f"Already known: “{plan.name}” {where}."
        case "superseded":
            did = "Would put" if dry_run else "Put"
            return (
                f"{did} “{plan.name}” in the place of “{plan.replaced}” {where};"
                " the old one stays below it with its last day."
            )


def _hint(plan: rules.Plan) -> str:
    """Say what to do if something alike is in fact outdated."""
    if not plan.similar:
        return ""
    near = plan.similar[0]
    if plan.beside:
        return (
            f" Both stay, the newer one first; if the older one does not hold any more,"
            f" `reverie forget --id {near}`."
        )
    return (
        f" It sounds like {near}, which stays; if that does not hold any more, undo this and"
        f" `reverie update {near}` with the new text."
    )
