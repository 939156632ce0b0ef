"""Requests with slips, in Arabic, and with their reason before them; and what only looks like one."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from reverie.core.learning.extraction import find_patches
from reverie.core.learning.statements import find_statements
from reverie.types import Message

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


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("remember that the demo user must stay and now fix the header", "The demo user must stay"),
        ("remember that we bill in CHF and can you then convert this table?", "we bill in CHF"),
        ("remember I'm on the free plan and then explain the limits to me", "I'm on the free plan"),
        ("keep in mind that my dad is 80 and suggest a present", "My dad is 80"),
        ("merk dir, dass der Lift kaputt ist und schreib jetzt eine Mail", "Der Lift kaputt ist"),
        ("fix login.ts (remember: sessions expire after 15 min)", "sessions expire after 15 min"),
        ("remember that it stops and then restarts the app", "It stops and then restarts the app"),
        ("remember that I check the logs and write the report", "I check the logs and write the report"),
        ("remember that we test (here) and ship on Mondays", "We test (here) and ship on Mondays"),
    ],
)  # fmt: skip
def test_a_task_for_now_is_no_part_of_what_is_remembered(text: str, whole: str) -> None:
    assert [said.lower() for said in kept(text)] == [whole.lower()]


@pytest.mark.parametrize(
    "asking", ["remember that please", "make a note of that", "merk dir das bitte"]
)
def test_a_request_points_at_the_message_before_it(asking: str) -> None:
    at = datetime(2026, 5, 13, tzinfo=UTC)
    said = Message("user", "The licence server is called Hubert", id="a", at=at)
    asked = Message("user", asking, id="b", at=at)
    answer = Message("assistant", "Good to know.", id="c", at=at)
    asks = {"memory_roots": (), "cwd": "/", "now": at, "min_width": 4}
    for found in (
        find_patches([said, answer, asked], **asks),
        find_patches([asked], before=said, **asks),
    ):
        assert [one.summary for one in found.patches] == ["The licence server is called Hubert"]
    assert find_patches([asked], **asks).patches == ()
