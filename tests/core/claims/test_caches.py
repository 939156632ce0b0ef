"""A process that stays reads ever new statements: what it keeps of them is bounded."""

from __future__ import annotations

import importlib
import pkgutil
from functools import _lru_cache_wrapper

from reverie.core import claims
from reverie.core.claims import claim, judgement
from reverie.core.claims.statement import MOST_KEPT


def test_no_rule_keeps_more_statements_than_the_bound():
    modules = [
        importlib.import_module(f"{claims.__name__}.{found.name}")
        for found in pkgutil.iter_modules(claims.__path__)
    ]
    caches = [
        item
        for module in modules
        for item in vars(module).values()
        if isinstance(item, _lru_cache_wrapper)
    ]
    assert len(caches) > 10  # the look itself still finds them
    sizes = {item.__qualname__: item.cache_parameters()["maxsize"] for item in caches}
    assert {name: size for name, size in sizes.items() if size is None or size > MOST_KEPT} == {}


def test_statements_read_long_ago_are_let_go():
    for number in range(MOST_KEPT + 50):
        claim.read(f"Room {number} is open")
    assert claim.read.cache_info().currsize == MOST_KEPT
    assert judgement.replaces("I now live in Lyon", "I live in Paris")
