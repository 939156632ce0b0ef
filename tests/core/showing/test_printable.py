"""Text on a terminal: everything is seen, nothing is obeyed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.showing.printable import printable, printable_json


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("bell\x07", "bell␇"),
        ("del\x7f", "del␡"),
        ("next\x85line", "next\\x85line"),
        ("turned\u202earound", "turned\\u202earound"),
        ("hidden\ue000", "hidden\\ue000"),
        ("half\ud800", "half\\ud800"),
        ("far\U000f0000", "far\\U000f0000"),
        ("line\u2028line\u2029", "line\\u2028line\\u2029"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("tab\tand\nline", "tab\tand\nline"),
        (
            "👨\u200d👩 \u0645\u06cc\u200c\u062e \u2764\ufe0f",
            "👨\u200d👩 \u0645\u06cc\u200c\u062e \u2764\ufe0f",
        ),
    ],
)
def test_what_a_terminal_would_obey_or_hide_is_shown(text: str, seen: str) -> None:
    assert printable(text) == seen


@given(st.text(st.characters()))
def test_json_means_the_same_and_holds_nothing_that_is_obeyed(text: str) -> None:
    shaped = printable_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(shaped) == text
    assert printable(shaped) == shaped
