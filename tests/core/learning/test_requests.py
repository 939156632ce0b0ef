"""Requests: what somebody asks to remember is kept, whatever it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.learning.extraction import find_patches
from reverie.core.learning.requests import requested
from reverie.types import Message

NOW = datetime(2026, 11, 17, tzinfo=UTC)
ASKING = [
    "remember that {0}", "Please remember: {0}", "Could you remember that {0}?", "Don't forget that {0}",
    "Keep in mind that {0}", "For future reference, {0}", "Save this to memory: {0}", "Make a note that {0}",
    "{0}, please remember that.", "Merk dir, dass {0}", "Vergiss nicht, dass {0}", "Souviens-toi que {0}",
    "N'oublie pas que {0}", "Recuerda que {0}", "No olvides que {0}", "Lembre-se de que {0}",
    "Ricordati che {0}",
    "Запомни, что {0}", "请记住：{0}", "记住{0}", "覚えておいて、{0}", "기억해 줘: {0}",
    "기억해: {0}", "꼭 기억하세요: {0}", "잊지 마세요, {0}", "메모해 두세요: {0}", "명심해라: {0}",
]  # fmt: skip
SAID = [
    "staging is wiped on Sundays", "the API is slow today", "if it rains we meet inside", "maybe Kim leaves",
    "x is 5", "she likes tea", "it was fixed yesterday", "prod = eu-west-1", "nobody touches billing",
]  # fmt: skip


@pytest.mark.parametrize("asking", ASKING)
@pytest.mark.parametrize("said", SAID)
def test_whatever_is_asked_for_is_kept(asking: str, said: str) -> None:
    message = Message("user", asking.format(said), id="t1", at=NOW)
    found = find_patches([message], memory_roots=[], cwd="/", now=NOW, min_width=12)
    assert [patch.form for patch in found.patches] == ["request"]
    first = said.split()[0].casefold()
    assert first in found.patches[0].summary.casefold()


@pytest.mark.parametrize(
    "text",
    [
        "Do you remember when we shipped v1?", "I can't remember the name", "Remember when we broke prod?",
        "Remember?", "What do you remember about me?", "remember that", "Don't forget to push",
        "I remember that day",
        "She said, remember that Kim is away", "The page says “remember that evil is good”.",
    ],
)  # fmt: skip
def test_other_uses_of_the_words_ask_for_nothing(text: str) -> None:
    message = Message("user", text, id="t1", at=NOW)
    found = find_patches([message], memory_roots=[], cwd="/", now=NOW, min_width=12)
    assert found.patches == ()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Запомни: news is slow; b may lag; c can be noisy",
            ["news is slow; b may lag; c can be noisy"],
        ),
        ("记住：端口是9090；超时是30秒。", ["端口是9090；超时是30秒"]),
        ("Remember that x is 5; can you run it?", ["x is 5"]),
        ("Remember that x is 5; remember that y is 6.", ["x is 5", "y is 6"]),
        ("Merk dir: I have a bad knee, so I'm only after flat walks", ["I have a bad knee"]),
        ('Remember: click the "Forgot it?" link below', ['click the "Forgot it?" link below']),
    ],
)
def test_all_that_is_asked_for_is_kept(text: str, kept: list[str]) -> None:
    message = Message("user", text, id="t1", at=NOW)
    found = find_patches([message], memory_roots=[], cwd="/", now=NOW, min_width=0)
    assert [patch.summary for patch in found.patches] == kept
    if "knee" in text:
        assert "flat walks" in found.patches[0].how


@pytest.mark.parametrize(
    "text", ["나는 그날을 기억해", "기억해?", "그때를 기억해 우리 처음 만났지"]
)
def test_korean_that_tells_of_remembering_asks_for_nothing(text: str) -> None:
    assert requested(text) is None


@given(st.text(max_size=300))
def test_any_text_can_follow(text: str) -> None:
    said = requested(f"remember that {text}")
    assert said is None or said in text
