"""The tokenizer: what counts as a word, in every script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.core.text.stopwords import STOP_WORDS
from reverie.core.text.words import (
    MAX_TERM_CHARS,
    QUERY_HEAD,
    QUERY_TAIL,
    TOKENIZER_VERSION,
    containment,
    estimate_tokens,
    normalize,
    query_terms,
    similarity,
    terms,
    words,
)

MIXED = st.text(
    alphabet=st.sampled_from("aZ9_-.'/+# \n,:é黑豹のカ한ทีй\u200d\u0301½Ⅷﬁ😀"), max_size=60
)
ANY = st.one_of(st.text(max_size=80), MIXED)


def test_the_version_is_a_string_the_index_can_store() -> None:
    assert TOKENIZER_VERSION


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cats' meetings", ["cat", "meet"]),
        ("go ci db ui k8s", ["go", "ci", "db", "ui", "k8s"]),
        ("C++ and C# or F#", ["c++", "c#", "f#"]),
        ("node.js", ["node.js", "node", "js"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("dark-mode", ["dark-mode", "dark", "mode"]),
        ("src/core/tokens.py", ["src/core/tokens.py", "src", "core", "token", "py"]),
        ("python3", ["python3", "python"]),
        ("Caroline's", ["carolin"]),
        ("O'Brien", ["obrien", "brien"]),
        ("can't won't don't she'll", ["can", "will", "do", "she"]),
        ("shell id ill", ["shell", "id", "ill"]),
        ("bought children went", ["buy", "child", "go"]),
    ],
)
def test_english_words_and_identifiers(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2023-05-07", ["2023-05-07", "2023-05", "2023"]),
        ("v1.2.3", ["1.2.3"]),
        ("10:30", ["10:30"]),
        ("1,000", ["1000"]),
        ("7th", ["7"]),
        ("3.14", ["3.14"]),
        ("port 8080", ["port", "8080"]),
    ],
)
def test_numbers_dates_and_versions_stay_whole(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_text_of_only_stop_words_keeps_them() -> None:
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert query_terms("who is it") == ["who", "is", "it"]


def test_stop_words_that_are_names_in_their_spelling_are_kept() -> None:
    assert terms("ask Will from IT about it") == ["ask", "will", "it"]


def test_chinese_gives_characters_and_pairs_and_latin_never_swallows_them() -> None:
    assert terms("用Python写") == ["用", "python", "写"]
    assert terms("黑豹队NFL") == ["黑", "豹", "队", "黑豹", "豹队", "nfl"]


def test_a_chinese_query_asks_by_pairs_without_question_words() -> None:
    assert query_terms("论坛的地点是什么？") == ["论坛", "坛的", "的地", "地点", "点是"]
    assert query_terms("猫") == ["猫"]


def test_a_single_character_query_finds_it_inside_a_longer_run() -> None:
    assert set(query_terms("猫")) <= set(terms("我有一只猫和狗"))


def test_full_width_letters_fold() -> None:
    assert terms("ＤＢ２") == terms("DB2")


def test_korean_and_japanese_overlap_by_pairs() -> None:
    assert "동물" in terms("동물원에")
    assert "東京" in query_terms("いつ東京に")


@pytest.mark.parametrize("text", ["ทีมรับของแพนเธอร์ส", "ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာဘာသာ"])
def test_unspaced_scripts_match_by_the_middle(text: str) -> None:
    found = terms(text)
    assert len(found) > 2
    assert set(terms(text[2:])) & set(found)


def test_cyrillic_and_greek_stem_by_script() -> None:
    assert terms("книгами") == terms("книга")
    assert terms("Σίσυφος") == terms("ΣΙΣΥΦΟΣ")
    assert normalize("Йод ёлка") == "йод елка"


def test_marks_belong_to_the_word_they_stand_in() -> None:
    assert words("हिन्दी में") == ["हिन्दी", "में"]


def test_a_vietnamese_word_counts_with_its_marks_and_without() -> None:
    assert terms("mượn") == ["muon", "mượn"]
    assert terms("muốn") == ["muon", "muốn"]
    assert terms("muon") == ["muon"]  # typed without marks it finds both
    assert terms(unicodedata.normalize("NFD", "MƯỢN")) == terms("mượn")
    assert terms("việt-nam") == ["viet-nam", "viet", "nam", "việt-nam"]


def test_accents_fold_in_latin_script() -> None:
    assert terms("Café") == terms("cafe")
    assert terms("Straße") == terms("STRASSE")


def test_words_keep_order_and_stop_words() -> None:
    assert words("The parser_config isn't in node.js, 2023-05-07") == [
        "the", "parser", "config", "is", "in", "node", "js", "2023-05-07",
    ]  # fmt: skip


def test_a_long_query_keeps_its_two_ends() -> None:
    text = " ".join(f"w{n}x" for n in range(200))
    kept = query_terms(text)
    assert len(kept) == QUERY_HEAD + QUERY_TAIL
    assert kept[0] == "w0x"
    assert kept[-1] == "w199x"


def test_any_query_text_is_safe() -> None:
    for text in ('C++ "foo', "a AND", "*", "", '"', "(", "NEAR(", "--", "\x00"):
        assert isinstance(query_terms(text), list)


def test_token_estimates_know_the_script() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("four char word") == 4
    assert estimate_tokens("黑豹队的防守") == 6
    assert estimate_tokens("привет мир") == 5


def test_similarity_and_containment() -> None:
    assert similarity("I like tea", "likes TEA!") == 1.0
    assert similarity("red apples", "blue cars") == 0.0
    assert similarity("", "") == 1.0
    assert similarity("🙂", "🙁") == 0.0
    assert containment("green tea", "She drinks green tea daily") == 1.0


@given(ANY)
def test_no_text_raises_and_every_term_is_a_word(text: str) -> None:
    found = terms(text)
    for term in [*found, *query_terms(text), *words(text)]:
        assert term
        assert not any(char.isspace() for char in term)
    assert all(len(term) <= MAX_TERM_CHARS for term in found)
    assert len(found) <= 2 * len(unicodedata.normalize("NFKC", text)) + 2
    assert estimate_tokens(text) <= 4 * len(text)


@given(ANY)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(ANY)
def test_the_same_text_gives_the_same_terms(text: str) -> None:
    assert terms(text) == terms(text)
    assert len(query_terms(text)) <= QUERY_HEAD + QUERY_TAIL


@given(
    st.text(alphabet="abcdefghij", min_size=1, max_size=8),
    st.text(alphabet="黑豹队防守猫狗", min_size=1, max_size=8),
)
def test_latin_and_cjk_side_by_side_are_split_as_if_apart(latin: str, han: str) -> None:
    assert words(latin + han) == words(f"{latin} {han}")
    assert words(han + latin) == words(f"{han} {latin}")


@given(ANY, ANY)
def test_similarity_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0.0 <= similarity(a, b) <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["_", "a_", "_a", "-", "a-b", "aB", "1.2.", "/", "a'", "c+", "#", "\u0301", "中", "ก"]
)
def test_hostile_repetition_costs_no_more_than_its_length(unit):
    from time import process_time

    def cost(text: str) -> float:
        begin = process_time()
        terms(text)
        return process_time() - begin

    small = max(cost(unit * 1_000), 0.005)
    assert cost(unit * 16_000) < small * 64  # linear is 16, with room for noise; quadratic is 256


def test_every_stop_word_is_listed_as_the_tokenizer_folds_it():
    unmatched = [word for word in STOP_WORDS if normalize(word) not in STOP_WORDS]
    assert unmatched == []


def test_greek_words_without_content_are_dropped_with_a_final_sigma_too():
    assert terms("η έκδοση της εφαρμογής στις Δευτέρες") == terms("έκδοση εφαρμογής Δευτέρες")
