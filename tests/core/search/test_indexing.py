"""What is embedded of a chunk: what it says, once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.search.chunk import chunk_markdown
from reverie.core.search.indexing import meant


def embedded(text: str, name: str = "note.md") -> list[str]:
    return [meant(chunk) for chunk in chunk_markdown(text, name=name)]


def test_a_memory_file_is_embedded_as_the_sentence_it_says():
    text = (
        "---\nname: The rent is 1,150 euros\ndescription: The rent is 1,150 euros.\ntype: user\n"
        "created: 2026-05-01\n---\n\nThe rent is 1,150 euros.\n"
    )
    assert embedded(text, "rent.md") == ["The rent is 1,150 euros."]


def test_a_description_that_says_more_is_kept():
    text = "---\nname: Rent\ndescription: What the flat costs\n---\n\nIt is 1,150 euros.\n"
    assert embedded(text)[0].split("\n") == ["Rent", "What the flat costs", "It is 1,150 euros."]


def test_marks_of_headings_lists_and_quotations_are_left_out():
    found = embedded("# Food\n\n- no peanuts\n* fish now and then\n> ask first\n")[0]
    assert found.split("\n") == ["Food", "no peanuts", "fish now and then", "ask first"]


def test_a_rule_across_a_page_is_no_frontmatter():
    text = "# Plan\n\nbefore: one\n\n---\n\nafter: two\n\n---\n\nend: three\n"
    assert all(part in embedded(text)[0] for part in ("before: one", "after: two", "end: three"))


def test_a_list_item_that_begins_like_another_is_kept():
    found = embedded("# Drinks\n\n- tea\n- tea with milk\n")[0]
    assert found.split("\n") == ["Drinks", "tea", "tea with milk"]


@given(st.text(), st.text(min_size=1))
def test_whatever_a_text_is_something_is_embedded_and_no_word_is_added(head, body):
    for chunk in chunk_markdown(f"# {head}\n\n{body}", name="a.md"):
        found = meant(chunk)
        assert found or not chunk.text
        assert all(line.strip() in f"{chunk.context}\n{chunk.text}" for line in found.split("\n"))
