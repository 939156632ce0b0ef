"""When two remarks say the same, and when one value of them has changed."""

from __future__ import annotations

import pytest

from reverie.core.dreaming.sameness import changed_value, says_same
from reverie.types import Kind


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("User prefers concise answers", "The user prefers concise answers."),
        ("Don't mock the database", "Do not mock the database!"),
        ("Use  TABS for Go", "use tabs for go"),
        ("Ｕｓｅ tabs for Go", "use tabs for Go"),
        ("以后用 pnpm", "以后用 pnpm。"),
        ("Всегда используй табы", "всегда используй табы."),
    ],
)
def test_the_same_in_other_clothes_is_the_same(one, two):
    assert says_same(one, two)
    assert not changed_value(one, two, kind=Kind.USER)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Use tabs", "Use tabs in Makefiles"),
        ("Prefer tabs over spaces", "Prefer spaces over tabs"),
        ("Run migrations before deploy", "Run migrations after deploy"),
        ("Deploy with approval", "Deploy without approval"),
        ("Limit is 100", "Limit is 100%"),
        ("Limit is 5", "Limit is -5"),
        ("Use Python 3.11", "Use Python 3.12"),
        ("Never push to main", "Push to main"),
        ("Alice owns billing", "Bob owns billing"),
        ("会议在周一", "会议不在周一"),
        ("", ""),
    ],
)
def test_what_differs_in_a_word_a_sign_or_its_order_is_not_the_same(one, two):
    assert not says_same(one, two)


@pytest.mark.parametrize(
    ("one", "two", "kind"),
    [
        ("The API rate limit is 100 requests", "The API rate limit is 200 requests", Kind.PROJECT),
        ("The release is on March 10, 2026", "The release is on April 2, 2026", Kind.PROJECT),
        ("The API listens on port 8080", "The API listens on port 9090", Kind.PROJECT),
        ("The new parser is enabled", "The new parser is disabled", Kind.PROJECT),
        ("Use tabs for indentation", "Use spaces for indentation", Kind.FEEDBACK),
        ("Never push to main branch", "Push to main branch", Kind.FEEDBACK),
        ("Always squash feature commits", "Never squash feature commits", Kind.FEEDBACK),
        ("The project lead is Alice", "The project lead is Bob", Kind.PROJECT),
        ("API 的上限是 100 次", "API 的上限是 200 次", Kind.PROJECT),
        ("使用 Python 3.11 版本", "使用 Python 3.12 版本", Kind.PROJECT),
    ],
)
def test_one_told_value_that_changed_is_noticed(one, two, kind):
    assert changed_value(one, two, kind=kind)
    assert changed_value(two, one, kind=kind)


@pytest.mark.parametrize(
    ("one", "two", "kind"),
    [
        ("Sprint 12 ends on Friday", "Sprint 13 ends on Friday", Kind.PROJECT),
        ("Server A has 16 GB", "Server B has 32 GB", Kind.PROJECT),
        ("Public repos use MIT", "Private repos use MIT", Kind.PROJECT),
        ("My colleague is Alice", "My colleague is Bob", Kind.USER),
        ("See issue 12", "See issue 13", Kind.REFERENCE),
        ("Use tabs", "Use tabs in Makefiles", Kind.FEEDBACK),
        ("Prefer tabs over spaces", "Prefer spaces over tabs", Kind.USER),
        ("We use Kafka for events", "We use Redis for caching", Kind.PROJECT),
    ],
)
def test_two_things_are_not_one_thing_that_changed(one, two, kind):
    assert not changed_value(one, two, kind=kind)
