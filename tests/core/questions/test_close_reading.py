"""Reading a passage closely: endings are forgiven, a sentence says more than words here and there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.questions.close_reading import Part, Read, parts_of, read_closely
from reverie.core.search.query import read_query


def read(question: str, text: str, *, there: tuple[str, ...] = ()) -> Read:
    query = read_query(question)
    asked = {term: 1.0 for term in query.terms if term not in query.forms}
    return read_closely(parts_of(query, asked), text, there=there)


def test_a_whole_sentence_is_found_whole() -> None:
    told = read("castle bridge river", "An intro. The castle bridge crosses a river! The end.")
    assert told.passage == told.sentence == 1.0


def test_words_here_and_there_are_no_sentence() -> None:
    told = read("castle bridge river", "A castle. Then a bridge. And a river.")
    assert told.passage == 1.0
    assert told.sentence == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("kalesinin", "Bu kalesini gördüm."),  # an ending
        ("Apothekentechniker", "Apotheken sind selten."),  # a compound of it
        ("mühendisliği", "Mühendislik okudu."),
        ("болотистой", "Болотистая местность."),
    ],
)
def test_a_word_with_another_ending_counts_in_part(asked: str, text: str) -> None:
    assert 0.3 < read(asked, text).passage < 1


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("المدينة", "سافر إلى مدينة بعيدة"),  # the city: a city
        ("بتقديم", "تقديم الطلب"),  # by presenting: presenting
        ("للمركبات", "والمركبات كثيرة"),  # to the compounds: and the compounds
        ("إدارة", "ادارة المشروع"),  # with and without the mark of the alif
    ],
)
def test_what_is_written_in_one_with_an_arabic_word_is_no_part_of_it(asked: str, text: str) -> None:
    assert read(asked, text).sentence == 1.0


def test_words_that_only_begin_alike_do_not_count() -> None:
    assert read("parking", "The parents came.").passage == 0
    assert read("cat", "A category.").passage == 0


def test_scripts_without_spaces_are_read_by_their_pieces() -> None:
    assert read("大桥长度", "这座大桥的长度是五公里。").sentence > 0.5
    assert read("大桥长度", "完全无关的句子。").passage == 0


def test_what_the_index_knows_to_be_there_is_there() -> None:
    """Irregular forms do not begin alike."""
    assert read("went", "We go there.", there=("go",)).passage == 1.0


def test_nothing_asked_is_nothing_read() -> None:
    assert read_closely([], "Some text.", there=()) == Read()


parts = st.lists(
    st.builds(
        lambda text, weight, spaced: Part(text, weight, spaced, (text,)),
        st.text(min_size=1, max_size=12),
        st.floats(0.1, 9),
        st.booleans(),
    ),
    max_size=6,
)


@given(parts, st.text(max_size=300))
def test_both_are_shares_and_a_sentence_holds_no_more_than_its_passage(
    some: list[Part], text: str
) -> None:
    told = read_closely(some, text, there=())
    assert 0 <= told.sentence <= told.passage + 1e-9 <= 1 + 2e-9
