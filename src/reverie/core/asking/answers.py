"""Answers: reading what a model says, and believing only what the question allows.

Rules
- An answer of the wrong shape, or one that names something it was not offered, is no answer at all:
  `BadAnswer`, and the caller takes the deterministic way.
- A memory that a model proposes must quote the user's own words, and may bring no figure that they
  do not hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

from reverie.core.showing.marks import disarmed
from reverie.core.text.dates import make_absolute
from reverie.core.text.values import value_signature
from reverie.core.text.words import normalize
from reverie.errors import BadAnswer
from reverie.types import Dropped, Kind, Patch

MAX_PATCHES: Final = 20
MAX_FIELD_CHARS: Final = 1000
_PLACE: Final = re.compile(r"\w{2,12}://\S{1,200}|[\w-]{1,64}(?:[.@][\w-]{1,64}){1,9}")
_BLOCK: Final = re.compile(r"```(?:json)?[^\S\n]*+\n((?:[^`]|`(?!``))*+)```")

IDS_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"ids": {"type": "array", "items": {"type": "string"}}},
    "required": ["ids"],
    "additionalProperties": False,
}
PATCHES_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
                    "summary": {"type": "string"},
                    "why": {"type": "string"},
                    "how": {"type": "string"},
                    "turn": {"type": "string"},
                    "quote": {"type": "string"},
                },
                "required": ["kind", "summary", "why", "how", "turn", "quote"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["memories"],
    "additionalProperties": False,
}


def ids_schema(known: Collection[str], *, limit: int | None = None) -> dict[str, Any]:
    """Return the schema of an answer that may name these ids, so many of them, and no others."""
    items = {"type": "string", "enum": list(known)}
    most = len(known) if limit is None else min(limit, len(known))
    ids = {"type": "array", "items": items, "maxItems": most}
    return {**IDS_SCHEMA, "properties": {"ids": ids}}


def patches_schema(turns: Collection[str]) -> dict[str, Any]:
    """Return the schema of proposals that name these turns and no others."""
    items = PATCHES_SCHEMA["properties"]["memories"]["items"]
    fields = {**items["properties"], "turn": {"type": "string", "enum": list(turns)}}
    told = {**items, "properties": fields}
    memories = {"type": "array", "items": told, "maxItems": MAX_PATCHES}
    return {**PATCHES_SCHEMA, "properties": {"memories": memories}}


def read_json(text: str) -> object:
    """Read the JSON of an answer, also when the model talks around it.

    >>> read_json('Sure! {"ids": ["m1"]} Anything else?')
    {'ids': ['m1']}
    """
    inside = _BLOCK.search(text)
    candidates = [text, inside[1]] if inside else [text]
    for candidate in candidates:
        start = candidate.find("{")
        if start < 0:
            continue
        try:
            return json.JSONDecoder().raw_decode(candidate[start:])[0]
        except (ValueError, RecursionError):
            continue
    raise BadAnswer("the model's answer is not JSON")


def read_ids(value: object, *, known: Collection[str], limit: int | None = None) -> list[str]:
    """Return the ids of an answer, each once; all must be known, and no more than the limit."""
    ids = value.get("ids") if isinstance(value, Mapping) else None
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        raise BadAnswer("the model's answer has no list of ids")
    found = list(dict.fromkeys(item.strip() for item in ids))
    unknown = [item for item in found if item not in known]
    if unknown:
        raise BadAnswer(f"the model named {unknown[0][:40]!r}, which it was not offered")
    if limit is not None and len(found) > limit:
        raise BadAnswer(f"the model named {len(found)} ids where {limit} were allowed")
    return found


def read_patches(
    value: object, *, said: Mapping[str, str], days: Mapping[str, date], min_width: int
) -> tuple[list[Patch], list[Dropped]]:
    """Return the memories of an answer; `said` are the user's words by turn, `days` when."""
    items = value.get("memories") if isinstance(value, Mapping) else None
    if not isinstance(items, list):
        raise BadAnswer("the model's answer has no list of memories")
    kept: list[Patch] = []
    dropped: list[Dropped] = []
    for item in items[:MAX_PATCHES]:
        fields = _fields(item)
        turn = fields["turn"]
        reason = _unfounded(fields, said, min_width)
        if reason:
            dropped.append(Dropped(fields["summary"], reason))
            continue
        on = days[turn]
        kept.append(
            Patch(
                kind=Kind(fields["kind"]),
                summary=make_absolute(fields["summary"], on=on),
                why=make_absolute(fields["why"], on=on),
                how=make_absolute(fields["how"], on=on),
                turn=turn,
            )
        )
    order = list(said)
    over = len(items) - MAX_PATCHES
    if over > 0:
        dropped.append(Dropped(f"{over} memories", f"a model may propose {MAX_PATCHES} at a time"))
    return sorted(kept, key=lambda patch: order.index(patch.turn)), dropped


def unfounded_values(text: str, source: str) -> list[str]:
    """Name the figures, addresses and identifiers of a text that its source does not hold."""
    new, old = value_signature(text), value_signature(source)
    plain = normalize(source)
    places = {match[0].rstrip(".,;:)") for match in _PLACE.finditer(text)}
    return sorted(
        {number for number in new.numbers - old.numbers if not _stands_in(number, plain)}
        | {name for name in (new.names - old.names) | places if normalize(name) not in plain}
    )


def _stands_in(number: str, plain: str) -> bool:
    return bool(re.search(rf"(?<!\d){re.escape(number)}(?!\d)", plain))


def _unfounded(fields: Mapping[str, str], said: Mapping[str, str], min_width: int) -> str:
    source = said.get(fields["turn"])
    if fields["kind"] not in {kind.value for kind in Kind}:
        return "bad_kind"
    if source is None:
        return "unknown_turn"
    # The model was shown the disarmed words, and may quote them as it saw them.
    quote, plain = _folded(disarmed(fields["quote"])), _folded(disarmed(source))
    if not quote or quote not in plain or (len(quote) < min_width and quote != plain):
        return "not_said"
    told = f"{fields['summary']}\n{fields['why']}\n{fields['how']}"
    invented = unfounded_values(told, source)
    return f"not_said: {', '.join(invented[:3])}" if invented else ""


def _folded(text: str) -> str:
    return " ".join(normalize(text).split()).strip(" .,;:!?\"'。，！？“”")


def _fields(item: object) -> dict[str, str]:
    if not isinstance(item, Mapping):
        raise BadAnswer("a memory in the model's answer is not an object")
    names: Sequence[str] = ("kind", "summary", "why", "how", "turn", "quote")
    fields = {name: item.get(name) or "" for name in names}
    if not all(isinstance(text, str) for text in fields.values()):
        raise BadAnswer("a memory in the model's answer has a field that is not text")
    if any(len(text) > MAX_FIELD_CHARS for text in fields.values()):
        raise BadAnswer(f"a field of the model's answer is longer than {MAX_FIELD_CHARS}")
    return {name: " ".join(text.split()) for name, text in fields.items()}
