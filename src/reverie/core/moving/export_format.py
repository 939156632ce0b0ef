"""The export format: one JSON record a line, addresses instead of paths, and a last line that counts.

Rules
- The first line is the header, the last one `end` with the counts; without it the export is cut off.
- An address is `user/`, `project/`, `agent/`, `home/` or `context/` and a path of plain parts below
  it. `home/` and `context/` hold Markdown only, so that no import can write settings.
- Texts of the journal are stored once each, before the first run that refers to them by digest.
- Keys we do not know are ignored; a version above ours is refused.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final, assert_never

from reverie.core.history import turns
from reverie.core.moving.bounded_json import load
from reverie.errors import InvalidContent, InvalidPath, TooLarge, TurnUnreadable
from reverie.types import (
    Counts,
    Origin,
    PortableDelta,
    PortableFile,
    PortableHeader,
    PortableRecord,
    PortableRun,
    PortableState,
    PortableText,
    RunRecord,
    Turn,
)

VERSION: Final = 1
USER: Final = "user"
PROJECT: Final = "project"
AGENT: Final = "agent"
HOME: Final = "home"
CONTEXT: Final = "context"
ROOTS: Final = (USER, PROJECT, AGENT, HOME, CONTEXT)
MARKDOWN_ONLY: Final = (HOME, CONTEXT)
NOT_FILES: Final = ("agent/history/", "agent/cognition/")
"""Below these lie records and states, which are carried as such."""

_STATUS: Final = ("done", "rolled_back", "erased")
_RUN_ID: Final = re.compile(r"[\w-]{4,80}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_MAX_PART_BYTES: Final = 255
_MAX_BYTES: Final = 1024
"""Of a whole address: what every file system and every engine can name."""


# --- addresses ------------------------------------------------------------------------------------


def split_address(at: str) -> tuple[str, str]:
    """Return the root and the path below it, or raise `InvalidPath`."""
    root, slash, rel = at.partition("/")
    if root not in ROOTS or not slash or not is_plain(rel):
        raise InvalidPath(f"{at!r} is not the address of a memory", path=at)
    return root, rel


def check_file_address(at: str) -> tuple[str, str]:
    """Return root and path of an address that a file may be written to."""
    root, rel = split_address(at)
    hidden = any(part.startswith(".") for part in rel.split("/"))
    if root in MARKDOWN_ONLY and not rel.lower().endswith(".md"):
        raise InvalidPath(f"{at!r} is not a Markdown file, and only those belong there", path=at)
    if at.startswith(NOT_FILES) or (root not in MARKDOWN_ONLY and hidden):
        raise InvalidPath(f"{at!r} is not a place for a memory file", path=at)
    return root, rel


def is_plain(rel: str) -> bool:
    """Tell whether a relative path has plain parts only: it cannot lead anywhere else."""
    try:
        size = max(len(part.encode("utf-8")) for part in rel.split("/"))
    except UnicodeEncodeError:  # half a character, which no engine can keep in a name
        return False
    odd = any(part in ("", ".", "..") for part in rel.split("/")) or _CONTROL.search(rel)
    return not odd and size <= _MAX_PART_BYTES and len(rel.encode("utf-8")) <= _MAX_BYTES


def folded(at: str) -> str:
    """Return what two names have in common that one file system would not tell apart."""
    return unicodedata.normalize("NFC", at).casefold()


# --- writing --------------------------------------------------------------------------------------


def encode_header(header: PortableHeader) -> str:
    """Write the first line."""
    return _line(
        {
            "kind": "reverie",
            "version": header.version,
            "exported_at": turns.write_time(header.exported_at),
            "dialect": header.dialect,
            "agent": header.agent,
            "project": header.project,
            "journal": header.journal,
        }
    )


def encode_end(counts: Counts) -> str:
    """Write the last line."""
    return _line(
        {
            "kind": "end",
            "files": counts.files,
            "states": counts.states,
            "turns": counts.turns,
            "runs": counts.runs,
        }
    )


def encode(record: PortableRecord, *, stored: str | None = None) -> str:
    """Write a record as a line; a file whose words are `stored` elsewhere only names that place."""
    match record:
        case PortableFile():
            about: dict[str, Any] = {"kind": "file", "at": record.at, "private": record.private}
            if record.updated:
                about["updated"] = turns.write_time(record.updated)
            if stored is None:
                return _line(about | {"text": record.text})
            return _line(about | ({} if stored == record.at else {"file": stored}))
        case PortableState():
            return _line({"kind": "state", "at": record.at, "value": dict(record.value)})
        case PortableText():
            return _line({"kind": "text", "text": record.text})
        case PortableRun():
            return _line({"kind": "run", **_run_fields(record)})
        case Turn():
            return _line({"kind": "turn", "turn": json.loads(turns.encode(record))})
        case _:
            assert_never(record)


def _run_fields(run: PortableRun) -> dict[str, Any]:
    record = run.record
    return {
        "id": record.id,
        "at": turns.write_time(record.at),
        "verb": record.verb,
        "status": record.status,
        "session": record.session,
        "turn": record.turn,
        "origin": record.origin.value,
        "client": record.client,
        "note": record.note,
        "undoes": record.undoes,
        "detail": dict(record.detail),
        "deltas": [
            {
                "at": delta.at,
                "before": delta.before,
                "after": delta.after,
                "private": delta.private,
            }
            for delta in run.deltas
        ],
    }


def _line(value: Mapping[str, Any]) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


# --- reading --------------------------------------------------------------------------------------


def decode_header(line: str) -> PortableHeader:
    """Read the first line, or raise `InvalidContent`."""
    record = _object(line)
    version = record.get("version")
    at = turns.read_time(record.get("exported_at"))
    if record.get("kind") != "reverie" or type(version) is not int or at is None:
        raise InvalidContent("the first line is not the header of a Reverie export")
    if version > VERSION:
        raise InvalidContent(
            f"the export has version {version}, this Reverie reads up to {VERSION}; upgrade it"
        )
    return PortableHeader(
        version,
        at,
        _text(record, "dialect"),
        _text(record, "agent"),
        _text(record, "project"),
        record.get("journal") is True,
    )


def is_header(line: str) -> bool:
    """Tell whether a line begins one of our exports."""
    return line.lstrip("\ufeff \t").startswith(('{"kind":"reverie"', '{"kind": "reverie"'))


def decode(line: str) -> PortableRecord | Counts:
    """Read one record, or the counts of the last line; raise `InvalidContent` with the reason."""
    record = _object(line)
    match record.get("kind"):
        case "file":
            return decode_file(record, text=_needed(record, "text"))
        case "state":
            value = record.get("value")
            if not isinstance(value, dict):
                raise InvalidContent("a state without a value")
            split_address(_needed(record, "at"))
            return PortableState(record["at"], value)
        case "text":
            return PortableText(_needed(record, "text"))
        case "run":
            return _decode_run(record)
        case "turn":
            try:
                return turns.decode(json.dumps(record.get("turn"))).turn
            except TurnUnreadable as error:
                raise InvalidContent(f"a turn that cannot be read: {error}") from None
        case "end":
            return Counts(*(_count(record, key) for key in ("files", "states", "turns", "runs")))
        case kind:
            raise InvalidContent(f"a record of an unknown kind: {kind!r}")


def decode_file(record: Mapping[str, Any], *, text: str) -> PortableFile:
    """Read what a record says about a file, with its words from wherever they are."""
    at = _needed(record, "at")
    check_file_address(at)
    return PortableFile(
        at, text, turns.read_time(record.get("updated")), record.get("private") is not False
    )


def decode_about(line: str) -> Mapping[str, Any]:
    """Read a line of a folder's manifest."""
    return _object(line)


def _decode_run(record: Mapping[str, Any]) -> PortableRun:
    name, status = _needed(record, "id"), _needed(record, "status")
    at = turns.read_time(record.get("at"))
    deltas = record.get("deltas")
    if not _RUN_ID.fullmatch(name) or at is None or status not in _STATUS:
        raise InvalidContent(f"a run without a usable id, date or status: {name[:80]!r}")
    if not isinstance(deltas, list) or not all(isinstance(item, dict) for item in deltas):
        raise InvalidContent(f"run {name} has no list of files")
    try:
        origin = Origin(_text(record, "origin") or Origin.OWNER)
    except ValueError:
        origin = Origin.UNTRUSTED
    read = tuple(_decode_delta(item) for item in deltas)
    detail = record.get("detail")
    return PortableRun(
        RunRecord(
            id=name,
            at=at,
            verb=_text(record, "verb") or "unknown",
            status=status,  # type: ignore[arg-type]  # checked above
            paths=tuple(item.at for item in read),
            session=_text(record, "session"),
            turn=_text(record, "turn"),
            origin=origin,
            client=_text(record, "client"),
            note=_text(record, "note"),
            undoes=_text(record, "undoes"),
            detail=detail if isinstance(detail, dict) else {},
        ),
        read,
    )


def _decode_delta(item: Mapping[str, Any]) -> PortableDelta:
    at = _needed(item, "at")
    split_address(at)
    before, after = item.get("before"), item.get("after")
    for key in (before, after):
        if key is not None and not (isinstance(key, str) and _DIGEST.fullmatch(key)):
            raise InvalidContent(f"a run names a text of {at} by something other than its digest")
    return PortableDelta(at, before, after, item.get("private") is not False)


def _object(line: str) -> dict[str, Any]:
    try:
        value = load(line)
    except InvalidContent:
        raise InvalidContent("a line that is not JSON") from None
    except TooLarge as error:
        raise InvalidContent(f"a line that cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise InvalidContent("a line that is not a JSON object")
    return value


def _needed(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise InvalidContent(f"a {record.get('kind', 'record')} without {key}")
    return value


def _text(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return _SURROGATE.sub("\ufffd", value) if isinstance(value, str) else ""


def _count(record: Mapping[str, Any], key: str) -> int:
    value = record.get(key)
    return value if type(value) is int and value >= 0 else 0
