"""Prompts that ask for nothing, and what is private."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.topics.smalltalk import is_trivial, scrubbed, without_private


@pytest.mark.parametrize(
    "prompt",
    ["", "  ", "ok", "Ok, thanks!", "yes please 👍", "👍🏽", "...", "2", "go ahead and do it",
     "That's great!", "/clear", "/compact keep the plan", "!git status",
     "<task-notification>done</task-notification>",
     "ja, danke", "oui merci", "sí, gracias por favor", "да, спасибо", "好的。", "谢谢！",
     "はい、お願いします", "네, 감사합니다", "ใช่", "ठीक है", "نعم، شكرا", "ναι, ευχαριστώ"],
)  # fmt: skip
def test_a_prompt_that_says_only_yes_thanks_or_go_on_is_trivial(prompt):
    assert is_trivial(prompt)


@pytest.mark.parametrize(
    "prompt",
    ["deploy?", "no, use tabs", "yes, and deploy it on Tuesday", "why?", "好的，部署吧", "デプロイはいつ？",
     "может, завтра?", "/ is the root", "ok " * 80 + "x"],
)  # fmt: skip
def test_a_prompt_with_anything_else_in_it_is_not(prompt):
    assert not is_trivial(prompt)


@given(st.text())
def test_nothing_private_is_left_whatever_stands_around_it(text):
    secret = "PIN-4711"
    shown = without_private(f"{text}<private>{secret}</private> end")
    assert secret not in shown
    assert secret not in without_private(f"{text}< PRIVATE >{secret}{text.replace('<', '')}")


def test_text_without_the_tag_stays_as_it_is():
    assert without_private("private matters") == "private matters"
    assert scrubbed({"a": ["x <private>y</private>z", 1, None]}) == {"a": ["x z", 1, None]}
