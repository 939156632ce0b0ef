"""The quick look before splitting: it may pass too much, never too little."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.termfilter import term_filter
from reverie.core.text.words import query_terms, terms

WORDS = """
bought buy went go gone people person children child running runs ran hoping hope tried try tries dying die
lying happy happiness relational relate organization O'Brien obrien 1,000 1000 2023-05-07 2023/5/7 v1.2 1.2
getUserName HTTPServer user_name node.js C++ c# don't won't ain't allergies allergic using use is will k8s
ticket's tickets café naïve 项目 ci go. (see) dark-mode a/b/c.py IT mice taught made making
"""
WORD = st.sampled_from(WORDS.split())
TEXT = st.one_of(
    st.lists(WORD, min_size=1, max_size=5).map(" ".join),
    st.text(alphabet="abcdeinsty ABCDE'_.-/0123", max_size=30),
)


@given(TEXT, TEXT)
def test_a_text_that_holds_a_term_passes(query: str, text: str) -> None:
    asked = query_terms(query)
    if set(asked) & set(terms(text)):
        assert term_filter(asked)(text)


def test_a_text_that_holds_none_is_passed_over() -> None:
    may_hold = term_filter(query_terms("deploy the billing gateway in may"))
    assert not may_hold("Likes green tea and short answers; the parser has a seam.")
    assert may_hold("Maybe deployment")
    assert may_hold("getMayName")
    assert not may_hold("dismay")


def test_text_of_other_scripts_always_passes() -> None:
    assert term_filter(["deploy"])("项目")
    assert not term_filter(["项目"])("project")


def test_no_terms_pass_nothing() -> None:
    assert not term_filter([])("anything")
