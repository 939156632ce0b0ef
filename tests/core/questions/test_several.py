"""Which questions a text asks: several are told apart, one is left as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.questions.several import MOST, questions_in


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Where is my bicycle? How old is the cat?",
            ["Where is my bicycle?", "How old is the cat?"],
        ),
        ("Wo steht das Rad und wann kommt der Zug?", ["Wo steht das Rad", "wann kommt der Zug?"]),
        ("我住在哪里？另外，猫叫什么？", ["我住在哪里？", "另外，猫叫什么？"]),
        ("Où est le vélo et quand part le train ?", ["Où est le vélo", "quand part le train ?"]),
        ("Where is it, and who pays for the room?", ["Where is it", "who pays for the room?"]),
        ("今天真热。我的自行车在哪里？", ["我的自行车在哪里？"]),
        ("The day was long. Where is my bicycle?", ["Where is my bicycle?"]),
    ],
)
def test_each_question_is_one_by_itself(text: str, parts: list[str]) -> None:
    assert list(questions_in(text)) == parts


@pytest.mark.parametrize(
    "text",
    [
        "Where is my bicycle?",
        "What did Mr. Weber from St. Gallen say about the U.S. Army?",
        "Which Prof. Weber wrote it?",
        "deploy steps",
        "The day was long. I went home.",
        "see https://example.com/?page=2&who=me",
        "Who is Ann and Who's brother",  # a word that asks, and no question mark
        "",
        "???",
    ],
)
def test_one_question_is_left_as_it_is(text: str) -> None:
    assert questions_in(text) == ()


def test_a_page_of_questions_is_asked_as_a_whole() -> None:
    assert questions_in("Is it so? " * (MOST + 1)) == ()


@given(st.text(max_size=200))
def test_any_text_can_be_taken_apart(text: str) -> None:
    found = questions_in(text)
    assert len(found) <= MOST
    assert all(part in text and any(map(str.isalnum, part)) for part in found)
