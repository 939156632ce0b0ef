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
