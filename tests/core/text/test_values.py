"""Values: what keeps two remarks apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.synonyms import canonical, similar_terms
from reverie.core.text.values import conflicts, covers, differences, value_signature


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("User prefers dark mode", "The user prefers dark mode."),
        ("Likes tabs", "prefers tabs"),
        ("Deploys on Fridays", "Deploys on Fridays at 17:00"),
        ("Keep replies short", "keep answers short"),
        ("用户喜欢绿茶", "喜欢绿茶"),
        ("Use PNPM", "use pnpm"),
        ("cafe", "café"),
        ("", ""),
    ],
)
def test_remarks_that_say_the_same_or_more_do_not_conflict(a: str, b: str) -> None:
    assert differences(a, b) == differences(b, a) == []


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("the port is 8080", "the port is 8081", "numbers"),
        ("deadline 2026-05-01", "deadline 2026-05-02", "numbers"),
        ("use Python 3.11 in CI", "use Python 3.12 in CI", "numbers"),
        ("costs $5", "costs €5", "numbers"),
        ("offset +5", "offset -5", "numbers"),
        ("wait 5 minutes", "wait 5 hours", "words"),
        ("likes green tea in the morning", "likes black tea in the morning", "words"),
        ("Anna owns billing", "Boris owns billing", "words"),
        ("never push to main", "push to main", "negation"),
        ("I don't eat meat", "I eat meat", "negation"),
        ("不要使用制表符", "要使用制表符", "negation"),
        ("好きです", "好きではない", "negation"),
        ("ดื่มชา", "ไม่ดื่มชา", "negation"),
        ("je veux du thé", "je ne veux pas de thé", "negation"),
        ("Ich mag Tee", "Ich mag keinen Tee", "negation"),
        ("он любит чай", "он не любит чай", "negation"),
        ("πίνει τσάι", "δεν πίνει τσάι", "negation"),
        ("커피를 마신다", "커피를 마시지 않는다", "negation"),
        ("deploy before noon", "deploy after noon", "opposite"),
        ("enable the cache", "disable the cache", "opposite"),
        ("must be signed", "may be signed", "opposite"),
        ("до обеда", "после обеда", "opposite"),
        ("喜欢喝绿茶", "喜欢喝红茶", "words"),
        ("prefers tabs over spaces", "prefers spaces over tabs", "order"),
        ("Alice reports to Bob", "Bob reports to Alice", "order"),
        ("Bob likes tea very much", "likes tea very much", "subject"),
        ("build is 👍 today", "build is 👎 today", "symbols"),
    ],
)
def test_remarks_that_differ_in_a_value_conflict(a: str, b: str, kind: str) -> None:
    assert kind in differences(a, b)
    assert conflicts(a, b)
    assert conflicts(b, a)
    assert not covers(a, b)


def test_the_fuller_remark_covers_the_other_and_not_the_reverse() -> None:
    assert covers("Deploys on Fridays at 17:00", "Deploys on Fridays")
    assert not covers("Deploys on Fridays", "Deploys on Fridays at 17:00")


def test_numbers_names_and_negations_are_read() -> None:
    found = value_signature(
        "Call Anna at 10:30 about `foo_bar` in src/a.py v1.2.3; don't pay 1,000"
    )
    assert found.numbers == {"10:30", "1.2.3", "1000"}
    assert {"anna", "foo_bar", "src/a.py"} <= found.names
    assert found.negations == ("not",)
    assert value_signature("第３版").numbers == {"3"}


@given(st.text(max_size=60))
def test_a_remark_never_conflicts_with_itself(text: str) -> None:
    assert differences(text, text) == []
    assert covers(text, text)


WORDS = st.lists(
    st.sampled_from(
        ["alpha", "beta", "not", "5", "7", "before", "after", "tea", "Bob", "绿茶", "不"]
    ),
    max_size=6,
)


@given(WORDS, WORDS)
def test_conflict_is_symmetric_and_covering_keeps_every_value(a: list[str], b: list[str]) -> None:
    one, two = " ".join(a), " ".join(b)
    assert set(differences(one, two)) == set(differences(two, one))
    if covers(one, two):
        assert value_signature(two).numbers <= value_signature(one).numbers
        assert value_signature(two).negations == value_signature(one).negations


def test_words_that_say_the_same_stand_for_each_other() -> None:
    assert canonical("prefer") == canonical("like")
    assert "like" in similar_terms("prefer")
    assert similar_terms("elephant") == ()
