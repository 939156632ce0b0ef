"""A process that stays reads ever new statements: what it keeps of them is bounded."""

from __future__ import annotations

import importlib
import pkgutil
from functools import _lru_cache_wrapper, cache

from hypothesis import given
from hypothesis import strategies as st

from reverie.core import claims, phrases
from reverie.core.claims import claim, judgement, stretches
from reverie.core.claims.statement import MOST_KEPT


@cache
def all_caches() -> list[_lru_cache_wrapper[object]]:
    modules = [
        importlib.import_module(f"{room.__name__}.{found.name}")
        for room in (claims, phrases)
        for found in pkgutil.iter_modules(room.__path__)
    ]
    return [
        item
        for module in modules
        for item in vars(module).values()
        if isinstance(item, _lru_cache_wrapper)
    ]


def test_no_rule_keeps_more_statements_than_the_bound():
    caches = all_caches()
    assert len(caches) > 10  # the look itself still finds them
    sizes = {item.__qualname__: item.cache_parameters()["maxsize"] for item in caches}
    assert {name: size for name, size in sizes.items() if size is None or size > MOST_KEPT} == {}


def test_statements_read_long_ago_are_let_go():
    for number in range(MOST_KEPT + 50):
        claim.read(f"Room {number} is open")
    assert claim.read.cache_info().currsize == MOST_KEPT
    assert judgement.replaces("I now live in Lyon", "I live in Paris")


def test_what_many_alike_facts_share_is_read_once():
    stretches.around_of.cache_clear()
    for number in range(1, 60):
        judgement.replaces(
            "Locker 4000 of row 3 is measured.", f"Locker {number} of row 3 is measured."
        )
    assert stretches.around_of.cache_info().misses == 1


SUBJECTS = ("My dentist", "The gateway", "Room 4", "我们的会议", "Unser Team", "We", "I")
VERBS = ("is", "listens on", "lives in", "no longer uses", "用", "runs every", "moved to", "ist")
VALUES = ("port 80", "Lyon", "daily", "v1.2", "18:00", "nobody", "two weeks", "Dana", "星期二", "")
TAILS = ("", " now", " in Oslo", " and likes it", " instead of Redis", "?", "。")
said = st.builds(
    lambda who, does, what, more: f"{who} {does} {what}{more}.",
    *map(st.sampled_from, (SUBJECTS, VERBS, VALUES, TAILS)),
)


@given(st.lists(said, min_size=2, max_size=6))
def test_a_pair_is_judged_the_same_whatever_was_judged_before(statements: list[str]):
    pairs = [(new, old) for new in statements for old in statements]
    together = [judgement.replaces(new, old) for new, old in pairs]
    for (new, old), found in zip(pairs, together, strict=True):
        for kept in all_caches():
            kept.cache_clear()
        assert judgement.replaces(new, old) == found
