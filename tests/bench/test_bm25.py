"""Plain BM25."""

from __future__ import annotations

from bench.quality.bm25 import Bm25

DOCS = [["ship", "on", "friday"], ["release", "notes", "are", "short"], ["water", "friday"]]


def test_a_document_counts_by_the_share_of_it_that_is_the_word() -> None:
    first, second, third = Bm25(DOCS).scores(["friday"])
    assert third > first > second == 0.0


def test_a_rare_term_counts_more_than_a_common_one() -> None:
    index = Bm25(DOCS)
    assert index.idf("water") > index.idf("friday")


def test_nothing_to_search() -> None:
    assert Bm25([]).scores(["a"]) == []
    assert Bm25([[]]).scores(["a"]) == [0.0]
