"""Move: put a memory into the other scope, with everything that belongs to it.

Rules
- The text stays as it is, reason, use and former values included; only a kind that names its scope (`user`,
  `project`) follows it. The name stays, too, unless another file there has it.
- Since when it is so, and since when each entry is, stays known; so does which runs wrote it before.
- Links of other memories follow. It is one run, and an undo takes it back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from reverie.core.dreaming.entry_dates import DATES_FILE, dated_entries, dates_key
from reverie.core.moving.export_format import PROJECT, USER
from reverie.core.text.plain import digest
from reverie.core.topics.links import relinked
from reverie.core.topics.remember import named_entry
from reverie.core.topics.topic import set_frontmatter
from reverie.errors import InvalidInput
from reverie.types import Applied, Change, Kind, Moved, Plan, PortableFile, RunInfo, Scope, Skipped
from reverie.verbs.dream import entry_dates
from reverie.verbs.run import run

if TYPE_CHECKING:
    from reverie.types import Topic
    from reverie.verbs.verb_context import VerbContext

_OWN_KIND: Final = {Scope.USER: Kind.USER, Scope.PROJECT: Kind.PROJECT}
_ADDRESS: Final = {Scope.USER: USER, Scope.PROJECT: PROJECT}


def move(
    ctx: VerbContext,
    name: str,
    *,
    to: Scope,
    date: Callable[[Sequence[PortableFile]], None],
    info: RunInfo | None = None,
    dry_run: bool = False,
) -> Moved | Skipped:
    """Move the file of an entry into a scope.

    Args:
        date: Notes since when files have had their content, before they are written.
    """
    about = info or RunInfo(verb="move")
    dated: list[PortableFile] = []
    entries: dict[str, Mapping[str, Any]] = {}

    def plan() -> Plan[Moved | Skipped]:
        topics = ctx.store.topics()
        topic = _named(name, topics)
        if topic.scope is to:
            known = Skipped("unchanged", f"{topic.name} is in {to.value} memory already")
            return Plan((), about, lambda _: known)
        kind = _OWN_KIND[to] if topic.kind in _OWN_KIND.values() else topic.kind
        rel = _free(ctx, to, _placed(topic, kind))
        path = f"{ctx.workspace.memory_root(to)}/{rel}"
        text = topic.text if kind is topic.kind else set_frontmatter(topic.text, "type", kind.value)
        dated[:] = [PortableFile(f"{_ADDRESS[to]}/{rel}", text, updated=topic.updated)]
        entries[dates_key(to, rel)] = _dates(ctx, topic)
        changes = [Change(topic.path, None, digest(topic.text)), Change(path, text, None)]
        changes += _linking(topic, topics, rel)
        detail = {"from": topic.rel, "to": rel, "from_scope": topic.scope.value, "scope": to.value}
        whose = "your" if to is Scope.USER else "the project's"
        did = "Would move" if dry_run else "Moved"
        outcome = Moved(
            f"{did} “{topic.name}” to {whose} memory.",
            path=path,
            entry=rel,
            scope=to,
            kind=kind,
            name=topic.name,
            dry_run=dry_run,
        )
        return Plan(
            tuple(changes),
            replace(about, note=rel, detail={**about.detail, **detail}),
            lambda applied: replace(outcome, run=applied.run),
        )

    def write(changes: Sequence[Change], signed: RunInfo) -> Applied:
        date(dated)
        ctx.state().update_state(DATES_FILE, lambda kept: {**kept, **entries})
        return ctx.store.apply(changes, signed)

    return run(plan, store=ctx.store, dry_run=dry_run, apply=write)


def _named(name: str, topics: Sequence[Topic]) -> Topic:
    files = [
        item for item in topics if name in (item.rel, item.path, f"{item.scope.value}:{item.rel}")
    ]
    if len(files) == 1:
        return files[0]
    topic, entry = named_entry(name, topics)
    if len(topic.entries) > 1:
        raise InvalidInput(
            f"{entry.id} is one of {len(topic.entries)} entries of a file, and a file moves as a whole:"
            f" name {topic.rel}"
        )
    return topic


def _placed(topic: Topic, kind: Kind) -> str:
    """Return where a memory goes: a folder that names the kind follows the kind."""
    *folders, file = topic.rel.split("/")
    return "/".join([*(kind.value if name == topic.kind.value else name for name in folders), file])


def _free(ctx: VerbContext, to: Scope, rel: str) -> str:
    root, stem, number = ctx.workspace.memory_root(to), rel.removesuffix(".md"), 1
    while ctx.store.read(f"{root}/{rel}") is not None:
        number += 1
        rel = f"{stem}-{number}.md"
    return rel


def _dates(ctx: VerbContext, topic: Topic) -> dict[str, str]:
    """Return since when each entry is so, as a dream keeps it."""
    when = entry_dates(ctx)
    known = {entry.summary: when(topic, number) for number, entry in enumerate(topic.entries)}
    return dated_entries(known)


def _linking(topic: Topic, topics: Sequence[Topic], rel: str) -> list[Change]:
    """Let the links of the memory it leaves name it as it is called now."""
    if rel == topic.rel:
        return []
    found: list[Change] = []
    for other in topics:
        if other.scope is topic.scope and other is not topic:
            text = relinked(other.text, other.rel, {topic.rel: rel})
            if text != other.text:
                found.append(Change(other.path, text, digest(other.text)))
    return found
