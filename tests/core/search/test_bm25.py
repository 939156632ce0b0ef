"""BM25 over fields."""

from __future__ import annotations

from reverie.core.search.bm25 import Bm25

DOCS = [
    {"title": ["release"], "body": ["ship", "on", "friday"]},
    {"title": ["style"], "body": ["release", "notes", "are", "short"]},
    {"title": ["plants"], "body": ["water", "friday"]},
]
WEIGHTS = {"title": 3.0, "body": 1.0}


def test_a_title_counts_more_than_a_body() -> None:
    first, second, third = Bm25(DOCS, WEIGHTS).scores(["release"])
    assert first > second > third == 0.0


def test_a_rare_term_counts_more_than_a_common_one() -> None:
    index = Bm25(DOCS, WEIGHTS)
    assert index.idf("water") > index.idf("friday")


def test_coverage_is_the_share_of_the_query_that_is_there() -> None:
    assert Bm25(DOCS, WEIGHTS).coverage(["water", "friday"])[2] == 1.0
    assert Bm25(DOCS, WEIGHTS).coverage(["unknown"]) == [0.0, 0.0, 0.0]


def test_nothing_to_search() -> None:
    assert Bm25([], WEIGHTS).scores(["a"]) == []
    assert Bm25([{}], WEIGHTS).scores(["a"]) == [0.0]
