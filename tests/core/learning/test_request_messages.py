"""Whole messages: what they ask to remember is kept, and other uses of the words keep nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from reverie.core.learning.extraction import find_patches
from reverie.types import Message

MESSAGES = [
    line.split("\t")
    for line in (Path(__file__).parents[2] / "data" / "requests" / "messages.tsv")
    .read_text(encoding="utf-8")
    .splitlines()
]
NOW = datetime(2026, 3, 10, 9, 30, tzinfo=UTC)


def kept(text: str) -> str:
    message = Message("user", text, id="t1", at=NOW)
    found = find_patches([message], memory_roots=["/m"], cwd="/w", now=NOW, min_width=12)
    return " | ".join(patch.summary for patch in found.patches if patch.form == "request")


@pytest.mark.parametrize(
    ("text", "wanted"), [(text, wanted) for kind, _, text, wanted in MESSAGES if kind == "kept"]
)
def test_what_is_asked_for_is_kept_whole(text: str, wanted: str) -> None:
    assert wanted.casefold() in kept(text).casefold()


@pytest.mark.parametrize("text", [text for kind, _, text, _ in MESSAGES if kind == "nothing"])
def test_other_uses_of_the_words_keep_nothing(text: str) -> None:
    assert kept(text) == ""


@pytest.mark.parametrize(
    "head",
    [
        "Remember these two things:", "please remember the following points\n", "Remember:", "Keep in mind:",
        "I moved house. Please remember the following:", "Merk dir bitte Folgendes:", "Merke:",
        "Retiens ce qui suit :", "Recuerda lo siguiente:", "Lembre-se do seguinte:", "Ricorda quanto segue:",
        "Onthoud het volgende:", "Запомни следующее:", "Zapamiętaj:", "请记住以下几点：",
        "以下を覚えておいて：",
        "다음을 기억해줘:",
    ],
)  # fmt: skip
@pytest.mark.parametrize("mark", ["- ", "* ", "• ", "1. ", "2) ", "a) "])
def test_each_item_of_a_list_under_a_request_is_kept(head: str, mark: str) -> None:
    items = ("Ann is on leave", "the shop closes at 5. Never later", "帰りは電車で行く予定")
    listed = "\n".join(f"{mark}{item}" for item in items)
    said = kept(f"{head}\n{listed}\n\nNow fix the tests.")
    assert said.casefold() == " | ".join(items).casefold()


def test_what_a_list_is_called_stays_with_its_items() -> None:
    said = kept("Remember the rules of our summer house:\n- no shoes\n- guests leave by 10")
    assert said == (
        "The rules of our summer house: no shoes | The rules of our summer house: guests leave by 10"
    )


def test_a_list_of_things_to_do_is_no_request_to_remember() -> None:
    assert kept("Can you do the following:\n- run the tests\n- use tabs") == ""
    assert kept("Don't forget to:\n- run the tests\n- update the docs") == ""


def test_inline_code_in_what_is_asked_for_stays_as_it_was_typed() -> None:
    assert kept("Remember that `make x: y; never z` builds it.") == "`make x: y; never z` builds it"
