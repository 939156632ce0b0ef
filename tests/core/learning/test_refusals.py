"""What somebody asks not to remember is neither kept nor heard."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reverie.core.learning.extraction import find_patches, without_refused
from reverie.core.learning.tongues.refusals import refuses
from reverie.types import Message

NOW = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)

REFUSED = [
    "don't remember this: I'm seeing a divorce lawyer",
    "Never write that down anywhere. I prefer to be called Rob.",
    "I always work from Lisbon in winter, but you don't have to remember that.",
    "I am a recovering gambler. Please don't keep any of this in your notes!",
    "remember nothing of what follows. I use an old password here.",
    "My salary is 90k. Leave that out of your memory, please.",
    "you needn't memorise this, but I'm a Leo",
    "Bitte merk dir das nicht: ich bin schwanger",
    "Ich wohne zurzeit bei meiner Schwester. Das musst du dir nicht merken.",
    "Ik ben ontslagen. Schrijf dat niet op.",
    "ne note pas que je suis malade",
    "Je suis enceinte, n'enregistre pas ça.",
    "no guardes esto: soy alcohólico",
    "Sono incinta. Non serve ricordarlo.",
    "não memorizes isto: estou grávida",
    "nie zapisuj tego: jestem w ciąży",
    "Я ищу новую работу. Не запоминай это.",
    "bunu kaydetme: hamileyim",
    "别记下来：我怀孕了",
    "私は転職活動中です。これは覚えないで。",
    "이건 기억하지 마: 나는 임신했어",
    "لا تسجل هذا: أنا حامل",
]
NOT_REFUSED = [
    "don't store passwords in the log",
    "never save this file without formatting it",
    "don't keep it in memory, stream it",
    "do not record that metric twice",
    "don't forget that I'm vegan",
    "I can't remember that",
    "we should not store it in the cache",
    "das Passwort bitte nicht im Log speichern",
    "no guardes contraseñas en el repositorio",
    "не сохраняй пароли в логах",
    "不要保存这个文件到根目录",
    "パスワードをログに保存しないでください",
    "비밀번호를 로그에 저장하지 마",
]


def found(*texts: str):
    messages = [Message("user", text, id=f"m{number}", at=NOW) for number, text in enumerate(texts)]
    left, dropped = without_refused(messages)
    patches = find_patches(left, memory_roots=(), cwd="/", now=NOW, min_width=4)
    return patches, dropped


@pytest.mark.parametrize("text", REFUSED)
def test_nothing_of_such_a_message_is_kept_or_heard_and_that_is_said(text: str) -> None:
    patches, dropped = found(text)
    assert (patches.patches, patches.heard) == ((), ())
    assert [(item.what, item.reason) for item in dropped] == [("turn m0", "asked_not_to")]


@pytest.mark.parametrize("text", NOT_REFUSED)
def test_what_a_program_is_not_to_store_is_no_such_wish(text: str) -> None:
    assert not refuses(text)


@pytest.mark.parametrize("refusal", [text for text in REFUSED if ":" in text or "：" in text])
def test_what_the_same_message_asks_to_remember_stays(refusal: str) -> None:
    patches, _ = found(f"Please remember that staging is wiped on Sundays.\n\n{refusal}")
    assert [item.summary.lower() for item in patches.patches] == ["staging is wiped on sundays"]
    assert not patches.heard


def test_a_refusal_that_says_nothing_itself_covers_the_message_before_it() -> None:
    patches, dropped = found(
        "I live in Paris.", "I'm seeing a lawyer.", "Please don't remember that."
    )
    assert [item.summary for item in patches.patches] == ["I live in Paris"]
    assert [item.what for item in dropped] == ["turn m2", "turn m1"]


def test_a_refusal_with_words_of_its_own_covers_no_other_message() -> None:
    patches, _ = found("I live in Paris.", "Don't remember this: I'm seeing a lawyer.")
    assert [item.summary for item in patches.patches] == ["I live in Paris"]


def test_a_later_request_means_nothing_that_was_refused_before() -> None:
    refused = Message("user", "I'm a diabetic, but don't put that in your notes", id="a", at=NOW)
    asked = Message("user", "Make a note of that.", id="b", at=NOW)
    asks = {"memory_roots": (), "cwd": "/", "now": NOW, "min_width": 4}
    left, _ = without_refused([refused, asked])
    earlier = Message("user", "I live in Paris.", id="0", at=NOW)
    for messages, before in (([asked], refused), (left, None), (left, earlier)):
        found = find_patches(messages, before=before, **asks)
        assert not any("diabetic" in one.summary for one in (*found.patches, *found.heard))
