"""Kinds: what a remark is about, in several languages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.plain import AnyCase
from reverie.core.topics import advice, kinds
from reverie.core.topics.kinds import guess_kind, scope_of
from reverie.core.topics.remember import read_memo
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
        (Kind.FEEDBACK, "Never push to main", Scope.PROJECT),
        (Kind.FEEDBACK, "Use pnpm, not npm", Scope.PROJECT),
        (Kind.FEEDBACK, "Use tabs in all my projects", Scope.USER),
        (Kind.FEEDBACK, "Please ask me before you delete files", Scope.USER),
        (Kind.FEEDBACK, "我们不要在周五部署", Scope.PROJECT),
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


@pytest.mark.parametrize(
    "text",
    [
        "The parser lives in src/parse.rs",
        "We deploy on Fridays",
        "Never push to main",
        "Use pnpm, not npm",
        "Tests need Docker",
        "The API returns UTC timestamps",
        "CI runs on self-hosted runners",
        "Wir deployen freitags",
        "我们周五不部署",
        "Billing is owned by Kim",
        "Migrations are in db/migrate",
        "Always run make check before committing",
        "Redis is only used for caching",
        "The staging password policy changes in May",
        "Don't edit generated files",
        "Der Server läuft auf Port 9000",
        "Les tests sont lents",
        "Kim reviews all schema changes",
        "Logs go to /var/log/app",
        "staging is wiped on Sundays",
        "Version 3 drops Python 3.8",
        "Feature flags live in config/flags.yml",
        "our linter is ruff",
        "Commit messages follow Conventional Commits",
        "The frontend uses React 18",
        "No force pushes",
        "Error codes are documented in docs/errors.md",
    ],
)
def test_inside_a_project_the_default_is_the_project(text: str) -> None:
    assert read_memo(text).scope is Scope.PROJECT


@pytest.mark.parametrize(
    "text",
    [
        "I prefer short answers",
        "I'm vegetarian",
        "My name is Ada",
        "Call me Ada",
        "Keep your answers brief",
        "Always answer in German",
        "I live in Lyon",
        "I use Vim",
        "Never use emojis in your replies",
        "I am a data scientist",
        "Ich bin Entwickler",
        "我是数据科学家",
        "Use tabs in all my projects",
        "I hate long meetings",
        "Explain things step by step to me",
        "je préfère le thé",
        "Be concise",
        "My timezone is CET",
        "我喜欢简短的回答",
        "Everywhere, prefer composition over inheritance",
        "I speak French and English",
        "Please ask me before you delete files",
    ],
)
def test_what_is_about_the_person_goes_with_the_person(text: str) -> None:
    assert read_memo(text).scope is Scope.USER


def test_outside_of_any_project_it_is_the_persons() -> None:
    assert read_memo("Never push to main", in_project=False).scope is Scope.USER
    assert read_memo("Vegetarian, allergic to nuts", in_project=False).scope is Scope.USER
