"""The shape of mem0: `add / search / get_all / get / update / delete / delete_all / history`.

Rules
- A memory belongs to the ids it was added with (`user_id`, `agent_id`, `run_id`); a call sees those
  whose ids include all that it names, and at least one must be named.
- A text is kept as it is. Of a list of messages, what is worth keeping is extracted, as `extract`
  does, unless `infer=False`.
- Nothing is added twice for the same ids.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reverie.adapters.records import Record, Records, from_text, ranked
from reverie.core.text.words import normalize
from reverie.errors import InvalidArgument, InvalidContent, TopicNotFound
from reverie.types import Skipped

if TYPE_CHECKING:
    from reverie.memory import Memory as Opened

_IDS = ("user_id", "agent_id", "run_id")
_NAMESPACE = ("memories",)


class Memory:
    """An opened memory in the shape of mem0's."""

    def __init__(self, memory: Opened) -> None:
        self._memory = memory
        self._records = Records(memory, "mem0")

    def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
    ) -> dict[str, Any]:
        """Keep a text, or what is worth keeping of messages."""
        ids = _ids(user_id, agent_id, run_id)
        known = {_plain(item.value["memory"]) for item in self._of(ids, exactly=True)}
        added: list[tuple[str, dict[str, Any]]] = []
        for text, role in self._texts(messages, infer=infer):
            if _plain(text) in known:
                continue
            known.add(_plain(text))
            value = {"memory": text, "metadata": dict(metadata or {}), **ids}
            added.append((str(uuid.uuid4()), value | ({"role": role} if role else {})))
        if added:
            self._records.put((_NAMESPACE, key, value) for key, value in added)
        return {
            "results": [
                {"id": key, "memory": value["memory"], "event": "ADD"} for key, value in added
            ]
        }

    def search(
        self,
        query: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        limit: int = 100,
        top_k: int | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = None,
    ) -> dict[str, Any]:
        """Return what answers a query, best first."""
        if not query.strip():
            raise InvalidArgument("query is empty; say what to look for")
        ids, wanted = _split(filters, user_id, agent_id, run_id)
        fitting = [item for item in self._of(ids) if _has(item, wanted)]
        found = [
            {**_shown(item), "score": score}
            for item, score in ranked(query, fitting)
            if threshold is None or score >= threshold
        ]
        return {"results": found[: limit if top_k is None else top_k]}

    def get_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        filters: Mapping[str, Any] | None = None,
        limit: int = 100,
        top_k: int | None = None,
    ) -> dict[str, Any]:
        """Return the memories of these ids, newest first."""
        ids, wanted = _split(filters, user_id, agent_id, run_id)
        found = sorted(self._of(ids), key=lambda item: (item.created, item.key), reverse=True)
        shown = [_shown(item) for item in found if _has(item, wanted)]
        return {"results": shown[: limit if top_k is None else top_k]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return one memory, or None."""
        found = self._records.get(_NAMESPACE, memory_id)
        return _shown(found) if found and _whole(found) else None

    def update(
        self, memory_id: str, data: str, metadata: Mapping[str, Any] | None = None
    ) -> dict[str, str]:
        """Give a memory another text."""
        found = self._found(memory_id)
        value = {**found.value, "memory": _text(data)}
        if metadata is not None:
            value["metadata"] = dict(metadata)
        self._records.put([(_NAMESPACE, memory_id, value)])
        return {"message": "Memory updated."}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Remove a memory; the journal can bring it back."""
        self._found(memory_id)
        self._records.put([(_NAMESPACE, memory_id, None)])
        return {"message": "Memory deleted."}

    def delete_all(
        self,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, str]:
        """Remove the memories of these ids, as one run."""
        found = self._of(_ids(user_id, agent_id, run_id))
        if found:
            self._records.put((_NAMESPACE, item.key, None) for item in found)
        return {"message": f"{len(found)} memories deleted."}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return what happened to a memory, oldest first, as the journal has it."""
        path = self._memory.store.real(self._records.path(_NAMESPACE, memory_id))
        told: list[dict[str, Any]] = []
        before: str | None = None
        for run, text in self._memory.journal.history(path):
            after = _memory_of(text)
            event = "DELETE" if after is None else "ADD" if before is None else "UPDATE"
            told.append(
                {
                    "id": run.id,
                    "memory_id": memory_id,
                    "old_memory": before,
                    "new_memory": after,
                    "event": event,
                    "created_at": run.at.isoformat(),
                    "is_deleted": after is None,
                }
            )
            before = after
        return told

    # --- inside -----------------------------------------------------------------------------------

    def _of(self, ids: Mapping[str, str], *, exactly: bool = False) -> list[Record]:
        found = [
            item for item in self._records.all() if item.namespace == _NAMESPACE and _whole(item)
        ]
        names = _IDS if exactly else tuple(ids)
        return [
            item for item in found if all(item.value.get(name) == ids.get(name) for name in names)
        ]

    def _found(self, memory_id: str) -> Record:
        found = self._records.get(_NAMESPACE, memory_id)
        if found is None:
            raise TopicNotFound(f"there is no memory {memory_id!r}; `get_all` lists them")
        return found

    def _texts(
        self, messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]], *, infer: bool
    ) -> list[tuple[str, str]]:
        if isinstance(messages, str):
            return [(_text(messages), "")]
        given = [messages] if isinstance(messages, Mapping) else list(messages)
        if not infer:
            said = [(item.get("content"), str(item.get("role", ""))) for item in given]
            return [(_text(text), role) for text, role in said if role != "system"]
        session = f"mem0-{uuid.uuid4()}"
        learned = self._memory.extract(
            [dict(item) for item in given], session=session, dry_run=True
        )
        if isinstance(learned, Skipped):
            return []
        return [(patch.summary, "") for patch in learned.patches]


def _ids(user_id: str | None, agent_id: str | None, run_id: str | None) -> dict[str, str]:
    given = dict(zip(_IDS, (user_id, agent_id, run_id), strict=True))
    named = {name: str(value) for name, value in given.items() if value}
    if not named:
        raise InvalidArgument("say whose memory: user_id, agent_id or run_id")
    return named


def _split(
    filters: Mapping[str, Any] | None,
    user_id: str | None,
    agent_id: str | None,
    run_id: str | None,
) -> tuple[dict[str, str], dict[str, Any]]:
    """Take the ids out of the filters, where newer callers put them."""
    wanted = dict(filters or {})
    given = (wanted.pop("user_id", None), wanted.pop("agent_id", None), wanted.pop("run_id", None))
    return _ids(user_id or given[0], agent_id or given[1], run_id or given[2]), wanted


def _whole(item: Record) -> bool:
    """Tell whether a file is still a memory: a person may have edited it."""
    metadata = item.value.get("metadata", {})
    return isinstance(item.value.get("memory"), str) and isinstance(metadata, dict | None)


def _has(item: Record, wanted: Mapping[str, Any]) -> bool:
    known = item.value.get("metadata") or {}
    return all(name in known and known[name] == value for name, value in wanted.items())


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidContent(f"a memory is a text that says something, not {value!r}")
    return value


def _plain(text: str) -> str:
    return " ".join(normalize(text).split())


def _memory_of(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        return str(from_text(text)["value"]["memory"])
    except (ValueError, KeyError, TypeError):
        return ""


def _shown(item: Record) -> dict[str, Any]:
    value = item.value
    return {
        "id": item.key,
        "memory": value["memory"],
        "hash": hashlib.md5(
            value["memory"].encode("utf-8", "replace"), usedforsecurity=False
        ).hexdigest(),
        "metadata": value.get("metadata") or None,
        "created_at": item.created.isoformat(),
        "updated_at": item.updated.isoformat(),
        **{name: value[name] for name in (*_IDS, "role") if value.get(name)},
    }
