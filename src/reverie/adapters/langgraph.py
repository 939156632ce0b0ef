"""LangGraph: a `BaseStore` over this memory.

Reads of a batch see the state before it; its writes are one run, and of several puts to one key the
last counts. `search` with a query puts what answers it first, by the rules of recall; no embeddings
are needed, so `index` has no effect. Items do not expire.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)

from reverie.adapters.records import Record, Records, ranked
from reverie.errors import InvalidArgument

if TYPE_CHECKING:
    from reverie.memory import Memory


class ReverieStore(BaseStore):
    """Long-term memory of a graph, as Markdown files."""

    __slots__ = ("_records",)

    def __init__(self, memory: Memory) -> None:
        self._records = Records(memory, "langgraph")

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations; results are in their order."""
        results: list[Result] = []
        puts: dict[tuple[tuple[str, ...], str], dict[str, Any] | None] = {}
        everything: list[Record] | None = None
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                value = None if op.value is None else dict(op.value)
                puts[tuple(op.namespace), str(op.key)] = value
                results.append(None)
            elif isinstance(op, GetOp):
                found = self._records.get(op.namespace, str(op.key))
                results.append(_item(found) if found else None)
            elif isinstance(op, SearchOp | ListNamespacesOp):
                everything = self._records.all() if everything is None else everything
                if isinstance(op, SearchOp):
                    results.append(_search(op, everything))
                else:
                    results.append(_namespaces(op, everything))
            else:
                raise TypeError(f"{type(op).__name__} is not an operation of a store")
        if puts:
            self._records.put((where, key, value) for (where, key), value in puts.items())
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in a worker thread."""
        return await asyncio.to_thread(self.batch, list(ops))


def _item(record: Record) -> Item:
    return Item(
        value=record.value,
        key=record.key,
        namespace=record.namespace,
        created_at=record.created,
        updated_at=record.updated,
    )


def _search(op: SearchOp, records: list[Record]) -> list[SearchItem]:
    prefix = tuple(op.namespace_prefix)
    fitting = [
        item
        for item in records
        if item.namespace[: len(prefix)] == prefix
        and all(matches(item.value.get(key), wanted) for key, wanted in (op.filter or {}).items())
    ]
    best: list[tuple[Record, float | None]] = []
    if op.query:
        best.extend(ranked(op.query, fitting))
    taken = {item.path for item, _ in best}
    best += [(item, None) for item in fitting if item.path not in taken]
    return [
        SearchItem(
            namespace=item.namespace,
            key=item.key,
            value=item.value,
            created_at=item.created,
            updated_at=item.updated,
            score=score,
        )
        for item, score in best[op.offset : op.offset + op.limit]
    ]


def matches(value: Any, wanted: Any) -> bool:
    """Compare a value with a filter: equal, part by part, or by an operator such as `$gt`."""
    if isinstance(wanted, dict):
        if any(key.startswith("$") for key in wanted):
            return all(_holds(value, name, bound) for name, bound in wanted.items())
        return isinstance(value, dict) and all(
            matches(value.get(key), item) for key, item in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list)
            and len(value) == len(wanted)
            and all(matches(one, other) for one, other in zip(value, wanted, strict=True))
        )
    return bool(value == wanted)


def _holds(value: Any, name: str, bound: Any) -> bool:
    if name == "$eq":
        return bool(value == bound)
    if name == "$ne":
        return bool(value != bound)
    if name not in ("$gt", "$gte", "$lt", "$lte"):
        raise InvalidArgument(f"{name} is not a filter operator")
    try:
        one, other = float(value), float(bound)
    except (TypeError, ValueError):  # an item without the number is not above or below anything
        return False
    return {"$gt": one > other, "$gte": one >= other, "$lt": one < other, "$lte": one <= other}[
        name
    ]


def _namespaces(op: ListNamespacesOp, records: list[Record]) -> list[tuple[str, ...]]:
    found = {item.namespace for item in records}
    chosen = {
        place for place in found if all(_fits(rule, place) for rule in op.match_conditions or ())
    }
    if op.max_depth is not None:
        chosen = {place[: op.max_depth] for place in chosen}
    return sorted(chosen)[op.offset : op.offset + op.limit]


def _fits(rule: MatchCondition, place: tuple[str, ...]) -> bool:
    path = tuple(rule.path)
    if len(place) < len(path):
        return False
    part = place[: len(path)] if rule.match_type == "prefix" else place[len(place) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
