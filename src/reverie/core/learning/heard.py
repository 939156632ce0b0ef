"""Heard: what was said and may matter, but is not clear enough to keep, as a list that a person can read.

Rules

* It is one Markdown file for the person and one for each project, beside the memory: nothing that recalls or
  searches looks there.
* A statement stands there once. It leaves when it is kept, when a person drops it, when it gets too old, or
  when newer ones need its place; who adds to it says which.
* What a person dropped stays as a digest, so that it is not heard again.
* Lines that a person wrote into the file stay where they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, get_args

from reverie.core.claims.statement import statement_key
from reverie.core.history.turns import read_time
from reverie.types import Dropped, Heard, Kind, Scope, StatementForm

if TYPE_CHECKING:
    from reverie.types import Patch, Workspace

HEARD_FILE: Final = "heard.md"
MAX_DROPPED: Final = 1000
"""Digests of dropped statements that are kept, the newest."""
_HEAD: Final = """\
# Heard

Said in conversations, but not kept: no prompt and no search reads this file. `reverie heard` lists what is
here, and keeps or drops it. What nobody keeps or says again goes after a while.
"""
_ITEM: Final = "- "
_WHY, _HOW = "  - Why: ", "  - How to apply: "
_FACTS: Final = "  <!-- heard: "
_DROPPED: Final = "<!-- dropped: "
_END: Final = " -->"


def heard_path(workspace: Workspace, scope: Scope) -> str:
    """Return where the statements of a scope wait."""
    folder = workspace.home if scope is Scope.USER else workspace.project_state
    return f"{folder}/{HEARD_FILE}"


def heard_id(statement: str) -> str:
    """Name a statement, the same one wherever it is said."""
    return "h" + hashlib.blake2b(_bytes(statement_key(statement)), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True)
class _Block:
    """Some lines of the file, and what they say if it is something heard."""

    lines: tuple[str, ...]
    item: Heard | None = None


@dataclass(frozen=True, slots=True)
class Inbox:
    """One file of what was heard."""

    scope: Scope
    blocks: tuple[_Block, ...] = ()
    dropped: tuple[Mapping[str, str], ...] = ()
    source: str | None = None
    """The text it was read from."""

    @property
    def items(self) -> list[Heard]:
        """What waits, in the order of the file."""
        return [block.item for block in self.blocks if block.item is not None]

    def find(self, statement: str) -> Heard | None:
        """Return the same statement, if it waits here."""
        wanted = heard_id(statement)
        return next((item for item in self.items if item.id == wanted), None)

    def was_dropped(self, statement: str) -> bool:
        """Tell whether a person has dropped this statement."""
        key = statement_key(statement)
        return any(_digest(key, one["salt"]) == one["digest"] for one in self.dropped)

    def without(self, ids: Collection[str]) -> Inbox:
        """Return the rest."""
        kept = tuple(one for one in self.blocks if one.item is None or one.item.id not in ids)
        return replace(self, blocks=kept)

    def dropping(self, items: Iterable[Heard], *, salt: str) -> Inbox:
        """Return the rest, with a digest of each so that it is not heard again."""
        gone = list(items)
        marks = [
            {"salt": salt, "digest": _digest(statement_key(item.summary), salt)} for item in gone
        ]
        left = self.without([item.id for item in gone])
        return replace(left, dropped=(*self.dropped, *marks)[-MAX_DROPPED:])

    def adding(self, items: Iterable[Heard]) -> Inbox:
        """Return it with more at its end; what waits already is put in its place anew."""
        blocks = list(self.blocks)
        for item in items:
            block = _Block(tuple(_item_lines(item)), item)
            known = [at for at, one in enumerate(blocks) if one.item and one.item.id == item.id]
            if known:
                blocks[known[0]] = block
            else:
                blocks.append(block)
        return replace(self, blocks=tuple(blocks))

    def settled(self, *, on: date, days: int, limit: int) -> tuple[Inbox, list[Dropped]]:
        """Let go of what is too old or too much, the oldest first; return what that was."""
        old = [item for item in self.items if _until(item, days) < on]
        left = self.without([item.id for item in old])
        over = sorted(left.items, key=lambda item: item.heard)[: max(0, len(left.items) - limit)]
        gone = [Dropped(item.summary, "heard_expired") for item in old]
        gone += [Dropped(item.summary, "heard_full") for item in over]
        return left.without([item.id for item in over]), gone

    def text(self) -> str | None:
        """Return the file, or None when there is nothing to keep one for."""
        body = "\n".join(line for one in self.blocks for line in one.lines).strip("\n")
        if body in ("", _HEAD.strip("\n")) and not self.dropped:
            return None
        if not self.blocks or self.blocks[0].item is not None:
            body = f"{_HEAD}\n{body}".rstrip("\n")
        marks = "".join(f"{_DROPPED}{_json(one)}{_END}\n" for one in self.dropped)
        return f"{body}\n\n{marks}" if marks else f"{body}\n"


def read_inbox(text: str | None, scope: Scope, *, now: datetime) -> Inbox:
    """Read a file of what was heard, also one that a person has edited."""
    blocks: list[_Block] = []
    dropped: list[Mapping[str, str]] = []
    pending: list[str] = []
    loose: list[str] = []

    def close() -> None:
        if pending:
            blocks.append(_block(tuple(pending), scope, now))
            pending.clear()
        if loose:
            blocks.append(_Block(tuple(loose)))
            loose.clear()

    for line in (text or "").replace("\r\n", "\n").split("\n"):
        if line.startswith(_DROPPED):
            facts = _facts(line.removeprefix(_DROPPED))
            if isinstance(facts.get("salt"), str) and isinstance(facts.get("digest"), str):
                dropped.append({"salt": facts["salt"], "digest": facts["digest"]})
                continue
        if line.startswith(_ITEM):
            close()
            pending.append(line)
        elif pending and line.startswith("  "):
            pending.append(line)
        else:
            if pending:
                close()
            loose.append(line)
    close()
    if blocks and blocks[-1].item is None and not any(line.strip() for line in blocks[-1].lines):
        blocks.pop()  # the empty lines at the end
    return Inbox(scope, tuple(blocks), tuple(dropped), text)


def heard_from(
    patch: Patch, *, scope: Scope, said: datetime, now: datetime, session: str, judged: bool = False
) -> Heard:
    """Make something heard of a statement that is not kept."""
    return Heard(
        id=heard_id(patch.summary),
        summary=" ".join(patch.summary.split()),
        kind=patch.kind,
        scope=scope,
        said=said,
        heard=now,
        why=" ".join(patch.why.split()),
        how=" ".join(patch.how.split()),
        session=session,
        turn=patch.turn,
        form=patch.form,
        judged=judged,
    )


def in_another_conversation(
    before: Heard, *, session: str, turn: str, said: datetime | None, alone: bool
) -> bool:
    """Tell whether a statement was said again elsewhere; a copy of the same turn says nothing new.

    Args:
        said: When the turn itself says that it was said, if it does.
        alone: Whether the turn says nothing else. People do repeat one sentence; who is found to repeat a
            longer message word for word has had their conversation copied.
    """
    same = before.turn == turn
    copied = same and (not alone if said is None else before.said == said)
    return before.session != session and not copied


def dated(items: Iterable[Heard], *, days: int, on: date) -> list[Heard]:
    """Return what waits, the oldest first, each with its last day; what is too old is left out."""
    known = [(_until(item, days), item) for item in items]
    living = [replace(item, until=last.isoformat()) for last, item in known if last >= on]
    return sorted(living, key=lambda item: (item.heard, item.said, item.id))


def _until(item: Heard, days: int) -> date:
    return item.heard.date() + timedelta(days=days)


def _item_lines(item: Heard) -> Sequence[str]:
    facts = {
        "said": item.said.isoformat(),
        "heard": item.heard.isoformat(),
        "kind": item.kind.value,
        "form": item.form,
        "session": item.session,
        "turn": item.turn,
        **({"judged": True} if item.judged else {}),
    }
    lines = [f"{_ITEM}{item.summary}"]
    lines += [f"{_WHY}{item.why}"] if item.why else []
    lines += [f"{_HOW}{item.how}"] if item.how else []
    return [*lines, f"{_FACTS}{_json(facts)}{_END}"]


def _block(lines: tuple[str, ...], scope: Scope, now: datetime) -> _Block:
    summary = lines[0].removeprefix(_ITEM).strip()
    if not statement_key(summary):
        return _Block(lines)
    parts: dict[str, str] = {}
    facts: Mapping[str, Any] = {}
    for line in lines[1:]:
        for mark in (_WHY, _HOW):
            if line.startswith(mark):
                parts[mark] = line.removeprefix(mark).strip()
        if line.startswith(_FACTS):
            facts = _facts(line.removeprefix(_FACTS))
    said = read_time(facts.get("said")) or now
    kinds = {kind.value: kind for kind in Kind}
    default = Kind.USER if scope is Scope.USER else Kind.PROJECT
    item = Heard(
        id=heard_id(summary),
        summary=summary,
        kind=kinds.get(str(facts.get("kind")), default),
        scope=scope,
        said=said,
        heard=read_time(facts.get("heard")) or now,
        why=parts.get(_WHY, ""),
        how=parts.get(_HOW, ""),
        session=str(facts.get("session", "")),
        turn=str(facts.get("turn", "")),
        form=_form(facts.get("form")),
        judged=facts.get("judged") is True,
    )
    return _Block(lines, item)


def _form(value: object) -> StatementForm:
    return next((form for form in get_args(StatementForm) if form == value), "proposed")


def _facts(text: str) -> Mapping[str, Any]:
    try:
        facts = json.loads(text.rstrip().removesuffix(_END.strip()))
    except (ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _json(facts: Mapping[str, object]) -> str:
    """Write facts so that no value ends the comment they stand in."""
    return json.dumps(facts, ensure_ascii=False).replace(">", "\\u003e")


def _digest(key: str, salt: str) -> str:
    return hashlib.blake2b(_bytes(key), digest_size=16, key=salt.encode()[:64]).hexdigest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
