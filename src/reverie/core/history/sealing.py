"""The checksum of a turn's record: what is read is what was written, or it is not believed.

Rules
- The checksum is a field of the record, so it goes wherever the file goes. Programs that do not know the
  field pass it over.
- It is of what the record says, not of its bytes: another order, indentation or line ends change nothing.
- A record without one is of an older version or of another program, and is taken as it is. That is also
  how a person who edited a turn says so: by taking the field out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from reverie.core.text.plain import digest
from reverie.errors import TurnUnreadable

FIELD: Final = "reverie_checksum"
_DIGITS: Final = 16
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def sealed(record: Mapping[str, Any]) -> str:
    """Write a record, given as it was read, with its checksum."""
    return written({**_content(record), FIELD: _checksum(record)})


def check_seal(record: Mapping[str, Any], *, seq: int | None) -> None:
    """Raise `TurnUnreadable` where a record has a checksum and does not say what was written.

    `seq` is the number its place gives: a whole record in the place of another is not what was written there.
    """
    if FIELD not in record:
        return
    if record[FIELD] != _checksum(record):
        raise TurnUnreadable(
            "it does not say what was written: it was damaged, or edited by hand. If you edited it,"
            f' take out its field "{FIELD}" and put it back'
        )
    if seq is not None and record.get("seq") != seq:
        raise TurnUnreadable(f"it is the record of turn {record.get('seq')!r}, not of turn {seq}")


def resealed(text: str, *, before: str) -> str:
    """Return a record that we changed on purpose with its new checksum.

    A record that was not whole before does not become so.
    """
    try:
        old, new = json.loads(before), json.loads(text)
        if not isinstance(old, dict) or not isinstance(new, dict) or FIELD not in old:
            return text
        check_seal(old, seq=None)
        return sealed(new)
    except (TurnUnreadable, ValueError, RecursionError):
        return text


def written(record: Mapping[str, Any]) -> str:
    """Write a record as JSON; half characters become escapes, so that any text survives."""
    text = json.dumps(record, ensure_ascii=False, indent=2)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _content(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != FIELD}


def _checksum(record: Mapping[str, Any]) -> str:
    plain = json.dumps(_content(record), sort_keys=True, separators=(",", ":"))
    return digest(plain)[:_DIGITS]
