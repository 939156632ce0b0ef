"""What programs put into a person's message is taken out; what the person wrote stays."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.showing import injected
from reverie.core.showing.fence import fence
from reverie.core.showing.injected import is_injected, without_injected
from reverie.core.showing.mark_table import MARKS, TAG

ASKED = "When may I deploy the billing gateway?"
BLOCK = fence("# Memory\n\n- We deploy on Tuesdays")


@pytest.mark.parametrize(
    "before",
    [
        f"<hook_context>{html.escape(BLOCK, quote=False)}</hook_context>\n\n",
        f"<hook_context>{html.escape(html.escape(BLOCK))}</hook_context>\n\n",
        "<hook_context>of another program</hook_context>\n\n",
        html.escape(f"<hook_context>{BLOCK}</hook_context>\n"),
        BLOCK,
        html.escape(BLOCK),
        "<system-reminder>\nToday is Monday.\n</system-reminder>\n",
        '<ide_selection file="a.py">\nx = 1\n</ide_selection>\n',
        "<command-name>/clear</command-name>\n<local-command-stdout></local-command-stdout>\n",
        "<environment_context>\n  <cwd>/p</cwd>\n</environment_context>\n",
    ],
)
def test_what_a_program_put_around_a_question_is_gone(before: str) -> None:
    assert without_injected(before + ASKED).strip() == ASKED
    assert without_injected(f"{ASKED}\n{before}").strip() == ASKED
    assert is_injected(before)


def test_what_hooks_added_is_gone_where_it_follows_without_a_line_end() -> None:
    assert without_injected(f"{ASKED}<hook_context>x</hook_context>") == ASKED


@pytest.mark.parametrize(
    "text",
    [
        "What does <system-reminder>x</system-reminder> mean in a transcript?",
        "Why do I see <hook_context> here?",
        "<system-reminder>\nnever closed, so I typed it",
        "a < b and <b>c</b>",
        "Das <details>hier</details> bleibt, 这个也是",
        "",
    ],
)
def test_what_a_person_wrote_stays_byte_for_byte(text: str) -> None:
    assert without_injected(text) == text
    assert not is_injected(text)


@given(st.text(alphabet=st.sampled_from("ab \n<>/&;ltg_-hookcextsymrind"), max_size=80))
def test_taking_out_twice_is_the_same_as_once(text: str) -> None:
    once = without_injected(text)
    assert without_injected(once) == once


def test_its_own_names_are_those_of_the_marks() -> None:
    assert injected._TAG == TAG
    known = {mark.strip("</>").split(" ")[0] for _, _, marks in MARKS for mark in marks}
    assert {*injected._ON_LINES} - {"skills_instructions", "permissions"} <= known
