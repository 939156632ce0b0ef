"""Rows of files, vectors that fit, and counts that add up."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from reverie.core.search.chunk import ChunkSize
from reverie.core.search.documents import markdown_document
from reverie.core.search.indexing import check_vectors, file_row, taken_in
from reverie.errors import EmbedderFailed
from reverie.types import Indexed, Problem


class Embedder:
    identity = "test"
    dimension = 2

    def embed(self, texts: Iterable[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]


def test_a_file_that_cannot_be_searched_has_a_row_that_says_why():
    row = file_row(None, number=3, path="a.md", signature="s", first=7, problem="too large")
    assert (row.id, row.path, row.signature, row.first) == (3, "a.md", "s", 7)
    assert (row.chunks, row.tokens, row.digest, row.problem) == (0, 0, "", "too large")


def test_a_row_counts_what_is_searched():
    document = markdown_document("# Title\n\nSome words here.\n", name="a.md", size=ChunkSize())
    row = file_row(document, number=1, path="a.md", signature="", first=1, problem="")
    assert row.chunks == len(document.chunks) == 1
    assert row.tokens > 0
    assert row.digest == document.digest


@pytest.mark.parametrize("vectors", [[], [[1.0]], [[1.0], [1.0, 2.0]], [[], []]])
def test_vectors_that_do_not_fit_the_texts_are_refused(vectors):
    with pytest.raises(EmbedderFailed, match="for 2 texts"):
        check_vectors(Embedder(), vectors, 2)


def test_the_dimension_of_good_vectors_is_told():
    assert check_vectors(Embedder(), [[1.0, 2.0, 3.0]] * 2, 2) == 3


def test_counts_add_up_and_one_that_is_behind_makes_both_behind():
    problem = Problem("not_searched", "why")
    both = taken_in(
        Indexed(1, 2, 3, 4, rebuilt=True),
        Indexed(10, 20, 30, 40, current=False, left=5, problems=(problem,)),
    )
    assert both == Indexed(11, 22, 33, 44, rebuilt=True, current=False, left=5, problems=(problem,))
