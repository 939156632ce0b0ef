"""Requests with slips, in Arabic, and with their reason before them; and what only looks like one."""

from __future__ import annotations

from datetime import date

import pytest

from reverie.core.learning.statements import find_statements

ON = date(2026, 5, 13)


def kept(text: str) -> list[str]:
    return [f"{one.summary} {one.how}".strip() for one in find_statements(text, on=ON) if one.clear]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("plese rember that the mower belongs to Ken", "mower belongs to Ken"),
        ("pls remeber: my locker is number 212", "my locker is number 212"),
        ("TODO for your memory: the CEO spells it Katharyne", "the CEO spells it Katharyne"),
        ("the linter crashes on windows paths, so remember to always run it in wsl", "always run it in wsl"),
        ("The suite needs 40 min, so please remember to never start it locally", "never start it locally"),
        ("تذكر أن المستودع مغلق يوم الأربعاء", "المستودع مغلق يوم الأربعاء"),
        ("من فضلك لا تنس أن ابنتي نباتية", "ابنتي نباتية"),
        ("هل يمكنك أن تتذكر أنني أعسر؟", "أنني أعسر"),
        ("جدتي لا تأكل الجريب فروت. لا تنس ذلك.", "جدتي لا تأكل الجريب فروت"),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_kept_whole(text: str, whole: str) -> None:
    assert whole.lower() in " ".join(kept(text)).lower()


def test_a_rule_for_it_keeps_what_it_is() -> None:
    [said] = kept("the linter crashes on windows paths, so remember to always run it in wsl")
    assert "linter" in said


@pytest.mark.parametrize(
    "text",
    [
        "remember that bug from last week?",
        "remember the milk joke? haha",
        "oh hey, remember when we shipped on a Friday?",
        "log that the user clicked twice and show a toast",
        "log that the request failed and return 500",
        "هل تتذكر أين وضعنا الملف؟",
        "لا أتذكر كلمة المرور",
        "احفظ الملف قبل الخروج",
    ],
)
def test_looking_back_and_programs_that_write_ask_for_nothing(text: str) -> None:
    assert kept(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "can you remember that I'm vegan?",
        "remember that I'm vegan, will you?",
        "remember that I'm vegan, ok?",
        "Remember: I'm vegan. Can you fix the build?",
    ],
)
def test_a_question_that_asks_to_remember_is_a_request(text: str) -> None:
    assert any("vegan" in said for said in kept(text))
