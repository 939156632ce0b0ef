"""Documents as the index keeps them: what is searched, rows, and the lines around a hit."""

from __future__ import annotations

import zlib

import pytest

from reverie.core.search.chunk import ChunkSize
from reverie.core.search.documents import (
    SECTION_GAP,
    Lines,
    belongs,
    chunk_rows,
    grown,
    markdown_document,
)
from reverie.core.search.neighbours import REACH
from reverie.core.text.words import estimate_tokens

LINES = [f"Line number {number} says something.\n" for number in range(1, 10)]
COST = estimate_tokens(LINES[0]) + 1


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [(0, 5, 5), (1, 5, 6), (2, 4, 6), (3, 4, 7), (4, 3, 7), (8, 1, 9), (50, 1, 9)],
)
def test_lines_are_added_after_and_before_in_turn(lines: int, first: int, last: int) -> None:
    made = grown(LINES, Lines(LINES[4], 5, 5), lines * COST)
    assert (made.first, made.last) == (first, last)
    assert made.text == "".join(LINES[first - 1 : last]).removesuffix("\n")


def test_at_the_edge_the_other_side_grows_on() -> None:
    at_top, at_end = Lines(LINES[0], 1, 1), Lines(LINES[8], 9, 9)
    assert grown(LINES, at_top, 2 * COST).last == 3
    assert grown(LINES, at_end, 2 * COST).first == 7
    assert grown(LINES, at_top, COST - 1).last == 1


def test_places_count_within_the_file_and_leave_a_gap_between_sections() -> None:
    text = "# One\n\nfirst\n\n# Two\n\nsecond é\n"
    document = markdown_document(text, name="a.md", size=ChunkSize())
    rows = list(chunk_rows(document, 100, 7, exact=True))
    assert [row.id for row in rows] == list(range(100, 100 + len(rows)))
    assert {row.file for row in rows} == {7}
    assert rows[0].place == SECTION_GAP * document.chunks[0].section
    for row, chunk in zip(rows, document.chunks, strict=True):
        assert row.place == row.id - 100 + SECTION_GAP * chunk.section
        assert text.encode()[row.start : row.stop].decode() == chunk.text
        assert row.crc == zlib.crc32(chunk.text.encode())
    assert SECTION_GAP > REACH


@pytest.mark.parametrize(
    ("kind", "rel", "searched"),
    [
        ("project", "MEMORY.md", True),
        ("project", "memory/a.md", True),
        ("project", "memory/a.txt", False),
        ("project", "README.md", False),
        ("project", "memory/.hidden/a.md", False),
        ("turns", "2026/1.json", True),
        ("turns", "2026/1.md", False),
        ("extra", ".git/a.md", False),
        ("extra", "notes.md", True),
        ("extra", "photo.png", False),
        ("layers", "a.md", False),
    ],
)
def test_a_name_says_whether_a_file_is_searched(kind: str, rel: str, searched: bool) -> None:
    assert belongs(kind, rel) is searched  # type: ignore[arg-type]
