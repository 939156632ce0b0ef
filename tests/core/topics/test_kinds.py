"""Kinds: what a remark is about, in several languages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.plain import AnyCase
from reverie.core.topics import advice, kinds
from reverie.core.topics.kinds import guess_kind, scope_of
from reverie.types import Kind, Scope


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer tabs over spaces", "user"),
        ("User is a senior Go engineer", "user"),
        ("我是数据科学家", "user"),
        ("私は決済チームの担当です", "user"),
        ("Я пишу на Rust", "user"),
        ("Je préfère le thé", "user"),
        ("Ich bin Entwickler", "user"),
        ("Never push to main directly", "feedback"),
        ("Keep replies short", "feedback"),
        ("I want you to stop summarising", "feedback"),
        ("回复时不要写总结", "feedback"),
        ("敬語は使わないでください", "feedback"),
        ("Всегда пиши тесты", "feedback"),
        ("Immer auf Deutsch antworten", "feedback"),
        ("ห้ามใช้ emoji", "feedback"),
        ("Release branch is cut on 2026-03-05", "project"),
        ("Deploys happen on Fridays", "project"),
        ("移动端发布切分支前冻结合并", "project"),
        ("請求書機能は六月末までに納品", "project"),
        ("베타 출시는 9월 15일", "project"),
        ("The dashboard is at https://grafana.example/d/1", "reference"),
        ("Pipeline bugs are tracked in Linear", "reference"),
        ("监控看板在内部导航", "reference"),
    ],
)
def test_the_words_tell_the_kind(text: str, kind: str) -> None:
    assert guess_kind(text) is Kind(kind)


def test_words_that_tell_nothing_are_not_guessed() -> None:
    assert guess_kind("Vegetarian, allergic to nuts") is None


@pytest.mark.parametrize(
    ("kind", "text", "scope"),
    [
        (Kind.USER, "in this project", Scope.USER),
        (Kind.FEEDBACK, "be brief", Scope.USER),
        (Kind.FEEDBACK, "in this repo use tabs", Scope.PROJECT),
        (Kind.FEEDBACK, "本项目使用制表符", Scope.PROJECT),
        (Kind.PROJECT, "", Scope.PROJECT),
        (Kind.REFERENCE, "", Scope.PROJECT),
    ],
)
def test_the_kind_tells_whose_it_is(kind: Kind, text: str, scope: Scope) -> None:
    assert scope_of(kind, text) is scope


def test_an_endless_word_is_read_in_no_time() -> None:
    assert guess_kind("a-" * 30_000) is None


MIXED = """
I MY We Deployed RELEASE Api WWW.x HTTP://x Always PLEASE your REPLY Dashboard é É 项目 Ответ ſ K
User PREFERS deprecated DUE no longer THIS project db.INTERNAL
"""


@given(st.lists(st.sampled_from(MIXED.split()), max_size=6))
@pytest.mark.parametrize("module", [kinds, advice])
def test_capitals_are_read_as_small_letters(module, words) -> None:
    patterns = [value for value in vars(module).values() if isinstance(value, AnyCase)]
    assert patterns
    text = " ".join(words)
    for pattern in patterns:
        assert pattern.found_in(text) == bool(re.search(pattern._pattern, text, re.I))
